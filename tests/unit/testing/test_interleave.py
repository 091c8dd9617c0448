"""`@interleave` turns an async test into a test under many schedules.

The decorated tests of this module run under pytest-trio with `trio_mode`. One process runs tests without pytest-trio.

Strategy: partitions and which test covers which
- the test is: a function; a method of a class; with fixtures; with parameters; not async
- it is: alone; below `@given`; run with a schedule in SCRAMBLE_SCHEDULE, which fits, does not fit, or is no schedule
- it: succeeds; fails; is skipped; is an example that Hypothesis rejects
- options: possible; impossible
- the process has: pytest-trio; no pytest-trio
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from scramble.testing import ScheduleFailed, interleave, replay

runs: list[object] = []
"""The runs of the test that runs now."""


@pytest.fixture(autouse=True)
def _no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs.clear()
    monkeypatch.delenv("SCRAMBLE_SCHEDULE", raising=False)


@pytest.fixture
def ten() -> int:
    return 10


async def race() -> None:
    """Fail if the second task runs before the first one, which is not first in, first out."""
    order: list[int] = []

    async def note(number: int) -> None:
        await trio.lowlevel.checkpoint()
        order.append(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(note, 1)
        await trio.lowlevel.checkpoint()
        nursery.start_soon(note, 2)
    assert order == [1, 2]


# Decorated tests that pytest runs


@interleave(schedules=5)
async def test_a_decorated_function_is_a_test() -> None:
    await trio.sleep(3600)


@pytest.mark.parametrize("factor", [2, 3])
@interleave(schedules=5)
async def test_fixtures_and_parameters_arrive(ten: int, factor: int, tmp_path: Path) -> None:
    assert ten * factor in (20, 30)
    assert tmp_path.name


class TestMethods:
    name = "methods"

    @interleave(schedules=5)
    async def test_a_decorated_method_is_a_test(self, ten: int) -> None:
        assert self.name == "methods"
        assert ten == 10

    @settings(max_examples=5)
    @given(number=st.integers())
    @interleave()
    async def test_a_decorated_method_has_examples(self, number: int) -> None:
        assert self.name == "methods"
        assert isinstance(number, int)


@settings(max_examples=10)
@given(number=st.integers(0, 3))
@interleave()
async def test_an_example_is_rejected(number: int) -> None:
    async with trio.open_nursery() as nursery:

        async def reject() -> None:
            assume(number > 0)

        nursery.start_soon(reject)
    assert number > 0


# Alone


def test_a_test_runs_under_as_many_schedules_as_asked() -> None:
    @interleave(schedules=7)
    async def passes() -> None:
        runs.append("run")
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(trio.lowlevel.checkpoint)

    passes()
    assert len(runs) >= 7
    assert passes.__name__ == "passes"
    assert not inspect.iscoroutinefunction(passes)


def test_a_failure_is_printed_with_a_schedule_that_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    test = interleave(schedules=200)(race)
    with pytest.raises(ScheduleFailed) as caught:
        test()
    assert f"SCRAMBLE_SCHEDULE={caught.value.schedule}" in str(caught.value).splitlines()
    with pytest.raises(AssertionError):
        replay(race, caught.value.schedule)

    counted: list[int] = []

    @interleave(schedules=200)
    async def counts() -> None:
        counted.append(1)
        await race()

    with pytest.raises(ScheduleFailed) as caught:
        counts()
    counted.clear()
    monkeypatch.setenv("SCRAMBLE_SCHEDULE", caught.value.schedule)
    with pytest.raises(AssertionError):
        counts()
    assert len(counted) <= 2  # a failed run is repeated


def test_a_schedule_of_a_passing_test_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ScheduleFailed) as caught:
        interleave(schedules=200)(race)()

    @interleave(schedules=200)
    async def mended() -> None:
        runs.append("run")
        try:
            await race()
        except AssertionError:
            runs.append("was wrong")

    monkeypatch.setenv("SCRAMBLE_SCHEDULE", caught.value.schedule)
    mended()
    assert runs == ["run", "was wrong"]


@pytest.mark.parametrize("text", ["nonsense", "0", "-1", "9999"])
def test_a_text_that_is_no_schedule_is_a_value_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @interleave()
    async def passes() -> None:
        pass

    monkeypatch.setenv("SCRAMBLE_SCHEDULE", text)
    with pytest.raises(ValueError, match=r"."):
        passes()


def test_a_schedule_of_another_test_is_a_value_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ScheduleFailed) as caught:
        interleave(schedules=200)(race)()

    @interleave()
    async def short() -> None:
        await trio.lowlevel.checkpoint()

    monkeypatch.setenv("SCRAMBLE_SCHEDULE", caught.value.schedule)
    with pytest.raises(ValueError, match="does not fit"):
        short()

    @interleave()
    async def fails() -> None:
        raise KeyError

    with pytest.raises(ValueError, match="does not fit"):
        fails()


def test_a_skipped_test_is_skipped_at_once() -> None:
    @interleave()
    async def skips() -> None:
        runs.append("run")

        async def skip() -> None:
            if runs:
                pytest.skip("no such thing here")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(skip)

    with pytest.raises(pytest.skip.Exception, match="no such thing here"):
        skips()
    assert len(runs) == 1


def test_pytest_fail_is_a_failure() -> None:
    @interleave(schedules=3)
    async def fails() -> None:
        pytest.fail("on purpose")

    with pytest.raises((ScheduleFailed, pytest.fail.Exception)) as caught:
        fails()
    assert "on purpose" in str(caught.value) or "on purpose" in str(caught.value.__cause__)


@pytest.mark.parametrize("function", [lambda: None, int, pytest], ids=["function", "class", "module"])
def test_a_function_that_is_not_async_is_a_type_error(function: Callable[[], Awaitable[object]]) -> None:
    with pytest.raises(TypeError, match="async"):
        interleave()(function)


@pytest.mark.parametrize(
    "options",
    [{"schedules": 0}, {"schedules": -1}, {"strategy": "best"}, {"depth": 0}, {"deviations": -1}, {"max_steps": 0}],
    ids=str,
)
def test_an_impossible_option_is_a_value_error(options: dict[str, int]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=name):
        interleave(**options)  # type: ignore[arg-type]


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        interleave(speed=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_each_strategy_finds_the_race(strategy: str) -> None:
    with pytest.raises(ScheduleFailed):
        interleave(strategy=strategy)(race)()  # type: ignore[arg-type]


# Below Hypothesis


def failure(test: Callable[[], None]) -> tuple[BaseException, str]:
    """Run a failing test; return its error, and the error's text with Hypothesis's notes."""
    with pytest.raises(ScheduleFailed) as caught:
        test()
    return caught.value, "\n".join((str(caught.value), *getattr(caught.value, "__notes__", ())))


quiet = settings(database=None, derandomize=True, max_examples=200, phases=[Phase.generate, Phase.shrink])


def test_each_example_runs_under_one_schedule() -> None:
    @settings(quiet, max_examples=20)
    @given(number=st.integers())
    @interleave(schedules=1000)
    async def passes(number: int) -> None:
        runs.append(number)
        await trio.lowlevel.checkpoint()

    passes()
    assert 1 <= len(runs) <= 60


def test_hypothesis_shrinks_the_example_and_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    @quiet
    @given(size=st.integers(0, 1000))
    @interleave()
    async def fails(size: int) -> None:
        runs.append(size)
        if size >= 17:
            await race()

    error, text = failure(fails)
    assert isinstance(error, ScheduleFailed)
    assert error.deviations == 1
    assert "size=17" in text
    (line,) = {*re.findall(r"^SCRAMBLE_SCHEDULE=(\S+)$", text, re.MULTILINE)}
    assert line == error.schedule

    runs.clear()
    monkeypatch.setenv("SCRAMBLE_SCHEDULE", line)
    with pytest.raises(AssertionError):
        fails()
    assert runs[-1] == 17


def test_an_error_of_every_schedule_has_no_deviation() -> None:
    @quiet
    @given(number=st.integers(0, 100))
    @interleave()
    async def fails(number: int) -> None:
        await trio.lowlevel.checkpoint()
        assert number < 5

    error, text = failure(fails)
    assert isinstance(error, ScheduleFailed)
    assert error.deviations == 0
    assert "number=5" in text


# Processes

MODULE = """
import pytest, trio
from hypothesis import Phase, given, settings, strategies as st
from scramble.testing import interleave


