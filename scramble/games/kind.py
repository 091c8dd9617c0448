"""Kind of a room: how a game of that kind is made from settings, opened in a room, and known to be over.

    kind = ROOM_KINDS["memory"]
    settings = kind.settle({"size": "4x4"}, seed=7)      # complete settings, to be recorded; or BadSettings
    setup = kind.set_up(settings)                        # blocks, so use a thread; its game is built when it is opened
    async with setup.open(journal, RoomClocks()) as opened:
        await opened.finished()                          # waits until the game is over

`scramble.rooms.kinds` has the table of all kinds. The settings of a room are recorded when it is opened, with the seed,
so a room can always be made again. `settle` leaves settled settings as they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from scramble.errors import CallerError
from scramble.journal import Recorder
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import MOST_NAMED, Command
from scramble.kernel.stats import Stats

R = TypeVar("R")

MOST_CARDS = 10_000  # of a room's board
MOST_SQUARES = 250_000  # of a room's field

MOST_MISTAKES = 20  # that are named in one answer, which is then never much longer than a page
MOST_FIELD_NAME = 60  # characters of the name of a field in an answer


FieldCode: TypeAlias = Literal[
    "unknown-field",
    "not-json",
    "not-text",
    "not-boolean",
    "not-object",
    "not-list",
    "not-unicode",
    "not-one-of",
    "not-in-range",
    "bad-board-size",
    "bad-field-size",
    "bad-file",
    "bad-bot",
    "bad-title",
    "title-too-long",
    "too-long",
    "too-many-bots",
    "too-many-cards",
    "too-many-squares",
    "excluded",
    "no-pair",
    "only-bombs",
    "too-hard-to-solve",
    "not-solvable-in-time",
]
"""What can be wrong with a field of a request to open a room; docs/reference/rooms-api.md has them."""


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one field: a sentence for people, a stable word for programs, and the sentence's values."""

    words: str
    code: FieldCode
    params: dict[str, str | int] = {}

    @classmethod
    def of(cls, code: FieldCode, words: str, **params: str | int) -> FieldError:
        """Make one with these values."""
        return cls(words, code, params)


class BadSettings(CallerError):
    """Settings from which no game can be made. Changes nothing.

    The keys of `fields` are paths such as "settings.size". At most `MOST_MISTAKES` are named, and the path of a field
    that does not exist is cut.
    """

    code = "bad-settings"
    status = 400

    def __init__(self, fields: Mapping[str, FieldError]) -> None:
        self.fields = {shortened(field): error for field, error in islice(fields.items(), MOST_MISTAKES)}
        super().__init__("; ".join(f"{field}: {words}" for field, words in self.errors.items()))

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong with each field, in words."""
        return {field: error.words for field, error in self.fields.items()}

    @property
    def codes(self) -> dict[str, dict[str, object]]:
        """What is wrong with each field, for programs."""
        return {field: {"code": error.code, "params": error.params} for field, error in self.fields.items()}


def shortened(field: str) -> str:
    """Return the path of a field, cut if it is longer than any that exists."""
    return field if len(field) <= MOST_FIELD_NAME else f"{field[:MOST_FIELD_NAME]}..."


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of a game that is over: the points of the best players, most first, and who won; nobody in a draw.

    `figures` are what else the rules have counted of each player, by names such as "booms".
    """

    scores: dict[str, int]
    winners: tuple[str, ...] = ()
    figures: dict[str, dict[str, int]] = {}

    @classmethod
    def of(cls, scores: Mapping[str, int], figures: Mapping[str, Mapping[str, int]] | None = None) -> GameResult:
        """Make the result in which the players with most points have won, unless all have equally many, or none.

        It has at most `MOST_NAMED` players: names cost nothing, and a register keeps it for long.
        """
        ordered = sorted(scores.items(), key=lambda item: -item[1])  # equal ones in their own order
        best = dict(ordered[:MOST_NAMED])
        most = max(best.values(), default=0)
        winners = tuple(player for player, points in best.items() if points == most and most > 0)
        drawn = len(winners) == len(ordered) > 1
        return cls(
            best,
            () if drawn else winners,
            {name: dict(found) for name, found in (figures or {}).items() if name in best},
        )


