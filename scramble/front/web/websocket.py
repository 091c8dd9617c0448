"""One WebSocket to a browser tab, for any game: sends frames, answers frames, and keeps the limits.

    connection = WebSocketConnection(socket, error_frame)
    reason = await connection.run(broadcast.frames(), answer)
    await connection.close(reason)

Frames are sent as the game makes them. Frames that arrive are answered one after another, and each answer is sent
before the next frame is read. So the server soon stops reading from a client that asks a lot and reads nothing: the
work of one connection is bounded without dropping anything, and no connection waits for another.

A disconnect cancels the handler (see `server.asgi`), and no frame is cut in two, because sends are shielded. A
client that no longer reads is disconnected after a time limit (see `server.http.connection`).

The origin of the page is checked before there is a connection (see `server.protection.middleware`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias, runtime_checkable

import trio

from scramble.errors import GameStopped, InvalidCommand
from scramble.front.web.client import Client
from scramble.kernel.token_bucket import TokenBucket
from scramble.server.http.closing import (
    GOING_AWAY,
    TOO_BIG,
    TOO_MANY,
    TOO_MANY_BAD,
    CloseReason,
    WebSocketCloser,
    end_of_game,
)
from scramble.server.http.outlet import Outlet, text_frame
from scramble.server.protection.limits import ServerLimits

Send: TypeAlias = Callable[[str], Awaitable[None]]

BesideTask: TypeAlias = Callable[[], Awaitable[CloseReason | None]]
"""A task of a connection beside its frames; if it returns a reason, the connection is closed for that."""

Leave: TypeAlias = Callable[[], object]
"""Ends something that belongs to a connection. Neither waits nor raises: others are called after it."""


class Peer(Protocol):
    """A WebSocket as its connection needs it: `server.asgi.Socket`."""

    @property
    def outlet(self) -> Outlet | None:
        """The short way to its socket, if there is one (see `server.http.outlet`)."""

    @property
    def frames_left(self) -> TokenBucket | None:
        """The bucket from which its frames take tokens, if something else takes from that, too."""

    async def receive(self) -> str | bytes:
        """Return the next message. Waits for it. After a disconnect the handler is cancelled."""

    async def send(self, frame: str, /) -> None:
        """Send a text frame. Waits until the kernel has taken it."""

    async def close(self, code: int, reason: str, /) -> None:
        """Send a closing frame."""


class Link(Protocol):
    """A connection for what it has beside its frames."""

    @property
    def outlet(self) -> Outlet | None:
        """The short way to its socket, if there is one."""

    async def send(self, frame: str, /) -> None:
        """Send a frame. Waits until the kernel has taken it."""

    def start_soon(self, task: BesideTask, /) -> None:
        """Run a task as long as the connection runs."""


Beside: TypeAlias = Callable[[Link], Leave | None]
"""Begins what a connection has beside its frames. Does not wait; what it returns is called when the connection ends."""

BesideOf: TypeAlias = Callable[[str | None, Client], Sequence[Beside]]
"""Returns what a connection of that player (None: it watches) has beside its frames, which sends frames, too."""


def nothing_beside(_player: str | None, _client: Client, /) -> Sequence[Beside]:
    """Return nothing: the `BesideOf` of a game on its own."""
    return ()


def running(task: Callable[[Link], Awaitable[CloseReason | None]]) -> Beside:
    """Return the `Beside` that is a task."""

    def begin(link: Link) -> None:
        link.start_soon(partial(task, link))

    return begin


@runtime_checkable
class Resting(Protocol):
    """Frames that need no task while a connection is up to date."""

    def rest(self, link: Link, wake: Callable[[], None], /) -> Leave | None:
        """Have the next frames written to the socket past this iterator, until `wake` is called. Does not wait.

        `wake` neither waits nor raises. Returns a function that ends that without a call of `wake`; None if the next
        frame has to come from `anext`.
        """


class WebSocketConnection(WebSocketCloser):
    """A WebSocket with its limits. Not to be shared: it belongs to one handler task."""

    # AF: the WebSocket _socket, which may send as many frames, and bad frames, as _frames and _bad_frames have tokens.
    #     While it runs its tasks are in _nursery, and _reason is why it is to be closed; its frames rest if there is a
    #     _leave_rest, until it has _ended.

    def __init__(
        self, socket: Peer, error: Callable[[InvalidCommand], str], limits: ServerLimits | None = None
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
        self._leave_rest: Leave | None = None
        self._ended = False

    async def send(self, frame: str) -> None:
        """Send a frame. Waits until the kernel has taken it; not a checkpoint if that is at once."""
        if self.outlet is None or not self.outlet.write(text_frame(frame)):
            await self._socket.send(frame)

    async def run(
        self,
        frames: AsyncIterator[str],
        answer: Callable[[str], Awaitable[None]],
        *beside: Beside,
    ) -> CloseReason:
        """Send all `frames`, and `await answer(text)` for each frame that arrives, one after another.

        `answer` raises InvalidCommand for an invalid frame, and nothing else. What is `beside` begins, and the first
        frame is received, only after the first of `frames` is sent. Returns the reason for closing the connection: a
        limit is exceeded, the game is closed or dead, or a task beside has returned it. All tasks have ended by then. A
        disconnect cancels the call.
        """
        reason = await self._send_next(frames)
        if reason is not None:
            return reason
        leaving: list[Leave] = []
        async with trio.open_nursery() as self._nursery:
            try:
                self.start_soon(partial(self._send_all, frames))
                for begin in beside:
                    leave = begin(self)
                    if leave is not None:
                        leaving.append(leave)
                await self._until_ended(partial(self._receive_all, answer))
            finally:
                self._ended = True  # a send that is under way ends later: then the frames must not rest again
                for leave in (*leaving, self._leave_rest):
                    if leave is not None:
                        leave()
                self._leave_rest = None  # it refers to this object
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

    async def _send_all(self, frames: AsyncIterator[str]) -> CloseReason | None:
        """Send frames until there is a reason to close the connection, or they rest: then this task is over."""
        while not self._rest(frames):
            reason = await self._send_next(frames)
            if reason is not None:
                return reason
        return None

    def _rest(self, frames: AsyncIterator[str]) -> bool:
        """True if nothing is to be done for the frames until they wake the connection, or because it ends."""
        if self._ended:
            return True
        if isinstance(frames, Resting):
            self._leave_rest = frames.rest(self, partial(self._wake, frames))
        return self._leave_rest is not None

    def _wake(self, frames: AsyncIterator[str]) -> None:
        self._leave_rest = None
        self.start_soon(partial(self._send_all, frames))

    async def _receive_all(self, answer: Callable[[str], Awaitable[None]]) -> CloseReason:
        while (reason := await self._receive_next(answer)) is None:
            pass
        return reason

    async def _send_next(self, frames: AsyncIterator[str]) -> CloseReason | None:
        try:
            frame = await anext(frames)
        except StopAsyncIteration:
            return GOING_AWAY
        except GameStopped as stopped:
            return end_of_game(stopped)
        await self.send(frame)
        return None

    async def _receive_next(self, answer: Callable[[str], Awaitable[None]]) -> CloseReason | None:
        text = await self._socket.receive()
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
