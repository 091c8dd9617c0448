"""No module imports the cluster's code, except for the modules that a cluster command imports."""

from __future__ import annotations

import subprocess
import sys

# `walk_packages` imports each package, including the cluster's, but not the modules in it.
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
