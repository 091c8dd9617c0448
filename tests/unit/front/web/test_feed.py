"""Followers of one feed, a log of numbers. Sockets have small buffers, or links have no outlet. No server runs.

Partitions:
- followers: one, several; a follower that comes, leaves, comes back; a follower that leaves during a send
- a socket: takes the whole frame, a part of it, nothing; is busy with another send, is closed; there is no outlet
- frames: one, several at once; without followers; a frame that each follower must fetch by itself; a snapshot
- a close: after the last frame, of all connections, of one; the connection has a task, has no task
- encoding fails: for all followers, for a newcomer
- in every order of steps, each connection gets each frame once and in order
"""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameMoved, GameStopped
from scramble.front.web.feed import NEW, Feed, Follower, encoded
from scramble.kernel.changes import Changes, History
from scramble.server.http.closing import BUG, FAILED_CLOSE, GOING_AWAY, MOVED, CloseReason
from scramble.server.http.direct_write import Outlet, write_to_all
from tests.support.lines import Line
from tests.support.links import TestLink

FRAME_CHARACTERS = 1000
WHOLE = -1  # a number that each follower must get by a snapshot
BAD = -2  # a number that cannot be encoded
CLOSED = CloseReason(4403, "because")


class Log(Feed):
    """A feed of numbers. A newcomer gets only the numbers after its arrival."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []
        self.encodings = 0
        self.stopped: GameStopped | None = None
        self.is_bad = False

    @property
    def end(self) -> int:
        return len(self.numbers)

    def encode(self, number: int) -> str:
        self.encodings += 1
        if number == BAD:
            raise ZeroDivisionError
        return f"{number:0{FRAME_CHARACTERS}}"

    def take(self, follower: Follower) -> Sequence[str] | None:
        if self.is_bad:
            raise ZeroDivisionError
        if follower.position == NEW:
            follower.position = self.end
        if follower.position == self.end:
            return ()
        number = self.numbers[follower.position]
        if number == WHOLE:
            return None
        follower.position += 1
        return (self.encode(number),)

    async def snapshot(self, follower: Follower) -> Sequence[str]:
        await trio.lowlevel.checkpoint()
        if self.stopped is not None:
            raise self.stopped
        follower.position = self.end
        return (f"whole {self.end}",)

    def write(self, first: int) -> Collection[Outlet]:
        numbers = self.numbers[first:]
        if WHOLE in numbers:
            return list(self._ready)
        return write_to_all(self._ready, encoded(map(self.encode, numbers)))

    def publish(self, *numbers: int) -> None:
        self.numbers += numbers
        self.tell()


def numbers_of(line: Line) -> list[int]:
    return [int(frame) for frame in line.read() if not frame.startswith("whole")]


class World:
    """A log, and lines that follow it."""

    def __init__(self, nursery: trio.Nursery, stack: ExitStack) -> None:
        self.log = Log()
        self.nursery = nursery
        self.stack = stack

    def line(self) -> Line:
        line = Line(self.nursery)
        self.stack.callback(line.close)
        return line

    def following(self, count: int) -> list[Line]:
        lines = [self.line() for _ in range(count)]
        for line in lines:
            self.stack.callback(self.log.follow(line))
        return lines


@asynccontextmanager
async def open_world() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        with ExitStack() as stack:
            yield World(nursery, stack)
        nursery.cancel_scope.cancel()


class Started(trio.abc.Instrument):
    """The tasks that ran, except the test's own task."""

    def __init__(self) -> None:
        self.tasks: set[trio.lowlevel.Task] = set()
        self._own = trio.lowlevel.current_task()

    def task_scheduled(self, task: trio.lowlevel.Task) -> None:
        if task is not self._own:
            self.tasks.add(task)


@contextmanager
def started() -> Iterator[Started]:
    """The tasks that run during the block."""
    seen = Started()
    trio.lowlevel.add_instrument(seen)
    yield seen
    trio.lowlevel.remove_instrument(seen)


# --- up to date ---


async def test_a_frame_is_encoded_once_and_written_to_all_at_once_without_a_task() -> None:
    async with open_world() as world:
        with started() as seen:
            lines = world.following(5)
            for number in range(3):
                world.log.publish(number)
                assert [numbers_of(line)[-1] for line in lines] == [number] * 5
            await wait_all_tasks_blocked()
        assert seen.tasks == set()
        assert [numbers_of(line) for line in lines] == [[0, 1, 2]] * 5
        assert world.log.encodings == 3


async def test_frames_that_are_published_at_once_are_written_at_once_and_who_comes_later_gets_later_ones() -> None:
    async with open_world() as world:
        (first,) = world.following(1)
        world.log.publish(1, 2)
        (second,) = world.following(1)
        world.log.publish(3)
        assert (numbers_of(first), numbers_of(second)) == ([1, 2, 3], [3])
        assert (world.log.connections, str(world.log)) == (2, "2 followers, 2 of them up to date")


