"""Memory of a server while rooms are opened and removed. It should stay constant over many cycles. Linux only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import httpx
import trio

from tests.bench.figure import Figure
from tests.support.process import ServerProcess

ROOMS: Final = 150  # in each cycle
CYCLES: Final = 20
FIRST: Final = 3  # after these cycles the caches are nearly full
AT_ONCE: Final = 8
HEADERS: Final = {"Authorization": "Bearer host-0123456789abcdef", "Content-Type": "application/json"}


async def cycle(client: httpx.AsyncClient) -> None:
    """Open rooms, make one move in each room, and remove the rooms."""
    left = ROOMS

    async def come_and_go() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            order = json.dumps({"game": "memory", "settings": {"size": "6x6"}})
            name = (await client.post("/rooms", content=order)).raise_for_status().json()["room"]
            (await client.get(f"/g/{name}/flip/ann/0,0")).raise_for_status()
            (await client.delete(f"/rooms/{name}")).raise_for_status()

    async with trio.open_nursery() as nursery:
        for _ in range(AT_ONCE):
            nursery.start_soon(come_and_go)


async def cycles(server: ServerProcess) -> list[int]:
    """Return the bytes of the server's memory at the start, and after each cycle."""
    found = [server.memory_kb() * 1024]
    async with httpx.AsyncClient(base_url=server.url, headers=HEADERS, timeout=None) as client:
        for _ in range(CYCLES):
            await cycle(client)
            found.append(server.memory_kb() * 1024)
    return found


def memory() -> Iterator[Figure]:
    """Measure the growth of a server's memory."""
    with ServerProcess("serve", "--in-memory", "--port", "0", lines=1) as server:
        found = trio.run(cycles, server)
    after, most = found[FIRST], max(found[FIRST:])
    yield Figure(
        f"Memory of a server over {CYCLES} cycles; a cycle opens, enters and removes {ROOMS} rooms",
        f"{most / 1e6:.0f} MB at most; " + ", ".join(f"{size / 1e6:.0f}" for size in found),
        f"{after / 1e6:.0f} MB after {FIRST} cycles",
        most / after,
        at_most=1.1,
    )
