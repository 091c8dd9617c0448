"""The interface of rooms for front ends and embedding programs. Implemented by `LocalRooms` and `ClusterRooms`.

    async with open_rooms(folder) as rooms:
        record = await rooms.create("memory", {"size": "4x4"})
        async with rooms.enter(record.name) as room:
            await room.game.ask(...)

All methods are safe under concurrency. Async methods wait for the register, and are checkpoints.
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
from scramble.rooms.classroom import Classroom, ClassroomChange, FindClassroom
from scramble.rooms.game_stats import KindStats
from scramble.rooms.gathering.following import Following
from scramble.rooms.gathering.stay import Stay
from scramble.rooms.outage import Outage
from scramble.rooms.turns import FairTurns

T = TypeVar("T")

RoomState: TypeAlias = Literal["open", "ended", "closed", "broken"]
"""The states of a room: open; game over; closed by the host or an operator; game crashes repeatedly."""

Names: TypeAlias = Literal["seats", "open"]
"""The permission to use a player's name: for its first browser or client ("seats"), or for everybody ("open")."""


class BotSetting(msgspec.Struct, frozen=True):
    """A bot that plays in a room."""

    level: Level = "medium"


class RoomOrder(msgspec.Struct, frozen=True):
    """A client's choices for a room besides the game and its settings. The record stores them unchanged.

    `host` is the SHA-256 of the opening client's secret. `after`: the new room is the successor of that room. `demo`:
    the bots play whenever the room is awake, even without people. Successors inherit `demo`. `daily`: the room is the
    host's attempt at the daily challenge of this date, and only the host plays; empty: it is another room.
    `classroom`: the room is a table of this class; empty: it is another room.
    """

    title: str = ""
    public: bool = False
    names: Names = "seats"
    host: str = ""
    bots: tuple[BotSetting, ...] = ()
    after: str | None = None
    turn_s: float | None = 45.0
    demo: bool = False
    daily: str = ""
    classroom: str = ""


class RoomRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The register's data about a room. Times are in seconds since 1970."""

    name: str  # four words, as in the address
    kind: str
    title: str
    settings: msgspec.Raw  # as JSON; long settings are in a file, so use `Rooms.settings`
    opened: float
    visited: float | None = None  # the last visit while the room was open; recorded up to an hour late
    host: str = ""  # the SHA-256 of the opening client's secret; empty: no host
    public: bool = False  # True: in the list of rooms
    names: Names = "seats"
    bots: tuple[BotSetting, ...] = ()
    state: RoomState = "open"
    ended: float | None = None  # the time when the room ended, was closed, or broke
    result: GameResult | None = None
    after: str | None = None  # the room of the same players' previous game
    successor: str | None = None  # the room of the same players' next game
    turn_s: float | None = 45.0  # most seconds to keep holdings that other players wait for; None: unlimited
    expelled: tuple[str, ...] = ()  # the SHA-256 of the secrets of clients who may not play here
    changes: int = 0  # the number of changes of this record
    demo: bool = False  # its bots play even without people
    daily: str = ""  # the date of the daily challenge that the host plays here, such as "2026-11-29"
    started: float | None = None  # the time of the first move; only in rooms of a daily challenge
    classroom: str = ""  # the name of the class whose table the room is


class DailyEntry(msgspec.Struct, frozen=True):
    """The result of one attempt at a daily challenge. `figures` are the player's other counts in the result.

    An attempt that the player gave up has no figures.
    """

    name: str  # the display name of the player
    points: int
    seconds: float  # from the first move to the end; a crossword also counts the time before the first word
    room: str
    figures: dict[str, int] = {}


class DailyTable(msgspec.Struct, frozen=True):
    """The table of a daily challenge, best entries first, with a client's own attempt."""

    day: str
    kind: str
    attempts: int
    entries: tuple[DailyEntry, ...] = ()
    room: str | None = None  # the room of the client's attempt; None: the client has made no attempt
    place: int | None = None  # the place of the client's entry, from 1; None: the attempt is not over
    entry: DailyEntry | None = None


