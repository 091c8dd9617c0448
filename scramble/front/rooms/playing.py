"""Requests that play in a room, by holder. When a player is removed, the player's requests end.

    with playing.during(holder, at_once=True) as scope:     around the handler of a request
        response = await handle()
    if scope.cancelled_caught: ...                          the player was removed

    await playing.end(holder, within_s)     now the player's waiting commands are withdrawn

Safe under concurrency: the sets change between two awaits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import trio


class PlayingRequests:
    """The requests, and WebSockets, that play in one room. Mutable."""

    # AF: _scopes has the requests of each holder. When the holder is removed, requests with True are cancelled at once;
    #     requests with False have some time to end by themselves.
    # RI: no holder has an empty dict.

    def __init__(self) -> None:
        self._scopes: Final[dict[str, dict[trio.CancelScope, bool]]] = {}
        self._left: Final = trio.lowlevel.ParkingLot()

    @contextmanager
    def during(self, holder: str, *, at_once: bool) -> Iterator[trio.CancelScope]:
        """Register a request during the block. `end` cancels the block: `at_once`, or after some time to end itself."""
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
        """Return True if that holder has requests."""
        return holder in self._scopes

    async def end(self, holder: str, within_s: float) -> None:
        """End the requests of that holder. Waits until there are no more, including requests that begin meanwhile.

        Requests that are not `at_once` may run for `within_s` seconds before they are cancelled.
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
