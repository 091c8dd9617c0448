"""The history of a game: its latest public changes. Any number of followers read it, each at its own position.

A follower is a position, not a queue. So it needs almost no memory, and never delays the owner. If a follower falls
behind the oldest stored change, it loses changes, and gets the number of lost changes.

Safe under concurrency: only the owner task publishes, announces and ends. Followers only read, and move their own
positions. Each of these operations happens between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final

import trio

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.protocol import Change

HISTORY_SIZE = 1024
"""Number of changes stored for followers. If a follower falls further behind, it loses changes."""


class History:
    """The changes of one game. Mutable; only the owner task writes it."""

    # AF: `published` is the number of changes. _stored[i % HISTORY_SIZE] is the change number i, for the last
    #     HISTORY_SIZE numbers below `published`. The tasks in _followers wait for the next change. Some of them
    #     represent other tasks, `represented` in total. The last _unannounced changes came after the last wake-up of
    #     _followers. Slow followers have lost `missed` changes in total. Each batch calls the functions in _watching.
    #     After `end` no more changes come, and _ended creates the error with the reason.
    # RI: len(_stored) == min(published, HISTORY_SIZE); _unannounced <= HISTORY_SIZE; represented >= 0.
    # Safety from exposure: changes are immutable.

    def __init__(self) -> None:
        self.published = 0
        self.missed = 0
        self.represented = 0
        self._stored: Final[list[Change]] = []
        self._unannounced = 0
        self._followers: Final = trio.lowlevel.ParkingLot()
        self._watching: Final[list[Callable[[], None]]] = []
        self._ended: Callable[[], GameStopped] | None = None

    def publish(self, change: Change) -> None:
        """Add a change. Followers get it after the next `announce`, or at their next read.

        If unannounced changes fill the history, announces them first: otherwise the watchers would lose a change.
        """
        if self._unannounced == HISTORY_SIZE:
            self.announce()
        if self.published < HISTORY_SIZE:
            self._stored.append(change)
        else:
            self._stored[self.published % HISTORY_SIZE] = change
        self.published += 1
        self._unannounced += 1

    def announce(self) -> None:
        """Wake the followers if changes came since the last call. The owner calls this once a batch, not once a change.

        Always calls the watchers.
        """
        if self._unannounced:
            self._unannounced = 0
            self._followers.unpark_all()
        for watch in self._watching:
            watch()

    @property
    def followers(self) -> int:
        """The number of tasks that wait for the next change, directly or through another task."""
        return len(self._followers) + self.represented

    def end(self, error: Callable[[], GameStopped]) -> None:
        """End the history: no more changes will come. `error()` returns the reason. Wakes the followers."""
        self._ended = error
        self._followers.unpark_all()
        for watch in self._watching:
            watch()

    def watched(self, watch: Callable[[], None]) -> AbstractContextManager[None]:
        """During the block, call `watch` after each batch and at the end of the history.

        The call comes after the answers of the batch were sent. A batch with very many changes calls `watch` earlier,
        too, so `watch` can always get all changes.
        """
        return _Watched(self._watching, watch)

    async def wait_for_news(self) -> bool:
        """Wait for the next announcement and return True; return False if the game was closed.

        Raises GameStopped if the game has died. Not a checkpoint if the game has ended.
        """
        error = self.error
        if error is None:
            await self._followers.park()
            return True
        if isinstance(error, GameClosed):
            return False
        raise error

    @property
    def ended(self) -> bool:
        """True if no more changes will come."""
        return self._ended is not None

    @property
    def error(self) -> GameStopped | None:
        """The reason for the end; None before the end. Each call returns a new exception object."""
        return None if self._ended is None else self._ended()

    def get(self, position: int) -> Change:
        """Return the published change number `position`; if it is lost, the oldest stored change, with `missed` set."""
        missed = max(0, self.published - HISTORY_SIZE - position)
        self.missed += missed
        change = self._stored[(position + missed) % HISTORY_SIZE]
        return Change(change.version, change.events, missed) if missed else change


class _Watched(AbstractContextManager[None]):
    """Context manager of a watcher; an object takes less memory than a generator."""

    __slots__ = ("_watch", "_watching")

    def __init__(self, watching: list[Callable[[], None]], watch: Callable[[], None]) -> None:
        self._watching: Final = watching
        self._watch: Final = watch

    def __enter__(self) -> None:
        self._watching.append(self._watch)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watching.remove(self._watch)


class Changes:
    """The changes of a game from a given moment on: an asynchronous iterator. Made by `Actor.subscribe` and `follow`.

    Bounded, and never delays the owner: if a follower falls more than `HISTORY_SIZE` changes behind, it loses the
    oldest changes. `missed` of its next change is the number of lost changes. The iterator ends when the game is
    closed, and raises `GameStopped` if the owner dies. A cancelled wait loses no change.
    """

    # AF: the changes number _position, _position + 1, ... of _history.
    # RI: 0 <= _position <= _history.published.

    def __init__(self, history: History, position: int | None = None) -> None:
        self._history: Final = history
        self._position = history.published if position is None else position

    @property
    def position(self) -> int:
        """The number of the next change. Changes are numbered from 0 without gaps, unlike the versions of a game."""
        return self._position

    @property
    def behind(self) -> int:
        """The number of published changes that this follower has not returned yet."""
        return self._history.published - self._position

    def fork(self) -> Changes:
        """Return another follower at the same position."""
        return Changes(self._history, self._position)

    def catch_up(self) -> None:
        """Skip all changes published so far."""
        self._position = self._history.published

    def move_to(self, position: int) -> None:
        """Continue with the change number `position`. It must be at most the number of the next published change."""
        self._position = position

    @property
    def ended(self) -> bool:
        """True if no more changes will be published."""
        return self._history.ended

    @property
    def error(self) -> GameStopped | None:
        """The reason for the end, which may be `GameClosed`; None if more changes may be published."""
        return self._history.error

    def watched(self, watch: Callable[[], None]) -> AbstractContextManager[None]:
        """During the block, call `watch` after each batch of the owner, and at the end of the history.

        The call comes after the answers of the batch were sent. A batch with very many changes calls `watch` earlier,
        too. So a watcher that takes the `pending` changes in each call loses no change.

        The owner calls `watch`, so `watch` must not wait or raise. With it, forwarding changes needs no task.
        """
        return self._history.watched(watch)

    def represent(self, others: int) -> None:
        """Add `others` to the number of followers: this follower also waits for them. `others` may be negative."""
        self._history.represented += others

    async def wait(self) -> None:
        """Wait for the next announcement, unless a change is ready or the history has ended.

        Afterwards there may still be no change: another task with the same follower may have taken it. A checkpoint
        only if it waits.
        """
        if not self.behind and not self._history.ended:
            await self._history.wait_for_news()

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        """Return the next change. Waits for it; always a checkpoint."""
        if self.behind or self._history.ended:
            await trio.lowlevel.checkpoint()
        while not self.behind:  # another task with the same follower may take the change
            if not await self._history.wait_for_news():
                raise StopAsyncIteration
        return self.take()

    def pending(self) -> list[Change]:
        """Return all published changes that this follower has not returned yet, oldest first. Does not wait."""
        return [self.take() for _ in range(min(self.behind, HISTORY_SIZE))]

    def take(self) -> Change:
        """Return the oldest published change that this follower has not returned yet. Requires `behind` > 0."""
        change = self._history.get(self._position)
        self._position += change.missed + 1
        return change
