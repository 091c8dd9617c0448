"""Choice of the narrator for a recording, from a table that the caller passes: `scramble.games.table` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from scramble.errors import OperatorError
from scramble.games.narration import NarratorFactory
from scramble.players.seats import split_state
from scramble.replay.seats import SeatedNarrator

Narrators: TypeAlias = Mapping[str, NarratorFactory]
"""Narrators by the kind of game, as a journal names it."""


class ReplayError(OperatorError):
    """A recording that cannot be replayed; `str(error)` is one line that says why."""

    code = "bad-recording"


def narrator_of(kind: str, first: bytes, narrators: Narrators) -> SeatedNarrator:
    """Make the narrator of a game of that kind which began with the state `first`, with or without seats.

    Raises:
        ReplayError: the kind is not in `narrators`, or `first` is not a state of such a game.
    """
    make = narrators.get(kind)
    if make is None:
        raise ReplayError(f"this is a recording of {kind!a}, which is none of {', '.join(narrators)}")
    try:
        seats, names, game = split_state(first)
        return SeatedNarrator(make(game), seats, names)
    except ValueError as error:  # the base class of msgspec's errors
        raise ReplayError(f"the state that the game began with cannot be read: {error}") from error
