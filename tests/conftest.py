"""Settings of all tests: representation checks are on. Hypothesis is reproducible and has no time limits.

The figures that tests report (tests/support/figures.py) are printed at the end, from all processes. Long modules run
first, so that no process works alone at the end of a run.

Failed tests of whole processes and of browsers are retried once, because other programs share the machine with them.
Other tests are not retried: a failure of a rule, an actor or a search counts at once. The failure of the first try is
printed at the end, because a race may be its cause, and players would meet the race, too.

A hanging test fails and shows where it hangs. An async test has a deadline. For a test with a mock clock or without
trio, pytest's `faulthandler_timeout` prints all stacks and ends the process.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Awaitable, Callable, Mapping

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, settings

from tests.support import HANG_S
from tests.support.figures import Figures, lines, report, reported

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


FIRST = ("search/vopr/test_vopr", "search/history", "system/browser", "search", "system/faults", "system/cli", "system")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first (pytest-xdist distributes whole modules), and mark the tests to retry.

    Every async test gets a deadline.
    """

    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((rank for rank, name in enumerate(FIRST) if f"/tests/{name}" in path), len(FIRST))

    items.sort(key=rank)
    for item in items:
        if "/tests/system/" in item.path.as_posix():
            item.add_marker(pytest.mark.flaky(reruns=1))
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = with_deadline(item.obj)


def with_deadline(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return the async test with a deadline.

    A test with a mock clock has no deadline: the clock would jump to it while tasks wait for a thread.
    """

    @functools.wraps(test)
    async def limited(**fixtures: object) -> None:
        is_mock = isinstance(trio.lowlevel.current_clock(), trio.testing.MockClock)
        with trio.fail_after(math.inf if is_mock else 2 * HANG_S):
            await test(**fixtures)

    return limited


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Collect the figures of a process of pytest-xdist that has ended, unless it crashed."""
    output: Mapping[str, Mapping[str, Figures]] = getattr(node, "workeroutput", {})
    for name, figures in output.get("figures", {}).items():
        report(name, figures)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Pass the figures of this process on, if it is a worker of pytest-xdist."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["figures"] = {name: dict(figures) for name, figures in reported().items()}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reported figures, and the failures of retried tests."""
    if reported():
        terminalreporter.section("figures")
    for name, figures in reported().items():
        terminalreporter.write_line(name)
        for line in lines(figures):
            terminalreporter.write_line(line)
    again = terminalreporter.stats.get("rerun", [])
    if again:
        terminalreporter.section("tried once more")
    for first in again:
        terminalreporter.write_line(f"{first.nodeid}\n{first.longreprtext}\n")
