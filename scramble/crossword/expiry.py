"""Handlers of expired timers of a lobby. Each handler sends a command to the owner, because the rules have no clock.

`ExpireGrace` ends a session with a lost connection after its time of grace. `EndIdle` ends a session whose player does
nothing for too long. `EndMatch` ends a match in which no player moves for too long.

Safe under concurrency: one task waits for each kind of timer. Only the owner knows whether the session or the match has
changed before the command. If it has changed, the command has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn, Protocol, TypeVar

from scramble.crossword.messages import Disconnect, EndMatch, ExpireGrace, SessionId, SessionView, Spectate
from scramble.crossword.onematch import NO_SESSION
from scramble.crossword.session_timers import Clocks
from scramble.errors import GameStopped
from scramble.kernel.owner import Owner


class Viewing(Protocol):
    """The part of a session that its timers need."""

    @property
    def id(self) -> SessionId:
        """The number of the session."""

    @property
    def view(self) -> SessionView:
        """The last returned view."""


S = TypeVar("S", bound=Viewing)


def take_over(owner: Owner, clocks: Clocks[S], present: Sequence[SessionId], missing: Sequence[SessionId]) -> None:
    """Disconnect the sessions of an earlier process: `present` were connected at its end, `missing` were missing."""
    may_return = clocks.lost.seconds > 0
    for session in present:
        # without a time: the clock of the earlier process stopped at an unknown time
        owner.tell(Disconnect(session, may_return, left=True))
    for session in (*missing, *present):
        if may_return:
            clocks.lost.start(session)
        else:
            owner.tell(ExpireGrace(session, left=True))


async def end_the_lost(owner: Owner, clocks: Clocks[S], *, one_match: bool) -> None:
    """End each lost session when its time of grace is over. Runs until cancelled, or the lobby ends."""
    with suppress(GameStopped):
        while True:
            session = await clocks.lost.next_expired()
            if one_match and await _nobody_waits(owner):
                clocks.lost.start(session)
            else:
                owner.tell(ExpireGrace(session, left=True))


async def _nobody_waits(owner: Owner) -> bool:
    """Return True if no player waits, because all players of the one match are missing."""
    missing = (await owner.ask(Spectate(-1))).missing
    return missing is not None and missing.session == NO_SESSION


async def end_the_idle(clocks: Clocks[S], end: Callable[[S], None]) -> NoReturn:
    """Call `end` for each session outside a match whose player does nothing for too long. Runs until cancelled."""
    while True:
        end(await clocks.idle.next_expired())


async def end_stalled_matches(owner: Owner, clocks: Clocks[S]) -> NoReturn:
    """End each match in which no player moves for too long. Runs until cancelled."""
    timers = clocks.stalled
    while True:
        session = await timers.next_expired()
        # If the match has changed and this session has not shown the change, the other session's timer still runs.
        owner.tell(EndMatch(session.id, session.view.number, timers.seconds))
