"""Replay of Minesweeper.

Testing strategy. A game is played on the real rules and recorded; then it is narrated.

- moves: a dig that opens one square, a flood, a bomb, nothing; outside the field; a flag that is set, taken away,
  without effect; by a player, by the embedding program: test_each_move_*
- chords: with bombs, without effect: test_a_chord_*
- the end, when all squares without a bomb are dug: test_the_step_*
- players who come and leave; figures by name over several connections: test_a_player_who_comes_back_*
- secrecy: the replay does not show a bomb before it explodes: test_two_fields_that_look_alike_*
- the page's data agrees with the field at every step: test_lines_and_runs_*
"""

from __future__ import annotations

import msgspec

from scramble.games.table import narrators
from scramble.minesweeper import Field
from scramble.minesweeper.english import ENGLISH
from scramble.minesweeper.messages import Chord, Connect, Deflag, Dig, Disconnect, Flag
from scramble.minesweeper.narrator import MinesweeperChange, MinesweeperSnapshot
from scramble.replay import Replay, Step
from tests.support.replay.tape import Tape, minesweeper, random_minesweeper

# Bombs at the right:
#   0 0 0 1 *
#   0 0 0 2 2
#   0 0 0 1 *
FIELD = "5 3\n0 0 0 0 1\n0 0 0 0 0\n0 0 0 0 1\n"


def steps(tape: Tape) -> list[Step]:
    replay = Replay(tape.recording, narrators=narrators())
    return [replay.step() for _ in range(replay.last)]


def words(step: Step) -> str:
    """The step's sentences, in English."""
    (line,) = ENGLISH.lines(step.told, step.also)
    return line


def test_each_move_is_described_by_its_rule_and_what_it_opened() -> None:
    tape = minesweeper(FIELD)
    tape.do(Connect("ann"))
    for move in (Flag(3, 0, 1), Flag(3, 0, 1), Deflag(3, 0, 1), Deflag(3, 0, 1), Dig(3, 0, 1), Dig(0, 0, 1)):
        tape.do(move)
    for move in (Dig(9, 9, 1), Dig(4, 0, 1), Dig(0, 0), Dig(4, 2)):
        tape.do(move)
    tape.withdraw(1)
    assert [(step.player, step.rule, words(step)) for step in steps(tape)] == [
        ("ann", None, "ann joins"),
        ("ann", "FLAG 2", "ann flags column 4, row 1"),
        ("ann", "FLAG 1", "ann flags column 4, row 1, where there is nothing to flag"),
        ("ann", "DEFLAG 2", "ann takes the flag at column 4, row 1 away"),
        ("ann", "DEFLAG 1", "ann deflags column 4, row 1, where there is nothing to deflag"),
        ("ann", "DIG 2", "ann digs column 4, row 1, and opens 1 square"),
        ("ann", "DIG 4", "ann digs column 1, row 1, and opens 11 squares"),
        ("ann", "DIG 1", "ann digs column 10, row 10, where there is nothing to dig"),
        ("ann", "DIG 3", "BOOM! ann digs up a bomb at column 5, row 1, and opens 2 squares"),
        ("the program", "DIG 1", "the program digs column 1, row 1, where there is nothing to dig"),
        ("the program", "DIG 3", "BOOM! the program digs up a bomb at column 5, row 3"),
        (None, None, "a request is withdrawn"),
    ]


def test_a_chord_is_described_with_all_bombs_that_it_dug_up() -> None:
    tape = minesweeper("4 3\n1 1 0 0\n0 0 0 0\n0 0 0 0\n")
    for command in (Connect("ann"), Dig(1, 1, 1), Flag(0, 0, 1), Flag(2, 0, 1), Chord(1, 1, 1), Chord(3, 0, 1)):
        tape.do(command)
    told = steps(tape)
    assert [(step.rule, words(step)) for step in told[4:]] == [
        ("CHORD", "BOOM! ann digs up a bomb by a chord at column 2, row 2, and opens 9 squares"),
        ("CHORD 1", "ann chords column 4, row 1, where there is nothing to chord"),
    ]
    change = told[4].change
    assert isinstance(change, MinesweeperChange)
    assert (change.dig, change.booms, change.scores) == (5, (1,), {"ann": 10})
    replay = Replay(tape.recording, narrators=narrators())
    replay.seek(replay.last)
    summary = replay.narrator.summary()
    assert summary.rows["ann"][summary.columns.index("chords")] == 2


