"""A running game as frames for any number of connections, each change encoded once for all of them.

    broadcast = Broadcast(game, snapshot=snapshot_frame, change=change_frame)     # one for all connections

    async for frame in broadcast.frames():                                        # in a task of each connection
        await websocket.send(frame)

A connection first gets a snapshot frame, which has everything public, and then a change frame for each change. There is
no task in the middle and no queue for each connection: a connection is a position in the game's own bounded history
of changes. So a connection that reads slowly costs nothing, delays no other, and makes nothing grow. If it falls more
than `BACKLOG` changes behind, it gets a snapshot frame again, and continues from there. Where several changes can be
`joined` in one frame, a connection that is less far behind gets one frame for all that it has missed: sending is what
costs, so a server that cannot send as many frames sends larger ones, instead of later and later ones.

Snapshots and changes fit together without a gap and without an overlap, because a snapshot comes with the follower that
begins right after it (`Actor.follow`). The game's version could not join them: a change of control only repeats the
version before it. Sending from an earlier change on would do no lasting harm, as each change has the full new content
of its cells, but it would show an old state for a moment.

Safe under concurrency: frames and followers are shared, and change only between two awaits. Making a snapshot frame
takes longer; one task at a time does it while the others that need one wait for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final, Generic, Protocol, TypeVar

import trio

from scramble.errors import GameClosed
from scramble.front.web.fanout import Fanout
from scramble.front.web.websocket import Leave, Link
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change
from scramble.server.http.outlet import text_frame
from scramble.server.traffic import Traffic

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)

BACKLOG = 64
"""Changes that a connection may be behind before it gets a snapshot frame instead. Frames are kept for as many."""

SNAPSHOT_REUSE = 16
"""Changes after which a snapshot frame is too old for connections that fell behind: with hundreds of these it is
encoded once in so many changes. Much less than `BACKLOG`, or they would be behind again at once."""


class Announcement(str):
    """A frame that announces a change, before the snapshot frame that the change requires."""


class Followed(Protocol[S_co]):
    """A game that can be followed: every `Game` can."""

    async def follow(self) -> tuple[S_co, Changes]:
        """Return a snapshot of everything public, and the changes after it."""

    async def ping(self) -> None:
        """Wait until the game's owner has answered everything before this, and its changes are published."""


class Broadcast(Generic[S]):
    """The encoded frames that all connections to one game share. Any number of broadcasts may follow one game."""

    # AF: the public state of a game: _latest is (frame, snapshot, follower from that snapshot on) of the snapshot frame
    #     made last; _frames[n % BACKLOG] is (numbers, frame of the changes with these numbers) for changes that were
    #     encoded lately, of which n is the first; _own has the frames for single players that belong to a snapshot. The
    #     connections in `fanout` have got everything.
    # RI: the range of numbers in _frames[i] is empty, or begins with a number congruent to i modulo BACKLOG; it has one
    #     number unless _joined; the follower in _latest is never advanced.
    # Safety from exposure: frames are strings and snapshots immutable; followers are handed out as forks.

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
        self._game: Final = game
        self._traffic: Final = traffic or Traffic()
        self._encode_snapshot: Final = snapshot
        self._encode_change: Final = change
        self._encode_own: Final = own
        self._own: tuple[S, Mapping[str, str]] | None = None
        self._joined: Final = joined
        self._frames: list[tuple[range, str | None]] = [(range(0), None)] * BACKLOG
        self._latest: tuple[str, S, Changes] | None = None
        self._making: Final = trio.Lock()
        self.fanout: Final = Fanout(self._pending)

    def let_go(self) -> None:
        """Let go of what refers to this broadcast. It has no connections any more."""
        self.fanout.let_go()

    def frames(self, *, finish: Callable[[str, S], str] | None = None, player: str | None = None) -> Frames[S]:
        """Return all frames for one connection, beginning with a snapshot. Does not wait; nothing needs to be closed.

        They may `rest`: then frames of changes are written to the socket of the connection in their place (see
        `server.http.outlet`).

        `finish` is for games whose snapshot frame is different for each connection: it makes that frame of the shared
        one and the snapshot. If `player` has a frame of its own, that follows each snapshot frame.
        """
        return Frames(self, finish, player)

    async def snapshot(self, *, reuse: int = 0) -> tuple[str, S, Changes]:
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

    def own(self, snapshot: S, player: str) -> str | None:
        """Return the frame that follows the frame of `snapshot` for this player alone, if there is one."""
        if self._encode_own is None:
            return None
        if self._own is None or self._own[0] is not snapshot:
            self._own = snapshot, self._encode_own(snapshot)
        return self._own[1].get(player)

    def count_fallen_behind(self) -> None:
        """Count a connection that has fallen behind."""
        self._traffic.fallen_behind["websocket"] += 1

    def frame(self, change: Change, changes: Changes) -> str | None:
        """Return the frame of `change`, which was just taken from `changes`.

        It is "" for a change that nobody sees, and None for one that requires a snapshot frame. With joined changes all
        others that have happened are taken from `changes` too, and the frame has them all.
        """
        first = changes.position - 1
        rest = changes.pending() if self._joined and changes.behind else ()
        numbers, frame = self._frames[first % BACKLOG]
        if numbers != range(first, changes.position):
            frame = self._encode_change(_join(change, *rest) if rest else change)
            self._frames[first % BACKLOG] = range(first, changes.position), frame
        return frame

    def _pending(self, changes: Changes) -> bytes | None:
        """Take all changes from `changes`, and return the bytes of their frames.

        None if a connection has to get them by itself: it is far behind, or needs a snapshot frame.
        """
        if changes.behind >= BACKLOG:
            return None
        frames: list[bytes] = []
        while changes.behind:
            frame = self.frame(changes.take(), changes)
            if frame is None or isinstance(frame, Announcement):
                return None
            if frame:
                frames.append(text_frame(frame))
        return b"".join(frames)


