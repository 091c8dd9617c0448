"""Broadcast of a running game's frames to any number of connections. Each change is encoded once for all connections.

    broadcast = Broadcast(game, snapshot=snapshot_frame, change=change_frame)     # one broadcast for all connections

    follower = broadcast.follower(link)                                           # one follower for each connection
    reason = await follower.begin()

A connection first gets a snapshot frame with the complete public state, and then a change frame for each change. The
game's owner calls the broadcast after each batch (`Changes.watched`), without a task between them. The game has a
bounded history of changes, and the broadcast stores the position of each slow connection in that history. So a slow
connection needs no queue, and does not delay other connections. A connection that is more than `MOST_UNSENT` changes
behind gets a new snapshot frame, and then the changes after it. With `joined`, a connection that is less far behind
gets one frame with all missed changes. The cost grows with the number of frames. So an overloaded
server sends fewer, larger frames, and its delay does not grow.

There is no gap and no overlap between a snapshot and the changes after it: the game returns the snapshot together with
the follower that begins right after it (`Actor.follow`). The game's version cannot mark that position, because a change
of control repeats the version before it. Changes from before the snapshot would show an old state only for a moment,
because each change has the full new content of its cells.

Safe under concurrency: frames and positions are shared, and change only between two awaits. The exception is a new
snapshot frame: one task at a time makes it, and the other tasks that need the frame wait.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Generic, Protocol, TypeVar

import trio

from scramble.front.web.feed import NEW, Feed, FeedSocket, Follower, encoded
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change
from scramble.server.http.direct_write import Outlet, write_to_all
from scramble.server.traffic import Traffic

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)

FAR: Final = -2  # the position of a follower that was too far behind: its next frame is a snapshot

MOST_UNSENT = 64
"""Limit of unsent changes. A connection above it gets a snapshot frame. The frames of this many changes are cached."""

SNAPSHOT_REUSE = 16
"""Greatest age, in changes, of a cached snapshot frame for slow connections. So hundreds of slow connections cost one
snapshot in this many changes. The age is much less than `MOST_UNSENT`: otherwise a connection would be too far behind
again right after the snapshot."""


class Announcement(str):
    """A frame that announces a change. A snapshot frame must follow, because the change requires it."""


class Followed(Protocol[S_co]):
    """A game with snapshots and changes, for example a `Game`."""

    async def follow(self) -> tuple[S_co, Changes]:
        """Return a snapshot of the public state, and the changes after it."""

    async def ping(self) -> None:
        """Wait until the game's owner has answered all earlier requests, and has published their changes."""


class Viewer(Follower, Generic[S]):
    """A connection that shows a game."""

    # AF: a follower. `finish` makes its snapshot frames. If `finish` is None, it gets the shared snapshot frames.

    __slots__ = ("finish",)

    def __init__(
        self, feed: Broadcast[S], link: FeedSocket, player: str | None, finish: Callable[[str, S], str] | None
    ) -> None:
        super().__init__(feed, link, player)
        self.finish: Final = finish


