"""Which game a recording is of: the one place that knows all tellers. Another game that is kept adds its own here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from scramble.errors import ScrambleError
from scramble.replay.crossword import CrosswordTeller
from scramble.replay.memory import MemoryTeller
from scramble.replay.minesweeper import MinesweeperTeller
from scramble.replay.seats import SeatedTeller
from scramble.replay.telling import Teller
from scramble.seats import taken_apart

TELLERS: Final[dict[str, Callable[[bytes], Teller]]] = {
    MemoryTeller.kind: MemoryTeller,
    MinesweeperTeller.kind: MinesweeperTeller,
    CrosswordTeller.kind: CrosswordTeller,
}


class ReplayError(ScrambleError):
    """A recording that cannot be told; `str(error)` is one line that says why."""

    code = "bad-recording"


def teller_of(kind: str, first: bytes) -> Teller:
    """The teller of a game of that kind which began with the state `first`. Raises ReplayError if there is none."""
    make = TELLERS.get(kind)
    if make is None:
        raise ReplayError(f"this is a recording of {kind!a}, which is none of {', '.join(TELLERS)}")
    try:
        seats, game = taken_apart(first)
        return SeatedTeller(make(game), seats)
    except ValueError as error:  # msgspec's errors are such
        raise ReplayError(f"the state that the game began with cannot be read: {error}") from error
