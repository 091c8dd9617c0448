"""Replay of Multiplayer Minesweeper: the moves of each player, the opened squares, and the exploded bombs.

A player is a connection with a number. A person who digs up a bomb and comes back is a different player, so the replay
counts moves by name. It shows a bomb only after its explosion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from scramble.games.narration import GridLayout, Spot, Step, Summary
from scramble.games.narrator import ASIDE, GameNarrator
from scramble.games.told import Told, tell
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Event
from scramble.minesweeper import Field
from scramble.minesweeper.english import ENGLISH, caption
from scramble.minesweeper.messages import (
    Chord,
    Chorded,
    Connect,
    Connected,
    Deflag,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Ended,
    Exploded,
    Flag,
    Move,
    MoveEvent,
    Run,
    Snapshot,
    TakeSnapshot,
)

PROGRAM: Final = "the program"
"""ID of the embedding program, for moves without a connection. No player can have this name. Pages show a name in their
language instead (client/minesweeper/replay.js)."""

UNTOUCHED: Final = ord("-")
FLAGGED: Final = ord("F")


class DigCounts(msgspec.Struct):
    """Counts of the moves of all players of one name. `idle` counts moves without effect."""

    digs: int = 0
    opened: int = 0
    booms: int = 0
    flags: int = 0
    deflags: int = 0
    chords: int = 0
    idle: int = 0


class _Notes(msgspec.Struct):
    """Facts about earlier commands that the field does not store."""

    tallies: dict[str, DigCounts] = {}
    names: dict[int, str] = {}  # number of a player -> name; for all players until now
    digs_at: dict[int, int] = {}  # index of a square -> number of digs
    craters: dict[int, str] = {}  # index of a square with an exploded bomb -> name of the player who dug it


class MinesweeperSnapshot(msgspec.Struct, frozen=True):
    """The public field, and the number of digs of each square. Indexes of squares count row by row from the top.

    `lines` shows the same as BOARD. `craters` has (index, player) for each exploded bomb, `heat` has (index, digs) for
    each square, and `here` is the number of connected players.
    """

    lines: tuple[str, ...]
    craters: list[tuple[int, str]]
    scores: dict[str, int]
    heat: list[tuple[int, int]]
    here: int


class MinesweeperChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """Difference after a command. `runs` has (x, y, shown), as in the game's events; `dig` is the dug square.

    `boom` is True if this square had a bomb. After a chord, `dig` is its square, and `booms` are the squares of the
    exploded bombs.
    """

    runs: tuple[Run, ...] = ()
    dig: int | None = None
    boom: bool = False
    scores: dict[str, int] = {}
    here: int | None = None
    booms: tuple[int, ...] = ()


class MinesweeperNarrator(GameNarrator[Field, _Notes]):
    """Narration of a game of Minesweeper; a `Narrator`."""

    # AF: the game of `rules`. _lines has its public view, and _here is the number of connected players. `notes` are
    #     about all commands up to now.

    english = ENGLISH

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game."""
        super().__init__(Field.restore(first), _Notes())

    def begin(self) -> None:
        """Compute the public state from the rules."""
        (answer,) = self.rules.apply(ASIDE, TakeSnapshot())
        assert isinstance(answer, Answered)
        assert isinstance(answer.value, Snapshot)
        self._lines = [bytearray(line, "ascii") for line in answer.value.lines]
        self._here = len(answer.value.players)
        for player in answer.value.players:
            self.notes.names.setdefault(player.id, player.name)

    # --- one command ------------------------------------------------------------------------------

    def describe(self, record: Record, command: Command[object]) -> Step:
        """Apply the command, and describe it."""
        outcomes = self.rules.apply(record.ticket, command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        rule: str | None = None
        player: str | None
        match command:
            case Move(player=number):
                player = PROGRAM if number is None else self.notes.names.get(number, f"player {number}")
                rule, told, change = self._move(command, player, events)
            case Connect():
                joined = next(event.player for event in events if isinstance(event, Connected))
                self.notes.names[joined.id] = player = joined.name
                self._tally(player)
                self._here += 1
                told = tell("joined", player=player)
                change = MinesweeperChange(scores=self._score(player), here=self._here)
            case Disconnect(player=number):
                left = any(isinstance(event, Disconnected) for event in events)
                self._here -= left
                player = self.notes.names.get(number)
                told = tell("left", player=player) if left else tell("left-already", player=player)
                change = MinesweeperChange(here=self._here)
            case _:
                return self.other(record, command)
        over = any(isinstance(event, Ended) for event in events)
        also = (tell("cleared"),) if over else ()
        return Step(record.seq, record.time, player, told, also, rule, change.scores, change, over)

    def _move(self, move: Move, player: str, events: Sequence[Event]) -> tuple[str, Told, MinesweeperChange]:
        """Return the rule, the description and the change of a move."""
        row, column = move.y + 1, move.x + 1
        step = type(move).__name__.upper()
        tally = self._tally(player)
        event = next((event for event in events if isinstance(event, MoveEvent)), None)
        square = None
        if isinstance(move, Dig) and 0 <= move.x < self.rules.columns and 0 <= move.y < self.rules.rows:
            square = move.y * self.rules.columns + move.x
            self.notes.digs_at[square] = self.notes.digs_at.get(square, 0) + 1
        tally.digs += isinstance(move, Dig)
        tally.chords += isinstance(move, Chord)
        if event is None:
            tally.idle += 1
            return f"{step} 1", _in_vain(move, player), MinesweeperChange(dig=square)
        opened = self._show(event.runs)
        tally.opened += opened
        if isinstance(event, Chorded):
            return "CHORD", _chord_told(event, player, opened), self._chorded(event, player)
        if isinstance(event, Exploded) and square is not None:
            tally.booms += 1
            self.notes.craters[square] = player
            told = tell("boom", player=player, row=row, column=column, squares=opened)
            return "DIG 3", told, MinesweeperChange(event.runs, square, True, self._score(player))
        if isinstance(event, Dug):
            rule = "DIG 4" if opened > 1 else "DIG 2"
            told = tell("dug", player=player, row=row, column=column, squares=opened)
            return rule, told, MinesweeperChange(event.runs, square, scores=self._score(player))
        if isinstance(move, Flag):
            tally.flags += 1
            told = tell("flagged", player=player, row=row, column=column)
        else:
            tally.deflags += isinstance(move, Deflag)
            told = tell("deflagged", player=player, row=row, column=column)
        return f"{step} 2", told, MinesweeperChange(event.runs)

    def _chorded(self, event: Chorded, player: str) -> MinesweeperChange:
        """Record a chord, and return its change."""
        self._tally(player).booms += len(event.booms)
        booms = tuple(y * self.rules.columns + x for x, y in event.booms)
        self.notes.craters.update(dict.fromkeys(booms, player))
        at = event.y * self.rules.columns + event.x
        return MinesweeperChange(event.runs, at, booms=booms, scores=self._score(player))

    def _show(self, runs: tuple[Run, ...]) -> int:
        """Update the lines, and return the number of opened squares."""
        opened = 0
        for x, y, shown in runs:
            line, new = self._lines[y], shown.encode("ascii")
            old = line[x : x + len(new)]
            line[x : x + len(new)] = new
            opened += _closed(old) - _closed(new)
        return opened

    def _score(self, player: str) -> dict[str, int]:
        return {player: self._tally(player).opened}

    def _tally(self, player: str) -> DigCounts:
        return self.notes.tallies.setdefault(player, DigCounts())

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> GridLayout:
        """Return the size of the field."""
        return GridLayout(self.rules.rows, self.rules.columns)

    def snapshot(self) -> MinesweeperSnapshot:
        """Return the current public field."""
        return MinesweeperSnapshot(
            lines=tuple(line.decode("ascii") for line in self._lines),
            craters=sorted(self.notes.craters.items()),
            scores=self.scores(),
            heat=sorted(self.notes.digs_at.items()),
            here=self._here,
        )

    def scores(self) -> dict[str, int]:
        """Return the number of squares that the players of each name have opened."""
        return {player: tally.opened for player, tally in self.notes.tallies.items()}

    def picture(self) -> list[list[Spot]]:
        """Return the rows of the current public field."""
        columns = self.rules.columns
        return [
            [self._spot(row * columns + column, square) for column, square in enumerate(line.decode("ascii"))]
            for row, line in enumerate(self._lines)
        ]

    def _spot(self, index: int, shown: str) -> Spot:
        by = self.notes.craters.get(index)
        look = {"-": "down", "F": "flag"}.get(shown, "dug" if by is None else "boom")
        return msgspec.convert({"look": look, "text": shown, "by": by}, Spot)

    def caption(self) -> str:
        """Return the scores and the number of squares left, in one line."""
        return caption(self.scores(), sum(_closed(line) for line in self._lines))

    def summary(self) -> Summary:
        """Return the counts of all players. Without any chord, omit the counts of chords: few players know chords."""
        tallies = self.notes.tallies
        hidden = set() if any(tally.chords for tally in tallies.values()) else {"chords"}
        shown = tuple(name for name in DigCounts.__struct_fields__ if name not in hidden)
        return Summary(
            shown, {player: tuple(getattr(tally, name) for name in shown) for player, tally in tallies.items()}
        )


def _closed(squares: bytes | bytearray) -> int:
    return squares.count(UNTOUCHED) + squares.count(FLAGGED)


def _in_vain(move: Move, player: str) -> Told:
    """Describe a move without an effect."""
    row, column = move.y + 1, move.x + 1
    match move:
        case Flag():
            return tell("flag-in-vain", player=player, row=row, column=column)
        case Deflag():
            return tell("deflag-in-vain", player=player, row=row, column=column)
        case Chord():
            return tell("chord-in-vain", player=player, row=row, column=column)
        case _:
            return tell("dig-in-vain", player=player, row=row, column=column)


def _chord_told(event: Chorded, player: str, squares: int) -> Told:
    row, column, bombs = event.y + 1, event.x + 1, len(event.booms)
    if bombs == 0:
        return tell("chorded", player=player, row=row, column=column, squares=squares)
    return tell("chord-boom", player=player, row=row, column=column, squares=squares, bombs=bombs)
