"""Relay of Crossword Extravaganza for callers in another process.

The lobby's process adds the times to commands and views, and measures the times of grace. `REQUESTS` are all types of
requests from callers in other processes to a lobby. A lobby sends no events.
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
from scramble.players.seats import SEAT_REQUESTS

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
    | SEAT_REQUESTS
)


class CrosswordRelay(Relay):
    """A relay for one other process, with the sessions of that process."""

    # AF: `states` maps each session that the other process has opened, and has not disconnected, to its last known
    #     state. _clocks measure the times of the lobby. The lobby has one match if _one_match.

    def __init__(self, owner: Posting, clocks: Clocks[S], *, one_match: bool) -> None:
        super().__init__(owner)
        self.states: Final[dict[SessionId, str]] = {}
        self._clocks: Final = clocks
        self._one_match: Final = one_match

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Add the time to a command, and the rest of a time of grace to its answer; record disconnected sessions."""
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
                self._clocks.lost.restart()  # from now on, a player waits for the other player
            self.states[view.session] = "closed" if view.closed else view.state
        return outcome.Value(self._clocks.timed(view))


@contextmanager
def relayed(owner: Posting, clocks: Clocks[S], *, one_match: bool) -> Iterator[Posting]:
    """Yield the receiver of another process's requests; at the end disconnect the sessions of that process."""
    relay = CrosswordRelay(owner, clocks, one_match=one_match)
    try:
        yield relay
    finally:
        may_return = clocks.lost.seconds > 0
        for session in tuple(relay.states):
            relay.tell(Disconnect(session, may_return, left=True))
