"""The virtual clock, the limit of steps, and fairness to tasks that poll.

Strategy: partitions and which test covers which

- time: sleep, sleep_until, move_on_after, fail_after, a far deadline, no deadline, an order of sleeping tasks
- wait_all_tasks_blocked: other tasks run, sleep, wait; with and without a cushion; two waiters
- steps: below the limit, above the limit, an endless program; a limit that is met by a sleeping program
- polling tasks: one, several, with checkpoint, with sleep(0); all strategies
"""

from __future__ import annotations

import itertools
import time

import pytest
import trio
from trio.lowlevel import checkpoint
from trio.testing import wait_all_tasks_blocked

from scramble.testing import StepLimit, assert_finds, explore, replay
from scramble.testing.explore import StrategyName
from tests.unit.testing.programs import steps

YEAR_S = 365 * 86400


def test_sleeping_takes_no_time_and_moves_the_clock() -> None:
    async def main() -> None:
        began = trio.current_time()
        await trio.sleep(YEAR_S)
        assert trio.current_time() == pytest.approx(began + YEAR_S)
        await trio.sleep_until(began + 2 * YEAR_S)
        assert trio.current_time() == pytest.approx(began + 2 * YEAR_S)

    began = time.monotonic()
    explore(main, schedules=5)
    assert time.monotonic() - began < 60


def test_the_clock_stands_still_while_a_task_can_run() -> None:
    async def main() -> None:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 1)
            await steps(20)
            assert trio.current_time() == began

    explore(main, schedules=20)


def test_sleeping_tasks_wake_in_the_order_of_their_deadlines() -> None:
    async def main() -> None:
        order: list[int] = []

        async def wait(seconds: int) -> None:
            await trio.sleep(seconds)
            order.append(seconds)

        async with trio.open_nursery() as nursery:
            for seconds in (3, 1, 2):
                nursery.start_soon(wait, seconds)
        assert order == [1, 2, 3]

    explore(main, schedules=50)
    explore(main, strategy="exhaustive", deviations=1)


def test_move_on_after_ends_a_wait() -> None:
    async def main() -> None:
        began = trio.current_time()
        with trio.move_on_after(5) as scope:
            await trio.sleep_forever()
        assert scope.cancelled_caught
        assert trio.current_time() == pytest.approx(began + 5)

    explore(main, schedules=5)


def test_fail_after_is_a_failure_like_others() -> None:
    async def main() -> None:
        with trio.fail_after(5):
            await trio.Event().wait()

    assert isinstance(assert_finds(main).__cause__, trio.TooSlowError)


def test_a_deadline_in_the_past_cancels_at_once() -> None:
    async def main() -> None:
        with trio.move_on_at(trio.current_time() - 1) as scope:
            await checkpoint()
        assert scope.cancelled_caught

    explore(main, schedules=5)


@pytest.mark.parametrize("cushion", [0.0, 0.01])
@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_all_tasks_are_blocked_after_the_wait_for_it(cushion: float, strategy: StrategyName) -> None:
    async def main() -> None:
        finished: list[str] = []

        async def work(name: str, event: trio.Event) -> None:
            await steps(5)
            finished.append(name)
            await event.wait()

        event = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work, "a", event)
            nursery.start_soon(work, "b", event)
            await wait_all_tasks_blocked(cushion)
            assert sorted(finished) == ["a", "b"]
            event.set()

    explore(main, schedules=40, strategy=strategy)


def test_the_wait_for_all_tasks_to_be_blocked_ends_before_the_clock_jumps() -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 10)
            began = trio.current_time()
            await wait_all_tasks_blocked()
            assert trio.current_time() == began

    explore(main, schedules=20)


def test_a_wait_with_a_cushion_ends_later_than_one_without() -> None:
    async def main() -> None:
        order: list[float] = []

        async def wait(cushion: float) -> None:
            await wait_all_tasks_blocked(cushion)
            order.append(cushion)

        async with trio.open_nursery() as nursery:
            for cushion in (0.2, 0.0, 0.1):
                nursery.start_soon(wait, cushion)
        assert order == [0.0, 0.1, 0.2]

    explore(main, schedules=30)


def test_a_cushion_is_longer_than_short_sleeps() -> None:
    async def main() -> None:
        wakings = 0

        async def work() -> None:
            nonlocal wakings
            for _ in range(5):
                await trio.sleep(0.01)
                wakings += 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(work)
            await wait_all_tasks_blocked(0.1)
            assert wakings == 5

    explore(main, schedules=20)


@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_an_endless_program_meets_the_step_limit(strategy: StrategyName) -> None:
    async def main() -> None:
        while True:
            await checkpoint()

    failure = assert_finds(main, max_steps=200, strategy=strategy)
    assert type(failure.__cause__) is StepLimit
    assert "200" in str(failure.__cause__)
    assert len(failure.schedule) < 200


def test_an_endless_program_of_sleeping_tasks_meets_the_step_limit() -> None:
    async def tick() -> None:
        for second in itertools.count():
            await trio.sleep_until(second)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tick)
            nursery.start_soon(tick)

    assert type(assert_finds(main, max_steps=300).__cause__) is StepLimit


def test_a_program_that_catches_everything_meets_the_step_limit() -> None:
    async def main() -> None:
        while True:
            try:
                await checkpoint()
            except BaseException:
                await checkpoint()
                return

    assert type(assert_finds(main, max_steps=100).__cause__) is StepLimit


def test_a_program_below_the_step_limit_passes() -> None:
    async def main() -> None:
        await steps(50)

    explore(main, schedules=3, max_steps=100)


def test_the_step_limit_is_met_again_in_a_replay() -> None:
    async def main() -> None:
        order: list[str] = []

        async def note(name: str) -> None:
            order.append(name)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(note, "a")
            nursery.start_soon(note, "b")
        while order == ["b", "a"]:
            await checkpoint()

    failure = assert_finds(main, max_steps=100)
    assert failure.deviations == 1
    with pytest.raises(StepLimit):
        replay(main, failure.schedule, max_steps=100)


@pytest.mark.parametrize("strategy", ["pct", "random"])
@pytest.mark.parametrize("pollers", [1, 3])
@pytest.mark.parametrize("is_sleeping", [False, True])
def test_polling_tasks_do_not_starve_others(strategy: StrategyName, pollers: int, is_sleeping: bool) -> None:
    async def main() -> None:
        is_done = False

        async def poll() -> None:
            while not is_done:
                if is_sleeping:
                    await trio.sleep_until(0)
                else:
                    await checkpoint()

        async def work() -> None:
            nonlocal is_done
            await steps(10)
            is_done = True

        async with trio.open_nursery() as nursery:
            for _ in range(pollers):
                nursery.start_soon(poll)
            nursery.start_soon(work)

    explore(main, schedules=25, max_steps=5000, strategy=strategy)


def test_a_bug_beside_a_polling_task_is_found() -> None:
    async def main() -> None:
        order: list[str] = []

        async def work(name: str, late: int) -> None:
            await steps(late)
            order.append(name)

        async def poll() -> None:
            while len(order) < 2:
                await checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(poll)
            nursery.start_soon(work, "early", 1)
            nursery.start_soon(work, "late", 4)
        assert order == ["early", "late"]

    failure = assert_finds(main, max_steps=5000)
    assert failure.deviations <= 4
    with pytest.raises(AssertionError):
        replay(main, failure.schedule)
