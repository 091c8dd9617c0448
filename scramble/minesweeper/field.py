"""The field and its players: the rules of Multiplayer Minesweeper, and nothing else.

Pure: no tasks, no clock, no files but the one that `parse_from_file` reads, no randomness once a field exists. Every
command is carried out at once in one synchronous step, and none ever waits, so whoever gives one at a time sees each
dig with the whole of its flood or not at all. Not safe for use by several threads: in a running game only the owner
task has the field.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Sequence
from typing import Final, Self

from scramble.checks import CHECK_REP
from scramble.core import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.errors import InvalidCommand
from scramble.minesweeper import fieldstate
from scramble.minesweeper.fieldfile import MAX_SQUARES, parse
from scramble.minesweeper.messages import (
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
    TakeSnapshot,
    Welcome,
)
from scramble.minesweeper.squares import Squares

_BOMB_IN_FOUR = b"1" * 64 + b"0" * 192  # turns a random byte into a bomb with probability .25, exactly
_NAME = re.compile(r"[A-Za-z0-9_]+")


class Field:
    """A rectangle of squares, some with bombs, that all players dig and flag together, and who these players are.

    Mutable. The methods `look`, `dig`, `flag` and `deflag` are for whoever has a field to themselves; a running game
    goes through `apply`, which does the same and also tells what everybody may know of it. Implements
    `scramble.core.Durable`.
    """

    # Abstraction function:
    #   the squares of _squares, of which `version` changes have been made public, the coming and going of players
    #   included; connected are the players in _players, by number, in the order in which they came; the next to
    #   come gets the number _next_player.
    # Representation invariant:
    #   each key of _players is the number of its player, positive, below _next_player and above the key before it;
    #   each `at` is a square; each name is a word, or "telnet" and the number. 0 <= _next_player - 1 <= _version.
    # Safety from rep exposure:
    #   _squares and _players never leave the object; all that does is immutable.

    kind: Final = "minesweeper"
    commands: Final[object] = Dig | Flag | Deflag | Connect | Disconnect | Withdraw

    __slots__ = ("_next_player", "_players", "_squares", "_version")

    def __init__(self, columns: int, rows: int, bombs: Iterable[tuple[int, int]] = ()) -> None:
        """A field of untouched squares with a bomb at each (x, y) of `bombs`.

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
        """A field where each square has a bomb with probability .25, independently of the others.

        Args:
            seed: gives the same field each time; None takes the system's randomness.

        Raises:
            ValueError: a size is not positive, or there are more than `MAX_SQUARES` squares.
        """
        _require_size(columns, rows)
        size = columns * rows
        noise = os.urandom(size) if seed is None else random.Random(seed).randbytes(size)
        values = noise.translate(_BOMB_IN_FOUR)
        return cls._of(Squares([values[start : start + columns] for start in range(0, size, columns)]))

    @classmethod
    def parse(cls, text: str | bytes, file: str = "<field>") -> Self:
        """The field that a text in the FILE grammar describes. `file` is its name in errors.

        Raises:
            FieldFileError: the text does not match the grammar.
        """
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return cls._of(Squares(parse(data, file).lines))

    @classmethod
    def parse_from_file(cls, path: str | os.PathLike[str]) -> Self:
        """As `parse`, from a file. Blocks while the file is read.

        Raises:
            FieldFileError: the file does not match the grammar.
            OSError: the file cannot be read.
        """
        with open(path, "rb") as file:
            return cls.parse(file.read(), os.fspath(path))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """The field that `state` was taken of, players included.

        Raises:
            ValueError: it is not the state of any field; says what is wrong.
        """
        told = fieldstate.decode(state)
        if not all(map(_is_named, told.players)):
            raise ValueError("not the state of a field: nobody can be called that")
        field = cls._of(Squares.restore(told.lines))
        field._players = {player.id: player for player in told.players}
        field._next_player = told.next_player
        field._version = told.version
        if CHECK_REP:
            field._check_rep()
        return field

    def copy(self) -> Self:
        """Another field in the same state, players included, that from now on goes its own way."""
        twin = self._of(self._squares.copy())
        twin._players = dict(self._players)
        twin._next_player = self._next_player
        twin._version = self._version
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

    # --- observers ---

    @property
    def columns(self) -> int:
        """How many squares there are in a row."""
        return self._squares.columns

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._squares.rows

    @property
    def version(self) -> int:
        """How many changes there have been: moves that had an effect, and players who came or left."""
        return self._version

    @property
    def players(self) -> tuple[Player, ...]:
        """Who is connected, in the order in which they came."""
        return tuple(self._players.values())

    def bombs(self) -> list[tuple[int, int]]:
        """Where the bombs are, as (x, y) in reading order. For the program that owns the field, never for players."""
        return self._squares.bombs()

    def look(self) -> BoardView:
        """The field as everybody sees it. Costs one copy of the text if anything has changed, else nothing."""
        return self._view()

    def snapshot(self) -> Snapshot:
        """Everything public: what BOARD shows, and the players."""
        return Snapshot(self._version, self.columns, self.rows, self._squares.lines(), self.players)

    def state(self) -> bytes:
        """All there is to the field, bombs and players included, as canonical JSON. Never for players."""
        return fieldstate.encode(
            fieldstate.FieldState(self._version, self._next_player, self.players, self._squares.write())
        )

    def __str__(self) -> str:
        return self._squares.text()

    def __repr__(self) -> str:
        return f"<Field of {self.columns}x{self.rows} squares, version {self._version}, {len(self._players)} players>"

    # --- moves ---

    def dig(self, x: int, y: int) -> BoardView:
        """Dig square (x, y) and all that follows. Does nothing if it is outside the field or not untouched.

        The view's `boom` tells whether there was a bomb; it is gone then. Source: DIG, steps 1 to 5.
        """
        return self._move(Dig(x, y))[0]

    def flag(self, x: int, y: int) -> BoardView:
        """Flag square (x, y). Does nothing if it is outside the field or not untouched. Source: FLAG, steps 1 to 3."""
        return self._move(Flag(x, y))[0]

    def deflag(self, x: int, y: int) -> BoardView:
        """Make square (x, y) untouched. Does nothing unless it is flagged. Source: DEFLAG, steps 1 to 3."""
        return self._move(Deflag(x, y))[0]

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command; every one is answered or refused at once.

        A command that changed anything is told by exactly one event, which comes before the answer.
        """
        match command:
            case Look():
                return (Answered(ticket, self._view()),)
            case Move():
                if command.player is not None and command.player not in self._players:
                    return (Refused(ticket, InvalidCommand(f"no player {command.player} is connected")),)
                view, event = self._move(command)
                return (Answered(ticket, view),) if event is None else (event, Answered(ticket, view))
            case Connect():
                return self._connect(ticket, command.name)
            case Disconnect():
                return self._disconnect(ticket, command.player)
            case TakeSnapshot():
                return (Answered(ticket, self.snapshot()),)
            case Withdraw():
                return ()  # nothing here ever waits
            case _:
                raise TypeError(f"not a command of Minesweeper: {command!r}")

    def _move(self, move: Move) -> tuple[BoardView, MoveEvent | None]:
        """Carry out a move by a player who is connected; the event is None if it had no effect."""
        x, y = move.x, move.y
        event: type[MoveEvent]
        match move:
            case Dig():
                boom, runs = self._squares.dig(x, y)
                event = Exploded if boom else Dug
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


def _require_size(columns: int, rows: int) -> None:
    if columns < 1 or rows < 1:
        raise ValueError(f"a field has at least one column and one row, not {columns} and {rows}")
    if columns * rows > MAX_SQUARES:
        raise ValueError(f"a field has at most {MAX_SQUARES} squares")


def is_name(text: str) -> bool:
    """Whether a player can connect by that name."""
    return _NAME.fullmatch(text) is not None


def _is_named(player: Player) -> bool:
    """Whether the player has a name that it can have."""
    return is_name(player.name) or player.name == f"telnet {player.id}"
