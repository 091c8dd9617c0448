"""Fold of the events of a change into the difference in the public state.

The WebSocket's `change` frame (`scramble.memory.frames`) and the replay's data are both made of it. Pure.
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
    """The new values after a change. Everything that is absent, None or False is unchanged.

    `cells` has the new cell by (row, column). `waiting` has the (row, column) that each player now waits for, None for
    a player who no longer waits. `scores` has the pairs of each player, None for one who no longer has a score.
    `replaced` says that a card was replaced; if it lay face down, not even its place is public, and it is not in
    `cells`. `replaced_by` has each player who replaced cards, once. `restarted` says that before everything else all
    cards were turned down, nobody waited, and all scores were 0.
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
    """Return the difference between before the first event and after the last one. Ignores events of other games.

    The events may be those of several commands, in order; but a new game must be the first of them.
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
                if (row, column) in relinquished:  # only a player who waited for the card can take it in this change
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
