"""The rooms API over real sockets.

Partitions:
- open: with all fields, with the required fields only, with wrong fields of each kind
- opened by: a page of this server, of an allowed origin, of another origin, a program; on this machine, on another
  machine (test_opening_limits tests size and rate)
- list: public or by link, open, ended; more than one page; an invalid page
- one room: by its host, by others; during the game and after it; removed, unknown
- kinds: this server's, another server's; a room of a kind that the server does not have
- remove: by its host by bearer token and by cookie, by others, from a page of another origin
- links: this machine alone, all addresses; by loopback, by an address, by a name; a proxy's origin; no possible link
- under another ASGI server: its settings; a request with another host name; a page of another origin
"""

from __future__ import annotations

import logging
import re
import socket
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import httpx
import pytest
import trio
from hypercorn.config import Config
from hypercorn.trio import serve

from scramble.app import BadSetting, create_app
from scramble.front.rooms.app import RoomsConfig
from scramble.front.rooms.room_orders import MOST_BOTS_IN_ROOM
from scramble.memory.kind import memory_kind
from scramble.rooms.local import open_rooms
from scramble.rooms.protocol import RoomOrder
from scramble.server.http.server import serve_app
from scramble.server.protection.middleware import Protection
from scramble.server.reach import own_addresses
from tests.support.rooms.api import ANN, BOB, PAIR, opened, serving
from tests.support.rooms.kinds import DIGGING
from tests.support.rooms.served import serving_rooms
from tests.support.websocket import Cut, WebSocket

ELSEWHERE = {"Origin": "http://evil.example"}


async def test_a_room_with_all_that_can_be_chosen_is_as_it_was_asked_for() -> None:
    async with serving() as (client, _):
        asked = {
            "game": "memory",
            "public": True,
            "title": "Friday",
            "names": "open",
            "bots": [{"level": "easy"}, {"level": "hard"}],
            "turn_clock": 90,
            "settings": {"size": "4x5", "theme": "letters", "seed": 7},
        }
        answer = await client.post("/rooms", json=asked)
        room = answer.json()["room"]
        assert answer.headers["Location"] == f"/g/{room}"
        assert re.fullmatch("[a-z]+(-[a-z]+){3}", room)
        assert answer.json() == {"room": room, "game": "memory", "title": "Friday", "public": True, "state": "open"}
        found = (await client.get(f"/rooms/{room}")).json()
        assert found == found | {
            "names": "open",
            "bots": [{"level": "easy"}, {"level": "hard"}],
            "turn_clock": 90,
            "settings": {"size": "4x5", "theme": "letters"},  # a client that knows the seed knows the cards
            "host": True,
            "result": None,
        }
        same = await client.post("/rooms", json=asked)
        assert [(await client.get(f"/g/{name}/flip/bob/0,0")).text for name in (room, same.json()["room"])] == [
            (await client.get(f"/g/{room}/look/bob")).text
        ] * 2


