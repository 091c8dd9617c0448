"""A game's public past: the latest changes, and any number of followers, each at its own place in them.

A follower is a position, not a queue: it costs nothing, is never in the owner's way, and cannot make anything grow. One
that falls behind by more than is kept loses the oldest changes, and is told how many.

Safe under concurrency: the owner task alone publishes, announces and ends; followers only read, and move their own
position; all of this happens between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from scramble.core import Change
from scramble.errors import GameClosed, GameStopped

HISTORY_SIZE = 1024
"""Changes kept for followers. One that falls further behind is told how many it has missed."""


class History:
    """The changes of one game. Mutable; written by its owner task alone."""

    # AF: `published` changes, of which _kept[i % HISTORY_SIZE] is the change number i for the last HISTORY_SIZE numbers
    #     below `published`; _unannounced: some of them came after the last wake-up of those in _followers, who wait for
    #     the next. Followers that were too slow have lost `missed` changes, all counted together. Once `end` was
    #     called, no more will come, and _ended makes the error that says why.
    # RI: len(_kept) == min(published, HISTORY_SIZE).
    # Safety from exposure: changes are immutable.

    def __init__(self) -> None:
        self.published = 0
        self.missed = 0
        self._kept: Final[list[Change]] = []
        self._unannounced = False
        self._followers: Final = trio.lowlevel.ParkingLot()
        self._ended: Callable[[], GameStopped] | None = None

    def publish(self, change: Change) -> None:
        """Add a change. Followers hear of it when `announce` is called next, or when they ask."""
        if self.published < HISTORY_SIZE:
            self._kept.append(change)
        else:
            self._kept[self.published % HISTORY_SIZE] = change
        self.published += 1
        self._unannounced = True

    def announce(self) -> None:
        """Wake the followers, if there is anything that they do not know: once a batch, and not once a change."""
        if self._unannounced:
            self._unannounced = False
            self._followers.unpark_all()

    @property
    def followers(self) -> int:
        """How many tasks wait for the next change."""
        return len(self._followers)

    def end(self, error: Callable[[], GameStopped]) -> None:
        """There will be no more changes, because of what `error()` says. Wakes the followers."""
        self._ended = error
        self._followers.unpark_all()

    async def news(self) -> bool:
        """Wait for the next announcement; False if there will be none, as the game was closed.

        Raises GameStopped if the game has died. Not a checkpoint if the game has ended.
        """
        if self._ended is None:
            await self._followers.park()
            return True
        error = self._ended()
        if isinstance(error, GameClosed):
            return False
        raise error

    @property
    def ended(self) -> bool:
        """Whether there will be no more changes."""
        return self._ended is not None

    def get(self, position: int) -> Change:
        """The change number `position`, which is published, or the oldest one kept after it: `missed` tells."""
        missed = max(0, self.published - HISTORY_SIZE - position)
        self.missed += missed
        change = self._kept[(position + missed) % HISTORY_SIZE]
        return Change(change.version, change.events, missed) if missed else change


class Changes:
    """The changes of a game from some moment on: an asynchronous iterator. Made by `Actor.subscribe` and `follow`.

    Bounded and never in the owner's way: a follower that falls more than `HISTORY_SIZE` changes behind
    loses the oldest, and the next change it gets says in `missed` how many. Ends when the game is closed;
    raises `GameStopped` if the owner dies. If cancelled while waiting, no change is lost.
    """

    # AF: the changes number _position, _position + 1, ... of _history.
    # RI: 0 <= _position <= _history.published.

    def __init__(self, history: History, position: int | None = None) -> None:
        self._history: Final = history
        self._position = history.published if position is None else position

    @property
    def position(self) -> int:
        """The number of the next change. A game's changes are numbered from 0, without gaps, unlike its versions."""
        return self._position

    @property
    def behind(self) -> int:
        """How many changes have happened that were not yet handed out."""
        return self._history.published - self._position

    def fork(self) -> Changes:
        """Another follower, at the same place."""
        return Changes(self._history, self._position)

    def catch_up(self) -> None:
        """Skip all that has happened by now."""
        self._position = self._history.published

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        """The next change. Waits for one if there is none yet; always a checkpoint."""
        if self.behind or self._history.ended:
            await trio.lowlevel.checkpoint()
        while not self.behind:  # somebody else may take what woke us
            if not await self._history.news():
                raise StopAsyncIteration
        return self._next()

    def pending(self) -> list[Change]:
        """All changes that have already happened and were not yet handed out, oldest first. Does not wait."""
        return [self._next() for _ in range(min(self.behind, HISTORY_SIZE))]

    def _next(self) -> Change:
        change = self._history.get(self._position)
        self._position += change.missed + 1
        return change
