"""Hues of the players at one table, as frames for those who look.

    hues = Hues()
    tasks = hues.beside("alice", websocket.send)        # of a connection: alice has her hue as long as they run

`{"type": "hues", "hues": {"bob": 7}}` has all players whose hue is not the one that follows from the ID;
`scramble.kernel.hues` gives them out. Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, NoReturn

import msgspec
import trio

from scramble.front.web.websocket import BesideTask, Send
from scramble.kernel.hues import HueTable

PAUSE_S: Final = 0.1  # between two frames to one connection


class Hues:
    """The hues of the players at one table, and those who are told of them."""

    # AF: _table has the hues of the players who are here; its frame has changed _number times, and is _frame.
    # Safety from exposure: frames are strings.

    def __init__(self) -> None:
        self._table: Final = HueTable()
        self._number = 0
        self._frame = NO_HUES
        self._changed: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def here(self, player: str) -> Iterator[None]:
        """Count one more connection of `player` during the block."""
        self._tell(self._table.arrive(player))
        try:
            yield
        finally:
            self._tell(self._table.leave(player))

    def of(self, player: str) -> int:
        """Return the hue of a player."""
        return self._table.of(player)

    def beside(self, player: str | None, send: Send, /) -> Sequence[BesideTask]:
        """Return the task of a connection of that player, or of somebody who watches: it sends the frames."""
        return (partial(self._attend, player, send),)

    async def _attend(self, player: str | None, send: Send) -> NoReturn:
        if player is None:
            await self._send_to(send)
        with self.here(player):
            await self._send_to(send)

    async def _send_to(self, send: Send) -> NoReturn:
        sent = NO_HUES
        while True:
            seen = self._number
            if sent != self._frame:
                sent = self._frame
                await send(sent)
                await trio.sleep(PAUSE_S)
            while seen == self._number:
                await self._changed.park()

    def _tell(self, changed: bool) -> None:
        if changed:
            self._frame = hues_frame(self._table.other)
            self._number += 1
            self._changed.unpark_all()

    def __str__(self) -> str:
        return str(self._table)


def hues_frame(hues: Mapping[str, int]) -> str:
    """Encode the frame that says which players have another hue than the one that follows from the ID."""
    return msgspec.json.encode({"type": "hues", "hues": hues}).decode()


NO_HUES: Final = hues_frame({})
"""The frame that says that all have the hue that follows from the ID: nobody needs it at first."""
