"""Mind of a bot for Minesweeper: it draws conclusions from the numbers, and guesses only without a conclusion.

Pure. Its only input is the public BOARD. Two rules find bombs and safe squares:

- single point: if all bombs beside a number are known, all other covered squares beside it are safe. If a number has as
  many unknown bombs as unproven covered squares, all these squares have bombs.
- subset: if all unproven squares beside the number A are also beside the number B, the number of bombs in the other
  unproven squares beside B is the difference of the unknown bombs beside B and A.

Flags of other players are not a proof. So a flagged square is a covered square that cannot be dug.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from scramble.games.bot import Level, Mind
from scramble.kernel.protocol import Event
from scramble.minesweeper.messages import Ended, MoveEvent, Run, Snapshot

Place: TypeAlias = tuple[int, int]
"""(x, y), both from 0 at the top left."""

COVERED: Final = b"-F"
UNTOUCHED: Final = b"-"[0]
BLIND_RISK: Final = 0.2  # probability of a bomb in a square without numbers around it: the density of the expert preset
MOST_COMPARED: Final = 200  # limit of numbers that a guess compares; people do not compare all numbers of a huge field


class SweeperMove(NamedTuple):
    """A move. `guess` is True for a guess, and False for a proof."""

    does: Literal["dig", "flag"]
    x: int
    y: int
    guess: bool = False


class SweeperMind(Mind):
    """One player's knowledge of a field. Mutable."""

    # AF: the field shows _shown[y][x]. It has _covered squares that are untouched or flagged. The squares in _bombs are
    #     proven to have a bomb, the squares in _safe are proven to have no bomb. The numbers in _news may prove more.
    #     If _start is a square, it must be dug first. The game is over if _finished.
    # RI: _bombs and _safe are disjoint sets of covered squares; _unflagged has the untouched squares of _bombs; _open
    #     has all numbers outside _news with unproven squares beside them, and may have other numbers, too.
    # The sets are here, because a field can have 250,000 squares, and no move may look at all of them.

    def __init__(self, level: Level, choices: random.Random) -> None:
        self._level: Final = level
        self._choices: Final = choices
        self._shown: list[bytearray] = []
        self._covered = 0
        self._bombs: set[Place] = set()
        self._safe: set[Place] = set()
        self._unflagged: set[Place] = set()
        self._open: set[Place] = set()
        self._news: set[Place] = set()
        self._last: Place | None = None
        self._start: Place | None = None
        self._finished = False

    def begin(self, snapshot: Snapshot, /, start: Place | None = None) -> None:
        """Look at the whole field. Without a contest in the snapshot, `start` is the square of the first dig."""
        self._shown = [bytearray(COVERED[:1] * snapshot.columns) for _ in range(snapshot.rows)]
        self._covered = snapshot.columns * snapshot.rows
        for places in (self._bombs, self._safe, self._unflagged, self._open, self._news):
            places.clear()
        self._start = start if snapshot.contest is None else snapshot.contest.start
        self._finished = snapshot.standing is not None and snapshot.standing.left == 0
        self.see((0, y, line) for y, line in enumerate(snapshot.lines))

    def follow(self, events: Sequence[Event], /) -> bool:
        """Apply the events of one change."""
        for event in events:
            if isinstance(event, MoveEvent):
                self.see(event.runs)
            elif isinstance(event, Ended):
                self.finish()
        return True

    def finish(self) -> None:
        """Record that all squares without a bomb are dug."""
        self._finished = True

    def see(self, runs: Iterable[Run]) -> None:
        """Look at the changed squares."""
        for start, y, text in runs:
            row, shown = self._shown[y], text.encode("ascii")
            if row[start : start + len(shown)] == shown:
                continue
            for x, square in enumerate(shown, start):
                if row[x] != square:
                    self._see(x, y, square)

    def _see(self, x: int, y: int, square: int) -> None:
        place, before = (x, y), self._shown[y][x]
        self._shown[y][x] = square
        if square not in COVERED:
            self._covered -= before in COVERED
            self._bombs.discard(place)
            self._safe.discard(place)
            self._news.update(self._numbers(place, 1), [place])
        if place in self._bombs and square == UNTOUCHED:
            self._unflagged.add(place)
        else:
            self._unflagged.discard(place)

    @property
    def over(self) -> bool:
        """True if the game is finished, or all covered squares are proven to have a bomb."""
        return self._finished or self._covered == len(self._bombs)

    def next_move(self) -> SweeperMove | None:
        """Return the next move: a safe dig, else a proven flag, else a guess; None if no untouched square is left.

        While the start is covered, the only move is a dig of the start, or None if a player has flagged it.
        """
        if self._start is not None and self._shown[self._start[1]][self._start[0]] in COVERED:
            self._last = self._start
            return SweeperMove("dig", *self._start) if self._is_untouched(self._start) else None
        if safe := self.safe_squares():
            self._last = self._nearest(safe)
            return SweeperMove("dig", *self._last)
        if self._unflagged:
            self._last = self._nearest(self._unflagged)
            return SweeperMove("flag", *self._last)
        guess = self._guess()
        if guess is None:
            return None
        self._last = guess
        return SweeperMove("dig", *guess, guess=True)

    def safe_squares(self) -> list[Place]:
        """Return all untouched squares that are proven to have no bomb, in any order."""
        self._conclude()
        return [place for place in self._safe if self._is_untouched(place)]

    # --- conclusions ---

    def _conclude(self) -> None:
        """Draw all conclusions that the rules of this level allow."""
        stale: set[Place] = set()
        while self._news or stale:
            if self._news:
                number = self._news.pop()
                stale.add(number)
                left, bombs = self._left(number)
                if left:
                    self._open.add(number)
                else:
                    self._open.discard(number)
                self._prove(left, bombs)
            else:
                number = stale.pop()
                if self._level != "easy" and number in self._open:
                    for other in self._numbers(number, 2):
                        self._compare(number, other)

    def _compare(self, one: Place, other: Place) -> None:
        (left, bombs), (more, total) = self._left(one), self._left(other)
        if left and left < more:
            self._prove(more - left, total - bombs)
        elif more and more < left:
            self._prove(left - more, bombs - total)

    def _prove(self, places: set[Place], bombs: int) -> None:
        """Apply the fact that these squares have exactly this number of `bombs`."""
        if bombs == 0:
            self._safe |= places
        elif bombs == len(places):
            self._bombs |= places
            self._unflagged.update(filter(self._is_untouched, places))
        else:
            return
        for place in places:
            self._news.update(self._numbers(place, 1))

    def _left(self, number: Place) -> tuple[set[Place], int]:
        """Return the unproven squares beside a number, and the number of their bombs."""
        shown = chr(self._shown[number[1]][number[0]])
        beside = {(x, y) for x, y in self._around(number, 1) if self._shown[y][x] in COVERED}
        bombs = (0 if shown == " " else int(shown)) - len(beside & self._bombs)
        return beside - self._bombs - self._safe, bombs

    # --- choices ---

    def _guess(self) -> Place | None:
        """Choose an unproven untouched square for a guess; None if no untouched square is left.

        On the level "easy" choose any of these squares, on the other levels a square with the lowest risk. The numbers
        around a square give its risk.
        """
        blind = self._blind()
        if blind is None or self._level == "easy":
            return blind
        numbers = sorted(self._open)
        if len(numbers) > MOST_COMPARED:
            numbers = self._choices.sample(numbers, MOST_COMPARED)
        beside = {place for number in numbers for place in self._left(number)[0] if self._is_untouched(place)}
        risks = {place: self._risk(place) for place in [*sorted(beside), blind]}
        lowest = min(risks.values())
        return self._choices.choice([place for place, risk in risks.items() if risk == lowest])

    def _blind(self) -> Place | None:
        """Choose any untouched square; None if no square is untouched. Requires that all proven squares are done."""
        rows = len(self._shown)
        first = self._choices.randrange(rows)
        for y in (number % rows for number in range(first, first + rows)):
            row = self._shown[y]
            if UNTOUCHED in row:
                start = self._choices.randrange(len(row))
                after = row.find(UNTOUCHED, start)
                return (after if after >= 0 else row.find(UNTOUCHED)), y
        return None

    def _risk(self, place: Place) -> float:
        lefts = [self._left(number) for number in self._numbers(place, 1)]
        return max((bombs / len(left) for left, bombs in lefts), default=BLIND_RISK)

    def _nearest(self, places: Collection[Place]) -> Place:
        """Return the place nearest to the last move, as people do; for the first move, any place."""
        if self._last is None:
            return self._choices.choice(sorted(places))
        x, y = self._last
        return min(places, key=lambda place: ((place[0] - x) ** 2 + (place[1] - y) ** 2, place))

    def _is_untouched(self, place: Place) -> bool:
        return self._shown[place[1]][place[0]] == UNTOUCHED

    def _numbers(self, place: Place, distance: int) -> list[Place]:
        """Return the dug squares within this distance of a place. At distance 2, two squares may share a neighbour."""
        return [(x, y) for x, y in self._around(place, distance) if self._shown[y][x] not in COVERED]

    def _around(self, place: Place, distance: int) -> tuple[Place, ...]:
        return _beside(len(self._shown[0]), len(self._shown), place, distance)


@lru_cache(maxsize=4096)  # enough for a usual field; without a cache this function took half of the time of a search
def _beside(columns: int, rows: int, place: Place, distance: int) -> tuple[Place, ...]:
    """Return the other squares within `distance` of a place, in reading order."""
    across = range(max(0, place[0] - distance), min(columns, place[0] + distance + 1))
    down = range(max(0, place[1] - distance), min(rows, place[1] + distance + 1))
    return tuple((x, y) for y in down for x in across if (x, y) != place)
