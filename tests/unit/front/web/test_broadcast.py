"""Following a game as frames, without sockets, on a toy game: a ledger of numbers whose frames are easy to read.

Partitions:
- a connection: comes before the first change, between changes, while changes are queued; alone, with others
- it reads: at once; late but within the backlog; too late; so late that the game itself has dropped the changes
- a change: has a frame, for one connection, for many, later again; has no visible effect; needs a whole frame
- a whole frame: for one connection, for many; just after another one, after further changes; a cancelled connection
- the game: continues; is closed; dies; before a connection's first frame, and after; has followers, has no followers
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameMoved
from scramble.front.web.broadcast import MOST_UNSENT, SNAPSHOT_REUSE, Broadcast, Viewer
from scramble.front.web.feed import BesideTask
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.changes import HISTORY_SIZE, Changes
from scramble.kernel.protocol import Answered, Change, Command, Event, Outcome, Ticket
from scramble.server.http.closing import BUG, GOING_AWAY, CloseReason
from tests.support.links import TestLink

Sums = dict[int, int]


class Write(Command[None], frozen=True):
    """Write a number on a line."""

    line: int
    number: int


class Clear(Command[None], frozen=True):
    """Clear the ledger."""


class Mumble(Command[None], frozen=True):
    """Do nothing that a frame would show."""


class Read(Command[dict[int, int]], frozen=True):
    """Return the whole ledger."""


class Crash(Command[None], frozen=True):
    """Raise an exception, like a bug."""


class Written(Event, frozen=True):
    line: int
    number: int


class Cleared(Event, frozen=True):
    pass


class Mumbled(Event, frozen=True):
    pass


class Ledger:
    """A `core.Rules`. `version` stays 0: it says nothing about the order of changes."""

    version = 0

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        match command:
            case Write(line, number):
                self._lines[line] = number
                return [Answered(ticket, None), Written(line, number)]
            case Clear():
                self._lines = {}
                return [Cleared(), Answered(ticket, None)]
            case Mumble():
                return [Mumbled(), Answered(ticket, None)]
            case Read():
                return [Answered(ticket, self._lines.copy())]
            case _:
                raise ZeroDivisionError("a bug")


class Game:
    """A door to the ledger that counts the encoded frames."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.wholes = 0
        self.encoded: list[Change] = []
        self.feed: Broadcast[dict[int, int]] = Broadcast(self, snapshot=self.encode_whole, change=self.encode_change)

    async def follow(self) -> tuple[dict[int, int], Changes]:
        return await self.actor.follow(Read())

    async def ping(self) -> None:
        await self.actor.ping()

    def encode_whole(self, ledger: dict[int, int]) -> str:
        self.wholes += 1
        return f"whole {sorted(ledger.items())}"

    def encode_change(self, change: Change) -> str | None:
        self.encoded.append(change)
        frames = [f"{event.line} {event.number}" for event in change.events if isinstance(event, Written)]
        return None if change.events == (Cleared(),) else " ".join(frames)

    async def write(self, *numbers: int) -> None:
        for number in numbers:
            await self.actor.ask(Write(number % 7, number))


@asynccontextmanager
async def open_game() -> AsyncIterator[Game]:
    async with open_actor(Ledger()) as actor:
        yield Game(actor)


class Frames:
    """A connection that takes a frame only when the test asks for it."""

    outlet = None

    def __init__(
        self, feed: Broadcast[Sums], finish: Callable[[str, Sums], str] | None = None, player: str | None = None
    ) -> None:
        self.feed = feed
        self.viewer: Viewer[Sums] = feed.follower(self, player, finish=finish)
        self._got: list[str] = []

    async def send(self, frame: str) -> None:
        self._got.append(frame)

    def start_soon(self, task: BesideTask) -> None:
        raise AssertionError("it is never up to date")

    async def next(self) -> str:
        """Return the next frame, which must be ready without a step of another task."""
        if not self._got:
            found = self.feed.take(self.viewer)
            self._got += await self.feed.snapshot(self.viewer) if found is None else found
            assert self._got, "no frame"
        return self._got.pop(0)

    async def end(self) -> tuple[list[str], CloseReason | None]:
        """Return all ready frames, and the reason why the connection is closed after them."""
        reason = await self.viewer.begin()
        return self._got, reason


