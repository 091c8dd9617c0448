"""Whether all rooms of a process are held up, because what they need outside of it does not answer.

    standstill.wakes(lot)              who parks in that lot looks again when it begins, and when it is over
    if standstill.is_on: ...

Rooms of one process alone are never held up. Those of a cluster are while their process has no link to the others:
commands wait then, and nothing is wrong with the connections to players, who could not tell the reason.

Safe under concurrency: it changes between two awaits.
"""

from __future__ import annotations

from typing import Final
from weakref import WeakSet

import trio


class Standstill:
    """Whether all rooms of a process are held up. Mutable."""

    # AF: they are while `is_on`. The tasks in _lots look at that when they are woken.

    def __init__(self) -> None:
        self.is_on = False
        self._lots: Final[WeakSet[trio.lowlevel.ParkingLot]] = WeakSet()

    def wakes(self, lot: trio.lowlevel.ParkingLot) -> None:
        """Wake all tasks in a lot whenever it begins and ends, for as long as there is that lot."""
        self._lots.add(lot)

    def put(self, is_on: bool) -> None:
        """Note that the rooms are held up, or go on."""
        if is_on == self.is_on:
            return
        self.is_on = is_on
        for lot in self._lots:
            lot.unpark_all()

    def __str__(self) -> str:
        return "held up" if self.is_on else "goes on"
