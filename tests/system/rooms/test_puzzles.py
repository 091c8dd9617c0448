"""Import and export of crosswords over real sockets.

Partitions:
- import: .ipuz, .puz; refused, with code, reason and place; too long; a page of another origin; a client that may not
  open rooms
- an imported puzzle opens a room
- export: before the first player has come, during the match, at its end; in a room with a title and without
- import does not block the event loop: `scramble.front.crossword.puzzle_import` gives the reason
"""

from __future__ import annotations

import httpx

from scramble.crossword.exchange import MAX_IMPORT_BYTES
from scramble.front.rooms.app import RoomsConfig
from scramble.rooms.protocol import RoomOrder
from tests.support.crossword.driver import SIMPLE
from tests.support.crossword.foreign import ipuz_file, puz_file
from tests.support.rooms.served import ANN, BOB, ServedRooms, serving_rooms
from tests.support.websocket import WebSocket


async def converted(client: httpx.AsyncClient, data: bytes, **headers: str) -> httpx.Response:
    return await client.post("/rooms/puzzle?name=saturday", content=data, headers=headers)


async def test_a_file_of_another_program_is_converted_and_opens_a_room() -> None:
    async with serving_rooms() as served:
        client = served.client
        for data in (ipuz_file(), puz_file(title="")):
            answer = await converted(client, data)
            assert answer.status_code == 200, answer.text
            found = answer.json()
            assert (found["rows"], found["columns"]) == (3, 4)
            asked = {"game": "crossword", "settings": {"source": found["source"]}}
            assert (await client.post("/rooms", json=asked)).status_code == 201
        assert found["title"] == "saturday"


async def test_a_file_that_cannot_be_imported_is_refused_with_its_reason_and_place() -> None:
    async with serving_rooms() as served:
        client = served.client
        answer = await converted(client, puz_file(extensions={b"GEXT": bytes(4) + b"\x80" + bytes(7)}))
        assert answer.status_code == 400
        assert answer.json() == {
            "error": "row 2, column 1: a circle in a square cannot be shown here",
            "code": "cannot-import",
            "params": {"why": "circles", "row": 2, "column": 1},
        }
        assert (await converted(client, b"\x89PNG")).json()["params"] == {"why": "unknown-format"}
        assert (await converted(client, b"")).status_code == 400
        assert (await converted(client, b"{" + b" " * MAX_IMPORT_BYTES)).status_code == 413


async def test_only_who_may_open_rooms_has_files_converted() -> None:
    async with serving_rooms() as served:
        client = served.client
        assert (await converted(client, puz_file(), Origin="http://elsewhere.example")).status_code == 403
    async with serving_rooms(config=RoomsConfig("token", "secret")) as served:
        client = served.client
        assert (await converted(client, puz_file())).json()["code"] == "may-not-open"
        token = {"Scramble-Token": "secret"}
        assert (await converted(client, puz_file(), **token)).status_code == 200


async def test_a_match_is_there_as_text_before_it_begins_as_it_goes_on_and_after_its_end() -> None:
    async with serving_rooms() as served:
        record = await served.rooms.create("crossword", {"source": SIMPLE}, RoomOrder(title="Friday"))
        assert await text_of(served, record.name) == "Friday\nThe match has not begun.\n"
        ann, bob = [
            await served.socket(f"/g/{record.name}/play/{name}", secret)
            for name, secret in (("ann", ANN), ("bob", BOB))
        ]
        await until(ann, "PLAY")
        await ann.send("TRY 1 cat")
        await until(bob, "PLAY", "cat")
        text = await text_of(served, record.name)
        assert text.startswith("Friday\n")
        assert "ann: 1 word so far\nbob: 0 words so far\nThe match goes on.\n" in text
        assert "  1. feline companion (3)  cat - ann\n" in text
        await bob.send("EXIT")
        await until(ann, "SHOW SCORE")
        assert "ann: 1 point (1 word), winner\nbob: 0 points (0 words)\nbob gave up.\n" in (
            await text_of(served, record.name)
        )


async def text_of(served: ServedRooms, room: str) -> str:
    answer = await served.get(f"/g/{room}/match.txt")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    return answer.text


async def until(socket: WebSocket, state: str, words: str = "") -> None:
    while (frame := await socket.receive()).get("state") != state or words not in str(frame):
        pass
