"""Replay of Multiplayer Minesweeper: who dug and flagged which square, what opened, and what exploded.

A player is a connection with a number. A person who digs up a bomb and comes back is another player, so figures are
kept by name. A bomb is shown when it explodes, and never before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from scramble.games.narration import CALLED_OFF, Happened, Spot, Step, Summary, by_whom, other_words
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Event, Ticket, Withdraw
from scramble.minesweeper import Field
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

ASIDE: Final = Ticket(-1)  # no request has this ticket
PROGRAM: Final = "the program"  # in which the game is embedded: the author of moves without a connection

UNTOUCHED: Final = ord("-")
FLAGGED: Final = ord("F")


class DigCounts(msgspec.Struct):
    """Counts of the moves of all players of one name. `idle` counts moves without effect."""

    digs: int = 0
    squares: int = 0
    booms: int = 0
    flags: int = 0
    deflags: int = 0
    chords: int = 0
    idle: int = 0


COUNTED: Final = {
    "digs": "digs",
    "squares": "squares opened",
    "booms": "booms",
    "flags": "flags",
    "deflags": "flags taken away",
    "chords": "chords",
    "idle": "without effect",
}
"""The fields of DigCounts, and what the summary calls them."""


class _Notes(msgspec.Struct):
    """The past, as far as the field itself does not remember it."""

    tallies: dict[str, DigCounts] = {}
    names: dict[int, str] = {}  # of all players up to now, by number
    digs_at: dict[int, int] = {}  # digs of each square, by index
    craters: dict[int, str] = {}  # indexes of squares whose bombs exploded, and the names of their diggers


class MinesweeperLayout(msgspec.Struct, frozen=True):
    """The size of the field."""

    rows: int
    columns: int


class MinesweeperSnapshot(msgspec.Struct, frozen=True):
    """The field, and how often each square was dug. Squares are numbered across each row from the top one.

    `lines` shows the same as BOARD. `craters` has (index, player) where a bomb exploded, `heat` has (index, digs),
    `here` is the number of connected players.
    """

    lines: tuple[str, ...]
    craters: list[tuple[int, str]]
    scores: dict[str, int]
    heat: list[tuple[int, int]]
    here: int


class MinesweeperChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference after a command. `runs` has (x, y, shown) as the game's events do; `dig` is the square dug.

    `boom` says that it had a bomb; `booms` are the squares of the bombs that a chord there has dug up. `event` is a
    word for what happened that was no move (docs/reference/replay.md).
    """

    runs: tuple[Run, ...] = ()
    dig: int | None = None
    boom: bool = False
    scores: dict[str, int] = {}
    here: int | None = None
    booms: tuple[int, ...] = ()
    event: Happened | None = None


