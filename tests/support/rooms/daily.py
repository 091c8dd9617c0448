"""The cards of a daily challenge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from scramble.memory.boardfile import parse_board_file
from scramble.memory.random_board import Theme, new_board


def in_pairs(settings: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return the places of the cards of a daily board of Memory Scramble, each pair together."""
    rows, columns = (int(side) for side in str(settings["size"]).split("x"))
    board = parse_board_file(new_board(rows, columns, cast(Theme, settings["theme"]), cast(int, settings["seed"])))
    places = sorted(range(rows * columns), key=lambda place: board.cards[place])
    return [divmod(place, columns) for place in places]
