"""Answers to visitors of rooms, compared to the journals of the register and of the rooms.

Sleep and death of a room must not change any answer. The room's journal continues through all its wakes and all lives
of the process. With the rules of the room's kind, the journal must explain every answer:

- an answered move is in the journal, and has the same answer there; or it changed nothing;
- a visitor's board is the board of that version in the journal;
- the journal has at least the latest version that a visitor saw, and no answer is older than the version that a visitor
  knew at the request;
- the register has every room whose opening was answered, and agrees with the answers about the room; a finished game
  has one result, recorded once; an unfinished game has no result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, TypeVar, cast

import msgspec

from scramble.crossword import room as crossword_rooms
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import AwaitResult, Enter, Say
from scramble.games.room import GameResult
from scramble.journal import Recording
from scramble.kernel.protocol import Answered, Command, Durable, Query, Ticket, Withdraw
from scramble.memory import Board
from scramble.memory import messages as memory
from scramble.memory import room as memory_rooms
from scramble.minesweeper import Field
from scramble.minesweeper import messages as minesweeper
from scramble.minesweeper import room as minesweeper_rooms
from scramble.players.seats import Seated
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.register import Register
from scramble.rooms.registermessages import ListRooms, RecordResult
from tests.search.vopr.checks import Wrong

T = TypeVar("T")

PLAYERS: Final = ("ann", "bob", "eve")
ASKED: Final = Ticket(10**12)  # of the judge's own queries: journals do not use this ticket


@dataclass
class Kept:
    """A room, and the visitors' knowledge of the room."""

    number: int
    kind: str
    name: str = ""  # empty until the opening is answered
    closing: bool = False  # a visitor has asked to close it
    closed: bool = False  # the request to close it was answered
    removing: bool = False
    removed: bool = False
    floor: int = 0  # the latest version of the game that a visitor saw
    answers: list[tuple[bytes, bytes]] = field(default_factory=list)  # moves with their answers
    looks: list[tuple[str, int, str]] = field(default_factory=list)  # (player, version, text)
    said: list[bytes] = field(default_factory=list)  # moves in crosswords; no two moves are equal

    @property
    def is_alone(self) -> bool:
        """True for a crossword with a single player."""
        return self.kind == "crossword" and self.number % 2 == 1

    @property
    def ending(self) -> bool:
        """True if visitors may find the room closed or removed."""
        return self.closing or self.removing

    def saw(self, known: int, version: int) -> None:
        """Note that a visitor saw `version` after `known`. Raises Wrong if `version` is older."""
        if version < known:
            raise Wrong(f"{self} shows version {version}, though somebody had seen {known} before")
        self.floor = max(self.floor, version)

    def __str__(self) -> str:
        return f"room {self.number} ({self.kind})"


def rules_of(kind: str) -> Durable:
    """Return a rules object of this kind."""
    match kind:
        case "memory":
            return Seated(Board.parse("1x2\nA\nA\n"))
        case "crossword":
            return Seated(Lobby([crossword_rooms.puzzle_of({"puzzle": "simple"})], one_match=True))
        case _:
            return Seated(Field(1, 1, []))


def ask(rules: Durable, query: Query[T]) -> T | None:
    """Return the immediate answer of these rules; None if they do not answer at once."""
    for outcome in rules.apply(ASKED, query):
        if isinstance(outcome, Answered):
            return cast(T, outcome.value)
    rules.apply(ASKED, Withdraw())
    return None


def _without_time(command: Command[object], encoded: bytes) -> bytes:
    """Return the move as its visitor knows it: without the time that the game's clock adds."""
    if isinstance(command, Enter | Say | minesweeper.Move):
        return msgspec.json.encode(msgspec.structs.replace(command, at=None))
    return encoded


_encoder: Final = msgspec.json.Encoder(enc_hook=dict)  # encodes mappings other than dict, as in the values of refusals


