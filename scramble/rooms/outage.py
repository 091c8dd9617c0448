"""Outage flag of a process: Redis does not answer, and all rooms wait.

    outage.notify(listener)        calls `listener.hold_up(is_on)` at the beginning and at the end
    if outage.is_on: ...

Rooms of a single process never have an outage. Rooms of a cluster have one while their process has no link to Redis.
Commands wait during an outage. The connections to players still work, so the players do not see the reason.

Safe under concurrency: the flag changes between two awaits.
"""

from __future__ import annotations

from typing import Final, Protocol
from weakref import WeakSet


class Listener(Protocol):
    """A part of the process that passes on the outage flag."""

    def hold_up(self, is_on: bool, /) -> None:
        """Note the beginning or the end of an outage. Neither waits nor raises."""


class Outage:
    """Outage flag of a process. Mutable."""

    # AF: an outage lasts while `is_on`. A change is passed to all _listeners.

    def __init__(self) -> None:
        self.is_on = False
        self._listeners: Final[WeakSet[Listener]] = WeakSet()

    def notify(self, listener: Listener) -> None:
        """Call a listener at the beginning and the end of each outage. If an outage is on, also call it now.

        The reference to the listener is weak.
        """
        self._listeners.add(listener)
        if self.is_on:
            listener.hold_up(True)

    def put(self, is_on: bool) -> None:
        """Set the flag."""
        if is_on == self.is_on:
            return
        self.is_on = is_on
        for listener in tuple(self._listeners):
            listener.hold_up(is_on)

    def __str__(self) -> str:
        return "held up" if self.is_on else "goes on"
