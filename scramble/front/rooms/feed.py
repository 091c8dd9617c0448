"""The feed of a room's gathering for the connections of one process.

Each connection has a stay in the room. The stay ends with the connection. The feed encodes a state once for all
connections, and once more for the host.

Safe under concurrency: state changes only between two awaits.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

import msgspec
import trio

from scramble.errors import CallerError, GameStopped, Refusal
from scramble.front.rooms.views import held_frame, hide_secrets
from scramble.front.web.feed import FeedSocket, Follower, Unsubscribe
from scramble.front.web.presence import PLAYERS, PresenceFeed
from scramble.kernel.protocol import MOST_NAMED, Event
from scramble.rooms.gathering.messages import Named, NextGame, NoteTime, Removed, TakeNext, Updated
from scramble.rooms.gathering.stay import Stay
from scramble.rooms.protocol import Room, Rooms
from scramble.rooms.registermessages import RoomEvent
from scramble.server.http.closing import CloseReason

COMPANY: Final = "company"  # key of a value
HELD: Final = "held"

UPDATE_RETRY_S: Final = 1.0
"""The pause before the next query, after a game has refused a query."""

R = TypeVar("R")


async def repeated(query: Callable[[], Awaitable[R]]) -> R:
    """Return the answer to a query that games refuse only as long as their disk is full. Raises GameStopped."""
    while True:
        try:
            return await query()
        except CallerError:
            await trio.sleep(UPDATE_RETRY_S)


class _Member(Follower):
    """One connection. `name` is its holder. `player` is None for a spectator."""

    __slots__ = ("player",)

    def __init__(self, feed: GatheringFeed, link: FeedSocket, holder: str | None, player: str | None) -> None:
        super().__init__(feed, link, holder)
        self.player: Final = player


class GatheringFeed(PresenceFeed):
    """The connections in one room that is awake. Mutable."""

    # AF: the followers, the values COMPANY and HELD, and the values of the presence. _is_ready: the state is known;
    #     only names may be missing, if the game refused a query. _coming has the registered connections that still
    #     need their first state. _states has the encoded frames of the current state: for the host (True), and for all
    #     other connections (False). _is_stale: the current batch has changed the state or the presence. _players_wait:
    #     the frame of the players is due, and follows the next frame of the state. _next is the choice for the next
    #     game, with the number _nexts. _successor is the next room; None: this process knows no next room that clients
    #     can enter.
    # Safety from exposure: frames are strings.

    def __init__(
        self,
        room: Room,
        rooms: Rooms,
        prepare: Callable[[], Awaitable[None]],
        happened: Callable[[Event], None],
    ) -> None:
        """Begin without connections. `happened` gets each gathering event except Named and Updated, and must not wait.

        The feed awaits `prepare` before connections get the state. `prepare` may raise GameStopped. If it raises a
        CallerError, connections get the state nevertheless, and the feed calls `prepare` again later.
        """
        super().__init__(room.start_soon, room.here)
        self._prepare = prepare
        self._happened = happened
        self._published: Final = room.gathering.subscribe()
        self._news: Final = trio.lowlevel.ParkingLot()
        self._coming: Final[list[_Member]] = []
        self._is_ready = False
        self._is_stale = False
        self._players_wait = False
        self._next: NextGame | None = None
        self._nexts = 0
        self._room: Final = room
        self._rooms: Final = rooms
        self._successor: str | None = room.record.successor
        self._states: Final[dict[bool, str]] = {}
        self._follows = False
        rooms.outage.notify(self)

    def let_go(self) -> None:
        """Drop the callbacks: they form a reference cycle with this object."""
        super().let_go()
        self._prepare, self._happened = trio.lowlevel.checkpoint, _nothing
        self._coming.clear()

    def follow_gathering(self) -> None:
        """Follow the gathering while the room has visitors. Handle earlier removals, but no other earlier events."""
        if not self._follows:
            self._follows = True
            for change in self._published.pending():
                for event in change.events:
                    if isinstance(event, Removed):
                        self._happened(event)
            self._room.start_soon(self._follow_all)

    async def _follow_all(self) -> None:
        """Follow the gathering, the record of the room, and the next room. Runs until the gathering ends."""
        with self._published.watched(self._catch_up):
            self._catch_up()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow_record, nursery)
                with suppress(GameStopped):
                    await self._room.known()
                    if not await self._is_prepared():
                        nursery.start_soon(self._prepare_later)
                    await self._follow_gathering()
                nursery.cancel_scope.cancel()

    async def _is_prepared(self) -> bool:
        try:
            await self._prepare()
        except CallerError:
            return False
        return True

    async def _prepare_later(self) -> None:
        with suppress(GameStopped):
            await trio.sleep(UPDATE_RETRY_S)
            await repeated(self._prepare)

    async def _follow_gathering(self) -> None:
        """Handle the changes that need queries to the gathering. Raises GameStopped."""
        following, gathering = self._room.following, self._room.gathering
        self._is_ready = True
        self._change()
        while not self._published.ended:
            state = following.state
            if state is not None and state.nexts != self._nexts:
                self._next, self._nexts = await gathering.ask(TakeNext()), state.nexts
                self._change()
                continue
            self._begin_all()
            patience_s = following.changes_in
            with trio.move_on_after(math.inf if patience_s is None else patience_s) as patience:
                await self._news.park()
            if patience.cancelled_caught:
                await gathering.ask(NoteTime())

    def _catch_up(self) -> None:
        """Handle the new events of the gathering. Does not wait, and does not raise."""
        for change in self._published.pending():
            for event in change.events:
                if isinstance(event, Named | Updated):
                    self._is_stale = True
                else:
                    self._happened(event)
        if self._is_stale:
            self._change()
        self._begin_all()
        self._news.unpark_all()

    async def _follow_record(self, nursery: trio.Nursery) -> None:
        record, following = self._room.record, False
        self._successor = record.successor
        with suppress(GameStopped):
            while True:
                if record.successor is not None and not following:
                    following = True
                    nursery.start_soon(self._follow_successor)
                before, record = record, await self._room.next_record(record)
                if record.successor != before.successor:
                    self._successor = record.successor  # a newly opened room
                self._change()

    async def _follow_successor(self) -> None:
        """Follow the state of the next room, so that connections get no link to a closed or removed room."""
        changes = self._rooms.changes()
        await self._find_successor()
        with suppress(GameStopped):
            async for change in changes:
                named = self._room.record.successor
                if change.missed or any(not isinstance(one, RoomEvent) or one.room == named for one in change.events):
                    await self._find_successor()

    async def _find_successor(self) -> None:
        with suppress(Refusal, GameStopped):  # this room was removed, or the register is moving: a later change follows
            found = await self._rooms.successor(self._room.record.name)
            if self._successor != (None if found is None else found.name):
                self._successor = None if found is None else found.name
                self._change()

    # --- connections ---

    def attend(self, player: str | None, holder: str | None, account: str, link: FeedSocket) -> Unsubscribe:
        """Add a connection of an account to the room, and to the feed. Does not wait.

        Returns the function that removes the connection.
        """
        self.follow_gathering()
        member = _Member(self, link, holder, player)
        self.add(member)
        return partial(self._leave, member, self._room.attend(player, holder, account, partial(self._begin, member)))

    def glance(self, link: FeedSocket) -> Unsubscribe:
        """Add a connection to the feed, but not to the room: it is not counted. Returns the function that removes it.

        Does not wait.
        """
        self.follow_gathering()
        member = _Member(self, link, None, None)
        self.add(member)
        self._begin(member)
        return partial(self._forget, member)

    def _begin(self, member: _Member) -> None:
        """Send the state to a new connection as soon as the state has the connection's player."""
        self._coming.append(member)
        if not self._published.behind:  # otherwise `_catch_up` will begin the connection
            self._begin_all()

    def _begin_all(self) -> None:
        if self._is_ready and self._coming:
            waiting, here = self._coming.copy(), self.here
            self._coming.clear()
            for member in waiting:
                if member.player is None or here.is_here(member.player):
                    member.begin_soon()
                else:
                    self._coming.append(member)

    def _leave(self, member: _Member, stay: Stay) -> None:
        self._forget(member)
        stay.end()

    def _forget(self, member: _Member) -> None:
        member.leave()
        if member in self._coming:
            self._coming.remove(member)

    def part_with(self, holder: str, player: str | None, reason: CloseReason) -> None:
        """Close a holder's connections after their last event. With `player`, close only this player's connections."""
        for member in tuple(self._followers):
            if isinstance(member, _Member) and member.name == holder and player in (None, member.player):
                member.close(reason)

    # --- frames ---

    def publish_act(self, kind: str, **values: object) -> None:
        """Send an event to all connections."""
        self.publish(msgspec.json.encode({"type": kind, **values}).decode())

    def hold_up(self, is_on: bool) -> None:
        """Send the outage flag to all connections."""
        self.put(HELD, held_frame(is_on))

    def _moved(self) -> None:
        """Send the presence at the end of the batch, after the state."""
        self._is_stale = True

    def _change(self) -> None:
        self._is_stale = False
        self._states.clear()
        if self._is_ready and self._room.following.state is not None:
            self.put_soon(COMPANY)
        super()._moved()

    def _put_in_turn(self, key: str) -> None:
        """Send a value. The players wait for the state, which has their names."""
        if key == PLAYERS and COMPANY in self._due:
            self._players_wait = True
            return
        super()._put_in_turn(key)
        if key == COMPANY and self._players_wait:
            self._players_wait = False
            super()._put_in_turn(PLAYERS)

    def own(self, key: str) -> Collection[str]:
        """Return the host: only the host gets a private frame of the state."""
        state = self._room.following.state
        return (state.host,) if key == COMPANY and state is not None and state.host is not None else ()

    def frame(self, key: str, name: str | None) -> str:
        """Return the current frame of the state for the holder `name`, or of the presence."""
        return self._state(name) if key == COMPANY else super().frame(key, name)

    def _state(self, holder: str | None) -> str:
        record, wanted, following = self._room.record, self._next, self._room.following
        state = following.state
        assert state is not None
        hosting = state.host is not None and holder == state.host
        if hosting in self._states:
            return self._states[hosting]
        settings: dict[str, object] | None = None
        if wanted is not None and wanted.settings is not None:
            settings = msgspec.json.decode(wanted.settings, type=dict[str, object])
        company = {
            "type": "company",
            "room": record.name,
            "title": record.title,
            "state": record.state,
            "host": state.host_player,
            "hosting": hosting,
            "names": following.names,
            "avatars": state.avatars,
            "votes": state.voters,
            "counted": state.votes,
            "needed": state.needed,
            "acting": hosting and state.acts,
            "all_in": following.may_all_in if hosting else None,
            "players": self.here.players[:MOST_NAMED],
            "watching": self.here.watching,
            "next": settings if hosting or settings is None else hide_secrets(self._rooms, record.kind, settings),
            "successor": self._successor,
            "turn": record.turn_s,
        }
        frame = msgspec.json.encode(company).decode()
        if company["all_in"] is None:  # a frame with a countdown cannot be cached
            self._states[hosting] = frame
        return frame

    def __str__(self) -> str:
        return f"{self.connections} connections"


def _nothing(_: Event) -> None:
    pass
