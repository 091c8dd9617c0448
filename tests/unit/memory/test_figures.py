"""The figures of a game: how well players have remembered.

Strategy: each definition of docs/reference/memory-rules.md in its own game; figures that start again, and unknown
figures; random games of three players, who flip and relinquish cards. In random games a naive second count agrees after
each command. The second count starts from the beginning each time, and uses the answers and the boards.
"""

from __future__ import annotations

import random

import pytest

from scramble.kernel.protocol import Answered, Command, Refused, Ticket
from scramble.memory.board import Board
from scramble.memory.messages import (
    BoundScores,
    FaceDown,
    Flip,
    Flipped,
    NewGame,
    PlayerFigures,
    Relinquish,
    RelinquishAwaited,
    Replace,
    Snapshot,
    TakeFigures,
    TakeSnapshot,
)

ROW = "1x8\nA\nB\nA\nB\nC\nD\nC\nD\n"


class Play:
    """A game that gives each command a fresh ticket."""

    def __init__(self, text: str) -> None:
        self.board = Board.parse(text)
        self.tickets = 0

    def do(self, command: Command[object]) -> object:
        self.tickets += 1
        for outcome in self.board.apply(Ticket(self.tickets), command):
            if isinstance(outcome, Answered | Refused) and outcome.ticket == self.tickets:
                return outcome.value if isinstance(outcome, Answered) else outcome.error
        return None

    def turn(self, player: str, *columns: int) -> None:
        for column in columns:
            self.do(Flip(player, 0, column))

    def figures(self) -> dict[str, PlayerFigures]:
        found = self.do(TakeFigures())
        assert isinstance(found, dict)
        return found


@pytest.fixture
def play() -> Play:
    return Play(ROW)


def test_a_turn_is_a_pair_or_a_second_card_turned_up(play: Play) -> None:
    play.turn("ann", 0)
    assert play.figures() == {"ann": PlayerFigures()}
    play.turn("ann", 1)
    assert play.figures() == {"ann": PlayerFigures(turns=1)}
    play.turn("ann", 4, 6)
    assert play.figures()["ann"] == PlayerFigures(turns=2, found=1, streak=1)


def test_a_failed_second_card_or_a_face_up_unlike_one_is_no_turn(play: Play) -> None:
    play.turn("ann", 0, 0)  # 2-B
    play.turn("bob", 4, 5)  # both stay face up
    play.turn("ann", 1, 4)  # 2-E, with a face-up card
    assert play.figures() == {"ann": PlayerFigures(), "bob": PlayerFigures(turns=1)}


def test_a_streak_ends_with_a_miss_and_the_longest_one_counts() -> None:
    play = Play("1x10\nA\nA\nB\nB\nC\nD\nC\nD\nE\nE\n")
    play.turn("ann", 0, 1, 2, 3, 4, 5, 8, 9)
    assert play.figures()["ann"] == PlayerFigures(turns=4, found=3, streak=2)


def test_memory_counts_the_turns_of_all_since_the_card_was_turned_down(play: Play) -> None:
    play.turn("ann", 0, 1)  # A, B: turned down by the next flip, after 1 turn
    play.turn("ann", 4, 5)
    play.turn("bob", 3, 7)
    play.turn("ann", 2, 0)  # A again: the 4th turn
    assert play.figures()["ann"] == PlayerFigures(turns=3, found=1, streak=1, memory=3)


def test_the_very_next_turn_is_a_memory_of_one(play: Play) -> None:
    play.turn("ann", 0, 1)
    play.turn("ann", 2, 0)
    assert play.figures()["ann"].memory == 1


def test_luck_is_no_memory_nor_is_a_face_up_card(play: Play) -> None:
    play.turn("ann", 0, 2)  # never seen
    play.turn("bob", 4, 1)  # both stay face up
    play.turn("ann", 3, 1)
    assert play.figures()["ann"] == PlayerFigures(turns=2, found=2, streak=2)


def test_a_player_has_not_seen_cards_from_before_joining(play: Play) -> None:
    play.turn("ann", 0, 1, 4, 5)
    play.turn("bob", 2, 0)
    assert play.figures()["bob"].memory == 0


