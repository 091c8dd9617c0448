"""Rules of Multiplayer Minesweeper: the field and its players.

Pure: no tasks, no clock, no files (except in `parse_from_file`), no randomness after a field was made. Each command is
one synchronous step. So a dig and its whole flood become visible together. Only `AwaitEnd` waits. Not safe for use by
several threads: in a running game only the owner task has the field.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, Self

import msgspec

from scramble.errors import InvalidCommand
from scramble.kernel.checks import CHECK_REP
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.minesweeper import fieldstate, layout
from scramble.minesweeper.connected import ConnectedPlayers, is_name
from scramble.minesweeper.contest import Contest, ContestTerms
from scramble.minesweeper.fieldfile import parse_field_file
from scramble.minesweeper.fieldstate import SafeStart, SavedScore
from scramble.minesweeper.messages import (
    MOST_POINTS,
    AwaitEnd,
    BoardView,
    Chord,
    Chorded,
    Connect,
    Connected,
    Deflag,
    Deflagged,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Ended,
    Exploded,
    Flag,
    Flagged,
    Look,
    Move,
    MoveEvent,
    Place,
    Player,
    Score,
    Snapshot,
    Standing,
    TakeSnapshot,
    TakeStanding,
    Welcome,
)
from scramble.minesweeper.squares import Squares

__all__ = ["Field", "is_name"]


class Field:
    """A rectangle of squares, some with bombs, and the players who dig and flag them together.

    Mutable. The methods `look`, `dig`, `flag`, `deflag` and `chord` are for a program with its own field. A running
    game uses `apply`, which also returns the public events. Implements `scramble.kernel.protocol.Durable`.
    """

    # Abstraction function:
    #   the squares of _squares after `version` public changes (connections and disconnections, too), with the
    #   connected _players. _contest has the scores; None in a game without scores. In a game of an earlier version,
    #   _old_scores has the numbers of squares and bombs that the players of each name have dug. If _safe_start, no
    #   square is dug, and the first dig moves bombs. The tickets in _ends wait for the end.
    # Representation invariant:
    #   each `at` of _players is a square. 0 <= _players.next_number - 1 <= _version.
    #   If _safe_start, no square is dug, and at least one square has no bomb. _contest or _old_scores is None.
    # Safety from rep exposure:
    #   methods never return _squares and _players; all returned values are immutable.

    kind: Final = "minesweeper"
    commands: Final[object] = Dig | Flag | Deflag | Chord | Connect | Disconnect | Withdraw

    __slots__ = (
        "_contest",
        "_ends",
        "_old_scores",
        "_players",
        "_safe_start",
        "_squares",
        "_version",
    )

    def __init__(self, columns: int, rows: int, bombs: Iterable[tuple[int, int]] = ()) -> None:
        """Make a field of untouched squares with a bomb at each (x, y) of `bombs`.

        Raises:
            ValueError: a size is not positive, there are more than `MAX_SQUARES` squares, or a bomb is outside.
        """
        self._begin(Squares(layout.placed(columns, rows, bombs)))

    @classmethod
    def random(cls, columns: int, rows: int, seed: int | None = None, *, density: float = layout.DENSITY) -> Self:
        """Make a field. Each square has a bomb with probability `density`, independently of other squares.

        Args:
            seed: the same seed makes the same field; None uses the system's randomness.

        Raises:
            ValueError: a size is not positive, there are more than `MAX_SQUARES` squares, or `density` is not from
                0 to 1.
        """
        return cls._of(Squares(layout.scattered(columns, rows, density, seed)))

    @classmethod
    def laid_out(cls, columns: int, rows: int, bombs: int, seed: int | None = None) -> Self:
        """Make a field with exactly `bombs` bombs, at random places; the same seed makes the same field.

        Raises:
            ValueError: a size is not positive, there are more than `MAX_SQUARES` squares, or more bombs than squares.
        """
        return cls._of(Squares(layout.counted(columns, rows, bombs, seed)))

    @classmethod
    def parse(cls, text: str | bytes, file: str = "<field>") -> Self:
        """Make a field from a text in the FILE grammar. `file` is its name in error messages.

        Raises:
            FieldFileError: the text does not match the grammar.
        """
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return cls._of(Squares(parse_field_file(data, file).lines))

    @classmethod
    def parse_from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Make a field from a file like `parse`. Blocks while it reads the file.

        Raises:
            FieldFileError: the file does not match the grammar.
            OSError: the file cannot be read.
        """
        with open(path, "rb") as file:
            return cls.parse(file.read(), os.fspath(path))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """Restore a field from its `state`, with its players.

        Raises:
            ValueError: `state` is not the state of a field. The message gives the reason.
        """
        saved = fieldstate.decode(state)
        players = ConnectedPlayers(saved.players, saved.next_player)
        field = cls._of(Squares.restore(saved.lines))
        field._players = players
        field._version = saved.version
        field._old_scores = saved.scores
        field._contest = None if saved.contest is None else Contest.restore(saved.contest, field.columns)
        field._safe_start = saved.safe_start
        if CHECK_REP:
            field._check_rep()
        return field

    def copy(self) -> Self:
        """Return an independent copy, with its players. The copy has no requests that wait for the end."""
        twin = self._of(self._squares.copy())
        twin._players = self._players.copy()
        twin._version = self._version
        twin._old_scores = None if self._old_scores is None else dict(self._old_scores)
        twin._contest = None if self._contest is None else self._contest.copy()
        twin._safe_start = self._safe_start
        return twin

    @classmethod
    def _of(cls, squares: Squares) -> Self:
        field = cls.__new__(cls)
        field._begin(squares)
        return field

    def _begin(self, squares: Squares) -> None:
        self._squares = squares
        self._players = ConnectedPlayers()
        self._version = 0
        self._old_scores: dict[str, SavedScore] | None = None
        self._contest: Contest | None = None
        self._safe_start: SafeStart = False
        self._ends: dict[Ticket, None] = {}

    # --- options before the first move ---

    def keep_scores(self, *, pause_ms: int = 0, closes: bool = False, start: Place | None = None) -> None:
        """Count the points of each name from now on, and publish the owners of all squares at the end.

        Requires that no player has made a move yet. A dig earns at most `MOST_POINTS`. A boom costs `BOOM_POINTS`, and
        a pause of `pause_ms` milliseconds: during the pause, moves by players of the same name have no effect. With
        `closes`, moves after the end have no effect. If `start` is a square, it must be dug before all other squares.

        Raises:
            ValueError: `start` is not a square of the field, or the pause is negative.
        """
        if pause_ms < 0:
            raise ValueError(f"the pause is negative: {pause_ms}")
        if start is not None and not (0 <= start[0] < self.columns and 0 <= start[1] < self.rows):
            raise ValueError(f"the start {start} is outside a field of {self.columns} columns and {self.rows} rows")
        self._contest = Contest(self.columns, self.rows, ContestTerms(pause_ms, closes, start, MOST_POINTS))

    def begin_safely(self) -> None:
        """Make the first dig safe: bombs on its square and the neighbours move away before the dig.

        Requires that no player has dug yet.

        Raises:
            ValueError: every square has a bomb.
        """
        if not self._squares.safe_left:
            raise ValueError("no first dig can be safe, because every square has a bomb")
        self._safe_start = "around"

    # --- observers ---

    @property
    def columns(self) -> int:
        """The number of squares in a row."""
        return self._squares.columns

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._squares.rows

    @property
    def version(self) -> int:
        """The number of changes: moves with an effect, connections and disconnections."""
        return self._version

    @property
    def revision(self) -> int:
        """The version, because all changes are public."""
        return self._version

    @property
    def players(self) -> tuple[Player, ...]:
        """The connected players, in the order of their connections."""
        return self._players.all

    @property
    def now(self) -> int | None:
        """The time of the latest move on the game's clock, in milliseconds; None in a game without scores."""
        return None if self._contest is None else self._contest.now

    def bombs(self) -> list[tuple[int, int]]:
        """Return the places of the bombs, as (x, y) in reading order. For the owning program, never for players."""
        return self._squares.bombs()

    def look(self) -> BoardView:
        """Return the public view of the field. Only the first call after a change copies the text."""
        return self._view()

    def snapshot(self) -> Snapshot:
        """Return the public state: the squares as in BOARD, and the players."""
        contest = self._contest
        standing = None if contest is None and self._old_scores is None else self._standing()
        view = None if contest is None else contest.view(self._squares.bombs_left)
        return Snapshot(self._version, self.columns, self.rows, self._squares.lines(), self.players, standing, view)

    def state(self) -> bytes:
        """Return the whole state, with bombs and players, as canonical JSON. Never for players."""
        return fieldstate.encode(
            fieldstate.FieldState(
                self._version,
                self._players.next_number,
                self.players,
                self._squares.write(),
                self._old_scores,
                self._safe_start,
                None if self._contest is None else self._contest.state(),
            )
        )

    def __str__(self) -> str:
        return self._squares.text()

    def __repr__(self) -> str:
        return f"<Field of {self.columns}x{self.rows} squares, version {self._version}, {len(self._players)} players>"

    # --- moves ---

    def dig(self, x: int, y: int) -> BoardView:
        """Dig square (x, y) and the flood from it. Does nothing if the square is outside the field or not untouched.

        The view's `boom` is True if the square had a bomb; the bomb is then removed. Source: DIG, steps 1 to 5.
        """
        return self._move(Dig(x, y))[0]

    def flag(self, x: int, y: int) -> BoardView:
        """Flag square (x, y). Does nothing if the square is outside or not untouched. Source: FLAG, steps 1 to 3."""
        return self._move(Flag(x, y))[0]

    def deflag(self, x: int, y: int) -> BoardView:
        """Make a flagged square (x, y) untouched. Does nothing to other squares. Source: DEFLAG, steps 1 to 3."""
        return self._move(Deflag(x, y))[0]

    def chord(self, x: int, y: int) -> BoardView:
        """Dig all untouched neighbours of a dug square, if it has as many flagged neighbours as its number.

        Does nothing in other cases. If bombs explode, the view's `boom` is True, and its `booms` has their squares.
        """
        return self._move(Chord(x, y))[0]

    def mover(self, command: Command[object], /) -> str | None:
        """Return the name of the connected player who makes this move; None if no connected player makes it."""
        player = (
            self._players.find(command.player) if isinstance(command, Move) and command.player is not None else None
        )
        return None if player is None else player.name

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command. Each command except `AwaitEnd` is answered or refused at once.

        A command with an effect has one event before the answer. A move that ends a contest also has the event `Ended`.
        """
        match command:
            case Look():
                return (Answered(ticket, self._view()),)
            case Move():
                if command.player is not None and command.player not in self._players:
                    return (Refused(ticket, InvalidCommand(f"no player {command.player} is connected")),)
                contest = self._contest
                is_open = contest is not None and contest.ended is None
                view, event = self._move(command)
                if event is None:
                    return (Answered(ticket, view),)
                if contest is None or contest.ended is None or not is_open:
                    return (event, Answered(ticket, view), *self._end())
                return (event, Ended(contest.ended, contest.end()), Answered(ticket, view), *self._end())
            case Connect():
                return self._connect(ticket, command.name)
            case Disconnect():
                return self._disconnect(ticket, command.player)
            case TakeSnapshot():
                return (Answered(ticket, self.snapshot()),)
            case TakeStanding():
                return (Answered(ticket, self._standing()),)
            case AwaitEnd():
                self._ends[ticket] = None
                return self._end()
            case Withdraw():
                self._ends.pop(ticket, None)  # all other commands are answered at once
                return ()
            case _:
                raise TypeError(f"not a command of Minesweeper: {command!r}")

    def _hindered(self, move: Move) -> BoardView | None:
        """Return the answer to a move that the contest does not allow now; None for an allowed move."""
        contest = self._contest
        if contest is None:
            return None
        if pause_ms := contest.pause_ms(self._name(move), contest.time(move.at)):
            return msgspec.structs.replace(self._view(), pause_ms=pause_ms)
        if isinstance(move, Dig) and contest.start not in (None, (move.x, move.y)):
            return msgspec.structs.replace(self._view(), start=contest.start)
        return self._view() if contest.terms.closes and contest.ended is not None else None

    def _move(self, move: Move) -> tuple[BoardView, MoveEvent | None]:
        """Carry out a move of a connected player; the event is None without an effect."""
        if (hindered := self._hindered(move)) is not None:
            return hindered, None
        x, y, player, squares = move.x, move.y, move.player, self._squares
        booms: tuple[Place, ...] = ()
        opened: tuple[tuple[int, int], ...] = ()
        match move:
            case Dig() | Chord():
                if self._safe_start and isinstance(move, Dig):
                    self._make_safe(x, y)
                booms, runs, opened = squares.dig(x, y) if isinstance(move, Dig) else squares.chord(x, y)
                if runs:
                    self._safe_start = False
            case Flag():
                runs = squares.flag(x, y)
            case Deflag():
                runs = squares.deflag(x, y)
            case _:
                raise TypeError(f"not a move of Minesweeper: {move!r}")
        if not runs:
            return self._view(), None
        event: MoveEvent
        match move:
            case Dig():
                event = (Exploded if booms else Dug)(x, y, player, runs)
            case Chord():
                event = Chorded(x, y, player, runs, booms=booms)
            case _:
                event = (Flagged if isinstance(move, Flag) else Deflagged)(x, y, player, runs)
        event, pause_ms = self._count(move, event, opened, booms)
        if player is not None:
            self._players.put(player, (x, y))
        self._changed()
        board = self._view(bool(booms), booms if isinstance(move, Chord) else (), pause_ms)
        return board, event

    def _make_safe(self, x: int, y: int) -> None:
        """Move the bombs away from the first dig."""
        if self._safe_start == "around":
            self._squares.clear_around(x, y)
        else:
            self._squares.clear(x, y)

    def _name(self, move: Move) -> str | None:
        return self._players.name(move.player)

    # --- the contest ---

    def _count(
        self, move: Move, event: MoveEvent, opened: Sequence[tuple[int, int]], booms: Sequence[Place]
    ) -> tuple[MoveEvent, int]:
        """Count a move that opened these ranges of squares. Return the complete event and the pause in milliseconds."""
        name, contest, squares = self._name(move), self._contest, self._squares
        if self._old_scores is not None and name is not None and opened:
            dug, exploded = self._old_scores.get(name, (0, 0))
            self._old_scores[name] = (dug + sum(end - first for first, end in opened), exploded + len(booms))
        if contest is None:
            return event, 0
        time = contest.time(move.at)
        if contest.ended is not None:
            return msgspec.structs.replace(event, at=time), 0
        wrong = isinstance(move, Deflag) and not squares.bomb_at(move.x, move.y)
        tally, until = contest.note(move, name, opened, booms, wrong=wrong)
        left, bombs = squares.safe_left, squares.bombs_left
        if not left:
            contest.win(squares.flags())
        whole = msgspec.structs.replace(event, at=time, left=left, bombs=bombs, tally=tally, until=until)
        return whole, 0 if until is None else until - time

    # --- the end ---

    def _standing(self) -> Standing:
        old = {name: Score(squares, 0, booms, squares) for name, (squares, booms) in (self._old_scores or {}).items()}
        return Standing(self._squares.safe_left, old if self._contest is None else self._contest.scores())

    def _end(self) -> list[Outcome]:
        """Return the answers to all waiting `AwaitEnd` commands after the end; before the end, an empty list."""
        if not self._ends or self._squares.safe_left:
            return []
        standing = self._standing()
        outcomes: list[Outcome] = [Answered(ticket, standing) for ticket in self._ends]
        self._ends.clear()
        return outcomes

    # --- players ---

    def _connect(self, ticket: Ticket, name: str | None) -> Sequence[Outcome]:
        if name is not None and not is_name(name):
            return (Refused(ticket, InvalidCommand("a name consists of letters A to Z or a to z, digits and _")),)
        player = self._players.connect(name)
        self._changed()
        return (Connected(player), Answered(ticket, Welcome(player.id, self.columns, self.rows, len(self._players))))

    def _disconnect(self, ticket: Ticket, number: int) -> Sequence[Outcome]:
        if not self._players.disconnect(number):
            return (Answered(ticket, None),)
        self._changed()
        return (Disconnected(number), Answered(ticket, None))

    # --- representation ---

    def _view(self, boom: bool = False, booms: tuple[Place, ...] = (), pause_ms: int = 0) -> BoardView:
        return BoardView(self._version, self._squares.text(), boom, booms, pause_ms)

    def _changed(self) -> None:
        self._version += 1
        if CHECK_REP:
            self._check_rep()

    def _check_rep(self) -> None:
        self._players.check_rep(self.columns, self.rows)
        assert 0 <= self._players.next_number - 1 <= self._version
        assert not self._safe_start or self._squares.safe_left == self.columns * self.rows - len(self.bombs()) > 0
