"""Relay of Memory Scramble for callers in another process. Their requests count as presence in the game's process.

`REQUESTS` and `EVENTS` are all types of messages between a game and its callers in other processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command
from scramble.kernel.relay import DoorQuery, EndRelay, Relay, RelayedAnswer
from scramble.memory.messages import (
    CardsReplaced,
    CommitMap,
    Flip,
    Forgotten,
    Joined,
    ListCards,
    Look,
    NewGame,
    PairsLeft,
    Release,
    Relinquished,
    Removed,
    Replace,
    Replaced,
    Restarted,
    ScoreCount,
    Scored,
    TakeFigures,
    TakeSnapshot,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Watch,
    Withdrawn,
)
from scramble.memory.validation import is_player
from scramble.players.idle import Ages, ReleaseTimers
from scramble.players.seats import SEAT_REQUESTS

PLAYERS_REQUESTS: Final = (Flip, Look, Watch, Replace, CommitMap, NewGame)
"""Commands of players. Each command counts as presence of its player."""


class TakeAges(DoorQuery[Ages], frozen=True):
    """Query for times in seconds: how long players have held cards, have been absent, and have waited for cards."""


REQUESTS: Final = (
    Look
    | Flip
    | Watch
    | Release
    | Replace
    | ListCards
    | CommitMap
    | NewGame
    | TakeSnapshot
    | TakeFigures
    | TakeAges
    | SEAT_REQUESTS
)

EVENTS: Final = (
    TurnedUp
    | TurnedDown
    | Removed
    | Replaced
    | Took
    | Relinquished
    | Waiting
    | Withdrawn
    | Joined
    | Forgotten
    | ScoreCount
    | Scored
    | CardsReplaced
    | PairsLeft
    | Restarted
)


def player_asking(command: Command[object]) -> str | None:
    """Return the player who sent this request; None if the request does not count as presence."""
    player = command.player if isinstance(command, PLAYERS_REQUESTS) else None
    return player if is_player(player) else None


class MemoryRelay(Relay):
    """A relay to a game with release timers. The requests of the other process count as presence."""

    def __init__(self, owner: Posting, timers: ReleaseTimers) -> None:
        super().__init__(owner)
        self._timers: Final = timers

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Count the player as present until the end of the request."""
        player = player_asking(command)
        if player is None:
            return command, None
        present = self._timers.present(player)
        present.__enter__()

        def end(answer: RelayedAnswer | None) -> RelayedAnswer | None:
            present.__exit__(None, None, None)
            return answer

        return command, end

    def answer(self, query: DoorQuery[object]) -> object:
        """Return the ages."""
        assert isinstance(query, TakeAges)
        return self._timers.ages()


@contextmanager
def relayed(owner: Posting, timers: ReleaseTimers | None) -> Iterator[Posting]:
    """Yield the receiver of another process's requests, while that process has joined the game."""
    yield owner if timers is None else MemoryRelay(owner, timers)
