"""Seeking to any step of a recording, and the errors of recordings that cannot be replayed.

Testing strategy.

- places: the beginning, the end, at a snapshot, just before it, just after it; forwards, backwards, the current step;
  for each game, seeking gives the same state as playing forwards: test_seeking_*
- snapshots: more than the budget: test_snapshots_*
- bad recordings: an unknown kind, a bad first state, a bad command; a step that does not exist:
  test_what_cannot_be_replayed_*
- the table of games: a table other than the default: test_only_the_games_of_the_table_*
"""

from __future__ import annotations

import random

import msgspec
import pytest

from scramble.games.table import narrators
from scramble.journal.recorder import Record, Recording
from scramble.kernel.protocol import Ticket
from scramble.replay import Replay, ReplayError
from tests.support.replay.tape import BEGAN, PUZZLE, Talk, memory, random_memory, random_minesweeper

EVERY = 50


def played_talk() -> Recording:
    talk = Talk(PUZZLE)
    for number in range(12):
        talk.open("ann")
        talk.say("ann", f"ann{number}")
        talk.open("bob")
        talk.say("bob", f"bob{number}")
        talk.say("ann", f'NEW m{number} mini "again"')
        talk.say("bob", f"PLAY m{number}")
        talk.say("ann", "TRY 1 cot")
        talk.say("bob", "CHALLENGE 1 cat")
        if number % 2:
            talk.leave("ann")
        else:
            talk.say("bob", "TRY 2 mat")
    return talk.tape.recording


@pytest.mark.parametrize(
    "recording",
    [random_memory(400, seed=4).recording, random_minesweeper(300, seed=4).recording, played_talk()],
    ids=["memory", "minesweeper", "crossword"],
)
def test_seeking_leads_to_where_playing_forwards_does(recording: Recording) -> None:
    forwards = Replay(recording, every=EVERY, narrators=narrators())
    seen = [_all_of(forwards)]
    shown = []
    while forwards.at < forwards.last:
        shown.append(forwards.step())
        seen.append(_all_of(forwards))
    rng = random.Random(1)
    places = [0, 1, EVERY - 1, EVERY, EVERY + 1, EVERY, 0, forwards.last, forwards.last, 2 * EVERY]
    places += [rng.randrange(forwards.last + 1) for _ in range(30)]
    for replay in (Replay(recording, every=EVERY, narrators=narrators()), forwards):
        for seq in places:
            replay.seek(seq)
            assert replay.at == seq
            assert _all_of(replay) == seen[seq]
            if seq < replay.last:
                assert replay.step() == shown[seq]


def test_snapshots_are_thinned_out_when_they_take_too_much_room() -> None:
    recording = random_memory(800, seed=6).recording
    roomy, tight = (
        Replay(recording, every=20, narrators=narrators()),
        Replay(recording, every=20, budget=20_000, narrators=narrators()),
    )
    for seq in (800, 3, 410, 799, 0, 20):
        roomy.seek(seq)
        tight.seek(seq)
        assert _all_of(roomy) == _all_of(tight)


def test_what_cannot_be_replayed_is_an_error_of_one_line() -> None:
    good = memory("1x2\nA\nA\n").recording
    for recording in (
        msgspec.structs.replace(good, kind="chess"),
        msgspec.structs.replace(good, first=b"{}"),
        msgspec.structs.replace(good, first=b"not JSON"),
    ):
        with pytest.raises(ReplayError) as error:
            Replay(recording, narrators=narrators())
        assert "\n" not in str(error.value)
    for command in (b'{"type":"Castle"}', b"[]", b'{"type":"Flip"}'):
        bad = msgspec.structs.replace(good, records=(Record(1, Ticket(1), BEGAN, command, 0),))
        with pytest.raises(ReplayError, match="command 1 cannot be read"):
            Replay(bad, narrators=narrators()).step()


def test_only_the_games_of_the_table_can_be_replayed() -> None:
    recording = memory("1x2\nA\nA\n").recording
    renamed = msgspec.structs.replace(recording, kind="pairs")
    assert Replay(renamed, narrators={"pairs": narrators()["memory"]}).narrator.kind == "memory"
    with pytest.raises(ReplayError, match="but the known games are pairs"):
        Replay(recording, narrators={"pairs": narrators()["memory"]})


def test_there_is_no_place_before_the_beginning_or_behind_the_end() -> None:
    replay = Replay(memory("1x2\nA\nA\n").recording, narrators=narrators())
    replay.seek(0)
    for seq in (-1, 1):
        with pytest.raises(ValueError, match="there is no command"):
            replay.seek(seq)


def _all_of(replay: Replay) -> tuple[object, ...]:
    narrator = replay.narrator
    return (
        narrator.snapshot(),
        narrator.layout(),
        narrator.scores(),
        narrator.picture(),
        narrator.caption(),
        narrator.summary(),
    )
