"""`scramble serve --demo`, which is `make demo`, as a process: bots move in each game, without people.

The change from game to game has fast unit tests: tests/unit/rooms/test_demo.py.
"""

from __future__ import annotations

import httpx
import trio

from tests.support import HANG_S
from tests.support.process import ROOT, ServerProcess
from tests.support.websocket import WebSocket

COMMAND = ("serve", "--demo", "--in-memory", "--port")


async def test_bots_are_seen_to_move_in_each_of_the_three_games() -> None:
    assert f"scramble {' '.join(COMMAND)} $(PORT)" in (ROOT / "Makefile").read_text()
    with ServerProcess(*COMMAND, "0", lines=1) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            rooms = {room["game"]: room for room in (await client.get("rooms")).json()["rooms"]}
        assert rooms.keys() == {"memory", "minesweeper", "crossword"}
        with trio.fail_after(HANG_S):
            async with trio.open_nursery() as nursery:
                for room in rooms.values():
                    nursery.start_soon(see_move, httpx.URL(server.url), room["room"])
        assert server.stop()[0] == 0


async def see_move(url: httpx.URL, room: str) -> None:
    """Watch a room until a bot changes its board."""
    socket = await WebSocket.connect(url.host, url.port or 80, f"/g/{room}/view")
    try:
        while not is_move(await socket.receive()):
            pass
    finally:
        await socket.aclose()


def is_move(frame: dict[str, object]) -> bool:
    """True for a change of cards or squares, or a crossword with a word."""
    match = frame.get("match")
    if isinstance(match, dict) and "words" in match:
        return any(word["entered"] is not None and word["by"].startswith("bot_") for word in match["words"])
    return frame.get("type") == "change"
