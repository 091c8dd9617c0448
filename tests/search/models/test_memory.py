"""The Board compared to the naive model, and the events for followers compared to the state.

Strategy: Hypothesis plays whole games with four players on small boards with few kinds of cards, so the players compete
for cards. The commands are flips, looks, watches with and without a version, replacements, maps of all cards or of
some, new games, players who relinquish their cards, withdrawals of flips and watches, and invalid commands. After every
single command:

- answers and refusals have the tickets, rules, boards and versions of the model;
- every player's view, the cards, the scores, the waiting players and the number of pairs left equal the model's;
- a follower with one board frame and then one change frame for each command has the same state as a fresh board frame;
- the version grows by one exactly if there was a change, and a copy equals its original.

The two tests at the end check the model itself.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from scramble.conform.memory.rules import Place
from scramble.kernel.protocol import Answered, Change, Command, Event, Refused, Ticket, Withdraw
from scramble.memory import messages
from scramble.memory.board import CHANGES, Board
from scramble.memory.frames import board_frame, change_frame, needs_snapshot
from scramble.memory.messages import Cell, FaceDown, FaceUp, NoCard, Snapshot
from tests.support.examples import examples
from tests.support.memory import model
from tests.support.memory.compare import op_of, seen
from tests.support.memory.model import Model, Out
from tests.support.revisions import applied

PLAYERS = ["alice", "bob", "carol", "dave"]
CARDS = ["A", "B", "🦄🌈"]

players = st.sampled_from(PLAYERS)
cards = st.sampled_from(CARDS)
small = st.integers(0, 2)

JsonCell: TypeAlias = dict[str, str | None]


class BoardFrame(msgspec.Struct):
    """The state of a client."""

    version: int
    rows: int
    columns: int
    cells: list[JsonCell]
    scores: dict[str, int]
    waiting: dict[str, tuple[int, int]]
    pairs_left: int


class CellAt(msgspec.Struct):
    """A changed cell, as a client decodes it."""

    row: int
    column: int
    cell: JsonCell


class ChangeFrame(msgspec.Struct):
    """The frame of a change, as a client decodes it."""

    version: int
    cells: list[CellAt] = []
    scores: dict[str, int | None] = {}
    waiting: dict[str, tuple[int, int] | None] = {}
    pairs_left: int | None = None


class Games(RuleBasedStateMachine):
    """A board, its model, and a client that follows the board by frames."""

    parked = Bundle("parked")

    @initialize(data=st.data(), rows=st.integers(1, 3), columns=st.integers(1, 3), most=st.none() | st.integers(1, 4))
    def begin(self, data: st.DataObject, rows: int, columns: int, most: int | None) -> None:
        deck = tuple(data.draw(st.lists(cards, min_size=rows * columns, max_size=rows * columns)))
        self.board = Board(rows, columns, deck, most_scores=most)
        self.model = Model(rows, columns, deck, most)
        self.tickets = 0
        self.client = msgspec.json.decode(board_frame(self.snapshot(self.board)), type=BoardFrame)

    @rule(target=parked, player=players, row=small, column=small)
    def flip(self, player: str, row: int, column: int) -> Ticket:
        return self.ask(messages.Flip(player, row, column))

    @rule(target=parked, player=players, row=small, column=small, second=small, third=small)
    def flip_two(self, player: str, row: int, column: int, second: int, third: int) -> MultipleResults[Ticket]:
        first = self.ask(messages.Flip(player, row, column))
        return multiple(first, self.ask(messages.Flip(player, second, third)))

    @rule(target=parked, order=st.permutations(PLAYERS), row=small, column=small)
    def all_flip_the_same(self, order: list[str], row: int, column: int) -> MultipleResults[Ticket]:
        return multiple(*(self.ask(messages.Flip(player, row, column)) for player in order))

    @rule(target=parked, player=players)
    def flip_a_match(self, player: str) -> Ticket:
        """Flip the mate of the controlled card. Random players find this move too rarely."""
        mine = [place for place, by in self.model.control.items() if by == player]
        place = next(
            (
                place
                for place, card in self.model.card.items()
                if place not in self.model.control and mine and card == self.model.card[mine[0]]
            ),
            (0, 0),
        )
        return self.ask(messages.Flip(player, *place))

    @rule(target=parked, player=players, ago=st.none() | st.integers(-1, 2))
    def watch(self, player: str, ago: int | None) -> Ticket:
        return self.ask(messages.Watch(player, None if ago is None else self.board.version - ago))

    @rule(player=players)
    def relinquish(self, player: str) -> None:
        self.ask(messages.Relinquish(player))

    @rule(player=players)
    def relinquish_awaited(self, player: str) -> None:
        self.ask(messages.RelinquishAwaited(player))

    @rule(player=players, kind=st.sampled_from([messages.Release, messages.ReleaseAwaited]))
    def release(self, player: str, kind: type[messages.Release | messages.ReleaseAwaited]) -> None:
        self.ask(kind(player))

    @rule(player=players, old=cards, new=cards)
    def replace(self, player: str, old: str, new: str) -> None:
        self.ask(messages.Replace(player, old, new))

    @rule(player=players, mapping=st.dictionaries(cards, cards))
    def commit_map(self, player: str, mapping: dict[str, str]) -> None:
        self.ask(messages.CommitMap(player, mapping))

    @precondition(lambda self: self.tickets % 7 == 6)  # seldom, so that a game can advance first
    @rule(player=players, seed=st.integers(0, 3))
    def new_game(self, player: str, seed: int) -> None:
        self.ask(messages.NewGame(player, seed))

    @precondition(lambda self: self.tickets % 7 == 3)  # seldom
    @rule(most=st.integers(1, 3))
    def bound_scores(self, most: int) -> None:
        self.ask(messages.BoundScores(most))

    @rule(ticket=consumes(parked))
    def withdraw(self, ticket: Ticket) -> None:
        self.apply(ticket, Withdraw())

    @rule(
        command=st.sampled_from(
            [
                messages.Flip("alice", -1, 0),
                messages.Flip("alice", 0, 3),
                messages.Flip("ali ce", 0, 0),
                messages.Watch(""),
                messages.Look("zoë"),
                messages.Replace("alice", "A", ""),
                messages.Replace("alice", " ", "A"),
                messages.CommitMap("bob", {"A": "A\n"}),
                messages.NewGame("\n", 1),
                messages.Relinquish("a b"),
                messages.Relinquish("nobody"),
                messages.BoundScores(0),
            ]
        )
    )
    def nonsense(self, command: Command[object]) -> None:
        assert seen(self.board.apply(Ticket(0), command)[0]) == Out("invalid")
        assert self.model.copy().apply(0, op_of(command)) == {0: Out("invalid")}

    @precondition(lambda self: self.tickets % 5 == 4)
    @rule()
    def play_on_with_a_copy(self) -> None:
        """Waiting requests stay with the original.

        They get nothing from the copy, and the copy has no waiting requests.
        """
        self.board = self.board.copy()
        self.model.waiting.clear()
        self.model.watching.clear()
        self.client.waiting.clear()

    @invariant()
    def everybody_sees_what_the_model_says(self) -> None:
        for player in PLAYERS:
            expected = Out("view", "", self.model.version, self.model.text(player))
            assert [seen(outcome) for outcome in self.board.apply(Ticket(0), messages.Look(player))] == [expected]
        [listed] = self.board.apply(Ticket(0), messages.ListCards())
        assert seen(listed) == Out("cards", cards=self.model.cards())
        snapshot = self.snapshot(self.board)
        assert snapshot == Snapshot(
            version=self.model.version,
            rows=self.model.rows,
            columns=self.model.columns,
            cells=tuple(map(self.cell, self.model.places())),
            scores=self.model.scores,
            waiting={player: place for _, player, place in self.model.waiting},
            pairs_left=self.model.pairs_left(),
        )
        assert list(snapshot.scores) == list(self.model.scores)
        assert list(snapshot.waiting) == [player for _, player, _ in self.model.waiting]
        assert msgspec.json.decode(board_frame(snapshot), type=BoardFrame) == self.client

    def ask(self, command: Command[object]) -> Ticket:
        self.tickets += 1
        self.apply(Ticket(self.tickets), command)
        return Ticket(self.tickets)

    def apply(self, ticket: Ticket, command: Command[object]) -> None:
        """Apply a command to board and model, compare the outcomes, and update the client."""
        before = self.board.version
        outcomes = applied(self.board, ticket, command)
        answers = [outcome for outcome in outcomes if isinstance(outcome, Answered | Refused)]
        assert len({answer.ticket for answer in answers}) == len(answers)
        assert {answer.ticket: seen(answer) for answer in answers} == self.model.apply(ticket, op_of(command))
        events = tuple(outcome for outcome in outcomes if isinstance(outcome, Event))
        assert self.board.version - before == any(type(event) in CHANGES for event in events)
        self.follow(Change(self.board.version, events))

    def follow(self, change: Change) -> None:
        if needs_snapshot(change):
            self.client = msgspec.json.decode(board_frame(self.snapshot(self.board)), type=BoardFrame)
            return
        data = change_frame(change)
        if data is None:
            return
        frame = msgspec.json.decode(data, type=ChangeFrame)
        self.client.version = frame.version
        for cell in frame.cells:
            self.client.cells[cell.row * self.client.columns + cell.column] = cell.cell
        for player, pairs in frame.scores.items():
            self.client.scores.pop(player, None)
            if pairs is not None:
                self.client.scores[player] = pairs
        for player, place in frame.waiting.items():
            if place is None:
                del self.client.waiting[player]  # a client only hears of waiting players
            else:
                self.client.waiting[player] = place
        if frame.pairs_left is not None:
            self.client.pairs_left = frame.pairs_left

    def cell(self, place: Place) -> Cell:
        """The public state of a place in the model."""
        if place not in self.model.card:
            return NoCard(self.model.taken[place])
        if place not in self.model.up:
            return FaceDown()
        return FaceUp(self.model.card[place], self.model.control.get(place))

    @staticmethod
    def snapshot(board: Board) -> Snapshot:
        [outcome] = board.apply(Ticket(0), messages.TakeSnapshot())
        assert isinstance(outcome, Answered)
        assert isinstance(outcome.value, Snapshot)
        return outcome.value


TestGames = Games.TestCase
TestGames.settings = settings(max_examples=examples(60), stateful_step_count=40)


def test_the_model_tells_a_waiting_flip_from_a_granted_one() -> None:
    game = Model(1, 3, ("A", "B", "B"))
    assert game.apply(1, model.Flip("alice", 0, 0)) == {1: Out("flipped", "1-B", 1, "1x3\nmy A\ndown\ndown\n")}
    assert game.apply(2, model.Flip("bob", 0, 0)) == {}
    assert game.apply(3, model.Flip("alice", 0, 1)) == {
        3: Out("flipped", "2-E", 2, "1x3\nup A\nup B\ndown\n"),
        2: Out("flipped", "1-C", 2, "1x3\nmy A\nup B\ndown\n"),
    }


def test_a_copy_of_the_model_is_equal_until_it_is_played_on() -> None:
    game = Model(1, 2, ("A", "A"))
    game.apply(1, model.Flip("alice", 0, 0))
    branch = game.copy()
    assert branch.state() == game.state()
    branch.apply(2, model.Flip("alice", 0, 1))
    assert branch.state() != game.state()
    assert game.text("alice") == "1x2\nmy A\ndown\n"
