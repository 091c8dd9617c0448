"""Mind of a bot for Memory Scramble: it remembers cards that it has seen, and chooses the next flip.

Pure: no game, no clock. Its only input is the public state of the game:

    mind = MemoryMind("bot_Ada", "hard", random.Random(1))
    mind.begin(snapshot)
    mind.see(0, 2, FaceUp("A", "bob"))
    mind.next_move()          # a Flip; None: wait for the next move of another player
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
    """Largest number of remembered places (None: no limit); share of other players' cards that a bot notices."""

    places: int | None
    attention: float


MEMORIES: Final[Mapping[Level, Recall]] = {
    "easy": Recall(4, 0.5),
    "medium": Recall(10, 0.85),
    "hard": Recall(None, 1.0),
}


class MemoryMind(Mind):
    """One player's knowledge of a game. Mutable."""

    # AF: the player _name sees _cells on the table, and remembers the cards of _seen, the last seen card last.
    #     A place is free if a player can take its card without waiting. _unknown has the free places of unknown cards.
    #     _known maps the other free places to their cards, and _places maps each of these cards to its places.
    #     _pairs has the cards with two or more free places. _held maps each player to the places of controlled cards.
    # RI: _seen has at most as many places as the level allows. The indexes agree with _cells and _seen.
    # The indexes are here, because a board can have 10,000 cards, and no move may look at all of them.

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
        """Look at the whole table: at first, or after missed changes. Keep the remembered cards."""
        self.pairs_left = snapshot.pairs_left
        for index in (self._cells, self._unknown, self._known, self._places, self._pairs, self._held):
            index.clear()
        for number, cell in enumerate(snapshot.cells):
            self.see(*divmod(number, snapshot.columns), cell)

    def follow(self, events: Sequence[Event], /) -> bool:
        """Apply the events of one change. Return False after a new game: then `begin` must follow."""
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
        """Forget all cards, because a new game has begun. Then `begin` must follow."""
        self._seen.clear()

    def see(self, row: int, column: int, cell: Cell) -> None:
        """Look at the current cell at (row, column)."""
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
        """Remember a turned-up card if the bot notices it. Beyond the limit, forget the oldest card."""
        self._seen.pop(place, None)
        if by == self._name or self._choices.random() < self._memory.attention:
            self._seen[place] = card
            if self._memory.places is not None and len(self._seen) > self._memory.places:
                oldest = next(iter(self._seen))
                del self._seen[oldest]
                if oldest in self._cells:  # always True after the end of `begin`
                    self._index(oldest)

    def _index(self, place: Place) -> None:
        """Update the indexes for one place, from its cell and its remembered card."""
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
        """True if the bot can find no more pairs: no pair is left, or other players control all pairs left."""
        if not self.pairs_left:
            return True
        found = sum(len(places) == 2 for places in self._held.values())
        return self.pairs_left == found and self._name not in self._held

    def next_move(self) -> Flip | None:
        """Return the next flip; None to wait for another player's move.

        A second flip of the bot's own first card relinquishes this card. A flip of a card in the bot's pair removes the
        pair.
        """
        mine = sorted(self._held.get(self._name, ()))
        if len(mine) == 1:
            return Flip(self._name, *self._second(mine[0]))
        place = self._first() or (mine[0] if mine else self._awaited())
        return None if place is None else Flip(self._name, *place)

    def _card(self, place: Place) -> str | None:
        """Return the card at this place if it is face up or remembered; otherwise None."""
        cell = self._cells[place]
        return cell.card if isinstance(cell, FaceUp) else self._seen.get(place)

    def _first(self) -> Place | None:
        """Choose a first card: a card of a known pair, or an unknown card."""
        if len(self._unknown) + len(self._known) < 2:  # a pair needs two free cards
            return None
        if self._pairs:
            return self._any(self._places[self._choices.choice(sorted(self._pairs))])
        return self._any(self._unknown)

    def _second(self, first: Place) -> Place:
        """Choose a second card: the known match, or an unknown card, or the first card, to relinquish it."""
        card = self._card(first)
        matches = self._places.get(card, ()) if card is not None else ()
        return self._any(matches) or self._any(self._unknown) or first

    def _awaited(self) -> Place | None:
        """Choose a card to wait for: the first card of another player, never a card of a matched pair."""
        return self._any([next(iter(places)) for places in self._held.values() if len(places) == 1])

    def _any(self, places: Collection[Place]) -> Place | None:
        return self._choices.choice(list(places)) if places else None


def _is_free(cell: Cell) -> bool:
    """Return True if a player can take the card without waiting."""
    return isinstance(cell, FaceDown) or (isinstance(cell, FaceUp) and cell.by is None)
