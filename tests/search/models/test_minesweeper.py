"""Any sequence of commands, compared to a naive model that computes the whole state again each time.

Testing strategy. Hypothesis plays on fields of 1 to 8 columns and rows, from empty to crowded. It digs, chords, flags
and deflags anywhere, and also on squares just outside. Players come and go, and some commands come from no player.
After every command:

- the answer's BOARD is the model's, and so are `boom` and, for a chord, `booms`;
- the command makes one event exactly if it changed something, and the version counts these events;
- a follower that has only the first snapshot and the events has the same board and the same players as a fresh
  snapshot, so a page stays correct;
- runs are in reading order, do not touch or overlap, and have only squares that look different.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scramble.kernel.protocol import Answered, Command, Event, Ticket
from scramble.minesweeper import BoardView, Field, Player, Snapshot, Welcome
from scramble.minesweeper.messages import (
    Chord,
    Connect,
    Connected,
    Deflag,
    Dig,
    Disconnect,
    Disconnected,
    Exploded,
    Flag,
    Look,
    Move,
    MoveEvent,
    TakeSnapshot,
)
from tests.support.examples import examples
from tests.support.minesweeper.model import Model
from tests.support.revisions import applied

sizes = st.integers(1, 8)
coordinates = st.integers(-1, 8)
moves: dict[type[Move], str] = {Dig: "dig", Flag: "flag", Deflag: "deflag"}


class FieldAgainstModel(RuleBasedStateMachine):
    """The field, its model, and a follower of the field's events."""

    @initialize(columns=sizes, rows=sizes, data=st.data())
    def begin(self, columns: int, rows: int, data: st.DataObject) -> None:
        squares = [(x, y) for y in range(rows) for x in range(columns)]
        crowd = data.draw(st.sampled_from([1, 2, 4, 8]), "one bomb in")
        bombs = data.draw(st.lists(st.sampled_from(squares), max_size=len(squares) // crowd, unique=True), "bombs")
        self.field = Field(columns, rows, bombs)
        self.model = Model(columns, rows, frozenset(bombs))
        self.connected: list[int] = []
        self.ticket = 0
        self.version = 0
        self.seen = [["-"] * columns for _ in range(rows)]  # the follower's board
        self.present: dict[int, Player] = {}

    def ask(self, command: Command[object]) -> tuple[object, list[Event]]:
        """Apply a command, update the follower, and check that versions count the events."""
        self.ticket += 1
        *events, answer = applied(self.field, Ticket(self.ticket), command)
        assert isinstance(answer, Answered)
        assert answer.ticket == self.ticket
        told = [event for event in events if isinstance(event, Event)]
        assert told == events
        assert len(told) <= 1
        self.version += len(told)
        assert self.field.version == self.version
        for event in told:
            self.follow(event)
        return answer.value, told

    def follow(self, event: Event) -> None:
        if isinstance(event, Connected):
            self.present[event.player.id] = event.player
        elif isinstance(event, Disconnected):
            del self.present[event.player]
        else:
            assert isinstance(event, MoveEvent)
            for x, y, shown in event.runs:
                before = self.seen[y][x : x + len(shown)]
                assert all(old != new for old, new in zip(before, shown, strict=True))
                self.seen[y][x : x + len(shown)] = shown
            ends = [(y, x + len(shown)) for x, y, shown in event.runs]
            begins = [(y, x) for x, y, _ in event.runs]
            assert all(end < begin for end, begin in zip(ends, begins[1:], strict=False))
            if event.player is not None:
                self.present[event.player] = Player(event.player, self.present[event.player].name, (event.x, event.y))

    @rule(move=st.sampled_from([Dig, Dig, Flag, Deflag]), x=coordinates, y=coordinates, data=st.data())
    def move(self, move: type[Move], x: int, y: int, data: st.DataObject) -> None:
        player = data.draw(st.sampled_from([None, *self.connected]), "player")
        before = self.model.board()
        self.model, reply = self.model.step(f"{moves[move]} {x} {y}")
        view, events = self.ask(move(x, y, player))
        assert view == BoardView(self.version, self.model.board(), reply == "BOOM!\n")
        assert len(events) == (self.model.board() != before)
        assert any(isinstance(event, Exploded) for event in events) == (reply == "BOOM!\n")

    @rule(x=coordinates, y=coordinates, data=st.data())
    def chord(self, x: int, y: int, data: st.DataObject) -> None:
        player = data.draw(st.sampled_from([None, *self.connected]), "player")
        before = self.model
        self.model, booms = self.model.chord((x, y))
        view, events = self.ask(Chord(x, y, player))
        assert view == BoardView(self.version, self.model.board(), bool(booms), tuple(booms))
        assert len(events) == (self.model != before)

    @rule(name=st.none() | st.sampled_from(["alice", "bob"]))
    def connect(self, name: str | None) -> None:
        welcome, events = self.ask(Connect(name))
        assert isinstance(welcome, Welcome)
        assert welcome.players == len(self.connected) + 1
        assert len(events) == 1
        self.connected.append(welcome.player)

    @precondition(lambda self: self.connected)
    @rule(data=st.data())
    def disconnect(self, data: st.DataObject) -> None:
        player = data.draw(st.sampled_from(self.connected), "player")
        self.connected.remove(player)
        assert len(self.ask(Disconnect(player))[1]) == 1

    @rule()
    def continue_with_a_copy(self) -> None:
        self.field = self.field.copy()

    @invariant()
    def all_know_the_same(self) -> None:
        assert self.ask(Look()) == (BoardView(self.version, self.model.board()), [])
        lines = tuple(self.model.lines())
        assert tuple("".join(row) for row in self.seen) == lines
        players = tuple(self.present[player] for player in self.connected)
        assert len(self.present) == len(players)
        expected = Snapshot(self.version, self.model.columns, self.model.rows, lines, players)
        assert self.ask(TakeSnapshot()) == (expected, [])
        assert self.field.bombs() == sorted(self.model.bombs, key=lambda bomb: (bomb[1], bomb[0]))


TestFieldAgainstModel = FieldAgainstModel.TestCase
TestFieldAgainstModel.settings = settings(max_examples=examples(60), stateful_step_count=30)