async def test_who_comes_between_a_change_and_its_telling_gets_it_not_twice_and_the_others_do() -> None:
    async with open_world() as world:
        (first,) = world.following(1)
        world.log.numbers.append(1)
        (second,) = world.following(1)
        assert (numbers_of(first), numbers_of(second)) == ([1], [])
        world.log.publish(2)
        assert (numbers_of(first), numbers_of(second)) == ([1, 2], [2])


async def test_nothing_is_encoded_while_nobody_follows() -> None:
    async with open_world() as world:
        world.log.publish(1, BAD)
        assert world.log.encodings == 0


# --- sockets ---


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_whose_socket_is_full_gets_frames_by_a_task_until_it_is_up_to_date_again(number: int) -> None:
    async with open_world() as world:
        lines = world.following(3)
        full = lines[number]
        full.fill()
        for version in range(1, 4):
            world.log.publish(version)
            await wait_all_tasks_blocked()
        others = [line for line in lines if line is not full]
        assert [numbers_of(line) for line in others] == [[1, 2, 3]] * 2
        assert len(world.nursery.child_tasks) == 1
        while numbers_of(full) != [1, 2, 3]:
            await wait_all_tasks_blocked()
        await wait_all_tasks_blocked()
        assert (full.sent, len(world.nursery.child_tasks)) == (3, 0)
        with started() as seen:
            world.log.publish(4)
            assert numbers_of(full) == [1, 2, 3, 4]
        assert (full.sent, seen.tasks) == (3, set())


async def test_of_a_frame_of_which_a_part_is_written_the_connection_sends_the_rest_before_anything_else() -> None:
    async with open_world() as world:
        line, other = world.following(2)
        many = range(1000, 1064)
        world.log.publish(*many)  # more than the kernel takes
        assert line.short.busy
        assert line.sent == 0
        numbers_of(other)
        world.log.publish(2000)
        await wait_all_tasks_blocked()
        assert numbers_of(other) == [*many, 2000]
        assert numbers_of(line) == [*many]
        await wait_all_tasks_blocked()
        assert numbers_of(line) == [*many, 2000]
        assert line.sent == 1


@pytest.mark.parametrize("case", ["busy", "closed for frames", "closed", "reset by the client"])
async def test_to_whom_nothing_can_be_written_has_a_task(case: str) -> None:
    async with open_world() as world:
        line, other = world.following(2)
        match case:
            case "busy":
                line.short.busy = True
            case "closed for frames":
                line.short.close()
            case "closed":
                line.ours.close()
            case _:
                line.theirs.close()
        world.log.publish(1)
        assert len(world.nursery.child_tasks) == 1
        assert numbers_of(other) == [1]
        world.nursery.cancel_scope.cancel()  # otherwise the task that cannot send the frame would raise


async def test_without_an_outlet_each_frame_is_sent_by_a_task_that_ends() -> None:
    sent: list[str] = []

    async def send(frame: str) -> None:
        sent.append(frame.lstrip("0"))

    async with trio.open_nursery() as nursery:
        log = Log()
        leave = log.follow(TestLink(nursery, send))
        for number in range(1, 4):
            log.publish(number)
            await wait_all_tasks_blocked()
            assert not nursery.child_tasks
        leave()
        leave()
        log.publish(4)
        assert sent == ["1", "2", "3"]


# --- a snapshot ---


async def test_a_frame_that_needs_a_snapshot_is_got_by_each_with_a_task() -> None:
    async with open_world() as world:
        lines = world.following(3)
        world.log.publish(1)
        world.log.publish(2, WHOLE, 3)
        await wait_all_tasks_blocked()
        assert [line.read()[1:] for line in lines] == [[f"{2:0{FRAME_CHARACTERS}}", "whole 4"]] * 3
        world.log.publish(4)
        assert [numbers_of(line)[-1] for line in lines] == [4] * 3
        assert [line.sent for line in lines] == [2] * 3


@pytest.mark.parametrize(("error", "reason"), [(GameClosed, GOING_AWAY), (GameMoved, MOVED), (GameStopped, BUG)])
async def test_who_gets_no_snapshot_because_the_game_has_ended_is_closed(
    error: type[GameStopped], reason: CloseReason
) -> None:
    async with open_world() as world:
        (line,) = world.following(1)
        world.log.stopped = error("over")
        world.log.publish(WHOLE)
        assert await line.closed() == reason


# --- the end ---


async def test_when_the_game_ends_all_are_closed_after_the_last_frame_and_so_is_who_comes_then() -> None:
    game = History()
    async with open_world() as world:
        lines = world.following(3)
        world.log.watch(partial(Changes, game))
        lines[0].fill()
        world.log.numbers.append(1)
        game.end(lambda: GameClosed("over"))
        late = world.following(1)
        for line in (*lines[1:], *late):
            assert await line.closed() == GOING_AWAY
        await wait_all_tasks_blocked()
        assert lines[0].reason is None, "its last frame is still to be sent"
        while numbers_of(lines[0]) != [1]:
            await wait_all_tasks_blocked()
        assert await lines[0].closed() == GOING_AWAY
        assert [numbers_of(line) for line in (*lines, *late)] == [[1], [1], [1], []]


