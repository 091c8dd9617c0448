"""English sentences about recorded matches of Crossword Extravaganza, for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.crossword.phrases import span
from scramble.games.told import English

_CHALLENGE: Final = "{player} challenges {by}'s {text} (word {word})"


def _nobody_did(seconds: float) -> str:
    return f"nobody has done anything for {span(seconds)}"


def _nobody_moved(seconds: float) -> str:
    return f"nobody has moved for {span(seconds)}"


def _idle(player: str, seconds: float) -> str:
    return f"{player} has done nothing for {span(seconds)}, and is logged out"


def _over(match: str, outcome: str, points: tuple[tuple[str, int], ...]) -> str:
    stands = ", ".join(f"{player} {number}" for player, number in points)
    return f". Match {match} is over: {outcome} ({stands})"


def _won(match: str, winner: str, points: tuple[tuple[str, int], ...]) -> str:
    return _over(match, f"{winner} wins", points)


def _drawn(match: str, points: tuple[tuple[str, int], ...]) -> str:
    return _over(match, "a draw", points)


def _not_completed(match: str, points: tuple[tuple[str, int], ...]) -> str:
    return _over(match, "not completed", points)


ENGLISH: Final = English(
    {
        # sessions
        "connected": "{player} connects",
        "no-room": "{player} finds no room",
        "no-place": "{player} finds no place in the match",
        "entered-lobby": "{player} enters the lobby",
        "back": "{player} comes back",
        "lost": "{player} has lost the connection, and may come back",
        "not-back": "{player} has not come back in time",
        "not-back-left": "{player} has not come back in time, and has left",
        "grace-over": "a time of grace is over",
        "idle": _idle,
        "nobody-did": _nobody_did,
        "nobody-moved": _nobody_moved,
        "too-late": "a line arrives after the end of its session",
        "logged-out": "{player} logs out",
        # matches
        "waits": "{player} waits for a second player",
        "made": "{player} makes match {match} on {puzzle}, and waits for a second player",
        "took-back": "{player} takes the waiting match back",
        "begun": "{player} joins {other}'s match {match} on {puzzle}, which begins",
        "begun-alone": "{player} begins the puzzle {puzzle} alone",
        "next-match": "{player} goes on to another match",
        # moves
        "entered": "{player} enters {text} for word {word}",
        "tried-wrong": "{player} tries a wrong word for word {word}",
        "challenge-won": f"{_CHALLENGE}: it is {{right}}, two points",
        "challenge-lost": f"{_CHALLENGE}, which was right",
        "challenge-both-wrong": f"{_CHALLENGE}: it was wrong, and so is the proposal",
        "gave-up": "{player} gives up match {match}",
        "try-refused": "{player} enters a TRY that is refused",
        "unknown-match": "{player} moves in an unknown match",
        "line-refused": "{player} enters a line that is refused",
    },
    suffixes={
        "cleared": lambda words: f"; cleared, because in conflict with it: {', '.join(map(str, words))}",
        "complete": ". The puzzle is complete",
        "won": _won,
        "drawn": _drawn,
        "not-completed": _not_completed,
        "both-left": ". Both players have left",
    },
    columns={
        "tries": "tries",
        "refused": "tries refused",
        "challenges_won": "challenges won",
        "challenges_lost": "challenges lost",
        "by_match": "points by match",
    },
)


def caption(match: str, puzzle: str, points: Mapping[str, int], *, over: bool) -> str:
    """Return the match and its points, in one line."""
    stands = ", ".join(f"{player} {number}" for player, number in points.items())
    return f"match {match} on {puzzle}: {stands}{' (over)' if over else ''}"


def no_match(connected: int) -> str:
    """Return a line about a lobby before its first match."""
    return f"no match has begun yet; {connected} connected"
