"""People of a paused process, as other processes of the cluster show them while clients send no requests.

The processes, their Redis and the sockets are real. A lobby's WebSocket at another process shows the counts.

Partitions:
- the paused process runs the room of its people, and the register
- the paused process has joined a room that another process runs, and its people reconnect like pages
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import httpx
import trio

from tests.support import HANG_S
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.websocket import Cut, WebSocket

pytestmark = needs_redis

MEMORY = {"game": "memory", "public": True, "names": "open", "settings": {"board": "2x2\nA\nA\nB\nB\n"}}


async def open_room(port: int) -> str:
    async with httpx.AsyncClient(timeout=HANG_S) as client:
        answer = await client.post(f"http://127.0.0.1:{port}/rooms", json=MEMORY)
    assert answer.status_code == 201, answer.text
    return cast(str, answer.json()["room"])


async def page(port: int, path: str, *, task_status: trio.TaskStatus[None]) -> None:
    """Connect; connect again when the server ends the connection, like a page."""
    started = False
    while True:
        try:
            wire = await WebSocket.connect("127.0.0.1", port, path)
        except Cut:
            continue
        try:
            while True:
                await wire.receive()
                if not started:
                    task_status.started()
                    started = True
        except Cut:
            pass
        finally:
            await wire.aclose()


@asynccontextmanager
async def lobby(port: int) -> AsyncIterator[WebSocket]:
    wire = await WebSocket.connect("127.0.0.1", port, "/lobby")
    try:
        yield wire
    finally:
        await wire.aclose()


async def until_players(wire: WebSocket, players: int, rooms: int) -> None:
    """Read frames of a lobby until this number of rooms has that number of players each."""
    while True:
        frame = await wire.receive()
        listed = cast(list[dict[str, object]], frame.get("rooms", []))
        if [room["players"] for room in listed] == [players] * rooms:
            return


async def test_a_process_that_stood_still_is_seen_with_its_players_again_though_nobody_does_anything(
    tmp_path: Path,
) -> None:
    with (
        RedisServer(tmp_path / "redis") as redis,
        Fleet(2, lambda _: ("serve", "--cluster", redis.url)) as fleet,
    ):
        still, other = fleet.members
        owners = (still, other)
        rooms = [await open_room(still.port) for _ in owners]
        async with lobby(other.port) as seen, trio.open_nursery() as nursery:
            for room, owner in zip(rooms, owners, strict=True):
                await nursery.start(page, owner.port, f"/g/{room}/view")
                await nursery.start(page, still.port, f"/g/{room}/play/ann")
            await until_players(seen, 1, len(rooms))
            still.pause()
            try:
                await until_players(seen, 0, len(rooms))
            finally:
                still.resume()
            await until_players(seen, 1, len(rooms))
            nursery.cancel_scope.cancel()
