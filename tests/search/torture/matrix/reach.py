"""The tests that execute each line of the package, measured once with coverage.

A suite then runs only the tests that can find a bug. As a plugin of pytest, this module gives coverage the name of the
running test.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import coverage
import pytest

from tests.search.torture.matrix.bug import Bug

NEAR: Final = 2
"""Lines before and after an edit whose tests count as tests of the edit."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Give the lines that run during a test the test's name."""
    measured = coverage.Coverage.current()
    assert measured is not None, "run this with coverage"
    measured.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        measured.switch_context("")


class Reach:
    """A measurement of the tests in some folders.

    The file is a database of coverage. It is made if it is missing. Servers in other processes count for no test.
    """

    def __init__(self, file: Path, root: Path, folders: tuple[str, ...]) -> None:
        """Open the measurement of `folders` in the checkout `root`. Blocks for minutes if it has to be made."""
        self._root: Final = root
        if not file.exists():
            measure(file, root, folders)
        self._data: Final = coverage.CoverageData(str(file))
        self._data.read()

    def tests(self, bug: Bug) -> list[str]:
        """Return the tests that execute a line near the bug.

        Empty for a page, and for a line that no test executes, or only its import.
        """
        if not bug.path.endswith(".py"):
            return []
        text = (self._root / bug.path).read_text()
        first = text[: text.index(bug.old)].count("\n") + 1
        last = first + bug.old.rstrip("\n").count("\n")
        names = self._data.contexts_by_lineno(str(self._root / bug.path))
        near = range(first - NEAR, last + NEAR + 1)
        return sorted({name for line in near for name in names.get(line, ()) if name})


def measure(file: Path, root: Path, folders: tuple[str, ...]) -> None:
    """Run the tests in the folders once, and write their measurement to `file`. Blocks until their end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    settings = file.with_suffix(".coveragerc")
    settings.write_text(f"[run]\nsource = {root / 'scramble'}\ncore = ctrace\nparallel = true\npatch = subprocess\n")
    environment = {
        **os.environ,
        "PYTHONPATH": str(root),
        "COVERAGE_FILE": str(file),
        "COVERAGE_RCFILE": str(settings),
    }
    plugin = ("-p", __name__)
    subprocess.run(
        [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", *plugin, "--numprocesses", "2", *folders],
        cwd=root,
        env=environment,
        check=True,
    )
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--quiet"], cwd=root, env=environment, check=True)
