"""The front of the gathering in a room: host, votes, visible acts, reactions, and the next game.

    gathering = room.attached(make_gathering, while_visited=True)   # one object for all connections
    beside = gathering.beside(player, client)                       # the subscription of one connection
    room = await gathering.again(holder)                            # an act of a person; raises refusals

The types of frames are `company` for the state, `act` for an act that affects everybody's game, `reaction`, and `held`
for the outage flag (docs/reference/rooms-together.md). Acts arrive over HTTP (`scramble.front.rooms.people_api`),
because each act has one answer, and the cookie identifies the person.

The gathering (`scramble.rooms.gathering`) decides about host and votes, and publishes events. All processes with people
in the room share the gathering. The room's steward (`scramble.rooms.steward`) executes the parts of acts that need the
rooms or the game. The steward runs in the process of the gathering. The register permanently stores the room's opener,
the removed players, and the next room.

Safe under concurrency: the gathering has an owner task. The steward executes one act of each lane at a time.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, TypeAlias, TypeVar

import msgspec
import trio

from scramble.errors import GameMoved, GameStopped
from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.feed import GatheringFeed, repeated
from scramble.front.rooms.playing import PlayingRequests
from scramble.front.rooms.refusals import NamesAreOpen
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.web.client import Client
from scramble.front.web.feed import FeedSocket, Unsubscribe
from scramble.front.web.names import NamedPlayer
from scramble.front.web.presence import Encode, FreeIn
from scramble.front.web.seats import Seats
from scramble.front.web.websocket import Beside
from scramble.kernel.protocol import Command, Event
from scramble.players.seats import ListNames, SeatTaken
from scramble.rooms.gathering.messages import (
    Acted,
    Begin,
    Close,
    HandedOver,
    NextGame,
    NotBegun,
    NoteAvatar,
    NoteDelivery,
    NoteNames,
    NotePlayer,
    OfferSeat,
    React,
    Reacted,
    Remove,
    Removed,
    Rename,
    RequireHost,
    SetNext,
    Undone,
    UseTicket,
    Vote,
)
from scramble.rooms.gathering.names import MOST_NAMES
from scramble.rooms.gathering.refusals import HostAct, NotTheHost, OthersAttempt, PlayerRemoved
from scramble.rooms.protocol import Room, Rooms
from scramble.rooms.steward import DELIVERY_S
from scramble.server.http.closing import close_reason_of
from scramble.server.protection.by_address import account, is_local

R = TypeVar("R")

NOTED_S: Final = 5.0  # the pause before a player without a connection is noted again
MOST_NOTED: Final = 1000  # limit for stored players without a connection, and for stored removals; keeps the latest
TICKET_BYTES: Final = 16  # random bytes

REMOVED: Final = close_reason_of(PlayerRemoved)
SEAT_TAKEN: Final = close_reason_of(SeatTaken)

GatheringOf: TypeAlias = Callable[[Room], "GatheringFront"]
"""Function that returns the front of the gathering in a room: the same object while the room has visitors."""


class GatheringFront:
    """The gathering in one room, for the people whom this process serves. Mutable."""

    # AF: the front of the gathering in _room. The connections follow _feed. _playing has the requests. The host has
    #     removed the holders in _removed. _noted has players without a connection, and the times of their last notes,
    #     the latest last.
    # RI: _noted has at most MOST_NOTED players.

    def __init__(self, room: Room, rooms: Rooms, doorkeeper: Doorkeeper) -> None:
        """Begin without people. The `doorkeeper` checks the permission to begin the next game, and limits parsing.

        The front begins to follow the gathering at the first connection, player or act.
        """
        self._room: Final = room
        self._rooms: Final = rooms
        self._doorkeeper: Final = doorkeeper
        self._feed: Final = GatheringFeed(room, rooms, self._load_names, self._happened)
        self.seats: Final = Seats(room.game.ask, lookalikes=True, keeping=self._feed.follow_gathering)
        self._playing: Final = PlayingRequests()
        self._removed: Final = OrderedDict[str, None]()
        self._noted: Final[OrderedDict[tuple[str, str], float]] = OrderedDict()

    async def _ask(self, command: Command[R]) -> R:
        """Send a command to the gathering, and return the answer.

        The front follows the gathering from this call on. Before this call returns, it handles the preceding events.
        """
        self._feed.follow_gathering()
        return await self._room.gathering.ask(command)

    def let_go(self) -> None:
        """Drop the references to this front: the last visitor has left the room."""
        self._feed.let_go()

    # --- connections ---

    def beside(self, player: str | None, client: Client, /) -> tuple[Beside, ...]:
        """Return a subscription: it registers a client's connection in the room, and sends the state and the hues.

        A client that glances at the room only gets the state and the hues.
        """
        if client.glances and player is None:
            return (self._feed.glance,)
        return (partial(self._attend, player, client.holder, _account()),)

    def _attend(self, player: str | None, holder: str | None, account: str, link: FeedSocket) -> Unsubscribe:
        leave = self._feed.attend(player, holder, account, link)
        if player is not None and holder is not None and self._room.record.names == "seats":
            self._room.start_soon(partial(self._check_seat, player, holder))
        return leave

    async def _check_seat(self, player: str, holder: str) -> None:
        """Close the connections of a seat that was handed over after the door had checked it, before they attended."""
        with suppress(GameStopped):
            if await repeated(partial(self.seats.holder_of, player)) not in (None, holder):
                self._feed.part_with(holder, player, SEAT_TAKEN)

    async def _load_names(self) -> None:
        """Send the display names in the game to the gathering."""
        names = await self._room.game.ask(ListNames())
        latest = dict(list(names.items())[-MOST_NAMES:])
        await self._ask(NoteNames(latest, early=True))

    def show_players(self, encode: Encode, free_in: FreeIn) -> None:
        """Also send the connected players to the connections: the game's own frames do not have these players."""
        self._feed.show_players(encode, free_in)

    def _happened(self, event: Event) -> None:
        match event:
            case Acted(act, by, name, values):
                self._feed.publish_act("act", act=act, by=by, name=name, **values)
                if act == "close":
                    self._room.start_soon(self._note_delivery)
            case NotBegun(error, code, params):
                self._feed.publish_act("refusal", act="again", error=error, code=code, params=params)
            case Reacted(player, emoji):
                self._feed.publish_act("reaction", player=player, emoji=emoji)
            case Removed(holder, players):
                self._removed[holder] = None
                if len(self._removed) > MOST_NOTED:
                    self._removed.popitem(last=False)
                self._feed.part_with(holder, None, REMOVED)
                self._room.start_soon(partial(self._end_playing, holder, players))
            case HandedOver(holder, player, to):
                self.seats.forget(player)
                if to != holder:
                    self._feed.part_with(holder, player, SEAT_TAKEN)

    async def _note_delivery(self) -> None:
        with suppress(GameStopped):  # the room was closed in the meantime
            await self._feed.delivered()
            await self._ask(NoteDelivery(self._room.place))

    # --- people ---

    def require_welcome(self, holder: str | None) -> None:
        """Raise PlayerRemoved if the host has removed the client; OthersAttempt in another client's daily challenge."""
        if holder is None:
            return
        record = self._room.record
        if holder in record.expelled or holder in self._removed:
            raise PlayerRemoved
        if record.daily and holder != record.host:
            raise OthersAttempt

    async def note_player(self, holder: str, player: str) -> None:
        """Note that the holder plays as `player` over HTTP. Rooms with open names need this: they have no seats."""
        now, one = trio.current_time(), (holder, player)
        if self._noted.get(one, -NOTED_S) + NOTED_S > now:
            return
        self._noted[one] = now
        self._noted.move_to_end(one)
        if len(self._noted) > MOST_NOTED:
            self._noted.popitem(last=False)
        await self._ask(NotePlayer(holder, player))

    @contextmanager
    def playing(self, holder: str, *, at_once: bool) -> Iterator[trio.CancelScope]:
        """Register a playing request during the block. A removal of the holder cancels the block.

        `at_once` is False for a WebSocket: it is closed with a reason before the cancellation. Raises PlayerRemoved.
        """
        self._feed.follow_gathering()  # another process may remove the holder, or has already removed the holder
        self.require_welcome(holder)
        with self._playing.during(holder, at_once=at_once) as scope:
            yield scope

    async def note_name(self, player: str, name: str) -> None:
        """Note the display name of a player."""
        await self._ask(NoteNames({player: name}))

    async def note_avatar(self, player: str, avatar: int) -> None:
        """Note the avatar that a player has chosen."""
        await self._ask(NoteAvatar(player, avatar))

    async def require_host(self, holder: str | None, act: HostAct) -> None:
        """Raise NotTheHost or StandsIn unless the holder may do `act`, as the host or as the room's opener."""
        await self._ask(RequireHost(holder, act))

    # --- the next game ---

    async def again(self, holder: str, token: str = "") -> str:
        """Begin the next game in another room. Return the room's name. Waits until the register has recorded the room.

        Before the end of this game, only the host may begin the next game. Afterwards, all clients with the permission
        to open rooms may begin it. Raises NotTheHost, PlayerRemoved, MayNotOpen, BadSettings, Busy or RoomsFull, or a
        refusal because the client's address has opened too many rooms.
        """
        client, has_ended = visiting().client, self._room.record.state == "ended"
        may_open = has_ended and self._doorkeeper.may_open(client, token)
        try:
            return await self._act(Begin(holder, client, not has_ended, may_open))
        except NotTheHost:
            if has_ended:
                self._doorkeeper.require(client, token)
            raise
        except GameStopped:  # the room has ended, or the answer was lost: the next game may have begun
            after = await self._rooms.successor(self._room.record.name)
            if after is None:
                raise
            return after.name

    async def set_next(self, holder: str, settings: Mapping[str, object] | None, turn_s: float | None) -> None:
        """Set the settings of the next game, and its turn clock. None: the settings of this game.

        Raises NotTheHost, BadSettings, TooFast or Busy.
        """
        await self.require_host(holder, "settings")
        if settings is not None:
            settle = self._rooms.kinds[self._room.record.kind].settle
            self._doorkeeper.count_parsing(visiting().client, holder)
            async with self._rooms.parsing.place(self._doorkeeper.asker(visiting().client)) as run:
                await run(partial(settle, settings, 0))
        encoded = None if settings is None else msgspec.json.encode(settings)
        await self._ask(SetNext(holder, NextGame(encoded, turn_s)))

    async def vote(self, holder: str, wanted: bool) -> None:
        """Note the vote of a player: True for a new game. That game begins when most players who have moved want it.

        Raises NotPlaying, NotMoved or TooFast.
        """
        await self._act(Vote(holder, wanted, visiting().client))

    # --- acts of the host ---

    async def rename(self, holder: str, title: str) -> None:
        """Give the room another title. Raises NotTheHost or InvalidCommand."""
        await self.require_host(holder, "rename")  # count only titles of hosts
        self._doorkeeper.count_title(visiting().client)
        await self._act(Rename(holder, title))

    async def close(self, holder: str) -> None:
        """Close the room permanently. All connections get the name of the host. Raises NotTheHost."""
        try:
            await self._act(Close(holder))
        except GameStopped:  # the gathering ends with the room, and its answer may be lost
            if (await self._rooms.find(self._room.record.name)).state != "closed":
                raise

    async def remove(self, holder: str, player: str) -> None:
        """Remove the holder of a player from this game, with all players of the holder.

        Raises NotTheHost, NobodyThere, HostStays or OpenerStays.
        """
        await self._act(Remove(holder, player, self._room.place))

    async def _end_playing(self, holder: str, players: tuple[str, ...]) -> None:
        """End the requests of a removed holder, and report their end to the gathering."""
        with suppress(GameStopped):
            if holder in self._playing:
                await self._playing.end(holder, DELIVERY_S)
                for player in players:  # here, too: the steward does not wait for slow or unvisited processes
                    await self._room.release(player)
            await self._ask(NoteDelivery(self._room.place, holder))

    async def _act(self, command: Command[R | Undone]) -> R:
        """Send an act to the steward, and return the answer. The end of this request does not end a begun act.

        Raises the steward's refusals. Raises GameMoved if it is unknown whether the act has happened.
        """
        answer = await self._ask(command)
        if isinstance(answer, Undone):
            raise GameMoved(answer.words)
        return answer

    # --- handover of seats to another device ---

    async def give_ticket(self, holder: str, player: str) -> str:
        """Return a ticket for a seat of the holder.

        Raises SeatTaken, PlayerRemoved, NobodyThere or NamesAreOpen.
        """
        self.require_welcome(holder)
        if self._room.record.names == "open":
            raise NamesAreOpen
        text = secrets.token_urlsafe(TICKET_BYTES)
        await self._act(OfferSeat(holder, player, text))
        return text

    async def use_ticket(self, holder: str, text: str) -> NamedPlayer:
        """Give the seat of a ticket to `holder`, and return its player. `holder` may have the seat already.

        Raises NoSuchTicket, PlayerRemoved, SeatTaken or SeatFree.
        """
        taken = await self._act(UseTicket(holder, text))
        return NamedPlayer(taken.player, taken.name)

    # --- reactions ---

    async def react(self, holder: str, player: str | None, emoji: str) -> None:
        """Send an emoji of `player` to all connections; None: the last player of the holder.

        Raises NotPlaying, NoSuchReaction or TooFast.
        """
        await self._ask(React(holder, player, emoji))

    def __str__(self) -> str:
        return f"{self._room.record.name}: {self._feed}"


def _account() -> str:
    """Return the account of the current client. Empty for this machine: it may have a proxy for many people."""
    found = account(visiting().client)
    return "" if is_local(found) else found
