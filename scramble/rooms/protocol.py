"""Rooms, as front ends and embedding programs use them: `LocalRooms` of one process, `ClusterRooms` of many.

    async with open_rooms(folder) as rooms:
        record = await rooms.create("memory", {"size": "4x4"})
        async with rooms.enter(record.name) as room:
            await room.game.ask(...)

All methods are safe under concurrency; those that are awaited wait for the register, and are checkpoints.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from scramble.errors import Refusal
from scramble.games.bot import Level
from scramble.games.kind import GameKind
from scramble.games.room import GameResult, RoomGame
from scramble.journal import Recorder
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner
from scramble.kernel.problems import Problem
from scramble.players.presence import Presence
from scramble.rooms.game_stats import KindStats
from scramble.rooms.gathering.following import Following
from scramble.rooms.gathering.stay import Stay
from scramble.rooms.outage import Outage
from scramble.rooms.turns import FairTurns

T = TypeVar("T")

RoomState: TypeAlias = Literal["open", "ended", "closed", "broken"]
"""A room is open; or its game is over; or its host or an operator has closed it; or its game fails again and again."""

Names: TypeAlias = Literal["seats", "open"]
"""Whether a player's name belongs to the browser, or client, that first plays under it, or to everybody."""


class BotSetting(msgspec.Struct, frozen=True):
    """A bot that plays in a room."""

    level: Level = "medium"


class RoomOrder(msgspec.Struct, frozen=True):
    """All that a client chooses of a room besides the game and its settings. It goes into the record as it is.

    `host` is the SHA-256 of the secret of the client that opens it. With `after` it is the successor of that room. With
    `demo` its bots play while it is awake, without anybody else; its successors need no `demo` for that.
    """

    title: str = ""
    public: bool = False
    names: Names = "seats"
    host: str = ""
    bots: tuple[BotSetting, ...] = ()
    after: str | None = None
    turn_s: float | None = 45.0
    demo: bool = False


class RoomRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the register knows of a room. Times are in seconds since 1970."""

    name: str  # four words, as in the address
    kind: str
    title: str
    settings: msgspec.Raw  # as JSON; those that are long are in a file, so ask `Rooms.settings`
    opened: float
    visited: float | None = None  # when somebody was in it last, as it was open; may be an hour late
    host: str = ""  # the SHA-256 of the secret of the client that opened it; empty: nobody
    public: bool = False  # in the list of rooms
    names: Names = "seats"
    bots: tuple[BotSetting, ...] = ()
    state: RoomState = "open"
    ended: float | None = None  # when it ended, was closed, or broke
    result: GameResult | None = None
    after: str | None = None  # the room of the game before, of the same players
    successor: str | None = None  # the room of the next game of the same players
    turn_s: float | None = 45.0  # for which a present player may hold what others wait for; None: for ever
    expelled: tuple[str, ...] = ()  # the SHA-256 of the secrets of clients who may not play in it
    changes: int = 0  # of this record
    demo: bool = False  # its bots play without anybody else


class NoSuchRoom(Refusal):
    """No room has that name, and none had it lately."""

    code = "no-such-room"
    status = 404


class RoomLost(NoSuchRoom):
    """No room has that name, and rooms were lost: this may have been one of them. Only in a cluster."""

    code = "room-lost"


class RoomRemoved(Refusal):
    """The room with that name has been removed."""

    code = "room-removed"
    status = 410


class RoomNameTaken(Refusal):
    """A room has that name, or had it lately."""

    code = "room-name-taken"


class RoomClosed(Refusal):
    """The room was closed: nobody can enter it."""

    code = "room-closed"
    status = 410


class RoomBroken(RoomClosed):
    """The game of the room fails again and again: nobody can enter it."""

    code = "room-broken"


class NoSuchGame(RoomClosed):
    """The room has a game that this server does not have: nobody can enter it."""

    code = "no-such-game"

    def __init__(self, game: str) -> None:
        self.params = {"game": game}
        super().__init__(f"this server has no game {game!a}")


class RoomAsleep(Refusal):
    """The room sleeps, and who asked would not wake it."""

    code = "room-asleep"
    status = 409


class RoomDamaged(Refusal):
    """The file of the room cannot be used; its cause, for the operator, is a JournalError."""

    code = "room-damaged"
    status = 503


class RoomsFull(Refusal):
    """There are as many rooms as this server allows."""

    code = "rooms-full"
    status = 503
    _words: ClassVar[str] = "there are {most} rooms, as many as this server allows"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(self._words.format(most=most))


class AwakeFull(RoomsFull):
    """People are in as many rooms as this server allows at a time."""

    code = "awake-full"
    _words = "people are in {most} rooms, as many as this server allows at a time"


class MemoryFull(RoomsFull):
    """The rooms that people are in take as much memory as this server allows; `most` is in bytes."""

    code = "memory-full"
    _words = "people are in games that take as much memory as this server allows"


class SettingsFull(RoomsFull):
    """The settings of all rooms are as large as this server allows; `most` is in bytes."""

    code = "settings-full"
    _words = "the boards of all rooms take as much memory as this server allows"


class Headcount(msgspec.Struct, frozen=True):
    """How many people are in a room: players who are connected, and connections that watch."""

    players: int = 0
    watching: int = 0


class RoomCounts(msgspec.Struct, frozen=True):
    """How many rooms there are in each state, and how many names of removed rooms are remembered."""

    open: int
    ended: int
    closed: int
    broken: int
    removed: int
    bytes: int  # of the settings of all rooms


class Figure(NamedTuple):
    """A figure of a server's rooms for its monitoring; a `counter` never decreases."""

    name: str
    about: str
    value: float
    counter: bool = False