class Story:
    """A game as its journal shows it."""

    def __init__(self, kind: str, recording: Recording) -> None:
        """Apply all commands."""
        self.answers: Final[Counter[tuple[bytes, bytes]]] = Counter()
        self.moves: Final[set[bytes]] = set()
        # a version may have several looks: they differ in the player who controls a card
        self.looks: Final[set[tuple[str, int, str]]] = set()
        self.results: Final[list[GameResult]] = []  # several, if visitors play on after all cards or squares are found
        self._kind: Final = kind
        self._rules: Final = rules_of(kind).restore(recording.first)
        self._note()
        asked: dict[Ticket, bytes] = {}
        decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(self._rules.commands)
        for record in recording.records:
            command = decoder.decode(record.command)
            if not isinstance(command, Withdraw):
                asked[record.ticket] = _without_time(command, record.command)
                self.moves.add(asked[record.ticket])
            for outcome in self._rules.apply(record.ticket, command):
                if isinstance(outcome, Answered):
                    self.answers[asked[outcome.ticket], _encoder.encode(outcome.value)] += 1
            self._note()
            self.results.extend(result for result in self._results() if result not in self.results)

    @property
    def version(self) -> int:
        """The latest version."""
        return self._rules.version

    def _note(self) -> None:
        version = self._rules.version
        if self._kind == "memory":
            for player in PLAYERS:
                view = ask(self._rules, memory.Look(player))
                assert view is not None
                self.looks.add((player, version, view.text))
        elif self._kind != "crossword":
            board = ask(self._rules, minesweeper.Look())
            assert board is not None
            self.looks.add(("", version, board.text))

    def explain(self, room: Kept) -> None:
        """Raise Wrong if the journal contradicts the visitors' knowledge of the room."""
        if self.version < room.floor:
            raise Wrong(f"{room} had version {room.floor}, but its journal ends at {self.version}")
        untold = self.answers.copy()
        for move, answer in room.answers:
            if untold[move, answer]:
                untold[move, answer] -= 1
            elif not self._changed_nothing(answer):
                raise Wrong(f"{room}: {move!r} was answered by {answer!r}, which is not in its journal")
        for look in room.looks:
            if look not in self.looks:
                raise Wrong(f"{room}: {look} was seen, which is not in its journal")
        for said in room.said:
            if said not in self.moves:
                raise Wrong(f"{room}: {said!r} was answered, but is not in its journal")

    def _changed_nothing(self, answer: bytes) -> bool:
        seen = msgspec.json.decode(answer, type=_Seen)
        return any((who, seen.version, seen.text) in self.looks for who in ("", *PLAYERS))

    def _results(self) -> list[GameResult]:
        """The results that the register may have now. After a restore, the result may have no figures of the game."""
        result = self.result()
        if result is None:
            return []
        figures = ask(self._rules, memory.TakeFigures()) if self._kind == "memory" else None
        return [result] if figures is None else [result, memory_rooms.with_figures(result, figures)]

    def result(self) -> GameResult | None:
        """The result of the game's current state; None if the game is not over."""
        match self._kind:
            case "memory":
                snapshot = ask(self._rules, memory.TakeSnapshot())
                return None if snapshot is None else memory_rooms.result_of(snapshot)
            case "crossword":
                result = ask(self._rules, AwaitResult())
                return None if result is None else crossword_rooms.result_of(result)
            case "minesweeper":
                standing = ask(self._rules, minesweeper.AwaitEnd())
                return None if standing is None else minesweeper_rooms.result_of(standing)
        return None  # the game with the bug never ends


class _Seen(msgspec.Struct):
    """The view in an answer of Memory Scramble or Minesweeper."""

    version: int
    text: str


class Registered:
    """The register as its journal shows it."""

    def __init__(self, recording: Recording | None) -> None:
        """Apply all commands of the recording, if there is one."""
        rules = Register() if recording is None else Register.restore(recording.first)
        self.results: Final[Counter[str]] = Counter()
        decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(rules.commands)
        for record in () if recording is None else recording.records:
            command = decoder.decode(record.command)
            rules.apply(record.ticket, command)
            if isinstance(command, RecordResult):
                self.results[command.name] += 1
        records = ask(rules, ListRooms(10_000, None, True)) or ()
        self.rooms: Final[dict[str, RoomRecord]] = {record.name: record for record in records}

    def explain(self, room: Kept) -> None:
        """Raise Wrong if the register contradicts the visitors' knowledge of the room."""
        record = self.rooms.get(room.name)
        if record is None:
            if not room.removing:
                raise Wrong(f"{room} was opened, but is not in the register")
            return
        if room.removed:
            raise Wrong(f"{room} was removed, but is in the register")
        if room.closed and record.state != "closed":
            raise Wrong(f"{room} was closed, but is {record.state}")
        if self.results[room.name] > 1:
            raise Wrong(f"the result of {room} was recorded {self.results[room.name]} times")
        if (record.state == "broken") > (room.kind == "faulty"):
            raise Wrong(f"{room} is broken, though it has no bug")

    def explain_end(self, room: Kept, story: Story | None) -> None:
        """Raise Wrong if a finished game lacks its result or has another, or an unfinished game has a result."""
        record = self.rooms.get(room.name)
        if record is None or room.closing:
            return
        if room.kind == "faulty":
            if record.state != "broken":
                raise Wrong(f"{room} has died again and again, but is {record.state}")
            return
        if record.result is not None and (story is None or record.result not in story.results):
            raise Wrong(f"{room} has a result that is not in its journal: {record.result}")
        if record.result is None and story is not None and story.result() is not None:
            raise Wrong(f"{room} is over, but has no result")
