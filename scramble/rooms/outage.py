"""Whether all rooms of a process are held up, because what they need outside of it does not answer.

    outage.notify(listener)        calls `listener.hold_up(is_on)` when it begins, and when it is over
    if outage.is_on: ...

Rooms of one process alone are never held up. Those of a cluster are while their process has no link to the others:
commands wait then, and nothing is wrong with the connections to players, who could not tell the reason.

Safe under concurrency: it changes between two awaits.
"""

from __future__ import annotations

from typing import Final, Protocol
from weakref import WeakSet


class Listener(Protocol):
    """A part of the process that passes on whether the rooms are held up."""

    def hold_up(self, is_on: bool, /) -> None:
        """Note that it begins, or is over. Neither waits nor raises."""


class Outage:
    """Whether all rooms of a process are held up. Mutable."""

    # AF: they are while `is_on`. A change of that is passed to all _listeners.

    def __init__(self) -> None:
        self.is_on = False
        self._listeners: Final[WeakSet[Listener]] = WeakSet()

    def notify(self, listener: Listener) -> None:
        """Call a listener whenever it begins and ends, as long as the listener exists; at once if it is on."""
        self._listeners.add(listener)
        if self.is_on:
            listener.hold_up(True)

    def put(self, is_on: bool) -> None:
        """Note that the rooms are held up, or go on."""
        if is_on == self.is_on:
            return
        self.is_on = is_on
        for listener in tuple(self._listeners):
            listener.hold_up(is_on)

    def __str__(self) -> str:
        return "held up" if self.is_on else "goes on"
