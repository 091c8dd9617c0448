"""The field and its players: the rules of Multiplayer Minesweeper.

Pure: no tasks, no clock, no files except the one that `parse_from_file` reads, no randomness once a field exists. Every
command is carried out at once in one synchronous step, and only `AwaitEnd` ever waits, so each dig is visible with its
whole flood or not at all. Not safe for use by several threads: in a running game only the owner task has the field.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Sequence
from typing import Final, Self

from scramble.errors import InvalidCommand
from scramble.kernel.checks import CHECK_REP
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.minesweeper import fieldstate
from scramble.minesweeper.fieldfile import MAX_SQUARES, parse_field_file
from scramble.minesweeper.fieldstate import Tally
from scramble.minesweeper.messages import (
    AwaitEnd,
    BoardView,
    Connect,
    Connected,
    Deflag,
    Deflagged,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Exploded,
    Flag,
    Flagged,
    Look,
    Move,
    MoveEvent,
    Player,
    Snapshot,
    Standing,
    TakeSnapshot,
    TakeStanding,
    Welcome,
)
from scramble.minesweeper.squares import Squares

_BOMB_IN_FOUR = b"1" * 64 + b"0" * 192  # turns a random byte into a bomb with probability .25, exactly
_NAME = re.compile(r"[A-Za-z0-9_]+")


class Field:
    """A rectangle of squares, some with bombs, that all players dig and flag together, and these players.

    Mutable. The methods `look`, `dig`, `flag` and `deflag` are for a program that has a field of its own; a running
    game uses `apply`, which does the same and also returns the public events. Implements
    `scramble.kernel.protocol.Durable`.
    """

    # Abstraction function:
    #   the squares of _squares after `version` public changes, connecting and disconnecting included; the connected
    #   players are those in _players, by number, in the order in which they connected; the next one gets the number
    #   _next_player. _scores are the squares and bombs that the players of each name have dug, None if nobody counts
    #   them; if _safe_start, the first dig is still to come, and moves a bomb. The tickets in _ends wait for the end.
    # Representation invariant:
    #   each key of _players is the number of its player, positive, below _next_player and above the key before it;
    #   each `at` is a square; each name is a word, or "telnet" and the number. 0 <= _next_player - 1 <= _version.
    #   If _safe_start, no square is dug, and one has no bomb.
    # Safety from rep exposure:
    #   _squares and _players never leave the object; everything that leaves is immutable.

    kind: Final = "minesweeper"
    commands: Final[object] = Dig | Flag | Deflag | Connect | Disconnect | Withdraw

    __slots__ = ("_ends", "_next_player", "_players", "_safe_start", "_scores", "_squares", "_version")

    def __init__(self, columns: int, rows: int, bombs: Iterable[tuple[int, int]] = ()) -> None:
        """Make a field of untouched squares with a bomb at each (x, y) of `bombs`.

        Raises:
            ValueError: a size is not positive, there are more than `MAX_SQUARES` squares, or a bomb is outside.
        """
        _require_size(columns, rows)
        lines = [bytearray(b"0" * columns) for _ in range(rows)]
        for x, y in bombs:
            if not (0 <= x < columns and 0 <= y < rows):
                raise ValueError(f"bomb ({x}, {y}) is outside a field of {columns} columns and {rows} rows")
            lines[y][x] = ord("1")
        self._begin(Squares(lines))

    @classmethod
    def random(cls, columns: int, rows: int, seed: int | None = None) -> Self:
        """Make a field in which each square has a bomb with probability .25, independently of the others.

        Args:
            seed: the same seed makes the same field; None uses the system's randomness.

        Raises:
            ValueError: a size is not positive, or there are more than `MAX_SQUARES` squares.
        """
        _require_size(columns, rows)
        size = columns * rows
        noise = os.urandom(size) if seed is None else random.Random(seed).randbytes(size)
        values = noise.translate(_BOMB_IN_FOUR)
        return cls._of(Squares([values[start : start + columns] for start in range(0, size, columns)]))

    @classmethod
    def laid_out(cls, columns: int, rows: int, bombs: int, seed: int) -> Self:
        """Make a field with exactly so many bombs, at random places; the same seed makes the same field.

        Raises:
            ValueError: a size is not positive, there are more than `MAX_SQUARES` squares, or more bombs than squares.
        """
        _require_size(columns, rows)
        size = columns * rows
        if not 0 <= bombs <= size:
            raise ValueError(f"{size} squares have from 0 to {size} bombs, not {bombs}")
        values = bytearray(b"0" * size)
        for place in random.Random(seed).sample(range(size), bombs):
            values[place] = ord("1")
        return cls._of(Squares([values[start : start + columns] for start in range(0, size, columns)]))

    @classmethod
    def parse(cls, text: str | bytes, file: str = "<field>") -> Self:
        """Make the field that a text in the FILE grammar describes. `file` is its name in error messages.

        Raises:
            FieldFileError: the text does not match the grammar.
        """
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return cls._of(Squares(parse_field_file(data, file).lines))

    @classmethod
    def parse_from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Make a field from a file like `parse`. Blocks while reading it.

        Raises:
            FieldFileError: the file does not match the grammar.
            OSError: the file cannot be read.
        """
        with open(path, "rb") as file:
            return cls.parse(file.read(), os.fspath(path))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """Restore a field from its `state`, players included.

        Raises:
            ValueError: it is not the state of a field; the message says why.
        """
        saved = fieldstate.decode(state)
        if not all(map(_is_named, saved.players)):
            raise ValueError("not the state of a field: nobody can be called that")
        field = cls._of(Squares.restore(saved.lines))
        field._players = {player.id: player for player in saved.players}
        field._next_player = saved.next_player
        field._version = saved.version
        field._scores = None if saved.scores is None else dict(saved.scores)
        field._safe_start = saved.safe_start
        if CHECK_REP:
            field._check_rep()
        return field

    def copy(self) -> Self:
        """Return an independent copy, players included. It answers nobody who waits for the end."""
        twin = self._of(self._squares.copy())
        twin._players = dict(self._players)
        twin._next_player = self._next_player
        twin._version = self._version
        twin._scores = None if self._scores is None else dict(self._scores)
        twin._safe_start = self._safe_start
        return twin

    @classmethod
    def _of(cls, squares: Squares) -> Self:
        field = cls.__new__(cls)
        field._begin(squares)
        return field

    def _begin(self, squares: Squares) -> None:
        self._squares = squares
        self._players: dict[int, Player] = {}
        self._next_player = 1
        self._version = 0
        self._scores: dict[str, Tally] | None = None
        self._safe_start = False
        self._ends: dict[Ticket, None] = {}

    # --- options of a game that has not begun ---

    def keep_scores(self) -> None:
        """Count from now on what the players of each name dig. Requires that nobody has dug yet."""
        self._scores = {}

    def begin_safely(self) -> None:
        """Make the first dig safe: a bomb that is there moves before it. Requires that nobody has dug yet.

        Raises:
            ValueError: every square has a bomb.
        """
        if not self._squares.safe_left:
            raise ValueError("every square has a bomb: none can be dug safely")
        self._safe_start = True

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
        """The number of changes: moves that had an effect, and players who connected or disconnected."""
        return self._version

    @property
    def revision(self) -> int:
        """The version, because all changes are public."""
        return self._version

    @property
    def players(self) -> tuple[Player, ...]:
        """The connected players, in the order in which they connected."""
        return tuple(self._players.values())

    def bombs(self) -> list[tuple[int, int]]:
        """Return the places of the bombs, as (x, y) in reading order. For the owning program, never for players."""
        return self._squares.bombs()

    def look(self) -> BoardView:
        """Return the public view of the field. Costs one copy of the text after a change, else nothing."""
        return self._view()

    def snapshot(self) -> Snapshot:
        """Return the public state: the squares as BOARD shows them, and the players."""
        standing = None if self._scores is None else self._standing()
        return Snapshot(self._version, self.columns, self.rows, self._squares.lines(), self.players, standing)

    def state(self) -> bytes:
        """Return the whole state, bombs and players included, as canonical JSON. Never for players."""
        return fieldstate.encode(
            fieldstate.FieldState(
                self._version, self._next_player, self.players, self._squares.write(), self._scores, self._safe_start
            )
        )

    def __str__(self) -> str:
        return self._squares.text()

    def __repr__(self) -> str:
        return f"<Field of {self.columns}x{self.rows} squares, version {self._version}, {len(self._players)} players>"

    # --- moves ---

    def dig(self, x: int, y: int) -> BoardView:
        """Dig square (x, y), with the flood that follows. Does nothing if it is outside the field or not untouched.

        The view's `boom` is True if there was a bomb, which is then removed. Source: DIG, steps 1 to 5.
        """
        return self._move(Dig(x, y))[0]

    def flag(self, x: int, y: int) -> BoardView:
        """Flag square (x, y). Does nothing if it is outside the field or not untouched. Source: FLAG, steps 1 to 3."""
        return self._move(Flag(x, y))[0]

    def deflag(self, x: int, y: int) -> BoardView:
        """Make square (x, y) untouched. Does nothing unless it is flagged. Source: DEFLAG, steps 1 to 3."""
        return self._move(Deflag(x, y))[0]

    def mover(self, command: Command[object], /) -> str | None:
        """Return the name of the connected player who makes this move; None if there is none."""
        player = self._players.get(command.player) if isinstance(command, Move) and command.player is not None else None
        return None if player is None else player.name

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command; each except `AwaitEnd` is answered or refused at once.

        A command that changed anything has exactly one event, which precedes the answer.
        """
        match command:
            case Look():
                return (Answered(ticket, self._view()),)
            case Move():
                if command.player is not None and command.player not in self._players:
                    return (Refused(ticket, InvalidCommand(f"no player {command.player} is connected")),)
                view, event = self._move(command)
                if event is None:
                    return (Answered(ticket, view),)
                return (event, Answered(ticket, view), *self._end())
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
                self._ends.pop(ticket, None)  # everything else is answered at once
                return ()
            case _:
                raise TypeError(f"not a command of Minesweeper: {command!r}")

    def _move(self, move: Move) -> tuple[BoardView, MoveEvent | None]:
        """Carry out a move by a player who is connected; the event is None if it had no effect."""
        x, y = move.x, move.y
        event: type[MoveEvent]
        match move:
            case Dig():
                if self._safe_start:
                    self._squares.clear(x, y)
                boom, opened, runs = self._squares.dig(x, y)
                event = Exploded if boom else Dug
                self._safe_start = self._safe_start and not runs
                self._count(move.player, opened, boom)
            case Flag():
                event, boom, runs = Flagged, False, self._squares.flag(x, y)
            case Deflag():
                event, boom, runs = Deflagged, False, self._squares.deflag(x, y)
            case _:
                raise TypeError(f"not a move of Minesweeper: {move!r}")
        if not runs:
            return self._view(), None
        if move.player is not None:
            self._players[move.player] = Player(move.player, self._players[move.player].name, (x, y))
        self._changed()
        return self._view(boom), event(x, y, move.player, runs)

    def _count(self, player: int | None, opened: int, boom: bool) -> None:
        """Add the squares that a player's dig has opened to the scores."""
        if self._scores is not None and player is not None and opened:
            name = self._players[player].name
            squares, booms = self._scores.get(name, (0, 0))
            self._scores[name] = (squares + opened, booms + boom)

    # --- the end ---

    def _standing(self) -> Standing:
        scores = self._scores or {}
        squares = {name: squares for name, (squares, _) in scores.items()}
        return Standing(self._squares.safe_left, squares, {name: booms for name, (_, booms) in scores.items()})

    def _end(self) -> list[Outcome]:
        """Return the answers to those who wait for the end, if it has come."""
        if not self._ends or self._squares.safe_left:
            return []
        standing = self._standing()
        outcomes: list[Outcome] = [Answered(ticket, standing) for ticket in self._ends]
        self._ends.clear()
        return outcomes

    # --- players ---

    def _connect(self, ticket: Ticket, name: str | None) -> Sequence[Outcome]:
        if name is not None and not is_name(name):
            return (Refused(ticket, InvalidCommand("a name is made of letters from A to Z or a to z, digits and _")),)
        number = self._next_player
        self._next_player += 1
        player = Player(number, f"telnet {number}" if name is None else name)
        self._players[number] = player
        self._changed()
        return (Connected(player), Answered(ticket, Welcome(number, self.columns, self.rows, len(self._players))))

    def _disconnect(self, ticket: Ticket, number: int) -> Sequence[Outcome]:
        if self._players.pop(number, None) is None:
            return (Answered(ticket, None),)
        self._changed()
        return (Disconnected(number), Answered(ticket, None))

    # --- representation ---

    def _view(self, boom: bool = False) -> BoardView:
        return BoardView(self._version, self._squares.text(), boom)

    def _changed(self) -> None:
        self._version += 1
        if CHECK_REP:
            self._check_rep()

    def _check_rep(self) -> None:
        assert list(self._players) == sorted(self._players)
        for number, player in self._players.items():
            assert player.id == number
            assert 0 < number < self._next_player
            assert _is_named(player)
            assert player.at is None or (0 <= player.at[0] < self.columns and 0 <= player.at[1] < self.rows)
        assert 0 <= self._next_player - 1 <= self._version
        assert not self._safe_start or self._squares.safe_left == self.columns * self.rows - len(self.bombs()) > 0


def _require_size(columns: int, rows: int) -> None:
    if columns < 1 or rows < 1:
        raise ValueError(f"a field has at least one column and one row, not {columns} and {rows}")
    if columns * rows > MAX_SQUARES:
        raise ValueError(f"a field has at most {MAX_SQUARES} squares")


def is_name(text: str) -> bool:
    """Return True if a player can connect by that name."""
    return _NAME.fullmatch(text) is not None


def _is_named(player: Player) -> bool:
    """Return True if the name of the player is possible."""
    return is_name(player.name) or player.name == f"telnet {player.id}"
