"""Deadlocks: no task can run, and no deadline will wake one.

Strategy: partitions and which test covers which

- the cycle: two locks, a channel that nobody closes, an event that nobody sets, main alone, in nursery.start
- the report: names of the tasks, parents before children, the line of each waiting task in the user's code
- the obstacles: a shield, `except Exception`, `except BaseException`, a scope that catches the cancellation
- the clean-up: runs `finally` blocks, which may sleep, fail, or block again
- no deadlock: sleeping tasks, blocked system tasks beside a running main, a wait for all tasks to be blocked
"""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.testing import Deadlock, ScheduleFailed, assert_finds, explore, replay
from tests.unit.testing.programs import Main, lock_order, steps


def line_of(mark: str) -> int:
    """Return the number of the line of this file with the comment `# MARK`."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"  # {mark}")]
    return number


def deadlock_of(main: Main) -> str:
    failure = assert_finds(main)
    assert type(failure.__cause__) is Deadlock
    with pytest.raises(Deadlock):
        replay(main, failure.schedule)
    return str(failure.__cause__)


def test_a_deadlock_shows_the_tree_of_tasks_with_their_lines() -> None:
    async def leaf() -> None:
        await trio.sleep_forever()  # leaf waits

    async def branch() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(leaf, name="green leaf")
            await trio.Event().wait()  # branch waits

    async def root() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(branch)
            nursery.start_soon(leaf, name="dry leaf")
            await trio.Event().wait()  # root waits

    text = deadlock_of(root)
    assert text.index("root") < text.index("branch") < text.index("green leaf")
    assert text.index("root") < text.index("dry leaf")
    assert "test_deadlock.py" in text
    for mark in ("leaf waits", "branch waits", "root waits"):
        assert str(line_of(mark)) in text
    assert "_parking_lot" not in text
    assert "site-packages/trio" not in text


def test_a_task_that_waits_for_its_children_is_shown_where_it_waits() -> None:
    async def child() -> None:
        await trio.sleep_forever()  # child waits

    async def main() -> None:
        async with trio.open_nursery() as nursery:  # main waits for its child
            nursery.start_soon(child)

    text = deadlock_of(main)
    assert str(line_of("child waits")) in text
    assert str(line_of("main waits for its child")) in text


def test_a_helper_is_shown_that_waits_for_its_caller() -> None:
    async def helper() -> None:
        await trio.sleep_forever()  # helper waits

    async def main() -> None:
        await helper()  # main calls

    assert str(line_of("helper waits")) in deadlock_of(main)


def test_locks_in_opposite_order_deadlock_in_some_schedule() -> None:
    text = deadlock_of(lock_order)
    assert "programs.py" in text


async def behind_a_shield() -> None:
    with trio.CancelScope(shield=True):
        await trio.sleep_forever()


async def shield_in_a_task() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(behind_a_shield)


async def behind_except_exception() -> None:
    try:
        await trio.sleep_forever()
    except Exception:
        return


async def nursery_behind_except_exception() -> None:
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
    except Exception:
        return


async def behind_except_base_exception() -> None:
    try:
        await trio.sleep_forever()
    except BaseException:
        return


async def finally_that_fails() -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise KeyError("cleaning up failed")


async def finally_that_blocks_again() -> None:
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.sleep_forever()


async def three_shields_in_a_row() -> None:
    for _ in range(3):
        with trio.CancelScope(shield=True):
            await trio.sleep_forever()


async def receive_from_nobody() -> None:
    send, receive = trio.open_memory_channel[int](0)
    async with send, receive:
        await receive.receive()


async def start_that_never_reports() -> None:
    async def serve(task_status: trio.TaskStatus[None]) -> None:
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        await nursery.start(serve)


async def scope_that_catches_the_cancellation() -> None:
    with trio.CancelScope() as scope:
        try:
            await trio.sleep_forever()
        finally:
            scope.cancel()
    assert not scope.cancelled_caught or trio.current_effective_deadline() == float("-inf")


@pytest.mark.parametrize(
    "main",
    [
        behind_a_shield,
        shield_in_a_task,
        behind_except_exception,
        nursery_behind_except_exception,
        behind_except_base_exception,
        finally_that_fails,
        finally_that_blocks_again,
        three_shields_in_a_row,
        receive_from_nobody,
        start_that_never_reports,
        scope_that_catches_the_cancellation,
    ],
)
def test_a_deadlock_is_reported_in_spite_of(main: Main) -> None:
    assert main.__name__ in deadlock_of(main)


def test_finally_blocks_run_and_may_sleep() -> None:
    ended: list[str] = []

    async def child() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(100)
                ended.append("child")

    async def main() -> None:
        ended.clear()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(child)
        finally:
            ended.append("main")

    deadlock_of(main)
    assert ended == ["child", "main"]


def test_a_blocked_system_task_does_not_hide_a_deadlock() -> None:
    async def main() -> None:
        trio.lowlevel.spawn_system_task(trio.sleep_forever)
        await steps(2)
        await trio.sleep_forever()

    deadlock_of(main)


def test_a_sleeping_task_in_the_background_does_not_make_a_deadlock() -> None:
    async def main() -> None:
        event = trio.Event()

        async def wake() -> None:
            await trio.sleep(3600)
            event.set()

        trio.lowlevel.spawn_system_task(trio.sleep_forever)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wake)
            nursery.start_soon(event.wait)
            await wait_all_tasks_blocked()
            assert not event.is_set()

    assert explore(main, schedules=30).schedules == 30


def test_a_deadlock_can_be_rare() -> None:
    async def main() -> None:
        event = trio.Event()

        async def set_and_replace() -> None:
            nonlocal event
            await steps(4)
            event.set()
            event = trio.Event()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(set_and_replace)
            await steps(2)
            await event.wait()

    with pytest.raises(ScheduleFailed) as caught:
        explore(main)
    assert isinstance(caught.value.__cause__, Deadlock)
    assert 1 <= caught.value.deviations <= 4
