"""Crossword Extravaganza for the callers of another process: times, and what is lost, are of where the lobby is.

`REQUESTS` is everything that the doors of other processes ask of a lobby; it has no events.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec
import outcome

from scramble.crossword.messages import (
    AwaitResult,
    Disconnect,
    EndIdle,
    EndMatch,
    Enter,
    Follow,
    Look,
    Object,
    OpenSession,
    ReturnSession,
    Say,
    SessionId,
    SessionView,
    Spectate,
)
from scramble.crossword.session_timers import Clocks
from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command
from scramble.kernel.relay import EndRelay, Relay, RelayedAnswer
from scramble.players.seats import ClaimSeat, FindMoved, FindName, FindSeat, HandOverSeat, ListNames

S = TypeVar("S")

REQUESTS: Final = (
    OpenSession
    | ReturnSession
    | Say
    | Enter
    | Object
    | Look
    | Follow
    | Spectate
    | AwaitResult
    | Disconnect
    | EndIdle
    | EndMatch
    | ClaimSeat
    | FindSeat
    | FindMoved
    | FindName
    | HandOverSeat
    | ListNames
)


class CrosswordRelay(Relay):
    """A lobby, for another process with sessions of its own."""

    # AF: the sessions in `states` were opened through that process, and not disconnected; each was in that state when
    #     it was heard of last. _clocks measure the times of the lobby, of one match if _one_match.

    def __init__(self, owner: Posting, clocks: Clocks[S], *, one_match: bool) -> None:
        super().__init__(owner)
        self.states: Final[dict[SessionId, str]] = {}
        self._clocks: Final = clocks
        self._one_match: Final = one_match

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Give a command its time, and its answer the rest of a time of grace; note who disconnects."""
        match command:
            case Say() | Enter():
                return msgspec.structs.replace(command, at=self._clocks.now()), self._end
            case Disconnect():
                if self.states.pop(command.session, "closed") != "closed":
                    self._clocks.leave(command.session)
                return msgspec.structs.replace(command, at=self._clocks.now()), None
            case OpenSession() | ReturnSession():
                return command, self._opened
            case Look() | Follow() | Object() | Spectate():
                return command, self._end
            case _:
                return command, None

    def _opened(self, answer: RelayedAnswer | None) -> RelayedAnswer | None:
        if isinstance(answer, outcome.Value) and isinstance(answer.value, SessionView):
            self.states[answer.value.session] = "START"
        return self._end(answer)

    def _end(self, answer: RelayedAnswer | None) -> RelayedAnswer | None:
        if not (isinstance(answer, outcome.Value) and isinstance(answer.value, SessionView)):
            return answer
        view = answer.value
        before = self.states.get(view.session)
        if before is not None:
            if self._one_match and view.state == "PLAY" != before:
                self._clocks.lost.restart()  # from now on somebody waits for the other player
            self.states[view.session] = "closed" if view.closed else view.state
        return outcome.Value(self._clocks.timed(view))


@contextmanager
def relayed(owner: Posting, clocks: Clocks[S], *, one_match: bool) -> Iterator[Posting]:
    """Yield the owner for the callers of another process; at the end its sessions are lost."""
    relay = CrosswordRelay(owner, clocks, one_match=one_match)
    try:
        yield relay
    finally:
        may_return = clocks.lost.seconds > 0
        for session in tuple(relay.states):
            relay.tell(Disconnect(session, may_return, left=True))
