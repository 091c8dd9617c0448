"""Values of an owner task, for many connections. One query of the owner serves all connections that follow a value.

    class Views(Asked[int]):
        async def ask(self) -> tuple[int, str]: ...     # queries the owner: the value's version and frame
        async def work(self) -> None: ...               # waits for changes, and calls `renew` after each

A new follower gets a frame that is at most one pause old (see `front.web.notices`). Each new version of the value goes
to all followers. The feed queries the owner at most once in a pause. Followers that arrive in the pause share a frame.
While there are followers, a task waits for changes.

Safe under concurrency: one task at a time queries the owner. Other tasks that need a frame wait for that task. All
other state changes only between two awaits.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

import trio

from scramble.errors import GameStopped
from scramble.front.web.feed import NEW, Follower
from scramble.front.web.notices import Notices
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import StartSoon
from scramble.logs import LogEntry
from scramble.server.http.closing import FAILED_CLOSE, end_of_game

V = TypeVar("V")

logger = logging.getLogger(__name__)


class Asked(Notices, Generic[V]):
    """A value of an owner, other values and events, and their followers. Mutable."""

    # AF: the notices of the superclass, and the value _key. At the last query of the owner, the value had the `version`
    #     and the frame _frame. `renew` was called _wanted times. The last query came after call number _got. The next
    #     query may begin at _renew_at. While there are followers, _working is the scope of the task that waits for
    #     changes. The end of the changes of _until closes the connections.
    # RI: one task at a time queries the owner. That task holds _asking.

    def __init__(self, start_soon: StartSoon, key: str, until: Callable[[], Changes], version: V) -> None:
        """`version` differs from the versions of all values. `until` returns the changes of the owner."""
        super().__init__(start_soon)
        self.version = version
        self._key: Final = key
        self._until: Final = until
        self._frame = ""
        self._wanted = 0
        self._got = 0
        self._renew_at = -math.inf
        self._asking: Final = trio.Lock()
        self._working: trio.CancelScope | None = None

    # --- for subclasses ---

    async def ask(self) -> tuple[V, str]:
        """Query the owner for the current version and frame. Waits for the owner. Raises GameStopped."""
        raise NotImplementedError

    async def work(self) -> None:
        """Call `renew` after each change of the value, until cancelled. Raises GameStopped."""
        raise NotImplementedError

    async def renew(self) -> None:
        """Query the value. Send it to all followers if its version has changed.

        The query begins after the begin of this call. Waits for the pause, and for the owner. Raises GameStopped.
        """
        self._wanted += 1
        mine = self._wanted
        while self._got < mine:
            await trio.sleep_until(self._renew_at)
            await self._ask_if_due()

    async def _ask_if_due(self) -> None:
        async with self._asking:
            if trio.current_time() < self._renew_at:
                return  # another task has queried the owner
            wanted = self._wanted
            version, self._frame = await self.ask()
            self._got = wanted
            if version != self.version:
                self.version = version
                self.put(self._key, self._frame)
            self._renew_at = trio.current_time() + self.pause_s()

    # --- as a feed ---

    def take(self, follower: Follower) -> Sequence[str] | None:
        """Return the next notice for a follower; None if the follower is new."""
        return None if follower.position == NEW else super().take(follower)

    async def snapshot(self, follower: Follower) -> Sequence[str]:
        """Return the frames for a new follower: the value, and then the events and the other values.

        Waits for the owner. Raises GameStopped.
        """
        await self._ask_if_due()
        return (self._frame, *self.all_for(follower, but=self._key))

    def add(self, follower: Follower) -> Follower:
        """Add a follower that has not begun, and return it."""
        super().add(follower)
        self.watch(self._until)
        if self._working is None:
            self._working = trio.CancelScope()
            self._start_soon(partial(self._run, self._working))
        return follower

    def remove(self, follower: Follower) -> None:
        """Remove a follower (`Follower.leave`)."""
        super().remove(follower)
        if not self._followers and self._working is not None:
            self._working.cancel()
            self._working = None

    async def _run(self, scope: trio.CancelScope) -> None:
        with scope:
            try:
                await self.work()
            except GameStopped as stopped:
                self.close_all(end_of_game(stopped))
            except Exception as error:  # a bug must not end the game
                logger.error(LogEntry("frames-failed", connections=self.connections), exc_info=error)
                self.close_all(FAILED_CLOSE)
        if self._working is scope:
            self._working = None
