"""Difference in the public state, computed from the events of a change. Pure.

The WebSocket's `change` frame (`scramble.memory.frames`) and the replay's data are made from this difference.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scramble.kernel.protocol import Event
from scramble.memory.messages import (
    CardsReplaced,
    Cell,
    FaceDown,
    FaceUp,
    Forgotten,
    Joined,
    NoCard,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    ScoreCount,
    Scored,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)


class Difference(msgspec.Struct):
    """New values after a change. Absent values, None and False mean unchanged.

    `cells` maps (row, column) to the new cell. `waiting` maps each player to the awaited (row, column), or to None if
    the player no longer waits. `scores` maps each player to the number of pairs, or to None if the player no longer has
    a score. `replaced` is True if a card was replaced. The place of a replaced face-down card is not public, so the
    card is not in `cells`. `replaced_by` has each player who replaced cards, without repetition. `restarted` is True if
    a new game began before all other events. Then all cards are face down, no player waits, and all scores are 0.
    """

    cells: dict[tuple[int, int], Cell] = {}
    waiting: dict[str, tuple[int, int] | None] = {}
    scores: dict[str, int | None] = {}
    pairs_left: int | None = None
    score_count: int | None = None
    replaced: bool = False
    replaced_by: list[str] = []
    restarted: bool = False


def difference_of(events: Iterable[Event]) -> Difference:
    """Return the difference between the state before the first event and the state after the last event.

    Ignores unknown events.

    The events may come from several commands, in order. A new game is allowed only as the first event.
    """
    new = Difference()
    relinquished: set[tuple[int, int]] = set()
    for event in events:
        match event:
            case TurnedUp(row, column, card):
                new.cells[row, column] = FaceUp(card, None)
            case TurnedDown(row, column):
                new.cells[row, column] = FaceDown()
            case Removed(row, column, player, _):
                new.cells[row, column] = NoCard(player)
            case Replaced(row, column, card, by):
                new.replaced = True
                if card is not None:
                    new.cells[row, column] = FaceUp(card, by)
            case CardsReplaced(player) if player not in new.replaced_by:
                new.replaced_by.append(player)
            case Took(row, column, player, card):
                new.cells[row, column] = FaceUp(card, player)
                if (row, column) in relinquished:  # only a waiting player can take the card in this change
                    new.waiting[player] = None
            case Relinquished(row, column, player, card):
                new.cells[row, column] = FaceUp(card, None)
                relinquished.add((row, column))
            case Waiting(row, column, player):
                new.waiting[player] = (row, column)
            case Withdrawn(row, column, player):
                new.waiting[player] = None
            case Joined(player):
                new.scores[player] = 0
            case Forgotten(player):
                new.scores[player] = None
            case ScoreCount(count):
                new.score_count = count
            case Scored(player, pairs, pairs_left):
                new.scores[player] = pairs
                new.pairs_left = pairs_left
            case PairsLeft(pairs_left):
                new.pairs_left = pairs_left
            case Restarted():
                new.restarted = True
    return new
