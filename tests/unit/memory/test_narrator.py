"""Replay of Memory Scramble.

Testing strategy. A game is played on the real rules and recorded; then it is narrated.

- each rule of a flip: 1-A to 1-D, 2-A to 2-E with 2-C, 3-A, 3-B: test_each_flip_*, test_a_pair_*
- waiting: the player gets the card, waits without success, withdraws, waits several times; its duration:
  test_whoever_waits_*, test_a_waiting_*
- other commands: replace, map, new game, a withdrawn request: test_a_replacement_*, test_a_new_game_*
- secrecy: cards face down, seeds, mappings: test_nothing_*
- the page's data agrees with the board at every step: test_whole_and_changes_*
- figures: test_the_summary_*, test_a_replay_counts_*
"""

from __future__ import annotations

from collections import Counter
from typing import cast

import msgspec
import pytest

from scramble.games.table import narrators
from scramble.kernel.protocol import Answered, Command, Ticket
from scramble.memory import Board
from scramble.memory.english import ENGLISH
from scramble.memory.messages import (
    CommitMap,
    FaceUp,
    Flip,
    NewGame,
    NoCard,
    PlayerFigures,
    Relinquish,
    Replace,
    Snapshot,
    TakeFigures,
    TakeSnapshot,
)
from scramble.memory.narrator import MemoryChange, MemoryNarrator, MemorySnapshot
from scramble.replay import Replay, Step, Summary
from tests.support.replay.tape import Tape, memory, random_memory

BOARD = "2x3\nA\nB\nA\nB\nC\nC\n"
DECODER: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(Board.commands)
HIDDEN = "2x2\nsecret1\nsecret2\nsecret1\nsecret2\n"


def steps(tape: Tape) -> list[Step]:
    replay = Replay(tape.recording, narrators=narrators())
    return [replay.step() for _ in range(replay.last)]


def words(step: Step) -> str:
    """The step's sentence, in English."""
    return ENGLISH.lines(step.told, step.also)[0]


def also(step: Step) -> list[str]:
    """The sentences of the consequences, in English."""
    return ENGLISH.lines(step.told, step.also)[1:]


def flip_all(tape: Tape, *flips: tuple[str, int, int]) -> list[Step]:
    for flip in flips:
        tape.do(Flip(*flip))
    return steps(tape)


def test_each_flip_is_described_by_its_rule_and_its_card() -> None:
    shown = flip_all(
        memory(BOARD),
        ("ann", 0, 0),
        ("ann", 0, 1),
        ("bob", 0, 0),
        ("bob", 0, 2),
        ("ann", 1, 2),
        ("ann", 0, 2),
        ("bob", 1, 0),
        ("ann", 0, 0),
        ("bob", 0, 0),
    )
    assert [(step.player, step.rule, words(step)) for step in shown] == [
        ("ann", "1-B", "ann turns up A at row 1, column 1"),
        ("ann", "2-E", "ann turns up B at row 1, column 2, which does not match A at row 1, column 1"),
        ("bob", "1-C", "bob takes the face-up A at row 1, column 1"),
        ("bob", "2-D", "bob turns up A at row 1, column 3: a pair"),
        ("ann", "1-B", "ann turns up C at row 2, column 3"),
        (
            "ann",
            "2-B",
            "ann cannot have the A at row 1, column 3, which bob controls, and gives up C at row 2, column 3",
        ),
        ("bob", "1-B", "bob turns up B at row 2, column 1"),
        ("ann", "1-A", "ann finds no card at row 1, column 1"),
        ("bob", "2-A", "bob finds no card at row 1, column 1, and gives up B at row 2, column 1"),
    ]


def test_the_first_card_itself_is_named_as_such() -> None:
    shown = flip_all(memory(BOARD), ("ann", 0, 0), ("ann", 0, 0))
    assert (
        words(shown[1])
        == "ann cannot have the A at row 1, column 1, which is the first card itself, and gives up A at row 1, column 1"
    )


def test_a_pair_leaves_and_cards_turn_down_with_the_next_flip() -> None:
    shown = flip_all(
        memory(BOARD), ("ann", 0, 0), ("ann", 0, 2), ("ann", 1, 2), ("ann", 0, 1), ("bob", 0, 1), ("ann", 1, 1)
    )
    assert also(shown[2]) == ["ann's pair of A leaves the board"]
    assert shown[2].scores == {"ann": 1}
    assert also(shown[5]) == ["row 2, column 3 turns face down again"]


