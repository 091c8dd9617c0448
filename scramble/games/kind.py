"""A kind of game as one value: everything that servers, rooms, bots, journals and replays need of it.

    MEMORY = GameKind(name="memory", title="Memory Scramble", restore=..., narrator=..., settle=..., ...)

    settings = kind.settle({"size": "4x4"}, seed=7)      # complete settings, to be recorded; or BadSettings
    setup = kind.set_up(settings)                        # `scramble.games.room` has what follows

`scramble.games.table` finds the kinds that are installed. The settings of a room are recorded when it is opened, with
the seed, so a room can always be made again. `settle` leaves settled settings as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from scramble.games.bot import Level
from scramble.games.bot_seats import BotSeats
from scramble.games.narration import NarratorFactory
from scramble.games.room import RoomSetup
from scramble.kernel.protocol import Durable

Search: TypeAlias = Callable[[float], dict[str, object] | None]
"""Completes settings before a room opens. Each call continues where the last one has ended.

Blocks for so many seconds, or a little longer; returns the settings, or None if it has to continue. Raises BadSettings
if it gives up.
"""


def no_search(_settings: Mapping[str, object], /) -> Search | None:
    """Return None: the settings are complete."""
    return None


def no_choices() -> dict[str, object]:
    """Return nothing: a page has nothing to choose."""
    return {}


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
class Demo:
    """A game of bots alone, for `scramble serve --demo`: the settings of the first game, and the bots' levels."""

    settings: Mapping[str, object]
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class GameKind:
    """One kind of game. Without `bots` a room has no bots."""

    name: str  # one word: the command, the kind in journals and metrics, and the folder of its pages
    title: str  # for people
    restore: Callable[[bytes], Durable]  # makes the rules from a state in a journal; raises ValueError
    narrator: NarratorFactory  # makes the narrator of a recording that begins with that state; raises ValueError
    settle: Callable[[Mapping[str, object], int], dict[str, object]]  # (given, seed) -> all settings; or BadSettings
    set_up: Callable[[Mapping[str, object]], RoomSetup]  # from settled settings; deterministic; blocks
    again: Callable[[Mapping[str, object], int], dict[str, object]]  # (settled, seed) -> settings to give for the next
    choices: Callable[[], dict[str, object]] = no_choices  # to choose from on a page, for JSON; blocks
    search: Callable[[Mapping[str, object]], Search | None] = no_search  # work that takes too long for `settle`
    memory: Callable[[Mapping[str, object]], int] = room_bytes  # bytes of a room with these, awake, without bots
    bot_memory: Callable[[Mapping[str, object]], int] = bot_bytes  # bytes of each bot that plays there
    requests: object = None  # the union of all commands and queries that other processes may send; None: they cannot
    events: object = None  # the union of the game's events; None: it has none
    secret_settings: frozenset[str] = frozenset({"seed"})  # that tell what players are to find out, until the end
    replay_at_end: bool = False  # a replay shows what players are still to find out, so it is there after the end
    turn_clock: bool = False  # players hold what others wait for, so a room can limit the time
    bots: BotSeats | None = None
    demo: Demo | None = None
    place: int = 100  # in the list of games: lower numbers come first
