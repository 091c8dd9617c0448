"""The cards as they lie: which card where, which side up, who controls it. Knows no turns and no waiting.

Each step on the table returns the event that tells it, so that nothing can happen here untold.
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
from scramble.memory.views import DOWN, NONE, Picture

_FACE_DOWN = FaceDown()


class Lie(msgspec.Struct, frozen=True, array_like=True):
    """How one card lies: all that a `Space` knows besides its place, in the same words."""

    card: str | None
    up: bool
    by: str | None


class Space:
    """A place for one card. Mutable, but only ever changed by its `Table`; compares by identity.

    `card` is None once the card has been removed. `by` is the player who controls the face-up card, None if nobody
    does; where the card has been removed, the player who took it.
    """

    __slots__ = ("by", "card", "column", "row", "up")

    def __init__(self, row: int, column: int, card: str) -> None:
        self.row = row
        self.column = column
        self.card: str | None = card
        self.up = False
        self.by: str | None = None

    @property
    def controller(self) -> str | None:
        """The player who controls the card here, if there is a card and somebody controls it."""
        return self.by if self.card is not None else None

    @property
    def cell(self) -> Cell:
        """What everybody may know of this space."""
        if self.card is None:
            assert self.by is not None
            return NoCard(self.by)
        return FaceUp(self.card, self.by) if self.up else _FACE_DOWN

    @property
    def lie(self) -> Lie:
        """What is so at the moment, for nobody's eyes but the game's."""
        return Lie(self.card, self.up, self.by)

    def __str__(self) -> str:
        if self.card is None:
            return NONE
        if not self.up:
            return DOWN
        return self.card if self.by is None else f"{self.card}({self.by})"


class Table:
    """A grid of spaces, and how they look. Mutable; iterates over the spaces, across each row from the top one."""

    # AF: a table of `rows` rows and `columns` columns whose space at (r, c) is _spaces[r * columns + c]; _deck is what
    #     was dealt first, in that order.
    # RI: len(_spaces) == len(_deck) == rows * columns >= 1, each space at its own place; a space without a card is not
    #     up and has a taker; a card that is face down is controlled by nobody; _counts counts the cards on the table,
    #     none of them 0, and pairs_left is the number of pairs among them; _picture shows the spaces.
    # Safe from rep exposure: spaces do leave, to the rules, which read them and change them only by the methods here;
    #     neither spaces nor tables ever leave the board. Everything else that leaves is immutable.

    def __init__(self, rows: int, columns: int, cards: Sequence[str]) -> None:
        self.rows = rows
        self.columns = columns
        self._deck = tuple(cards)
        self.deal(self._deck)

    def copy(self) -> Table:
        """A table with equal spaces that changes by itself."""
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
        """The space there, which must be on the table."""
        return self._spaces[row * self.columns + column]

    @property
    def deck(self) -> tuple[str, ...]:
        """The cards as they were dealt first, across each row from the top one."""
        return self._deck

    @property
    def cards(self) -> tuple[str, ...]:
        """The distinct cards on the table, in reading order."""
        return tuple(dict.fromkeys(space.card for space in self._spaces if space.card is not None))

    def view(self, version: int, player: str, mine: Sequence[Space]) -> View:
        """The table as text for `player`, who controls the cards at `mine`."""
        return self._picture.view(version, player, tuple((space.row, space.column) for space in mine) if mine else ())

    def deal(self, cards: Sequence[str]) -> None:
        """Put other cards on the table, all face down; every space is a new one."""
        self._spaces = [Space(*divmod(index, self.columns), card) for index, card in enumerate(cards)]
        self._counts = Counter(cards)
        self.pairs_left = sum(count // 2 for count in self._counts.values())
        self._picture = Picture(self.rows, self.columns)

    def lay(self, space: Space, lie: Lie) -> None:
        """Let it be so at `space`, where a card was dealt and nothing has happened yet: how a table is restored."""
        assert space.card is not None
        self._count(space.card, -1)
        if lie.card is not None:
            self._count(lie.card, +1)
        space.card, space.up, space.by = lie.card, lie.up, lie.by
        self._picture.put(space.row, space.column, NONE if lie.card is None else f"up {lie.card}" if lie.up else DOWN)

    # --- steps -----------------------------------------------------------------------------------

    def turn_up(self, space: Space) -> TurnedUp:
        """Turn a face-down card face up."""
        assert space.card is not None
        space.up = True
        self._picture.put(space.row, space.column, f"up {space.card}")
        return TurnedUp(space.row, space.column, space.card)

    def turn_down(self, space: Space) -> TurnedDown:
        """Turn a face-up card that nobody controls face down."""
        space.up = False
        self._picture.put(space.row, space.column, DOWN)
        return TurnedDown(space.row, space.column)

    def take(self, space: Space, player: str) -> Took:
        """Let `player` control a face-up card that nobody controls."""
        assert space.card is not None
        space.by = player
        return Took(space.row, space.column, player, space.card)

    def relinquish(self, space: Space) -> Relinquished:
        """Let go of a controlled card, which stays face up."""
        assert space.card is not None
        assert space.by is not None
        player, space.by = space.by, None
        return Relinquished(space.row, space.column, player, space.card)

    def remove(self, space: Space) -> Removed:
        """Let the player who controls the card take it off the table."""
        card, player = space.card, space.by
        assert card is not None
        assert player is not None
        space.card = None
        space.up = False
        self._count(card, -1)
        self._picture.put(space.row, space.column, NONE)
        return Removed(space.row, space.column, player, card)

    def replace(self, space: Space, card: str) -> Replaced:
        """Put a different card in the place of the one there, with the same side up and controlled as before."""
        assert space.card is not None
        self._count(space.card, -1)
        self._count(card, +1)
        space.card = card
        if not space.up:
            return Replaced(space.row, space.column, None, None)
        self._picture.put(space.row, space.column, f"up {card}")
        return Replaced(space.row, space.column, card, space.by)

    def _count(self, card: str, change: int) -> None:
        """Count one card more or one less."""
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
