"""Timers of a lobby, and the times in views. The rules of the lobby have no timers."""

from __future__ import annotations

import math
from typing import Final, Generic, TypeVar

import msgspec

from scramble.crossword.messages import SessionId, SessionView
from scramble.kernel.timers import Timers

S = TypeVar("S")


class Clocks(Generic[S]):
    """Timers of a lobby in this process, and the clock of a match of one player; S is the type of its sessions."""

    def __init__(self, grace: float, idle: float, match_idle: float, *, alone: bool = False) -> None:
        """Make the timers with these times in seconds. 0 means at once for `grace`, and never for the other two."""
        self._alone: Final = alone
        self.lost: Final = Timers[SessionId](grace)  # of sessions with a lost connection
        self.idle: Final = Timers[S](idle or math.inf)  # of sessions outside PLAY, since their last line
        self.stalled: Final = Timers[S](match_idle or math.inf)  # of sessions in PLAY, since the last move

    def timed(self, view: SessionView) -> SessionView:
        """Return the view with the rest of a missing player's time of grace, and the playing time until now."""
        if view.clock is not None:
            view = msgspec.structs.replace(view, clock=view.clock.at(self.now()))
        missing = view.missing
        left = None if missing is None else self.lost.left_s(missing.session)
        if missing is None or left is None:
            return view
        return msgspec.structs.replace(view, missing=msgspec.structs.replace(missing, seconds_left=math.ceil(left)))

    def now(self) -> float | None:
        """Return the time of a monotonic clock, for a command; None in a match of two players."""
        return self.lost.now() if self._alone else None

    def has_moved(self, before: SessionView, view: SessionView) -> bool:
        """Return True if a player has moved between two views. Without a move, they have the same match object."""
        return view.match is not before.match

    def leave(self, session: SessionId) -> None:
        """Begin the time of grace of a session with a lost connection."""
        if self.lost.seconds > 0:
            self.lost.start(session)


class RemoteClocks(Clocks[S]):
    """Timers for this process's sessions in a lobby of another process. That process measures the times of grace."""

    def timed(self, view: SessionView) -> SessionView:
        """Return the view unchanged, because it already has the times."""
        return view

    def now(self) -> None:
        """Return None: the lobby's process adds the time to a command."""

    def has_moved(self, before: SessionView, view: SessionView) -> bool:
        """Return True if a player has moved between two views from another process."""
        return view.match is not before.match and view.match != before.match

    def leave(self, session: SessionId) -> None:
        """Do nothing: the time of grace begins in the lobby's process."""
