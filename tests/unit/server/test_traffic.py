"""Counts and logs of requests and WebSockets: server/traffic.py, around applications made for these tests.

Partitions:
- a request is: answered; refused for a limit; never answered; logged at level debug; logged because of a refusal
- a handshake is: accepted; refused with an answer; refused without an answer; never answered
- a WebSocket is closed by: the server; the client; one side, then the other; no side (its handler fails)
- the end is: ordinary; unusual, and logged
- the log: never has a header or a query string
- other scopes: passed on
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import cast

import pytest
from hypercorn.typing import (
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    HTTPScope,
    Scope,
    WebsocketScope,
)

from scramble.server.traffic import Traffic, observed

SECRET = "s3cr3t"
Message = dict[str, object]
App = Callable[[Scope, ASGIReceiveCallable, ASGISendCallable], Awaitable[None]]


def scope_of(kind: str) -> HTTPScope | WebsocketScope:
    scope = {
        "type": kind,
        "method": "GET",
        "path": "/play/alice",
        "raw_path": b"/play/alice",
        "query_string": f"token={SECRET}".encode(),
        "headers": [(b"cookie", f"seat={SECRET}".encode()), (b"authorization", f"Bearer {SECRET}".encode())],
        "client": ("192.0.2.7", 50123),
        "state": {},
    }
    return cast("HTTPScope | WebsocketScope", scope)


def saying(*messages: Message, hearing: int = 0, error: Exception | None = None) -> App:
    """Return an application that receives `hearing` messages, sends these, and then raises `error`, if any."""

    async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        for _ in range(hearing):
            await receive()
        for message in messages:
            await send(cast(ASGISendEvent, message))
        if error is not None:
            raise error

    return app


async def run(app: App, kind: str, heard: Iterable[Message] = ()) -> tuple[Traffic, Sequence[ASGISendEvent]]:
    traffic, sent, coming = Traffic(), [], iter(heard)

    async def receive() -> ASGIReceiveEvent:
        return cast(ASGIReceiveEvent, next(coming))

    async def send(message: ASGISendEvent) -> None:
        sent.append(message)

    await observed(app, traffic)(scope_of(kind), receive, send)
    return traffic, sent


def start(status: int) -> Message:
    return {"type": "http.response.start", "status": status, "headers": []}


ACCEPT: Message = {"type": "websocket.accept"}


def close(code: int, reason: str | None = None) -> Message:
    return {"type": "websocket.close", "code": code, "reason": reason}


def gone(code: int) -> Message:
    return {"type": "websocket.disconnect", "code": code}


# --- requests ---------------------------------------------------------------------------------------


async def test_answers_are_counted_by_status_and_passed_on() -> None:
    traffic, sent = await run(saying(start(404)), "http")
    assert traffic.responses == {404: 1}
    assert sent == [start(404)]


async def test_a_request_that_is_never_answered_is_not_counted() -> None:
    traffic, _ = await run(saying(), "http")
    assert traffic.responses == {}


async def test_other_scopes_are_passed_on() -> None:
    traffic, sent = await run(saying({"type": "lifespan.startup.complete"}), "lifespan")
    assert sent == [{"type": "lifespan.startup.complete"}]
    assert str(traffic) == "0 responses, 0 connections open"


@pytest.mark.parametrize("status", [403, 408, 413, 429])
async def test_a_refusal_is_logged_without_anything_that_may_be_secret(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "scramble")
    await run(saying(start(status)), "http")
    assert [record.getMessage() for record in caplog.records] == [
        f"request-refused client=192.0.2.7 method=GET path=/play/alice status={status}"
    ]
    assert SECRET not in caplog.text


async def test_other_answers_are_logged_only_when_debugging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "scramble")
    await run(saying(start(200)), "http")
    assert caplog.records == []
    caplog.set_level(logging.DEBUG, "scramble")
    await run(saying(start(200)), "http")
    assert [record.getMessage() for record in caplog.records] == [
        "request client=192.0.2.7 method=GET path=/play/alice status=200"
    ]
    assert SECRET not in caplog.text


# --- WebSockets -------------------------------------------------------------------------------------


async def test_a_websocket_is_open_from_its_acceptance_to_the_end_of_its_handler() -> None:
    seen: list[tuple[int, int]] = []
    traffic = Traffic()

    async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        seen.append((traffic.open["websocket"], traffic.accepted["websocket"]))
        await send(cast(ASGISendEvent, ACCEPT))
        seen.append((traffic.open["websocket"], traffic.accepted["websocket"]))

    async def send(message: ASGISendEvent) -> None:
        pass

    await observed(app, traffic)(scope_of("websocket"), cast(ASGIReceiveCallable, None), send)
    assert seen == [(0, 0), (1, 1)]
    assert (traffic.open["websocket"], traffic.accepted["websocket"]) == (0, 1)


@pytest.mark.parametrize(
    ("messages", "heard", "code"),
    [
        ([ACCEPT, close(1001)], [], 1001),
        ([ACCEPT, {"type": "websocket.close", "code": 1000}], [], 1000),
        ([ACCEPT], [gone(1000)], 1000),
        ([ACCEPT, close(1001)], [gone(1000)], 1000),
        ([ACCEPT], [], 1006),
    ],
)
async def test_a_websocket_is_counted_by_the_code_of_its_first_close(
    messages: list[Message], heard: list[Message], code: int
) -> None:
    traffic, _ = await run(saying(*messages, hearing=len(heard)), "websocket", heard)
    assert traffic.closed == {code: 1}


async def test_a_handler_that_fails_leaves_no_websocket_open() -> None:
    traffic = Traffic()
    app = observed(saying(ACCEPT, error=ZeroDivisionError()), traffic)

    async def send(message: ASGISendEvent) -> None:
        pass

    with pytest.raises(ZeroDivisionError):
        await app(scope_of("websocket"), cast(ASGIReceiveCallable, None), send)
    assert traffic.open["websocket"] == 0
    assert traffic.closed == {1006: 1}


async def test_a_refused_handshake_is_an_answer_and_no_connection() -> None:
    traffic, _ = await run(saying({"type": "websocket.http.response.start", "status": 429}), "websocket")
    assert (traffic.responses, traffic.closed, traffic.accepted["websocket"]) == ({429: 1}, {}, 0)
    traffic, _ = await run(saying(close(1000)), "websocket")
    assert (traffic.responses, traffic.closed) == ({403: 1}, {})
    traffic, _ = await run(saying(), "websocket")
    assert (traffic.responses, traffic.closed) == ({}, {})


async def test_an_unusual_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "scramble")
    await run(saying(ACCEPT, close(1000)), "websocket")
    await run(saying(ACCEPT, close(1008, "too many frames a second")), "websocket")
    assert [record.getMessage() for record in caplog.records] == [
        'websocket-closed client=192.0.2.7 path=/play/alice code=1008 reason="too many frames a second"'
    ]
    assert SECRET not in caplog.text
