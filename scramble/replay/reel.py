"""A game as the page gets it: in pieces of so many commands, each with the whole game at its beginning.

    reel = Reel(recording.kind, recording.name, recording.began, recording.first)
    for record in recording.records:
        reel.add(record)
    reel.overview()       # gzipped JSON: how long the game is, who plays, who had how much when
    reel.piece(1200)      # likewise: the game after command 1000, and what each command up to 1500 changed

A piece is made as the commands come by, once, and kept compressed: some ten bytes a move, so that of the largest games
everything is at hand. docs/reference/replay.md has what is in it.
"""

from __future__ import annotations

import gzip
from typing import Final

import msgspec

from scramble.replay.games import ReplayError, teller_of
from scramble.replay.telling import Step, Summary
from scramble.store import Record

EVERY: Final = 500
"""Commands in a piece: few enough to be there at once and stepped through in a moment, and worth a request."""

MOST_LINES: Final = 24  # more players than these are not told apart on a chart; those who have most are drawn

MOST_POINTS: Final = 500  # of one player's line: a chart has not many more pixels

COMPRESSION: Final = 4  # of 9: more takes longer than it saves


class Line(msgspec.Struct, frozen=True):
    """What one player had, over time: `points` are (seq, milliseconds since the beginning, score), where it changed."""

    player: str
    points: list[tuple[int, int, int]]


class Overview(msgspec.Struct, frozen=True):
    """The whole recording at a glance. `told` of its commands are ready; `times` has milliseconds of each piece."""

    kind: str
    name: str
    began: float
    every: int
    told: int
    reading: bool
    span: int
    frame: msgspec.Raw
    times: list[int]
    lines: list[Line]
    summary: Summary


class _StepJson(msgspec.Struct, frozen=True, array_like=True):
    time: int
    player: str | None
    rule: str | None
    words: str
    also: tuple[str, ...]
    change: msgspec.Struct


class _Piece(msgspec.Struct, frozen=True):
    start: int
    time: int
    whole: msgspec.Raw
    steps: list[_StepJson]


class Reel:
    """A game in pieces, as far as it was told. Mutable; used by one task at a time."""

    # AF: the game of _teller, `told` commands of which are in pieces: whole ones in _pieces, compressed, and the rest,
    #     which begins with _whole at _start milliseconds, in _steps; _lines and _span are those of the overview.
    # RI: told == len(_pieces) * every + len(_steps); len(_steps) < every

    def __init__(self, kind: str, name: str, began: float, first: bytes, *, every: int = EVERY) -> None:
        """A game that began with the state `first`, `began` seconds after 1970.

        Raises ReplayError if it is of no game that is known here.
        """
        self._teller: Final = teller_of(kind, first)
        self._name: Final = name
        self._began: Final = began
        self._every: Final = every
        self._pieces: list[bytes] = []
        self._times: list[int] = [0]
        self._whole = self._encode(self._teller.whole())
        self._steps: list[_StepJson] = []
        self._span = 0
        self._lines = {player: [(0, 0, score)] for player, score in self._teller.scores().items()}

    @property
    def told(self) -> int:
        """How many commands there are in it."""
        return len(self._pieces) * self._every + len(self._steps)

    def add(self, record: Record) -> Step:
        """Tell the next command. Raises ReplayError if it cannot be read, or is not the next one."""
        if record.seq != self.told + 1:
            raise ReplayError(f"command {record.seq} comes after command {self.told}: the recording has been replaced")
        try:
            step = self._teller.tell(record)
        except ValueError as error:
            raise ReplayError(f"command {record.seq} cannot be read: {error}") from error
        self._span = max(self._span, round(1000 * (step.time - self._began)))
        self._steps.append(_StepJson(self._span, step.player, step.rule, step.words, step.also, step.change))
        self._score(step)
        if len(self._steps) == self._every:
            self._pieces.append(gzip.compress(self._open_piece(), COMPRESSION, mtime=0))
            self._times.append(self._span)
            self._whole = self._encode(self._teller.whole())
            self._steps = []
        return step

    def _score(self, step: Step) -> None:
        for player, score in step.scores.items():
            points = self._lines.setdefault(player, [])
            points.append((step.seq, self._span, score))
            if len(points) > 2 * MOST_POINTS:
                points[:] = _thinned(points, step.seq)

    def overview(self, *, reading: bool = False) -> bytes:
        """The `Overview` as gzipped JSON; `reading` is whether more commands are known to come at once."""
        best = sorted(self._lines, key=lambda player: -max(score for _, _, score in self._lines[player]))
        overview = msgspec.json.encode(
            Overview(
                kind=self._teller.kind,
                name=self._name,
                began=self._began,
                every=self._every,
                told=self.told,
                reading=reading,
                span=self._span,
                frame=self._encode(self._teller.frame()),
                times=self._times,
                lines=[Line(player, _thinned(self._lines[player], self.told)) for player in best[:MOST_LINES]],
                summary=self._teller.summary(),
            )
        )
        return gzip.compress(overview, COMPRESSION, mtime=0)

    def piece(self, seq: int) -> bytes:
        """The piece with the command after number `seq`, from 0 to `told`, as gzipped JSON."""
        return self.full_piece(seq) or gzip.compress(self._open_piece(), COMPRESSION, mtime=0)

    def full_piece(self, seq: int) -> bytes | None:
        """The same, but None if more commands may be added to it. Safe while another thread adds some."""
        number = seq // self._every
        return self._pieces[number] if number < len(self._pieces) else None

    def _open_piece(self) -> bytes:
        start = len(self._pieces) * self._every
        return msgspec.json.encode(_Piece(start, self._times[-1], self._whole, self._steps))

    @staticmethod
    def _encode(value: msgspec.Struct) -> msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(value))


def _thinned(points: list[tuple[int, int, int]], last: int) -> list[tuple[int, int, int]]:
    """The points, but only the last of those that are closer together than anybody could see."""
    width = 1 + last // MOST_POINTS
    if len(points) <= MOST_POINTS or width == 1:
        return points
    return list({point[0] // width: point for point in points}.values())
