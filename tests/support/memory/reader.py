"""A reader of a player's WebSocket in Memory Scramble: the board, as a mirror, and the answers to moves in progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

import trio

from tests.support.history import Call, Clock
from tests.support.memory.model import Op, Out
from tests.support.memory.tabs import Mirror
from tests.support.websocket import Cut, Frame, WebSocket


class Reader(ABC):
    """One connection. Mutable. Subclasses process its news."""

    def __init__(self, wire: WebSocket, clock: Clock) -> None:
        self.wire: Final = wire
        self.mirror: Final = Mirror()
        self.under_way: Final[dict[int, Call[Op, Out]]] = {}  # moves by the ids of their frames
        self._clock: Final = clock
        self._news: Final = trio.lowlevel.ParkingLot()
        self._gone = False

    @abstractmethod
    def seen(self) -> None:
        """Note the current contents of the mirror."""

    @abstractmethod
    def answered(self, call: Call[Op, Out], frame: Frame) -> None:
        """Note the answer to a move in that frame."""

    @abstractmethod
    def wrong(self, what: str) -> None:
        """Note an observation that no rules allow."""

    async def read(self) -> None:
        """Read frames until the connection is closed."""
        try:
            while True:
                self._take(await self.wire.receive())
                self._news.unpark_all()
        except Cut:
            self._gone = True
            self._news.unpark_all()

    def _take(self, frame: Frame) -> None:
        if frame["type"] in ("board", "change"):
            version = frame["version"]
            assert isinstance(version, int)
            if version < self.mirror.version:
                self.wrong(f"after version {self.mirror.version} came {frame}")
                return
            self.mirror.see(frame)
            self.seen()
        elif "id" in frame:
            number = frame["id"]
            assert isinstance(number, int)
            call = self.under_way[number]
            if frame["outcome"] == "waiting":
                call.waited = self._clock.tick()
            else:
                self.answered(call, frame)
                del self.under_way[number]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a frame makes the condition true. Raises Cut if the connection ends before."""
        while not condition():
            if self._gone:
                raise Cut
            await self._news.park()
