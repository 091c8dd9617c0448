"""A bot that joins a server by WebSocket, with real servers as other processes; and `make demo`.

Strategy:
- games: each one as a single game; a room, where names are seats
- the end: of the game; by SIGINT; a lost connection: the bot reconnects as the same player
- errors, each in one line: no server, no game, no such room, a name in use, an invalid address
- `scramble serve --demo`, which is `make demo`: bots move in each game, without people. They pause like people, so the
  server starts before all tests. The change from game to game has fast unit tests: tests/unit/rooms/test_demo.py
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trio

from scramble.bots.remote import play_at
from scramble.games.remote_bot import RemoteError
from scramble.resources import BOARDS, PACKAGED_PUZZLES
from tests.support.process import ROOT, ServerProcess
from tests.support.websocket import WebSocket

DEMO = ("serve", "--demo", "--in-memory", "--port")


@pytest.fixture(scope="module", autouse=True)
def demo() -> Iterator[ServerProcess]:
    with ServerProcess(*DEMO, "0", lines=1) as server:
        yield server


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send frames without pauses, and reconnect early."""
    monkeypatch.setattr("scramble.bots.remote.FRAME_S", 0.0)
    monkeypatch.setattr("scramble.bots.remote.RETRIES_S", tuple(0.05 * 2**failure for failure in range(12)))


async def test_a_bot_plays_memory_scramble_to_its_end() -> None:
    with ServerProcess("memory", BOARDS / "memory" / "fruit.txt", "--port", "0", "--seats", lines=1) as server:
        said: list[str] = []
        result = await play_at(server.url, "bot_Ada", "hard", pace=0, announce=said.append)
        assert result == "10 pairs"
        assert said == [f"bot_Ada plays Memory Scramble at {server.url}"]
        async with httpx.AsyncClient(base_url=server.url) as client:
            refused = await client.get("/look/bot_Ada", headers={"Authorization": f"Bearer {'x' * 32}"})
            flip = await client.get("/flip/bot_Ada/0,0", headers={"Authorization": f"Bearer {'x' * 32}"})
        assert (refused.status_code, flip.status_code) == (403, 403)


async def test_a_bot_plays_minesweeper_to_its_end_and_rejoins_after_a_boom() -> None:
    field = BOARDS / "minesweeper" / "intermediate.txt"
    options = ("--no-telnet", "--http-port", "0", "--frames-per-s", "1000")
    with ServerProcess("minesweeper", *options, "--file", field, "--no-debug", lines=1) as server:
        result = await play_at(server.url, "bot_Ada", "easy", seed=3, pace=0)
        assert result == "1 bomb dug"  # with this seed


async def test_two_bots_play_a_match_of_crossword_extravaganza() -> None:
    with ServerProcess("crossword", PACKAGED_PUZZLES, "--port", "0", "--telnet-port", "0", lines=2) as server:
        results: dict[str, str] = {}

        async def play(name: str) -> None:
            results[name] = await play_at(server.url, name, "medium", seed=1, pace=0)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, "bot_Ada")
            nursery.start_soon(play, "bot_Alan")
        assert all(result.endswith(" points") for result in results.values())


async def test_a_bot_comes_back_to_its_seat_after_the_server_was_killed(tmp_path: Path) -> None:
    options = ["memory", str(BOARDS / "memory" / "animals.txt"), "--seats", "--journal", str(tmp_path / "game.db")]
    said: list[str] = []
    plays, results, done = trio.Event(), list[str](), trio.Event()

    def announce(line: str) -> None:
        said.append(line)
        plays.set()

    async def play(url: str) -> None:
        results.append(await play_at(url, "bot_Ada", "hard", pace=0.01, announce=announce))
        done.set()

    async with trio.open_nursery() as nursery:
        with ServerProcess(*options, "--port", "0", lines=1) as server:
            port, url = server.port, server.url
            nursery.start_soon(play, url)
            await plays.wait()
            async with httpx.AsyncClient(base_url=url, timeout=None) as client:
                await client.get("/watch/ann")
            server.kill()
        with ServerProcess(*options, "--port", str(port), lines=1):
            await done.wait()
    assert said[0].startswith("bot_Ada plays")
    assert set(said[1:]) == {"connection lost; trying again"}
    assert results[0].endswith(" pairs")


