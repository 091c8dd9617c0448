"""English sentences about a game of Memory Scramble, for the terminal: replay and simulation. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.games.told import English, listed
from scramble.kernel.protocol import Event
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
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)

# --- effects of commands (scramble.memory.narration) -------------------------------------------------


def _mismatch(does: str, at: str, first: tuple[str, int, int] | None) -> str:
    return f"{does} at {at}, which does not match {'the first card' if first is None else _placed(*first)}"


def _no_pair(player: str, card: str, row: int, column: int, first: tuple[str, int, int] | None) -> str:
    return _mismatch(f"{player} turns up {card}", place(row, column), first)


def _no_pair_face_up(player: str, card: str, row: int, column: int, first: tuple[str, int, int] | None) -> str:
    return _mismatch(f"{player} flips the face-up {card}", place(row, column), first)


def _replaced(player: str, cards: int, seen: tuple[tuple[str, str], ...]) -> str:
    return f"{player} replaces {_cards(cards)}: {', '.join(sorted(f'{old} becomes {new}' for old, new in seen))}"


def _replaced_unseen(player: str, cards: int) -> str:
    return f"{player} replaces {_cards(cards)}: all of them face down"


def _gave_up(player: str, cards: tuple[tuple[str, int, int], ...]) -> str:
    return f"{player} has been away too long, and gives up {listed(_placed(*card) for card in cards)}"


def _pair_left(player: str, cards: tuple[str, ...]) -> str:
    return f"{player}'s pair of {listed(cards)} leaves the board"


def _turned_down(places: tuple[tuple[int, int], ...]) -> str:
    return f"{listed(place(*at) for at in places)} {'turns' if len(places) == 1 else 'turn'} face down again"


def _got(player: str, card: str, row: int, column: int, seconds: float) -> str:
    return f"{player}, who waited {duration(seconds)}, takes the {card} at {place(row, column)}"


ENGLISH: Final = English(
    {
        "busy": "{player} flips row {row}, column {column} while waiting for another card: the flip is refused",
        "waits": "{player} waits for the {card} at row {row}, column {column}, which {holder} controls",
        "held": "{player} cannot have the {card} at row {row}, column {column}, which {holder} controls",
        "same-card": "{player} cannot have the {card} at row {row}, column {column}, which is the first card itself",
        "no-card": "{player} finds no card at row {row}, column {column}",
        "turned-up": "{player} turns up {card} at row {row}, column {column}",
        "took": "{player} takes the face-up {card} at row {row}, column {column}",
        "pair": "{player} turns up {card} at row {row}, column {column}: a pair",
        "pair-face-up": "{player} flips the face-up {card} at row {row}, column {column}: a pair",
        "no-pair": _no_pair,
        "no-pair-face-up": _no_pair_face_up,
        "replaced": _replaced,
        "replaced-unseen": _replaced_unseen,
        "replaced-none": "{player} replaces a card that is not there",
        "new-game": "{player} starts a new game: the cards are shuffled and lie face down",
        "withdrew": "{player} waits no longer",
        "gave-up": _gave_up,
        "bounded": "from now on at most {most} players have a score",
        # consequences
        "pair-left": _pair_left,
        "turned-down": _turned_down,
        "in-vain": lambda players: f"{listed(players)} waited for it in vain",
        "waited-in-vain": lambda players: f"{listed(players)} waited in vain",
        "got": _got,
    },
    suffixes={"gives-up": ", and gives up {card} at row {row}, column {column}"},
    columns={
        "flips": "flips",
        "matches": "matches",
        "no_card": "no card there",
        "no_second": "no second card",
        "second_held": "second card held",
        "waits": "waits",
        "waited": "waited",
        "longest": "longest",
        "pairs": "pairs",
        "turns": "turns",
        "streak": "streak",
        "memory": "memory",
    },
    figures={"waited": lambda seconds: duration(seconds), "longest": lambda seconds: duration(seconds)},
)


def caption(scores: Mapping[str, int], waiting: Mapping[str, tuple[int, int]]) -> str:
    """Return one line with the pairs of each player, and the place of each awaited card."""
    pairs = ", ".join(f"{player} {pairs}" for player, pairs in scores.items())
    waits = ", ".join(f"{player} waits for {place(*at)}" for player, at in waiting.items())
    return f"pairs: {pairs or 'nobody has flipped yet'}{'; ' if waits else ''}{waits}"


# --- single events, in the simulation ----------------------------------------------------------------


def event_words(event: Event) -> str:
    """Return a sentence about one event, with spaces as ROW,COLUMN. It names the rule if only one rule is possible."""
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


# --- parts of sentences -----------------------------------------------------------------------------


def place(row: int, column: int) -> str:
    """Return a place, counted from 1, in words: "row 2, column 3"."""
    return f"row {row}, column {column}"


def _placed(card: str, row: int, column: int) -> str:
    return f"{card} at {place(row, column)}"


def _cards(number: int) -> str:
    return f"{number} {'card' if number == 1 else 'cards'}"


def duration(seconds: float) -> str:
    """Return a duration in words: 0.4 s, 12 s, 3 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
