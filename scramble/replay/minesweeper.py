"""Multiplayer Minesweeper told: who dug and flagged what, what opened, and what blew up.

A player is a connection with a number; whoever digs up a bomb and comes back is another one, so figures are kept by
name. Bombs are told as they go off, and never before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from scramble.core import Answered, Command, Event, Ticket, Withdraw
from scramble.minesweeper import Field
from scramble.minesweeper.messages import (
    Connect,
    Connected,
    Deflag,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Exploded,
    Flag,
    Move,
    MoveEvent,
    Run,
    Snapshot,
    TakeSnapshot,
)
from scramble.replay.telling import CALLED_OFF, Spot, Step, Summary, by_whom, other_words, place
from scramble.store import Record

ASIDE: Final = Ticket(-1)  # no request has this ticket
PROGRAM: Final = "the program"  # moves that no connection made: the one that the game is embedded in

UNTOUCHED: Final = ord("-")
FLAGGED: Final = ord("F")


class Tally(msgspec.Struct):
    """What the players of one name have done. `idle` counts moves that had no effect."""

    digs: int = 0
    squares: int = 0
    booms: int = 0
    flags: int = 0
    deflags: int = 0
    idle: int = 0


class _Notes(msgspec.Struct):
    """What the field itself does not remember."""

    tallies: dict[str, Tally] = {}
    names: dict[int, str] = {}  # of all players who ever came, by number
    digs_at: dict[int, int] = {}  # digs of each square, by index
    craters: dict[int, str] = {}  # where bombs went off, and whose digs they were


class MinesweeperFrame(msgspec.Struct, frozen=True):
    """The size of the field."""

    rows: int
    columns: int


class MinesweeperWhole(msgspec.Struct, frozen=True):
    """The field, and how often each square was dug. Squares are numbered across each row from the top one.

    `lines` show what BOARD shows. `craters` has (index, player) where a bomb went off, `heat` has (index, digs), `here`
    counts those who are connected.
    """

    lines: tuple[str, ...]
    craters: list[tuple[int, str]]
    scores: dict[str, int]
    heat: list[tuple[int, int]]
    here: int


class MinesweeperChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is different after a command. `runs` has (x, y, shown) as in the game's own events; `dig` is a square."""

    runs: tuple[Run, ...] = ()
    dig: int | None = None
    boom: bool = False
    scores: dict[str, int] = {}
    here: int | None = None


class MinesweeperTeller:
    """A game of Minesweeper in the course of being told."""

    # AF: the game of _field, of which _lines show what everybody sees and _here counts the connected; _notes are of
    #     all commands told so far.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    kind: Final = "minesweeper"

    def __init__(self, first: bytes) -> None:
        """A game that begins with the state `first`. Raises ValueError if that is none."""
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
        return msgspec.msgpack.encode((self._field.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        state, notes = msgspec.msgpack.decode(saved, type=tuple[bytes, _Notes])
        self._begin(Field.restore(state), notes)

    # --- one command ------------------------------------------------------------------------------

    def tell(self, record: Record) -> Step:
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
                words, change = f"{player} joins", MinesweeperChange(scores=self._score(player), here=self._here)
            case Disconnect(player=number):
                left = any(isinstance(event, Disconnected) for event in events)
                self._here -= left
                player = self._notes.names.get(number)
                words = f"{player} leaves" if left else f"{player or 'somebody'} has left already"
                change = MinesweeperChange(here=self._here)
            case Withdraw():
                player, words, change = None, CALLED_OFF, MinesweeperChange()
            case _:
                player = by_whom(command)
                words, change = other_words(command, player), MinesweeperChange()
        return Step(record.seq, record.time, player, rule, words, (), change.scores, change)

    def _move(self, move: Move, player: str, events: Sequence[Event]) -> tuple[str, str, MinesweeperChange]:
        """The rule, the words and the change of a move."""
        at = place(move.x, move.y)
        verb = type(move).__name__.lower()
        step = verb.upper()
        tally = self._tally(player)
        event = next((event for event in events if isinstance(event, MoveEvent)), None)
        square = None
        if isinstance(move, Dig) and 0 <= move.x < self._field.columns and 0 <= move.y < self._field.rows:
            square = move.y * self._field.columns + move.x
            self._notes.digs_at[square] = self._notes.digs_at.get(square, 0) + 1
        if isinstance(move, Dig):
            tally.digs += 1
        if event is None:
            tally.idle += 1
            return (
                f"{step} 1",
                f"{player} {verb}s {at}, where there is nothing to {verb}",
                MinesweeperChange(dig=square),
            )
        opened = self._show(event.runs)
        tally.squares += opened
        if isinstance(event, Exploded) and square is not None:
            tally.booms += 1
            self._notes.craters[square] = player
            more = f", and opens {_squares(opened)}" if opened > 1 else ""
            words = f"BOOM! {player} digs up a bomb at {at}{more}"
            return "DIG 3", words, MinesweeperChange(event.runs, square, True, self._score(player))
        if isinstance(event, Dug):
            rule = "DIG 4" if opened > 1 else "DIG 2"
            words = f"{player} digs {at}, and opens {_squares(opened)}"
            return rule, words, MinesweeperChange(event.runs, square, scores=self._score(player))
        if isinstance(move, Flag):
            tally.flags += 1
        elif isinstance(move, Deflag):
            tally.deflags += 1
        words = f"{player} flags {at}" if isinstance(move, Flag) else f"{player} takes the flag at {at} away"
        return f"{step} 2", words, MinesweeperChange(event.runs)

    def _show(self, runs: tuple[Run, ...]) -> int:
        """Bring the lines up to date; how many squares have opened."""
        opened = 0
        for x, y, shown in runs:
            line, new = self._lines[y], shown.encode("ascii")
            old = line[x : x + len(new)]
            line[x : x + len(new)] = new
            opened += _closed(old) - _closed(new)
        return opened

    def _score(self, player: str) -> dict[str, int]:
        return {player: self._tally(player).squares}

    def _tally(self, player: str) -> Tally:
        return self._notes.tallies.setdefault(player, Tally())

    # --- what there is to see ---------------------------------------------------------------------

    def frame(self) -> MinesweeperFrame:
        return MinesweeperFrame(self._field.rows, self._field.columns)

    def whole(self) -> MinesweeperWhole:
        return MinesweeperWhole(
            lines=tuple(line.decode("ascii") for line in self._lines),
            craters=sorted(self._notes.craters.items()),
            scores=self.scores(),
            heat=sorted(self._notes.digs_at.items()),
            here=self._here,
        )

    def scores(self) -> dict[str, int]:
        return {player: tally.squares for player, tally in self._notes.tallies.items()}

    def picture(self) -> list[list[Spot]]:
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
        left = sum(_closed(line) for line in self._lines)
        scores = ", ".join(f"{player} {squares}" for player, squares in self.scores().items())
        return f"squares opened: {scores or 'none'}; {left} left"

    def summary(self) -> Summary:
        return Summary(
            ("digs", "squares opened", "booms", "flags", "flags taken away", "without effect"),
            {player: tuple(map(str, msgspec.structs.astuple(t))) for player, t in self._notes.tallies.items()},
        )


def _closed(squares: bytes | bytearray) -> int:
    return squares.count(UNTOUCHED) + squares.count(FLAGGED)


def _squares(number: int) -> str:
    return f"{number} {'square' if number == 1 else 'squares'}"