def test_the_command_plays_in_a_room_beside_the_rooms_own_bot() -> None:
    with ServerProcess("serve", "--in-memory", "--port", "0", lines=1) as server:
        opened = httpx.post(
            f"{server.url}rooms", json={"game": "memory", "settings": {"size": "2x4"}, "bots": [{"level": "easy"}]}
        )
        url = server.url.rstrip("/") + opened.headers["Location"]
        with ServerProcess("bot", url, "--level", "hard", "--name", "bot_Emmy", "--pace", "0") as bot:
            assert bot.wait() == 0
            assert bot.output.text.startswith(f"bot_Emmy plays Memory Scramble at {url}\nbot_Emmy: ")
        room = httpx.get(f"{server.url}rooms/{opened.json()['room']}").json()
        assert room["state"] == "ended"
        assert "bot_Emmy" in room["result"]["winners"]


async def test_the_command_ends_by_sigint_and_what_is_wrong_is_one_line() -> None:
    with ServerProcess("serve", "--in-memory", "--port", "0", lines=1) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            field = {"size": "100x100", "bombs": 2000}  # the game must not end before the test
            opened = await client.post("/rooms", json={"game": "minesweeper", "settings": field})
        url = server.url.rstrip("/") + opened.headers["Location"]
        with ServerProcess("bot", url, "--seed", "0") as bot, ServerProcess("bot", url, "--seed", "0") as other:
            assert {bot.wait_for(r"(\w+) plays Minesweeper")[1], other.wait_for(r"(\w+) plays Minesweeper")[1]} == {
                "bot_Ada",
                "bot_Alan",  # the first bot owns the seat of bot_Ada
            }
            with pytest.raises(RemoteError, match="the name bot_Ada belongs to somebody else there"):
                await play_at(url, "bot_Ada")
            code, _, errors = bot.stop(signal.SIGINT)
            assert (code, errors) == (130, "")
        with pytest.raises(RemoteError, match="no such page; rooms have addresses such as http://HOST:PORT/g/NAME"):
            await play_at(server.url, "bot_Ada")
        with pytest.raises(RemoteError, match="the server has closed the connection with code 4404: no such room"):
            await play_at(f"{server.url}g/no-such-room-here", "bot_Ada")
    with ServerProcess("bot", "nonsense") as bot:
        assert bot.wait() == 1
        assert bot.complaints == "Error: 'nonsense' is not the address of a game, such as http://127.0.0.1:8080/\n"


async def test_nobody_there_and_a_name_in_use_are_refused() -> None:
    with ServerProcess("crossword", PACKAGED_PUZZLES, "--port", "0", "--telnet-port", "0", lines=2) as server:
        other = await WebSocket.connect(*server.address, "/play")
        await other.receive()
        await other.send("bot_Ada")
        assert (await other.receive())["state"] == "CHOOSE"
        with pytest.raises(RemoteError, match="in use"):
            await play_at(server.url, "bot_Ada", pace=0)
        await other.aclose()
        url = server.url
    with pytest.raises(RemoteError, match="no connection"):
        await play_at(url, "bot_Ada")


async def test_bots_are_seen_to_move_in_each_of_the_three_games(demo: ServerProcess) -> None:
    assert f"scramble {' '.join(DEMO)} $(PORT)" in (ROOT / "Makefile").read_text()
    async with httpx.AsyncClient(base_url=demo.url) as client:
        rooms = {room["game"]: room for room in (await client.get("rooms")).json()["rooms"]}
    assert rooms.keys() == {"memory", "minesweeper", "crossword"}
    for room in rooms.values():
        await see_move(httpx.URL(demo.url), room["room"])
    assert demo.stop()[0] == 0


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
