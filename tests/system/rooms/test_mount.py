"""Rooms over real sockets: addresses below /g/NAME, seats, hosts, spectators, and rooms that no client can enter.

Partitions:
- a request is for the lobby, or for a room's page, text protocol, WebSocket, replay
- the room is open, ended, closed, removed, unknown; its game dies; it sleeps
- the client is a browser that reads HTML, a program, a WebSocket
- names belong to seats, or are open; the client is the host, another client, or unknown
"""

from __future__ import annotations

import gc
import re
import weakref
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.errors import GameMoved
from scramble.front.rooms.mount import mount_rooms
from scramble.front.site import SiteConfig
from scramble.front.web.websocket import WebSocketConnection
from scramble.games.room import OpenedRoom, RoomClocks, RoomSetup
from scramble.games.table import game_kinds
from scramble.journal import Recorder
from scramble.players.seats import hash_of
from scramble.rooms.local import RoomLimits, open_rooms
from scramble.rooms.protocol import Headcount, RoomOrder
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.rooms.kinds import FaultyField, kind_of
from tests.support.rooms.served import ANN, BOB, serving_rooms
from tests.support.websocket import Closed, Frame, WebSocket

FACE_UP = "my A"


async def until_closed(socket: WebSocket) -> tuple[int, str | None]:
    with pytest.raises(Closed) as ended:
        while True:
            await socket.receive()
    return ended.value.code, ended.value.reason


async def test_a_room_has_the_addresses_of_a_server_of_its_game_below_its_own() -> None:
    async with serving_rooms() as served:
        one, other = await served.memory(), await served.memory()
        up = await served.get(f"/g/{one.name}/flip/ann/0,0", ANN)
        assert (up.status_code, up.text.splitlines()[1]) == (200, FACE_UP)
        there = await served.get(f"/g/{other.name}/look/ann", ANN)
        assert there.text.splitlines()[1] == "down"
        assert "client/lobby/" in (await served.get("/")).text
        assert (await served.get(f"/g/{one.name}/nothing")).status_code == 404
        slashes = await served.memory("1x2\n/\n/\n", host=hash_of(ANN))
        replaced = await served.get(f"/g/{slashes.name}/replace/ann/%2F/%2F%2F", ANN)
        assert replaced.status_code == 200


@pytest.mark.parametrize("path", ["", "/"])
async def test_the_page_of_a_room_is_the_games_with_addresses_that_begin_at_the_room(path: str) -> None:
    async with serving_rooms() as served:
        room = await served.memory()
        page = await served.get(f"/g/{room.name}{path}")
        base = re.search('<base href="(.*?)" />', page.text)
        assert (base and base[1]) == (None if path else f"{room.name}/")
        assert f'<meta name="room" content="{room.name}" />' in page.text
        assert not re.search('="/?client/', page.text)
        assert "../../client/memory/icon.svg" in page.text
        assert "base-uri 'self'" in page.headers["Content-Security-Policy"]


async def test_a_player_plays_and_a_spectator_sees_it() -> None:
    async with serving_rooms() as served:
        room = await served.memory()
        ann = await served.socket(f"/g/{room.name}/play/ann", ANN)
        assert (await ann.receive())["type"] == "board"
        spectator = await served.socket(f"/g/{room.name}/view")
        assert (await spectator.receive())["type"] == "board"
        while (await spectator.receive())["type"] != "company":
            pass
        assert served.rooms.headcount(room.name) == Headcount(players=1, watching=1, host="ann")
        glance = await served.socket(f"/g/{room.name}/view?glance")  # shows the same, and is not counted
        assert (await glance.receive())["type"] == "board"
        while (await glance.receive())["type"] != "company":
            pass
        assert served.rooms.headcount(room.name) == Headcount(players=1, watching=1, host="ann")
        await spectator.send({"type": "flip", "row": 0, "column": 0})
        await ann.send({"type": "flip", "row": 0, "column": 1})
        seen: list[Frame] = []
        while not {"error", "change"} <= {frame["type"] for frame in seen}:
            seen.append(await spectator.receive())
        change = next(frame for frame in seen if frame["type"] == "change")
        assert [(cell["row"], cell["column"]) for cell in change["cells"]] == [(0, 1)]  # type: ignore[attr-defined]
        assert "spectators make no moves" in [frame.get("reason") for frame in seen]
        assert not {"flip", "score"} & {frame["type"] for frame in seen}