class NoSuchRoom(Refusal):
    """No room has this name, and no recently removed room had it."""

    code = "no-such-room"
    status = 404


class RoomLost(NoSuchRoom):
    """No room has this name. The cluster has lost rooms, and the room may be one of them."""

    code = "room-lost"


class RoomRemoved(Refusal):
    """The room with that name has been removed."""

    code = "room-removed"
    status = 410


class RoomNameTaken(Refusal):
    """A room has this name, or a recently removed room had it."""

    code = "room-name-taken"


class RoomClosed(Refusal):
    """The room was closed. It cannot be entered."""

    code = "room-closed"
    status = 410


class RoomBroken(RoomClosed):
    """The game of the room crashes repeatedly. The room cannot be entered."""

    code = "room-broken"


class NoSuchGame(RoomClosed):
    """The room has a game that this server does not have. The room cannot be entered."""

    code = "no-such-game"

    def __init__(self, game: str) -> None:
        self.params = {"game": game}
        super().__init__(f"this server has no game {game!a}")


class RoomAsleep(Refusal):
    """The room sleeps, and this request must not wake it."""

    code = "room-asleep"
    status = 409


class RoomDamaged(Refusal):
    """The file of the room is unusable. The cause, for the operator, is a JournalError."""

    code = "room-damaged"
    status = 503


class RoomsFull(Refusal):
    """The number of rooms has reached this server's limit."""

    code = "rooms-full"
    status = 503
    _words: ClassVar[str] = "there are {most} rooms, as many as this server allows"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(self._words.format(most=most))


class AwakeFull(RoomsFull):
    """The number of rooms with people has reached this server's limit."""

    code = "awake-full"
    _words = "people are in {most} rooms, as many as this server allows at a time"


class MemoryFull(RoomsFull):
    """The memory of the rooms with people has reached this server's limit; `most` is in bytes."""

    code = "memory-full"
    _words = "people are in games that take as much memory as this server allows"


class SettingsFull(RoomsFull):
    """The settings of all rooms have reached this server's limit; `most` is in bytes."""

    code = "settings-full"
    _words = "the boards of all rooms take as much memory as this server allows"


class Headcount(msgspec.Struct, frozen=True):
    """The number of people in a room: connected players, and watching connections; and the host's display name."""

    players: int = 0
    watching: int = 0
    host: str | None = None  # None: no host plays, or nobody is connected as a player


class RoomCounts(msgspec.Struct, frozen=True):
    """The numbers of rooms by state, and the number of remembered names of removed rooms."""

    open: int
    ended: int
    closed: int
    broken: int
    removed: int
    bytes: int  # of the settings of all rooms


class Figure(NamedTuple):
    """A metric of a server's rooms. A `counter` never decreases."""

    name: str
    about: str
    value: float
    counter: bool = False