class Room(Protocol):
    """A room that somebody is in: its game runs, until the block of `Rooms.enter` is left."""

    @property
    def record(self) -> RoomRecord:
        """The latest record of the room."""

    @property
    def game(self) -> RoomGame:
        """The running game: the `Game` of the room's kind. Another object each time the room wakes."""

    @property
    def journal(self) -> Recorder | None:
        """The place that has the game's moves, for its replay; None if the game keeps none."""

    @property
    def runs_here(self) -> bool:
        """True if the game's owner is in this process; False if it is another process of a cluster."""

    @property
    def gathering(self) -> Owner:
        """The owner of the gathering in the room: who is here, and what all see (`scramble.rooms.gathering`)."""

    @property
    def place(self) -> str:
        """A word for this process, by which the gathering tells its connections from those of others."""

    @property
    def following(self) -> Following:
        """The gathering, as far as this process knows it: for reading only. Does not wait."""

    @property
    def here(self) -> Presence:
        """Who is in the room, on all processes, as far as this one knows: for reading only. Does not wait."""

    async def known(self) -> Presence:
        """Return who is here. Waits until this process knows everybody: not at all where the game runs."""

    def attend(
        self,
        player: str | None,
        holder: str | None = None,
        account: str = "",
        begin: Callable[[], None] | None = None,
    ) -> Stay:
        """Be in the room by a connection of `player`, or None of somebody who watches, until the stay ends.

        `holder` and `account` are those of `Attend`; `begin` is called once the gathering knows of the stay, and must
        neither wait nor raise. Does not wait, so `here` has the player a moment later.
        """

    async def release(self, player: str) -> None:
        """Free what a player holds who is to hold nothing any more. Raises GameStopped."""

    def attached(self, make: Callable[[Room], T], /, *, while_visited: bool = False) -> T:
        """Return the value that `make(room)` returned when it was asked for first since the room woke.

        For what is kept beside a running game: it lives as long as the room is awake; `while_visited`, for what a front
        end keeps, only until nobody has been in the room for some seconds; if it has a method `let_go`, that is called
        then. `make` does not wait, and is the same object each time: a function of a module, or a method that was bound
        once.
        """

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the game, cancelled once nobody has been in the room for some seconds.

        A bug in it ends the game.
        """

    async def next_record(self, seen: RoomRecord) -> RoomRecord:
        """Wait until the record is a later one than `seen`, and return it: a successor, a title, a result.

        Raises GameClosed once the room sleeps or is closed, GameStopped if its game has died.
        """


class OpeningLimits(Protocol):
    """Limits of the rooms that people open, by the addresses of their clients. Nothing waits but `open`."""

    def asker(self, client: str, /) -> str | None:
        """Return whose turn the work for that client is; None if there are no limits for it."""

    def count(self, client: str, /) -> None:
        """Count a room that the client opens. Raises a CallerError if these are too many in a short time."""

    def charge(self, client: str, size: int, /) -> None:
        """Count a board of so many bytes that the client brings. Raises a CallerError if these are too many."""

    async def open(
        self, client: str, find: Callable[[str], Awaitable[RoomRecord]], create: Callable[[], Awaitable[RoomRecord]], /
    ) -> RoomRecord:
        """Open a room by `create`, which counts as long as it is open; `find` returns the record of a room.

        Raises a CallerError if the client has too many open rooms, and what `create` does.
        """


class Rooms(Protocol):
    """Many games, each with an owner of its own."""

    openings: OpeningLimits
    """Limits of the rooms that people open by beginning the next game; none until a front end sets them."""

    @property
    def kinds(self) -> Mapping[str, GameKind]:
        """The kinds of rooms, by their names."""

    async def create(
        self,
        kind: str,
        settings: Mapping[str, object],
        order: RoomOrder = RoomOrder(),
        *,
        asker: str | None = None,
        lasts: Callable[[], None] = lambda: None,
        charge: Callable[[int], None] | None = None,
    ) -> RoomRecord:
        """Open a room for a game of that kind with these settings. Waits until it is recorded.

        A room has one successor: if `order.after` has one already that can be entered, returns that one, and opens
        none. There is one room of the demonstration of each kind to play in: if the latest is open, returns that one.

        The work for it has its turn among that of the `asker`, an address, for instance; None: the server itself. If it
        will take long, `lasts` is called before, and does not wait.

        `charge` is called with the bytes of settings that need a file, before that is written, and may raise errors.

        Raises BadSettings, Busy, RoomsFull, DiskFull, InvalidCommand for a kind or title that is not valid; NoSuchRoom
        or RoomRemoved for `order.after`.
        """

    def enter(self, name: str, *, wake: bool = True) -> AbstractAsyncContextManager[Room]:
        """Enter a room for the length of a block, and wake it if it sleeps.

        With `wake` False the block neither wakes the room nor keeps it awake, as for bots: then the room ends the block
        by GameClosed when it falls asleep.

        Raises NoSuchRoom, RoomRemoved, RoomClosed, RoomsFull, RoomDamaged; RoomAsleep if `wake` is False; GameStopped
        if its game dies while it wakes.
        """

    async def find(self, name: str) -> RoomRecord:
        """Return the record of a room. Raises NoSuchRoom or RoomRemoved."""

    async def successor(self, name: str) -> RoomRecord | None:
        """Return the room of the next game of that room's players, if it can be entered.

        Raises NoSuchRoom or RoomRemoved for the room `name` itself.
        """

    async def list(self, *, after: str | None = None, most: int = 100, hidden: bool = False) -> Sequence[RoomRecord]:
        """Return the public rooms that are open or ended, newest first, of these those after the room `after`.

        With `hidden` returns all rooms, for operators. Raises NoSuchRoom or RoomRemoved for `after`.
        """

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room. Waits for the disk if they are long. Raises RoomDamaged."""

    async def rename(self, name: str, title: str) -> None:
        """Give a room another title. Raises NoSuchRoom, RoomRemoved or InvalidCommand."""

    async def expel(self, name: str, holder: str) -> None:
        """Record that the client whose secret has that SHA-256 may not play in that room; of very many the latest.

        Raises NoSuchRoom or RoomRemoved.
        """

    async def close(self, name: str) -> None:
        """Close a room for good: all who are in it are told. Raises NoSuchRoom or RoomRemoved."""

    async def remove(self, name: str) -> None:
        """Remove a room and its file. Raises NoSuchRoom or RoomRemoved."""

    def headcount(self, name: str) -> Headcount:
        """Return how many people are in a room, nobody in one that sleeps. Does not wait."""

    @property
    def full(self) -> bool:
        """True if there is no room for more: the disk, or what rooms may use of it, is full, and moves are refused."""

    @property
    def parsing(self) -> FairTurns:
        """Turns for parsing of what clients send, by their addresses."""

    @property
    def outage(self) -> Outage:
        """Whether all rooms are held up, because what they need outside of this process does not answer."""

    def awake(self) -> Sequence[Room]:
        """Return the rooms that are awake in this process. Does not wait."""

    async def counts(self) -> RoomCounts:
        """Return how many rooms there are. Raises GameStopped once the rooms are closed."""

    def problems(self) -> Sequence[Problem]:
        """Return what is wrong, as far as this process knows by itself. Does not wait."""

    async def ping(self) -> None:
        """Wait until the register has carried out what is queued there, if it is always this process that has it.

        Raises GameStopped once it has ended.
        """

    def stats(self) -> Mapping[str, KindStats]:
        """Return the statistics of all games that have run in this process, by kind. Does not wait."""

    def figures(self) -> Sequence[Figure]:
        """Return what else there is to know of these rooms, beside those figures that all have. Does not wait."""

    def changes(self) -> Changes:
        """Follow the register from this moment on: its events are those of `scramble.rooms.registermessages`."""

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the rooms, until they are closed; from then on this does nothing."""

    def movements(self) -> AsyncIterator[frozenset[str]]:
        """Follow who comes and goes from this moment on. Nothing needs to be closed.

        Each item has the names of all rooms that woke, fell asleep or have another headcount since the item before; so
        a slow follower gets fewer items and misses no room.
        """
