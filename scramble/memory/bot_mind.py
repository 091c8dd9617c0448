"""The mind of a bot for Memory Scramble: remembers the cards that it has seen, and chooses the next flip.

Pure: it opens no game and knows no clock. It is shown what every player sees, and nothing else:

    mind = MemoryMind("bot_Ada", "hard", random.Random(1))
    mind.begin(snapshot)
    mind.see(0, 2, FaceUp("A", "bob"))
    mind.next_move()          # a Flip, or None: there is nothing to do before somebody else moves
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from scramble.games.bot import Level, Mind
from scramble.kernel.protocol import Event
from scramble.memory.difference import difference_of
from scramble.memory.messages import Cell, FaceDown, FaceUp, Flip, NoCard, Snapshot

Place: TypeAlias = tuple[int, int]
"""(row, column), both from 0 at the top left."""


class Recall(NamedTuple):
    """How many places a bot remembers at most, and the share of the cards of other players that it notices."""

    places: int | None
    attention: float


MEMORIES: Final[Mapping[Level, Recall]] = {
    "easy": Recall(4, 0.5),
    "medium": Recall(10, 0.85),
    "hard": Recall(None, 1.0),
}


class MemoryMind(Mind):
    """One player's knowledge of a game. Mutable."""

    # AF: the player `name` sees _cells on the table, and remembers the cards of _seen, the latest sight last.
    # RI: as many places are in _seen as the level allows at most. Of the places that can be taken without waiting,
    #     _unknown has those of unknown cards, and _places the others by their cards, the card of each being in _known;
    #     _pairs has the cards of which _places has two places or more. _held has the places of each player's cards.
    # A board can have 10,000 cards, so no move looks at all of them.

    def __init__(self, name: str, level: Level, choices: random.Random) -> None:
        self._name: Final = name
        self._memory: Final = MEMORIES[level]
        self._choices: Final = choices
        self._cells: dict[Place, Cell] = {}
        self._seen: dict[Place, str] = {}
        self._unknown: set[Place] = set()
        self._known: dict[Place, str] = {}
        self._places: dict[str, set[Place]] = {}
        self._pairs: set[str] = set()
        self._held: dict[str, set[Place]] = {}
        self.pairs_left = 0

    def begin(self, snapshot: Snapshot, /) -> None:
        """Look at the whole table, at first or after missed changes; remembered cards may still be right."""
        self.pairs_left = snapshot.pairs_left
        for index in (self._cells, self._unknown, self._known, self._places, self._pairs, self._held):
            index.clear()
        for number, cell in enumerate(snapshot.cells):
            self.see(*divmod(number, snapshot.columns), cell)

    def follow(self, events: Sequence[Event], /) -> bool:
        """Take in the events of one change; return False after a new game."""
        new = difference_of(events)
        if new.restarted:
            self.forget()
            return False
        for (row, column), cell in new.cells.items():
            self.see(row, column, cell)
        if new.pairs_left is not None:
            self.pairs_left = new.pairs_left
        return True

    def forget(self) -> None:
        """Forget all cards: a new game has begun. Then `begin` has to follow."""
        self._seen.clear()

    def see(self, row: int, column: int, cell: Cell) -> None:
        """See what is at (row, column) now."""
        place, before = (row, column), self._cells.get((row, column))
        self._cells[place] = cell
        if isinstance(before, FaceUp) and before.by is not None:
            self._held[before.by].discard(place)
            if not self._held[before.by]:
                del self._held[before.by]
        match cell:
            case NoCard():
                self._seen.pop(place, None)
            case FaceUp(card, by):
                if by is not None:
                    self._held.setdefault(by, set()).add(place)
                if not (isinstance(before, FaceUp) and before.card == card):
                    self._notice(place, card, by)
            case FaceDown():
                pass
        self._index(place)

    def _notice(self, place: Place, card: str, by: str | None) -> None:
        """Remember a card that has turned up, if it is noticed, and forget another one for it."""
        self._seen.pop(place, None)
        if by == self._name or self._choices.random() < self._memory.attention:
            self._seen[place] = card
            if self._memory.places is not None and len(self._seen) > self._memory.places:
                oldest = next(iter(self._seen))
                del self._seen[oldest]
                if oldest in self._cells:  # all of them, once `begin` is over
                    self._index(oldest)

    def _index(self, place: Place) -> None:
        """Update the indexes that depend on the cell at a place, and on its remembered card."""
        self._unknown.discard(place)
        before = self._known.pop(place, None)
        if before is not None:
            self._places[before].discard(place)
            self._pairs -= {before} if len(self._places[before]) < 2 else set()
        if _is_free(self._cells[place]):
            card = self._card(place)
            if card is None:
                self._unknown.add(place)
                return
            self._known[place] = card
            self._places.setdefault(card, set()).add(place)
            self._pairs |= {card} if len(self._places[card]) > 1 else set()

    @property
    def over(self) -> bool:
        """True if no pair is left to find: other players control the last pairs, and take them at any time."""
        if not self.pairs_left:
            return True
        found = sum(len(places) == 2 for places in self._held.values())
        return self.pairs_left == found and self._name not in self._held

    def next_move(self) -> Flip | None:
        """Return the next flip; None if it is better to wait for the others.

        A flip of the bot's own first card lets go of it; one of a card in its pair removes the pair.
        """
        mine = sorted(self._held.get(self._name, ()))
        if len(mine) == 1:
            return Flip(self._name, *self._second(mine[0]))
        place = self._first() or (mine[0] if mine else self._awaited())
        return None if place is None else Flip(self._name, *place)

    def _card(self, place: Place) -> str | None:
        """Return the card at that place if it is face up, or remembered."""
        cell = self._cells[place]
        return cell.card if isinstance(cell, FaceUp) else self._seen.get(place)

    def _first(self) -> Place | None:
        """Choose a first card: one of a known pair, or one that is not known."""
        if len(self._unknown) + len(self._known) < 2:  # no pair can be made of it
            return None
        if self._pairs:
            return self._any(self._places[self._choices.choice(sorted(self._pairs))])
        return self._any(self._unknown)

    def _second(self, first: Place) -> Place:
        """Choose a second card: the match if it is known, or one that is not known; else let go of the first one."""
        card = self._card(first)
        matches = self._places.get(card, ()) if card is not None else ()
        return self._any(matches) or self._any(self._unknown) or first

    def _awaited(self) -> Place | None:
        """Choose a card to wait for: the first card of another player, never one of a pair that a player has found."""
        return self._any([next(iter(places)) for places in self._held.values() if len(places) == 1])

    def _any(self, places: Collection[Place]) -> Place | None:
        return self._choices.choice(list(places)) if places else None


def _is_free(cell: Cell) -> bool:
    """Return True if a player can turn that card over without waiting."""
    return isinstance(cell, FaceDown) or (isinstance(cell, FaceUp) and cell.by is None)