async def take(frames: Frames, count: int) -> list[str]:
    """Return the next `count` frames."""
    return [await frames.next() for _ in range(count)]


class Reader:
    """A connection that keeps a mirror of the ledger."""

    def __init__(self, frames: Frames | None = None) -> None:
        self.frames = frames
        self.mirror: dict[int, int] = {}
        self.whole = 0

    async def read(self) -> None:
        assert self.frames is not None
        self.see(await self.frames.next())

    def see(self, frame: str) -> None:
        if frame.startswith("whole "):
            self.whole += 1
            pairs = frame.removeprefix("whole ").strip("[]()").split("), (")
            self.mirror = {int(a): int(b) for a, _, b in (pair.partition(", ") for pair in pairs) if a}
        else:
            line, number = map(int, frame.split())
            assert self.whole
            assert self.mirror.get(line, -1) < number, "a change came twice, or after a later change"
            self.mirror[line] = number


# what a connection gets


async def test_a_connection_gets_a_whole_frame_and_then_each_change_once() -> None:
    async with open_game() as game:
        await game.write(0)
        frames = Frames(game.feed)
        assert await take(frames, 1) == ["whole [(0, 0)]"]
        await game.write(1, 2)
        assert await take(frames, 2) == ["1 1", "2 2"]
        await game.write(3)
        assert await take(frames, 1) == ["3 3"]


async def test_a_change_with_nothing_to_tell_has_no_frame() -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        await take(frames, 1)
        await game.actor.ask(Mumble())
        await game.write(1)
        assert await take(frames, 1) == ["1 1"]


async def test_a_change_that_takes_a_whole_frame_is_one_and_those_before_and_after_it_are_told_or_contained() -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        await take(frames, 1)
        await game.write(1)
        await game.actor.ask(Clear())
        assert await take(frames, 2) == ["1 1", "whole []"]
        await game.write(2)
        await game.actor.ask(Clear())
        await game.write(3)
        assert await take(frames, 2) == ["2 2", "whole [(3, 3)]"]
        await game.write(4)
        assert await take(frames, 1) == ["4 4"]


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_the_order_of_things_every_connection_ends_up_with_the_game_as_it_is(seed: int) -> None:
    rng = random.Random(seed)
    async with open_game() as game:
        readers: list[Reader] = []
        viewers: list[Viewer[dict[int, int]]] = []
        numbers = iter(range(10_000))

        async def read(patience: int) -> None:
            reader = Reader()
            readers.append(reader)

            async def send(frame: str) -> None:
                reader.see(frame)
                for _ in range(rng.randrange(patience)):
                    await trio.lowlevel.checkpoint()

            viewers.append(game.feed.follower(TestLink(nursery, send)))
            await viewers[-1].begin()

        async def write() -> None:
            number = next(numbers)  # no await between this line and the mailbox: numbers grow
            await game.actor.ask(Write(number % 7, number))

        async with trio.open_nursery() as nursery:
            for _ in range(60):
                if rng.random() < 0.3:
                    nursery.start_soon(read, rng.choice([1, 3, 30, 1000]))
                if rng.random() < 0.05:
                    nursery.start_soon(game.actor.ask, Mumble())
                for _ in range(rng.choice([1, 5, 100])):
                    nursery.start_soon(write)
                for _ in range(rng.randrange(4)):
                    await trio.lowlevel.checkpoint()
            await wait_all_tasks_blocked()
            now = await game.actor.ask(Read())
            assert [reader.mirror for reader in readers] == [now] * len(readers)
            for viewer in viewers:
                viewer.leave()


# encoded once


