"""The rules of Memory Scramble as a naive specification, written from the handout alone.

`Rules` executes the smallest steps that the handout allows to be seen: one card of a finished play (3-A, 3-B), or one
flip. A server may make several steps at once. The judge of concurrent clients (`judge.py`) explores these steps in each
order; the model of this project's own tests (tests/support/memory/model.py) executes each command as one step.

Nothing is indexed: every question scans the board.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[int, int]
"""Row and column, from 0 at the top left."""


class Seen(NamedTuple):
    """The content of a space as one player sees it: `none`, `down`, `up` or `my`, and the card if it is face up."""

    state: str
    card: str = ""

    def __str__(self) -> str:
        return f"{self.state} {self.card}" if self.card else self.state


class Rules:
    """The state of a board, or of some spaces of a board."""

    def __init__(self, cards: Mapping[Place, str]) -> None:
        """`cards`: the cards at the start, all face down."""
        self.card: dict[Place, str] = dict(cards)
        self.up: set[Place] = set()
        self.control: dict[Place, str] = {}
        self.tried: dict[str, tuple[Place, ...]] = {}
        """For each player the cards of the previous play, if they did not match."""

        self.changes = 0
        """The number of cards turned up or down, removed or replaced so far: the changes that a watch sees."""

    def copy(self) -> Rules:
        """Return an independent copy."""
        other = Rules({})
        self.copy_to(other)
        return other

    def copy_to(self, other: Rules) -> None:
        """Make `other` equal to this state."""
        other.card, other.up, other.control = self.card.copy(), self.up.copy(), self.control.copy()
        other.tried, other.changes = self.tried.copy(), self.changes

    def key(self) -> Hashable:
        """Return a value that is equal for states with the same future."""
        return (
            frozenset(self.card.items()),
            frozenset(self.up),
            frozenset(self.control.items()),
            frozenset((player, frozenset(places)) for player, places in self.tried.items() if places),
        )

    def see(self, player: str, place: Place) -> Seen:
        """Return the content of a space as the player sees it."""
        if place not in self.card:
            return Seen("none")
        if place not in self.up:
            return Seen("down")
        return Seen("my" if self.control.get(place) == player else "up", self.card[place])

    def controlled(self, player: str) -> list[Place]:
        """Return the places of the cards that the player controls."""
        return [place for place, controller in self.control.items() if controller == player]

    def begin(self, player: str) -> tuple[Place, ...]:
        """Begin a move, and return the cards of the previous play that the move finishes first (3-A, 3-B).

        A second card finishes nothing.
        """
        mine = self.controlled(player)
        if len(mine) == 1:
            return ()
        return (*mine, *self.tried.pop(player, ()))

    def finish(self, player: str, place: Place) -> None:
        """Finish the previous play for one of the cards from `begin`."""
        if self.control.get(place) == player:  # 3-A
            del self.card[place], self.control[place]
            self.up.remove(place)
            self.changes += 1
        elif place in self.card and place in self.up and place not in self.control:  # 3-B
            self.up.remove(place)
            self.changes += 1

    def turn(self, player: str, place: Place) -> str:
        """Try to turn over a card, and return the rule. With 1-D nothing has happened: the player waits."""
        mine = self.controlled(player)
        assert len(mine) < 2, "the previous play is not finished"
        if mine:
            return self._turn_second(player, mine[0], place)
        if place not in self.card:
            return "1-A"
        if place in self.control:
            return "1-D"
        rule = "1-C" if place in self.up else "1-B"
        self.turn_up(place)
        self.control[place] = player
        return rule

    def _turn_second(self, player: str, first: Place, place: Place) -> str:
        if place not in self.card:
            rule = "2-A"
            self.tried[player] = (first,)
        elif place in self.control:
            rule = "2-B"
            self.tried[player] = (first,)
        else:
            self.turn_up(place)  # 2-C
            if self.card[place] == self.card[first]:
                self.control[place] = player
                return "2-D"
            rule = "2-E"
            self.tried[player] = (first, place)
        del self.control[first]
        return rule

    def turn_up(self, place: Place) -> None:
        """Turn a card face up, if it is down."""
        if place not in self.up:
            self.up.add(place)
            self.changes += 1

    def replace(self, mapping: Mapping[str, str], places: Iterable[Place] | None = None) -> None:
        """Replace each card by its value in the mapping; faces and control stay. `places`: only there."""
        for place in list(self.card) if places is None else places:
            if place in self.card:
                new = mapping.get(self.card[place], self.card[place])
                self.changes += new != self.card[place]
                self.card[place] = new


FAILING = frozenset({"1-A", "2-A", "2-B"})
"""The rules by which a flip fails."""