async def test_a_spectator_of_minesweeper_sees_what_players_dig() -> None:
    async with serving_rooms(kinds={"minesweeper": kind_of(FaultyField, "minesweeper")}) as served:
        room = await served.rooms.create("minesweeper", {})
        spectator = await served.socket(f"/g/{room.name}/view")
        first = await spectator.receive()
        assert (first["type"], first["you"], first["players"]) == ("field", None, [])
        ann = await served.socket(f"/g/{room.name}/play/ann", ANN)
        assert (await ann.receive())["type"] == "field"
        await ann.send({"type": "dig", "x": 1, "y": 1, "id": 1})
        dug = False
        while not dug:
            change = await spectator.receive()
            events = change["events"] if change["type"] == "change" else []
            dug = any(event.get("is") == "dug" for event in events)  # type: ignore[attr-defined]


@pytest.mark.parametrize("ending", ["none", "removed", "closed"])
async def test_a_room_that_cannot_be_entered_says_why_to_people_programs_and_websockets(ending: str) -> None:
    async with serving_rooms() as served:
        name = "there-never-was-one"
        if ending != "none":
            name = (await served.memory()).name
            await (served.rooms.close if ending == "closed" else served.rooms.remove)(name)
        status, code = {
            "none": (404, "no-such-room"),
            "removed": (410, "room-removed"),
            "closed": (410, "room-closed"),
        }[ending]
        line = await served.get(f"/g/{name}/look/ann")
        assert (line.status_code, line.text.count("\n")) == (status, 1)
        assert line.headers["Content-Type"] == "text/plain; charset=utf-8"
        page = await served.get(f"/g/{name}", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
        assert page.status_code == status
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert line.text[1:-1] in page.text
        assert 'src="../client/shared/loading.' in page.text
        assert '<a class="button button-primary" href="../"' in page.text
        assert 'href="next" hidden' in page.text
        socket = await served.socket(f"/g/{name}/play/ann", ANN)
        assert await until_closed(socket) == (4000 + status, code)


async def test_the_page_of_a_closed_room_leads_to_the_next_game_of_its_players() -> None:
    async with serving_rooms() as served:
        room = await served.memory()
        following = await served.rooms.create("memory", {}, RoomOrder(after=room.name))
        await served.rooms.close(room.name)
        page = await served.get(f"/g/{room.name}/replay", Accept="text/html")
        assert (page.status_code, f'href="../../g/{following.name}"' in page.text) == (410, True)


@pytest.mark.parametrize("ending", ["removed", "closed"])
async def test_a_websocket_in_a_room_that_ends_is_told_that_it_need_not_come_back(ending: str) -> None:
    async with serving_rooms() as served:
        room = await served.memory()
        sockets = [await served.socket(f"/g/{room.name}/{path}", ANN) for path in ("play/ann", "view")]
        for socket in sockets:
            await socket.receive()
        await (served.rooms.close if ending == "closed" else served.rooms.remove)(room.name)
        assert [await until_closed(socket) for socket in sockets] == [(4410, f"room-{ending}")] * 2


async def test_a_game_that_dies_closes_its_websockets_only_and_is_opened_again() -> None:
    async with serving_rooms(kinds={"minesweeper": kind_of(FaultyField, "minesweeper")}) as served:
        room, other = [await served.rooms.create("minesweeper", {}) for _ in range(2)]
        ann = await served.socket(f"/g/{room.name}/play/ann", ANN)
        bob = await served.socket(f"/g/{other.name}/play/bob", BOB)
        await ann.receive()
        await bob.receive()
        await ann.send({"type": "dig", "x": 1, "y": 1, "id": 1})
        while (await ann.receive())["type"] != "done":
            pass
        await ann.send({"type": "dig", "x": 0, "y": 0, "id": 2})
        assert (await until_closed(ann))[0] == 1011
        await bob.send({"type": "flag", "x": 0, "y": 0, "id": 1})
        while (await bob.receive())["type"] != "done":
            pass
        again = await served.socket(f"/g/{room.name}/play/ann", ANN)
        frame = await again.receive()
        assert frame["lines"] != ["- - - -"] * 4


async def test_a_name_belongs_to_a_client_in_one_room_and_to_another_in_the_next() -> None:
    async with serving_rooms() as served:
        one, other = await served.memory(), await served.memory()
        assert (await served.get(f"/g/{one.name}/flip/zoe/0,0", ANN)).status_code == 200
        assert (await served.get(f"/g/{other.name}/flip/zoe/0,0", BOB)).status_code == 200
        taken = await served.get(f"/g/{one.name}/flip/zoe/0,1", BOB)
        assert (taken.status_code, taken.text) == (
            403,
            "the name zoe belongs to somebody else here: take another one\n",
        )
        socket = await served.socket(f"/g/{one.name}/play/zoe", BOB)
        assert await until_closed(socket) == (4403, "seat-taken")


async def test_a_browser_has_one_secret_for_all_rooms() -> None:
    async with serving_rooms() as served:
        one, other = await served.memory(), await served.memory()
        page = await served.get(f"/g/{one.name}")
        assert "Path=/;" in page.headers["Set-Cookie"] + ";"
        assert (await served.get(f"/g/{one.name}/flip/zoe/0,0")).status_code == 200
        elsewhere = await served.get(f"/g/{other.name}")
        assert "Set-Cookie" not in elsewhere.headers


async def test_where_names_are_open_everybody_may_play_under_any_name() -> None:
    async with serving_rooms() as served:
        room = await served.memory(names="open")
        assert (await served.get(f"/g/{room.name}/flip/zoe/0,0", ANN)).status_code == 200
        found = await served.get(f"/g/{room.name}/flip/zoe/0,1", BOB)
        assert found.text.splitlines()[1:3] == ["my A", "my A"]


@pytest.mark.parametrize("names", ["seats", "open"])
async def test_only_the_host_replaces_cards_and_nobody_starts_a_new_game_in_a_room(names: str) -> None:
    async with serving_rooms() as served:
        room = await served.memory(host=hash_of(ANN), names="open" if names == "open" else "seats")
        address = f"/g/{room.name}"
        refused = await served.get(f"{address}/replace/bob/A/C", BOB)
        assert (refused.status_code, refused.text) == (403, "only the host of a room may replace cards\n")
        assert (await served.get(f"{address}/replace/ann/A/C", ANN)).status_code == 200
        new = await served.post(f"{address}/new/ann", ANN)
        assert (new.status_code, new.text) == (409, "in a room a new game is another room\n")
        bob = await served.socket(f"{address}/play/bob", BOB)
        board = await bob.receive()
        assert board["off"] == ["new"]
        for frame, words in (
            ({"type": "replace", "id": 1, "old": "C", "new": "D"}, "only the host of a room may replace cards"),
            ({"type": "new", "id": 2}, "in a room a new game is another room"),
        ):
            await bob.send(frame)
            while (answer := await bob.receive())["type"] != frame["type"]:
                pass
            assert (answer["outcome"], answer["reason"]) == ("refused", words)
        ann = await served.socket(f"{address}/play/ann", ANN)
        await ann.send({"type": "replace", "id": 1, "old": "C", "new": "D"})
        while (answer := await ann.receive())["type"] != "replace":
            pass
        assert answer["outcome"] == "ok"


async def test_the_replay_of_a_memory_room_is_there_once_its_game_has_ended() -> None:
    async with serving_rooms() as served:
        room = await served.memory()
        for path in ("replay", "replay/data"):
            early = await served.get(f"/g/{room.name}/{path}")
            assert early.status_code == 404
            assert early.text == "the replay shows the cards: it is here once the game has ended\n"
        assert 'id="replay-link" hidden' in (await served.get(f"/g/{room.name}")).text
        changes = served.rooms.changes()
        for spot in ("0,0", "0,1", "1,0", "1,1"):
            assert (await served.get(f"/g/{room.name}/flip/ann/{spot}", ANN)).status_code == 200
        while (await served.rooms.find(room.name)).state != "ended":
            await anext(changes)
        page = await served.get(f"/g/{room.name}/replay")
        assert page.status_code == 200
        assert "../../client/replay/icon.svg" in page.text
        overview = (await served.get(f"/g/{room.name}/replay/data")).json()
        assert overview["kind"] == "memory"
        assert {line["player"]: line["points"][-1][2] for line in overview["lines"]} == {"ann": 2}
        await served.get(f"/g/{room.name}/flip/ann/0,0", ANN)  # removes the last pair
        assert (await served.get(f"/g/{room.name}/look/ann", ANN)).text.splitlines()[1:] == ["none"] * 4
        assert (await served.get(f"/g/{room.name}/replay/data")).json() == overview
        assert 'id="replay-link" href' in (await served.get(f"/g/{room.name}")).text


async def test_a_room_goes_on_after_it_has_slept() -> None:
    async with serving_rooms(sleep_after=0.0) as served:
        room = await served.memory()
        assert (await served.get(f"/g/{room.name}/flip/ann/0,0", ANN)).status_code == 200
        async for _ in served.rooms.movements():
            if not served.rooms.awake():
                break
        looked = await served.get(f"/g/{room.name}/look/ann", ANN)
        assert looked.text.splitlines()[1] == FACE_UP
        taken = await served.get(f"/g/{room.name}/flip/ann/0,1", BOB)
        assert taken.status_code == 403


async def test_what_a_room_is_asked_for_in_a_head_request_is_answered_without_a_body() -> None:
    async with serving_rooms() as served:
        head = await served.client.head("/g/there-never-was-one", headers={"Accept": "text/html"})
        assert (head.status_code, head.text) == (404, "")


@pytest.mark.parametrize("end", ["asleep", "removed"])
@pytest.mark.parametrize("kind", game_kinds())
async def test_a_room_that_has_gone_leaves_nothing_in_memory_though_no_garbage_is_collected(
    kind: str, end: str
) -> None:
    async with serving_rooms(sleep_after=0.0 if end == "asleep" else 60.0) as served:
        gc.disable()  # a server may never collect garbage
        try:
            left: list[weakref.ref[object]] = []
            for _ in range(3):
                room = await served.rooms.create(kind, {})
                sockets = [await served.socket(f"/g/{room.name}/{path}", ANN) for path in ("play/ann", "view")]
                for socket in sockets:
                    await socket.receive()
                await served.get(f"/g/{room.name}/flip/ann/0,0", ANN)
                async with served.rooms.enter(room.name) as inside:
                    left.append(weakref.ref(inside))
                    left.append(weakref.ref(inside.game))
                del inside
                if end == "removed":
                    await served.rooms.remove(room.name)
                for socket in sockets:
                    await socket.leave()
            while any(ref() is not None for ref in left):
                await trio.lowlevel.checkpoint()  # the room is closing
        finally:
            gc.enable()


@pytest.mark.parametrize("path", ["play/ann", "view"])
@pytest.mark.parametrize("kind", game_kinds())
async def test_a_connection_that_has_gone_leaves_nothing_in_memory_though_no_garbage_is_collected(
    kind: str, path: str
) -> None:
    def connections() -> int:
        return sum(isinstance(one, WebSocketConnection) for one in gc.get_objects())

    async with serving_rooms() as served:
        room = await served.rooms.create(kind, {})
        stays = await served.socket(f"/g/{room.name}/view", BOB)
        await stays.receive()
        gc.collect()
        before = connections()
        gc.disable()
        try:
            for number in range(3):  # each game sends at least two frames, and more only during a pause
                socket = await served.socket(f"/g/{room.name}/{path}", ANN)
                for _ in range(number):
                    await socket.receive()
                await socket.leave()
            while connections() > before:
                await trio.lowlevel.checkpoint()
        finally:
            gc.enable()
        await stays.leave()


async def test_a_room_whose_file_is_damaged_says_so_and_no_other_does(tmp_path: Path) -> None:
    async with serving_rooms(folder=tmp_path) as served:
        damaged, sound = await served.memory(), await served.memory()
        served.rooms.folder.journal(damaged.name).write_bytes(b"nothing that SQLite knows" * 100)
        line = await served.get(f"/g/{damaged.name}/look/ann")
        assert (line.status_code, line.text.count("\n")) == (503, 1)
        assert "damaged" in line.text or "cannot be used" in line.text
        socket = await served.socket(f"/g/{damaged.name}/play/ann", ANN)
        assert await until_closed(socket) == (4503, "room-damaged")
        assert (await served.get(f"/g/{sound.name}/look/ann")).status_code == 200
        assert (await served.get("/health")).json() == {"live": True, "ready": True}


async def test_a_full_server_asks_to_try_again_later() -> None:
    async with serving_rooms(limits=RoomLimits(awake=1)) as served:
        one, other = await served.memory(), await served.memory()
        ann = await served.socket(f"/g/{one.name}/play/ann", ANN)
        await ann.receive()
        refused = await served.get(f"/g/{other.name}/look/bob")
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "10")
        assert await until_closed(await served.socket(f"/g/{other.name}/play/bob", BOB)) == (1013, "awake-full")
        await ann.leave()
        assert (await served.get(f"/g/{other.name}/look/bob")).status_code == 200


