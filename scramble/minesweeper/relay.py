"""Relay of Minesweeper for callers in another process. It adds the times of moves, and disconnects players at its end.

`REQUESTS` and `EVENTS` are all types of messages between a game and its callers in other processes.
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
from scramble.players.seats import SEAT_REQUESTS


class TakeTime(DoorQuery[int | None], frozen=True):
    """Query for the time on the game's clock; None in a game without scores."""


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
    | SEAT_REQUESTS
)

EVENTS: Final = Dug | Exploded | Flagged | Deflagged | Chorded | Ended | Connected | Disconnected


class MinesweeperRelay(Relay):
    """A relay for one other process, with the players of that process."""

    # AF: the players in `players` have connected through the other process. _now returns the time on the game's clock.

    def __init__(self, owner: Posting, now: Callable[[], int | None]) -> None:
        super().__init__(owner)
        self.players: Final[set[int]] = set()
        self._now: Final = now

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Add the time to a move. Record connecting and disconnecting players."""
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
    """Yield the receiver of another process's requests; at the end disconnect the players of that process."""
    relay = MinesweeperRelay(owner, now)
    try:
        yield relay
    finally:
        for player in relay.players:
            owner.tell(Disconnect(player))
