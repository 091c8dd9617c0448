"""The lobby's page and WebSocket over real sockets.

Partitions:
- event: a public room is opened, renamed, its game ends, it is closed, removed; a visitor enters, leaves; no event
- a room by link: is never shown
- the WebSocket: the client asks for rooms (by link, its own, removed, unknown), sends another frame, comes from a page
  of another origin, is connected when the server stops
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import cast

import httpx
import pytest
import trio

from scramble.front.rooms import lobby
from scramble.front.rooms.app import serve_rooms
from scramble.players.seats import hash_of
from scramble.rooms.local import LocalRooms, open_rooms
from scramble.rooms.protocol import RoomOrder
from scramble.server.listening import Address
from tests.support.rooms.served import ANN, bearer
from tests.support.websocket import Closed, Cut, WebSocket


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[LocalRooms, Address]]:
    async with open_rooms() as rooms, trio.open_nursery() as nursery:
        yield rooms, await nursery.start(partial(serve_rooms, rooms, port=0))
        nursery.cancel_scope.cancel()


class Visitor:
    """A page of the lobby that keeps all received lists."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self.seen: list[list[dict[str, object]]] = []

    async def until(self, wanted: list[tuple[object, ...]], *fields: str) -> None:
        """Read until a list has exactly these values of its rooms' fields."""
        while not self.seen or [tuple(room[field] for field in fields) for room in self.seen[-1]] != wanted:
            frame = await self._socket.receive()
            self.seen.append(cast(list[dict[str, object]], frame["rooms"]))


async def test_the_list_follows_what_happens_to_public_rooms_and_who_is_in_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lobby, "LOBBY_PAUSE_S", 0.01)
    async with serving() as (rooms, address):
        socket = await WebSocket.connect(*address, "/lobby")
        assert "Set-Cookie" in {name.title() for name in socket.headers}
        visitor = Visitor(socket)
        await visitor.until([], "room")
        hidden = await rooms.create("memory", {}, RoomOrder(title="nonsense"))
        public = await rooms.create("memory", {"board": "1x2\nA\nA\n"}, RoomOrder(title="Friday", public=True))
        await visitor.until([("Friday", 0, 0, "open")], "title", "players", "watching", "state")
        await rooms.rename(public.name, "Monday")
        await visitor.until([("Monday",)], "title")
        player = await WebSocket.connect(*address, f"/g/{public.name}/play/ann")
        await visitor.until([(1, 0)], "players", "watching")
        spectator = await WebSocket.connect(*address, f"/g/{public.name}/view")
        await visitor.until([(1, 1)], "players", "watching")
        await player.aclose()
        await visitor.until([(0, 1)], "players", "watching")
        async with httpx.AsyncClient(base_url=address.url) as client:
            for spot in ("0,0", "0,1"):
                assert (await client.get(f"/g/{public.name}/flip/bob/{spot}")).status_code == 200
            await visitor.until([("ended",)], "state")
            assert (await client.get("/rooms")).json()["rooms"] == visitor.seen[-1]
        await spectator.aclose()
        await rooms.remove(public.name)
        await visitor.until([], "room")
        assert not any(room["room"] == hidden.name for seen in visitor.seen for room in seen)
        await socket.aclose()


async def test_many_visitors_see_the_same_list() -> None:
    async with serving() as (rooms, address), AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(await WebSocket.connect(*address, "/lobby")) for _ in range(30)]
        visitors = list(map(Visitor, sockets))
        for number in range(20):
            await rooms.create("memory", {}, RoomOrder(title=str(number), public=True))
        wanted: list[tuple[object, ...]] = [(str(number),) for number in reversed(range(20))]
        for visitor in visitors:
            await visitor.until(wanted, "title")


async def test_a_visitor_finds_rooms_by_their_names() -> None:
    async with serving() as (rooms, address), httpx.AsyncClient(base_url=address.url) as client:
        hidden = await rooms.create("memory", {}, RoomOrder(title="hidden", host=hash_of(ANN)))
        other = await rooms.create("crossword", {}, RoomOrder(title="other"))
        removed = await rooms.create("memory", {}, RoomOrder(title="removed"))
        await rooms.remove(removed.name)
        socket = await WebSocket.connect(*address, "/lobby", headers=bearer(ANN))
        assert await socket.receive() == {"rooms": []}
        await socket.send({"find": [other.name, removed.name, "nowhere", hidden.name]})
        views = [(await client.get(f"/rooms/{room.name}", headers=bearer(ANN))).json() for room in (other, hidden)]
        assert [view["host"] for view in views] == [False, True]
        found = [view | {"settings": {}} for view in views]  # without boards, which may be long
        assert await socket.receive() == {"type": "found", "found": found, "gone": [removed.name, "nowhere"]}
        await socket.aclose()


async def test_a_frame_of_a_visitor_has_the_names_of_a_few_rooms() -> None:
    async with serving() as (_, address):
        socket = await WebSocket.connect(*address, "/lobby")
        assert await socket.receive() == {"rooms": []}
        for rooms in ("name", ["name"] * 13, [1], None):
            await socket.send({"find": rooms})
            assert await socket.receive() == {"error": 'a frame names up to 12 rooms: {"find": ["NAME"]}'}
        await socket.send({"find": ["name"] * 12})
        assert (await socket.receive())["gone"] == ["name"] * 12
        await socket.aclose()


async def test_a_page_of_another_origin_sees_no_list() -> None:
    async with serving() as (_, address):
        with pytest.raises(Cut):
            await WebSocket.connect(*address, "/lobby", headers={"Origin": "http://evil.example"})


async def test_the_end_of_the_server_ends_the_lobby() -> None:
    stopped = trio.Event()
    async with trio.open_nursery() as nursery:
        async with open_rooms() as rooms:
            address: Address = await nursery.start(partial(serve_rooms, rooms, port=0, stop=stopped.wait))
            socket = await WebSocket.connect(*address, "/lobby")
            assert await socket.receive() == {"rooms": []}
        with pytest.raises(Closed) as closed:
            await socket.receive()
        assert closed.value.code == 1001
        await socket.aclose()
        stopped.set()


async def test_the_lobby_is_the_page_of_the_server() -> None:
    async with serving() as (_, address), httpx.AsyncClient(base_url=address.url) as client:
        page = await client.get("/")
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert '<meta name="lobby"' in page.text
        assert "HttpOnly" in page.headers["Set-Cookie"]  # so two rooms opened at once have one host
        for path in ("/replay", "/look/ann", "/flip/ann/0,0"):
            assert (await client.get(path)).status_code == 404
