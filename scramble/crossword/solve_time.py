"""Clock of a match that is played alone: how long it has been played. A value; the rules read no clock themselves.

It runs while its player is connected. Commands bring the time at which they were sent, from any clock that goes forward
within one process; between two processes nobody is connected, so two clocks are never compared. Pure.
"""

from __future__ import annotations

from typing import Self

import msgspec


class SolveTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time played: `seconds` up to the time `since`, from which more of it passes; None: it stands still."""

    seconds: float = 0.0
    since: float | None = None

    @property
    def is_running(self) -> bool:
        """Whether time passes."""
        return self.since is not None

    def at(self, now: float | None) -> Self:
        """Return the clock as it is at the time `now`, since which it runs on; the same if `now` is not known."""
        if self.since is None or now is None:
            return self
        return type(self)(self.seconds + max(0.0, now - self.since), now)

    def run(self, now: float | None) -> Self:
        """Return the clock that runs from `now` on; one that ran already has gone on until then."""
        return self.at(now) if self.is_running else type(self)(self.seconds, now)

    def stop(self, now: float | None) -> Self:
        """Return the clock that stands still from `now` on; from the last time known, if `now` is not."""
        return type(self)(self.at(now).seconds)