@pytest.fixture
def ten():
    return 10


@pytest.mark.parametrize("factor", [2, 3])
@interleave(schedules=5)
async def test_passes(ten, factor):
    await trio.sleep(1)


@interleave(schedules=5)
async def test_skips():
    pytest.skip("not here")


class TestRace:
    @interleave(schedules=100)
    async def test_alone(self, ten):
        order = []

        async def note(number):
            await trio.lowlevel.checkpoint()
            order.append(number)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(note, 1)
            await trio.lowlevel.checkpoint()
            nursery.start_soon(note, 2)
        assert order == [1, 2]


# Hypothesis's explanation of a failure would take longer than all other tests of this folder together.
@settings(derandomize=True, database=None, max_examples=20, phases=[Phase.generate, Phase.shrink])
@given(number=st.integers(0, 100))
@interleave()
async def test_examples(number):
    await trio.lowlevel.checkpoint()
    assert number < 5
"""


def run_pytest(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", *arguments]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return done.stdout + done.stderr


def test_pytest_without_pytest_trio_runs_decorated_tests(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(MODULE)
    output = run_pytest(tmp_path, "-p", "no:trio")
    assert "2 failed, 2 passed, 1 skipped" in output, output
    assert "number=5" in output

    alone = output[output.index("test_alone") :]
    assert re.search(r"SCRAMBLE_SCHEDULE=(?!fifo)\S+", alone)