async def test_a_change_is_encoded_once_for_all_and_all_get_the_very_same_frame() -> None:
    async with open_game() as game:
        connections = [Frames(game.feed) for _ in range(50)]
        for frames in connections:
            await take(frames, 1)
        await game.write(*range(MOST_UNSENT))
        seen = [await take(frames, MOST_UNSENT) for frames in connections]
        assert len(game.encoded) == MOST_UNSENT
        assert all(frame is first for other in seen for frame, first in zip(other, seen[0], strict=True))


async def test_nothing_is_encoded_while_nobody_reads() -> None:
    async with open_game() as game:
        Frames(game.feed)
        await game.write(1, 2, 3)
        assert (game.encoded, game.wholes) == ([], 0)


async def test_connections_that_come_while_nothing_changes_share_one_whole_frame() -> None:
    async with open_game() as game:
        await game.write(1)
        seen: list[str] = []

        async def come() -> None:
            seen.append(await Frames(game.feed).next())

        for _ in range(2):  # 20 at once, and then 20 more
            async with trio.open_nursery() as nursery:
                for _ in range(20):
                    nursery.start_soon(come)
        assert seen == ["whole [(1, 1)]"] * 40
        assert game.wholes == 1


async def test_who_comes_after_a_change_gets_a_whole_frame_that_shows_it() -> None:
    async with open_game() as game:
        for number in range(3):
            await game.write(number)
            assert (await take(Frames(game.feed), 1))[0].endswith(f"({number}, {number})]")
        assert game.wholes == 3


async def test_a_connection_may_have_whole_frames_of_its_own() -> None:
    async with open_game() as game:
        mine = Frames(game.feed, finish=lambda _, ledger: f"you are 5, {len(ledger)} lines")
        await game.write(1)
        assert await take(mine, 1) == ["you are 5, 1 lines"]
        await game.write(2)
        await game.actor.ask(Clear())
        assert await take(mine, 2) == ["2 2", "you are 5, 0 lines"]
        assert await take(Frames(game.feed), 1) == ["whole []"]


async def test_a_new_connection_is_not_shown_what_was_when_its_game_has_moved_meanwhile() -> None:
    class Elsewhere(Game):
        async def ping(self) -> None:
            raise GameMoved("another process has the game")

    async with open_actor(Ledger()) as actor:
        game = Elsewhere(actor)
        assert await take(Frames(game.feed), 1) == ["whole []"]
        with pytest.raises(GameMoved):
            await Frames(game.feed).next()


# slow connections


async def test_where_changes_can_be_joined_a_connection_gets_one_frame_for_all_that_it_has_missed() -> None:
    async with open_actor(Ledger()) as actor:
        game = Game(actor)
        feed: Broadcast[dict[int, int]] = Broadcast(
            game, snapshot=game.encode_whole, change=game.encode_change, joined=True
        )
        slow, slower, late = Frames(feed), Frames(feed), Frames(feed)
        await take(slow, 1)
        await take(slower, 1)
        await game.write(1)
        assert await take(slow, 1) == ["1 1"]  # connections that read in time get each change by itself
        await game.write(2, 3)
        assert await take(slow, 1) == ["2 2 3 3"]
        assert await take(slower, 1) == ["1 1 2 2 3 3"]
        await game.write(4, 5)
        assert await take(slow, 1) == await take(slower, 1) == ["4 4 5 5"]
        assert len(game.encoded) == 4  # each joined frame is encoded once for all connections
        assert await take(late, 1) == ["whole [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]"]
        await game.write(6)
        await actor.ask(Mumble())
        await game.write(7)
        assert await take(slow, 1) == ["6 6 0 7"]


async def test_a_connection_within_the_backlog_gets_every_change() -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        await take(frames, 1)
        await game.write(*range(MOST_UNSENT))
        assert await take(frames, MOST_UNSENT) == [f"{n % 7} {n}" for n in range(MOST_UNSENT)]


@pytest.mark.parametrize(
    "behind", [MOST_UNSENT + 1, 10 * MOST_UNSENT, HISTORY_SIZE, HISTORY_SIZE + 1, 3 * HISTORY_SIZE]
)
async def test_a_connection_beyond_the_backlog_gets_one_whole_frame_instead(behind: int) -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        slow = Reader(frames)
        await slow.read()
        await game.write(*range(behind))
        await slow.read()
        assert slow.whole == 2
        assert slow.mirror == await game.actor.ask(Read())
        await game.write(behind)
        assert await take(frames, 1) == [f"{behind % 7} {behind}"]


