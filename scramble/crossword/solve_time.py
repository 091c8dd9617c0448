"""Clock of a match of one player: its playing time. An immutable value, because the rules read no clock. Pure.

The clock runs while the player is connected. Each command has the time of its sending, from a clock that is monotonic
within one process. Between the end of a process and the start of the next, no player is connected. So the times of two
clocks are never compared.
"""

from __future__ import annotations

from typing import Self

import msgspec


class SolveTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Playing time: `seconds` until the time `since`, and the time after `since`. A stopped clock has no `since`."""

    seconds: float = 0.0
    since: float | None = None

    @property
    def is_running(self) -> bool:
        """True if the clock runs."""
        return self.since is not None

    def at(self, now: float | None) -> Self:
        """Return the clock at the time `now`; a running clock continues from `now`. Unchanged if `now` is unknown."""
        if self.since is None or now is None:
            return self
        return type(self)(self.seconds + max(0.0, now - self.since), now)

    def run(self, now: float | None) -> Self:
        """Return the clock running from `now` on, with the time until `now` if it was already running."""
        return self.at(now) if self.is_running else type(self)(self.seconds, now)

    def stop(self, now: float | None) -> Self:
        """Return the clock stopped at `now`; if `now` is unknown, stopped at the last known time."""
        return type(self)(self.at(now).seconds)
