"""Recordings for tests: real rules execute commands as in an owner, and the tape stores a journal's records."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

import msgspec

from scramble.crossword import Puzzle
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import Disconnect as Leave
from scramble.crossword.messages import OpenSession, Say, SessionView
from scramble.errors import InvalidCommand
from scramble.journal.recorder import Record, Recording
from scramble.kernel.protocol import Command, Durable, Refused, Ticket, Withdraw
from scramble.memory import Board
from scramble.memory.messages import BoundScores, Flip, NewGame, Replace
from scramble.memory.random_board import new_board
from scramble.minesweeper import Field
from scramble.minesweeper.messages import Connect, Deflag, Dig, Disconnect, Flag
from scramble.players.seats import Seated

BEGAN: Final = 1_700_000_000.0
PUZZLE: Final = '>> "Mini" "A mini"\n(cat, "feline", DOWN, 0, 1)\n(mat, "on the floor", ACROSS, 1, 0)\n'


class Tape:
    """A game that is played and recorded. Each command takes a second by default."""

    def __init__(self, rules: Durable, name: str = "game") -> None:
        self.rules: Final = rules
        self.records: Final[list[Record]] = []
        self._name: Final = name
        self._first: Final = rules.state()
        self._time = BEGAN
        self._ticket = 0

    def do(self, command: Command[object], *, after: float = 1.0, ticket: int | None = None) -> object:
        """Execute and record a command like an owner; return its answer, its refusal, or None if it waits."""
        if ticket is None:
            self._ticket += 1
            ticket = self._ticket
        self._time += after
        outcomes = self.rules.apply(Ticket(ticket), command)
        own = next((outcome for outcome in outcomes if getattr(outcome, "ticket", None) == ticket), None)
        if isinstance(own, Refused):
            if type(own.error) is not InvalidCommand:
                self._write(ticket, command)
            return own.error
        self._write(ticket, command)
        return None if own is None else getattr(own, "value", None)

    def withdraw(self, ticket: int) -> None:
        """Withdraw the request with that ticket."""
        self.do(Withdraw(), ticket=ticket)

    @property
    def ticket(self) -> int:
        """The ticket of the latest command."""
        return self._ticket

    @property
    def recording(self) -> Recording:
        """Return the records of a journal of this game."""
        return Recording(self.rules.kind, self._name, BEGAN, self._first, tuple(self.records), {})

    def _write(self, ticket: int, command: Command[object]) -> None:
        record = Record(len(self.records) + 1, Ticket(ticket), self._time, msgspec.json.encode(command), 0)
        self.records.append(record)


def memory(text: str) -> Tape:
    return Tape(Board.parse(text))


def minesweeper(text: str) -> Tape:
    return Tape(Field.parse(text))


class Talk:
    """A crossword lobby with sessions that have short names."""

    def __init__(self, text: str = PUZZLE, *, seated: bool = False) -> None:
        lobby = Lobby([Puzzle.parse(text, id="mini")])
        with_seats = Seated(lobby)
        self.tape: Final = Tape(with_seats if seated else lobby)
        self.views: Final[dict[str, SessionView]] = {}

    def open(self, key: str, token: str = "") -> SessionView:
        return self._take(key, self.tape.do(OpenSession(token or f"token-of-{key}")))

    def say(self, key: str, line: str) -> SessionView:
        return self._take(key, self.tape.do(Say(self.views[key].session, line)))

    def leave(self, key: str, *, may_return: bool = True) -> object:
        return self.tape.do(Leave(self.views[key].session, may_return))

    def join(self, *names: str) -> None:
        """Let these players enter the lobby, each in a session of the same name."""
        for name in names:
            self.open(name)
            self.say(name, name)

    def begin(self, match: str = "m1") -> None:
        """Let ann and bob play."""
        self.join("ann", "bob")
        self.say("ann", f'NEW {match} mini "come"')
        self.say("bob", f"PLAY {match}")

    def two_matches(self) -> None:
        """Let ann and bob play m1, and cat and dan m2. Ann enters a wrong word, and cat a right one."""
        self.begin("m1")
        self.join("cat", "dan")
        self.say("cat", 'NEW m2 mini "we too"')
        self.say("dan", "PLAY m2")
        self.say("ann", "TRY 1 cot")
        self.say("cat", "TRY 1 cat")

    def _take(self, key: str, answer: object) -> SessionView:
        assert isinstance(answer, SessionView)
        self.views[key] = answer
        return answer


def random_memory(
    moves: int, seed: int = 1, size: tuple[int, int] = (8, 8), players: int = 5, scores: int | None = None
) -> Tape:
    """Play many commands: flips, waits, withdrawals, replacements, and a new game after each 1500 commands."""
    rng = random.Random(seed)
    tape = Tape(Board.parse(new_board(*size, "emoji", seed)))
    if scores is not None:
        tape.do(BoundScores(scores))
    names = [f"player{number}" for number in range(1, players + 1)]
    parked: dict[str, int] = {}
    for index in range(moves):
        player = rng.choice(names)
        if rng.random() < 0.002:
            tape.do(Replace(player, "🐶", rng.choice("🐙🦑")), after=rng.expovariate(4))
        elif index and index % 1500 == 0:
            tape.do(NewGame(player, rng.randrange(1000)))
            parked.clear()
        elif player in parked and rng.random() < 0.2:
            tape.do(Withdraw(), after=rng.expovariate(4), ticket=parked.pop(player))
        else:
            spot = rng.choice(list(_places(size)))
            if tape.do(Flip(player, *spot), after=rng.expovariate(4)) is None:
                parked[player] = tape.ticket
    return tape


def random_minesweeper(moves: int, seed: int = 1, size: tuple[int, int] = (30, 16)) -> Tape:
    """Play many digs, some flags, some booms. After a boom a player rejoins as another player of the same name."""
    rng = random.Random(seed)
    tape = Tape(Field.random(*size, seed))
    numbers: dict[str, int] = {}
    for _ in range(moves):
        name = rng.choice(("ann", "bob", "cat"))
        if name not in numbers:
            welcome = tape.do(Connect(name), after=rng.expovariate(4))
            numbers[name] = getattr(welcome, "player", 0)
        kind = rng.choices((Dig, Flag, Deflag), (6, 2, 1))[0]
        view = tape.do(kind(rng.randrange(size[0]), rng.randrange(size[1]), numbers[name]), after=rng.expovariate(4))
        if kind is Dig and getattr(view, "boom", False):
            tape.do(Disconnect(numbers.pop(name)), after=0)
    return tape


def _places(size: tuple[int, int]) -> Iterator[tuple[int, int]]:
    return ((row, column) for row in range(size[0]) for column in range(size[1]))