def _join(*changes: Change) -> Change:
    return Change(changes[-1].version, tuple(event for change in changes for event in change.events))


class Frames(AsyncIterator[str], Generic[S]):
    """The frames to send to one connection: an asynchronous iterator, made by `Broadcast.frames`.

    Ends when the game is closed, after the frames of all its changes. Raises GameStopped if the game dies. If cancelled
    while waiting, no frame is lost.
    """

    # AF: a connection of _player that has got all frames before the next change of _changes, but not _own; if _changes
    #     is None, the next frame is a snapshot.

    def __init__(
        self,
        broadcast: Broadcast[S],
        finish: Callable[[str, S], str] | None,
        player: str | None,
    ) -> None:
        self._broadcast: Final = broadcast
        self._finish: Final = finish
        self._player: Final = player
        self._own: str | None = None
        self._changes: Changes | None = None

    async def __anext__(self) -> str:
        """Return the next frame. Waits for one; always a checkpoint."""
        if self._own is not None:
            await trio.lowlevel.checkpoint()
            own, self._own = self._own, None
            return own
        while (changes := self._changes) is not None:
            change = await anext(changes)
            if change.missed or changes.behind >= BACKLOG:
                self._broadcast.count_fallen_behind()
                return await self._snapshot(reuse=SNAPSHOT_REUSE)
            frame = self._broadcast.frame(change, changes)
            if frame is None:
                break
            if isinstance(frame, Announcement):
                self._changes = None  # the next frame is a snapshot
            if frame:
                return frame
        return await self._snapshot(reuse=0)

    def rest(self, link: Link, wake: Callable[[], None]) -> Leave | None:
        """Have the next frames written to the socket past this iterator, if the connection has got all until now.

        Does not wait. Until `wake` is called, or the function that is returned, `anext` must not be; after `wake` it
        has the next frame. None if the next frame has to come from `anext` at once.
        """
        changes = self._changes
        if self._own is not None or changes is None or link.outlet is None or changes.behind or changes.ended:
            return None
        return self._broadcast.fanout.join(changes, link.outlet, wake, link.start_soon)

    async def _snapshot(self, reuse: int) -> str:
        self._changes = None  # if this is cancelled or fails, the next frame is still a snapshot
        try:
            frame, snapshot, self._changes = await self._broadcast.snapshot(reuse=reuse)
        except GameClosed:
            raise StopAsyncIteration from None
        if self._player is not None:
            self._own = self._broadcast.own(snapshot, self._player)
        return frame if self._finish is None else self._finish(frame, snapshot)
