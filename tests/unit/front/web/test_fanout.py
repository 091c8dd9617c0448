"""Connections that are up to date, on a history of numbers: outlets of real sockets with small buffers, no server.

Partitions:
- members: one, several; one that comes, is cancelled, or leaves while it leads; a second time
- a socket: takes the frame, a part of it, nothing; is busy with something else, closed
- changes: one, several at once; while nobody is a member; none to be seen; one that each has to get by itself
- the history: goes on, is closed, dies; encoding fails; waking fails
- whatever the order of things: each connection has each change once, in order, written here or got by itself
"""

from __future__ import annotations

import random
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.front.web.fanout import Fanout
from scramble.kernel.changes import Changes, History
from scramble.kernel.protocol import Change
from scramble.server.http.outlet import Outlet

FRAME_BYTES = 1000
WHOLE = -1  # the version of a change that each connection has to get by itself
QUIET = -2  # of one that nobody sees
BUG = -3  # of one that cannot be encoded


def encode_change(change: Change) -> bytes:
    if change.version == BUG:
        raise ZeroDivisionError
    return b"" if change.version == QUIET else f"{change.version:0{FRAME_BYTES}}".encode()


def encode(changes: Changes) -> bytes | None:
    taken = changes.pending()
    return None if any(change.version == WHOLE for change in taken) else b"".join(map(encode_change, taken))


class Line:
    """A connection: an outlet to a socket with a small buffer, and what came out at the other end."""

    def __init__(self, history: History) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)  # some frames
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.outlet = Outlet(self.ours.fileno, self.send_rest)
        self.outlet.open()
        self.changes = Changes(history)
        self.rest = b""
        self.received = b""

    def send_rest(self, rest: memoryview) -> None:
        assert not self.outlet.busy
        self.rest = bytes(rest)
        self.outlet.busy = True

    def read(self) -> None:
        """Take in what has come, and the rest of it."""
        while True:
            with suppress(BlockingIOError):
                self.received += self.theirs.recv(1 << 20)
            if not self.rest:
                break
            with suppress(BlockingIOError):
                self.rest = self.rest[self.ours.send(self.rest) :]
        self.outlet.busy = False

    def fill(self) -> None:
        """Leave no room in the kernel."""
        with suppress(BlockingIOError):
            while True:
                self.ours.send(b"x")

    @property
    def versions(self) -> list[int]:
        """The versions of the changes that were written here; no frame may be cut."""
        self.read()
        assert len(self.received) % FRAME_BYTES == 0
        return [int(self.received[i : i + FRAME_BYTES]) for i in range(0, len(self.received), FRAME_BYTES)]

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


async def stay(fanout: Fanout, changes: Changes, outlet: Outlet) -> None:
    """Have a connection be up to date, until it has to go on by itself."""
    woken = trio.Event()
    async with trio.open_nursery() as nursery:
        leave = fanout.join(changes, outlet, woken.set, nursery.start_soon)
        try:
            await woken.wait()
        finally:
            leave()
        nursery.cancel_scope.cancel()


class World:
    """A history with lines that stay."""

    def __init__(self, nursery: trio.Nursery, stack: ExitStack) -> None:
        self.history = History()
        self.fanout = Fanout(encode)
        self.nursery = nursery
        self.stack = stack
        self.left: list[Line] = []

    def line(self) -> Line:
        line = Line(self.history)
        self.stack.callback(line.close)
        return line

    async def stay(self, line: Line, scope: trio.CancelScope | None = None) -> None:
        with scope or trio.CancelScope():
            try:
                await stay(self.fanout, line.changes, line.outlet)
            finally:
                self.left.append(line)

    async def staying(self, count: int) -> list[Line]:
        """So many lines; the first leads."""
        lines = []
        for _ in range(count):
            lines.append(self.line())
            self.nursery.start_soon(self.stay, lines[-1])
            await wait_all_tasks_blocked()
        return lines

    async def publish(self, *versions: int) -> None:
        for version in versions:
            self.history.publish(Change(version, ()))
        self.history.announce()
        await wait_all_tasks_blocked()


@asynccontextmanager
async def open_world() -> AsyncIterator[World]:
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            yield World(nursery, stack)
            nursery.cancel_scope.cancel()


class Woken(trio.abc.Instrument):
    """The tasks that were woken."""

    def __init__(self) -> None:
        self.tasks: set[trio.lowlevel.Task] = set()

    def task_scheduled(self, task: trio.lowlevel.Task) -> None:
        self.tasks.add(task)


@contextmanager
def woken() -> Iterator[Woken]:
    """The tasks that are woken during the block."""
    seen = Woken()
    trio.lowlevel.add_instrument(seen)
    yield seen
    trio.lowlevel.remove_instrument(seen)


# --- up to date ---


async def test_a_change_is_written_to_all_and_wakes_one_of_their_tasks() -> None:
    async with open_world() as world:
        lines = await world.staying(5)
        for version in range(3):
            with woken() as seen:
                await world.publish(version)
            assert len(seen.tasks - {trio.lowlevel.current_task()}) == 1
        assert [line.versions for line in lines] == [[0, 1, 2]] * 5
        assert world.left == []


