"""Answers in the HTML of pages, over real sockets.

Partitions:
- the page: the lobby's; a room's; a room's replay, without answers
- the client: without a secret; with an attempt at a daily challenge; the host of a room; another client
- a text in an answer: harmless; with HTML
- the answer: in time; late
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from scramble.front.web import page_data
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages of a slow machine have their answers, too."""
    monkeypatch.setattr(page_data, "ANSWERS_S", 60.0)


async def data(server: ServedRooms, path: str, secret: str | None = None, name: str = "answers") -> dict[str, Any]:
    """Return the data of a page as a browser finds it: an element ends with its first end tag."""
    page = await server.get(path, secret)
    assert page.status_code == 200
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page.text, re.DOTALL)
    assert found
    assert found.start() < page.text.index("</head>")
    return cast(dict[str, Any], json.loads(found[1]))


async def test_the_lobbys_page_has_the_games_and_the_challenges_as_its_client_sees_them() -> None:
    async with serving_rooms() as server:
        room = (await server.client.post("/rooms/daily", json={"game": "memory"}, headers=bearer(ANN))).json()["room"]
        for secret, attempt in ((ANN, ("playing", room)), (BOB, ("new", None)), (None, ("new", None))):
            answers = await data(server, "/", secret)
            for path in ("rooms/kinds", "rooms/daily"):
                assert answers.pop(path) == (view := (await server.get(f"/{path}", secret)).json())
            assert not answers
            assert (view["games"][0]["attempt"], view["games"][0]["room"]) == attempt
        assert (await server.get("/", ANN)).headers["Cache-Control"] == "no-store"


async def test_the_lobbys_page_has_the_icons_of_all_games() -> None:
    async with serving_rooms() as server:
        icons = await data(server, "/", name="icons")
        assert set(icons) == {"lobby", *server.rooms.kinds}
        assert all(icon.startswith("data:image/svg+xml,%3Csvg ") for icon in icons.values())
        assert f'<h1 class="bar-title"><img src="{icons["lobby"]}"' in (await server.get("/")).text


@pytest.mark.parametrize("path", ["", "/", "/screen"])
async def test_a_rooms_page_has_its_links_and_its_record_as_its_client_sees_them(path: str) -> None:
    async with serving_rooms() as server:
        order = {"game": "memory", "title": "</script><!-- <b>Friday"}
        room = (await server.client.post("/rooms", json=order, headers=bearer(ANN))).json()["room"]
        for secret in (ANN, BOB):
            answers = await data(server, f"/g/{room}{path}", secret)
            assert answers == {"share": (await server.get(f"/g/{room}/share", secret)).json()}
            assert (answers["share"]["room"]["title"], answers["share"]["room"]["host"]) == (
                order["title"],
                secret == ANN,
            )
        page = await server.get(f"/g/{room}{path}", ANN)
        assert page.headers["Cache-Control"] == "no-store"
        assert "<!-- <b>" not in page.text


async def test_pages_do_not_wait_for_late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_data, "ANSWERS_S", 0)
    async with serving_rooms() as server:
        room = await server.memory()
        for path in ("/", f"/g/{room.name}"):
            assert await data(server, path) == {}
