"""Minesweeper for the callers of another process: moves get their times, and players their end, where the game runs.

`REQUESTS` and `EVENTS` are everything that crosses between a game and the doors of other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import outcome

from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command
from scramble.kernel.relay import DoorQuery, EndRelay, Relay, RelayedAnswer
from scramble.minesweeper.messages import (
    AwaitEnd,
    Chord,
    Chorded,
    Connect,
    Connected,
    Deflag,
    Deflagged,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Ended,
    Exploded,
    Flag,
    Flagged,
    Look,
    Move,
    TakeSnapshot,
    TakeStanding,
    Welcome,
)
from scramble.players.seats import ClaimSeat, FindMoved, FindName, FindSeat, HandOverSeat, ListNames


class TakeTime(DoorQuery[int | None], frozen=True):
    """Answered with the time on the game's clock; None in a game without scores."""


REQUESTS: Final = (
    Look
    | Dig
    | Flag
    | Deflag
    | Chord
    | Connect
    | Disconnect
    | TakeSnapshot
    | TakeStanding
    | AwaitEnd
    | TakeTime
    | ClaimSeat
    | FindSeat
    | FindMoved
    | FindName
    | HandOverSeat
    | ListNames
)

EVENTS: Final = Dug | Exploded | Flagged | Deflagged | Chorded | Ended | Connected | Disconnected


class MinesweeperRelay(Relay):
    """A game, for another process with players of its own."""

    # AF: the players in `players` are connected through that process; _now returns the time on the game's clock.

    def __init__(self, owner: Posting, now: Callable[[], int | None]) -> None:
        super().__init__(owner)
        self.players: Final[set[int]] = set()
        self._now: Final = now

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Give a move its time, and note who connects, and who disconnects."""
        if isinstance(command, Move):
            return msgspec.structs.replace(command, at=self._now()), None
        if isinstance(command, Disconnect):
            self.players.discard(command.player)
        return command, self._note if isinstance(command, Connect) else None

    def _note(self, answer: RelayedAnswer | None) -> RelayedAnswer | None:
        if isinstance(answer, outcome.Value) and isinstance(answer.value, Welcome):
            self.players.add(answer.value.player)
        return answer

    def answer(self, query: DoorQuery[object]) -> object:
        """Return the time on the game's clock."""
        assert isinstance(query, TakeTime)
        return self._now()


@contextmanager
def relayed(owner: Posting, now: Callable[[], int | None]) -> Iterator[Posting]:
    """Yield the owner for the callers of another process; at the end its players are disconnected."""
    relay = MinesweeperRelay(owner, now)
    try:
        yield relay
    finally:
        for player in relay.players:
            owner.tell(Disconnect(player))
