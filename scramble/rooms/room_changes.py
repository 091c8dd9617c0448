"""The names of rooms with recent movements of people, for one follower that reads at its own pace."""

from __future__ import annotations

from typing import Final

import trio


class Movements:
    """The names of changed rooms: an asynchronous iterator of sets. Never ends by itself.

    Safe under concurrency: it changes only between two awaits.
    """

    # AF: the rooms _names have changed since the last item. _follower waits for the first of them.

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