@pytest.mark.parametrize("game", ["memory", "minesweeper", "crossword"])
async def test_everything_but_the_game_may_be_left_out(game: str) -> None:
    async with serving() as (client, _):
        answer = await client.post("/rooms", json={"game": game})
        assert answer.status_code == 201
        assert answer.json()["public"] is False
        assert (await client.get("/rooms")).json() == {"rooms": []}
        page = await client.get(answer.headers["Location"], headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({}, {"game"}),
        ({"game": "chess"}, {"game"}),
        ({"game": ["memory"], "title": 1, "public": "yes"}, {"game", "title", "public"}),
        ({"game": "memory", "names": "mine", "colour": "red"}, {"names", "colour"}),
        ({"game": "memory", "turn_clock": 21}, {"turn_clock"}),
        ({"game": "memory", "turn_clock": True}, {"turn_clock"}),
        ({"game": "memory", "bots": {"level": "easy"}}, {"bots"}),
        ({"game": "memory", "bots": [{"level": "easy"}] * (MOST_BOTS_IN_ROOM + 1)}, {"bots"}),
        ({"game": "memory", "bots": [{"level": "easy"}, {"level": "mad"}, 3]}, {"bots.1.level", "bots.2.level"}),
        ({"game": "memory", "bots": [{"level": "easy", "name": "x"}]}, {"bots.0"}),
        ({"game": "memory", "settings": []}, {"settings"}),
        ({"game": "memory", "settings": {"size": "3x3", "theme": "none"}}, {"settings.size", "settings.theme"}),
        ({"game": "memory", "title": "x" * 10_000}, {"title"}),
        (
            {"game": "memory", "title": "x" * 10_000, "colour": "red", "settings": {"size": "3x3", "board": 5}},
            {"title", "colour", "settings.size", "settings.board"},
        ),
        ({"game": "minesweeper", "public": "yes", "settings": {"bombs": -1}}, {"public", "settings.bombs"}),
        ({"game": "crossword", "colour": "red", "settings": {"puzzle": "simple"}}, {"colour"}),
        ([], {"body"}),
        ("memory", {"body"}),
    ],
)
async def test_each_field_that_is_wrong_is_named_with_words_and_nothing_is_opened(
    asked: object, wrong: set[str]
) -> None:
    async with serving() as (client, rooms):
        answer = await client.post("/rooms", json=asked)
        assert (answer.status_code, answer.json()["errors"].keys()) == (400, wrong)
        assert all(answer.json()["errors"].values())
        assert answer.json()["codes"].keys() == wrong
        assert not await rooms.list(hidden=True)


async def test_pages_of_other_origins_neither_open_nor_remove_rooms() -> None:
    protection = Protection(origins=("https://play.example.org",))
    async with serving(protection=protection) as (client, rooms):
        room = await opened(client)
        own = str(client.base_url).rstrip("/")
        for origin, status in (
            ("http://evil.example", 403),
            ("null", 403),
            (own.replace("http:", "https:"), 403),
            (own, 201),
            ("https://play.example.org", 201),
        ):
            answer = await client.post("/rooms", json=PAIR, headers={"Origin": origin} | ANN)
            assert answer.status_code == status, origin
        foreign = await client.delete(f"/rooms/{room}", headers={"Origin": "http://evil.example"} | ANN)
        assert (foreign.status_code, foreign.json()["code"]) == (403, "from-elsewhere")
        rebound = await client.post("/rooms", json=PAIR, headers={"Host": "evil.example"})
        assert rebound.status_code == 421
        assert len(await rooms.list(hidden=True)) == 3


async def test_the_list_has_public_rooms_newest_first_a_hundred_at_a_time() -> None:
    async with serving() as (client, rooms):
        names = [(await rooms.create("memory", {}, RoomOrder(str(number), public=True))).name for number in range(103)]
        await rooms.create("memory", {})
        newest_first = names[::-1]
        first = (await client.get("/rooms")).json()["rooms"]
        assert [room["room"] for room in first] == newest_first[:100]
        assert first[0] == {
            "room": names[-1],
            "game": "memory",
            "title": "102",
            "players": 0,
            "watching": 0,
            "state": "open",
            "opened": first[0]["opened"],
            "bots": [],
            "size": "6x6",
            "hosted_by": None,
            "demo": False,
        }
        rest = (await client.get("/rooms", params={"after": first[-1]["room"]})).json()["rooms"]
        assert [room["room"] for room in rest] == newest_first[100:]
        nowhere = await client.get("/rooms?after=never-was-there-once")
        assert (nowhere.status_code, nowhere.json()["code"]) == (404, "no-such-room")


async def test_what_tells_the_cards_and_the_result_are_there_once_the_game_is_over() -> None:
    async with serving() as (client, rooms):
        room = await opened(client, public=True)
        found = (await client.get(f"/rooms/{room}", headers=BOB)).json()
        assert (found["settings"], found["host"], found["state"]) == ({}, False, "open")
        changes = rooms.changes()
        for spot in ("0,0", "0,1"):
            assert (await client.get(f"/g/{room}/flip/ann/{spot}", headers=ANN)).status_code == 200
        await anext(changes)
        found = (await client.get(f"/rooms/{room}", headers=ANN)).json()
        assert (found["settings"], found["host"], found["state"]) == ({"board": "1x2\nA\nA\n"}, True, "ended")
        figures = {"ann": {"turns": 1, "found": 1, "streak": 1, "memory": 0}}
        assert found["result"] == {"scores": {"ann": 1}, "winners": ["ann"], "figures": figures}
        assert found["ended"] >= found["opened"]
        assert (await client.get("/rooms")).json()["rooms"][0]["state"] == "ended"


