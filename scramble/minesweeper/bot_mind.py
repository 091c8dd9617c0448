"""The mind of a bot for Minesweeper: draws conclusions from the numbers, and guesses only without a conclusion.

Pure, and shown nothing but what BOARD shows. Two rules find bombs and safe squares:

- single point: a number whose bombs are all known has only safe squares left beside it; one that has as many squares
  left as bombs has only bombs.
- subset: if all covered squares beside one number are beside another one, too, the difference of the two numbers is
  the number of bombs among the squares that are beside the other one only.

Flags of other players prove nothing, so a flagged square is a covered one that cannot be dug.
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
BLIND_RISK: Final = 0.2  # that a square without a number beside it has a bomb: the density of an expert's field
MOST_COMPARED: Final = 200  # numbers beside which a guess is looked for: on a huge field nobody looks at all


class SweeperMove(NamedTuple):
    """A move, and the reason for it: a proof or a guess."""

    does: Literal["dig", "flag"]
    x: int
    y: int
    guess: bool = False


class SweeperMind(Mind):
    """One player's knowledge of a field. Mutable."""

    # AF: the field shows _shown[y][x]; of its _covered squares, untouched or flagged, those in _bombs are proven to
    #     have a bomb, and those in _safe to have none; the numbers in _news may prove more.
    # RI: _bombs and _safe are disjoint sets of covered squares; _unflagged has the untouched ones of _bombs; _open has
    #     all numbers outside _news beside which something is not proven, and maybe more.
    #     If _start is a square, it has to be dug first. The game is over if _finished.
    # A field can have 250,000 squares, so no move looks at all of them.

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
        """Look at the whole field. `start` has to be dug first, if the snapshot does not say another one."""
        self._shown = [bytearray(COVERED[:1] * snapshot.columns) for _ in range(snapshot.rows)]
        self._covered = snapshot.columns * snapshot.rows
        for places in (self._bombs, self._safe, self._unflagged, self._open, self._news):
            places.clear()
        self._start = start if snapshot.contest is None else snapshot.contest.start
        self._finished = snapshot.standing is not None and snapshot.standing.left == 0
        self.see((0, y, line) for y, line in enumerate(snapshot.lines))

    def follow(self, events: Sequence[Event], /) -> bool:
        """Take in the events of one change."""
        for event in events:
            if isinstance(event, MoveEvent):
                self.see(event.runs)
            elif isinstance(event, Ended):
                self.finish()
        return True

    def finish(self) -> None:
        """Note that all squares without a bomb are dug."""
        self._finished = True

    def see(self, runs: Iterable[Run]) -> None:
        """See the squares that have changed."""
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
        """True if every covered square has a bomb, as far as anybody can know."""
        return self._finished or self._covered == len(self._bombs)

    def next_move(self) -> SweeperMove | None:
        """Return the next move: a safe dig, else a proven flag, else a guess; None if all that is left is flagged.

        If there is a square to be dug first, it is that, or None while somebody has flagged it.
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
        """Return all untouched squares that are proven to have no bomb, in no order."""
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
        """Note that `bombs` of these squares have bombs."""
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
        """Return the unproven squares beside a number, and the number of bombs in them."""
        shown = chr(self._shown[number[1]][number[0]])
        beside = {(x, y) for x, y in self._around(number, 1) if self._shown[y][x] in COVERED}
        bombs = (0 if shown == " " else int(shown)) - len(beside & self._bombs)
        return beside - self._bombs - self._safe, bombs

    # --- choices ---

    def _guess(self) -> Place | None:
        """Choose an untouched square, of which nothing is proven; None if there is none.

        It is any on the lowest level, and else one of those with the lowest risk by the numbers beside it.
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
        """Choose any untouched square. All that is proven is dug or flagged by now."""
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
        """Return the place nearest to the last move, as eyes do not jump; at first any."""
        if self._last is None:
            return self._choices.choice(sorted(places))
        x, y = self._last
        return min(places, key=lambda place: ((place[0] - x) ** 2 + (place[1] - y) ** 2, place))

    def _is_untouched(self, place: Place) -> bool:
        return self._shown[place[1]][place[0]] == UNTOUCHED

    def _numbers(self, place: Place, distance: int) -> list[Place]:
        """Return the dug squares so near to that one; those at 2 may have a neighbour in common with it."""
        return [(x, y) for x, y in self._around(place, distance) if self._shown[y][x] not in COVERED]

    def _around(self, place: Place, distance: int) -> tuple[Place, ...]:
        return _beside(len(self._shown[0]), len(self._shown), place, distance)


@lru_cache(maxsize=4096)  # a field of the usual sizes; computing them took half of the time of a search for a field
def _beside(columns: int, rows: int, place: Place, distance: int) -> tuple[Place, ...]:
    """Return the other squares within `distance` of a place, in reading order."""
    across = range(max(0, place[0] - distance), min(columns, place[0] + distance + 1))
    down = range(max(0, place[1] - distance), min(rows, place[1] + distance + 1))
    return tuple((x, y) for y in down for x in across if (x, y) != place)
