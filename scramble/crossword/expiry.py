"""What happens as the timers of a lobby expire: each time a command to its owner, because the rules have no clock.

A session whose connection is lost ends with its time of grace (`ExpireGrace`), one in which nothing is done for too
long by `EndIdle`, and a match in which nobody moves by `EndMatch`.

Safe under concurrency: one task waits for the timers of each sort, and only the owner knows whether something has
happened meanwhile: then a command of these has no effect.
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
    """A session as far as its timers need it."""

    @property
    def id(self) -> SessionId:
        """Its number."""

    @property
    def view(self) -> SessionView:
        """The view that it has returned last."""


S = TypeVar("S", bound=Viewing)


def take_over(owner: Owner, clocks: Clocks[S], present: Sequence[SessionId], missing: Sequence[SessionId]) -> None:
    """Disconnect the sessions of a lobby from an earlier process: those connected at its end, and those missing."""
    may_return = clocks.lost.seconds > 0
    for session in present:
        # the clock of the earlier process has stopped with it: nobody knows when
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
    """Return True if all players of the one match are missing, so that nobody waits for any."""
    missing = (await owner.ask(Spectate(-1))).missing
    return missing is not None and missing.session == NO_SESSION


async def end_the_idle(clocks: Clocks[S], end: Callable[[S], None]) -> NoReturn:
    """End each session outside a match, by `end`, whose player does nothing for too long. Runs until cancelled."""
    while True:
        end(await clocks.idle.next_expired())


async def end_stalled_matches(owner: Owner, clocks: Clocks[S]) -> NoReturn:
    """End each match in which nobody moves for too long. Runs until cancelled."""
    timers = clocks.stalled
    while True:
        session = await timers.next_expired()
        # If something has happened that this session has not shown, the other session's timer is still running.
        owner.tell(EndMatch(session.id, session.view.number, timers.seconds))