async def test_a_slow_connection_takes_nothing_from_the_others() -> None:
    async with open_game() as game:
        slow, quick = Frames(game.feed), Frames(game.feed)
        await take(slow, 1)
        await take(quick, 1)
        for number in range(5 * MOST_UNSENT):
            await game.write(number)
            assert await take(quick, 1) == [f"{number % 7} {number}"]
        assert game.wholes == 1


async def test_many_slow_connections_share_a_whole_frame_that_is_nearly_the_latest() -> None:
    async with open_game() as game:
        slow = [Reader(Frames(game.feed)) for _ in range(SNAPSHOT_REUSE)]
        for reader in slow:
            await reader.read()
        await game.write(*range(2 * MOST_UNSENT))
        for i, reader in enumerate(slow):  # while the game continues
            await reader.read()
            await game.write(1000 + i)
        assert game.wholes == 2
        now = await game.actor.ask(Read())
        for reader in slow:
            while reader.mirror != now:
                await reader.read()
        assert [reader.whole for reader in slow] == [2] * len(slow)


# cancellation


async def test_those_who_wait_for_a_whole_frame_get_it_though_the_one_who_was_making_it_is_cancelled() -> None:
    async with open_game() as game, trio.open_nursery() as nursery:
        reader = Reader(Frames(game.feed))

        async def come_and_go() -> None:
            with trio.CancelScope() as scope:
                nursery.start_soon(cancel, scope)
                await Frames(game.feed).next()

        async def cancel(scope: trio.CancelScope) -> None:
            scope.cancel()

        for _ in range(10):
            nursery.start_soon(come_and_go)
        await reader.read()
        assert reader.whole == 1


# the end


async def test_a_connection_is_told_everything_before_a_closed_game_ends_it() -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        await take(frames, 1)
        await game.write(1, 2)
        await game.actor.aclose()
        assert await frames.end() == (["1 1", "2 2"], GOING_AWAY)


async def test_who_comes_to_a_closed_game_gets_nothing() -> None:
    async with open_game() as game:
        await game.actor.aclose()
        assert await Frames(game.feed).end() == ([], GOING_AWAY)


async def test_a_connection_too_far_behind_when_the_game_is_closed_ends_at_once() -> None:
    async with open_game() as game:
        frames = Frames(game.feed)
        await take(frames, 1)
        await game.write(*range(2 * MOST_UNSENT))
        await game.actor.aclose()
        assert await frames.end() == ([], GOING_AWAY)


async def ignore(_: str) -> None:
    """Send nothing."""


async def test_a_game_that_dies_closes_the_connections_of_those_who_follow_and_of_those_who_come() -> None:
    async with trio.open_nursery() as nursery:
        link = TestLink(nursery, ignore)
        with pytest.raises(ExceptionGroup):
            async with open_game() as game:
                assert await game.feed.follower(link).begin() is None
                await game.actor.ask(Crash())
        assert await link.closed() == BUG
    assert await Frames(game.feed).end() == ([], BUG)


# following


async def test_who_is_up_to_date_counts_as_a_follower_of_the_game_and_nobody_is_told_of_a_game_without_followers() -> (
    None
):
    async with open_game() as game, trio.open_nursery() as nursery:
        sent: list[str] = []

        async def send(frame: str) -> None:
            sent.append(frame)

        viewers = [game.feed.follower(TestLink(nursery, send)) for _ in range(3)]
        for viewer in viewers:
            await viewer.begin()
        assert game.actor.stats().followers == 3
        for viewer in viewers:
            viewer.leave()
            viewer.leave()
        assert game.actor.stats().followers == 0
        await game.write(1)
        await wait_all_tasks_blocked()
        assert (sent, game.encoded) == (["whole []"] * 3, [])
