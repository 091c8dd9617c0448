"""Settings of all tests: representation checks are on, and Hypothesis is reproducible and never judges by the clock.

And what tests have reported of what they went through (tests/support/figures.py) is printed at the end, whichever
process they ran in. Long modules run first: at the end of a run no process should work on alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

import pytest
from hypothesis import HealthCheck, settings

from tests.support.figures import Figures, lines, report, reported

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


FIRST = ("search/vopr/test_vopr", "search/history", "system/browser", "search", "system/faults", "system/cli", "system")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what takes longest. Modules stay whole: pytest-xdist hands out whole ones."""

    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((rank for rank, name in enumerate(FIRST) if f"/tests/{name}" in path), len(FIRST))

    items.sort(key=rank)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Take in the figures of a process of pytest-xdist that has ended, unless it ended in a crash."""
    output: Mapping[str, Mapping[str, Figures]] = getattr(node, "workeroutput", {})
    for name, figures in output.get("figures", {}).items():
        report(name, figures)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over the figures of this process, if it was handed tests."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["figures"] = {name: dict(figures) for name, figures in reported().items()}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that were reported."""
    if reported():
        terminalreporter.section("figures")
    for name, figures in reported().items():
        terminalreporter.write_line(name)
        for line in lines(figures):
            terminalreporter.write_line(line)
