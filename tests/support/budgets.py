"""The time of each part of `make test` beside its budget. No test result depends on it.

    spent = Spent()
    spent.add("tests/unit/kernel/test_actor.py::test_1", 0.2)    # each phase of each test: set-up, call, tear-down
    print(*spent.lines(processes=2, budgets="unit=40"))          # "unit  0 s of 40 s, 1 test"

The Makefile has the budgets, for two quiet processors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

FOLDERS: Final = {
    "tests/unit/": "unit",
    "tests/system/browser/": "browsers",
    "tests/system/conform/": "conform",
    "tests/system/": "system",
    "tests/search/": "searches",
}
"""The parts by the first folder that fits."""


class Spent:
    """The seconds and tests of each part so far."""

    def __init__(self, lint_s: str = "") -> None:
        """Begin with the seconds that lint and types took; "" if they did not run."""
        self._seconds: Final = defaultdict[str, float](float)
        self._tests: Final[dict[str, set[str]]] = {}
        self._lint_s: Final = lint_s

    def add(self, test: str, seconds: float) -> None:
        """Add a phase of a test. `test`: its ID, a path from the project's folder."""
        part = next((part for folder, part in FOLDERS.items() if test.startswith(folder)), "other")
        self._seconds[part] += seconds
        self._tests.setdefault(part, set()).add(test)

    def lines(self, processes: int, budgets: str) -> Iterator[str]:
        """Yield a line for each part: its seconds, shared by `processes` test processes.

        `budgets`: seconds by part, as in "unit=40 searches=35".
        """
        allowed = dict(one.split("=") for one in budgets.split())

        def line(part: str, seconds: str, tests: str = "") -> str:
            budget = f" of {allowed[part]} s" if part in allowed else ""
            return f"{part:<9} {seconds:>4} s{budget}{tests}"

        if self._lint_s:
            yield line("lint", self._lint_s)
        for part in dict.fromkeys((*FOLDERS.values(), *self._seconds)):
            if part in self._seconds:
                count = len(self._tests[part])
                tests = f", {count:,} {'test' if count == 1 else 'tests'}"
                yield line(part, f"{self._seconds[part] / processes:.0f}", tests)
