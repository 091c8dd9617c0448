"""Timers with the same duration and one common waiting task."""

from __future__ import annotations

import math
from typing import Final, Generic, TypeVar

import trio

K = TypeVar("K")


class Timers(Generic[K]):
    """A timer for each key. Starting a running timer restarts it.

    Safe under concurrency: timers are started and stopped between two awaits, and one task waits for them.
    """

    # AF: the timer of each key expires at the time _until[key] of trio's clock. RI: _until is in order of time.

    def __init__(self, seconds: float) -> None:
        """Make timers of `seconds` seconds; with infinity they never expire."""
        self.seconds: Final = seconds
        self._until: Final[dict[K, float]] = {}
        self._started: Final = trio.lowlevel.ParkingLot()

    def start(self, key: K) -> None:
        """Start or restart the timer of `key`."""
        if self.seconds < math.inf:
            self._until.pop(key, None)
            self._until[key] = trio.current_time() + self.seconds
            self._started.unpark_all()

    def restart(self) -> None:
        """Restart all timers that run."""
        for key in tuple(self._until):
            self.start(key)

    def stop(self, key: K) -> None:
        """Stop the timer of `key`, if it runs."""
        self._until.pop(key, None)

    @staticmethod
    def now() -> float:
        """Return the time of trio's clock, in seconds. The clock never goes back."""
        return trio.current_time()

    def left_s(self, key: K) -> float | None:
        """Return the seconds until the timer expires; None if it does not run."""
        until = self._until.get(key)
        return None if until is None else max(0.0, until - trio.current_time())

    async def next_expired(self) -> K:
        """Wait until a timer expires and return its key. The timer that was started first expires first."""
        await trio.lowlevel.checkpoint()
        while True:
            while not self._until:
                await self._started.park()
            key, until = next(iter(self._until.items()))
            if until <= trio.current_time():
                del self._until[key]
                return key  # no checkpoint: a cancellation there would lose the timer
            await trio.sleep_until(until)

    def __str__(self) -> str:
        return f"{len(self._until)} timers of {self.seconds:g} s"
