"""Requests with a cookie, and the pages that may send them: in rooms, over real sockets.

Partitions:
- request: an act in a room, of each kind; a move with a seat; replacement of cards by the host; removal of a room
- sender: the server's own page, a page of an allowed origin, a program; a page on another port, on another host of the
  same site, over another scheme, without an origin
- a body: JSON, of another type, without a type; no body
- the client has: a cookie; its own secret; no secret, in a room with open names
- the host name is: the server's, foreign; for all paths of a server of rooms, and its WebSockets
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from scramble.server.protection.middleware import Protection
from tests.support.rooms.served import ANN, BOARD, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Cut, WebSocket

ALLOWED = "https://play.example.org"
ACTS: dict[str, dict[str, object]] = {
    "names": {"name": "Zoe"},
    "again": {},
    "settings": {"settings": {"size": "2x2"}},
    "vote": {"wanted": True},
    "rename": {"title": "Mine now"},
    "remove": {"player": "bob"},
    "close": {},
    "react": {"emoji": "👍", "player": "ann"},
    "handover": {"player": "ann", "address": "http://localhost"},
    "seat": {"ticket": "0123456789"},
}


@asynccontextmanager
async def hosted() -> AsyncIterator[tuple[ServedRooms, httpx.AsyncClient, str]]:
    """A server, a browser with a cookie, and the name of a room. The browser is its host, and plays as ann."""
    async with serving_rooms(protection=Protection(origins=(ALLOWED,))) as served:
        opened = await served.client.post("/rooms", json={"game": "memory", "settings": {"board": BOARD}})
        name = opened.json()["room"]
        assert (await served.client.post(f"/g/{name}/flip/ann/0,0")).status_code == 200
        yield served, served.client, name


def own(served: ServedRooms) -> str:
    return served.address.url.rstrip("/")


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://sub.localhost", "https", "null", "x" * 8000])
async def test_no_other_page_acts_or_plays_for_who_has_a_cookie(origin: str) -> None:
    async with hosted() as (served, client, name):
        headers = {"Origin": own(served).replace("http:", "https:") if origin == "https" else origin}
        before = (await client.get(f"/rooms/{name}")).json()
        for act, values in ACTS.items():
            refused = await client.post(f"/g/{name}/{act}", json=values, headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (403, "from-elsewhere"), act
        for path in ("flip/ann/0,1", "replace/ann/A/C"):
            for method in ("GET", "POST"):
                assert (await client.request(method, f"/g/{name}/{path}", headers=headers)).status_code == 403, path
        assert (await client.delete(f"/rooms/{name}", headers=headers)).status_code == 403
        assert (await client.get(f"/rooms/{name}")).json() == before
        assert (await client.get(f"/g/{name}/look/ann")).text == "2x2\nmy A\ndown\ndown\ndown\n"


@pytest.mark.parametrize("kind", ["text/plain", "text/plain;charset=UTF-8", None, "application/jsonp"])
async def test_what_is_posted_with_a_cookie_says_that_it_is_json(kind: str | None) -> None:
    async with hosted() as (_, client, name):
        typed = {} if kind is None else {"Content-Type": kind}
        refused = await client.post(f"/g/{name}/rename", content=b'{"title": "Mine now"}', headers=typed)
        assert (refused.status_code, refused.json()["code"]) == (415, "not-json")
        for path in ("close", "again"):  # these requests read no body
            refused = await client.post(f"/g/{name}/{path}", content=b"{}", headers=typed)
            assert (refused.status_code, refused.json()["code"]) == (415, "not-json")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert (await client.post(f"/g/{name}/flip/ann/0,1", headers=form)).status_code == 415
        assert (await client.get(f"/rooms/{name}")).json()["state"] == "open"


async def test_the_servers_own_page_one_of_an_allowed_origin_and_a_program_act() -> None:
    async with hosted() as (served, client, name):
        for number, headers in enumerate(({}, {"Origin": own(served)}, {"Origin": ALLOWED})):
            title = f"Title {number}"
            done = await client.post(f"/g/{name}/rename", json={"title": title}, headers=headers)
            assert (done.status_code, (await client.get(f"/rooms/{name}")).json()["title"]) == (204, title)
            moved = await client.post(f"/g/{name}/flip/ann/9,9", headers=headers)
            assert moved.status_code == 400, "the request reached the game"
        typed = {"Origin": own(served), "Content-Type": "application/json; charset=utf-8"}
        done = await client.post(f"/g/{name}/rename", content=json.dumps({"title": "Last"}), headers=typed)
        assert done.status_code == 204
        assert (await client.post(f"/g/{name}/close", headers={"Origin": own(served)})).status_code == 204


async def test_a_page_from_elsewhere_plays_by_a_secret_of_its_own_and_where_names_are_open() -> None:
    elsewhere = {"Origin": "http://elsewhere.example"}
    async with serving_rooms() as served:
        room = await served.memory()
        flipped = await served.client.post(f"/g/{room.name}/flip/ann/0,0", headers=elsewhere | bearer(ANN))
        assert flipped.status_code == 200
        room = await served.memory(names="open")
        flipped = await served.client.post(f"/g/{room.name}/flip/ann/0,0", headers=elsewhere)
        assert (flipped.status_code, flipped.headers["Access-Control-Allow-Origin"]) == (200, "*")


async def test_a_server_of_rooms_answers_nothing_by_a_foreign_host_name() -> None:
    foreign = {"Host": "evil.example"}
    async with hosted() as (served, client, name):
        for path in (
            *("/", "/rooms", "/rooms/kinds", f"/rooms/{name}", "/health", "/health/live", "/health/ready", "/metrics"),
            *("/shared/page.js", "/nowhere", f"/g/{name}", f"/g/{name}/share", f"/g/{name}/qr.svg"),
            *(f"/g/{name}/look/ann", f"/g/{name}/figures", f"/g/{name}/replay", f"/g/{name}/replay/data"),
        ):
            for headers in (foreign, foreign | bearer(ANN)):
                answer = await client.get(path, headers=headers)
                assert (answer.status_code, "set-cookie" in answer.headers) == (421, False), path
        assert (await client.delete(f"/rooms/{name}", headers=foreign)).status_code == 421
        assert (await client.post(f"/g/{name}/close", headers=foreign)).status_code == 421
        for path in ("/lobby", f"/g/{name}/play/ann", f"/g/{name}/view"):
            with pytest.raises(Cut):
                await WebSocket.connect(*served.address, path, name="evil.example")
