r"""Renderer of the board as text, from any player's side. The cost is proportional to the number of changes.

This module has no game rules.

The grammar, from the handout:

    BOARD_STATE ::= ROW "x" COLUMN NEWLINE (SPOT NEWLINE)+
    SPOT ::= "none" | "down" | "up " CARD | "my " CARD
    CARD ::= [^\s\n\r]+
    ROW ::= INT
    COLUMN ::= INT
    INT ::= [0-9]+
    NEWLINE ::= "\r"? "\n"

The renderer writes NEWLINE as `\n`. A face-up card is "my" for the controlling player and "up" for all other players.
All players who control no card share one text. A change of control does not change the shared text.
"""

from __future__ import annotations

from collections.abc import Sequence

from scramble.memory.messages import View

NONE = "none"
DOWN = "down"


class Picture:
    """The BOARD_STATE of one board, from every player's side. Mutable; at first all cards are face down.

    The string of a row is cached until the row changes. Texts are made on demand and cached until a spot or the
    version changes.
    """

    # AF: row r, column c shows _spots[r][c]; the controlling player sees "my" instead of "up".
    # RI: every spot is "none", "down" or "up CARD"; for every row r outside _stale, _texts[r] is _spots[r] with a
    #     newline after each spot. _shared (if it is not None) and the views in _sides were made from the current _texts
    #     for _version. They are valid until a row is stale or the version changes.
    # Safe from rep exposure: methods return only strings and frozen views, never the lists.

    def __init__(self, rows: int, columns: int) -> None:
        self._head = f"{rows}x{columns}\n"
        self._spots = [[DOWN] * columns for _ in range(rows)]
        self._texts = [f"{DOWN}\n" * columns for _ in range(rows)]
        self._stale: set[int] = set()
        self._version = 0
        self._shared: View | None = None
        self._sides: dict[str, tuple[Sequence[tuple[int, int]], View]] = {}

    def copy(self) -> Picture:
        """Return an independent copy."""
        other = Picture(len(self._spots), len(self._spots[0]))
        other._spots = [row.copy() for row in self._spots]
        other._texts = self._texts.copy()
        other._stale = self._stale.copy()
        return other

    def put(self, row: int, column: int, spot: str) -> None:
        """Set the spot at a place: `NONE`, `DOWN` or "up " and the card."""
        self._spots[row][column] = spot
        self._stale.add(row)

    def view(self, version: int, player: str, mine: Sequence[tuple[int, int]] = ()) -> View:
        """Return the board for `player`, who controls the face-up cards at the (row, column) pairs in `mine`.

        Players who control no card get the same object until a spot or the version changes.
        """
        if self._stale or version != self._version:
            self._refresh(version)
        if mine:
            cached = self._sides.get(player)
            if cached is None or cached[0] != mine:
                cached = self._sides[player] = (mine, View(version, self._overlay(mine)))
            return cached[1]
        if self._shared is None:
            self._shared = View(version, "".join((self._head, *self._texts)))
        return self._shared

    def _refresh(self, version: int) -> None:
        """Make the stale rows again, and drop the cached texts of the board."""
        for row in self._stale:
            self._texts[row] = "\n".join(self._spots[row]) + "\n"
        self._stale.clear()
        self._sides.clear()
        self._shared = None
        self._version = version

    def _overlay(self, mine: Sequence[tuple[int, int]]) -> str:
        """Return the shared text with "my" instead of "up" at `mine`. Makes only the rows of `mine` again."""
        rows: dict[int, list[str]] = {}
        for row, column in mine:
            if row not in rows:
                rows[row] = self._spots[row].copy()
            rows[row][column] = f"my{self._spots[row][column].removeprefix('up')}"
        texts = self._texts.copy()
        for row, spots in rows.items():
            texts[row] = "\n".join(spots) + "\n"
        return "".join((self._head, *texts))

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        for row, spots in enumerate(self._spots):
            assert all(spot in (NONE, DOWN) or spot.startswith("up ") for spot in spots)
            if row not in self._stale:
                assert self._texts[row] == "".join(f"{spot}\n" for spot in spots)
        if self._shared is not None:
            assert self._shared == View(self._version, "".join((self._head, *self._texts)))
        assert all(view.version == self._version for _, view in self._sides.values())
