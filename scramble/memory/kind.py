"""Memory Scramble as a kind of game."""

from __future__ import annotations

from functools import partial
from typing import Final

from scramble.games.kind import Demo, GameKind
from scramble.memory import room
from scramble.memory.board import Board
from scramble.memory.bot import BOTS
from scramble.memory.narrator import MemoryNarrator
from scramble.memory.relay import EVENTS, REQUESTS


def memory_kind(most_cards: int = room.MOST_CARDS) -> GameKind:
    """Return the kind. A board in a new room has at most `most_cards` cards. Requires a `most_cards` of at least 2."""
    return GameKind(
        name="memory",
        title="Memory Scramble",
        restore=Board.restore,
        narrator=MemoryNarrator,
        settle=partial(room.settle, most_cards=most_cards),
        set_up=room.set_up,
        again=room.again,
        choices=partial(room.choices, most_cards=most_cards),
        memory=room.room_bytes,
        bot_memory=room.bot_bytes,
        requests=REQUESTS,
        events=EVENTS,
        secret_settings=frozenset({"seed", "board"}),
        replay_at_end=True,
        turn_clock=True,
        bots=BOTS,
        demo=Demo({"size": "6x6"}, ("easy", "medium", "hard")),
        daily=partial(room.daily, most_cards=most_cards),
        place=1,
    )


MEMORY: Final = memory_kind()