def test_the_last_pairs_count_once_all_are_found_and_not_twice_when_they_are_taken() -> None:
    tape = memory("1x5\nA\nA\nB\nB\nC\n")
    flips = [("ann", 0, 0), ("ann", 0, 1), ("bob", 0, 2), ("bob", 0, 3), ("ann", 0, 4), ("bob", 0, 4)]
    shown = flip_all(tape, *flips)
    assert [step.scores for step in shown] == [{"ann": 0}, {}, {"bob": 0}, {"ann": 1, "bob": 1}, {"ann": 1}, {"bob": 1}]
    replay = Replay(tape.recording, narrators=narrators())
    for seq in (4, 6):
        replay.seek(seq)
        summary = replay.narrator.summary()
        assert replay.narrator.scores() == {"ann": 1, "bob": 1}
        assert {summary.rows[player][summary.columns.index("pairs")] for player in ("ann", "bob")} == {1}


def test_a_last_pair_that_an_older_version_gave_up_counts_no_more_and_a_new_game_begins_without() -> None:
    tape = memory("1x2\nA\nA\n")
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("ann", 0, 1))
    tape.do(Relinquish("ann"))
    tape.do(Flip("bob", 0, 0))
    tape.do(Flip("bob", 0, 1))
    tape.do(NewGame("bob", 1))
    assert [step.scores for step in steps(tape)] == [
        {"ann": 0},
        {"ann": 1},
        {"ann": 0},
        {"bob": 0},
        {"bob": 1},
        {"ann": 0, "bob": 0},
    ]


def test_whoever_waits_is_named_with_the_card_and_the_time() -> None:
    tape = memory(BOARD)
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("bob", 0, 0))
    tape.do(Flip("bob", 0, 1))
    tape.do(Flip("ann", 0, 1), after=2.4)
    shown = steps(tape)
    assert (shown[1].rule, words(shown[1])) == ("1-D", "bob waits for the A at row 1, column 1, which ann controls")
    assert words(shown[2]) == "bob flips row 1, column 2 while waiting for another card: the flip is refused"
    assert shown[2].rule is None
    assert also(shown[3]) == ["bob, who waited 3.4 s, takes the A at row 1, column 1"]


def test_a_waiting_flip_that_is_called_off_is_named() -> None:
    tape = memory(BOARD)
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("bob", 0, 0))
    tape.withdraw(tape.ticket)
    tape.withdraw(1)
    shown = steps(tape)
    assert (shown[2].player, words(shown[2])) == ("bob", "bob waits no longer")
    assert words(shown[3]) == "a request is withdrawn"


def test_whoever_waits_for_a_card_that_goes_is_said_to_have_waited_in_vain() -> None:
    tape = memory(BOARD)
    for flip in (("ann", 0, 0), ("ann", 0, 2), ("bob", 0, 0), ("ann", 1, 1)):
        tape.do(Flip(*flip))
    replay = Replay(tape.recording, narrators=narrators())
    replay.seek(3)
    assert also(replay.step()) == ["ann's pair of A leaves the board", "bob waited for it in vain"]
    assert replay.narrator.summary().rows["bob"][2] == 1


def test_a_replacement_is_described_by_the_cards_that_lie_face_up() -> None:
    tape = memory(BOARD)
    tape.do(Flip("ann", 0, 0))
    tape.do(Replace("bob", "A", "Z"))
    tape.do(Replace("bob", "C", "Y"))
    tape.do(Replace("bob", "Q", "X"))
    shown = steps(tape)
    assert [words(step) for step in shown[1:]] == [
        "bob replaces 2 cards: A becomes Z",
        "bob replaces 2 cards: all of them face down",
        "bob replaces a card that is not there",
    ]


def test_a_new_game_turns_all_down_and_ends_all_waiting() -> None:
    tape = memory(BOARD)
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("bob", 0, 0))
    tape.do(NewGame("ann", 77))
    last = steps(tape)[-1]
    assert words(last) == "ann starts a new game: the cards are shuffled and lie face down"
    assert also(last) == ["bob waited in vain"]
    assert last.scores == {"ann": 0, "bob": 0}


def test_nothing_that_lay_face_down_and_no_seed_is_shown() -> None:
    tape = memory(HIDDEN)
    tape.do(NewGame("ann", 123456789))
    tape.do(Replace("ann", "secret1", "secret3"))
    tape.do(CommitMap("ann", {"secret3": "secret4", "secret2": "secret5"}))
    replay = Replay(tape.recording, narrators=narrators())
    shown = [replay.step() for _ in range(replay.last)]
    said = msgspec.json.encode([shown, replay.narrator.snapshot(), replay.narrator.layout()]).decode()
    said += replay.narrator.caption() + str(replay.narrator.picture()) + str(replay.narrator.summary())
    assert "secret" not in said
    assert "123456789" not in said


