"""The differences that events make to the public state.

Strategy: test_frames.py tests events of each kind by their frames, alone and with others of the same cell. This module
tests cases that no frame shows:

- a new game, alone and with later events: test_a_new_game_*
- no event, and events of other games: test_other_events_*
- two events of one cell, score or waiting player: the last value counts: test_the_last_*
"""

from __future__ import annotations

from scramble.kernel.protocol import Event
from scramble.memory.difference import Difference, difference_of
from scramble.memory.messages import (
    CardsReplaced,
    FaceDown,
    FaceUp,
    Joined,
    Replaced,
    Restarted,
    Scored,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)


def test_a_new_game_is_marked_and_later_events_are_differences_to_its_board() -> None:
    assert difference_of([Restarted("ann")]) == Difference(restarted=True)
    assert difference_of([Restarted("ann"), TurnedUp(0, 1, "A"), Took(0, 1, "bob", "A")]) == Difference(
        cells={(0, 1): FaceUp("A", "bob")}, restarted=True
    )


def test_other_events_make_no_difference() -> None:
    class Hailed(Event, frozen=True):
        by: str

    assert difference_of([]) == difference_of([Hailed("bob")]) == Difference()


def test_the_last_of_several_values_counts() -> None:
    new = difference_of(
        [
            Joined("ann"),
            TurnedUp(0, 0, "A"),
            Waiting(0, 0, "bob"),
            Scored("ann", 1, 4),
            CardsReplaced("cat"),
            Replaced(0, 0, "B", None),
            CardsReplaced("cat"),
            Withdrawn(0, 0, "bob"),
            TurnedDown(0, 0),
            Scored("ann", 2, 3),
        ]
    )
    assert new == Difference(
        cells={(0, 0): FaceDown()},
        waiting={"bob": None},
        scores={"ann": 2},
        pairs_left=3,
        replaced=True,
        replaced_by=["cat"],
    )
