"""The timeline of a failure.

Strategy: partitions and which test covers which

- the steps: the first one, names of tasks, files and lines where a step begins and ends, a deviation, a cancellation
- the tasks: named after their function, named by the program, started by `start`, in nested nurseries
- the length: a small program, a long program
"""

from __future__ import annotations

from pathlib import Path

import trio
from trio.lowlevel import checkpoint

from scramble.testing import assert_finds, cancellable
from tests.unit.testing.programs import failure_of, lost_update, steps


def line_of(mark: str) -> int:
    """Return the number of the line of this file with the comment `# MARK`."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"  # {mark}")]
    return number


async def race() -> None:
    order: list[str] = []

    async def reader() -> None:
        await checkpoint()  # reader pauses
        order.append("reader")

    async def writer() -> None:
        await checkpoint()  # writer pauses
        order.append("writer")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader)
        nursery.start_soon(writer, name="the writer of records")
    assert order == ["reader", "writer"]


def test_the_timeline_names_tasks_and_lines() -> None:
    failure = assert_finds(race)
    assert "reader" in failure.timeline
    assert "the writer of records" in failure.timeline
    assert "test_timeline.py" in failure.timeline
    assert str(line_of("reader pauses")) in failure.timeline
    assert str(line_of("writer pauses")) in failure.timeline


def test_the_first_step_of_main_begins_at_its_beginning() -> None:
    async def main() -> None:
        raise KeyError

    assert "main  its beginning -> its end" in assert_finds(main).timeline


def test_the_timeline_shows_the_deviations() -> None:
    failure = assert_finds(race)
    assert failure.deviations == 1
    later = [line for line in failure.timeline.splitlines() if "the writer" in line and "reader" in line]
    assert later, failure.timeline


def test_the_timeline_shows_a_cancellation() -> None:
    async def main() -> None:
        with cancellable() as scope:
            await checkpoint()
        assert not scope.cancelled_caught

    failure = assert_finds(main)
    assert "cancel" in failure.timeline
    assert "main" in failure.timeline


def test_the_timeline_is_part_of_the_message() -> None:
    failure = failure_of(lost_update)
    assert failure.timeline.splitlines()[-1].strip() in str(failure)


def test_the_timeline_names_tasks_started_by_start() -> None:
    async def server(task_status: trio.TaskStatus[None]) -> None:
        await checkpoint()
        task_status.started()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(server)
        raise KeyError

    assert "server" in assert_finds(main).timeline


def test_the_timeline_of_a_long_program_stays_readable() -> None:
    async def main() -> None:
        order: list[str] = []

        async def run(name: str) -> None:
            await steps(500)
            order.append(name)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, "a")
            nursery.start_soon(run, "b")
        assert order == ["a", "b"]

    failure = assert_finds(main)
    assert failure.deviations == 1
    assert len(str(failure).splitlines()) < 300
