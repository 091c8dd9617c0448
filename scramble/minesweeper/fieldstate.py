"""Encoder and decoder of a field's state. Journals store this JSON and restore fields from it.

    {"version": 7, "next_player": 3, "players": [...], "lines": ["..*", "dF#"]}

`lines` has one character per square, from the top left. So even a million squares are encoded and decoded quickly:

            without a bomb  with a bomb
    untouched            .         *
    flagged              f         F
    dug                  d

The counts of dug squares are not encoded, because the bombs decide them. Never send a state to players: it shows the
bombs.

A game with scores also has `contest`. A game that an earlier version began has `scores` instead: the numbers of opened
squares and dug-up bombs for each name. Before a safe first dig, `safe_start` is "around" if the square and its
neighbours will have no bomb, and true if only the square will have no bomb.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from scramble.minesweeper.contest import ContestState
from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.messages import Player

SAFE = b".fd"  # untouched, flagged, dug
BOMBS = b"*F"  # untouched, flagged; dug squares have no bomb


_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]

SavedScore: TypeAlias = tuple[_Count, _Count]
"""Number of squares that the players of one name have opened, and number of the bombs among these squares."""


SafeStart: TypeAlias = bool | Literal["around"]
"""True if the square of the first dig will have no bomb; "around" if its neighbours will have no bomb, either."""


class FieldState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whole state of a field. `players` are in the order of their numbers."""

    version: int
    next_player: int
    players: tuple[Player, ...]
    lines: tuple[str, ...]
    scores: dict[str, SavedScore] | None = None
    safe_start: SafeStart = False
    contest: ContestState | None = None


_decoder: Final = msgspec.json.Decoder(FieldState)


def encode(state: FieldState) -> bytes:
    """Encode the state as JSON. Equal states have equal encodings."""
    return msgspec.json.encode(state)


def decode(data: bytes) -> FieldState:
    """Decode an output of `encode`. Does not validate the names of players.

    Raises:
        ValueError: `data` is not the state of a field. The message gives the reason.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("not the state of a field: the JSON is nested too deeply") from None
    rows, columns = len(state.lines), len(state.lines[0]) if state.lines else 0
    _require(0 < rows * columns <= MAX_SQUARES, f"the field has no squares, or more than {MAX_SQUARES}")
    _require(all(len(line) == columns for line in state.lines), "the rows differ in length")
    squares = "".join(state.lines).encode(errors="replace")
    _require(not squares.translate(None, SAFE + BOMBS), f"a square is not one of {(SAFE + BOMBS).decode()}")
    numbers = [player.id for player in state.players]
    _require(numbers == sorted(set(numbers)), "the players are not in the order of their numbers")
    _require(all(0 < number < state.next_player for number in numbers), "a player has an unused number")
    _require(0 <= state.next_player - 1 <= state.version, "more players have connected than the field has changes")
    places = [player.at for player in state.players if player.at is not None]
    _require(all(0 <= x < columns and 0 <= y < rows for x, y in places), "a player is outside")
    _require(not state.safe_start or b"d"[0] not in squares, "a square is dug before the first dig")
    _require(
        not state.safe_start or squares.strip(BOMBS) != b"", "the first dig cannot be safe: all squares have bombs"
    )
    _require(
        all(booms <= opened for opened, booms in (state.scores or {}).values()), "more bombs than squares were dug"
    )
    _require(state.contest is None or state.scores is None, "the state has both kinds of scores")
    _require(state.contest is None or len(state.contest.owners) == rows, "the contest has a different number of rows")
    return state


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a field: {otherwise}")
