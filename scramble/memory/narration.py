"""Sentences about a game of Memory Scramble, for the replay and for the simulation. Pure.

A sentence names only cards that were face up at that time and place, so that it says nothing that was not public
when it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from scramble.kernel.protocol import Answered, Event, Refused
from scramble.memory.messages import (
    CardsReplaced,
    Flip,
    FlipFailed,
    Flipped,
    Forgotten,
    Joined,
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

FAILURES: Final = {"1-A": "no card there", "2-A": "no second card", "2-B": "second card held"}
"""The rules by which a flip fails, each with its title in a table."""


# --- single events ----------------------------------------------------------------------------------


def event_words(event: Event) -> str:
    """Return a sentence about one event, with spaces as ROW,COLUMN, and the rule if only one is possible."""
    match event:
        case TurnedUp(row, column, card):
            return f"{card} at {row},{column} turns up"
        case TurnedDown(row, column):
            return f"the card at {row},{column} turns down (3-B)"
        case Removed(row, column, player, card):
            return f"{player} removes {card} at {row},{column} (3-A)"
        case Replaced(row, column, card):
            return f"the card at {row},{column} becomes {card or 'another one'}"
        case CardsReplaced(player):
            return f"{player} has replaced cards"
        case Took(row, column, player, card):
            return f"{player} takes {card} at {row},{column}"
        case Relinquished(row, column, player, card):
            return f"{player} gives up {card} at {row},{column}"
        case Waiting(row, column, player):
            return f"{player} waits for the card at {row},{column} (1-D)"
        case Withdrawn(row, column, player):
            return f"{player} waits no longer for the card at {row},{column}"
        case Joined(player):
            return f"{player} joins"
        case Forgotten(player):
            return f"{player} has no score any more"
        case ScoreCount(scores):
            return f"{scores} players have a score"
        case Scored(player, pairs, pairs_left):
            return f"{player} has {pairs}; pairs left: {pairs_left}"
        case PairsLeft(pairs_left):
            return f"pairs left: {pairs_left}"
        case Restarted(player):
            return f"{player} starts a new game"
        case _:
            return str(event)


# --- a player's move, and its consequences ----------------------------------------------------------


def flip_rule(outcome: Answered | Refused | None) -> str | None:
    """Return the rule that decided a flip with this outcome (None: it waits); None if it was refused as invalid."""
    match outcome:
        case None:
            return "1-D"
        case Answered(_, Flipped(rule=rule)):
            return rule
        case Refused(_, FlipFailed(rule=rule)):
            return rule
        case _:
            return None


def flip_words(flip: Flip, rule: str | None, events: Sequence[Event], card: str | None, holder: str | None) -> str:
    """Return a sentence about a flip that `rule` decided (see `flip_rule`), with these events.

    `card` is the card that was face up at that place before, None if there was none; `holder` controlled it.
    """
    player, at = flip.player, place(flip.row, flip.column)
    given_up = next((e for e in events if isinstance(e, Relinquished) and e.player == player), None)
    lost = f", and gives up {given_up.card} at {place(given_up.row, given_up.column)}" if given_up else ""
    turned_up = next((event for event in events if isinstance(event, TurnedUp)), None)
    if turned_up is not None:
        card = turned_up.card
    match rule:
        case None:
            return f"{player} flips {at} while still waiting for another card, which is refused"
        case "1-D":
            return f"{player} waits for the {card} at {at}, which {holder} controls"
        case "2-B":
            whose = f"which {holder} controls" if holder != player else "which is the first card itself"
            return f"{player} cannot have the {card} at {at}, {whose}{lost}"
        case "1-A" | "2-A":
            return f"{player} finds no card at {at}{lost}"
        case "1-B":
            return f"{player} turns up {card} at {at}"
        case "1-C":
            return f"{player} takes the face-up {card} at {at}"
    does = f"turns up {card} at {at}" if turned_up is not None else f"goes for the face-up {card} at {at}"
    if rule == "2-D":
        return f"{player} {does}: a pair"
    first = f"{given_up.card} at {place(given_up.row, given_up.column)}" if given_up else "the first card"
    return f"{player} {does}, which does not match {first}"


def replacement_words(player: str, events: Sequence[Event], card_at: Callable[[int, int], str | None]) -> str:
    """Return a sentence about a replacement of cards by `player`, with these events.

    `card_at(row, column)` is the card that was face up there before the replacement.
    """
    changed = [event for event in events if isinstance(event, Replaced)]
    if not changed:
        return f"{player} replaces a card that is not there"
    seen = {(card_at(event.row, event.column), event.card) for event in changed if event.card is not None}
    pairs = ", ".join(sorted(f"{old} becomes {new}" for old, new in seen)) or "none of them face up"
    return f"{player} replaces {len(changed)} {'card' if len(changed) == 1 else 'cards'}: {pairs}"


def relinquished_words(events: Sequence[Event]) -> str | None:
    """Return a sentence about cards that come free because their player was away for long; None if there are none."""
    freed = [event for event in events if isinstance(event, Relinquished)]
    if not freed:
        return None
    cards = names([f"{event.card} at {place(event.row, event.column)}" for event in freed])
    return f"{freed[0].player} has been away for long, and gives up {cards}"


def consequences(events: Sequence[Event], actor: str | None, waited: Mapping[str, float]) -> tuple[str, ...]:
    """Return sentences about the effects of a command that its own sentence does not mention.

    `actor` is the player who gave the command. `waited` has the players who waited before the command, with the
    duration in seconds.
    """
    words: list[str] = []
    removed = [event for event in events if isinstance(event, Removed)]
    if removed:
        cards = dict.fromkeys(event.card for event in removed)
        words.append(f"{removed[0].player}'s pair of {names(list(cards))} leaves the board")
    down = [place(event.row, event.column) for event in events if isinstance(event, TurnedDown)]
    if down:
        words.append(f"{names(down)} {'turns' if len(down) == 1 else 'turn'} face down again")
    in_vain = [event.player for event in events if isinstance(event, Withdrawn) and event.player != actor]
    if in_vain:
        words.append(f"{names(in_vain)} waited for it in vain")
    for event in events:
        if isinstance(event, Took) and event.player != actor:
            time, at = seconds(waited.get(event.player, 0.0)), place(event.row, event.column)
            words.append(f"{event.player}, who waited {time}, takes the {event.card} at {at}")
        elif isinstance(event, Restarted) and waited:
            words.append(f"{names(list(waited))} waited in vain")
    return tuple(words)


# --- parts of sentences -----------------------------------------------------------------------------


def place(row: int, column: int) -> str:
    """Return a place in words: "row 2, column 3". Arguments count from 0, the words from 1, as on the pages."""
    return f"row {row + 1}, column {column + 1}"


def names(players: list[str]) -> str:
    """Join names for a sentence: "ann, bob and cat"."""
    return " and ".join(filter(None, (", ".join(players[:-1]), *players[-1:])))


def seconds(duration: float) -> str:
    """Return a duration in words: 0.4 s, 12 s, 3 min."""
    if duration < 10:
        return f"{duration:.1f} s"
    return f"{duration:.0f} s" if duration < 120 else f"{duration / 60:.0f} min"
