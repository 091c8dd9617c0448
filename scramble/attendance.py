"""Who has gone and left cards controlled: players neither present nor asking for anything for a while let go of them.

The rules know no time, so the time is kept here, beside the game: `Attendance` counts what each player is doing, and
gives the command `Relinquish` on behalf of those who have done nothing for too long.

It never asks who controls a card. Whoever has flipped since they last let go may control one, and nobody else can; a
command too many is refused and changes nothing. So it costs nothing but what players do: a count up and a count down
for each request, one timer for all, and no look at the board but the one at the start.

Safe under concurrency because all it keeps changes between two awaits. That a player has nothing under way is true at
the moment in which it is acted upon: `relinquish` must not wait, and must be ahead of whatever is asked after it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, NoReturn

import trio

from scramble.nurseries import cancel, open_side_nursery


class Attendance:
    """Which players are there, and since when those are away who may control cards. Made by `open_attendance`."""

    # AF: player p is there _there[p] times over, away if not in it; those in _suspects may control cards; of those, the
    #     ones who are away have been so since the time in _away, longest first.
    # RI: every count is positive; _away has exactly the players in _suspects who are not in _there, and its times do
    #     not decrease.

    def __init__(self, patience_s: float, relinquish: Callable[[str], None]) -> None:
        self._patience: Final = patience_s
        self._relinquish: Final = relinquish
        self._there: Final[dict[str, int]] = {}
        self._suspects: Final[set[str]] = set()
        self._away: Final[OrderedDict[str, float]] = OrderedDict()
        self._somebody_left: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def present(self, player: str) -> Iterator[None]:
        """During the block `player` is there, for whatever reason; there may be several at a time."""
        self._there[player] = self._there.get(player, 0) + 1
        self._away.pop(player, None)
        try:
            yield
        finally:
            self._there[player] -= 1
            if not self._there[player]:
                del self._there[player]
                self._leave(player)

    def suspect(self, player: str) -> None:
        """From now on `player` may control cards."""
        if player not in self._suspects:
            self._suspects.add(player)
            self._leave(player)

    def _leave(self, player: str) -> None:
        if player in self._suspects and player not in self._there:
            self._away[player] = trio.current_time()
            self._somebody_left.unpark()

    async def run(self) -> NoReturn:
        """Relinquish for those whose time is up, until cancelled."""
        while True:
            while not self._away:
                await self._somebody_left.park()
            player, since = next(iter(self._away.items()))
            if since + self._patience <= trio.current_time():
                del self._away[player]
                self._suspects.remove(player)
                self._relinquish(player)
                await trio.lowlevel.checkpoint()  # after a restart the time of many may be up at once
            else:
                await trio.sleep_until(since + self._patience)  # whoever leaves meanwhile has more time than that

    def __str__(self) -> str:
        return f"there: {', '.join(sorted(self._there)) or 'nobody'}; away: {', '.join(self._away) or 'nobody'}"


@asynccontextmanager
async def open_attendance(patience_s: float, relinquish: Callable[[str], None]) -> AsyncIterator[Attendance]:
    """Keep the time during the block, and call `relinquish` for players who were away for `patience_s` seconds.

    An exception raised in the block leaves it as it is.
    """
    attendance = Attendance(patience_s, relinquish)
    async with open_side_nursery(cancel) as nursery:
        nursery.start_soon(attendance.run)
        yield attendance
