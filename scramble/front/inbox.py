"""What comes over a WebSocket, taken past Quart: a few frames ahead, and a peer's going as a cancellation.

Quart's own queue of frames has no bound since 0.23, so a peer who sends without end and reads nothing would fill the
memory. And since then receiving from a peer who has gone is an error in whichever task happens to do it, logged with a
traceback, where before there was only the cancellation of the handler. Here it is the same with every version:

- `FRAMES_AHEAD` frames wait for the handler; then nothing more is read, and the peer's own TCP window fills up;
- a peer who goes away cancels the handler, and that is all that the handler notices.
"""

from __future__ import annotations

from typing import Final

import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope
from quart import websocket

FRAMES_AHEAD: Final = 10  # hypercorn holds as many more

_INBOX: Final = "scramble.inbox"  # the key of a channel in a WebSocket's state


def hold_frames(app: ASGIFramework) -> ASGIFramework:
    """The same application, whose handlers get the frames of their WebSocket by `receive_frame`."""

    async def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "websocket":
            await app(scope, receive, send)
            return
        come, scope["state"][_INBOX] = trio.open_memory_channel[str | bytes](FRAMES_AHEAD)
        connected = await receive()
        told = False

        async def receive_no_frames() -> ASGIReceiveEvent:
            nonlocal told
            if told:
                await trio.sleep_forever()
            told = True
            return connected

        async with trio.open_nursery() as nursery:

            async def pass_on() -> None:
                while (message := await receive())["type"] == "websocket.receive":
                    text = message["text"]
                    await come.send(message["bytes"] or b"" if text is None else text)
                nursery.cancel_scope.cancel()

            nursery.start_soon(pass_on)
            await app(scope, receive_no_frames, send)
            nursery.cancel_scope.cancel()

    return wrapped


async def receive_frame() -> str | bytes:
    """In the handler of a WebSocket: its next frame. Waits for one.

    If the application is served without `hold_frames`, this is Quart's own `receive`.
    """
    inbox = websocket.scope.get("state", {}).get(_INBOX)
    if isinstance(inbox, trio.MemoryReceiveChannel):
        frame = await inbox.receive()
        assert isinstance(frame, str | bytes)
        return frame
    return await websocket.receive()