def test_a_replaced_card_was_not_seen(play: Play) -> None:
    play.turn("ann", 0, 1)
    play.turn("ann", 4, 5)
    play.do(Replace("bob", "A", "Z"))
    play.turn("ann", 2, 0)
    assert play.figures()["ann"] == PlayerFigures(turns=3, found=1, streak=1)


def test_a_new_game_resets_all_figures(play: Play) -> None:
    play.turn("ann", 0, 1, 2, 0)
    play.do(NewGame("bob", 1))
    assert play.figures() == {"ann": PlayerFigures()}


def test_a_forgotten_player_has_no_figures() -> None:
    play = Play(ROW)
    play.turn("ann", 0, 1)
    play.turn("bob", 4, 6, 5)
    play.do(BoundScores(1))
    assert play.figures() == {"bob": PlayerFigures(turns=1, found=1, streak=1)}


def test_figures_are_no_part_of_the_state_so_a_restored_game_has_none(play: Play) -> None:
    assert Board.restore(play.board.state()).apply(Ticket(1), TakeFigures()) == [Answered(Ticket(1), {})]
    play.turn("ann", 0, 1)
    assert Board.restore(play.board.state()).apply(Ticket(1), TakeFigures()) == [Answered(Ticket(1), None)]
    copy = play.board.copy()
    play.turn("ann", 4, 6)
    assert copy.apply(Ticket(1), TakeFigures()) == [Answered(Ticket(1), {"ann": PlayerFigures(turns=1)})]


# --- against a second count --------------------------------------------------------------------------


class Naive:
    """A new count from the whole past: all turns, the turn after which each card turned down, and when players came."""

    def __init__(self) -> None:
        self.turns: list[tuple[str, bool, int | None]] = []  # player, pair, turn at which the card was last seen
        self.down_since: dict[int, int] = {}
        self.came: dict[str, int] = {}

    def saw(self, before: Snapshot, after: Snapshot, turns: int) -> None:
        for index, (old, new) in enumerate(zip(before.cells, after.cells, strict=True)):
            if isinstance(new, FaceDown) and not isinstance(old, FaceDown):
                self.down_since[index] = turns
        for player in after.scores:
            self.came.setdefault(player, turns)

    def figures(self) -> dict[str, PlayerFigures]:
        found = {}
        for player, came in self.came.items():
            own = [(number, pair, seen) for number, (who, pair, seen) in enumerate(self.turns) if who == player]
            streaks = "".join("x" if pair else " " for _, pair, _ in own).split()
            memories = [number - seen + 1 for number, pair, seen in own if pair and seen is not None and seen >= came]
            found[player] = PlayerFigures(
                len(own), sum(pair for _, pair, _ in own), max(map(len, streaks), default=0), max(memories, default=0)
            )
        return found


@pytest.mark.parametrize("seed", range(10))
def test_random_games_have_the_figures_of_a_naive_count(seed: int) -> None:
    chance = random.Random(seed)
    play, naive = Play("3x4\n" + "".join(f"{card}\n" for card in chance.sample("AABBCCDDEEFF", 12))), Naive()
    for _ in range(120):
        player = chance.choice(["ann", "bob", "cat"])
        before = play.do(TakeSnapshot())
        assert isinstance(before, Snapshot)
        command: Command[object] = Flip(player, chance.randrange(3), chance.randrange(4))
        if chance.random() < 0.1:
            command = chance.choice([Relinquish(player), RelinquishAwaited(player), Relinquish("bob")])
        answer = play.do(command)
        after = play.do(TakeSnapshot())
        assert isinstance(after, Snapshot)
        naive.saw(before, after, len(naive.turns))
        if isinstance(command, Flip) and isinstance(answer, Flipped):
            index = command.row * 4 + command.column
            was_down = isinstance(before.cells[index], FaceDown)
            if answer.rule == "2-D" or (answer.rule == "2-E" and was_down):
                seen = naive.down_since.get(index) if was_down else None
                naive.turns.append((player, answer.rule == "2-D", seen))
        assert play.figures() == naive.figures()
