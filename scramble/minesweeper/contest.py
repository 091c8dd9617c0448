"""Contest on a field: the scores by name, the owner of each square, the pauses, and the end.

Pure. The contest reads no clock: moves have their times. The time never goes back, even if one move overtakes another
move on the way to the owner task. Not safe for use by several threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

import msgspec

from scramble.minesweeper.messages import BOOM_POINTS, Chord, ContestView, Dig, End, Flag, Move, Place, Score

NO_PLAYER: Final = 32
"""Character code of a square without an owner, as in `End.owners`. The first name has the next code."""

MOST_OWNERS: Final = 50_000
"""Limit of names that can own squares, so that each name has a character of two bytes. Squares of other names have no
owner."""


class ContestTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules of a contest: a boom costs `pause_ms`; with `closes`, no move has an effect after the end.

    `start` is the square that must be dug first; None: any square. A dig or chord earns at most `most_points`; None:
    no limit, as in journals of earlier versions.
    """

    pause_ms: int = 0
    closes: bool = False
    start: Place | None = None
    most_points: int | None = None


class ContestState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Whole state of a contest, for a journal.

    `names` are the names of all players who have made a move. The n-th item of `dug`, `free` and `flags` belongs to the
    n-th name. `dug` is the number of opened squares without a bomb. `free` is the number of these squares that earned
    no point; the tuple is empty if all squares earned a point. `flags` is the number of right flags at the end; the
    tuple is empty before the end. `owners`, `booms` and `wrong` are as in `End`, but a row without owners is empty in
    `owners`.
    """

    terms: ContestTerms
    owners: tuple[str, ...]
    names: tuple[str, ...] = ()
    dug: tuple[int, ...] = ()
    flags: tuple[int, ...] = ()
    booms: tuple[tuple[int, int, int], ...] = ()
    wrong: tuple[tuple[int, int, int], ...] = ()
    pauses: dict[str, int] = {}
    now: int = 0
    began: int | None = None
    ended: int | None = None
    free: tuple[int, ...] = ()


class Contest:
    """A contest. Mutable. Squares are numbered in reading order."""

    # AF: the contest of `terms` on a field of _columns columns, at the time `now`. The players of the n-th name of
    #     _names, counted from 1, have opened _dug[n - 1] squares without a bomb, and have dug up _exploded[n - 1]
    #     bombs. _free[n - 1] of the opened squares earned no point. The players own the squares with the character
    #     NO_PLAYER + n in _owners (UTF-16). _booms is as in `End`. _wrong has the same data as in `End`, by square.
    #     _pauses maps names to the end of the pause of their players. The first dig was at the time `began`, the last
    #     dig at the time `ended`; None: not yet. After the end the n-th name has _flags[n - 1] right flags.
    # RI: _names, _dug, _free and _exploded are equally long; after the end _flags has this length, too. Before the end
    #     _flags is empty.
    #     `began` <= `ended` <= `now`; each number in _booms and _wrong is the number of a name, or 0 for no name.
    # Safety from rep exposure: returned values are immutable or copies.

    __slots__ = (
        "_booms",
        "_columns",
        "_dug",
        "_exploded",
        "_flags",
        "_free",
        "_names",
        "_owners",
        "_pauses",
        "_wrong",
        "began",
        "ended",
        "now",
        "terms",
    )

    def __init__(self, columns: int, rows: int, terms: ContestTerms) -> None:
        """Begin a contest on a field of this size, at the time 0."""
        self.terms: Final = terms
        self.now = 0
        self.began: int | None = None
        self.ended: int | None = None
        self._columns: Final = columns
        self._owners = bytearray(_code(0) * (columns * rows))
        self._names: dict[str, int] = {}  # in order, with their numbers
        self._dug: list[int] = []
        self._free: list[int] = []
        self._exploded: list[int] = []
        self._flags: list[int] = []
        self._booms: list[tuple[int, int, int]] = []
        self._wrong: dict[Place, int] = {}
        self._pauses: dict[str, int] = {}

    def copy(self) -> Self:
        """Return an independent copy."""
        return self.restore(self.state(), self._columns)

    @classmethod
    def restore(cls, state: ContestState, columns: int) -> Self:
        """Restore the contest on a field of `columns` columns. Raises ValueError for an invalid state."""
        contest = cls(columns, len(state.owners), state.terms)
        width = 2 * columns
        for row, owners in enumerate(state.owners):
            if owners:
                code = owners.encode("utf-16-le")
                _require(len(code) == width, "a row has a wrong number of owners")
                contest._owners[row * width : (row + 1) * width] = code
        contest._names = {name: number for number, name in enumerate(state.names, start=1)}
        contest._dug, contest._flags = list(state.dug), list(state.flags)
        contest._free = list(state.free) or [0] * len(state.names)
        contest._booms, contest._wrong = list(state.booms), {(x, y): number for x, y, number in state.wrong}
        contest._pauses = dict(state.pauses)
        contest.now, contest.began, contest.ended = state.now, state.began, state.ended
        most = len(state.names)
        _require(len(contest._names) == most == len(state.dug), "the names are repeated, or have no scores")
        _require(len(state.flags) in ((0,) if state.ended is None else (most,)), "the flags do not match the names")
        _require(all(dug >= 0 for dug in (*state.dug, *state.flags)), "a score is negative")
        _require(len(contest._free) == most, "the squares without a point do not match the names")
        _require(
            all(0 <= free <= dug for free, dug in zip(contest._free, state.dug, strict=True)),
            "more squares earned no point than were dug",
        )
        _require(state.terms.most_points is None or state.terms.most_points > 0, "a dig earns no point")
        _require(state.terms.pause_ms >= 0, "a pause is negative")
        times = [0, *(time for time in (state.began, state.ended) if time is not None), state.now]
        _require(times == sorted(times) and (state.ended is None or state.began is not None), "times are out of order")
        for x, y, number in (*state.booms, *state.wrong):
            inside = 0 <= x < columns and 0 <= y < len(state.owners)
            _require(inside and 0 <= number <= most, "a boom or a wrong flag is outside, or has an unknown name")
        start = state.terms.start
        inside = start is None or (0 <= start[0] < columns and 0 <= start[1] < len(state.owners))
        _require(inside, "the start is outside")
        codes = {NO_PLAYER, *map(ord, "".join(state.owners))}
        _require(min(codes) >= NO_PLAYER and max(codes) <= NO_PLAYER + most, "a square has an unknown owner")
        contest._exploded = [0] * most
        for _, _, number in state.booms:
            if number:
                contest._exploded[number - 1] += 1
        return contest

    def state(self) -> ContestState:
        """Return the whole state."""
        lines = self._lines()
        nobodys = chr(NO_PLAYER) * self._columns
        return ContestState(
            terms=self.terms,
            owners=tuple("" if line == nobodys else line for line in lines),
            names=tuple(self._names),
            dug=tuple(self._dug),
            flags=tuple(self._flags),
            booms=tuple(self._booms),
            wrong=self._wrong_flags(),
            pauses=dict(self._pauses),
            now=self.now,
            began=self.began,
            ended=self.ended,
            free=tuple(self._free) if any(self._free) else (),
        )

    # --- observers ---

    def time(self, at: int | None) -> int:
        """Return the later of `at` and the time of the latest move; for None, the time of the latest move."""
        return self.now if at is None else max(self.now, at)

    def pause_ms(self, name: str | None, time: int) -> int:
        """Return the rest of the pause for this name at `time`, in milliseconds; 0 without a pause."""
        return 0 if name is None else max(0, self._pauses.get(name, 0) - time)

    @property
    def start(self) -> Place | None:
        """The square that must be dug first; None after the first dig, or if any square may be first."""
        return self.terms.start if self.began is None else None

    def _score(self, number: int) -> Score:
        flags = self._flags[number - 1] if self._flags else 0
        dug, booms = self._dug[number - 1], self._exploded[number - 1]
        return Score(dug, flags, booms, dug - self._free[number - 1] + flags - BOOM_POINTS * booms)

    def scores(self) -> dict[str, Score]:
        """Return the scores of all names, in the order of their first moves."""
        return {name: self._score(number) for name, number in self._names.items()}

    def view(self, bombs: int) -> ContestView:
        """Return the public view; `bombs` is the number of bombs minus the number of flags."""
        end = None if self.ended is None else self.end()
        terms = self.terms
        return ContestView(bombs, terms.pause_ms, self.began, self.ended, dict(self._pauses), self.start, end)

    def end(self) -> End:
        """Return the results that become public at the end."""
        return End(tuple(self._names), tuple(self._lines()), self.scores(), tuple(self._booms), self._wrong_flags())

    def _wrong_flags(self) -> tuple[tuple[int, int, int], ...]:
        return tuple((x, y, number) for (x, y), number in self._wrong.items())

    def _lines(self) -> Iterable[str]:
        owners, columns = self._owners.decode("utf-16-le"), self._columns
        return (owners[first : first + columns] for first in range(0, len(owners), columns))

    # --- effects of moves ---

    def note(
        self,
        move: Move,
        name: str | None,
        opened: Iterable[tuple[int, int]] = (),
        booms: Iterable[Place] = (),
        *,
        wrong: bool = False,
    ) -> tuple[Score | None, int | None]:
        """Count a move with an effect by a player with this `name` (None: no name), before the end.

        `opened` has the ranges of squares that the move opened, also squares with bombs. `wrong` is True if the move
        removed a flag from a square without a bomb. Returns the score of the name after a dig, and the end of a new
        pause.
        """
        time = self.time(move.at)
        number = self._number(name, time)
        if isinstance(move, Dig | Chord):
            return self._dig(number, name, time, opened, booms)
        square = move.y * self._columns + move.x
        if wrong:
            self._wrong[move.x, move.y] = self._owner(square)  # flags cost no points: the last owner is enough
        self._owners[2 * square : 2 * square + 2] = _code(number if isinstance(move, Flag) else 0)
        return None, None

    def _dig(
        self, number: int, name: str | None, time: int, opened: Iterable[tuple[int, int]], booms: Iterable[Place]
    ) -> tuple[Score | None, int | None]:
        self.began = time if self.began is None else self.began
        owner, exploded = _code(number), [(x, y, number) for x, y in booms]
        squares = -len(exploded)
        for first, end in opened:
            self._owners[2 * first : 2 * end] = owner * (end - first)
            squares += end - first
        self._booms += exploded
        score = None
        if number:
            self._dug[number - 1] += squares
            if self.terms.most_points is not None:
                self._free[number - 1] += max(0, squares - self.terms.most_points)
            self._exploded[number - 1] += len(exploded)
            score = self._score(number)
        if not exploded or name is None or not self.terms.pause_ms:
            return score, None
        until = time + self.terms.pause_ms
        self._pauses = {paused: end for paused, end in self._pauses.items() if end > time}
        self._pauses[name] = until
        return score, until

    def win(self, flags: Iterable[tuple[int, bool]]) -> None:
        """End the contest now. `flags` has each flagged square, and True if the square has a bomb."""
        self.ended = self.now
        self._flags = [0] * len(self._dug)
        for square, is_right in flags:
            number = self._owner(square)
            if is_right and number:
                self._flags[number - 1] += 1

    def _owner(self, square: int) -> int:
        return int.from_bytes(self._owners[2 * square : 2 * square + 2], "little") - NO_PLAYER

    def _number(self, name: str | None, time: int) -> int:
        """Return the number of a name that makes a move at `time`; 0 for None, and for names beyond `MOST_OWNERS`."""
        self.now = time
        if name is None:
            return 0
        if name not in self._names:
            if len(self._names) == MOST_OWNERS:
                return 0
            self._names[name] = len(self._names) + 1
            self._dug.append(0)
            self._free.append(0)
            self._exploded.append(0)
        return self._names[name]

    def __str__(self) -> str:
        return f"{len(self._names)} names, {len(self._booms)} booms, {self.now} ms"


def _code(number: int) -> bytes:
    return (NO_PLAYER + number).to_bytes(2, "little")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a field: {otherwise}")
