"""Recording for the page, in pieces. A piece has some hundred commands, and a snapshot of the game before them.

    reel = Reel(recording.kind, recording.name, recording.began, recording.first)
    for record in recording.records:
        reel.add(record)
    reel.overview()       # gzipped JSON: the length of the game, its players, their scores over time
    reel.piece(1200)      # gzipped JSON: the game after command 1000, and the changes by the commands up to 1500

Each piece is encoded once, when it is full, and stored compressed. It needs some ten bytes for a move, so even the
largest games fit in memory. docs/reference/replay.md describes the JSON.
"""

from __future__ import annotations

import gzip
from typing import Final

import msgspec

from scramble.games.narration import Step, Summary
from scramble.games.told import Told
from scramble.journal.recorder import Record
from scramble.replay.games import Narrators, ReplayError, narrator_of

STEPS_PER_PIECE: Final = 500
"""Commands in a piece. The page fetches and replays a small piece quickly, but a larger piece needs fewer requests."""

MOST_SCORE_LINES: Final = 24  # players with the highest scores on the chart; more lines could not be distinguished

MOST_LINE_POINTS: Final = 500  # points in one player's line; a chart is only a little wider than 500 pixels

COMPRESSION: Final = 4  # level of 9; the time for a higher level exceeds the saved time


class ScoreLine(msgspec.Struct, frozen=True):
    """Score of one player over time: `points` has (seq, milliseconds since the beginning, score) of each change."""

    player: str
    points: list[tuple[int, int, int]]


class Overview(msgspec.Struct, frozen=True):
    """Overview of the recording.

    `told` is the number of available commands. `times` has the start of each piece in milliseconds. `names` has the
    display names that differ from their player's ID.
    """

    kind: str
    name: str
    began: float
    every: int
    told: int
    reading: bool
    span: int
    frame: msgspec.Raw
    times: list[int]
    lines: list[ScoreLine]
    summary: Summary
    names: dict[str, str]


class _StepJson(msgspec.Struct, frozen=True, array_like=True):
    time: int
    player: str | None
    rule: str | None
    told: Told
    also: tuple[Told, ...]
    change: msgspec.Struct


class _Piece(msgspec.Struct, frozen=True):
    start: int
    time: int
    whole: msgspec.Raw
    steps: list[_StepJson]


class Reel:
    """A recording in pieces, up to the last added command. Mutable; used by one task at a time."""

    # AF: the first `length` commands of the game of _narrator. _pieces has the full pieces, compressed. _steps has the
    #     remaining commands, which begin with the state _whole at the last time in _times. _lines has the points of the
    #     chart by player, and _span is the time of the last command in milliseconds.
    # RI: length == len(_pieces) * every + len(_steps); len(_steps) < every

    def __init__(
        self,
        kind: str,
        name: str,
        began: float,
        first: bytes,
        *,
        narrators: Narrators,
        every: int = STEPS_PER_PIECE,
    ) -> None:
        """Begin a game with the state `first`, `began` seconds after 1970.

        Raises ReplayError if `kind` is not in `narrators`, or `first` is not a state of this kind of game.
        """
        self._narrator: Final = narrator_of(kind, first, narrators)
        self._name: Final = name
        self._began: Final = began
        self._every: Final = every
        self._pieces: list[bytes] = []
        self._times: list[int] = [0]
        self._whole = self._encode(self._narrator.snapshot())
        self._steps: list[_StepJson] = []
        self._span = 0
        self._lines = {player: [(0, 0, score)] for player, score in self._narrator.scores().items()}

    @property
    def length(self) -> int:
        """Number of commands added so far."""
        return len(self._pieces) * self._every + len(self._steps)

    def add(self, record: Record) -> Step:
        """Add the next command. Raises ReplayError if the command is unreadable, or has a wrong number."""
        if record.seq != self.length + 1:
            raise ReplayError(
                f"command {record.seq} comes after command {self.length}: the recording has been replaced"
            )
        try:
            step = self._narrator.narrate(record)
        except ValueError as error:
            raise ReplayError(f"command {record.seq} cannot be read: {error}") from error
        self._span = max(self._span, round(1000 * (step.time - self._began)))
        self._steps.append(_StepJson(self._span, step.player, step.rule, step.told, step.also, step.change))
        self._score(step)
        if len(self._steps) == self._every:
            self._pieces.append(gzip.compress(self._open_piece(), COMPRESSION, mtime=0))
            self._times.append(self._span)
            self._whole = self._encode(self._narrator.snapshot())
            self._steps = []
        return step

    def _score(self, step: Step) -> None:
        for player, score in step.scores.items():
            points = self._lines.setdefault(player, [])
            points.append((step.seq, self._span, score))
            if len(points) > 2 * MOST_LINE_POINTS:
                points[:] = _thinned(points, step.seq)

    def overview(self, *, reading: bool = False) -> bytes:
        """Encode the `Overview` as gzipped JSON. `reading` is True if more commands will be added at once."""
        best = sorted(self._lines, key=lambda player: -max(score for _, _, score in self._lines[player]))
        overview = msgspec.json.encode(
            Overview(
                kind=self._narrator.kind,
                name=self._name,
                began=self._began,
                every=self._every,
                told=self.length,
                reading=reading,
                span=self._span,
                frame=self._encode(self._narrator.layout()),
                times=self._times,
                lines=[
                    ScoreLine(player, _thinned(self._lines[player], self.length)) for player in best[:MOST_SCORE_LINES]
                ],
                summary=self._narrator.summary(),
                names=self._narrator.names(),
            )
        )
        return gzip.compress(overview, COMPRESSION, mtime=0)

    def piece(self, seq: int) -> bytes:
        """Return the piece with the command after number `seq`, from 0 to `length`, as gzipped JSON."""
        return self.full_piece(seq) or gzip.compress(self._open_piece(), COMPRESSION, mtime=0)

    def full_piece(self, seq: int) -> bytes | None:
        """Return the piece like `piece`; None if it is not full. Safe while another thread adds commands."""
        number = seq // self._every
        return self._pieces[number] if number < len(self._pieces) else None

    def _open_piece(self) -> bytes:
        start = len(self._pieces) * self._every
        return msgspec.json.encode(_Piece(start, self._times[-1], self._whole, self._steps))

    @staticmethod
    def _encode(value: msgspec.Struct) -> msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(value))


def _thinned(points: list[tuple[int, int, int]], last: int) -> list[tuple[int, int, int]]:
    """Drop points of a long line: of the points in each pixel of the chart, keep only the last."""
    width = 1 + last // MOST_LINE_POINTS
    if len(points) <= MOST_LINE_POINTS or width == 1:
        return points
    return list({point[0] // width: point for point in points}.values())