class RoomGame(Protocol):
    """A running game, as rooms need it: the `Game` of every kind is one."""

    async def ask(self, command: Command[R], /) -> R:
        """Carry out a command, and return its answer."""

    async def ping(self) -> None:
        """Wait until all commands that are queued now are carried out, and committed if there is a journal."""

    def stats(self) -> Stats:
        """Return the statistics of the game's owner."""


@dataclass(frozen=True)
class RoomClocks:
    """Times of a room, in seconds."""

    away_s: float = 20.0  # until what a player holds who has left is free
    turn_s: float | None = 45.0  # for which a present player may hold what others wait for; None: for ever
    notice_s: float = 10.0  # at least, between the moment in which somebody begins to wait for that and its end


@dataclass(frozen=True)
class Elsewhere:
    """A game that runs here, for the doors of other processes."""

    owner: Owner  # whose changes they follow
    caller: Callable[[], AbstractContextManager[Posting]]  # takes their requests: one for each process


@dataclass(frozen=True)
class OpenedRoom:
    """A game that runs in a room, from the moment in which it was opened or woken until it sleeps."""

    game: RoomGame
    finished: Callable[[], Awaitable[GameResult]]  # waits until the game is over; returns at once if it was
    elsewhere: Elsewhere | None = None  # how other processes reach a game that runs here; None: they cannot
    present: Callable[[str], AbstractContextManager[None]] | None = None  # counts a player as here, if that matters
    release: Callable[[str], Awaitable[None]] | None = None  # frees what a player holds; None: players hold nothing


@dataclass(frozen=True)
class RoomSetup:
    """The beginning of a room's game; starts nothing."""

    open: Callable[[Recorder | None, RoomClocks], AbstractAsyncContextManager[OpenedRoom]]
    join: Callable[[Owner, RoomClocks], AbstractAsyncContextManager[OpenedRoom]] | None = (
        None  # one that runs elsewhere
    )


Search: TypeAlias = Callable[[float], dict[str, object] | None]
"""Completes settings before a room opens. Each call goes on where the last one has ended.

Blocks for so many seconds, or a little longer; returns the settings, or None if it has to go on. Raises BadSettings if
it gives up.
"""


def no_search(_settings: Mapping[str, object], /) -> Search | None:
    """Return None: the settings are complete."""
    return None


ROOM_BYTES: Final = 100_000
"""Memory of a room that is awake, with a small game: measured 82 to 85 kB with one player."""


def room_bytes(_settings: Mapping[str, object], /) -> int:
    """Return the memory of a small game."""
    return ROOM_BYTES


BOT_BYTES: Final = 20_000
"""Memory of a bot in a small game, an estimate: its tasks, its connection, and what it knows."""


def bot_bytes(_settings: Mapping[str, object], /) -> int:
    """Return the memory of a bot in a small game."""
    return BOT_BYTES


@dataclass(frozen=True)
class RoomKind:
    """One kind of rooms."""

    name: str  # one word, as in journals and metrics
    title: str  # for people
    settle: Callable[[Mapping[str, object], int], dict[str, object]]  # (given, seed) -> all settings; or BadSettings
    set_up: Callable[[Mapping[str, object]], RoomSetup]  # from settled settings; deterministic; blocks
    again: Callable[[Mapping[str, object], int], dict[str, object]]  # (settled, seed) -> what to give for another game
    choices: Callable[[], dict[str, object]]  # what a page offers to choose from, for JSON; blocks
    search: Callable[[Mapping[str, object]], Search | None] = no_search  # what takes too long for `settle`, if anything
    memory: Callable[[Mapping[str, object]], int] = room_bytes  # bytes of a room with these, awake, without bots
    bot_memory: Callable[[Mapping[str, object]], int] = bot_bytes  # bytes of each bot that plays there
    requests: object = None  # the union of all commands and queries that other processes may give; None: they cannot
    events: object = None  # the union of the game's events; None: it has none
