"""Numbered frames for any number of connections. A feed encodes a frame once, and writes it to all ready sockets.

    follower = feed.follower(link)          # one follower for each connection
    reason = await follower.begin()         # sends the current frames; if there is a reason, close the connection
    feed.tell()                             # writes new frames to all followers
    follower.leave()                        # before the nursery of the connection ends

A `Feed` sends the frames that several connections share. Its subclasses make the frames: `Broadcast` makes the changes
of a game, `Notices` makes events and values, `Asked` makes the value of an owner. A follower that is up to date needs
no task and no position: `tell` encodes the next frames once, and writes the bytes to the sockets of all these followers
(see `server.http.direct_write`).

A socket refuses the frames if it is full, if another send is in progress, or if it has no outlet. A task in the nursery
of the connection then sends the frames to that follower. The task ends when the follower is up to date. So a slow
reader delays no other connection, and needs no queue: it gets a snapshot or the latest frame in place of many frames.

The source of new frames calls `tell`, for example the owner task of a game. So `tell` does not wait, and does not
raise. If an encoder raises, the feed logs the error, and closes the connections with 1011.

Safe under concurrency: all state changes between two awaits.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final, Protocol, TypeAlias

import trio

from scramble.errors import GameStopped
from scramble.kernel.changes import Changes
from scramble.logs import LogEntry
from scramble.server.http.closing import FAILED_CLOSE, CloseReason, end_of_game
from scramble.server.http.direct_write import Outlet, closed_outlet, text_frame

NEW: Final = -1  # the position of a new follower: its next frame is a snapshot

BesideTask: TypeAlias = Callable[[], Awaitable[CloseReason | None]]
"""A task of a connection. If it returns a reason, the connection is closed with that reason."""

Unsubscribe: TypeAlias = Callable[[], object]
"""Function that ends one subscription of a connection. Must not wait or raise: other functions are called after it."""

logger = logging.getLogger(__name__)


class FeedSocket(Protocol):
    """The part of a connection that feeds use."""

    @property
    def outlet(self) -> Outlet | None:
        """The outlet for direct writes to the socket; None: the socket has no outlet."""

    async def send(self, frame: str, /) -> None:
        """Send a frame. Waits until the kernel has accepted the frame."""

    def start_soon(self, task: BesideTask, /) -> None:
        """Run a task in the nursery of the connection."""


class Follower:
    """One connection that follows a feed. Mutable."""

    # AF: the connection `link` follows `feed` under `name`. A follower that is not `busy` has got all frames, and the
    #     feed writes to its outlet. A `busy` follower has not begun, is being closed, or has a task. The task sends the
    #     frames with numbers from `position` (NEW: a snapshot first). The follower has got all frames below the number
    #     `got`, or began after them. If `reason` is not None, the connection is closed with it after its frames.

    __slots__ = ("busy", "feed", "got", "link", "name", "outlet", "position", "reason")

    def __init__(self, feed: Feed, link: FeedSocket, name: str | None) -> None:
        """Only for `Feed.follower`. A link without an outlet gets a closed outlet."""
        self.feed: Final = feed
        self.link: Final = link
        self.name: Final = name
        self.outlet: Final = link.outlet or closed_outlet()
        self.got = feed.end
        self.position = NEW
        self.busy = True
        self.reason: CloseReason | None = None

    async def begin(self, frames: Sequence[str] = ()) -> CloseReason | None:
        """Send `frames`, and then the feed's current frames. Waits until all are sent. The feed writes later frames.

        Returns the reason if the connection must be closed. Returns None at once if the follower has left.
        """
        try:
            while True:
                for frame in frames:
                    if not self.follows:
                        return None
                    await self.link.send(frame)
                self.got = max(self.got, self.position)
                self.feed.note_progress()
                if not self.follows:
                    return None
                found = self.feed.take(self)
                frames = await self.feed.snapshot(self) if found is None else found
                if not frames:
                    return self.feed.settle(self)
        except GameStopped as stopped:
            return end_of_game(stopped)

    def begin_soon(self) -> None:
        """Send the current frames: at once, or by a task if the socket refuses them. Does not wait."""
        if not self.follows:
            return
        try:
            frames = self.feed.take(self)
        except Exception as error:
            self.feed.fail((self,), error)
            return
        if frames is None or not self.outlet.write(encoded(frames)):
            self.link.start_soon(partial(self.begin, frames or ()))
        elif (reason := self.feed.settle(self)) is not None:
            self.link.start_soon(partial(_return, reason))

    def close(self, reason: CloseReason) -> None:
        """Close the connection after all its frames. Does not wait."""
        self.reason = reason
        self.feed.wake(self)

    def leave(self) -> None:
        """Stop following: get no more frames. Does not wait. A second call has no effect."""
        self.feed.remove(self)

    @property
    def follows(self) -> bool:
        """True until `leave` is called."""
        return self in self.feed._followers

    def __str__(self) -> str:
        return f"{'behind' if self.busy else 'up to date'}{'' if self.reason is None else ', to be closed'}"


class Feed:
    """Numbered frames and their followers. Mutable. Subclasses override the methods below "for subclasses"."""

    # AF: the frames with numbers below `end`, and the followers in _followers. _ready has the followers that have got
    #     all frames below _position, by their outlets. Tasks in _arrived wait until followers have got frames. While
    #     there are followers, the game with the changes _changes calls `tell`, until the context _watching is left.
    #     If _changes is None, the feed has no game.
    # RI: a follower is in _ready if it is in _followers and not busy. _position <= end.

    def __init__(self) -> None:
        self._followers: Final[dict[Follower, None]] = {}
        self._ready: Final[dict[Outlet, Follower]] = {}
        self._position = 0
        self._arrived: Final = trio.lowlevel.ParkingLot()
        self._changes: Changes | None = None
        self._watching: AbstractContextManager[None] | None = None

    # --- for subclasses ---

    @property
    def end(self) -> int:
        """The number of the next frame."""
        raise NotImplementedError

    def take(self, follower: Follower) -> Sequence[str] | None:
        """Return the next frames for a follower, and advance its position. Does not wait.

        The result is empty if the follower is up to date, and None if the follower needs a `snapshot`.
        """
        raise NotImplementedError

    async def snapshot(self, follower: Follower) -> Sequence[str]:
        """Return frames with the complete current state, and advance the follower's position. Raises GameStopped."""
        raise NotImplementedError

    def write(self, first: int) -> Collection[Outlet]:
        """Write the frames with numbers from `first` to all followers that are up to date.

        Returns the outlets of the followers that need a task for these frames.
        """
        raise NotImplementedError

    def moved(self) -> None:
        """Handle a change of the followers: a follower has arrived, left, fallen behind or caught up. Here a no-op."""

    def watch(self, subscribe: Callable[[], Changes]) -> None:
        """Subscribe to a game while there are followers. The game calls `tell`, and its end closes the connections."""
        if self._watching is None and self._followers:
            self._changes = subscribe()
            self._position = self.end
            self._watching = self._changes.watched(self.tell)
            self._watching.__enter__()

    # --- for all ---

    def follower(self, link: FeedSocket, name: str | None = None) -> Follower:
        """Return a new follower. The caller begins the follower."""
        return self.add(Follower(self, link, name))

    def follow(self, link: FeedSocket) -> Unsubscribe:
        """Subscribe a connection. Does not wait. Returns the function that ends the subscription."""
        follower = self.follower(link)
        follower.begin_soon()
        return follower.leave

    def tell(self) -> None:
        """Write all new frames to all followers. Does not wait, and does not raise."""
        first, self._position = self._position, self.end
        left: Collection[Outlet] = ()
        if first < self._position and self._ready:
            try:
                left = self.write(first)
            except Exception as error:  # a bug here must not end the owner task, which calls `tell`
                self.fail(tuple(self._ready.values()), error)
        for outlet in left:
            self._begin_task(self._ready[outlet], first)
        if self._reason is not None:
            for follower in tuple(self._ready.values()):
                self._begin_task(follower, self._position)

    def close_all(self, reason: CloseReason) -> None:
        """Close each connection after all its frames. Does not wait."""
        for follower in tuple(self._followers):
            follower.close(reason)

    async def delivered(self) -> None:
        """Wait until each current follower has left, or has got all frames between its arrival and this call."""
        end = self.end
        while any(follower.busy and follower.got < end for follower in self._followers):
            await self._arrived.park()

    @property
    def connections(self) -> int:
        """The number of connections that follow the feed."""
        return len(self._followers)

    # --- for followers ---

    def add(self, follower: Follower) -> Follower:
        """Add a follower that has not begun, and return it."""
        self._followers[follower] = None
        self.moved()
        return follower

    def remove(self, follower: Follower) -> None:
        """Remove a follower (`Follower.leave`)."""
        if follower in self._followers:
            del self._followers[follower]
            self._ready.pop(follower.outlet, None)
            self.note_progress()
            self.moved()
            if not self._followers and self._watching is not None:
                self._watching.__exit__(None, None, None)
                self._watching = None

    def wake(self, follower: Follower) -> None:
        """Start a task that closes a follower that is up to date."""
        self.tell()  # may start the task already
        if not follower.busy and follower in self._followers:
            self._begin_task(follower, self._position)

    def note_progress(self) -> None:
        """Wake the tasks of `delivered`: a follower has got frames, or has left."""
        self._arrived.unpark_all()

    def settle(self, follower: Follower) -> CloseReason | None:
        """Mark a follower as up to date, so that `tell` writes to it. Or return the reason to close its connection."""
        reason = follower.reason or self._reason
        if reason is None and follower in self._followers:
            self.tell()  # to the other followers
            follower.busy = False
            self._ready[follower.outlet] = follower
            self.note_progress()
            self.moved()
        return reason

    def fail(self, followers: Collection[Follower], error: Exception) -> None:
        """Close the connections of the followers, because their frames cannot be encoded."""
        logger.error(LogEntry("frames-failed", connections=len(followers)), exc_info=error)
        for follower in followers:
            self._take_out(follower, self._position)
            follower.link.start_soon(partial(_return, FAILED_CLOSE))

    @property
    def _reason(self) -> CloseReason | None:
        """The reason to close all connections after the last frame: the game's end. None while the game runs."""
        error = None if self._changes is None else self._changes.error
        return None if error is None else end_of_game(error)

    def _begin_task(self, follower: Follower, position: int) -> None:
        """Start a task that sends frames to a follower, with numbers from `position`. The follower was up to date."""
        self._take_out(follower, position)
        follower.link.start_soon(follower.begin)

    def _take_out(self, follower: Follower, position: int) -> None:
        self._ready.pop(follower.outlet, None)
        follower.position = follower.got = position
        follower.busy = True
        self.moved()

    def __str__(self) -> str:
        return f"{len(self._followers)} followers, {len(self._ready)} of them up to date"


def encoded(frames: Iterable[str]) -> bytes:
    """Encode frames as the bytes that a WebSocket sends."""
    return b"".join(map(text_frame, frames))


async def _return(reason: CloseReason) -> CloseReason:
    return reason