async def test_only_the_host_removes_a_room_and_it_is_gone_then() -> None:
    async with serving() as (client, _):
        by_token = await opened(client)
        by_cookie = (await client.post("/rooms", json=PAIR)).json()["room"]
        cookies = dict(client.cookies)
        client.cookies.clear()
        for room in (by_token, by_cookie):
            for headers in (BOB, {}):
                refused = await client.delete(f"/rooms/{room}", headers=headers)
                assert (refused.status_code, refused.json()["code"]) == (403, "not-the-host")
                assert refused.json()["params"] == {"act": "delete", "room": room}
                client.cookies.clear()
            assert (await client.get(f"/g/{room}/look/ann", headers=ANN)).status_code == 200
        assert (await client.delete(f"/rooms/{by_token}", headers=ANN)).status_code == 204
        client.cookies.update(cookies)
        assert (await client.delete(f"/rooms/{by_cookie}")).status_code == 204
        for room in (by_token, by_cookie):
            for path in (
                f"/rooms/{room}",
                f"/g/{room}",
                f"/g/{room}/look/ann",
                f"/g/{room}/share",
                f"/g/{room}/qr.svg",
            ):
                assert (await client.get(path)).status_code == 410, path
            assert (await client.delete(f"/rooms/{room}", headers=ANN)).status_code == 410
        assert (await client.get("/rooms/never-was-there-once")).status_code == 404


async def test_where_only_this_machine_opens_rooms_others_may_play_in_them() -> None:
    config = RoomsConfig("local")
    async with serving(config, protection=Protection(behind_proxy=True)) as (client, _):
        room = await opened(client)
        elsewhere = {"X-Forwarded-For": "192.168.1.5"} | BOB
        refused = await client.post("/rooms", json=PAIR, headers=elsewhere)
        assert (refused.status_code, refused.json()["code"]) == (403, "may-not-open")
        assert (await client.get(f"/g/{room}/flip/bob/0,0", headers=elsewhere)).status_code == 200
        assert (await client.get("/rooms/kinds")).json()["open_rooms"] == "local"


async def test_a_server_offers_and_opens_the_kinds_of_games_that_it_has() -> None:
    pairs = replace(memory_kind(16), title="Pairs")
    async with serving_rooms(kinds={"memory": pairs}) as served:
        (offered,) = (await served.get("/rooms/kinds")).json()["kinds"]
        assert (offered["game"], offered["title"], offered["sizes"]) == ("memory", "Pairs", ["4x4"])
        refused = await served.client.post("/rooms", json={"game": "crossword"})
        assert refused.json()["errors"] == {"game": "one of memory"}
        room = await served.client.post("/rooms", json={"game": "memory", "public": True})
        assert (room.status_code, room.json()["title"]) == (201, "Pairs")
        (listed,) = (await served.get("/rooms")).json()["rooms"]
        assert listed["title"] == "Pairs"


