"""Daily challenges over real sockets.

Partitions:
- a client: without an attempt; with a running one; with an ended one; without a secret
- bodies: a game with a challenge; an unknown game; no game; no JSON
- the attempt's room: played by its host; by another client, over HTTP, by a WebSocket, by a claim of a name
- the tables: today, with the client's own room only; the best of an earlier day, with its room, and after its removal
- a restart between two requests
- the next game after an attempt
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from scramble.rooms import rooms_base
from scramble.rooms.days import number_of
from tests.support.rooms.daily import in_pairs
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Closed


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test that runs at midnight stay in one day."""
    monkeypatch.setattr(rooms_base, "date_at", lambda _seconds: "2026-11-30")


async def begin(server: ServedRooms, secret: str, game: str = "memory") -> httpx.Response:
    return await server.client.post("/rooms/daily", json={"game": game}, headers=bearer(secret))


async def daily(server: ServedRooms, secret: str | None, game: str = "memory") -> dict[str, Any]:
    games = (await server.get("/rooms/daily", secret)).json()["games"]
    return next(one for one in cast(list[dict[str, Any]], games) if one["game"] == game)


async def play(server: ServedRooms, secret: str, player: str) -> str:
    """Play today's Memory to its end; return the room's name."""
    room = (await begin(server, secret)).json()["room"]
    settings = await server.rooms.settings(await server.rooms.find(room))
    for row, column in in_pairs(settings):
        answer = await server.get(f"/g/{room}/flip/{player}/{row},{column}", secret)
        assert answer.status_code == 200, answer.text
    async with server.rooms.enter(room) as entered:
        while entered.record.state == "open":
            await entered.next_record(entered.record)
    return str(room)


async def test_a_client_without_a_secret_sees_the_challenges_of_today() -> None:
    async with serving_rooms() as server:
        view = (await server.get("/rooms/daily")).json()
        assert (view["day"], view["number"]) == (server.rooms.today(), number_of(server.rooms.today()))
        assert [one["game"] for one in view["games"]] == ["memory", "minesweeper", "crossword"]
        assert view["games"][0] == {
            "game": "memory",
            "attempt": "new",
            "room": None,
            "players": 0,
            "table": [],
            "before": None,
        }


async def test_an_attempt_is_begun_once_and_ends_in_the_table() -> None:
    async with serving_rooms() as server:
        answer = await begin(server, ANN)
        room = answer.json()["room"]
        assert (answer.status_code, answer.headers["Location"]) == (201, f"/g/{room}")
        assert answer.json()["public"] is False
        assert (await begin(server, ANN)).json()["room"] == room
        running = await daily(server, ANN)
        assert (running["attempt"], running["room"], running["players"]) == ("playing", room, 1)
        assert await play(server, ANN, "ann") == room
        ended = await daily(server, ANN)
        assert (ended["attempt"], ended["room"]) == ("ended", room)
        (entry,) = ended["table"]
        assert (entry["place"], entry["name"], entry["points"], entry["mine"], entry["room"]) == (
            *(1, "ann", 10, True),
            room,
        )
        assert entry["figures"]["turns"] == 10
        assert (await begin(server, ANN)).json()["state"] == "ended"


async def test_the_room_of_another_client_is_not_in_the_table_of_today() -> None:
    async with serving_rooms() as server:
        await play(server, ANN, "ann")
        seen = await daily(server, BOB)
        assert (seen["attempt"], seen["room"], seen["players"]) == ("new", None, 1)
        assert [(one["name"], one["mine"], one["room"]) for one in seen["table"]] == [("ann", False, None)]


async def test_only_its_host_plays_an_attempt() -> None:
    async with serving_rooms() as server:
        room = (await begin(server, ANN)).json()["room"]
        assert (await server.get(f"/g/{room}/flip/ann/0,0", BOB)).status_code == 403  # and bob gets no seat
        claim = await server.client.post(f"/g/{room}/names", json={"name": "bob"}, headers=bearer(BOB))
        assert (claim.status_code, claim.json()["code"]) == (403, "others-attempt")
        socket = await server.socket(f"/g/{room}/play/bob", BOB)
        with pytest.raises(Closed) as closed:
            await socket.receive()
        assert (closed.value.code, closed.value.reason) == (4403, "others-attempt")
        assert (await server.get(f"/g/{room}/look/bob", BOB)).status_code == 200  # watching is allowed
        assert (await server.get(f"/g/{room}/flip/ann/0,0", ANN)).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [(b'{"game": "chess"}', 400), (b"{}", 400), (b'{"game": 5}', 400), (b'{"other": "memory"}', 400), (b"[", 400)],
)
async def test_an_invalid_body_is_refused_and_begins_nothing(body: bytes, status: int) -> None:
    async with serving_rooms() as server:
        typed = {"Content-Type": "application/json", **bearer(ANN)}
        answer = await server.client.post("/rooms/daily", content=body, headers=typed)
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/json"
        assert (await daily(server, ANN))["players"] == 0


async def test_an_attempt_and_its_day_survive_a_restart(tmp_path: Path) -> None:
    async with serving_rooms(folder=tmp_path) as server:
        room = (await begin(server, ANN)).json()["room"]
        await server.get(f"/g/{room}/flip/ann/0,0", ANN)
        await play(server, BOB, "bob")
    async with serving_rooms(folder=tmp_path) as server:
        again = await daily(server, ANN)
        assert (again["attempt"], again["room"], again["players"]) == ("playing", room, 2)
        assert [one["name"] for one in again["table"]] == ["bob"]


async def test_the_best_of_an_earlier_day_is_shown_with_its_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving_rooms() as server:
        room = await play(server, ANN, "ann")
        monkeypatch.setattr(server.rooms, "today", lambda: "2999-01-01")
        seen = await daily(server, BOB)
        assert (seen["attempt"], seen["table"]) == ("new", [])
        assert (seen["before"]["name"], seen["before"]["room"]) == ("ann", room)
        assert (await daily(server, ANN))["before"]["mine"] is True
        await server.rooms.remove(room)
        assert (await daily(server, BOB))["before"]["room"] is None


async def test_the_next_game_after_an_attempt_is_no_attempt() -> None:
    async with serving_rooms() as server:
        room = await play(server, ANN, "ann")
        headers = {"Content-Type": "application/json", **bearer(ANN)}
        answer = await server.client.post(f"/g/{room}/again", headers=headers)
        assert answer.status_code == 201, answer.text
        following = await server.rooms.find(answer.json()["room"])
        assert (following.daily, following.after) == ("", room)
        assert (await server.get(f"/g/{following.name}/flip/bob/0,0", BOB)).status_code == 200
