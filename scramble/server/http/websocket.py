"""The frames of a WebSocket: extends hypercorn's `protocol/ws_stream.py` with limits and with reasons for a close.

Differences from hypercorn 0.18, each with its upstream report and the condition under which it can go;
docs/explanation/what-we-change-in-hypercorn.md has reproductions:

- Frames that arrive before the handshake is accepted are answered with 400, but only once. hypercorn refuses the
  handshake and then accepts it, and h11 raises an error. Upstream: hypercorn #225, open. Can go when hypercorn stores
  these frames.
- Pings, pongs and fragments of messages are counted. hypercorn does not limit them: only complete messages reach the
  application and are counted there. Here all frames take tokens from one bucket; the application finds the bucket in
  the state of the WebSocket (`asgi.Socket`). Other tasks run after each frame. Not reported upstream as far as
  found. Can go when hypercorn shows control frames to the application.
- All connections from one address share a limit on input. Before decoding, the server counts each received piece, and
  each further frame in the piece. It does not read input beyond the limit. hypercorn has no limit of this kind. Not
  reported upstream. Stays.
- After an invalid frame the client gets a closing frame with 1002 or 1007 and a reason; hypercorn sends nothing.
  Upstream: wsproto pull request #100 is open; it separates a client's close from an invalid frame. Can go when
  hypercorn sends a closing frame.
- After a message that is too long, the client gets 1009 and a reason, the application gets the disconnect, and the
  connection ends; hypercorn leaves it open and does not notify the application. Not reported upstream as far as found.
  Can go when hypercorn closes the connection.

No extension is accepted: `http1` removes the client's offers.

Safe under concurrency: only the task that reads the connection handles its frames.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio
from hypercorn.config import Config
from hypercorn.protocol.events import Body, Data, Event, StreamClosed
from hypercorn.protocol.ws_stream import FrameTooLargeError, WSStream
from hypercorn.typing import AppWrapper, ASGISendEvent, TaskGroup, WebsocketAcceptEvent, WorkerContext
from wsproto.connection import ConnectionState
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage
from wsproto.events import Event as WsprotoEvent
from wsproto.frame_protocol import CloseReason as CloseCode

from scramble.kernel.token_bucket import TokenBucket
from scramble.server.http.closing import TOO_BIG, TOO_MANY_FRAMES, CloseReason
from scramble.server.http.direct_write import Outlet

FRAMES_LEFT: Final = "scramble.frames"
"""The key of a bucket in the state of a WebSocket: all frames of the WebSocket take their tokens from the bucket."""

GONE: Final = "scramble.gone"
"""The key of a cancel scope in the state of a WebSocket: the handler runs in it, and a disconnect cancels it."""

PACE: Final = "scramble.pace"
"""The key of a function in the state of a WebSocket: it counts a frame of an address. `middleware` sets it."""

NOT_A_FRAME: Final = "this is not the WebSocket protocol: {}"
NOT_TEXT: Final = CloseReason(CloseCode.INVALID_FRAME_PAYLOAD_DATA, "text that is not UTF-8")


class WebSocketStream(WSStream):
    """A WebSocket on one connection."""

    # AF: a WebSocket whose client may send as many frames as _frames has tokens. _close_reason is set when the server
    #     closes it without the application. _answered: the handshake has been answered, or is being answered. _outlet
    #     writes directly to the socket, without hypercorn. The handler runs in _gone; a disconnect cancels _gone.

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        task_group: TaskGroup,
        ssl: bool,
        client: tuple[str, int] | None,
        server: tuple[str, int] | None,
        send: Callable[[Event], Awaitable[None]],
        stream_id: int,
        frames: TokenBucket,
        gone: trio.CancelScope,
        outlet: Outlet | None = None,
    ) -> None:
        super().__init__(app, config, context, task_group, ssl, client, server, send, stream_id)
        self._frames: Final = frames
        self._gone: Final = gone
        self._outlet: Final = outlet
        self._close_reason: CloseReason | None = None
        self._answered = False

    async def app_send(self, message: ASGISendEvent | None) -> None:
        """Handle a message of the application like hypercorn."""
        self._answered = True
        await super().app_send(message)

    async def handle(self, event: Event) -> None:
        """Handle an event of the connection like hypercorn, with two differences.

        If the server has closed the WebSocket, the application gets the close code. Input before the end of the
        handshake is refused only once, even if it arrives in several pieces.
        """
        if isinstance(event, StreamClosed) and self._outlet is not None:
            self._outlet.close()
        if isinstance(event, StreamClosed) and not self.closed:
            self._gone.cancel()
        if isinstance(event, StreamClosed) and self._close_reason is not None and not self.closed:
            self.closed = True
            if self.app_put is not None:
                await self.app_put({"type": "websocket.disconnect", "code": self._close_reason.code})
        elif isinstance(event, Body | Data) and not self.handshake.accepted:
            if not self._answered:  # hypercorn #225
                self._answered = self.closed = True
                await self._send_error_response(400)
        elif isinstance(event, Body | Data) and not self.closed:
            await self._keep_pace()
            await super().handle(event)
        else:
            await super().handle(event)

    async def _accept(self, message: WebsocketAcceptEvent) -> None:
        await super()._accept(message)
        if self._outlet is not None:
            self._outlet.open()

    async def _send_wsproto_event(self, event: WsprotoEvent) -> None:
        if isinstance(event, CloseConnection) and self._outlet is not None:
            self._outlet.close()
        await super()._send_wsproto_event(event)

    async def _handle_events(self) -> None:
        for number, event in enumerate(self.connection.events()):
            if number:  # the first frame is already counted: it is counted together with the received piece
                await self._keep_pace()
            reason: CloseReason | None = None
            match event:
                case TextMessage() | BytesMessage():
                    reason = await self._receive(event)
                case Ping() | Pong():
                    reason = await self._count()
                    if reason is None and isinstance(event, Ping):
                        await self._send_wsproto_event(event.response())
                case CloseConnection() if self.connection.state is ConnectionState.OPEN:  # wsproto's: an invalid frame
                    reason = _reason_of(event)
                case CloseConnection():
                    if self.connection.state is ConnectionState.REMOTE_CLOSING:
                        await self._send_wsproto_event(event.response())
                    await self.send(StreamClosed(stream_id=self.stream_id))
            if reason is not None:
                await self._close(reason)
                return

    async def _receive(self, event: TextMessage | BytesMessage) -> CloseReason | None:
        """Receive a message or a part of a message. The application counts the last frame of a message."""
        if event.frame_finished and not event.message_finished:
            reason = await self._count()
            if reason is not None:
                return reason
        try:
            self.buffer.extend(event)
        except FrameTooLargeError:
            return TOO_BIG
        if event.message_finished and self.app_put is not None:
            await self.app_put(self.buffer.to_message())
            self.buffer.clear()
        return None

    async def _keep_pace(self) -> None:
        """Count a frame of the client's address. Waits if the rate is too high; otherwise not a checkpoint."""
        spend = self.scope["state"].get(PACE)
        wait_s = spend() if callable(spend) else 0
        if wait_s:
            await trio.sleep(wait_s)

    async def _count(self) -> CloseReason | None:
        """Count a frame that the application does not see. Always a checkpoint: tasks of other connections run."""
        await trio.lowlevel.checkpoint()
        return None if self._frames.take() else TOO_MANY_FRAMES

    async def _close(self, reason: CloseReason) -> None:
        if self.connection.state is ConnectionState.OPEN:
            self._close_reason = reason
        await self._send_wsproto_event(CloseConnection(reason.code, reason.reason))
        await self.send(StreamClosed(stream_id=self.stream_id))


def _reason_of(event: CloseConnection) -> CloseReason:
    """Return the close reason for an invalid frame that wsproto reports."""
    if event.code == NOT_TEXT.code:
        return NOT_TEXT
    return CloseReason(event.code, NOT_A_FRAME.format(event.reason))
