"""Sentences about the game.

Strategy: each event alone, and a check that each event has a sentence: test_an_event_*, test_every_event_*. Sentences
about a player's move and its consequences are tested on whole games, in test_narrator.py.
"""

from __future__ import annotations

import pytest

from scramble.kernel.protocol import Event
from scramble.memory.english import event_words
from scramble.memory.messages import (
    CardsReplaced,
    Forgotten,
    Joined,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    ScoreCount,
    Scored,
    SpaceEvent,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)

EVENTS = {
    TurnedUp(0, 1, "A"): "A at 0,1 turns up",
    TurnedDown(0, 1): "the card at 0,1 turns down (3-B)",
    Removed(0, 1, "bob", "A"): "bob removes A at 0,1 (3-A)",
    Replaced(0, 1, "B", "bob"): "the card at 0,1 becomes B",
    Replaced(0, 1, None, None): "the card at 0,1 becomes another one",
    Took(0, 1, "bob", "A"): "bob takes A at 0,1",
    Relinquished(0, 1, "bob", "A"): "bob gives up A at 0,1",
    Waiting(0, 1, "bob"): "bob waits for the card at 0,1 (1-D)",
    Withdrawn(0, 1, "bob"): "bob waits no longer for the card at 0,1",
    Joined("bob"): "bob joins",
    Forgotten("bob"): "bob has no score any more",
    ScoreCount(1000): "1000 players have a score",
    Scored("bob", 2, 1): "bob has 2; pairs left: 1",
    CardsReplaced("carol"): "carol has replaced cards",
    PairsLeft(3): "pairs left: 3",
    Restarted("bob"): "bob starts a new game",
}


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_has_its_sentence(event: Event) -> None:
    assert event_words(event) == EVENTS[event]


def test_every_event_of_the_game_has_a_sentence() -> None:
    named = {kind for base in (Event, SpaceEvent) for kind in base.__subclasses__()} - {SpaceEvent}
    assert {kind for kind in named if kind.__module__ == "scramble.memory.messages"} == set(map(type, EVENTS))


def test_an_event_of_another_kind_is_shown_by_its_repr() -> None:
    class Hailed(Event, frozen=True):
        by: str

    assert "Hailed" in event_words(Hailed("bob"))
