"""A kind of game as one value, with all parts for servers, rooms, bots, journals and replays.

    MEMORY = GameKind(name="memory", title="Memory Scramble", restore=..., narrator=..., settle=..., ...)

    settings = kind.settle({"size": "4x4"}, seed=7)      # complete settings, to be recorded; or BadSettings
    setup = kind.set_up(settings)                        # `scramble.games.room` has the next steps

`scramble.games.table` finds the installed kinds. The settings of a room are recorded with the seed when it is opened,
so a room can always be made again. `settle` does not change complete settings.
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
"""Function that completes settings before a room opens. Each call continues the search of the previous call.

Blocks for the given seconds, or a little longer. Returns the settings, or None if another call is necessary. Raises
BadSettings if it gives up.
"""


def no_search(_settings: Mapping[str, object], /) -> Search | None:
    """Return None: the settings are complete."""
    return None


def no_choices() -> dict[str, object]:
    """Return no choices for the page."""
    return {}


ROOM_BYTES: Final = 100_000
"""Memory of an awake room with a small game. Measured: 82 to 85 kB with one player."""


def room_bytes(_settings: Mapping[str, object], /) -> int:
    """Return the memory of a small game."""
    return ROOM_BYTES


BOT_BYTES: Final = 20_000
"""Estimated memory of a bot in a small game: its tasks, its connection and its mind."""


def bot_bytes(_settings: Mapping[str, object], /) -> int:
    """Return the memory of a bot in a small game."""
    return BOT_BYTES


Daily: TypeAlias = Callable[[int, int], Mapping[str, object]]
"""Function of the number of a day and its random seed. Returns the settings of the challenge of this day. Blocks."""


@dataclass(frozen=True)
class Demo:
    """A game with only bots, for `scramble serve --demo`: the settings of the first game, and the bots' levels."""

    settings: Mapping[str, object]
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class GameKind:
    """One kind of game. Without `bots` a room has no bots."""

    name: str  # one word: the name of the command, of the kind in journals and metrics, and of the folder of pages
    title: str  # for people
    restore: Callable[[bytes], Durable]  # makes the rules from a state in a journal; raises ValueError
    narrator: NarratorFactory  # makes the narrator of a recording from its first state; raises ValueError
    settle: Callable[[Mapping[str, object], int], dict[str, object]]  # (given, seed) -> all settings; or BadSettings
    set_up: Callable[[Mapping[str, object]], RoomSetup]  # makes a room from settled settings; deterministic; blocks
    again: Callable[[Mapping[str, object], int], dict[str, object]]  # (settled, seed) -> settings for the next game
    choices: Callable[[], dict[str, object]] = no_choices  # returns the choices for a page, for JSON; blocks
    search: Callable[[Mapping[str, object]], Search | None] = no_search  # work that takes too long for `settle`
    memory: Callable[[Mapping[str, object]], int] = room_bytes  # bytes of an awake room, without its bots
    bot_memory: Callable[[Mapping[str, object]], int] = bot_bytes  # bytes of each bot in the room
    requests: object = None  # union of the commands and queries that other processes may send; None: no requests
    events: object = None  # union of the game's events; None: no events
    secret_settings: frozenset[str] = frozenset({"seed"})  # settings with secrets of the game; hidden until the end
    replay_at_end: bool = False  # True: replays exist only after the end, because they show secrets of the game
    turn_clock: bool = False  # True: a room can limit the time that a player keeps other players waiting
    bots: BotSeats | None = None
    demo: Demo | None = None
    daily: Daily | None = None  # settings of a daily challenge for one player; requires `bots`; None: no challenge
    place: int = 100  # position in the list of games; lower numbers come first
