"""The rooms API over real sockets.

Partitions:
- open: with all fields, with the fewest, with wrong ones of each kind; no JSON, another type, too long
- who opens: a page of this server, of an allowed origin, of another one, a program; on this machine, elsewhere; often
- list: public or by link, open, ended; more than one page; one that is none
- one room: by its host, by others; while the game goes on and once it is over; removed, never there
- kinds: those of the server, of another one; of a room whose kind the server has not
- remove: by its host by bearer token and by cookie, by others, from a page of another origin
- links: this machine alone, all addresses; asked by loopback, by an address, by a name; a proxy's origin; no such link
- under another ASGI server
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import httpx
import pytest
import trio

from scramble.app import BadSetting, create_app
from scramble.front.rooms.app import RoomsConfig, serve_rooms
from scramble.front.rooms.opening import BODY_BYTES, MOST_BOTS
from scramble.front.site import SiteConfig
from scramble.rooms.kind import MOST_MISTAKES
from scramble.rooms.kinds import room_kinds
from scramble.rooms.local import LocalRooms, open_rooms
from scramble.server.http.server import serve_app
from scramble.server.protection.bodies import LONG_BODIES_BY_ADDRESS
from scramble.server.protection.middleware import Protection
from scramble.server.reach import own_addresses
from tests.support import HANG_S
from tests.support.rooms.kinds import DIGGING
from tests.support.rooms.served import serving_rooms

ANN = {"Authorization": "Bearer 0123456789abcdef"}
BOB = {"Authorization": "Bearer fedcba9876543210"}
PAIR = {"game": "memory", "settings": {"board": "1x2\nA\nA\n"}}
TYPED = {"Content-Type": "application/json"}


@asynccontextmanager
async def serving(
    config: RoomsConfig = RoomsConfig(),  # noqa: B008 - immutable
    *,
    protection: Protection | None = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[tuple[httpx.AsyncClient, LocalRooms]]:
    """A client of a server of rooms, and the rooms."""
    async with open_rooms() as rooms, trio.open_nursery() as nursery:
        site = SiteConfig(protection or Protection())
        address = await nursery.start(partial(serve_rooms, rooms, host, 0, config=config, site=site))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address.port}", timeout=None) as client:
            yield client, rooms
        nursery.cancel_scope.cancel()


async def opened(client: httpx.AsyncClient, **more: object) -> str:
    """The name of a room that was opened just now, by ann."""
    answer = await client.post("/rooms", json=PAIR | more, headers=ANN)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["room"])


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
            "settings": {"size": "4x5", "theme": "letters"},  # who knows the seed knows the cards
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
        ({"game": "memory", "bots": [{"level": "easy"}] * (MOST_BOTS + 1)}, {"bots"}),
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


async def test_a_title_of_half_a_mebibyte_of_marks_is_refused_and_so_is_a_room_renamed_to_them() -> None:
    marks = "a" + "\u0323\u0301" * 120_000  # to normalize them takes minutes
    with trio.fail_after(HANG_S):
        async with serving() as (client, _):
            body = json.dumps({"game": "memory", "title": marks}, ensure_ascii=False).encode()
            answer = await client.post("/rooms", content=body, headers=TYPED)
            assert (answer.status_code, answer.json()["codes"]["title"]["code"]) == (400, "title-too-long")
            room = await opened(client)
            body = json.dumps({"title": marks[:4000]}, ensure_ascii=False).encode()
            renamed = await client.post(f"/g/{room}/rename", content=body, headers=TYPED | ANN)
            assert (renamed.status_code, renamed.json()["code"]) == (400, "title-too-long")


async def test_a_body_is_json_of_a_mebibyte_at_most_and_says_so() -> None:
    async with serving() as (client, rooms):
        untyped = await client.post("/rooms", content=b"{}")
        assert (untyped.status_code, untyped.json()["code"]) == (415, "not-json")
        for body in (b"", b"{", b'{"game": "m\xff"}', b"[" * 100_000):
            answer = await client.post("/rooms", content=body, headers=TYPED)
            assert (answer.status_code, answer.json()["errors"].keys()) == (400, {"body"})
        longest = b'{"game": "memory"%s}' % (b" " * (BODY_BYTES - 18))
        assert (await client.post("/rooms", content=longest, headers=TYPED)).status_code == 201
        assert (await client.post("/rooms", content=longest + b" ", headers=TYPED)).status_code == 413
        assert (await client.post("/nowhere", content=longest, headers=TYPED)).status_code == 413
        assert len(await rooms.list(hidden=True)) == 1


async def test_so_many_long_bodies_may_come_in_at_once_from_an_address_and_the_next_ones_learn_that() -> None:
    head = (
        b"POST /rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    )
    long = b'{"game": "memory"%s}' % (b" " * 50_000)
    with trio.fail_after(HANG_S):
        async with serving() as (client, _):

            async def until(status: int) -> httpx.Response:
                """Ask again and again, because nobody tells when the server has noticed the others."""
                while True:
                    answer = await client.post("/rooms", content=long, headers=TYPED)
                    assert answer.status_code in (201, 503)
                    if answer.status_code == status:
                        return answer

            port = client.base_url.port
            assert port is not None
            streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(LONG_BODIES_BY_ADDRESS)]
            for stream in streams:
                await stream.send_all(head + b" " * 500_000)
            refused = await until(503)
            assert (refused.headers["Retry-After"], "long bodies" in refused.text) == ("1", True)
            assert (await client.post("/rooms", json=PAIR)).status_code == 201
            for stream in streams:
                await stream.aclose()
            await until(201)


async def test_long_bodies_that_drip_from_five_addresses_keep_no_place_from_others() -> None:
    head = "POST /rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n"
    long = b'{"game": "memory"%s}' % (b" " * 50_000)
    with trio.fail_after(HANG_S):
        async with serving(protection=Protection(behind_proxy=True)) as (client, _):
            port = client.base_url.port
            assert port is not None
            streams = []
            for address in range(5):
                for _ in range(LONG_BODIES_BY_ADDRESS):
                    streams.append(await trio.open_tcp_stream("127.0.0.1", port))
                    request = f"{head}X-Forwarded-For: 203.0.113.{address}\r\n\r\n".encode() + b" " * 16_000
                    await streams[-1].send_all(request)
            answer = await client.post("/rooms", content=long, headers=TYPED | {"X-Forwarded-For": "203.0.113.9"})
            assert answer.status_code == 201
            for stream in streams:
                await stream.aclose()


@pytest.mark.parametrize(
    ("config", "headers", "refused"),
    [
        (RoomsConfig("token", token="sesame"), {"Scramble-Token": "open"}, (403, "may-not-open")),
        (RoomsConfig("token", token="sesame"), {}, (403, "may-not-open")),
        (RoomsConfig("local"), {}, (403, "may-not-open")),
        (RoomsConfig(), {"Origin": "http://evil.example"}, (403, "from-elsewhere")),
        (RoomsConfig(), {"Origin": "null"}, (403, "from-elsewhere")),
        (RoomsConfig(), {"Content-Type": "text/plain"}, (415, "not-json")),
    ],
)
async def test_who_may_not_open_rooms_is_told_so_before_the_body_has_come(
    config: RoomsConfig, headers: dict[str, str], refused: tuple[int, str]
) -> None:
    head = TYPED | {"Host": "localhost", "Content-Length": "900000", "X-Forwarded-For": "203.0.113.5"} | headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    with trio.fail_after(HANG_S):
        async with serving(config, protection=Protection(behind_proxy=True)) as (client, _):
            port = client.base_url.port
            assert port is not None
            for path in ("/rooms", "/rooms/puzzle")[: 1 if refused[0] == 415 else 2]:
                async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                    await stream.send_all(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode())
                    answer = b"".join([part async for part in stream])
                head_of_it, _, body = answer.partition(b"\r\n\r\n")
                assert (int(head_of_it.split()[1]), json.loads(body)["code"]) == refused


@pytest.mark.parametrize(
    "body",
    [
        b'{"game": "memory", "bots": [%s0]}' % (b"0," * 500_000),
        b'{"game": "memory", "bots": [%s0]}' % (b"[]," * 300_000),
        b'{"game": "memory", "settings": {"size": [%s0]}}' % (b"{}," * 300_000),
        b'{"game": "memory", "settings": {%s "x": 0}}' % b"".join(b'"%d": 0,' % n for n in range(90_000)),
        b'{%s "x": 0}' % b"".join(b'"%d": 0,' % n for n in range(90_000)),
        b'{%s "x": 0}' % b"".join(b'"%d": 0,' % n for n in range(100)),
        b'{"game": "memory", "%s": 0, "settings": {"%s": 1}}' % (b"x" * 400_000, b"y" * 400_000),
        b'{"game": "%s", "names": "%s"}' % (b"x" * 400_000, b"y" * 400_000),
        b'{"game": "memory", "settings": {"size": "%s", "board": "1x2\\n%s\\n"}}' % (b"x" * 400_000, b"y" * 400_000),
    ],
    ids=["bots", "lists", "list in settings", "settings", "fields", "some", "long names", "values", "long values"],
)
async def test_however_much_is_wrong_the_answer_has_a_few_kilobytes(body: bytes) -> None:
    async with serving() as (client, rooms):
        answer = await client.post("/rooms", content=body, headers=TYPED)
        assert answer.status_code == 400
        assert 1 <= len(answer.json()["errors"]) <= MOST_MISTAKES
        assert len(answer.content) < 10_000
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
        names = [(await rooms.create("memory", {}, public=True, title=str(number))).name for number in range(103)]
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


async def test_an_address_opens_so_many_rooms_a_minute_and_then_learns_when_the_next_may_come() -> None:
    config = RoomsConfig(rooms_per_minute=2)
    async with serving(config, protection=Protection(behind_proxy=True)) as (client, _):

        async def ask(address: str, **more: object) -> httpx.Response:
            return await client.post("/rooms", json=PAIR | more, headers={"X-Forwarded-For": address})

        assert [(await ask("203.0.113.5")).status_code for _ in range(3)] == [201, 201, 429]
        late = await ask("203.0.113.5")
        assert (late.json()["code"], late.headers["Retry-After"]) == (
            "too-many-opened",
            str(late.json()["params"]["wait_s"]),
        )
        assert (await ask("203.0.113.5", title=1)).status_code == 400
        assert (await ask("203.0.113.6")).status_code == 201


async def test_an_address_and_its_network_have_so_many_open_rooms_and_another_one_its_own() -> None:
    async with serving(RoomsConfig(most_rooms=20), protection=Protection(behind_proxy=True)) as (client, rooms):

        async def ask(address: str) -> httpx.Response:
            return await client.post("/rooms", json=PAIR, headers=ANN | {"X-Forwarded-For": address})

        first = (await ask("2001:db8:1:1::1")).json()["room"]
        answers = [await ask("2001:db8:1:1::2") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 429]
        assert answers[1].json()["code"] == "too-many-held"
        assert answers[1].json()["params"] == {"most": 2}
        others = [await ask(f"2001:db8:1:{net}::1") for net in range(2, 10)]
        assert [answer.status_code for answer in others] == [201] * 6 + [429] * 2
        assert (await ask("2001:db8:2::1")).status_code == 201
        following = await client.post(f"/g/{first}/again", headers=ANN | {"X-Forwarded-For": "2001:db8:1:1::1"})
        assert (following.status_code, following.json()["code"]) == (429, "too-many-held")
        await rooms.close(first)
        assert [(await ask("2001:db8:1:1::1")).status_code for _ in range(2)] == [201, 429]


async def test_an_address_brings_so_many_bytes_of_boards_and_gives_so_many_titles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scramble.front.rooms.opening.BOARD_BYTES_PER_HOUR", 5000)
    board = "30x30\n" + "A\n" * 900
    async with serving(RoomsConfig(rooms_per_minute=100), protection=Protection(behind_proxy=True)) as (client, rooms):

        async def ask(address: str) -> httpx.Response:
            order = {"game": "memory", "settings": {"board": board}}
            return await client.post("/rooms", json=order, headers=ANN | {"X-Forwarded-For": address})

        answers = [await ask("203.0.113.5") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
        assert answers[2].json()["code"] == "too-many-opened"
        assert int(answers[2].headers["Retry-After"]) <= int(answers[3].headers["Retry-After"]) + 1 < 3600
        assert (await ask("203.0.113.6")).status_code == 201
        room, there = answers[0].json()["room"], ANN | {"X-Forwarded-For": "203.0.113.5"}
        again = await client.post(f"/g/{room}/again", headers=there)
        assert (again.status_code, again.json()["code"]) == (429, "too-many-opened")
        renamed = [
            await client.post(f"/g/{room}/rename", json={"title": f"{number}"}, headers=there) for number in range(25)
        ]
        assert [answer.status_code for answer in renamed[:20]] == [204] * 20
        assert (renamed[-1].status_code, renamed[-1].json()["code"]) == (429, "too-fast")
        assert (await rooms.find(room)).title == "19"


async def test_next_games_count_as_rooms_that_an_address_opens_once_each() -> None:
    config = RoomsConfig(rooms_per_minute=2)
    async with serving(config, protection=Protection(behind_proxy=True)) as (client, rooms):
        there = {"X-Forwarded-For": "203.0.113.5"} | ANN
        room = (await client.post("/rooms", json=PAIR, headers=there)).json()["room"]
        again = [await client.post(f"/g/{room}/again", headers=there) for _ in range(3)]
        assert [answer.status_code for answer in again] == [201] * 3
        (following,) = {answer.headers["Location"] for answer in again}
        late = await client.post(f"{following}/again", headers=there)
        assert (late.status_code, late.json()["code"]) == (429, "too-many-opened")
        assert len(await rooms.list(hidden=True)) == 2
        elsewhere = await client.post(f"{following}/again", headers=ANN | {"X-Forwarded-For": "203.0.113.6"})
        assert elsewhere.status_code == 201


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
    pairs = replace(room_kinds(most_cards=16)["memory"], title="Pairs")
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
        await rooms.create("digging", {}, public=True)
    async with serving_rooms(folder=tmp_path) as served:
        (listed,) = (await served.get("/rooms")).json()["rooms"]
        assert (listed["game"], listed["title"]) == ("digging", "digging")


async def links(client: httpx.AsyncClient, room: str, **headers: str) -> list[str]:
    """The links to a room, without its path."""
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
        ] == "https://play.example.org"  # the proxy keeps the client's Host to itself


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
