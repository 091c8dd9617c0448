"""The front of the gathering in a room: host, votes, acts that all see, reactions, and the next game.

    gathering = room.attached(make_gathering, while_visited=True)   # one for all connections
    beside = gathering.beside(player, client)                       # of each connection: registers it, and sends frames
    room = await gathering.again(holder)                            # an act of a person, or a refusal in words

The frames of a connection have `company` as their type for the state, `act` for what somebody did to the game of all,
`reaction`, and `held` for whether all is held up. docs/reference/rooms-together.md has them. Acts come in over HTTP
(`scramble.front.rooms.people_api`), because each has one answer, and the cookie says who asks.

Who is host, who votes and what happens is the gathering's (`scramble.rooms.gathering`), which all processes share that
have people in the room. What an act needs of the rooms, or of the game, the room's steward does where the gathering
runs (`scramble.rooms.steward`). Who opened the room, who may not play and which room is next are in the register and
outlast everything.

Safe under concurrency: the gathering has an owner, and acts are done one after another.
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
from scramble.front.rooms.feed import GatheringFeed
from scramble.front.rooms.playing import PlayingRequests
from scramble.front.rooms.refusals import NamesAreOpen
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.web.client import Client
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
from scramble.rooms.gathering.refusals import HostAct, NotTheHost, PlayerRemoved
from scramble.rooms.protocol import Room, Rooms
from scramble.rooms.steward import DELIVERY_S
from scramble.server.http.closing import close_reason_of
from scramble.server.protection.by_address import account, is_local

R = TypeVar("R")

NOTED_S: Final = 5.0  # for which a player without a connection need not be noted again
MOST_NOTED: Final = 1000  # players without a connection, and who was removed: the latest
TICKET_BYTES: Final = 16  # of randomness

REMOVED: Final = close_reason_of(PlayerRemoved)
SEAT_TAKEN: Final = close_reason_of(SeatTaken)

GatheringOf: TypeAlias = Callable[[Room], "GatheringFront"]
"""Returns the front of the gathering in a room, the same one as long as somebody visits the room."""


class GatheringFront:
    """Everybody in one room, for the people whom this process serves. Mutable."""

    # AF: the front of the gathering in _room: its connections follow _feed, and its requests are _playing. Those in
    #     _removed were removed. _noted has the times at which players without a connection were noted, latest last.
    # RI: at most MOST_NOTED are in _noted.

    def __init__(self, room: Room, rooms: Rooms, doorkeeper: Doorkeeper) -> None:
        """Begin with nobody. The `doorkeeper` says who may begin the next game, and counts what is parsed.

        The gathering is followed once somebody comes who does more than look.
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
        """Ask the gathering, which is followed from now on; what has happened before the answer is passed on before."""
        self._feed.follow_gathering()
        return await self._room.gathering.ask(command)

    def let_go(self) -> None:
        """Break what refers to this front: nobody is in the room any more."""
        self._feed.let_go()

    # --- connections ---

    def beside(self, player: str | None, client: Client, /) -> tuple[Beside, ...]:
        """Return what registers a connection of that client in the room, and sends it the state of all and the hues."""
        return (partial(self._feed.attend, player, client.holder, _account()),)

    async def _load_names(self) -> None:
        """Tell the gathering the display names that the game knows."""
        names = await self._room.game.ask(ListNames())
        latest = dict(list(names.items())[-MOST_NAMES:])
        await self._ask(NoteNames(latest, early=True))

    def show_players(self, encode: Encode, free_in: FreeIn) -> None:
        """Send the connections who is here, too: for a game whose own frames do not say it."""
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
        with suppress(GameStopped):  # it was closed without waiting for this
            await self._feed.delivered()
            await self._ask(NoteDelivery(self._room.place))

    # --- people ---

    def require_welcome(self, holder: str | None) -> None:
        """Raise PlayerRemoved if the host has removed that client from this game."""
        if holder is not None and (holder in self._room.record.expelled or holder in self._removed):
            raise PlayerRemoved

    async def note_player(self, holder: str, player: str) -> None:
        """Note that the holder plays as that player over HTTP, where no seat tells the player's holder."""
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
        """Let a request play during the block, cancelled if its holder is removed; a WebSocket is closed before that.

        Raises PlayerRemoved.
        """
        self._feed.follow_gathering()  # another process may remove the holder, or has done so
        self.require_welcome(holder)
        with self._playing.during(holder, at_once=at_once) as scope:
            yield scope

    async def note_name(self, player: str, name: str) -> None:
        """Note the display name of a player."""
        await self._ask(NoteNames({player: name}))

    async def require_host(self, holder: str | None, act: HostAct) -> None:
        """Raise NotTheHost, or StandsIn, unless that is the host, or who opened the room, who alone may do that."""
        await self._ask(RequireHost(holder, act))

    # --- the next game ---

    async def again(self, holder: str, token: str = "") -> str:
        """Begin the next game, in another room, and return its name. Waits until it is recorded.

        In a game that has ended everybody may who may open rooms, before that the host. Raises NotTheHost,
        PlayerRemoved, MayNotOpen, BadSettings, Busy, RoomsFull, or that the client's address has opened too many rooms.
        """
        client, has_ended = visiting().client, self._room.record.state == "ended"
        may_open = has_ended and self._doorkeeper.may_open(client, token)
        try:
            return await self._act(Begin(holder, client, not has_ended, may_open))
        except NotTheHost:
            if has_ended:
                self._doorkeeper.require(client, token)
            raise
        except GameStopped:  # the room ends, or nobody knows whether the game has begun
            after = await self._rooms.successor(self._room.record.name)
            if after is None:
                raise
            return after.name

    async def set_next(self, holder: str, settings: Mapping[str, object] | None, turn_s: float | None) -> None:
        """Set the settings of the next game, None for those of this one, and its turn clock.

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
        """Note whether a player wants a new game; it begins once most who have made a move do.

        Raises NotPlaying, NotMoved or TooFast.
        """
        await self._act(Vote(holder, wanted, visiting().client))

    # --- acts of the host ---

    async def rename(self, holder: str, title: str) -> None:
        """Give the room another title. Raises NotTheHost or InvalidCommand."""
        await self.require_host(holder, "rename")  # before it is counted
        self._doorkeeper.count_title(visiting().client)
        await self._act(Rename(holder, title))

    async def close(self, holder: str) -> None:
        """Close the room for good. All who are in it are told who did it. Raises NotTheHost."""
        try:
            await self._act(Close(holder))
        except GameStopped:  # the gathering ends with the room, and an answer may get lost
            if (await self._rooms.find(self._room.record.name)).state != "closed":
                raise

    async def remove(self, holder: str, player: str) -> None:
        """Remove a player from this game, under any name. Raises NotTheHost, NobodyThere, HostStays or OpenerStays."""
        await self._act(Remove(holder, player, self._room.place))

    async def _end_playing(self, holder: str, players: tuple[str, ...]) -> None:
        """End the requests of a holder who was removed, and say so."""
        with suppress(GameStopped):
            if holder in self._playing:
                await self._playing.end(holder, DELIVERY_S)
                for player in players:  # a place that took too long, or has no connections, is not waited for
                    await self._room.release(player)
            await self._ask(NoteDelivery(self._room.place, holder))

    async def _act(self, command: Command[R | Undone]) -> R:
        """Have the steward do something; what happens there does not depend on this request.

        Raises its refusals; GameMoved if nobody knows whether it has happened.
        """
        answer = await self._ask(command)
        if isinstance(answer, Undone):
            raise GameMoved(answer.words)
        return answer

    # --- seats that go to another device ---

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
        """Give the seat of a ticket to `holder`, and return its player; again, if `holder` has the seat by now.

        Raises NoSuchTicket, PlayerRemoved, SeatTaken or SeatFree.
        """
        taken = await self._act(UseTicket(holder, text))
        return NamedPlayer(taken.player, taken.name)

    # --- reactions ---

    async def react(self, holder: str, player: str | None, emoji: str) -> None:
        """Show everybody an emoji of that player; None: the one that the holder plays lately.

        Raises NotPlaying, NoSuchReaction or TooFast.
        """
        await self._ask(React(holder, player, emoji))

    def __str__(self) -> str:
        return f"{self._room.record.name}: {self._feed}"


def _account() -> str:
    """Return the account of the client at hand; empty for this machine, which a proxy may hide many people behind."""
    found = account(visiting().client)
    return "" if is_local(found) else found