async def test_changes_that_are_published_at_once_are_written_at_once() -> None:
    async with open_world() as world:
        lines = await world.staying(2)
        await world.publish(1, QUIET, 2)
        assert [line.versions for line in lines] == [[1, 2]] * 2
        await world.publish(QUIET)
        assert [line.versions for line in lines] == [[1, 2]] * 2
        assert world.left == []


async def test_who_comes_later_gets_what_is_published_after_that() -> None:
    async with open_world() as world:
        (first,) = await world.staying(1)
        await world.publish(1)
        (second,) = await world.staying(1)
        await world.publish(2)
        assert (first.versions, second.versions) == ([1, 2], [2])


async def test_who_comes_between_a_change_and_the_leader_gets_it_not_twice_and_the_others_do() -> None:
    async with open_world() as world:
        (first,) = await world.staying(1)
        world.history.publish(Change(1, ()))  # the leader's task has not run yet
        world.history.announce()
        second = world.line()
        world.nursery.start_soon(world.stay, second)
        await wait_all_tasks_blocked()
        await world.publish(2)
        assert (first.versions, second.versions) == ([1, 2], [2])


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("version", [1, WHOLE])
async def test_who_comes_between_a_change_and_the_leader_does_not_hold_it_if_it_has_to_leave(
    version: int, announced: bool
) -> None:
    async with open_world() as world:
        first, third = await world.staying(2)
        first.fill()
        world.history.publish(Change(version, ()))
        if announced:
            world.history.announce()  # the leader's task has not run yet
        second = world.line()
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope()
            nursery.start_soon(world.stay, second, scope)
            if not announced:
                await wait_all_tasks_blocked()
                world.history.announce()
            await wait_all_tasks_blocked()
            assert first in world.left
            assert first.changes.take().version == version
            assert (third in world.left) == (version == WHOLE)
            scope.cancel()


async def test_all_who_stay_count_as_followers_of_the_history() -> None:
    async with open_world() as world:
        lines = await world.staying(4)
        assert world.history.followers == 4
        lines[0].fill()
        await world.publish(1)
        assert world.history.followers == 3
        world.nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()
        assert world.history.followers == 0


# --- sockets ---


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_whose_socket_is_full_leaves_at_that_change_and_the_others_stay(number: int) -> None:
    async with open_world() as world:
        lines = await world.staying(3)
        await world.publish(1)
        full = lines[number]
        assert full.versions == [1]
        full.received = b""
        full.fill()
        await world.publish(2)
        assert world.left == [full]
        await world.publish(3)
        assert full.changes.behind == 2
        assert full.changes.take().version == 2
        full.changes.take()
        full.read()
        full.received = b""
        world.nursery.start_soon(world.stay, full)
        await wait_all_tasks_blocked()
        await world.publish(4)
        assert full.versions == [4]
        assert [line.versions for line in lines if line is not full] == [[1, 2, 3, 4]] * 2


async def test_the_rest_of_a_part_is_sent_by_the_connection_and_nothing_is_written_before_that() -> None:
    async with open_world() as world:
        line, other = await world.staying(2)
        versions = range(1000, 1000 + 64)
        await world.publish(*versions)  # more than the kernel takes
        assert 0 < len(line.rest) < 64 * FRAME_BYTES
        assert world.left == []
        other.read()
        await world.publish(2000)
        assert world.left == [line]
        assert line.versions == [*versions]
        assert line.changes.take().version == 2000
        assert other.versions == [*versions, 2000]


@pytest.mark.parametrize("case", ["busy", "closed for frames", "closed", "reset by the client"])
async def test_to_whom_nothing_can_be_written_leaves(case: str) -> None:
    async with open_world() as world:
        line, other = await world.staying(2)
        match case:
            case "busy":
                line.outlet.busy = True
            case "closed for frames":
                line.outlet.close()
            case "closed":
                line.ours.close()
            case _:
                line.theirs.close()
        await world.publish(1)
        assert world.left == [line]
        assert line.changes.take().version == 1
        assert other.versions == [1]


# --- leaving ---


async def test_a_bug_in_waking_one_does_not_keep_the_others_from_leaving() -> None:
    def bug() -> None:
        raise ZeroDivisionError

    async with open_world() as world:
        (leader,) = await world.staying(1)
        woken: list[int] = []
        *lines, last = [world.line() for _ in range(4)]
        for number, line in enumerate(lines):
            wake = bug if number == 1 else partial(woken.append, number)
            world.fanout.join(line.changes, line.outlet, wake, lambda task: None)
            line.outlet.busy = True
        with pytest.raises(ZeroDivisionError):
            world.history.publish(Change(1, ()))
            world.fanout.join(last.changes, last.outlet, bug, lambda task: None)  # tells of the change
        assert woken == [0, 2]
        assert [line.changes.take().version for line in lines] == [1, 1, 1]
        assert leader.versions == [1]


