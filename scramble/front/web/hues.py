"""Hues: each player who is connected has another colour of the pages' palette, the same for everybody who looks.

    hues = Hues()
    tasks = hues.beside("alice", websocket.send)        # of a connection: alice has her hue as long as they run

A hue follows from the player's ID (`wish_of`), and the pages know that rule, too (client/shared/hues.js). A player
whose hue somebody else has already gets another one, and only that is sent, as a frame: `{"type": "hues", "hues":
{"bob": 7}}` has all players whose hue is not the one that follows from the ID. A player's hue does not change while
connected, and somebody who comes back gets the former one, if nobody has taken it. If more players are connected than
there are hues, further ones get the hue that follows from their IDs.

Coming and leaving cost the same however many are here. Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, NoReturn

import msgspec
import trio

from scramble.front.web.websocket import BesideTask, Send

HUES: Final = 12
"""Colours of the palette (client/shared/tokens.css)."""

MOST_LEFT: Final = 50
"""Players who have left and are remembered, the last ones."""

PAUSE_S: Final = 0.1  # between two frames to one connection
_BITS: Final = 0xFFFFFFFF


def wish_of(player: str) -> int:
    """Return the hue that follows from a player's ID, as client/shared/hues.js has it."""
    mixed = 18229  # FNV-1a and an avalanche; by this basis the names that people try first have different hues
    for character in player:
        mixed = (mixed ^ ord(character)) * 0x01000193 & _BITS
    mixed ^= mixed >> 16
    mixed = mixed * 0x85EBCA6B & _BITS
    mixed ^= mixed >> 13
    return mixed % HUES


class Hues:
    """The hues of the players at one table."""

    # AF: the players in _here are connected, with as many connections as are counted; those in _left were, the last
    #     that left at the end. _hues has the hue of each of them, _taken that of those who are here, with their number,
    #     _other those that do not follow from the ID. The frame has changed _number times, and is _frame.
    # RI: _here and _left have no player in common; as long as _here has no more than HUES players, each of these has
    #     another hue; _left has at most MOST_LEFT.
    # Safety from exposure: frames are strings.

    def __init__(self) -> None:
        self._here: Final[Counter[str]] = Counter()
        self._left: Final[OrderedDict[str, None]] = OrderedDict()
        self._hues: Final[dict[str, int]] = {}
        self._taken: Final[Counter[int]] = Counter()
        self._other: Final[dict[str, int]] = {}
        self._number = 0
        self._frame = _encode({})
        self._changed: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def here(self, player: str) -> Iterator[None]:
        """Count one more connection of `player` during the block."""
        if player not in self._here:
            self._give(player, self._choose(player))
            self._left.pop(player, None)
        self._here[player] += 1
        try:
            yield
        finally:
            self._here[player] -= 1
            if not self._here[player]:
                self._leave(player)

    def _choose(self, player: str) -> int:
        wish = wish_of(player)
        for hue in (self._hues.get(player, wish), wish):
            if not self._taken[hue]:
                return hue
        kept = [self._hues[one] for one in self._left]  # who left last may come back first
        unused = [hue for hue in range(HUES) if hue not in kept]
        return next((hue for hue in (*unused, *kept) if not self._taken[hue]), wish)

    def _give(self, player: str, hue: int) -> None:
        self._hues[player] = hue
        self._taken[hue] += 1
        self._tell_of(player, None if hue == wish_of(player) else hue)

    def _leave(self, player: str) -> None:
        del self._here[player]
        self._taken[self._hues[player]] -= 1
        self._left[player] = None
        if len(self._left) > MOST_LEFT:
            forgotten, _ = self._left.popitem(last=False)
            del self._hues[forgotten]
            self._tell_of(forgotten, None)

    def of(self, player: str) -> int:
        """Return the hue of a player."""
        return self._hues.get(player, wish_of(player))

    def beside(self, player: str | None, send: Send, /) -> Sequence[BesideTask]:
        """Return the task of a connection of that player, or of somebody who watches: it sends the frames."""
        return (partial(self._attend, player, send),)

    async def _attend(self, player: str | None, send: Send) -> NoReturn:
        if player is None:
            await self._send_to(send)
        with self.here(player):
            await self._send_to(send)

    async def _send_to(self, send: Send) -> NoReturn:
        sent = _encode({})
        while True:
            seen = self._number
            if sent != self._frame:
                sent = self._frame
                await send(sent)
                await trio.sleep(PAUSE_S)
            while seen == self._number:
                await self._changed.park()

    def _tell_of(self, player: str, other: int | None) -> None:
        """Have the frame say that the hue of a player is an `other` one than follows from the ID; None: it is that."""
        if self._other.get(player) == other:
            return
        if other is None:
            del self._other[player]
        else:
            self._other[player] = other
        self._frame = _encode(dict(sorted(self._other.items())))
        self._number += 1
        self._changed.unpark_all()

    def __str__(self) -> str:
        return f"hues of {', '.join(sorted(self._here)) or 'nobody'}"


def _encode(hues: Mapping[str, int]) -> str:
    return msgspec.json.encode({"type": "hues", "hues": hues}).decode()
