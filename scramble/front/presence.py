"""Who is here: the names of connected players, told to everybody who is.

Names are a state and not a history, so a connection that was too slow for some of its changes is told the latest only.
Safe under concurrency: the counts change, and those who wait are woken, between two awaits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import trio

PAUSE_S = 0.1
"""Between two frames to one connection. After a restart everybody comes back at once, and n who come would otherwise
make n * n frames."""

FRAMES_PER_S: Final = 1000
"""To all connections together, however many they are: with more than a hundred the pauses grow. Each frame has all the
names, and at ten a second a thousand who come would take longer to be told of than to connect."""


class Presence:
    """The set of players with at least one connection; several connections of one player count once."""

    # AF: the players with a positive count in _connections; the set has changed _number times, and _frame encodes it
    #     as it is now, unless it is None. _told connections are told of it.
    # RI: every count is positive.
    # Safety from exposure: what is handed out are strings.

    def __init__(self, encode: Callable[[list[str]], str]) -> None:
        """`encode` makes the frame of a sorted list of names."""
        self._encode: Final = encode
        self._connections: Final = Counter[str]()
        self._number = 0
        self._told = 0
        self._frame: str | None = None
        self._changed: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def here(self, player: str) -> Iterator[None]:
        """Count one more connection of `player` during the block."""
        self._connections[player] += 1
        if self._connections[player] == 1:
            self._tell()
        try:
            yield
        finally:
            self._connections[player] -= 1
            if not self._connections[player]:
                del self._connections[player]
                self._tell()

    async def send_to(self, send: Callable[[str], Awaitable[None]]) -> NoReturn:
        """Send the frame, and again after each change. Runs until cancelled: a task of each connection."""
        seen = -1
        self._told += 1
        try:
            while True:
                while seen == self._number:
                    await self._changed.park()
                seen = self._number
                await send(self.frame())
                await trio.sleep(max(PAUSE_S, self._told / FRAMES_PER_S))
        finally:
            self._told -= 1

    def frame(self) -> str:
        """The names as they are now, encoded once for all."""
        if self._frame is None:
            self._frame = self._encode(sorted(self._connections))
        return self._frame

    def _tell(self) -> None:
        self._number += 1
        self._frame = None
        self._changed.unpark_all()

    def __str__(self) -> str:
        return f"here: {', '.join(sorted(self._connections)) or 'nobody'}"
