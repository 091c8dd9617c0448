"""Classes over real sockets: a teacher, pupils, and tables that the server opens.

Partitions:
- opening: each game; a board of one's own that is too long; an unknown field; no secret
- joining: before the first round, as the second client with a name; late: a free place, no place, enough for a table
- a round: of another client; without pupils; begun again; out of order; of a full server; many tables; the earlier
  games are closed; a pupil who has played
- a table: the pupil has a seat; the others have not; its end, its host, its record
- looking: at once; later, woken by a change; an invalid version; no class
- the page: its links, its QR code, a number of no link
- a restart between two requests
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import trio

from scramble.front.rooms import classrooms
from scramble.front.rooms.app import RoomsConfig
from scramble.rooms.classroom import MOST_SETTINGS
from scramble.rooms.local import RoomLimits
from tests.support.rooms.served import ANN, BOARD, BOB, ServedRooms, bearer, serving_rooms

MS_LEE = "ms-lee-0123456789abcdef"
"""The teacher's secret."""

MEMORY = {"game": "memory", "settings": {"board": BOARD}}


async def send(server: ServedRooms, path: str, body: object, secret: str | None = MS_LEE) -> httpx.Response:
    return await server.client.post(path, json=body, headers=bearer(secret))


async def opened(server: ServedRooms, body: object = MEMORY) -> str:
    """Open a class; return its address in the API."""
    answer = await send(server, "/classes", body)
    assert answer.status_code == 201, answer.text
    name = answer.json()["classroom"]
    assert answer.headers["Location"] == f"/c/{name}"
    return f"/classes/{name}"


async def joined(server: ServedRooms, at: str, name: str, secret: str | None = None) -> dict[str, Any]:
    answer = await send(server, f"{at}/join", {"name": name}, secret or secret_of(name))
    assert answer.status_code == 200, answer.text
    return cast(dict[str, Any], answer.json())


async def begun(server: ServedRooms, at: str, number: int = 1) -> dict[str, Any]:
    answer = await send(server, f"{at}/round", {"round": number})
    assert answer.status_code == 200, answer.text
    return cast(dict[str, Any], answer.json())


def secret_of(name: str) -> str:
    return f"{name}-0123456789abcdef"


async def win(server: ServedRooms, room: str, player: str, secret: str) -> None:
    """Take all cards of a room with `BOARD`, and wait for the result."""
    for place in ("0,0", "0,1", "1,0", "1,1"):
        answer = await server.get(f"/g/{room}/flip/{player}/{place}", secret)
        assert answer.status_code == 200, answer.text
    async with server.rooms.enter(room) as entered:
        while entered.record.state == "open":
            await entered.next_record(entered.record)


async def has_rooms(server: ServedRooms, count: int) -> bool:
    return len(await server.rooms.list(hidden=True)) == count


