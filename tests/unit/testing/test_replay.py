"""Replaying one schedule from its text.

Strategy: partitions and which test covers which

- the text: of a failure; empty, garbage, cut, extended, of a larger program
- the program: as it was, repaired in place
- the place: this process, another process with other hashes
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from scramble.testing import Deadlock, assert_finds, replay
from tests.unit.testing.programs import BUGS, Main, counter_with_a_lock, failure_of, lock_order, lost_update, steps

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("bug", BUGS)
def test_replay_raises_the_original_error_each_time(bug: Main) -> None:
    schedule = failure_of(bug).schedule
    for _ in range(3):
        with pytest.raises(BUGS[bug]) as caught:
            replay(bug, schedule)
        assert type(caught.value) is BUGS[bug]


def test_replay_in_another_process_raises_the_original_error() -> None:
    schedules = {bug.__name__: failure_of(bug).schedule for bug in BUGS}
    script = (
        "from scramble.testing import replay\n"
        "from tests.unit.testing import programs\n"
        f"for name, schedule in {schedules!r}.items():\n"
        "    try:\n"
        "        replay(getattr(programs, name), schedule)\n"
        "    except Exception as error:\n"
        "        print(name, type(error).__name__)\n"
    )
    environment = dict(os.environ, PYTHONHASHSEED="77")
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert run.stdout.splitlines() == [f"{bug.__name__} {error.__name__}" for bug, error in BUGS.items()]


def test_replay_of_a_repaired_program_returns() -> None:
    is_repaired = False

    async def main() -> None:
        order: list[int] = []

        async def run(number: int) -> None:
            order.append(number)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, 1)
            nursery.start_soon(run, 2)
        assert is_repaired or order == [1, 2]

    failure = assert_finds(main)
    is_repaired = True
    replay(main, failure.schedule)


@pytest.mark.parametrize("text", ["nonsense", "", " ", "1", "-1", "1:2:3", "{}", "\x00", "9" * 5000, "é"])
def test_a_text_that_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        replay(counter_with_a_lock, text)


@pytest.mark.parametrize("change", ["x", ",", " 1", "\n", "~"])
def test_a_schedule_with_something_behind_it_is_refused(change: str) -> None:
    schedule = failure_of(lock_order).schedule
    with pytest.raises((ValueError, Deadlock)) as caught:
        replay(lock_order, schedule + change)
    assert isinstance(caught.value, ValueError) or not change.strip()


def test_a_schedule_of_another_program_is_refused() -> None:
    async def short() -> None:
        await steps(1)

    schedule = failure_of(lost_update).schedule
    with pytest.raises(ValueError, match=r"\S"):
        replay(short, schedule)