async def test_the_limits_of_an_address_are_those_of_all_rooms_together() -> None:
    few = Protection(ServerLimits(requests=3, requests_per_s=0.001))
    async with serving_rooms(protection=few) as served:
        rooms = [await served.memory() for _ in range(3)]
        for room in rooms:
            assert (await served.get(f"/g/{room.name}/look/ann")).status_code == 200
        for path in ("/", f"/g/{rooms[0].name}", f"/g/{rooms[1].name}/look/ann"):
            refused = await served.get(path)
            assert (refused.status_code, "Retry-After" in refused.headers) == (429, True)


async def test_rooms_of_a_kind_without_an_application_are_not_served() -> None:
    with pytest.raises(ValueError, match="rooms of digging have no application"):
        async with open_rooms(kinds={"digging": kind_of(FaultyField, "digging")}) as rooms:
            mount_rooms(lobby, rooms, SiteConfig())


async def lobby(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    raise AssertionError("nobody has asked for it")


def moving(_journal: Recorder | None, _clocks: RoomClocks) -> AbstractAsyncContextManager[OpenedRoom]:
    """Open no game, like a process that finds that the room moves to another process."""
    raise GameMoved("the game moves to another process: come again")


async def test_a_room_on_its_way_to_another_process_is_asked_for_again() -> None:
    kind = replace(kind_of(FaultyField, "minesweeper"), set_up=lambda _: RoomSetup(moving))
    async with serving_rooms(kinds={"minesweeper": kind}) as served:
        room = await served.rooms.create("minesweeper", {"size": 2})
        line = await served.get(f"/g/{room.name}/server")
        assert (line.status_code, line.headers["Retry-After"], line.text.count("\n")) == (503, "1", 1)
        assert "Refresh" not in line.headers
        page = await served.get(f"/g/{room.name}", Accept="text/html")
        assert (page.status_code, page.headers["Refresh"], page.headers["Retry-After"]) == (503, "1", "1")
        assert 'data-code="moved"' in page.text
        socket = await served.socket(f"/g/{room.name}/play/ann", ANN)
        assert (await until_closed(socket))[0] == 1012
