"""Effects of the commands of a recorded game of Memory Scramble, as codes with params. Pure.

The result names a card only if it was face up at that time and place. So it has only data that were public at that
time. Rows and columns are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from scramble.games.told import Told, tell
from scramble.kernel.protocol import Answered, Event, Refused
from scramble.memory.messages import (
    Flip,
    FlipFailed,
    Flipped,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    SpaceEvent,
    Took,
    TurnedDown,
    TurnedUp,
    Withdrawn,
)

FAILURES: Final = {"1-A": "no_card", "2-A": "no_second", "2-B": "second_held"}
"""Rules of failed flips, each with the code of its column in the summary."""


def flip_rule(outcome: Answered | Refused | None) -> str | None:
    """Return the rule of a flip with this outcome; None for an invalid flip. The outcome None means that it waits."""
    match outcome:
        case None:
            return "1-D"
        case Answered(_, Flipped(rule=rule)):
            return rule
        case Refused(_, FlipFailed(rule=rule)):
            return rule
        case _:
            return None


def flip_told(
    flip: Flip, rule: str | None, events: Sequence[Event], card: str | None, holder: str | None
) -> tuple[Told, ...]:
    """Describe a flip that had this `rule` (see `flip_rule`) and these events. Also describe the card it relinquished.

    `card` is the face-up card at the place before the flip, and `holder` is its controlling player. `card` is None if
    no card was face up there; `holder` is None if no player controlled the card.
    """
    player, row, column = flip.player, flip.row + 1, flip.column + 1
    lost = next((event for event in events if isinstance(event, Relinquished) and event.player == player), None)
    turned_up = next((event for event in events if isinstance(event, TurnedUp)), None)
    if turned_up is not None:
        card = turned_up.card
    also: tuple[Told, ...] = ()
    if lost is not None:
        also = (tell("gives-up", player=player, card=lost.card, row=lost.row + 1, column=lost.column + 1),)
    match rule:
        case None:
            return (tell("busy", player=player, row=row, column=column),)
        case "1-D":
            return (tell("waits", player=player, card=card, row=row, column=column, holder=holder),)
        case "2-B" if holder == player:
            return tell("same-card", player=player, card=card, row=row, column=column), *also
        case "2-B":
            return tell("held", player=player, card=card, row=row, column=column, holder=holder), *also
        case "1-A" | "2-A":
            return tell("no-card", player=player, row=row, column=column), *also
        case "1-B":
            return (tell("turned-up", player=player, card=card, row=row, column=column),)
        case "1-C":
            return (tell("took", player=player, card=card, row=row, column=column),)
        case "2-D" if turned_up is not None:
            return (tell("pair", player=player, card=card, row=row, column=column),)
        case "2-D":
            return (tell("pair-face-up", player=player, card=card, row=row, column=column),)
    first = None if lost is None else (lost.card, lost.row + 1, lost.column + 1)
    if turned_up is not None:
        return (tell("no-pair", player=player, card=card, row=row, column=column, first=first),)
    return (tell("no-pair-face-up", player=player, card=card, row=row, column=column, first=first),)


def replacement_told(player: str, events: Sequence[Event], card_at: Callable[[int, int], str | None]) -> Told:
    """Describe a replacement of cards by `player`, with these events.

    `card_at(row, column)` is the card that was face up there before the replacement; row and column count from 0.
    """
    changed = [event for event in events if isinstance(event, Replaced)]
    if not changed:
        return tell("replaced-none", player=player)
    seen = {(card_at(event.row, event.column), event.card) for event in changed if event.card is not None}
    if not seen:
        return tell("replaced-unseen", player=player, cards=len(changed))
    return tell("replaced", player=player, cards=len(changed), seen=tuple(sorted(seen, key=str)))


def relinquished_told(events: Sequence[Event]) -> Told | None:
    """Describe the cards that a player relinquished after a long absence; return None if there are no cards."""
    freed = [event for event in events if isinstance(event, Relinquished)]
    if not freed:
        return None
    return tell("gave-up", player=freed[0].player, cards=tuple((event.card, *place_of(event)) for event in freed))


def consequences(events: Sequence[Event], actor: str | None, waited: Mapping[str, float]) -> tuple[Told, ...]:
    """Describe the further effects of a command: removed pairs, cards turned down, and ended waits.

    `actor` is the player who sent the command. `waited` maps each player who waited before the command to the duration
    in seconds.
    """
    told: list[Told] = []
    removed = [event for event in events if isinstance(event, Removed)]
    if removed:
        cards = dict.fromkeys(event.card for event in removed)
        told.append(tell("pair-left", player=removed[0].player, cards=tuple(cards)))
    down = tuple(place_of(event) for event in events if isinstance(event, TurnedDown))
    if down:
        told.append(tell("turned-down", places=down))
    in_vain = tuple(event.player for event in events if isinstance(event, Withdrawn) and event.player != actor)
    if in_vain:
        told.append(tell("in-vain", players=in_vain))
    for event in events:
        if isinstance(event, Took) and event.player != actor:
            row, column = place_of(event)
            seconds = round(waited.get(event.player, 0.0), 3)
            told.append(tell("got", player=event.player, card=event.card, row=row, column=column, seconds=seconds))
        elif isinstance(event, Restarted) and waited:
            told.append(tell("waited-in-vain", players=tuple(waited)))
    return tuple(told)


def place_of(event: SpaceEvent) -> tuple[int, int]:
    """Return the place of an event, counted from 1."""
    return event.row + 1, event.column + 1