async def until(server: ServedRooms, condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until `condition()` is true. The register publishes all changes that can make it true."""
    changes = server.rooms.changes()
    with trio.fail_after(30):
        while not await condition():
            await anext(changes)


# --- opening and joining ------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "people"), [("memory", 4), ("minesweeper", 4), ("crossword", 2)])
async def test_a_class_has_tables_of_four_or_of_two_for_the_crossword(game: str, people: int) -> None:
    async with serving_rooms() as server:
        at = await opened(server, {"game": game, "settings": {}, "title": "7b"})
        view = (await server.get(at, MS_LEE)).json()
        assert (view["game"], view["title"], view["people"], view["round"]) == (game, "7b", people, 0)
        assert (view["teacher"], view["me"], view["over"], view["pupils"]) == (True, None, False, [])
        assert (await server.get(at, ANN)).json()["teacher"] is False


async def test_a_class_of_an_invalid_order_is_refused() -> None:
    async with serving_rooms() as server:
        long = "1x2\n" + "A" * MOST_SETTINGS + "\n" + "A" * MOST_SETTINGS + "\n"
        for body, field in (
            ({"game": "memory", "settings": {"board": long}}, "settings"),
            ({"game": "memory", "settings": {"size": "3x3"}}, "size"),
            ({"game": "chess"}, "game"),
            ({**MEMORY, "bots": [{}]}, "bots"),
        ):
            answer = await send(server, "/classes", body)
            assert answer.status_code == 400, answer.text
            assert any(field in one for one in answer.json()["errors"]), answer.text


async def test_the_cookie_of_a_browser_makes_it_the_teacher() -> None:
    async with serving_rooms() as server:
        answer = await server.client.post("/classes", json=MEMORY)
        assert (answer.status_code, answer.json()["teacher"]) == (201, True)
        assert (await server.client.get(f"/classes/{answer.json()['classroom']}")).json()["teacher"] is True


async def test_pupils_join_under_different_names_and_wait() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        assert (await joined(server, at, "Ann", ANN))["me"] == 0
        taken = await send(server, f"{at}/join", {"name": "ann"}, BOB)
        assert (taken.status_code, taken.json()["code"]) == (409, "name-taken")
        view = await joined(server, at, "Bob", BOB)
        assert (view["me"], view["waiting"], [one["name"] for one in view["pupils"]]) == (1, [0, 1], ["Ann", "Bob"])
        for name, code in (("", "empty-name"), ("bot 7", "bots-name")):
            refused = await send(server, f"{at}/join", {"name": name}, secret_of("cy"))
            assert refused.json()["code"] == code
        assert (await send(server, f"{at}/leave", {"pupil": 0}, BOB)).json()["code"] == "not-the-teacher"
        assert (await send(server, f"{at}/leave", {"pupil": 0})).status_code == 204
        assert (await server.get(at)).json()["waiting"] == [1]
        assert (await joined(server, at, "Ann", ANN))["waiting"] == [0, 1]


# --- rounds -------------------------------------------------------------------------------------------


async def test_a_round_gives_each_pupil_a_seat_and_its_results_count() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        for name in ("ann", "bob", "cy", "dee", "eve"):
            await joined(server, at, name)
        view = await begun(server, at)
        assert (view["round"], [table["pupils"] for table in view["tables"]]) == (1, [[0, 1], [2, 3, 4]])
        room = view["tables"][0]["room"]
        record = (await server.get(f"/rooms/{room}", MS_LEE)).json()
        assert (record["classroom"], record["public"], record["host"]) == (view["classroom"], False, True)
        claim = await send(server, f"/g/{room}/names", {"name": "ann"}, secret_of("ann"))
        assert (claim.status_code, claim.json()["player"]) == (200, "ann")
        other = await send(server, f"/g/{room}/names", {"name": "ann"}, secret_of("eve"))
        assert other.status_code == 409  # the seat is ann's
        await win(server, room, "ann", secret_of("ann"))
        view = (await server.get(at)).json()
        assert (view["tables"][0]["over"], view["waiting"]) == (True, [0, 1])
        ann, bob = view["pupils"][:2]
        assert (ann["points"], ann["wins"], ann["games"]) == (2, 1, 1)
        assert (bob["points"], bob["wins"], bob["games"]) == (0, 0, 1)

        second = await begun(server, at, 2)
        assert [table["pupils"] for table in second["tables"]] == [[0, 1], [2, 3, 4]]  # ann has most points
        closed = view["tables"][1]["room"]

        async def is_closed() -> bool:
            return (await server.rooms.find(closed)).state == "closed"

        await until(server, is_closed)


async def test_only_the_teacher_begins_rounds_in_their_order() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        empty = await send(server, f"{at}/round", {"round": 1})
        assert (empty.status_code, empty.json()["code"]) == (409, "nobody-waits")
        await joined(server, at, "ann", ANN)
        assert (await send(server, f"{at}/round", {"round": 1}, ANN)).json()["code"] == "not-the-teacher"
        assert (await send(server, f"{at}/round", {"round": 2})).json()["code"] == "round-moved"
        first = await begun(server, at)
        assert (await begun(server, at))["tables"] == first["tables"]  # a repeated request
        assert len(await server.rooms.list(hidden=True)) == 1


async def test_two_requests_for_one_round_open_its_tables_once() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        await joined(server, at, "ann", ANN)
        answers: list[httpx.Response] = []

        async def ask() -> None:
            answers.append(await send(server, f"{at}/round", {"round": 1}))

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(ask)
        assert {answer.status_code for answer in answers} <= {200, 409}
        (room,) = (await server.get(at)).json()["tables"]
        await until(server, partial(has_rooms, server, 1))
        assert (await server.rooms.find(room["room"])).state == "open"


async def test_late_pupils_take_free_places_and_then_a_new_table() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        for name in ("ann", "bob", "cy"):
            await joined(server, at, name)
        await begun(server, at)
        assert [table["pupils"] for table in (await joined(server, at, "dee"))["tables"]] == [[0, 1, 2, 3]]
        for name in ("eve", "fay", "gus"):
            assert len((await joined(server, at, name))["tables"]) == 1
        last = await joined(server, at, "hal")
        assert [table["pupils"] for table in last["tables"]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        assert last["waiting"] == []
        late = last["tables"][1]["room"]
        claim = await send(server, f"/g/{late}/names", {"name": "eve"}, secret_of("eve"))
        assert claim.json()["player"] == "eve"


async def test_a_pupil_who_has_played_waits_for_the_next_round() -> None:
    async with serving_rooms() as server:
        at = await opened(server, {"game": "crossword", "settings": {"alone": True}})
        await joined(server, at, "ann", ANN)
        room = (await begun(server, at))["tables"][0]["room"]
        await server.rooms.close(room)
        late = await joined(server, at, "bob", BOB)
        assert [(table["pupils"], table["over"]) for table in late["tables"]] == [([0], True), ([1], False)]
        assert (await send(server, f"{at}/leave", {"pupil": 0}, ANN)).status_code == 204
        again = await joined(server, at, "ann", ANN)
        assert (len(again["tables"]), again["waiting"]) == (2, [0])


async def test_a_late_pupil_waits_if_the_server_has_no_room() -> None:
    async with serving_rooms(limits=RoomLimits(rooms=1)) as server:
        at = await opened(server, {"game": "crossword", "settings": {"alone": True}})
        await joined(server, at, "ann", ANN)
        await begun(server, at)
        late = await joined(server, at, "bob", BOB)
        assert (late["me"], late["waiting"], len(late["tables"])) == (1, [1], 1)


async def test_the_tables_of_a_round_count_as_one_opened_room() -> None:
    async with serving_rooms(config=RoomsConfig(rooms_per_minute=2)) as server:
        at = await opened(server)
        for number in range(17):
            await joined(server, at, f"p{number}")
        assert len((await begun(server, at))["tables"]) == 5


async def test_a_round_that_the_server_has_no_room_for_leaves_nothing_behind() -> None:
    async with serving_rooms(limits=RoomLimits(rooms=1)) as server:
        at = await opened(server)
        for name in ("ann", "bob", "cy", "dee", "eve"):
            await joined(server, at, name)
        answer = await send(server, f"{at}/round", {"round": 1})
        assert (answer.status_code, answer.json()["code"]) == (503, "rooms-full")
        assert (await server.get(at)).json()["round"] == 0
        await until(server, partial(has_rooms, server, 0))


async def test_the_end_of_a_class_keeps_its_table() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        await joined(server, at, "ann", ANN)
        view = await begun(server, at)
        assert (await send(server, f"{at}/end", {}, ANN)).json()["code"] == "not-the-teacher"
        assert (await send(server, f"{at}/end", {})).json()["over"] is True
        late = await send(server, f"{at}/join", {"name": "bob"}, BOB)
        assert (late.status_code, late.json()["code"]) == (410, "class-over")
        assert (await send(server, f"{at}/round", {"round": 2})).json()["code"] == "class-over"
        await win(server, view["tables"][0]["room"], "ann", ANN)
        assert (await joined(server, at, "ann", ANN))["pupils"][0]["points"] == 2


# --- looking ------------------------------------------------------------------------------------------


async def test_a_look_waits_for_a_later_version() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        await joined(server, at, "bob")
        version = (await server.get(at)).json()["version"]
        assert (await server.get(f"{at}?after={version - 1}")).json()["version"] == version
        seen: list[dict[str, Any]] = []

        async def look() -> None:
            seen.append((await server.get(f"{at}?after={version}")).json())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            await trio.sleep(0.2)
            assert seen == []
            await joined(server, at, "ann")
        assert [one["name"] for one in seen[0]["pupils"]] == ["bob", "ann"]


async def test_a_look_ends_without_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classrooms, "WAIT_S", 0.1)
    async with serving_rooms() as server:
        at = await opened(server)
        view = (await server.get(at)).json()
        assert (await server.get(f"{at}?after={view['version']}")).json() == view


async def test_an_invalid_version_and_an_unknown_class_are_refused() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        for version in ("-1", "x", "1" * 10, "\u0661"):
            answer = await server.client.get(at, params={"after": version})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        for path in ("/classes/no-such-class", "/c/no-such-class/qr.svg"):
            answer = await server.get(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "no-such-class")


async def test_the_page_of_a_class_has_links_and_a_qr_code() -> None:
    async with serving_rooms() as server:
        at = await opened(server)
        name = at.rpartition("/")[2]
        page = await server.get(f"/c/{name}")
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "<html" in page.text
        assert (await server.get(at)).json()["links"][0].endswith(f"/c/{name}")
        assert (await server.get(f"/c/{name}/qr.svg")).headers["Content-Type"].startswith("image/svg+xml")
        wrong = await server.get(f"/c/{name}/qr.svg?link=9")
        assert (wrong.status_code, wrong.json()["code"]) == (404, "no-such-link")


async def test_a_class_survives_a_restart(tmp_path: Path) -> None:
    serving = partial(serving_rooms, folder=tmp_path, config=RoomsConfig())
    async with serving() as server:
        at = await opened(server)
        await joined(server, at, "ann", ANN)
        before = await begun(server, at)
    async with serving() as server:
        after = (await server.get(at, MS_LEE)).json()
        assert {**after, "links": []} == {**before, "links": []}
        await win(server, after["tables"][0]["room"], "ann", ANN)
        assert (await server.get(at)).json()["pupils"][0]["wins"] == 1
        assert (await begun(server, at, 2))["round"] == 2
