"""Interface between the rooms and the game in a room: its setup, its access for other processes, and its result.

setup = kind.set_up(settings)                        # blocks, so use a thread; the game is built when it is opened
async with setup.open(journal, RoomClocks()) as opened:
result = await opened.finished()                 # waits until the game is over
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

import msgspec

from scramble.errors import GameClosed
from scramble.journal import Recorder
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import MOST_NAMED, Command, Event
from scramble.kernel.stats import Stats

R = TypeVar("R")


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of a finished game: the points of the best players in descending order, and the winners.

    A draw has no winners. `figures` has other counts for each player, by names such as "booms".
    """

    scores: dict[str, int]
    winners: tuple[str, ...] = ()
    figures: dict[str, dict[str, int]] = {}

    @classmethod
    def of(cls, scores: Mapping[str, int], figures: Mapping[str, Mapping[str, int]] | None = None) -> GameResult:
        """Make the result. The players with the most points win, unless all players have the same points or 0 points.

        The result has at most `MOST_NAMED` players: new names cost nothing, and a register keeps results for long.
        """
        ordered = sorted(scores.items(), key=lambda item: -item[1])  # players with equal points keep their order
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
    """Interface of a running game for rooms. The `Game` of each kind implements it."""

    async def ask(self, command: Command[R], /) -> R:
        """Execute a command, and return its answer."""

    async def ping(self) -> None:
        """Wait until all currently queued commands are executed, and, with a journal, committed."""

    def stats(self) -> Stats:
        """Return the statistics of the game's owner."""


@dataclass(frozen=True)
class RoomClocks:
    """Time limits of a room, in seconds."""

    away_s: float = 20.0  # after this absence, a player releases everything
    turn_s: float | None = 45.0  # for a present player who holds a thing that others wait for; None: no limit
    notice_s: float = 10.0  # minimum time from the start of another player's wait to the release of the thing


@dataclass(frozen=True)
class Elsewhere:
    """Access of other processes to a game that runs in this process."""

    owner: Owner  # other processes follow its changes
    caller: Callable[[], AbstractContextManager[Posting]]  # makes a receiver of requests for each process


@dataclass(frozen=True)
class OpenedRoom:
    """A game that runs in a room, from the opening or waking of the room until the room sleeps."""

    game: RoomGame
    finished: Callable[[], Awaitable[GameResult]]  # waits until the game is over
    elsewhere: Elsewhere | None = None  # access of other processes to a game in this process; None: no access
    present: Callable[[str], AbstractContextManager[None]] | None = None  # counts a player as present during a block
    release: Callable[[str], Awaitable[None]] | None = None  # releases everything of a player; None: nothing to release


@dataclass(frozen=True)
class RoomSetup:
    """Functions that open the game of a room, or join it from another process."""

    open: Callable[[Recorder | None, RoomClocks], AbstractAsyncContextManager[OpenedRoom]]
    join: Callable[[Owner, RoomClocks], AbstractAsyncContextManager[OpenedRoom]] | None = (
        None  # joins a game in another process
    )


async def until_event(changes: Changes, *kinds: type[Event]) -> None:
    """Wait for an event of one of these kinds, or for a missed change. Raises GameClosed."""
    async for change in changes:
        if change.missed or any(isinstance(event, kinds) for event in change.events):
            return
    raise GameClosed("the game was closed")
