"""One WebSocket to a browser tab, for any game: follows feeds, answers frames, and keeps the limits.

    connection = WebSocketConnection(socket, error_frame)
    reason = await connection.run(broadcast.follower, answer)
    await connection.close(reason)

Feeds send frames as soon as there are any (see `front.web.feed`). Frames that arrive are answered one after another,
and each answer is sent before the next frame is read. So the server soon stops reading from a client that asks a lot
and reads nothing: the work of one connection is bounded without dropping anything, and no connection waits for another.

A disconnect cancels the handler (see `server.asgi`), and no frame is cut in two, because sends are shielded. A
client that no longer reads is disconnected after a time limit (see `server.http.connection`).

The origin of the page is checked before there is a connection (see `server.protection.middleware`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import trio

from scramble.errors import InvalidCommand
from scramble.front.web.client import Client
from scramble.front.web.feed import BesideTask, FeedSocket, Follower, Unsubscribe
from scramble.kernel.token_bucket import TokenBucket
from scramble.server.asgi import Socket
from scramble.server.http.closing import (
    TOO_BIG,
    TOO_MANY_BAD,
    TOO_MANY_FRAMES,
    CloseReason,
    WebSocketCloser,
)
from scramble.server.http.direct_write import text_frame
from scramble.server.protection.limits import ServerLimits

Beside: TypeAlias = Callable[[FeedSocket], Unsubscribe]
"""Begins something beside the main feed of a connection. Does not wait. Its result is called when that ends."""

BesideOf: TypeAlias = Callable[[str | None, Client], Sequence[Beside]]
"""Returns what a connection of that player (None: a spectator) has beside its main feed."""


def nothing_beside(_player: str | None, _client: Client, /) -> Sequence[Beside]:
    """Return nothing: the `BesideOf` of a game on its own."""
    return ()


class WebSocketConnection(WebSocketCloser):
    """A WebSocket with its limits. Not to be shared: it belongs to one handler task."""

    # AF: the WebSocket _socket, which may send as many frames, and bad frames, as _frames and _bad_frames have tokens.
    #     While it runs its tasks are in _nursery, and _reason is why it is to be closed.

    def __init__(
        self, socket: Socket, error: Callable[[InvalidCommand], str], limits: ServerLimits | None = None
    ) -> None:
        """`error` encodes the frame that reports to a client what is wrong with a frame that it has sent.

        Each frame takes a token from the socket's bucket, if it has one, else from a bucket made by `limits`.
        """
        super().__init__(socket.receive, socket.close)
        self._socket: Final = socket
        self.outlet: Final = socket.outlet
        self._error: Final = error
        self._limits: Final = limits or ServerLimits()
        self._frames: Final = socket.frames_left or TokenBucket(self._limits.frames, self._limits.frames_per_s)
        self._bad_frames: Final = TokenBucket(self._limits.bad_frames, self._limits.bad_frames_per_s)
        self._nursery: trio.Nursery | None = None
        self._reason: CloseReason | None = None

    async def send(self, frame: str) -> None:
        """Send a frame. Waits until the kernel has taken it; not a checkpoint if that is at once."""
        if self.outlet is None or not self.outlet.write(text_frame(frame)):
            await self._socket.send(frame)

    async def run(
        self,
        follow: Callable[[FeedSocket], Follower],
        answer: Callable[[str], Awaitable[None]],
        *beside: Beside,
    ) -> CloseReason:
        """Follow a feed, and `await answer(text)` for each frame that arrives, one after another.

        `answer` raises InvalidCommand for an invalid frame, and nothing else. What is `beside` begins, and the first
        frame is received, only after the first frames of the feed are sent. Returns the reason for closing the
        connection: a limit is exceeded, or a feed or a task has one. All tasks have ended by then. A disconnect cancels
        the call.
        """
        leaving: list[Unsubscribe] = []
        async with trio.open_nursery() as self._nursery:
            try:
                follower = follow(self)
                leaving.append(follower.leave)
                await self._until_ended(follower.begin)
                if self._reason is None:
                    for begin in beside:
                        leaving.append(begin(self))
                    await self._until_ended(partial(self._receive_all, answer))
            finally:
                for leave in leaving:
                    leave()
        assert self._reason is not None
        return self._reason

    def start_soon(self, task: BesideTask) -> None:
        """Run a task while `run` does."""
        assert self._nursery is not None
        self._nursery.start_soon(self._until_ended, task)

    async def _until_ended(self, task: BesideTask) -> None:
        reason = await task()
        if reason is not None and self._nursery is not None:
            self._reason = self._reason or reason
            self._nursery.cancel_scope.cancel()

    async def _receive_all(self, answer: Callable[[str], Awaitable[None]]) -> CloseReason:
        while (reason := await self._receive_next(answer)) is None:
            pass
        return reason

    async def _receive_next(self, answer: Callable[[str], Awaitable[None]]) -> CloseReason | None:
        text = await self._socket.receive()
        if not self._frames.take():
            return TOO_MANY_FRAMES
        try:
            if not isinstance(text, str):
                raise InvalidCommand("frames are JSON text, not binary")
            if len(text) > self._limits.frame_bytes or len(text.encode()) > self._limits.frame_bytes:
                return TOO_BIG
            await answer(text)
        except InvalidCommand as bad:
            await self.send(self._error(bad))
            if not self._bad_frames.take():
                return TOO_MANY_BAD
        return None
