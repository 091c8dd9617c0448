"""Without a cluster no code of one is imported: not by any module, but for those that a command imports for it."""

from __future__ import annotations

import subprocess
import sys

# Walking imports packages, such as that of the cluster, but none of their modules.
IMPORT_ALL = """
import importlib, pkgutil, sys
import scramble
for module in pkgutil.walk_packages(scramble.__path__, "scramble."):
    if not module.name.startswith(("scramble.cluster", "scramble.cli.clustered")) and "__main__" not in module.name:
        importlib.import_module(module.name)
print(*(name for name in sys.modules if name.startswith(("scramble.cluster.", "hiredis"))))
"""


def test_no_module_imports_a_cluster() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