async def test_a_game_calls_the_feed_while_there_are_followers() -> None:
    game = History()
    async with open_world() as world:
        world.log.watch(partial(Changes, game))
        world.log.numbers.append(1)
        game.announce()
        line = world.line()
        leave = world.log.follow(line)
        for number in (2, 3):
            world.log.watch(partial(Changes, game))
            world.log.numbers.append(number)
            game.announce()
        leave()
        world.log.numbers.append(4)
        game.announce()
        again = world.line()
        world.stack.callback(world.log.follow(again))
        world.log.watch(partial(Changes, game))
        world.log.numbers.append(5)
        game.announce()
        assert (numbers_of(line), numbers_of(again)) == ([2, 3], [5])


async def test_one_may_be_closed_after_its_last_frame_whether_it_has_a_task_or_not() -> None:
    async with open_world() as world:
        lines = [world.line() for _ in range(3)]
        followers = [world.log.follower(line) for line in lines]
        for follower in followers:
            world.stack.callback(follower.leave)
            assert await follower.begin() is None
        lines[0].fill()
        world.log.publish(1)
        for follower in followers[:2]:
            follower.close(CLOSED)
        assert await lines[1].closed() == CLOSED
        while numbers_of(lines[0]) != [1]:
            assert lines[0].reason is None
            await wait_all_tasks_blocked()
        assert await lines[0].closed() == CLOSED
        assert [numbers_of(line) for line in lines] == [[1]] * 3
        assert lines[2].reason is None
        assert [str(follower) for follower in followers] == [
            "behind, to be closed",
            "behind, to be closed",
            "up to date",
        ]


async def test_who_goes_while_a_frame_is_sent_gets_no_other_one_and_does_not_come_back() -> None:
    reads = trio.Event()
    sent: list[str] = []

    async def send(frame: str) -> None:
        with trio.CancelScope(shield=True):
            await reads.wait()
        sent.append(frame.lstrip("0"))

    async with trio.open_nursery() as nursery:
        log = Log()
        leave = log.follow(TestLink(nursery, send))
        log.publish(1, 2)
        await wait_all_tasks_blocked()
        leave()
        reads.set()
        await wait_all_tasks_blocked()
        log.publish(3)
        await wait_all_tasks_blocked()
        assert (sent, log.connections) == (["1"], 0)


async def test_what_is_published_is_delivered_once_all_have_got_it_or_have_gone() -> None:
    async with open_world() as world:
        slow, gone, _ = world.following(3)
        leaving = world.log.follow(gone2 := world.line())
        for line in (slow, gone2):
            line.fill()
        world.log.publish(1)
        delivered = trio.Event()

        async def wait() -> None:
            await world.log.delivered()
            delivered.set()

        world.nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        leaving()
        await wait_all_tasks_blocked()
        assert not delivered.is_set()
        while numbers_of(slow) != [1]:
            assert not delivered.is_set()
            await wait_all_tasks_blocked()
        await delivered.wait()
        assert numbers_of(gone) == [1]
        await world.log.delivered()


# --- bugs ---


async def test_frames_that_cannot_be_encoded_close_the_connections_and_leave_alone_who_publishes_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with open_world() as world:
        lines = world.following(3)
        world.log.publish(1)
        world.log.publish(BAD)
        for line in lines:
            assert await line.closed() == FAILED_CLOSE
        (record,) = caplog.records
        assert (record.levelno, record.getMessage()) == (logging.ERROR, "frames-failed connections=3")
        assert record.exc_info is not None
        (late,) = world.following(1)
        world.log.publish(2)
        assert numbers_of(late) == [2]


async def test_what_cannot_be_encoded_for_who_comes_closes_that_connection_alone() -> None:
    async with open_world() as world:
        (first,) = world.following(1)
        world.log.is_bad = True
        (second,) = world.following(1)
        assert await second.closed() == FAILED_CLOSE
        assert first.reason is None


# --- any order ---


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_happens_each_has_each_frame_once_and_in_order(seed: int) -> None:
    rng = random.Random(seed)
    async with open_world() as world:
        expected: dict[Line, int] = {}
        leaves: dict[Line, object] = {}
        for _ in range(80):
            match rng.randrange(12):
                case 0:
                    line = world.line()
                    expected[line] = world.log.end
                    leaves[line] = leave = world.log.follow(line)
                    world.stack.callback(leave)
                case 1 if leaves:
                    rng.choice([*leaves]).short.busy = True
            world.log.publish(*range(world.log.end, world.log.end + rng.choice([0, 1, 1, 1, 5, 20])))
            for line in leaves:
                if rng.random() < 0.3:
                    line.read()
            for _ in range(rng.randrange(4)):
                await trio.lowlevel.checkpoint()
        for line, first in expected.items():
            while len(found := numbers_of(line)) < world.log.end - first:
                await wait_all_tasks_blocked()
            assert found == [*range(first, world.log.end)]
        await wait_all_tasks_blocked()
        assert not world.nursery.child_tasks
