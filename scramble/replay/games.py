"""Choice of the narrator for a recording. The caller passes the table of narrators from `scramble.games.table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from scramble.errors import OperatorError
from scramble.games.narration import NarratorFactory
from scramble.players.seats import split_state
from scramble.replay.seats import SeatedNarrator

Narrators: TypeAlias = Mapping[str, NarratorFactory]
"""Factories of narrators, by the kind of game in a journal."""


class ReplayError(OperatorError):
    """A recording that cannot be replayed; `str(error)` is one line with the reason."""

    code = "bad-recording"


def narrator_of(kind: str, first: bytes, narrators: Narrators) -> SeatedNarrator:
    """Make the narrator of a game of this kind with the first state `first`. The game may have seats.

    Raises:
        ReplayError: the kind is not in `narrators`, or `first` is not a state of this kind of game.
    """
    make = narrators.get(kind)
    if make is None:
        raise ReplayError(f"this is a recording of {kind!a}, but the known games are {', '.join(narrators)}")
    try:
        seats, names, game = split_state(first)
        return SeatedNarrator(make(game), seats, names)
    except ValueError as error:  # the base class of msgspec's errors
        raise ReplayError(f"the first state of the game cannot be read: {error}") from error
