"""Replays of small games by `plain_narrator`, tested with `tests.support.stairs`.

Partitions:
- a command: done at once; waits; done after a wait, with the command that frees it; withdrawn; of a seat
- the content of a step: words, new scores, events and spots for the page, the end
- views: before the first move, in the game, at its end; the picture in a terminal
- saved and restored in the middle of a replay
"""

from __future__ import annotations

import pytest

from scramble.games.narration import GridLayout, Narrator, Spot, Summary
from scramble.games.plain import plain_narrator
from scramble.games.plain.narrator import PlainChange, PlainSnapshot
from scramble.games.told import English, Told, tell
from scramble.kernel.protocol import Event
from tests.support.replay.tape import Tape
from tests.support.stairs import Climbing, GaveUp, Look, Paused, Stairs, Step, Stepped, result_of


def picture_of(stairs: Stairs) -> list[list[Spot]]:
    """The stairs as one row."""
    free = [Spot("down")] * (stairs.top - len(stairs.steps))
    return [[*(Spot("disc", by=player) for player in stairs.steps), *free]]


def told_of(event: Event) -> Told:
    assert isinstance(event, Stepped | Paused | GaveUp)
    return tell(type(event).__name__, player=event.player)


ENGLISH = English({"Stepped": "{player} takes a step"})
NARRATOR = plain_narrator(Climbing(Stairs()), Look(), result_of, picture_of, told_of, ENGLISH)


@pytest.fixture
def tape() -> Tape:
    """Ann steps and waits; Bob steps, and Ann continues; Ann waits again, and gives up; Bob reaches the top."""
    tape = Tape(Climbing(Stairs(top=4)))
    for player in ("ann", "ann", "bob", "ann"):
        tape.do(Step(player))
    tape.withdraw(tape.ticket)
    tape.do(Step("bob"))
    return tape


def narrator_of(tape: Tape) -> Narrator:
    return NARRATOR(tape.recording.first)


def test_each_command_is_told_with_its_consequences(tape: Tape) -> None:
    narrator = narrator_of(tape)
    steps = [narrator.narrate(record) for record in tape.recording.records]
    told = [narrator.english.lines(step.told, step.also) for step in steps]
    assert told == [
        ["ann takes a step"],
        ["ann: Paused"],
        ["bob takes a step", "ann takes a step"],
        ["ann: Paused"],
        ["ann: GaveUp"],
        ["bob takes a step"],
    ]
    assert [(step.player, step.scores, step.over) for step in steps] == [
        ("ann", {"ann": 0}, False),
        ("ann", {}, False),
        ("bob", {"bob": 0}, False),
        ("ann", {}, False),
        (None, {}, False),
        ("bob", {"ann": 2, "bob": 2}, True),
    ]


def test_the_page_gets_the_spots_that_look_different(tape: Tape) -> None:
    narrator = narrator_of(tape)
    changes = [narrator.narrate(record).change for record in tape.recording.records]
    assert changes[2] == PlainChange(
        [(1, Spot("disc", by="bob")), (2, Spot("disc", by="ann"))],
        {"bob": 0},
    )
    assert changes[4] == PlainChange()


def test_views_before_the_first_move_and_at_the_end(tape: Tape) -> None:
    narrator = narrator_of(tape)
    assert narrator.layout() == GridLayout(1, 4)
    assert narrator.snapshot() == PlainSnapshot([Spot("down")] * 4, {}, [])
    assert narrator.caption() == ""
    for record in tape.recording.records:
        narrator.narrate(record)
    discs = [Spot("disc", by=player) for player in ("ann", "bob", "ann", "bob")]
    assert narrator.snapshot() == PlainSnapshot(discs, {"ann": 2, "bob": 2}, [(0, 1), (1, 1), (2, 1), (3, 1)])
    assert narrator.picture() == [discs]
    assert narrator.caption() == "ann 2, bob 2"
    assert narrator.summary() == Summary(("moves", "waits"), {"ann": (3, 2), "bob": (2, 0)})


def test_a_narrator_goes_on_from_where_another_was_saved(tape: Tape) -> None:
    first, second = narrator_of(tape), narrator_of(tape)
    records = tape.recording.records
    for record in records[:3]:
        first.narrate(record)
    second.resume(first.save())
    for record in records[3:]:
        assert str(second.narrate(record)) == str(first.narrate(record))
    assert (second.snapshot(), second.summary()) == (first.snapshot(), first.summary())


def test_a_state_of_another_game_is_not_narrated() -> None:
    with pytest.raises(ValueError, match=r"."):
        NARRATOR(b'{"board": 1}')
