"""A running game as frames for any number of connections, each change encoded once for all of them.

    feed = Feed(game, whole=snapshot_frame, change=change_frame)     # one for all connections

    async for frame in feed.frames():                                # in a task of each connection
        await websocket.send(frame)

A connection first gets a whole frame (everything there is to know), and then a change frame for each change. There is
no task in the middle and no queue for each connection: a connection is a position in the game's own bounded history
of changes. So a connection that reads slowly costs nothing, delays nobody, and cannot make anything grow. If it falls
more than `BACKLOG` changes behind it is sent a whole frame again, and goes on from there. Where several changes can be
`joined` in one frame, a connection that is not that far behind gets one frame for all that it has missed: to send is
what costs, so a server with more to tell than it can send tells it in larger frames, and not later and later.

Whole frames and changes fit together without a gap and without an overlap, because a whole frame comes with the
follower that begins where its snapshot stands (`Actor.follow`). The game's version could not join them: a change of
control only repeats the version before it. Sending from an earlier change on would do no lasting harm, as each change
carries the full new content of its cells, but it would show what is long past for a moment.

Safe under concurrency: frames and followers are shared, and change only between two awaits; the one thing that takes
longer, making a new whole frame, is done by one task at a time while the others that want one wait for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final, Generic, Protocol, TypeVar

import trio

from scramble.core import Change
from scramble.errors import GameClosed
from scramble.front.traffic import Traffic
from scramble.history import Changes

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)

BACKLOG = 64
"""Changes that a connection may be behind before it gets a whole frame instead. Frames are kept for as many."""

WHOLE_REUSE = 16
"""Changes that may follow a whole frame before it is too old for those who fell behind: with hundreds of them it is
encoded once in so many changes. Much less than `BACKLOG`, or they would be behind again at once."""


class Followed(Protocol[S_co]):
    """A game that can be followed: every game's door."""

    async def follow(self) -> tuple[S_co, Changes]:
        """A snapshot of everything public, and the changes after it."""


class Feed(Generic[S]):
    """What all connections to one game share: the encoded frames. Any number of feeds may follow one game."""

    # AF: the game as seen by everybody: _whole is (frame, snapshot, follower from that snapshot on) of the last
    #     whole frame made; _frames[n % BACKLOG] is (numbers, frame of the changes of these numbers) for changes encoded
    #     lately, of which n is the first.
    # RI: numbers in _frames[i] are none, or begin with one congruent to i modulo BACKLOG, and are one unless _joined;
    #     the follower in _whole is never advanced.
    # Safety from exposure: frames are strings and snapshots immutable; followers are handed out as forks.

    def __init__(
        self,
        game: Followed[S],
        *,
        whole: Callable[[S], str],
        change: Callable[[Change], str | None],
        joined: bool = False,
        traffic: Traffic | None = None,
    ) -> None:
        """`whole` encodes a snapshot, `change` a change: "" if it has nothing to tell, None if it takes a whole frame.

        Both are pure, and called once for each snapshot and change, whoever wants them first. With `joined`, `change`
        is also given what several commands have done, one after another, as if one had. Connections that fall behind
        are counted in `traffic`.
        """
        self._game: Final = game
        self._traffic: Final = traffic or Traffic()
        self._encode_whole: Final = whole
        self._encode_change: Final = change
        self._joined: Final = joined
        self._frames: list[tuple[range, str | None]] = [(range(0), None)] * BACKLOG
        self._whole: tuple[str, S, Changes] | None = None
        self._making: Final = trio.Lock()

    def frames(self, *, whole: Callable[[S], str] | None = None) -> Frames[S]:
        """All frames for one connection, beginning with a whole one. Does not wait; nothing needs to be closed.

        `whole` is for games whose whole frame says something to this connection alone: it then encodes them,
        instead of the encoder that all share.
        """
        return Frames(self, whole)

    async def whole(self, *, reuse: int = 0) -> tuple[str, S, Changes]:
        """The latest whole frame, the snapshot that it shows, and a follower for what comes after it.

        Made anew only if more than `reuse` changes have happened since the last. Waits for the owner task.
        Raises GameClosed or GameStopped if that is gone.
        """
        async with self._making:
            if self._whole is None or self._whole[2].behind > reuse:
                snapshot, changes = await self._game.follow()
                self._whole = self._encode_whole(snapshot), snapshot, changes
            frame, snapshot, changes = self._whole
            return frame, snapshot, changes.fork()

    def count_fallen_behind(self) -> None:
        """A connection has fallen behind."""
        self._traffic.fallen_behind["websocket"] += 1

    def frame(self, change: Change, changes: Changes) -> str | None:
        """The frame of `change`, which was just taken from `changes`; "" if it has none, None if it takes a whole one.

        If changes are joined, all others that have happened are taken from `changes` too, and the frame has them all.
        """
        first = changes.position - 1
        rest = changes.pending() if self._joined and changes.behind else ()
        numbers, frame = self._frames[first % BACKLOG]
        if numbers != range(first, changes.position):
            frame = self._encode_change(_join(change, *rest) if rest else change)
            self._frames[first % BACKLOG] = range(first, changes.position), frame
        return frame


def _join(*changes: Change) -> Change:
    return Change(changes[-1].version, tuple(event for change in changes for event in change.events))


class Frames(AsyncIterator[str], Generic[S]):
    """The frames that one connection is to be sent: an asynchronous iterator, made by `Feed.frames`.

    Ends when the game is closed, once everything that happened has been handed out. Raises GameStopped if the game
    dies. If cancelled while waiting, nothing is lost.
    """

    # AF: a connection that has been handed everything before the next change of _changes; None: nothing at all.

    def __init__(self, feed: Feed[S], whole: Callable[[S], str] | None) -> None:
        self._feed: Final = feed
        self._encode_whole: Final = whole
        self._changes: Changes | None = None

    async def __anext__(self) -> str:
        """The next frame. Waits for one if there is none yet; always a checkpoint."""
        while (changes := self._changes) is not None:
            change = await anext(changes)
            if change.missed or changes.behind >= BACKLOG:
                self._feed.count_fallen_behind()
                return await self._whole(reuse=WHOLE_REUSE)
            frame = self._feed.frame(change, changes)
            if frame is None:
                break
            if frame:
                return frame
        return await self._whole(reuse=0)

    async def _whole(self, reuse: int) -> str:
        self._changes = None  # if this is cancelled or fails, the next frame is still a whole one
        try:
            frame, snapshot, self._changes = await self._feed.whole(reuse=reuse)
        except GameClosed:
            raise StopAsyncIteration from None
        return frame if self._encode_whole is None else self._encode_whole(snapshot)