def test_the_step_that_clears_the_field_ends_a_game_for_points() -> None:
    field = Field.parse("2 1\n0 1\n")
    field.keep_scores()
    tape = Tape(field)
    for command in (Connect("ann"), Flag(1, 0, 1), Dig(0, 0, 1), Deflag(1, 0, 1)):
        tape.do(command)
    told = steps(tape)
    assert [step.over for step in told] == [False, False, True, False]
    assert words(told[2]) == "ann digs column 1, row 1, and opens 1 square, and the last square without a bomb is open"


def test_a_player_who_comes_back_after_a_boom_is_the_same_in_the_figures() -> None:
    tape = minesweeper(FIELD)
    tape.do(Connect("ann"))
    tape.do(Dig(4, 0, 1))
    tape.do(Disconnect(1))
    tape.do(Disconnect(1))
    tape.do(Connect("ann"))
    tape.do(Dig(4, 2, 2))
    tape.do(Connect())
    replay = Replay(tape.recording, narrators=narrators())
    shown = [words(replay.step()) for _ in range(replay.last)]
    assert shown[2:5] == ["ann leaves", "ann has left already", "ann joins"]
    assert shown[-1] == "telnet 3 joins"
    summary = replay.narrator.summary()
    assert dict(zip(summary.columns, summary.rows["ann"], strict=True)) == {
        "digs": 2,
        "opened": 15,
        "booms": 2,
        "flags": 0,
        "deflags": 0,
        "idle": 0,
    }


def test_two_fields_that_look_alike_are_shown_alike_wherever_their_bombs_are() -> None:
    said = []
    for text in ("4 1\n0 1 0 1\n", "4 1\n0 1 1 0\n"):
        tape = minesweeper(text)
        tape.do(Connect("ann"))
        tape.do(Flag(3, 0, 1))
        tape.do(Dig(0, 0, 1))
        replay = Replay(tape.recording, narrators=narrators())
        shown = [replay.step() for _ in range(replay.last)]
        said.append((shown, replay.narrator.snapshot(), replay.narrator.picture(), replay.narrator.caption()))
    assert said[0] == said[1]


def test_lines_and_runs_agree_with_the_field_at_every_step() -> None:
    tape = random_minesweeper(600, seed=2, size=(9, 7))
    field = Field.restore(tape.recording.first)
    replay = Replay(tape.recording, narrators=narrators())
    whole = replay.narrator.snapshot()
    assert isinstance(whole, MinesweeperSnapshot)
    lines = [list(line) for line in whole.lines]
    scores: dict[str, int] = {}
    decoder = msgspec.json.Decoder(field.commands)
    booms = 0
    for record in tape.records:
        field.apply(record.ticket, decoder.decode(record.command))
        change = replay.step().change
        assert isinstance(change, MinesweeperChange)
        for x, y, shown in change.runs:
            lines[y][x : x + len(shown)] = shown
        scores |= change.scores
        booms += change.boom
        expected = field.snapshot()
        assert tuple("".join(line) for line in lines) == expected.lines
        now = replay.narrator.snapshot()
        assert isinstance(now, MinesweeperSnapshot)
        assert now.lines == expected.lines
        assert now.here == len(expected.players)
        assert now.scores == scores
    summary = replay.narrator.summary()
    assert booms == sum(int(row[summary.columns.index("booms")] or 0) for row in summary.rows.values()) > 0
    closed = sum(line.count("-") + line.count("F") for line in field.snapshot().lines)
    assert sum(scores.values()) == 9 * 7 - closed
