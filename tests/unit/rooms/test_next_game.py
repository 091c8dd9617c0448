"""The next game of the players in a room. The steward begins it once and charges one address for it, or gives a reason.

Partitions:
- the caller: the host, another player; before the end of the game, after it; may open rooms, may not; was removed
- votes: of a majority; of a former majority, before another player came; in a room with open names; that fail, and are
  changed
- the next game exists: begun by a person, by votes
- settings: of this game, of another game, invalid
- the limits of the address: not reached, reached; the register moves for a moment
- votes arrive before the room knows its people
- the request ends while the room is opened; another act arrives meanwhile
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar, cast

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameMoved
from scramble.games.room import OpenedRoom
from scramble.kernel.actor import Actor
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command, Event
from scramble.minesweeper.messages import Dig
from scramble.rooms import LocalRooms, open_rooms, steward
from scramble.rooms.gathering.messages import (
    Acted,
    Attend,
    Begin,
    NextGame,
    NotBegun,
    Rename,
    SetNext,
    TakeGathering,
    Vote,
)
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.gathering.refusals import NotTheHost, PlayerRemoved
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.nextgame import NextGames
from scramble.rooms.protocol import Room, RoomOrder, RoomRecord
from scramble.rooms.steward import Office, Steward
from scramble.rooms.store import RunningRoom
from tests.support.rooms.kinds import DIGGING
from tests.support.rooms.openings import CountedOpenings

E = TypeVar("E", bound=Event)
R = TypeVar("R")


class Place:
    """A room that Ann has opened."""

    def __init__(self, rooms: LocalRooms, room: Room, nursery: trio.Nursery) -> None:
        self.rooms: Final = rooms
        self.room: Final = room
        self.name: Final = room.record.name
        self.limits: Final = CountedOpenings()
        rooms.openings = self.limits
        self._nursery: Final = nursery
        self._changes: Final = room.gathering.subscribe()

    def said(self) -> list[Event]:
        """Return the events since the last call."""
        events = [one for change in self._changes.pending() for one in change.events]
        return [one for one in events if isinstance(one, Acted | NotBegun)]

    async def next(self, kind: type[E]) -> E:
        """Wait for the next event of that class."""
        while True:
            change = await anext(self._changes)
            found = [one for one in change.events if isinstance(one, kind)]
            if found:
                return found[0]

    async def begun(self) -> str:
        """Wait until the next game is published, and return its room."""
        while (acted := await self.next(Acted)).act != "again":
            pass
        assert acted.by is None or acted.by == "ann"
        return acted.values["room"]

    async def come(self, *players: str) -> None:
        for player in players:
            self._nursery.start_soon(self.room.gathering.ask, Attend("", player, player))
        await wait_all_tasks_blocked()

    async def end(self) -> None:
        """Play the game to its end."""
        await self.room.game.ask(Dig(0, 0))
        seen = self.room.record
        while seen.state != "ended":
            seen = await self.room.next_record(seen)

    async def begin(self, holder: str, *, may_open: bool = False) -> object:
        as_host = self.room.record.state != "ended"
        return await self.room.gathering.ask(Begin(holder, f"of {holder}", as_host, may_open))

    async def vote(self, holder: str) -> None:
        assert await self.room.gathering.ask(Vote(holder, True, f"of {holder}")) is None

    async def successor(self) -> str | None:
        return (await self.rooms.find(self.name)).successor


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    async with open_rooms(kinds=DIGGING) as rooms:
        record = await rooms.create("digging", {"size": 3}, RoomOrder(host="ann", names="open", title="Friday"))
        async with rooms.enter(record.name) as room, trio.open_nursery() as nursery:
            yield Place(rooms, room, nursery)
            nursery.cancel_scope.cancel()


async def test_the_host_begins_the_next_game_once_and_the_hosts_address_is_charged() -> None:
    async with place() as here:
        await here.room.gathering.ask(SetNext("ann", NextGame(None, 20.0)))
        here.said()
        with pytest.raises(NotTheHost):
            await here.begin("bob", may_open=True)
        after = await here.begin("ann")
        assert after == await here.successor()
        assert isinstance(after, str)
        record = await here.rooms.find(after)
        assert (record.title, record.turn_s, record.after) == ("Friday", 20.0, here.name)
        assert await here.rooms.settings(record) != await here.rooms.settings(here.room.record), "another field"
        assert await here.begin("ann") == after
        assert here.limits.counted == ["of ann"]
        assert here.said() == [Acted("again", None, None, {"room": after})]


async def test_after_the_end_other_players_begin_the_next_game_if_they_may_open_rooms() -> None:
    async with place() as here:
        await here.end()
        with pytest.raises(NotTheHost):
            await here.begin("bob")
        after = await here.begin("bob", may_open=True)
        assert await here.begin("carl") == after, "the next game already exists"
        assert here.limits.counted == ["of bob"]


async def test_a_removed_player_begins_no_game() -> None:
    async with place() as here:
        await here.end()
        await here.rooms.expel(here.name, "bob")
        with pytest.raises(PlayerRemoved):
            await here.begin("bob", may_open=True)
        assert await here.successor() is None


async def test_votes_of_most_players_begin_the_next_game_for_the_latest_vote() -> None:
    async with place() as here:
        await here.come("ann", "bob", "carl")
        await here.vote("bob")
        await wait_all_tasks_blocked()
        assert await here.successor() is None
        await here.come("dora")  # now the majority is three votes
        await here.vote("carl")
        await wait_all_tasks_blocked()
        assert await here.successor() is None
        await here.vote("dora")
        assert await here.begun() == await here.successor()
        assert here.limits.counted == ["of dora"]


async def test_the_reason_against_a_next_game_is_published_and_other_settings_help() -> None:
    async with place() as here:
        await here.come("ann")
        await here.room.gathering.ask(SetNext("ann", NextGame(b'{"size": 0}', None)))
        await here.vote("ann")
        assert await here.next(NotBegun) == NotBegun("a whole number, at least 1", "not-in-range", {})
        here.limits.full = True
        await here.room.gathering.ask(SetNext("ann", NextGame(None, None)))
        assert (await here.next(NotBegun)).error == "too many"
        assert await here.successor() is None
        here.limits.full = False
        await here.room.gathering.ask(SetNext("ann", NextGame(b'{"size": 2}', None)))
        assert await here.begun() == await here.successor()


async def test_votes_lead_to_a_next_game_that_others_have_begun_meanwhile() -> None:
    async with place() as here:
        await here.come("bob")
        after = await here.rooms.create("digging", {}, RoomOrder(after=here.name))
        await here.vote("bob")
        assert await here.begun() == after.name
        assert here.limits.counted == []


async def test_a_register_that_moves_is_asked_again_and_a_game_counts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with place() as here:
        monkeypatch.setattr(steward, "ACT_RETRY_S", 0.0)
        create, successor = here.rooms.create, here.rooms.successor
        moves = [3, 3]

        async def move_after_charging(*args: Any, charge: Callable[[int], None], **others: Any) -> RoomRecord:
            charge(1000)
            if moves[0]:
                moves[0] -= 1
                raise GameMoved("it moves")
            return await create(*args, charge=charge, **others)

        async def moving(name: str) -> RoomRecord | None:
            if moves[1]:
                moves[1] -= 1
                raise GameMoved("it moves")
            return await successor(name)

        monkeypatch.setattr(here.rooms, "create", move_after_charging)
        monkeypatch.setattr(here.rooms, "successor", moving)
        assert await here.begin("ann") == await here.successor()
        assert (moves, here.limits.counted, here.limits.charged) == ([0, 0], ["of ann"], [("of ann", 1000)])


class Late:
    """A gathering whose first answer waits until the test releases it."""

    def __init__(self, actor: Actor) -> None:
        self.ask: Final = actor.ask
        self.tell: Final = actor.tell
        self.subscribe: Final = actor.subscribe
        self.time: Final = trio.Event()
        self._actor: Final = actor

    async def follow(self, command: Command[R]) -> tuple[R, Changes]:
        await self.time.wait()
        return await self._actor.follow(command)


async def test_a_vote_that_arrives_before_the_room_knows_its_people_counts() -> None:
    async with place() as here, open_gathering("ann", None) as gathering, trio.open_nursery() as nursery:
        room, late = LiveRoom("name", None, lambda _: None), Late(gathering)
        room.put(RoomRecord("name", "digging", "", msgspec.Raw(b"{}"), 0.0, names="open"))
        for command in (Attend("", "ann", "Ann"), Vote("ann", True, "of ann")):
            nursery.start_soon(gathering.ask, command)
            await wait_all_tasks_blocked()
        opened = OpenedRoom(here.room.game, trio.sleep_forever)
        office = Office(here.rooms.find, lambda: None, lambda: 0.0, NextGames(here.rooms))  # type: ignore[arg-type]
        running = RunningRoom(opened, cast(Owner, late))
        with room.begin(running, nursery, runs_here=True), Steward(room, office, room.start_soon).at_work():
            await wait_all_tasks_blocked()
            late.time.set()
            await wait_all_tasks_blocked()
            assert (await gathering.ask(TakeGathering())).state.voters == ("Ann",)
        nursery.cancel_scope.cancel()


async def test_opening_a_game_delays_nothing_else_and_continues_without_its_request() -> None:
    async with place() as here:
        here.limits.going = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here.begin, "ann")
            await wait_all_tasks_blocked()
            await here.room.gathering.ask(Rename("ann", "Monday"))
            nursery.cancel_scope.cancel()
        assert await here.successor() is None
        here.limits.going.set()
        assert await here.begun() == await here.successor()
        await wait_all_tasks_blocked()
        assert here.limits.counted == ["of ann"]
