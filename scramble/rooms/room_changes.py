"""The names of rooms with recent movements of people, collected for one follower until it reads them."""

from __future__ import annotations

from typing import Final

import trio


class Movements:
    """The names of changed rooms: an asynchronous iterator of sets without an end.

    Safe under concurrency: state changes only between two awaits.
    """

    # AF: the rooms in _names have changed since the last item. The follower waits in _follower while _names is empty.

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._follower: Final = trio.lowlevel.ParkingLot()

    def add(self, name: str) -> None:
        """Add a room to the next item. Does not wait."""
        self._names.add(name)
        self._follower.unpark_all()

    def __aiter__(self) -> Movements:
        return self

    async def __anext__(self) -> frozenset[str]:
        """Return the rooms that have changed since the last item. Waits for a change; a checkpoint."""
        await trio.lowlevel.checkpoint()
        while not self._names:
            await self._follower.park()
        names, self._names = frozenset(self._names), set()
        return names