@pytest.mark.parametrize("scores", [2, None])
def test_whole_and_changes_agree_with_the_board_at_every_step(scores: int | None) -> None:
    tape = random_memory(1000, seed=3, size=(4, 4), players=4, scores=scores)
    board = Board.restore(tape.recording.first)
    replay = Replay(tape.recording, narrators=narrators())
    seen = _Seen()
    decoder = msgspec.json.Decoder(board.commands)
    for record in tape.records:
        board.apply(record.ticket, decoder.decode(record.command))
        change = replay.step().change
        assert isinstance(change, MemoryChange)
        seen.apply(change)
        (answer,) = board.apply(Ticket(-2), TakeSnapshot())
        assert isinstance(answer, Answered)
        assert isinstance(answer.value, Snapshot)
        assert seen.like(answer.value), record
        whole = replay.narrator.snapshot()
        assert isinstance(whole, MemorySnapshot)
        assert (seen.cells, seen.waiting, seen.scores) == (
            {index: (card, by) for index, card, by in whole.cells},
            whole.waiting,
            whole.scores,
        )


def test_the_summary_counts_everything_once() -> None:
    replay = Replay(random_memory(1000, seed=5).recording, narrators=narrators())
    replay.seek(replay.last)
    summary = replay.narrator.summary()
    flips = sum(figures(summary, "flips"))
    whole = replay.narrator.snapshot()
    assert isinstance(whole, MemorySnapshot)
    assert flips == sum(times for _, times in whole.heat)
    assert summary.columns == (
        "flips",
        "matches",
        "no_card",
        "no_second",
        "second_held",
        "waits",
        "waited",
        "longest",
        "pairs",
        "turns",
        "streak",
        "memory",
    )
    assert 0 < sum(figures(summary, "pairs")) <= sum(figures(summary, "matches"))


def figures(summary: Summary, column: str) -> list[int]:
    """The figures of this column, one for each player."""
    return [cast(int, row[summary.columns.index(column)]) for row in summary.rows.values()]


def test_a_replay_counts_the_figures_of_the_game_also_from_where_it_was_saved() -> None:
    tape = random_memory(300, seed=3)
    board = Board.restore(tape.recording.first)
    saved = MemoryNarrator(tape.recording.first)
    for record in tape.recording.records:
        narrator = MemoryNarrator(tape.recording.first)
        narrator.resume(saved.save())
        narrator.narrate(record)
        saved = narrator
        board.apply(record.ticket, DECODER.decode(record.command))
    [answer] = board.apply(Ticket(-1), TakeFigures())
    assert isinstance(answer, Answered)
    figures = cast(dict[str, PlayerFigures], answer.value)
    summary = saved.summary()
    assert {player: row[-3:] for player, row in summary.rows.items()} == {
        player: (one.turns, one.streak, one.memory) for player, one in figures.items()
    }
    assert any(one.memory > 1 for one in figures.values())


class _Seen:
    """A page's state, made only from changes."""

    def __init__(self) -> None:
        self.cells: dict[int, tuple[str | None, str | None]] = {}
        self.waiting: dict[str, int] = {}
        self.scores: dict[str, int] = {}

    def apply(self, change: MemoryChange) -> None:
        if change.restart:
            self.cells, self.waiting, self.scores = {}, {}, dict.fromkeys(self.scores, 0)
        for cell in change.cells:
            if len(cell) == 1:
                del self.cells[cell[0]]
            else:
                self.cells[cell[0]] = cell[1:]
        for player, index in change.waiting.items():
            if index is None:
                del self.waiting[player]
            else:
                self.waiting[player] = index
        for player, pairs in change.scores.items():
            self.scores.pop(player, None)
            if pairs is not None:
                self.scores[player] = pairs

    def like(self, snapshot: Snapshot) -> bool:
        cells: dict[int, tuple[str | None, str | None]] = {}
        for index, cell in enumerate(snapshot.cells):
            if isinstance(cell, NoCard):
                cells[index] = (None, cell.by)
            elif isinstance(cell, FaceUp):
                cells[index] = (cell.card, cell.by)
        waiting = {player: row * snapshot.columns + column for player, (row, column) in snapshot.waiting.items()}
        held = Counter(cell.by for cell in snapshot.cells if isinstance(cell, FaceUp) and cell.by is not None)
        matched = {player for player, count in held.items() if count == 2}
        last = matched if len(matched) == snapshot.pairs_left else set()
        scores = {player: pairs + (player in last) for player, pairs in snapshot.scores.items()}
        return (self.cells, self.waiting, self.scores) == (cells, waiting, scores)
