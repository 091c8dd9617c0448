"""Limits on requests that open rooms, over real sockets.

Partitions:
- a body: too long; of another type; many at once, from one address and from several; with a title of marks
- a client without permission: refused by the headers alone, before the body has arrived
- errors: more errors than an answer names
- limits of an address: rooms a minute, open rooms, bytes of boards, titles, next games
"""

from __future__ import annotations

import json

import httpx
import pytest
import trio

from scramble.front.rooms.app import RoomsConfig
from scramble.front.rooms.room_orders import ORDER_BODY_BYTES
from scramble.games.settings import MOST_MISTAKES
from scramble.server.protection.bodies import LONG_BODIES_BY_ADDRESS
from scramble.server.protection.middleware import Protection
from tests.support.rooms.api import ANN, PAIR, TYPED, opened, serving


async def test_a_title_of_half_a_mebibyte_of_marks_is_refused_and_so_is_a_room_renamed_to_them() -> None:
    marks = "a" + "\u0323\u0301" * 120_000  # normalization would take minutes
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
        longest = b'{"game": "memory"%s}' % (b" " * (ORDER_BODY_BYTES - 18))
        assert (await client.post("/rooms", content=longest, headers=TYPED)).status_code == 201
        assert (await client.post("/rooms", content=longest + b" ", headers=TYPED)).status_code == 413
        assert (await client.post("/nowhere", content=longest, headers=TYPED)).status_code == 413
        assert len(await rooms.list(hidden=True)) == 1


async def test_so_many_long_bodies_may_come_in_at_once_from_an_address_and_the_next_ones_learn_that() -> None:
    head = (
        b"POST /rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    )
    long = b'{"game": "memory"%s}' % (b" " * 50_000)
    async with serving() as (client, _):

        async def until(status: int) -> httpx.Response:
            """Repeat the request: the server does not notify the client when it has noticed the other requests."""
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
    monkeypatch.setattr("scramble.front.rooms.room_orders.BOARD_BYTES_PER_HOUR", 5000)
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
