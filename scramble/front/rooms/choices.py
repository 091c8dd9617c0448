"""Choices for a new room: the kinds of games, their sizes, themes and puzzles, and the levels of bots."""

from __future__ import annotations

from collections.abc import Mapping

from scramble.front.rooms.room_orders import TURN_CLOCKS, OpenRooms
from scramble.games.bot import LEVELS
from scramble.games.kind import GameKind


def choices_view(kinds: Mapping[str, GameKind], who: OpenRooms, most_bots: int) -> dict[str, object]:
    """Return the choices for JSON. `who` may open rooms. A room may have at most `most_bots` bots."""
    return {
        "kinds": [_kind_view(kind, most_bots) for kind in kinds.values()],
        "bots": {"levels": LEVELS, "most": most_bots},
        "turn_clocks": ["off", *TURN_CLOCKS],
        "open_rooms": who,
    }


def _kind_view(kind: GameKind, most_bots: int) -> dict[str, object]:
    most = 0 if kind.bots is None else most_bots if kind.bots.most is None else min(most_bots, kind.bots.most)
    return {"game": kind.name, "title": kind.title, "bots": most, "turn_clock": kind.turn_clock, **kind.choices()}
