"""Replay of seats.

Testing strategy. One test for each of these cases:

- a seat is taken for the first time, again by its holder, by another holder
- a seat is claimed; it is claimed again by another holder after it was given up; it is handed over, and then taken by
  the new holder and by the earlier one
- there are moves between the changes of seats; a game begins with seats
- the replay goes back to a step before a seat was taken
- display names: up to the limit, over the limit
- the replay contains no hash
"""

from __future__ import annotations

import gzip

import msgspec
import pytest

from scramble.games.table import narrators
from scramble.journal.recorder import Recording
from scramble.memory import Board
from scramble.memory.messages import Flip
from scramble.players import seats
from scramble.players.seats import ClaimSeat, HandOverSeat, Seated, TakeSeat, hash_of
from scramble.replay import Replay
from scramble.replay.reel import Overview, Reel
from scramble.replay.seats import MOST_RECORDED_NAMES
from tests.support.replay.tape import Tape

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


def told(replay: Replay) -> list[str]:
    """The sentences of the rest of the recording, in English."""
    return [replay.narrator.english.sentence(replay.step().told) for _ in range(replay.at, replay.last)]


WORDS = [
    "ann took the seat",
    "ann turns up A at row 1, column 1",
    "ann took the seat",
    "somebody asks for the seat of ann, and does not get it",
    "bob took the seat",
]


def test_who_took_which_seat_is_shown_between_the_moves() -> None:
    replay = Replay(seated().recording, narrators=narrators())
    assert told(replay) == WORDS


def test_a_replay_goes_back_to_before_a_seat_was_taken() -> None:
    replay = Replay(seated().recording, narrators=narrators())
    replay.seek(5)
    replay.seek(0)
    assert told(replay) == WORDS


def test_a_game_may_begin_with_seats_that_are_taken() -> None:
    before = seated()
    tape = Tape(Seated(Board.parse("1x2\nA\nA\n")).restore(before.rules.state()))
    tape.do(TakeSeat("bob", ANN))
    tape.do(Flip("ann", 0, 1))
    replay = Replay(tape.recording, narrators=narrators())
    assert told(replay) == [
        "somebody asks for the seat of bob, and does not get it",
        "ann turns up A at row 1, column 2: a pair",
    ]


def test_a_seat_that_was_given_up_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 1)
    rules: Seated[Board] = Seated(Board.parse("1x2\nA\nA\n"))
    tape = Tape(rules)
    for player, holder in (("ann", ANN), ("bob", BOB), ("ann", BOB)):
        tape.do(ClaimSeat(player, holder))
    replay = Replay(tape.recording, narrators=narrators())
    words = told(replay)
    assert words == ["ann took the seat", "bob took the seat", "ann took the seat"]


@pytest.mark.parametrize("command", [TakeSeat, ClaimSeat])
def test_no_holder_is_shown(command: type[TakeSeat | ClaimSeat]) -> None:
    tape = seated()
    tape.do(command("carl", ANN))
    replay = Replay(tape.recording, narrators=narrators())
    said: list[object] = [replay.narrator.layout()]
    while replay.at < replay.last:
        said += [replay.step(), replay.narrator.snapshot(), replay.narrator.caption(), replay.narrator.summary()]
    text = msgspec.json.encode(said).decode()
    assert ANN not in text
    assert BOB not in text


def test_a_seat_that_is_handed_over_belongs_to_its_new_holder() -> None:
    rules: Seated[Board] = Seated(Board.parse("1x2\nA\nA\n"))
    tape = Tape(rules)
    tape.do(ClaimSeat("ann", ANN, "Ann", "ann"))
    tape.do(HandOverSeat("ann", ANN, BOB))
    tape.do(TakeSeat("ann", BOB))
    tape.do(TakeSeat("ann", ANN))
    replay = Replay(tape.recording, narrators=narrators())
    words = told(replay)
    assert words == [
        "ann took the seat",
        "ann goes on with another device",
        "ann took the seat",
        "somebody asks for the seat of ann, and does not get it",
    ]
    replay.seek(0)
    assert told(replay) == words


def test_a_reel_has_the_display_names_of_seats_taken_before_and_during_the_recording() -> None:
    before: Seated[Board] = Seated(Board.parse("1x2\nA\nA\n"))
    Tape(before).do(ClaimSeat("player", ANN, "דוד", "דוד"))
    tape = Tape(before)
    tape.do(ClaimSeat("bot_Sofia", BOB, "bot Sofia", "botsofia"))
    tape.do(ClaimSeat("carl", BOB, "carl", "carl"))
    assert names_in(tape.recording) == {"player": "דוד", "bot_Sofia": "bot Sofia"}


def test_a_reel_has_the_first_display_names_alone_if_there_are_very_many() -> None:
    before: Seated[Board] = Seated(Board.parse("1x2\nA\nA\n"))
    tape = Tape(before)
    for number in range(MOST_RECORDED_NAMES + 2):
        tape.do(ClaimSeat(f"p{number}", ANN, f"P {number}", f"p{number}"))
    assert list(names_in(tape.recording)) == [f"p{number}" for number in range(MOST_RECORDED_NAMES)]


def names_in(recording: Recording) -> dict[str, str]:
    reel = Reel(recording.kind, recording.name, recording.began, recording.first, narrators=narrators())
    for record in recording.records:
        reel.add(record)
    return msgspec.json.decode(gzip.decompress(reel.overview()), type=Overview).names