async def test_a_room_of_a_game_that_the_server_has_no_longer_is_listed_by_its_kind(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        await rooms.create("digging", {}, RoomOrder(public=True))
    async with serving_rooms(folder=tmp_path) as served:
        (listed,) = (await served.get("/rooms")).json()["rooms"]
        assert (listed["game"], listed["title"]) == ("digging", "digging")


async def links(client: httpx.AsyncClient, room: str, **headers: str) -> list[str]:
    """Return the links to a room, without its path."""
    shared = (await client.get(f"/g/{room}/share", headers=headers)).json()
    assert shared["room"]["room"] == room
    found = cast(list[str], shared["links"])
    assert all(link.endswith(f"/g/{room}") for link in found)
    return [link.removesuffix(f"/g/{room}") for link in found]


async def test_links_are_those_that_others_can_use() -> None:
    async with serving() as (client, _):
        room, port = await opened(client), client.base_url.port
        assert await links(client, room) == [f"http://127.0.0.1:{port}"]
        assert await links(client, room, Host=f"localhost:{port}") == [f"http://localhost:{port}"]
        assert await links(client, room, Host=f"192.0.2.7:{port}") == [f"http://192.0.2.7:{port}"]
        strange = await client.get(f"/g/{room}/share", headers={"Host": "evil.example"})
        assert strange.status_code == 421


async def test_on_all_addresses_links_are_those_of_this_machine_in_its_networks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scramble.server.reach.own_addresses", lambda _: ["192.168.1.5", "10.0.0.7"])
    async with serving(host="0.0.0.0") as (client, _):
        room, port = await opened(client), client.base_url.port
        for host in ("127.0.0.1", "localhost", "0.0.0.0", "[::1]"):
            found = await links(client, room, Host=f"{host}:{port}")
            assert found == [f"http://192.168.1.5:{port}", f"http://10.0.0.7:{port}"]
        assert await links(client, room, Host="10.0.0.7:81") == ["http://10.0.0.7:81"]
        second, first = [(await client.get(f"/g/{room}/qr.svg?link={number}")).text for number in (1, 0)]
        assert (await client.get(f"/g/{room}/qr.svg")).text == first != second
        for number in ("2", "-1", "one"):
            assert (await client.get(f"/g/{room}/qr.svg?link={number}")).status_code == 404


async def test_behind_a_proxy_links_have_the_origin_of_the_proxy() -> None:
    protection = Protection(origins=("https://play.example.org",), behind_proxy=True)
    async with serving(protection=protection) as (client, _):
        room = await opened(client)
        https = {"X-Forwarded-Proto": "https"}
        assert await links(client, room, Host="play.example.org", **https) == ["https://play.example.org"]
        assert (await links(client, room))[
            0
        ] == "https://play.example.org"  # now the proxy does not forward the client's Host


async def test_this_machines_own_addresses_are_no_address_to_listen_on() -> None:
    async with serving(host="0.0.0.0") as (client, _):
        found = await links(client, await opened(client))
        assert found
        assert not any("0.0.0.0" in link or "localhost" in link for link in found)
        assert len(found) == max(1, len(own_addresses(socket.AF_INET)))


async def test_the_qr_code_is_an_image_that_no_page_may_read_scripts_from() -> None:
    async with serving() as (client, _):
        image = await client.get(f"/g/{await opened(client)}/qr.svg")
        assert image.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
        assert "default-src 'self'" in image.headers["Content-Security-Policy"]
        assert image.text.startswith("<svg ")


async def test_rooms_are_served_under_another_server_by_settings_in_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCRAMBLE_IN_MEMORY", "1")
    monkeypatch.setenv("SCRAMBLE_OPEN_ROOMS", "token")
    with pytest.raises(BadSetting, match="SCRAMBLE_TOKEN"):
        create_app("rooms")
    monkeypatch.setenv("SCRAMBLE_TOKEN", "open sesame")
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, create_app("rooms"), host="127.0.0.1", port=0))
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
            assert (await client.post("/rooms", json=PAIR)).status_code == 403
            answer = await client.post("/rooms", json=PAIR, headers={"Scramble-Token": "open sesame"})
            assert answer.status_code == 201
            assert (await client.get(f"{answer.headers['Location']}/look/ann")).text == "1x2\ndown\ndown\n"
            assert (await client.get("/health/ready")).status_code == 200
        nursery.cancel_scope.cancel()


async def test_rooms_under_hypercorns_own_worker_refuse_foreign_host_names_and_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCRAMBLE_IN_MEMORY", "1")
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn adds its own handler permanently
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(serve, create_app("rooms"), config))
        async with httpx.AsyncClient(base_url=url, timeout=None) as client:
            assert (await client.get("/rooms", headers={"Host": "evil.example"})).status_code == 421
            assert (await client.get("/rooms")).status_code == 200
        with pytest.raises(Cut):
            await WebSocket.connect(client.base_url.host, client.base_url.port or 0, "/lobby", headers=ELSEWHERE)
        nursery.cancel_scope.cancel()
