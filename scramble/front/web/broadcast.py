"""A running game as frames for any number of connections, each change encoded once for all of them.

    broadcast = Broadcast(game, snapshot=snapshot_frame, change=change_frame)     # one for all connections

    follower = broadcast.follower(link)                                           # of each connection
    reason = await follower.begin()

A connection first gets a snapshot frame, which has everything public, and then a change frame for each change. There is
no task in the middle and no queue for each connection: one that is behind is a position in the game's own bounded
history of changes, and the game's owner calls the broadcast after each batch (`Changes.watched`). So a connection that
reads slowly costs nothing, delays no other, and makes nothing grow. More than `MOST_UNSENT` changes behind, it
gets a snapshot frame again, and continues from there. Where several changes can be `joined` in one frame, a connection
that is less far behind gets one frame for all that it has missed: sending is what costs, so a server that cannot send
as many frames sends larger ones, instead of later and later ones.

Snapshots and changes fit together without a gap and without an overlap, because a snapshot comes with the follower that
begins right after it (`Actor.follow`). The game's version could not join them: a change of control only repeats the
version before it. Sending from an earlier change on would do no lasting harm, as each change has the full new content
of its cells, but it would show an old state for a moment.

Safe under concurrency: frames and positions are shared, and change only between two awaits. Making a snapshot frame
takes longer; one task at a time does it while the others that need one wait for it.
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

FAR: Final = -2  # the position of a follower that gets a snapshot next because it was too far behind

MOST_UNSENT = 64
"""Changes that a connection may be behind before it gets a snapshot frame instead. Frames are kept for as many."""

SNAPSHOT_REUSE = 16
"""Changes after which a snapshot frame is too old for connections that fell behind: with hundreds of these it is
encoded once in so many changes. Much less than `MOST_UNSENT`, or they would be behind again at once."""


class Announcement(str):
    """A frame that announces a change, before the snapshot frame that the change requires."""


class Followed(Protocol[S_co]):
    """A game that can be followed: every `Game` can."""

    async def follow(self) -> tuple[S_co, Changes]:
        """Return a snapshot of everything public, and the changes after it."""

    async def ping(self) -> None:
        """Wait until the game's owner has answered everything before this, and its changes are published."""


class Viewer(Follower, Generic[S]):
    """A connection that is shown a game."""

    # AF: as of a follower, whose snapshot frames `finish` makes, if it is not None.

    __slots__ = ("finish",)

    def __init__(
        self, feed: Broadcast[S], link: FeedSocket, player: str | None, finish: Callable[[str, S], str] | None
    ) -> None:
        super().__init__(feed, link, player)
        self.finish: Final = finish


class Broadcast(Feed, Generic[S]):
    """The encoded frames that all connections to one game share. Any number of broadcasts may follow one game."""

    # AF: the public state of a game: _latest is (frame, snapshot, follower from that snapshot on) of the snapshot frame
    #     made last; _frames[n % BACKLOG] is (numbers, frame of the changes with these numbers) for changes that were
    #     encoded lately, of which n is the first; _own has the frames for single players that belong to a snapshot.
    #     Of the game's followers _represented are connections that are up to date.
    # RI: the range of numbers in _frames[i] is empty, or begins with a number congruent to i modulo BACKLOG; it has one
    #     number unless _joined; the follower in _latest is never advanced.
    # Safety from exposure: frames are strings and snapshots immutable; followers of changes are handed out as forks.

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
        """`snapshot` encodes a snapshot, `change` a change.

        `change` returns "" for a change that nobody sees, None for one that requires a snapshot frame, and an
        `Announcement` to be sent before a snapshot frame. `own` returns, by player, frames with what a snapshot frame
        leaves out and concerns that player alone. All are pure, and called once for each snapshot and change, for all
        connections together. With `joined`, `change` also gets the events of several commands in one change.
        Connections that fall behind are counted in `traffic`.
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
        """Return a follower for one connection, to begin: its first frame is a snapshot.

        If the player `name` has a frame of its own, that follows each snapshot frame. `finish` is for games whose
        snapshot frame is different for each connection: it makes that frame of the shared one and the snapshot.
        """
        viewer = Viewer(self, link, name, finish)
        self.add(viewer)
        return viewer

    async def latest(self, *, reuse: int = 0) -> tuple[str, S, Changes]:
        """Return the latest snapshot frame, its snapshot, and a follower for the changes after it.

        Makes a new one only if more than `reuse` changes have happened since the last. With `reuse` 0 it is as fresh as
        an answer of the owner, who is asked in either case: of a cluster, another process may be the owner by now, and
        this one yet to hear of it. Waits for the owner task. Raises GameClosed or GameStopped if that has ended.
        """
        shared = self._making.locked() or (self._latest is not None and not self._latest[2].behind)
        if reuse == 0 and shared:
            await self._game.ping()  # after which all changes before it are here, or the changes have ended
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
        """Return the frame of the next changes for a follower. None if it needs a snapshot."""
        while 0 <= follower.position < self.end:
            if self.end - follower.position > MOST_UNSENT:
                self._traffic.fallen_behind["websocket"] += 1
                self._changes_from(follower.position).take()  # which counts those that the history has no longer
                follower.position = FAR
                break
            frame, position = self._frame(follower.position)
            follower.position = position if type(frame) is str else NEW
            if frame:
                return (frame,)
        return None if follower.position < 0 else ()

    async def snapshot(self, follower: Follower) -> Sequence[str]:
        """Return the snapshot frame for a follower, and its own one. Waits for the owner. Raises GameStopped."""
        assert isinstance(follower, Viewer)
        frame, snapshot, changes = await self.latest(reuse=SNAPSHOT_REUSE if follower.position == FAR else 0)
        follower.position = changes.position
        self.watch(changes.fork)
        if follower.finish is not None:
            frame = follower.finish(frame, snapshot)
        own = None if follower.name is None else self._own_frame(snapshot, follower.name)
        return (frame,) if own is None else (frame, own)

    def write(self, first: int) -> Collection[Outlet]:
        """Write the changes from the number `first` on to all that are up to date.

        All have to get them by tasks of their own if these are too many, or a snapshot is needed.
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
        """Count the followers of the game that are up to date."""
        if self._changes is not None:
            self._changes.represent(len(self._ready) - self._represented)
            self._represented = len(self._ready)

    def _frame(self, first: int) -> tuple[str | None, int]:
        """Return the frame of the change of that number, and the number of the next one that it does not have.

        It is "" for a change that nobody sees, and None for one that requires a snapshot frame. With joined changes it
        has all that have happened.
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
        """Return the frame that follows the frame of `snapshot` for this player alone, if there is one."""
        if self._encode_own is None:
            return None
        if self._own is None or self._own[0] is not snapshot:
            self._own = snapshot, self._encode_own(snapshot)
        return self._own[1].get(player)


def _join(changes: Sequence[Change]) -> Change:
    if len(changes) == 1:
        return changes[0]
    return Change(changes[-1].version, tuple(event for change in changes for event in change.events))
