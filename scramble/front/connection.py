"""One WebSocket to a browser tab, whatever the game: frames out, frames in, limits, and how it ends.

    connection = Connection(receive_frame, websocket.send, websocket.close, error_frame)
    ending = await connection.run(feed.frames(), answer)
    await connection.close(ending)

Frames go out as the game makes them, and frames that come in are answered one after another, each answer being sent
before the next frame is read. So a peer that asks a lot and reads nothing is soon not read either: what one connection
can have under way is bounded without anything being dropped, and no connection waits for another.

The stack below (hypercorn) cancels the handler of a connection whose peer has gone, and never cuts a frame in two:
it shields its sends. One that no longer reads leaves a send pending, until the kernel gives the peer up.

Where a page comes from is settled before there is a connection, by whoever runs the server (see `guard`).
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import msgspec
import trio

from scramble.errors import GameStopped, InvalidCommand
from scramble.front.bucket import Bucket
from scramble.front.limits import Limits

LINGER_S = 1.0
"""How long a connection that the server closes is still read from, so that the peer can read why: closing a socket
with unread input resets it, and some systems then throw away what the peer has not read yet."""

FAREWELL_S = 0.1  # for the closing frame of a connection whose handler is cancelled


class Ending(msgspec.Struct, frozen=True):
    """Why a connection ends: the code of RFC 6455, and a few words for people."""

    code: int
    reason: str


GOING_AWAY = Ending(1001, "the server is shutting down")
TOO_MANY = Ending(1008, "too many frames a second")
TOO_MANY_BAD = Ending(1008, "too many bad frames")
TOO_BIG = Ending(1009, "frame too long")
BUG = Ending(1011, "the game stopped because of a bug")


class Closer:
    """How the server closes a WebSocket. Not to be shared: one handler task has it."""

    # AF: the WebSocket that the two functions belong to; _closing is whether its closing frame is on the way or sent.

    def __init__(
        self, receive: Callable[[], Awaitable[str | bytes]], close: Callable[[int, str], Awaitable[None]]
    ) -> None:
        self._receive: Final = receive
        self._closing = False
        self._close: Final = close

    async def close(self, ending: Ending) -> None:
        """Close the WebSocket, and wait a little for the peer to see it."""
        self._closing = True
        await self._close(ending.code, ending.reason)
        with trio.move_on_after(LINGER_S):
            while True:
                await self._receive()

    async def say_farewell(self) -> None:
        """In a handler that is being cancelled, tell the peer that the server is going away. Waits hardly at all.

        Does nothing if the handler is not being cancelled, or has closed the WebSocket already.
        """
        if not self._closing and trio.current_effective_deadline() == -math.inf:
            self._closing = True
            with trio.move_on_after(FAREWELL_S, shield=True):
                await self._close(GOING_AWAY.code, GOING_AWAY.reason)


class Connection(Closer):
    """A WebSocket with its limits. Not to be shared: one handler task runs it."""

    # AF: the WebSocket that the three functions belong to, with so many frames left in _frames and _bad_frames.

    def __init__(
        self,
        receive: Callable[[], Awaitable[str | bytes]],
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int, str], Awaitable[None]],
        error: Callable[[InvalidCommand], str],
        limits: Limits | None = None,
    ) -> None:
        """`error` encodes the frame that tells a client what is wrong with a frame of its own."""
        super().__init__(receive, close)
        self.send: Final = send
        self._error: Final = error
        self._limits: Final = limits or Limits()
        self._frames: Final = Bucket(self._limits.frames, self._limits.frames_per_s)
        self._bad_frames: Final = Bucket(self._limits.bad_frames, self._limits.bad_frames_per_s)

    async def run(
        self,
        frames: AsyncIterator[str],
        answer: Callable[[str], Awaitable[None]],
        *beside: Callable[[], Awaitable[None]],
    ) -> Ending:
        """Send all `frames`, and `await answer(text)` for each frame that comes in, one after another.

        `answer` raises InvalidCommand for a frame that makes no sense, and nothing else. The `beside` tasks run
        along; nothing is received, and they do not start, before the first of `frames` is sent. Returns why the
        connection is to be closed: limits are exceeded, or the game is closed or dead. By then nothing of all this
        runs any more. If the peer goes away the stack cancels the call.
        """
        ending = await self._send_next(frames)
        if ending is not None:
            return ending
        endings: list[Ending] = []
        async with trio.open_nursery() as nursery:

            async def until_ended(part: Callable[[], Awaitable[Ending]]) -> None:
                endings.append(await part())
                nursery.cancel_scope.cancel()

            async def send_all() -> Ending:
                while (ending := await self._send_next(frames)) is None:
                    pass
                return ending

            async def receive_all() -> Ending:
                while (ending := await self._receive_next(answer)) is None:
                    pass
                return ending

            nursery.start_soon(until_ended, send_all)
            nursery.start_soon(until_ended, receive_all)
            for task in beside:
                nursery.start_soon(task)
        return endings[0]

    async def _send_next(self, frames: AsyncIterator[str]) -> Ending | None:
        try:
            frame = await anext(frames)
        except StopAsyncIteration:
            return GOING_AWAY
        except GameStopped:
            return BUG
        await self.send(frame)
        return None

    async def _receive_next(self, answer: Callable[[str], Awaitable[None]]) -> Ending | None:
        text = await self._receive()
        if not self._frames.take():
            return TOO_MANY
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
