"""Answers of Quart that are sent to their end, whatever the client does meanwhile.

quart-trio cancels a request when its client disconnects, or only closes its sending side. A request whose work lasts
needs that. Any other is answered in a moment, so its client, if it still reads, should get the answer; without
`finish_answers` the two race.

And hypercorn reports the disconnect as soon as the last byte of an answer is sent, before it closes the connection.
quart-trio then cancels the request's tasks, and with them that close, so after `Connection: close`, or HTTP/1.0, the
connection would stay open for ever.

So a disconnect is held back until the handler says `may_be_cancelled`, and for good once its answer is complete.

Upstream: hypercorn #330, "Connection:close ignored?", open. The second part can go when hypercorn closes before it
reports; the first part stays.

Safe under concurrency: a request has an event of its own.
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
    """Wrap `app` so that its answers are sent to their end and their connections closed."""

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
                    await trio.sleep_forever()  # ends when the application returns
            return message

        await app(scope, patient_receive, watching_send)

    return wrapped


def may_be_cancelled(scope: Scope) -> None:
    """Have a disconnect cancel the handler of this request from now on, because its work may last.

    Does nothing if `finish_answers` is not around the application.
    """
    event = scope.get("state", {}).get(_PARKED)
    if isinstance(event, trio.Event):
        event.set()
