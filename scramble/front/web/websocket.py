"""The WebSocket of one browser tab, for any game. It follows feeds, answers frames, and enforces the limits.

    connection = WebSocketConnection(socket, error_frame)
    reason = await connection.run(broadcast.follower, answer)
    await connection.close(reason)

Feeds send new frames at once (see `front.web.feed`). The connection answers received frames one after another, and
sends each answer before it reads the next frame. So the server soon stops reading from a client that sends many
requests and reads no answers. This bounds the work for one connection, loses no frame, and delays no other connection.

A disconnect cancels the handler (see `server.asgi`). Sends are shielded, so that the server sends complete frames. The
server disconnects a client that does not read for some time (see `server.http.connection`).

The server checks the origin of the page before the handshake (see `server.protection.middleware`).
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
"""Function that begins an additional subscription of a connection, and returns the function that ends the subscription.

Does not wait."""

BesideOf: TypeAlias = Callable[[str | None, Client], Sequence[Beside]]
"""Function that returns the additional subscriptions of a player's connection (None: a spectator's)."""


def nothing_beside(_player: str | None, _client: Client, /) -> Sequence[Beside]:
    """Return no additional subscriptions: the `BesideOf` of a game without a room."""
    return ()


class WebSocketConnection(WebSocketCloser):
    """A WebSocket with its limits. It belongs to one handler task, and must not be shared."""

    # AF: the WebSocket _socket. A received frame needs a token of _frames, and an invalid frame also needs a token of
    #     _bad_frames. While `run` runs, _nursery has the connection's tasks. _reason is the reason to close.

    def __init__(
        self, socket: Socket, error: Callable[[InvalidCommand], str], limits: ServerLimits | None = None
    ) -> None:
        """`error` encodes the frame that reports an invalid frame to the client.

        Each frame takes a token from the socket's bucket. If the socket has no bucket, `limits` make a new bucket.
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
        """Send a frame. Waits until the kernel has accepted it. Not a checkpoint if the kernel accepts it at once."""
        if self.outlet is None or not self.outlet.write(text_frame(frame)):
            await self._socket.send(frame)

    async def run(
        self,
        follow: Callable[[FeedSocket], Follower],
        answer: Callable[[str], Awaitable[None]],
        *beside: Beside,
    ) -> CloseReason:
        """Follow a feed, and `await answer(text)` for each received frame, one after another.

        `answer` raises only InvalidCommand, for an invalid frame. First the current frames of the feed are sent, then
        the subscriptions `beside` begin, and then the connection receives frames. Ends all tasks, and returns the
        reason to close the connection: an exceeded limit, or the reason of a feed or a task. A disconnect cancels the
        call.
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
        """Run a task in the nursery of `run`. The task ends with `run`."""
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
