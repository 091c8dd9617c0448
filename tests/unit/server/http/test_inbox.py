"""Messages as a WebSocket's handler receives them, on any version of Quart: the application runs without a server.

Partitions:
- frames: text, binary, empty ones of both kinds; none; more than the handler takes
- the peer goes: while the handler receives, while it does something else, with frames left
- the handler: returns; fails
- served: with hold_frames, where the connection cancels the handler and where it does not; without
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
from hypercorn.typing import ASGIReceiveEvent, ASGISendEvent, ConnectionState, WebsocketScope
from quart import websocket
from quart_trio import QuartTrio
from trio.testing import wait_all_tasks_blocked

from scramble.server.http.inbox import FRAMES_AHEAD, GONE, hold_frames, receive_frame


class Peer:
    """The other end of a WebSocket, or what a server makes of it."""

    def __init__(self, *, cancels: bool = False) -> None:
        """With `cancels` it is on a connection that cancels the handler when the peer goes."""
        self._gone = trio.CancelScope() if cancels else None
        self.say, self._said = trio.open_memory_channel[ASGIReceiveEvent](1000)
        self.sent: list[ASGISendEvent] = []
        self.say.send_nowait({"type": "websocket.connect"})

    def text(self, text: str) -> None:
        self.say.send_nowait({"type": "websocket.receive", "bytes": None, "text": text})

    def binary(self, data: bytes) -> None:
        self.say.send_nowait({"type": "websocket.receive", "bytes": data, "text": None})

    def go(self) -> None:
        if self._gone is not None:
            self._gone.cancel()
        self.say.send_nowait({"type": "websocket.disconnect", "code": 1006})

    def unread(self) -> int:
        return self._said.statistics().current_buffer_used

    async def run(self, handler: Callable[[], Awaitable[None]], *, held: bool = True) -> None:
        """Serve one WebSocket by this handler."""
        app = QuartTrio("tests", static_folder=None)
        app.config["PROPAGATE_EXCEPTIONS"] = True

        @app.websocket("/play")
        async def play() -> None:
            await handler()

        scope: WebsocketScope = {
            "type": "websocket",
            "asgi": {"spec_version": "2.3", "version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": "/play",
            "raw_path": b"/play",
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"localhost")],
            "client": None,
            "server": None,
            "subprotocols": [],
            "extensions": {},
            "state": ConnectionState({} if self._gone is None else {GONE: self._gone}),
        }
        await (hold_frames(app) if held else app)(scope, self._said.receive, self._send)

    async def _send(self, message: ASGISendEvent) -> None:
        await trio.lowlevel.checkpoint()
        self.sent.append(message)


cancelling = pytest.mark.parametrize("cancels", [True, False])


@pytest.mark.parametrize(("held", "cancels"), [(True, True), (True, False), (False, False)])
async def test_frames_come_one_by_one_as_they_were_sent(held: bool, cancels: bool) -> None:
    peer, seen = Peer(cancels=cancels), list[str | bytes]()

    async def handler() -> None:
        await websocket.accept()
        for _ in range(4):
            seen.append(await receive_frame())

    peer.text("a")
    peer.text("")
    peer.binary(b"b")
    peer.text("é")
    await peer.run(handler, held=held)
    assert seen == ["a", "", b"b", "é"]


async def test_an_empty_binary_frame_is_one() -> None:
    peer = Peer()

    async def handler() -> None:
        await websocket.accept()
        assert await receive_frame() == b""

    peer.binary(b"")
    await peer.run(handler)


@cancelling
async def test_only_so_many_frames_are_taken_ahead_of_the_handler(cancels: bool) -> None:
    peer, go_on, seen = Peer(cancels=cancels), trio.Event(), list[str | bytes]()

    async def handler() -> None:
        await websocket.accept()
        await go_on.wait()
        seen.extend([await receive_frame() for _ in range(500)])

    for number in range(500):
        peer.text(f"{number}")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, handler)
        await wait_all_tasks_blocked()
        assert peer.unread() >= 500 - FRAMES_AHEAD - 1
        go_on.set()
    assert seen == [f"{number}" for number in range(500)]


@cancelling
@pytest.mark.parametrize("waits_for", [receive_frame, trio.sleep_forever])
async def test_a_peer_who_goes_cancels_the_handler_and_nothing_else(
    waits_for: Callable[[], Awaitable[object]], cancels: bool
) -> None:
    peer, what = Peer(cancels=cancels), list[str]()

    async def handler() -> None:
        await websocket.accept()
        try:
            await waits_for()
        except BaseException as end:
            what.append(type(end).__name__)
            raise

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, handler)
        await wait_all_tasks_blocked()
        peer.go()
    assert what == ["Cancelled"]
    assert [message["type"] for message in peer.sent] == ["websocket.accept"]
    assert peer.unread() == 0  # who counts the disconnects has seen it


async def test_a_peer_who_has_gone_is_sent_no_farewell() -> None:
    peer = Peer(cancels=True)

    async def handler() -> None:
        await websocket.accept()
        try:
            await receive_frame()
        finally:
            with trio.CancelScope(shield=True):
                await websocket.close(1001)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, handler)
        await wait_all_tasks_blocked()
        peer.text("left")
        peer.go()
    assert [message["type"] for message in peer.sent] == ["websocket.accept"]


@cancelling
async def test_frames_that_came_before_the_peer_went_can_still_be_taken_while_it_lasts(cancels: bool) -> None:
    peer, seen = Peer(cancels=cancels), list[str | bytes]()

    async def handler() -> None:
        await websocket.accept()
        while True:
            seen.append(await receive_frame())

    for number in range(5):
        peer.text(f"{number}")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, handler)
        await wait_all_tasks_blocked()
        peer.go()
    assert len(seen) == 5


@cancelling
async def test_a_handler_that_returns_ends_it_and_one_that_fails_is_not_silenced(cancels: bool) -> None:
    async def fails() -> None:
        await websocket.accept()
        raise ZeroDivisionError

    async def returns() -> None:
        await websocket.accept()

    peer = Peer(cancels=cancels)
    await peer.run(returns)
    assert [message["type"] for message in peer.sent] == ["websocket.accept", "websocket.close"]
    with pytest.raises((BaseExceptionGroup, ZeroDivisionError)) as failed:
        await Peer(cancels=cancels).run(fails)
    assert failed.errisinstance(ZeroDivisionError) or failed.group_contains(ZeroDivisionError)