class Broadcast(Feed, Generic[S]):
    """The encoded frames of one game, for all its connections. Any number of broadcasts may follow one game."""

    # AF: the public state of a game. _latest is (frame, snapshot, follower of the changes after the snapshot) for the
    #     latest snapshot frame. _frames[n % MOST_UNSENT] is (numbers, frame of the changes with these numbers) for a
    #     recently encoded range of changes. The range begins with n. _own is (snapshot, its frames for single players).
    #     The game counts _represented connections as its followers: the connections that are up to date.
    # RI: the range of numbers in _frames[i] is empty, or begins with a number congruent to i modulo MOST_UNSENT. The
    #     range has one number unless _joined. The follower in _latest never advances.
    # Safety from exposure: frames are strings, and snapshots are immutable. Callers get forks of followers.

    def __init__(
        self,
        game: Followed[S],
        *,
        snapshot: Callable[[S], str],
        change: Callable[[Change], str | None],
        own: Callable[[S], Mapping[str, str]] | None = None,
        joined: bool = False,
        traffic: Traffic | None = None,
    ) -> None:
        """`snapshot` encodes a snapshot, and `change` encodes a change.

        `change` returns "" for an invisible change, None for a change that requires a snapshot frame, and an
        `Announcement` for a frame before a snapshot frame. `own` returns a frame for each player with private content.
        The shared snapshot frame does not have that content. All three are pure functions. Each is called once for a
        snapshot or a change, for all connections together. With `joined`, a change may have the events of several
        commands. `traffic` counts the connections that fall behind.
        """
        super().__init__()
        self._game: Final = game
        self._traffic: Final = traffic or Traffic()
        self._encode_snapshot: Final = snapshot
        self._encode_change: Final = change
        self._encode_own: Final = own
        self._own: tuple[S, Mapping[str, str]] | None = None
        self._joined: Final = joined
        self._frames: list[tuple[range, str | None]] = [(range(0), None)] * MOST_UNSENT
        self._latest: tuple[str, S, Changes] | None = None
        self._making: Final = trio.Lock()
        self._represented = 0

    def follower(
        self, link: FeedSocket, name: str | None = None, *, finish: Callable[[str, S], str] | None = None
    ) -> Viewer[S]:
        """Return a follower for one connection. The caller begins the follower. Its first frame is a snapshot.

        If `own` has a frame for the player `name`, that frame follows each snapshot frame. Games with a different
        snapshot frame for each connection need `finish`: it makes that frame from the shared frame and the snapshot.
        """
        viewer = Viewer(self, link, name, finish)
        self.add(viewer)
        return viewer

    async def latest(self, *, reuse: int = 0) -> tuple[str, S, Changes]:
        """Return the latest snapshot frame, its snapshot, and a follower for the changes after it.

        Makes a new snapshot only if more than `reuse` changes have happened since the last snapshot. With `reuse` 0 the
        result is as new as an answer of the owner: the broadcast queries the owner even without new changes, because
        in a cluster another process may have become the owner, unknown to this process. Waits for the owner task.
        Raises GameClosed or GameStopped if the owner task has ended.
        """
        shared = self._making.locked() or (self._latest is not None and not self._latest[2].behind)
        if reuse == 0 and shared:
            await self._game.ping()  # afterwards all earlier changes have arrived, or the changes have ended
        async with self._making:
            latest = self._latest
            if latest is None or latest[2].behind > reuse or latest[2].ended:
                snapshot, changes = await self._game.follow()
                self._latest = self._encode_snapshot(snapshot), snapshot, changes
            assert self._latest is not None
            frame, snapshot, changes = self._latest
            return frame, snapshot, changes.fork()

    # --- as a feed ---

    @property
    def end(self) -> int:
        """The number of the next change."""
        return 0 if self._changes is None else self._changes.position + self._changes.behind

    def take(self, follower: Follower) -> Sequence[str] | None:
        """Return the frame of the next changes for a follower; None if the follower needs a snapshot."""
        while 0 <= follower.position < self.end:
            if self.end - follower.position > MOST_UNSENT:
                self._traffic.fallen_behind["websocket"] += 1
                self._changes_from(follower.position).take()  # counts the changes that the history has dropped
                follower.position = FAR
                break
            frame, position = self._frame(follower.position)
            follower.position = position if type(frame) is str else NEW
            if frame:
                return (frame,)
        return None if follower.position < 0 else ()

    async def snapshot(self, follower: Follower) -> Sequence[str]:
        """Return the snapshot frame for a follower, and the frame of `own` for its player.

        Waits for the owner. Raises GameStopped.
        """
        assert isinstance(follower, Viewer)
        frame, snapshot, changes = await self.latest(reuse=SNAPSHOT_REUSE if follower.position == FAR else 0)
        follower.position = changes.position
        self.watch(changes.fork)
        if follower.finish is not None:
            frame = follower.finish(frame, snapshot)
        own = None if follower.name is None else self._own_frame(snapshot, follower.name)
        return (frame,) if own is None else (frame, own)

    def write(self, first: int) -> Collection[Outlet]:
        """Write the changes with the numbers from `first` to all followers that are up to date.

        If the changes are too many or need a snapshot, writes nothing, and returns the outlets of these followers.
        """
        frames: list[str] = []
        end = self.end
        if end - first > MOST_UNSENT:
            return list(self._ready)
        while first < end:
            frame, first = self._frame(first)
            if frame is None or isinstance(frame, Announcement):
                return list(self._ready)
            if frame:
                frames.append(frame)
        return write_to_all(self._ready, encoded(frames))

    def moved(self) -> None:
        """Report the number of connections that are up to date to the game. The game counts them as followers."""
        if self._changes is not None:
            self._changes.represent(len(self._ready) - self._represented)
            self._represented = len(self._ready)

    def _frame(self, first: int) -> tuple[str | None, int]:
        """Return the frame of the change with the number `first`, and the number of the next change after the frame.

        The frame is "" for an invisible change, and None for a change that requires a snapshot frame. If changes are
        joined, the frame has all changes until now.
        """
        end = self.end if self._joined else first + 1
        numbers, frame = self._frames[first % MOST_UNSENT]
        if numbers != range(first, end):
            changes = self._changes_from(first)
            frame = self._encode_change(_join([changes.take() for _ in range(first, end)]))
            self._frames[first % MOST_UNSENT] = range(first, end), frame
        return frame, end

    def _changes_from(self, position: int) -> Changes:
        assert self._changes is not None
        changes = self._changes.fork()
        changes.move_to(position)
        return changes

    def _own_frame(self, snapshot: S, player: str) -> str | None:
        """Return the frame of `own` for the player; None if the player has no private content in `snapshot`."""
        if self._encode_own is None:
            return None
        if self._own is None or self._own[0] is not snapshot:
            self._own = snapshot, self._encode_own(snapshot)
        return self._own[1].get(player)


def _join(changes: Sequence[Change]) -> Change:
    if len(changes) == 1:
        return changes[0]
    return Change(changes[-1].version, tuple(event for change in changes for event in change.events))
