"""The company in a room that is awake: host, votes, acts that all see, reactions, and the next game.

    company = room.attached(make_company)                        # one for all connections, as long as the room is awake
    beside = company.beside(player, websocket.send)              # a task of each connection: sends its frames
    record = await company.again(holder)                         # an act of a person, or a refusal in words

The frames of a connection have `company` as their type for the state, `act` for what somebody did to the game of all,
and `reaction`. docs/reference/rooms-together.md has them. Acts come in over HTTP (`scramble.front.rooms.acts`), because
each has one answer, and the cookie says who asks.

Who opened the room, who may not play and which room is next are in the register and outlast everything; votes,
reactions, tickets for seats, and what the host has chosen for the next game end with the room's sleep.

Safe under concurrency: the state changes between two awaits. Two that begin the next game at once begin the same one,
because the register gives a room one successor.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, NoReturn, TypeAlias

import msgspec
import trio

from scramble.errors import CallerError, GameStopped
from scramble.front.rooms.handover import SeatTickets
from scramble.front.rooms.opening import Doorkeeper
from scramble.front.rooms.people import MOST_REMEMBERED, People
from scramble.front.rooms.playing import PlayingRequests
from scramble.front.rooms.refusals import (
    HostAct,
    HostStays,
    NamesAreOpen,
    NobodyThere,
    NobodyWithSecret,
    NoSuchReaction,
    NotPlaying,
    NotTheHost,
    OpenerStays,
    PlayerRemoved,
    TooFast,
)
from scramble.front.rooms.views import hide_secrets
from scramble.front.rooms.visit import visiting
from scramble.front.web.hues import Hues
from scramble.front.web.names import NamedPlayer
from scramble.front.web.presence import BYTES_PER_S
from scramble.front.web.seats import CLOSE_CODE, holder_at_hand
from scramble.front.web.websocket import BesideTask, Send
from scramble.kernel.protocol import MOST_NAMED
from scramble.kernel.seats import FindSeat, HandOverSeat, ListNames, SeatTaken, seat_taken_words
from scramble.memory.game import Game as MemoryGame
from scramble.memory.messages import Relinquish
from scramble.rooms.protocol import Room, RoomRecord, Rooms
from scramble.server.http.closing import CloseReason
from scramble.server.protection.token_bucket import TokenBucket

REACTIONS: Final = ("👍", "👏", "😂", "😮", "😢", "🎉", "🤔", "👋")

PAUSE_S: Final = 0.1  # between two states for one connection: when a class comes back, everybody arrives at once
FRAMES_PER_S: Final = 1000  # of states, to all connections together: with more than a hundred the pauses grow
MOST_EVENTS: Final = 64  # that a connection may be behind; older ones it never sees
MOST_NAMES: Final = 1000  # display names, the latest
DELIVERY_S: Final = 1.0  # for the last words in a room that is closed
REACTIONS_AT_ONCE: Final = 4
REACTIONS_PER_S: Final = 0.5

Json: TypeAlias = str | int | float | bool | list[str] | dict[str, str] | None


CompanyOf: TypeAlias = Callable[[Room], "RoomCompany"]
"""Returns the company in a room, the same one as long as the room is awake."""


class _Member:
    """One connection of the company; `player` is None if it watches."""

    def __init__(self, holder: str | None, player: str | None) -> None:
        self.holder: Final = holder
        self.player: Final = player
        self.position = 0  # of the next event to send
        self.reason: CloseReason | None = None  # for which it is to be closed, after its last event


class RoomCompany:
    """Everybody in one room that is awake. Mutable."""

    # AF: the company of _room: _people says who is here, with _members as connections; _events are the latest frames
    #     for all, of which _end were made so far. The state has changed _number times.
    # RI: at most MOST_EVENTS are in _events; no member's position is above _end.
    # Safety from exposure: frames are strings.

    def __init__(self, room: Room, rooms: Rooms, doorkeeper: Doorkeeper) -> None:
        """Begin with nobody; has to be called in a running trio loop. The `doorkeeper` counts the next room."""
        self._room: Final = room
        self._rooms: Final = rooms
        self._doorkeeper: Final = doorkeeper
        self._people: Final = People(room.record.host, trio.current_time())
        self._members: Final[set[_Member]] = set()
        self._names: dict[str, str] = {}  # of players whose name is not their ID
        self._names_are_loaded = False
        self._bots: Final[list[str]] = []
        self._hues: Final = Hues()
        self._begun: str | None = None  # the room of the next game, if it was begun here
        self._next: Mapping[str, object] | None = None  # settings of the next game, if they are other ones
        self._next_turn_s = room.record.turn_s
        self._tickets: Final = SeatTickets()
        self._playing: Final = PlayingRequests()
        self._parting: Final = trio.Lock()  # held while a seat changes hands, or a player is removed
        self._buckets: Final[dict[str, TokenBucket]] = {}
        self._events: Final = deque[str](maxlen=MOST_EVENTS)
        self._end = 0
        self._number = 0
        self._states: Final[dict[bool, str]] = {}  # as the host gets them, and as others do
        self._is_agreed = False  # that a new game begins, as of the last state that was encoded
        self._changed: Final = trio.lowlevel.ParkingLot()
        self._delivered: Final = trio.lowlevel.ParkingLot()  # for tasks that wait until members have seen events
        self._beginning: Final = trio.Lock()

    # --- connections ---

    def beside(self, player: str | None, send: Send, /) -> tuple[BesideTask, ...]:
        """Return the tasks of the connection at hand that send it the company's frames, and its hues."""
        return (partial(self._attend, player, holder_at_hand(), send), *self._hues.beside(player, send))

    async def _attend(self, player: str | None, holder: str | None, send: Send) -> CloseReason | None:
        with suppress(GameStopped):  # the connection finds out by itself
            if not self._names_are_loaded:
                names = await self._room.game.ask(ListNames()) | self._names
                self._names = dict(list(names.items())[-MOST_NAMES:])
                self._names_are_loaded = True
            with self._here(player, holder) as member:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._follow_record)
                    reason = await self._tell(member, send)
                    nursery.cancel_scope.cancel()
            return reason
        return None

    @contextmanager
    def _here(self, player: str | None, holder: str | None) -> Iterator[_Member]:
        member = _Member(holder, player)
        member.position = self._end
        self._members.add(member)
        if holder is not None:
            self._people.arrive(holder, player, trio.current_time())
        self._change()
        try:
            yield member
        finally:
            self._members.remove(member)
            if holder is not None:
                self._people.leave(holder, player, trio.current_time())
            self._change()

    async def _follow_record(self) -> NoReturn:
        record = self._room.record
        with suppress(GameStopped):
            while True:
                record = await self._room.next_record(record)
                self._change()
        await trio.sleep_forever()

    async def _tell(self, member: _Member, send: Send) -> CloseReason:
        seen = -1
        while True:
            while member.position < self._end:
                oldest = self._end - len(self._events)
                member.position = max(member.position, oldest)
                member.position += 1
                await send(self._events[member.position - 1 - oldest])
                self._delivered.unpark_all()
            if member.reason is not None:
                return member.reason
            if seen != self._number:
                seen = self._number
                frame, members = self._state(member), len(self._members)
                await send(frame)
                await trio.sleep(max(PAUSE_S, members / FRAMES_PER_S, members * len(frame) / BYTES_PER_S))
                await self._begin_if_agreed()
            elif member.position == self._end:
                with trio.move_on_at(self._people.host_changes_at(trio.current_time())) as until:
                    await self._changed.park()
                if until.cancelled_caught:
                    self._change()

    def _change(self) -> None:
        self._number += 1
        self._states.clear()
        self._changed.unpark_all()

    def _say(self, kind: str, **values: Json) -> None:
        """Send an event to all."""
        self._events.append(msgspec.json.encode({"type": kind, **values}).decode())
        self._end += 1
        self._changed.unpark_all()

    def _state(self, member: _Member) -> str:
        record, people, wanted = self._room.record, self._people, self._next
        host = people.host(trio.current_time())
        hosting = host is not None and member.holder == host
        if hosting in self._states:
            return self._states[hosting]
        voters = people.voters()
        self._is_agreed = len(voters) >= people.needed
        state = {
            "type": "company",
            "room": record.name,
            "title": record.title,
            "state": record.state,
            "host": people.player_of(host),
            "hosting": hosting,
            "names": self._names,
            "votes": voters,
            "needed": people.needed,
            "players": [*people.players(), *self._bots][:MOST_NAMED],
            "watching": sum(one.player is None for one in self._members),
            "next": wanted if hosting or wanted is None else hide_secrets(wanted),
            "successor": record.successor,
            "turn": record.turn_s,
        }
        self._states[hosting] = msgspec.json.encode(state).decode()
        return self._states[hosting]

    # --- people ---

    def require_welcome(self, holder: str | None) -> None:
        """Raise PlayerRemoved if the host has removed that client from this game."""
        if holder is not None and holder in self._room.record.expelled:
            raise PlayerRemoved

    def note_player(self, holder: str, player: str) -> None:
        """Note that the holder plays as that player over HTTP, where no seat tells the player's holder."""
        is_new = not self._people.players_of(holder)
        self._people.note(holder, player, trio.current_time())
        if is_new:
            self._change()

    @contextmanager
    def playing(self, holder: str, *, at_once: bool) -> Iterator[trio.CancelScope]:
        """Let a request play during the block, cancelled if its holder is removed; a WebSocket is closed before that.

        Raises PlayerRemoved.
        """
        self.require_welcome(holder)
        with self._playing.during(holder, at_once=at_once) as scope:
            yield scope

    def note_name(self, player: str, name: str) -> None:
        """Note the display name of a player."""
        self._names.pop(player, None)
        if name != player:
            self._names[player] = name
        if len(self._names) > MOST_NAMES:
            del self._names[next(iter(self._names))]
        self._change()

    @contextmanager
    def bot_here(self, player: str, name: str) -> Iterator[None]:
        """Show a bot under its display name, as a player who is here during the block."""
        self._bots.append(player)
        self.note_name(player, name)
        try:
            with self._hues.here(player):
                yield
        finally:
            self._bots.remove(player)
            self._change()

    def _name_of(self, player: str | None) -> str | None:
        return None if player is None else self._names.get(player, player)

    def require_host(self, holder: str | None, act: HostAct) -> None:
        """Raise NotTheHost unless that is the host, or who opened the room, who alone may do that."""
        if not self._is_host(holder):
            raise NotTheHost(act)

    def _is_host(self, holder: str | None) -> bool:
        """Return True also for who opened the room without a connection: who asks for something is back."""
        return bool(holder) and holder in (self._room.record.host, self._people.host(trio.current_time()))

    def _act(self, act: str, holder: str | None, **values: Json) -> None:
        player = self._people.player_of(holder)
        self._say("act", act=act, by=player, name=self._name_of(player), **values)

    # --- the next game ---

    async def again(self, holder: str, token: str = "") -> RoomRecord:
        """Begin the next game, in another room, and return its record. Waits until it is recorded.

        In a game that has ended everybody may who may open rooms, before that the host. Raises NotTheHost,
        PlayerRemoved, MayNotOpen, BadSettings, RoomsFull, or that the client's address has opened too many rooms.
        """
        self.require_welcome(holder)
        record = self._room.record
        if record.state != "ended":
            self.require_host(holder, "again")
        elif record.successor is None and self._begun is None and not self._is_host(holder):
            self._doorkeeper.require(visiting().client, token)
        return await self._begin(holder)

    async def set_next(self, holder: str, settings: Mapping[str, object] | None, turn_s: float | None) -> None:
        """Set the settings of the next game, None for those of this one, and its turn clock.

        Raises NotTheHost or BadSettings.
        """
        self.require_host(holder, "settings")
        if settings is not None:
            settle = self._rooms.kinds[self._room.record.kind].settle
            await trio.to_thread.run_sync(settle, settings, 0)
        self._next, self._next_turn_s = settings, turn_s
        self._act("settings", holder)
        self._change()

    def vote(self, holder: str, wanted: bool) -> None:
        """Note whether a player wants a new game; it begins once most who play do. Raises NotPlaying or TooFast."""
        player = self._people.player_of(holder)
        if player is None or not self._people.plays(holder, player):
            raise NotPlaying
        is_news = wanted and player not in self._people.voters()
        if is_news:
            self._hold_back(holder)
        self._people.vote(holder, wanted)
        if is_news:
            self._act("vote", holder)
        self._change()

    async def _begin_if_agreed(self) -> None:
        if self._is_agreed and self._begun is None and self._room.record.successor is None:
            with suppress(CallerError, GameStopped):  # the server is full: with the next change this is tried again
                await self._begin(None)

    async def _begin(self, holder: str | None) -> RoomRecord:
        async with self._beginning:
            record = self._room.record
            if record.successor is None and self._begun is None:
                self._doorkeeper.count(visiting().client)
            settings = await self._rooms.settings(record)
            kind, seed = self._rooms.kinds[record.kind], secrets.randbits(31)
            again = await trio.to_thread.run_sync(kind.again, settings, seed) if self._next is None else self._next
            after = await self._rooms.create(
                record.kind,
                again,
                title=record.title,
                public=record.public,
                names=record.names,
                host=record.host,
                bots=record.bots,
                after=record.name,
                turn_s=self._next_turn_s,
            )
            if after.name not in (record.successor, self._begun):  # the record may not know it yet
                self._begun = after.name
                self._act("again", holder, room=after.name)
            return after

    # --- acts of the host ---

    async def rename(self, holder: str, title: str) -> None:
        """Give the room another title. Raises NotTheHost or InvalidCommand."""
        self.require_host(holder, "rename")
        await self._rooms.rename(self._room.record.name, title)
        self._act("rename", holder, title=title)

    async def close(self, holder: str) -> None:
        """Close the room for good. All who are in it are told who did it. Raises NotTheHost."""
        self.require_host(holder, "close")
        with trio.CancelScope(shield=True):  # who is told so must not find it open because the host's page has gone
            self._act("close", holder)
            with trio.move_on_after(DELIVERY_S):
                while any(member.position < self._end for member in self._members):
                    await self._delivered.park()
            await self._rooms.close(self._room.record.name)

    async def remove(self, holder: str, player: str) -> None:
        """Remove a player from this game, under any name. Raises NotTheHost, NobodyThere, HostStays or OpenerStays."""
        self.require_host(holder, "remove")
        async with self._parting:
            target = await self._holder_of(player)
            if target is None:
                raise (NobodyWithSecret if self._room.record.names == "open" else NobodyThere)(player)
            if target == holder:
                raise HostStays
            if target == self._room.record.host:
                raise OpenerStays
            await self._rooms.expel(self._room.record.name, target)
        self._people.remove(target)
        self._act("remove", holder, player=player, player_name=self._name_of(player))
        self._part_with(target, None, CloseReason(CLOSE_CODE + PlayerRemoved.status, PlayerRemoved.code))
        await self._playing.end(target, DELIVERY_S)  # a flip that waits would take the card after all
        if isinstance(self._room.game, MemoryGame):
            for one in {player, *self._people.players_of(target)}:
                with suppress(CallerError):  # holds nothing
                    await self._room.game.ask(Relinquish(one))

    def _part_with(self, holder: str, player: str | None, reason: CloseReason) -> None:
        """Close the connections of that holder, or only those as that player, after their last event."""
        for member in self._members:
            if member.holder == holder and player in (None, member.player):
                member.reason = reason
        self._changed.unpark_all()

    async def _holder_of(self, player: str) -> str | None:
        if self._room.record.names == "open":
            return self._people.holder_of(player)
        seat = await self._room.game.ask(FindSeat(player))
        return None if seat is None else seat.holder

    # --- seats that go to another device ---

    async def give_ticket(self, holder: str, player: str) -> str:
        """Return a ticket for a seat of the holder.

        Raises SeatTaken, PlayerRemoved, NobodyThere or NamesAreOpen.
        """
        self.require_welcome(holder)
        if self._room.record.names == "open":
            raise NamesAreOpen
        seat = await self._room.game.ask(FindSeat(player))
        if seat is None:
            raise NobodyThere(player)
        if seat.holder != holder:
            raise SeatTaken(seat_taken_words(player), player)
        return self._tickets.give(player, holder)

    async def use_ticket(self, holder: str, text: str) -> NamedPlayer:
        """Give the seat of a ticket to `holder`, and return its player. Raises NoSuchTicket or PlayerRemoved."""
        async with self._parting:
            ticket = self._tickets.find(text)
            for one in (holder, ticket.holder):  # whoever was removed does not come back as somebody else's device
                self.require_welcome(one)
            await self._room.game.ask(HandOverSeat(ticket.player, ticket.holder, holder))
            self._tickets.void(text)
        if ticket.holder != holder:
            self._part_with(ticket.holder, ticket.player, CloseReason(CLOSE_CODE + SeatTaken.status, SeatTaken.code))
        return NamedPlayer(ticket.player, self._name_of(ticket.player) or ticket.player)

    # --- reactions ---

    def react(self, holder: str, player: str | None, emoji: str) -> None:
        """Show everybody an emoji of that player; None: the one that the holder plays lately.

        Raises NotPlaying, NoSuchReaction or TooFast.
        """
        if emoji not in REACTIONS:
            raise NoSuchReaction(" ".join(REACTIONS))
        player = player or self._people.player_of(holder)
        if player is None or not self._people.plays(holder, player):
            raise NotPlaying
        self._hold_back(holder)
        self._say("reaction", player=player, emoji=emoji)

    def _hold_back(self, holder: str) -> None:
        """Count something that all see. Raises TooFast."""
        if holder not in self._buckets and len(self._buckets) >= MOST_REMEMBERED:
            for one in [one for one, bucket in self._buckets.items() if bucket.is_full]:
                del self._buckets[one]
        if not self._buckets.setdefault(holder, TokenBucket(REACTIONS_AT_ONCE, REACTIONS_PER_S)).take():
            raise TooFast

    def __str__(self) -> str:
        return f"{self._room.record.name}: {self._people}"