class Room(Protocol):
    """An entered room. Its game runs until the end of the block of `Rooms.enter`."""

    @property
    def record(self) -> RoomRecord:
        """The latest record of the room."""

    @property
    def game(self) -> RoomGame:
        """The running game: the `Game` of the room's kind. It is a new object each time the room wakes."""

    @property
    def journal(self) -> Recorder | None:
        """The recorder with the game's moves, for its replay; None if the game has no recorder."""

    @property
    def runs_here(self) -> bool:
        """True if the game's owner is in this process; False if it is another process of a cluster."""

    @property
    def gathering(self) -> Owner:
        """The owner of the room's gathering: presence and public events (`scramble.rooms.gathering`)."""

    @property
    def place(self) -> str:
        """The name of this process in the gathering. It identifies the connections of this process."""

    @property
    def following(self) -> Following:
        """The gathering, as far as this process knows it. Read-only. Does not wait."""

    @property
    def here(self) -> Presence:
        """The people in the room, on all processes, as far as this process knows them. Read-only. Does not wait."""

    async def known(self) -> Presence:
        """Return the people in the room. Waits until this process knows all of them; the game's process never waits."""

    def attend(
        self,
        player: str | None,
        holder: str | None = None,
        account: str = "",
        begin: Callable[[], None] | None = None,
    ) -> Stay:
        """Stay in the room with a connection of `player`, or of a spectator (None), until the returned stay ends.

        For `holder` and `account` see `Attend`. The function `begin` is called once the gathering knows the stay. It
        must neither wait nor raise. `attend` does not wait, so `here` shows the player a moment later.
        """

    async def release(self, player: str) -> None:
        """Release all cards and other things that a player holds. Raises GameStopped."""

    def attached(self, make: Callable[[Room], T], /, *, while_visited: bool = False) -> T:
        """Return the result of `make(room)` from the first call since the room woke.

        For objects beside a running game. An object lives as long as the room is awake. `while_visited` is for objects
        of a front end: such an object is dropped after some seconds without visitors, and its method `let_go` is
        called, if it has one. `make` does not wait. It must be the same object in each call: a function of a module, or
        a method that was bound once.
        """

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the game. The task is cancelled after some seconds without visitors.

        A bug in the task ends the game.
        """

    async def next_record(self, seen: RoomRecord) -> RoomRecord:
        """Wait for a change of the record, for instance of its title or result, and return the new record.

        Returns at once if the record is already later than `seen`. Raises GameClosed once the room sleeps or is closed,
        and GameStopped if its game has crashed.
        """


class OpeningLimits(Protocol):
    """Limits for opening rooms, by client address. Only `open` waits."""

    def asker(self, client: str, /) -> str | None:
        """Return the key of the client in `FairTurns`; None if the client has no limits."""

    def count(self, client: str, /) -> None:
        """Count a room that the client opens. Raises a CallerError if the client opens too many in a short time."""

    def charge(self, client: str, size: int, /) -> None:
        """Count a board of `size` bytes from the client. Raises a CallerError if the client sends too many bytes."""

    async def open(
        self, client: str, find: Callable[[str], Awaitable[RoomRecord]], create: Callable[[], Awaitable[RoomRecord]], /
    ) -> RoomRecord:
        """Open a room by `create`. The room is counted as long as it is open. `find` returns a room's record.

        Raises a CallerError if the client has too many open rooms, and the errors of `create`.
        """


class Rooms(Protocol):
    """Many games, each with its own owner."""

    openings: OpeningLimits
    """Limits for the rooms of next games. Unlimited until a front end sets them."""

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

        A room has one successor. If `order.after` already has a successor that can be entered, returns that room. Each
        kind has one current demonstration room. With `order.demo`, returns the latest demonstration room if it is open.

        `asker`, for instance an address, takes turns with other askers; None: the server itself. `lasts` is called
        before long work; it does not wait.

        `charge` is called with the number of bytes before long settings are written to a file. It may raise errors.

        Raises BadSettings, Busy, RoomsFull, DiskFull, InvalidCommand for an invalid kind or title; NoSuchRoom or
        RoomRemoved for `order.after`.
        """

    def enter(self, name: str, *, wake: bool = True) -> AbstractAsyncContextManager[Room]:
        """Enter a room during the block, and wake it if it sleeps.

        With `wake` False, as for bots, the block neither wakes the room nor keeps it awake. If the room falls asleep,
        the block ends with GameClosed.

        Raises NoSuchRoom, RoomRemoved, RoomClosed, RoomsFull or RoomDamaged; RoomAsleep if the room sleeps and `wake`
        is False; GameStopped if the game crashes while the room wakes.
        """

    def now(self) -> float:
        """Return the time in seconds since 1970. Does not wait."""

    def today(self) -> str:
        """Return today's date in UTC, such as "2026-11-29". Does not wait."""

    async def open_daily(
        self, kind: str, day: str, host: str, *, asker: str | None = None, lasts: Callable[[], None] = lambda: None
    ) -> RoomRecord:
        """Open the room of the client `host` for its attempt at the daily challenge of a kind.

        All clients get the same settings, from the day's number and its random seed, which is recorded at the first
        call for the day. A client has one attempt: a second call returns its room. `asker` and `lasts`: see `create`.

        Raises InvalidCommand for a kind without a daily challenge; DayOver if the day is forgotten; AttemptGone if the
        room was removed after its first move; and the errors of `create`.
        """

    async def daily_tables(self, host: str, most: int) -> Sequence[DailyTable]:
        """Return the tables of today and of the latest earlier day that was begun, with the best `most` entries each.

        Only kinds with an attempt have a table. `host` is the client whose attempts are noted in the tables.
        """

    async def classroom(self, command: ClassroomChange | FindClassroom) -> Classroom:
        """Execute a command about a class, and return the record of the class. Waits until a change is recorded.

        Raises the refusals of the command, see `scramble.rooms.classroom`.
        """

    async def find(self, name: str) -> RoomRecord:
        """Return the record of a room. Raises NoSuchRoom or RoomRemoved."""

    async def successor(self, name: str) -> RoomRecord | None:
        """Return the room of the same players' next game, if it can be entered.

        Raises NoSuchRoom or RoomRemoved for the room `name` itself.
        """

    async def list(self, *, after: str | None = None, most: int = 100, hidden: bool = False) -> Sequence[RoomRecord]:
        """Return the public rooms that are open or ended, newest first; with `after`, only rooms older than that room.

        With `hidden` returns all rooms, for operators. Raises NoSuchRoom or RoomRemoved for `after`.
        """

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room. Waits for the disk if they are long. Raises RoomDamaged."""

    async def rename(self, name: str, title: str) -> None:
        """Give a room another title. Raises NoSuchRoom, RoomRemoved or InvalidCommand."""

    async def expel(self, name: str, holder: str) -> None:
        """Record that a client may not play in that room. `holder` is the SHA-256 of the client's secret.

        The record keeps only the latest of these clients. Raises NoSuchRoom or RoomRemoved.
        """

    async def close(self, name: str) -> None:
        """Close a room permanently, and notify all people in it. Raises NoSuchRoom or RoomRemoved."""

    async def remove(self, name: str) -> None:
        """Remove a room and its file. Raises NoSuchRoom or RoomRemoved."""

    def headcount(self, name: str) -> Headcount:
        """Return the number of people in a room; a sleeping room has none. Does not wait."""

    @property
    def full(self) -> bool:
        """True if the disk or the rooms' share of the disk is full. The server refuses moves then."""

    @property
    def parsing(self) -> FairTurns:
        """Turns for the parsing of clients' input, by address."""

    @property
    def outage(self) -> Outage:
        """Outage flag: Redis does not answer, and all rooms wait."""

    def awake(self) -> Sequence[Room]:
        """Return the awake rooms of this process. Does not wait."""

    async def counts(self) -> RoomCounts:
        """Return the numbers of rooms. Raises GameStopped once the rooms are closed."""

    def problems(self) -> Sequence[Problem]:
        """Return the problems that this process knows. Does not wait."""

    async def ping(self) -> None:
        """Wait until the register has executed its current queue. In a cluster do nothing.

        Raises GameStopped once the register has ended.
        """

    def stats(self) -> Mapping[str, KindStats]:
        """Return the statistics of all games of this process since its start, by kind. Does not wait."""

    def figures(self) -> Sequence[Figure]:
        """Return the metrics of these rooms. They are added to the metrics that all rooms have. Does not wait."""

    def changes(self) -> Changes:
        """Follow the register from now on. Its events are in `scramble.rooms.registermessages`."""

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the rooms, until the rooms are closed. After that `start_soon` does nothing."""

    def movements(self) -> AsyncIterator[frozenset[str]]:
        """Follow the movements of people from now on. The caller need not close the iterator.

        Each item has the names of all rooms that woke, fell asleep or changed their headcounts since the last item. So
        a slow follower gets fewer items, but misses no room.
        """
