"""A naive model of Minesweeper with scores, based on the naive model of the field.

It stores no derived values: the contest is the list of all moves with an effect, and each method computes its result
from the list. It shares no code with scramble.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support.minesweeper.model import Model, Square

PAUSE = 5000
BOOM = 10
MOST = 10  # the limit of points for one dig


@dataclass(frozen=True)
class Deed:
    """A move with an effect: its player, its time, the field before and after it, and the exploded bombs."""

    what: str
    square: Square
    name: str | None
    at: int
    before: Model
    after: Model
    booms: tuple[Square, ...] = ()


@dataclass
class ContestModel:
    """A contest that closes at its end. Its first dig must be at `start`, unless `start` is None."""

    model: Model
    start: Square | None = None
    deeds: list[Deed] = field(default_factory=list)

    def move(self, what: str, square: Square, name: str | None, at: int) -> Deed | None:
        """Make a move; return its deed, or None if it has no effect."""
        at = max([at, *(deed.at for deed in self.deeds)])
        if self.ended() is not None or self.paused(name, at):
            return None
        if what == "dig" and self.start is not None and self.began() is None and square != self.start:
            return None
        booms: list[Square] = []
        match what:
            case "dig":
                after, boom = self.model.dig(square)
                booms = [square] * boom
            case "chord":
                after, booms = self.model.chord(square)
            case "flag":
                after = self.model.flag(square)
            case _:
                after = self.model.deflag(square)
        if after == self.model:
            return None
        deed = Deed(what, square, name, at, self.model, after, tuple(booms))
        self.deeds.append(deed)
        self.model = after
        return deed

    def paused(self, name: str | None, at: int) -> int:
        """Return the rest of the pause for that name."""
        ends = [deed.at + PAUSE for deed in self.deeds if deed.booms and deed.name == name is not None]
        return max([0, *(end - at for end in ends)])

    def began(self) -> int | None:
        """Return the time of the first dig."""
        return min((deed.at for deed in self.deeds if deed.what in ("dig", "chord")), default=None)

    def ended(self) -> int | None:
        """Return the time when the last square without a bomb was dug."""
        return min((deed.at for deed in self.deeds if deed.after.is_won()), default=None)

    def names(self) -> list[str]:
        """Return the players with a move, in order."""
        return list(dict.fromkeys(deed.name for deed in self.deeds if deed.name is not None))

    def owner(self, square: Square) -> str | None:
        """Return the player who dug that square, or set the flag on it."""
        if square in self.model.dug:
            return next(deed.name for deed in self.deeds if square in deed.after.dug - deed.before.dug)
        if square in self.model.flagged:
            return [deed.name for deed in self.deeds if deed.what == "flag" and deed.square == square][-1]
        return None

    def score(self, name: str) -> tuple[int, int, int, int]:
        """Return the numbers of squares, right flags (after the end only), booms, and points."""
        own = [deed for deed in self.deeds if deed.name == name]
        booms = sum(len(deed.booms) for deed in own)
        opened = [len(deed.after.dug - deed.before.dug) - len(deed.booms) for deed in own]
        squares, points = sum(opened), sum(min(MOST, squares) for squares in opened)
        right = self.model.flagged & self.model.bombs if self.ended() is not None else frozenset[Square]()
        flags = sum(self.owner(square) == name for square in right)
        return squares, flags, booms, points + flags - BOOM * booms

    def wrong(self) -> list[tuple[Square, str | None]]:
        """Return the squares without a bomb that lost a flag, each with the last player who set a flag there."""
        found: dict[Square, str | None] = {}
        for number, deed in enumerate(self.deeds):
            if deed.what == "deflag" and deed.square not in deed.before.bombs:
                earlier = self.deeds[:number]
                setters = [other.name for other in earlier if other.what == "flag" and other.square == deed.square]
                found[deed.square] = setters[-1]
        return list(found.items())

    def booms(self) -> list[tuple[Square, str | None]]:
        """Return the squares of exploded bombs, each with the player of the dig."""
        return [(square, deed.name) for deed in self.deeds for square in deed.booms]