class MinesweeperNarrator:
    """Narration of a game of Minesweeper; a `Narrator`."""

    # AF: the game of _field, of which _lines has the view that everybody has, and _here players are connected; _notes
    #     are of all commands up to now.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    kind: Final = "minesweeper"

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game."""
        self._begin(Field.restore(first), _Notes())
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(self._field.commands)

    def _begin(self, field: Field, notes: _Notes) -> None:
        self._field = field
        self._notes = notes
        (answer,) = field.apply(ASIDE, TakeSnapshot())
        assert isinstance(answer, Answered)
        assert isinstance(answer.value, Snapshot)
        self._lines = [bytearray(line, "ascii") for line in answer.value.lines]
        self._here = len(answer.value.players)
        for player in answer.value.players:
            notes.names.setdefault(player.id, player.name)

    def save(self) -> bytes:
        """Encode everything that it takes to go on from here."""
        return msgspec.msgpack.encode((self._field.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called."""
        state, notes = msgspec.msgpack.decode(saved, type=tuple[bytes, _Notes])
        self._begin(Field.restore(state), notes)

    # --- one command ------------------------------------------------------------------------------

    def narrate(self, record: Record) -> Step:
        """Apply the next command and describe it. Raises ValueError if it is not a command of this game."""
        command = self._decoder.decode(record.command)
        outcomes = self._field.apply(record.ticket, command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        rule: str | None = None
        player: str | None
        match command:
            case Move(player=number):
                player = PROGRAM if number is None else self._notes.names.get(number, f"player {number}")
                rule, words, change = self._move(command, player, events)
            case Connect():
                joined = next(event.player for event in events if isinstance(event, Connected))
                self._notes.names[joined.id] = player = joined.name
                self._tally(player)
                self._here += 1
                words = f"{player} joins"
                change = MinesweeperChange(scores=self._score(player), here=self._here, event="joined")
            case Disconnect(player=number):
                left = any(isinstance(event, Disconnected) for event in events)
                self._here -= left
                player = self._notes.names.get(number)
                words = f"{player} leaves" if left else f"{player or 'somebody'} has left already"
                change = MinesweeperChange(here=self._here, event="left")
            case Withdraw():
                player, words, change = None, CALLED_OFF, MinesweeperChange(event="called-off")
            case _:
                player = by_whom(command)
                words, change = other_words(command, player), MinesweeperChange()
        over = any(isinstance(event, Ended) for event in events)
        return Step(record.seq, record.time, player, rule, words, (), change.scores, change, over)

    def _move(self, move: Move, player: str, events: Sequence[Event]) -> tuple[str, str, MinesweeperChange]:
        """Return the rule, the words and the change of a move."""
        at = f"column {move.x + 1}, row {move.y + 1}"  # as on the game's page
        verb = type(move).__name__.lower()
        step = verb.upper()
        tally = self._tally(player)
        event = next((event for event in events if isinstance(event, MoveEvent)), None)
        square = None
        if isinstance(move, Dig) and 0 <= move.x < self._field.columns and 0 <= move.y < self._field.rows:
            square = move.y * self._field.columns + move.x
            self._notes.digs_at[square] = self._notes.digs_at.get(square, 0) + 1
        tally.digs += isinstance(move, Dig)
        tally.chords += isinstance(move, Chord)
        if event is None:
            tally.idle += 1
            return (
                f"{step} 1",
                f"{player} {verb}s {at}, where there is nothing to {verb}",
                MinesweeperChange(dig=square),
            )
        opened = self._show(event.runs)
        tally.squares += opened
        won = ", and the last square without a bomb is open" if any(isinstance(e, Ended) for e in events) else ""
        if isinstance(event, Chorded):
            return "CHORD", self._chord_words(event, player, at, opened) + won, self._chorded(event, player)
        if isinstance(event, Exploded) and square is not None:
            tally.booms += 1
            self._notes.craters[square] = player
            more = f", and opens {_squares(opened)}" if opened > 1 else ""
            words = f"BOOM! {player} digs up a bomb at {at}{more}{won}"
            return "DIG 3", words, MinesweeperChange(event.runs, square, True, self._score(player))
        if isinstance(event, Dug):
            rule = "DIG 4" if opened > 1 else "DIG 2"
            words = f"{player} digs {at}, and opens {_squares(opened)}{won}"
            return rule, words, MinesweeperChange(event.runs, square, scores=self._score(player))
        if isinstance(move, Flag):
            tally.flags += 1
        elif isinstance(move, Deflag):
            tally.deflags += 1
        words = f"{player} flags {at}" if isinstance(move, Flag) else f"{player} takes the flag at {at} away"
        return f"{step} 2", words, MinesweeperChange(event.runs)

    def _chord_words(self, event: Chorded, player: str, at: str, opened: int) -> str:
        if not event.booms:
            return f"{player} chords at {at}, and opens {_squares(opened)}"
        bombs = "a bomb" if len(event.booms) == 1 else f"{len(event.booms)} bombs"
        return f"BOOM! {player} digs up {bombs} by a chord at {at}, and opens {_squares(opened)}"

    def _chorded(self, event: Chorded, player: str) -> MinesweeperChange:
        """Note a chord, and return its change."""
        self._tally(player).booms += len(event.booms)
        booms = tuple(y * self._field.columns + x for x, y in event.booms)
        self._notes.craters.update(dict.fromkeys(booms, player))
        at = event.y * self._field.columns + event.x
        return MinesweeperChange(event.runs, at, booms=booms, scores=self._score(player))

    def _show(self, runs: tuple[Run, ...]) -> int:
        """Bring the lines up to date, and return how many squares have opened."""
        opened = 0
        for x, y, shown in runs:
            line, new = self._lines[y], shown.encode("ascii")
            old = line[x : x + len(new)]
            line[x : x + len(new)] = new
            opened += _closed(old) - _closed(new)
        return opened

    def _score(self, player: str) -> dict[str, int]:
        return {player: self._tally(player).squares}

    def _tally(self, player: str) -> DigCounts:
        return self._notes.tallies.setdefault(player, DigCounts())

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> MinesweeperLayout:
        """Return the size of the field."""
        return MinesweeperLayout(self._field.rows, self._field.columns)

    def snapshot(self) -> MinesweeperSnapshot:
        """Return the field as everybody knows it now."""
        return MinesweeperSnapshot(
            lines=tuple(line.decode("ascii") for line in self._lines),
            craters=sorted(self._notes.craters.items()),
            scores=self.scores(),
            heat=sorted(self._notes.digs_at.items()),
            here=self._here,
        )

    def scores(self) -> dict[str, int]:
        """Return the number of squares that the players of each name have opened."""
        return {player: tally.squares for player, tally in self._notes.tallies.items()}

    def picture(self) -> list[list[Spot]]:
        """Return the field as everybody sees it now, row by row."""
        columns = self._field.columns
        return [
            [self._spot(row * columns + column, square) for column, square in enumerate(line.decode("ascii"))]
            for row, line in enumerate(self._lines)
        ]

    def _spot(self, index: int, shown: str) -> Spot:
        by = self._notes.craters.get(index)
        look = {"-": "down", "F": "flag"}.get(shown, "dug" if by is None else "boom")
        return msgspec.convert({"look": look, "text": shown, "by": by}, Spot)

    def caption(self) -> str:
        """Return the scores and the number of squares left, in one line."""
        left = sum(_closed(line) for line in self._lines)
        scores = ", ".join(f"{player} {squares}" for player, squares in self.scores().items())
        return f"squares opened: {scores or 'none'}; {left} left"

    def summary(self) -> Summary:
        """Return the counts of all players; those of chords only if there was one, since few players know chords."""
        tallies = self._notes.tallies
        shown = {
            name: words
            for name, words in COUNTED.items()
            if name != "chords" or any(t.chords for t in tallies.values())
        }
        rows = {player: tuple(str(getattr(tally, name)) for name in shown) for player, tally in tallies.items()}
        return Summary(tuple(shown.values()), rows)


def _closed(squares: bytes | bytearray) -> int:
    return squares.count(UNTOUCHED) + squares.count(FLAGGED)


def _squares(number: int) -> str:
    return f"{number} {'square' if number == 1 else 'squares'}"
