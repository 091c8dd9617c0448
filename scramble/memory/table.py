"""Table of cards: the card on each space, its side, and its controlling player. This module has no turns or waits.

Each step on the table returns its event, so every change has an event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from scramble.memory.messages import (
    Cell,
    FaceDown,
    FaceUp,
    NoCard,
    Relinquished,
    Removed,
    Replaced,
    Took,
    TurnedDown,
    TurnedUp,
    View,
)
from scramble.memory.rendering import DOWN, NONE, Picture

_FACE_DOWN = FaceDown()


class SpaceState(msgspec.Struct, frozen=True, array_like=True):
    """State of a `Space` without its place; the fields have the same names."""

    card: str | None
    up: bool
    by: str | None


class Space:
    """A place for one card. Mutable, but only its `Table` changes it; compares by identity.

    `card` is None after the removal of the card. `by` is the player who controls the face-up card; None if no player
    controls it. After the removal, `by` is the player who took the card.
    """

    __slots__ = ("by", "card", "column", "place", "row", "up")

    def __init__(self, row: int, column: int, card: str) -> None:
        self.row = row
        self.column = column
        self.place = row, column
        self.card: str | None = card
        self.up = False
        self.by: str | None = None

    @property
    def controller(self) -> str | None:
        """The player who controls the card; None if the space has no card, or no player controls it."""
        return self.by if self.card is not None else None

    @property
    def cell(self) -> Cell:
        """The public state of this space."""
        if self.card is None:
            assert self.by is not None
            return NoCard(self.by)
        return FaceUp(self.card, self.by) if self.up else _FACE_DOWN

    @property
    def state(self) -> SpaceState:
        """The complete state of this space; not public."""
        return SpaceState(self.card, self.up, self.by)

    def __str__(self) -> str:
        if self.card is None:
            return NONE
        if not self.up:
            return DOWN
        return self.card if self.by is None else f"{self.card}({self.by})"


class Table:
    """A grid of spaces and its text. Mutable; iterates over the spaces in reading order: row by row from the top."""

    # AF: a table of `rows` rows and `columns` columns. The space at (r, c) is _spaces[r * columns + c]. _deck has the
    #     cards of the first deal, in order.
    # RI: len(_spaces) == len(_deck) == rows * columns >= 1, each space at its own place; a space without a card is not
    #     up and has a taker; no player controls a face-down card; _counts counts the cards on the table without counts
    #     of 0, and pairs_left is the number of pairs among them; _picture shows the spaces.
    # Safe from rep exposure: only the rules get spaces. They read spaces, and change them only by the methods here;
    #     the board never returns spaces or tables. All other returned values are immutable.

    def __init__(self, rows: int, columns: int, cards: Sequence[str]) -> None:
        self.rows = rows
        self.columns = columns
        self._deck = tuple(cards)
        self.deal(self._deck)

    def copy(self) -> Table:
        """Return an independent table with equal spaces."""
        other = Table(self.rows, self.columns, self._deck)
        for space, twin in zip(self._spaces, other._spaces, strict=True):
            twin.card, twin.up, twin.by = space.card, space.up, space.by
        other._counts = self._counts.copy()
        other.pairs_left = self.pairs_left
        other._picture = self._picture.copy()
        return other

    def __iter__(self) -> Iterator[Space]:
        return iter(self._spaces)

    def at(self, row: int, column: int) -> Space:
        """Return the space at (row, column). Requires a place on the table."""
        return self._spaces[row * self.columns + column]

    @property
    def deck(self) -> tuple[str, ...]:
        """The cards of the first deal, in reading order."""
        return self._deck

    @property
    def cards(self) -> tuple[str, ...]:
        """The distinct cards on the table, in reading order."""
        return tuple(dict.fromkeys(space.card for space in self._spaces if space.card is not None))

    def view(self, version: int, player: str, mine: Sequence[Space]) -> View:
        """Return the table as text for `player`, who controls the cards at `mine`."""
        return self._picture.view(version, player, tuple([space.place for space in mine]))

    def deal(self, cards: Sequence[str]) -> None:
        """Deal these cards, all face down. Every space is a new object."""
        self._spaces = [Space(*divmod(index, self.columns), card) for index, card in enumerate(cards)]
        self._counts = Counter(cards)
        self.pairs_left = sum(count // 2 for count in self._counts.values())
        self._picture = Picture(self.rows, self.columns)

    def restore_space(self, space: Space, state: SpaceState) -> None:
        """Restore the state of `space`. Requires a space that is unchanged since the deal."""
        assert space.card is not None
        self._count(space.card, -1)
        if state.card is not None:
            self._count(state.card, +1)
        space.card = space.card if state.card == space.card else state.card  # share the string of equal cards
        space.up, space.by = state.up, state.by
        spot = NONE if state.card is None else f"up {state.card}" if state.up else DOWN
        self._picture.put(space.row, space.column, spot)

    # --- steps -----------------------------------------------------------------------------------

    def turn_up(self, space: Space) -> TurnedUp:
        """Turn a face-down card face up."""
        assert space.card is not None
        space.up = True
        self._picture.put(space.row, space.column, f"up {space.card}")
        return TurnedUp(space.row, space.column, space.card)

    def turn_down(self, space: Space) -> TurnedDown:
        """Turn an uncontrolled face-up card face down."""
        space.up = False
        self._picture.put(space.row, space.column, DOWN)
        return TurnedDown(space.row, space.column)

    def take(self, space: Space, player: str) -> Took:
        """Give `player` control of an uncontrolled face-up card."""
        assert space.card is not None
        space.by = player
        return Took(space.row, space.column, player, space.card)

    def relinquish(self, space: Space) -> Relinquished:
        """End the control of a card. The card stays face up."""
        assert space.card is not None
        assert space.by is not None
        player, space.by = space.by, None
        return Relinquished(space.row, space.column, player, space.card)

    def remove(self, space: Space) -> Removed:
        """Remove a controlled card from the table; the controlling player takes it."""
        card, player = space.card, space.by
        assert card is not None
        assert player is not None
        space.card = None
        space.up = False
        self._count(card, -1)
        self._picture.put(space.row, space.column, NONE)
        return Removed(space.row, space.column, player, card)

    def replace(self, space: Space, card: str) -> Replaced:
        """Replace a card by a different card. Its side and its control do not change."""
        assert space.card is not None
        self._count(space.card, -1)
        self._count(card, +1)
        space.card = card
        if not space.up:
            return Replaced(space.row, space.column, None, None)
        self._picture.put(space.row, space.column, f"up {card}")
        return Replaced(space.row, space.column, card, space.by)

    def _count(self, card: str, change: int) -> None:
        """Add `change`, 1 or -1, to the count of a card."""
        before = self._counts[card]
        after = before + change
        self.pairs_left += after // 2 - before // 2
        if after:
            self._counts[card] = after
        else:
            del self._counts[card]

    def __str__(self) -> str:
        lines = (self._spaces[start : start + self.columns] for start in range(0, len(self._spaces), self.columns))
        return "\n".join(" ".join(map(str, line)) for line in lines)

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        assert len(self._spaces) == len(self._deck) == self.rows * self.columns >= 1
        for index, space in enumerate(self._spaces):
            assert (space.row, space.column) == divmod(index, self.columns)
            if space.card is None:
                assert not space.up
                assert space.by is not None
            elif not space.up:
                assert space.by is None
        counts = Counter(space.card for space in self._spaces if space.card is not None)
        assert dict(counts) == dict(self._counts)
        assert self.pairs_left == sum(count // 2 for count in counts.values())
        self._picture.check_rep()
