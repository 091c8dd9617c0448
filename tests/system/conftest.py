"""A second try for tests of whole processes and of browsers, which share the machine with whatever else runs on it.

Only these: a failure of a rule, an actor or a search is found once and counts. What the first try said is printed at
the end all the same, for it may be a race that somebody will meet.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each test in this folder be tried once more."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why tests were tried once more."""
    reports = terminalreporter.stats.get("rerun", [])
    if reports:
        terminalreporter.section("tried once more")
    for report in reports:
        terminalreporter.write_line(f"{report.nodeid}\n{report.longreprtext}\n")
