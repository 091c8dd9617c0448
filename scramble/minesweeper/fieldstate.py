"""A field's state in writing: JSON that a journal keeps and a field is restored from.

    {"version": 7, "next_player": 3, "players": [...], "lines": ["..*", "dF#"]}

`lines` has one character a square, from the top left, so that even a million squares are written and read in a
moment:

            without a bomb  with one
    untouched            .         *
    flagged              f         F
    dug                  d

What a dug square counts follows from the bombs, so it is not written down. Not for players: it tells where bombs are.
"""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.messages import Player

SAFE = b".fd"  # untouched, flagged, dug
BOMBS = b"*F"  # untouched, flagged; what is dug has none


class FieldState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All there is to a field. `players` are in the order of their numbers, which is that in which they came."""

    version: int
    next_player: int
    players: tuple[Player, ...]
    lines: tuple[str, ...]


_decoder: Final = msgspec.json.Decoder(FieldState)


def encode(state: FieldState) -> bytes:
    """The state as JSON. Equal states make equal bytes."""
    return msgspec.json.encode(state)


def decode(data: bytes) -> FieldState:
    """The state that `encode` made `data` of, though perhaps with names that nobody can have.

    Raises:
        ValueError: it is not the state of any field; says what is wrong.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("the state of a field is not nested so deeply") from None
    rows, columns = len(state.lines), len(state.lines[0]) if state.lines else 0
    _require(0 < rows * columns <= MAX_SQUARES, f"there are no squares, or more than {MAX_SQUARES}")
    _require(all(len(line) == columns for line in state.lines), "its rows differ in length")
    squares = "".join(state.lines).encode(errors="replace")
    _require(not squares.translate(None, SAFE + BOMBS), f"a square is none of {(SAFE + BOMBS).decode()}")
    numbers = [player.id for player in state.players]
    _require(numbers == sorted(set(numbers)), "the players are not in the order of their numbers")
    _require(all(0 < number < state.next_player for number in numbers), "a player has a number that was never given")
    _require(0 <= state.next_player - 1 <= state.version, "more players have come than there were changes")
    places = [player.at for player in state.players if player.at is not None]
    _require(all(0 <= x < columns and 0 <= y < rows for x, y in places), "a player is outside")
    return state


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a field: {otherwise}")
