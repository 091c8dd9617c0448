"""A game that runs in a room, as the rooms see it: how it begins, how others reach it, and its result.

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


async def until_event(changes: Changes, *kinds: type[Event]) -> None:
    """Wait for an event of one of these kinds, or for a change that was missed. Raises GameClosed."""
    async for change in changes:
        if change.missed or any(isinstance(event, kinds) for event in change.events):
            return
    raise GameClosed("the game was closed")
