"""Requests that play in a room, by holder. The removal of a player ends the player's requests.

    with playing.during(holder, at_once=True) as scope:     # around the handler of a request
        response = await handle()
    if scope.cancelled_caught: ...                          # the player was removed

    await playing.end(holder, within_s)     # afterwards the player's waiting commands are withdrawn

Safe under concurrency: the requests change between two awaits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import trio


class PlayingRequests:
    """The requests and WebSockets that play in one room. Mutable."""

    # AF: _scopes has the requests of each holder. The removal of the holder cancels requests with True at once.
    #     Requests with False get some time to end first.
    # RI: _scopes has no empty dict.

    def __init__(self) -> None:
        self._scopes: Final[dict[str, dict[trio.CancelScope, bool]]] = {}
        self._left: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def during(self, holder: str, *, at_once: bool) -> Iterator[trio.CancelScope]:
        """Register a request during the block. `end` cancels the block: `at_once`, or after some time."""
        scopes = self._scopes.setdefault(holder, {})
        with trio.CancelScope() as scope:
            scopes[scope] = at_once
            try:
                yield scope
            finally:
                del scopes[scope]
                if not scopes and self._scopes.get(holder) is scopes:
                    del self._scopes[holder]
                self._left.unpark_all()

    def __contains__(self, holder: object) -> bool:
        """Return True if the holder has requests."""
        return holder in self._scopes

    async def end(self, holder: str, within_s: float) -> None:
        """End the requests of the holder. Waits until all have ended, also requests that begin in the meantime.

        A request without `at_once` may run for `within_s` seconds before it is cancelled.
        """
        with trio.move_on_after(within_s):
            while holder in self._scopes:
                self._cancel(holder, all_of_them=False)
                await self._left.park()
        while holder in self._scopes:
            self._cancel(holder, all_of_them=True)
            await self._left.park()

    def _cancel(self, holder: str, *, all_of_them: bool) -> None:
        for scope, at_once in self._scopes[holder].items():
            if at_once or all_of_them:
                scope.cancel()

    def __str__(self) -> str:
        return f"{sum(map(len, self._scopes.values()))} requests play"
