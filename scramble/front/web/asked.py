"""Values of an owner task: each query of the owner serves all connections that follow the value.

    class Views(Asked[int]):
        async def ask(self) -> tuple[int, str]: ...     # the version of the value, and its frame, from the owner
        async def work(self) -> None: ...               # waits for changes, and calls `renew` after each

A new follower gets a frame that is at most one pause old (see `front.web.notices`). Each new version of the value goes
to all followers. The owner is asked at most once in a pause: followers that arrive during the pause share a frame.
While there are followers, a task waits for changes.

Safe under concurrency: one task at a time asks the owner. Other tasks that need a frame wait for that task. Everything
else changes between two awaits.
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

    # AF: the notices of the superclass. At the last query of the owner, the value _key had the `version` and the frame
    #     _frame. `renew` was called _wanted times; the last query came after call number _got. The next query may
    #     begin at _renew_at. While there are followers, _working is the scope of the task that waits for changes. The
    #     connections are closed when the changes of _until end.
    # RI: one task at a time asks the owner; that task holds _asking.

    def __init__(self, start_soon: StartSoon, key: str, until: Callable[[], Changes], version: V) -> None:
        """Begin with a `version` that no value has. `until` returns the changes of the owner: a game or a register."""
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
        """Return the current version and frame. Waits for the owner. Raises GameStopped."""
        raise NotImplementedError

    async def work(self) -> None:
        """Call `renew` after each change of the value. Runs until it is cancelled. Raises GameStopped."""
        raise NotImplementedError

    async def renew(self) -> None:
        """Ask for the value, and send it to all followers if it has another version.

        The query begins after this call began. Waits for the pause, and for the owner. Raises GameStopped.
        """
        self._wanted += 1
        mine = self._wanted
        while self._got < mine:
            await trio.sleep_until(self._renew_at)
            await self._ask_if_due()

    async def _ask_if_due(self) -> None:
        async with self._asking:
            if trio.current_time() < self._renew_at:
                return  # another task has asked
            wanted = self._wanted
            version, self._frame = await self.ask()
            self._got = wanted
            if version != self.version:
                self.version = version
                self.put(self._key, self._frame)
            self._renew_at = trio.current_time() + self.pause_s()

    # --- as a feed ---

    def take(self, follower: Follower) -> Sequence[str] | None:
        """Return the next notice for a follower; None if it is new."""
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
