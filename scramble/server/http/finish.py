"""Answers of Quart are sent to their end, even if the client disconnects.

quart-trio cancels a request when its client disconnects, or only closes its sending side. A long request should be
cancelled. But a short request is answered in a moment, and a client that still reads should get the answer. Without
`finish_answers`, the cancellation and the answer race.

In addition, hypercorn reports the disconnect as soon as the last byte of an answer is sent, before it closes the
connection. quart-trio then cancels the request's tasks, and with them the close. After `Connection: close`, or with
HTTP/1.0, the connection would stay open forever.

So `finish_answers` delays a disconnect until the handler calls `may_be_cancelled`. After a complete answer it hides the
disconnect permanently.

Upstream: hypercorn #330, "Connection:close ignored?", open. The second part can go when hypercorn closes before it
reports; the first part stays.

Safe under concurrency: each request has its own event.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

import trio
from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    ConnectionState,
    HTTPScope,
    Scope,
)

_PARKED: Final = "scramble.parked"  # the key of an event in the state of a request of Quart


def finish_answers(app: ASGIFramework) -> ASGIFramework:
    """Wrap `app`: its answers are sent to their end, and their connections are closed."""

    def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> Awaitable[None]:
        return finish(scope, receive, send) if scope["type"] == "http" else app(scope, receive, send)

    async def finish(scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        complete = False
        parked = scope.setdefault("state", ConnectionState({}))[_PARKED] = trio.Event()

        async def watching_send(message: ASGISendEvent) -> None:
            nonlocal complete
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                complete = True
            await send(message)

        async def patient_receive() -> ASGIReceiveEvent:
            message = await receive()
            if message["type"] == "http.disconnect":
                await parked.wait()
                if complete:
                    await trio.sleep_forever()  # until the application returns
            return message

        await app(scope, patient_receive, watching_send)

    return wrapped


def may_be_cancelled(scope: Scope) -> None:
    """Let a disconnect cancel the handler of this request from now on, because the request may take long.

    Does nothing if the application is not wrapped in `finish_answers`.
    """
    event = scope.get("state", {}).get(_PARKED)
    if isinstance(event, trio.Event):
        event.set()
