"""Settings of all tests: representation checks are on. Hypothesis is reproducible and has no time limits.

The figures that tests report (tests/support/figures.py) are printed at the end, from all processes. Long modules run
first, so that no process works alone at the end of a run.

A failure counts at once. Only if the variable SECOND_TRIES names a file, as in .ci/run, a failed test of whole
processes or of browsers runs once more, because other programs share that machine. The file then gets the name of the
test and its first failure: a race may be its cause, and players would meet the race, too.

At the end the time of each part is printed beside its budget (tests/support/budgets.py).

A hanging test fails and shows where it hangs. An async test has a limit for each of its waits, and for all its waits
together. So it needs no limits of its own, except for waits of its other tasks. A test without trio waits by functions
with limits (tests/support). Otherwise, and with a mock clock, pytest's `faulthandler_timeout` prints all stacks and
ends the process.
"""

from __future__ import annotations

import functools
import gc
import inspect
import itertools
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

import httpx
import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, settings

from tests.support import HANG_S, TEST_S
from tests.support.budgets import Spent
from tests.support.figures import Figures, lines, report, reported

# Each HTTP client would read the certificates of all authorities: 20 ms of processor time. Here all clients share them.
pytest.MonkeyPatch().setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))

settings.register_profile(
    "ci", deadline=None, max_examples=50, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


SECOND_TRIES = os.environ.get("SECOND_TRIES", "")

FIRST = (
    "search/vopr/test_vopr",
    "search/history",
    "system/browser",
    "search",
    "system/conform",
    "system/faults",
    "system/cli",
    "system",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first (pytest-xdist distributes whole modules), and mark the tests to retry.

    Every async test gets its limits.
    """

    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((rank for rank, name in enumerate(FIRST) if f"/tests/{name}" in path), len(FIRST))

    items.sort(key=rank)
    for item in items:
        if SECOND_TRIES and "/tests/system/" in item.path.as_posix():
            item.add_marker(pytest.mark.flaky(reruns=1))
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = with_limits(item.obj)


def pytest_collection_finish() -> None:
    """Exempt tests and modules from garbage collection: they live to the end, and each full collection reads them."""
    gc.freeze()


class RenewedLimit(trio.abc.Instrument):
    """Moves the deadline of a scope when its task begins to wait. So the scope limits each wait, not their sum."""

    def __init__(self, scope: trio.CancelScope, task: trio.lowlevel.Task) -> None:
        self._scope: Final = scope
        self._task: Final = task

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if task is self._task:
            self._scope.deadline = trio.current_time() + HANG_S


def with_limits(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return the async test with its limits: `HANG_S` for each wait of its own task, and `TEST_S` for all together.

    A loop that polls has many short waits, so only `TEST_S` limits it. A test with a mock clock has no limits: the
    clock would jump to them while tasks wait for a thread.
    """

    @functools.wraps(test)
    async def limited(**fixtures: object) -> None:
        if isinstance(trio.lowlevel.current_clock(), trio.testing.MockClock):
            await test(**fixtures)
            return
        with trio.fail_after(TEST_S), trio.fail_after(HANG_S) as waiting:
            trio.lowlevel.add_instrument(RenewedLimit(waiting, trio.lowlevel.current_task()))
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
    """Print the reported figures and the times. Write the first failures of retried tests to their file."""
    if reported():
        terminalreporter.section("figures")
    for name, figures in reported().items():
        terminalreporter.write_line(name)
        for line in lines(figures):
            terminalreporter.write_line(line)
    spent = Spent(os.environ.get("LINT_S", ""))
    for phase in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(phase, pytest.TestReport):
            spent.add(phase.nodeid, phase.duration)
    terminalreporter.section("time")
    processes = terminalreporter.config.getoption("numprocesses", None) or 1
    for line in spent.lines(processes, os.environ.get("BUDGETS", "")):
        terminalreporter.write_line(line)
    first_tries = terminalreporter.stats.get("rerun", [])
    if first_tries:
        with Path(SECOND_TRIES).open("a") as file:
            file.writelines(f"{first.nodeid}\n{first.longreprtext}\n\n" for first in first_tries)