@pytest.mark.parametrize("number", [0, 1])
async def test_who_is_cancelled_is_at_the_change_that_was_not_written_and_the_others_go_on(number: int) -> None:
    async with open_world() as world:
        lines, scopes = [], [trio.CancelScope() for _ in range(3)]
        for scope in scopes:
            lines.append(world.line())
            world.nursery.start_soon(world.stay, lines[-1], scope)
            await wait_all_tasks_blocked()
        await world.publish(1)
        scopes[number].cancel()
        world.history.publish(Change(2, ()))  # before its task has run
        world.history.announce()
        await wait_all_tasks_blocked()
        await world.publish(3)
        gone = lines[number]
        assert [*gone.versions, *(change.version for change in gone.changes.pending())] == [1, 2, 3]
        assert [line.versions for line in lines if line is not gone] == [[1, 2, 3]] * 2


async def test_when_one_after_another_is_cancelled_the_last_still_gets_every_change() -> None:
    async with open_world() as world:
        lines, scopes = [], [trio.CancelScope() for _ in range(5)]
        for scope in scopes:
            lines.append(world.line())
            world.nursery.start_soon(world.stay, lines[-1], scope)
            await wait_all_tasks_blocked()
        for version, scope in enumerate(scopes[:-1]):
            scope.cancel()
            await world.publish(version)
        scopes[0].cancel()
        assert lines[-1].versions == [0, 1, 2, 3]


async def test_a_change_that_each_has_to_get_by_itself_lets_all_go_before_what_was_published_with_it() -> None:
    async with open_world() as world:
        lines = await world.staying(3)
        await world.publish(1)
        await world.publish(2, WHOLE, 3)
        assert len(world.left) == 3
        assert [line.versions for line in lines] == [[1]] * 3
        assert [[change.version for change in line.changes.pending()] for line in lines] == [[2, WHOLE, 3]] * 3


@pytest.mark.parametrize("error", [GameClosed, GameStopped])
async def test_when_the_game_ends_all_leave_with_every_change(error: type[GameStopped]) -> None:
    async with open_world() as world:
        lines = await world.staying(3)
        world.history.publish(Change(1, ()))
        world.history.announce()
        world.history.end(lambda: error("over"))
        await wait_all_tasks_blocked()
        assert len(world.left) == 3
        assert [line.versions for line in lines] == [[1]] * 3
        assert [line.changes.behind for line in lines] == [0] * 3


async def test_a_change_that_cannot_be_encoded_fails_one_and_each_of_the_others_finds_it() -> None:
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_world() as world:
            lines = [world.line() for _ in range(3)]
            failed = 0

            async def find(line: Line) -> None:
                nonlocal failed
                try:
                    await stay(world.fanout, line.changes, line.outlet)
                except* ZeroDivisionError:
                    failed += 1
                assert line.changes.take().version == BUG

            async with trio.open_nursery() as nursery:
                for line in lines:
                    nursery.start_soon(find, line)
                await wait_all_tasks_blocked()
                world.history.publish(Change(BUG, ()))
                world.history.announce()
            assert failed == 1
            raise ZeroDivisionError


# --- any order ---


@pytest.mark.parametrize("seed", range(15))
async def test_whatever_happens_each_has_each_change_once_and_in_order(seed: int) -> None:
    rng = random.Random(seed)
    async with open_world() as world:
        got: dict[Line, list[int]] = {}

        def take_in(line: Line) -> None:
            line.read()
            whole = len(line.received) // FRAME_BYTES * FRAME_BYTES
            got[line] += [int(line.received[i : i + FRAME_BYTES]) for i in range(0, whole, FRAME_BYTES)]
            line.received = line.received[whole:]

        async def live(line: Line, patience: int) -> None:
            while True:
                take_in(line)  # what was written here comes before what it gets by itself
                assert line.received == b""
                got[line] += [change.version for change in line.changes.pending()]
                with trio.CancelScope() as scope:
                    if rng.random() < 0.3:
                        scope.deadline = trio.current_time()
                    await stay(world.fanout, line.changes, line.outlet)
                for _ in range(rng.randrange(patience)):
                    await trio.lowlevel.checkpoint()

        versions = iter(range(100_000))
        for _ in range(300):
            if rng.random() < 0.1:
                line = world.line()
                got[line] = [*range(world.history.published)]
                world.nursery.start_soon(live, line, rng.choice([1, 3, 30]))  # a history has 1024 changes
            for _ in range(rng.choice([0, 1, 1, 1, 5, 40])):
                world.history.publish(Change(next(versions), ()))
            world.history.announce()
            for line in got:
                if rng.random() < 0.3:
                    take_in(line)
            for _ in range(rng.randrange(4)):
                await trio.lowlevel.checkpoint()
        for line in got:
            take_in(line)
        world.nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()
        for line in got:
            take_in(line)
            got[line] += [change.version for change in line.changes.pending()]
        assert all(mine == [*range(world.history.published)] for mine in got.values())
