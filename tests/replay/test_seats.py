"""Seats retold.

Testing strategy. A seat taken for the first time, again by its holder, by somebody else; moves between; a game that
begins with seats; going back to before one was taken; no hash anywhere: one test each.
"""

from __future__ import annotations

import msgspec

from scramble.memory import Board
from scramble.memory.messages import Flip
from scramble.replay import Replay
from scramble.seats import Seated, TakeSeat, hash_of
from tests.replay.tape import Tape

ANN, BOB = hash_of("ann's secret"), hash_of("bob's secret")


def seated() -> Tape:
    rules: Seated[Board] = Seated(Board.parse("1x2\nA\nA\n"))
    tape = Tape(rules)
    tape.do(TakeSeat("ann", ANN))
    tape.do(Flip("ann", 0, 0))
    tape.do(TakeSeat("ann", ANN))
    tape.do(TakeSeat("ann", BOB))
    tape.do(TakeSeat("bob", BOB))
    return tape


WORDS = [
    "ann took the seat",
    "ann turns up A at 0,0",
    "ann took the seat",
    "somebody asks for the seat of ann, and does not get it",
    "bob took the seat",
]


def test_who_took_which_seat_is_told_between_the_moves() -> None:
    replay = Replay(seated().recording)
    assert [replay.step().words for _ in range(replay.last)] == WORDS


def test_a_replay_goes_back_to_before_a_seat_was_taken() -> None:
    replay = Replay(seated().recording)
    replay.seek(5)
    replay.seek(0)
    assert [replay.step().words for _ in range(replay.last)] == WORDS


def test_a_game_may_begin_with_seats_that_are_taken() -> None:
    before = seated()
    tape = Tape(Seated(Board.parse("1x2\nA\nA\n")).restore(before.rules.state()))
    tape.do(TakeSeat("bob", ANN))
    tape.do(Flip("ann", 0, 1))
    replay = Replay(tape.recording)
    assert [replay.step().words for _ in range(replay.last)] == [
        "somebody asks for the seat of bob, and does not get it",
        "ann turns up A at 0,1: a pair",
    ]


def test_no_holder_is_told() -> None:
    replay = Replay(seated().recording)
    said: list[object] = [replay.teller.frame()]
    while replay.at < replay.last:
        said += [replay.step(), replay.teller.whole(), replay.teller.caption(), replay.teller.summary()]
    text = msgspec.json.encode(said).decode()
    assert ANN not in text
    assert BOB not in text
