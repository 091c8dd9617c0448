"""Parsing and searches in threads on request of clients, over real sockets: their order and limits.

Partitions:
- searches: of one address, of another address at the same time; up to the limit, one above it; the client has
  disconnected
- parsing: settings of next games by one client and by one address; crosswords to convert; no limit for this machine
- a vote for an impossible next game: acts meanwhile, as often as votes and settings change, in a room with several tabs
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import httpx
import trio

from scramble.front.rooms.app import RoomsConfig
from scramble.front.rooms.room_orders import PARSED_BY_HOLDER, PARSED_PER_MINUTE
from scramble.minesweeper.kind import minesweeper_kind
from scramble.players.seats import hash_of
from scramble.rooms.protocol import RoomOrder
from scramble.server.protection.middleware import Protection
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.rooms.table import Table, acts, of, until_count, until_state
from tests.support.websocket import Tab

HOPELESS: Final = {"size": "31x32", "bombs": 248, "no_guessing": True}  # one bomb in four squares is too many
EASY: Final = {"preset": "beginner", "no_guessing": True}
SEARCHES: Final = 60  # requests of one address, like a class
LONG_S: Final = 1e6  # longer than every test
HERE, THERE = "203.0.113.5", "203.0.113.6"


async def ask(served: ServedRooms, address: str, settings: dict[str, object]) -> httpx.Response:
    """Return the answer to a request for a room of Minesweeper."""
    order = {"game": "minesweeper", "settings": settings}
    return await served.client.post("/rooms", json=order, headers={"X-Forwarded-For": address})


@asynccontextmanager
async def searching() -> AsyncIterator[ServedRooms]:
    """Serve rooms, behind a proxy, with searches that never end."""
    kinds = {"minesweeper": minesweeper_kind(10_000, search_s=LONG_S)}
    config = RoomsConfig(rooms_per_minute=2 * SEARCHES)
    async with serving_rooms(kinds=kinds, protection=Protection(behind_proxy=True), config=config) as served:
        yield served


async def test_searches_of_one_address_do_not_keep_anothers_field_waiting() -> None:
    async with searching() as served, trio.open_nursery() as nursery:
        for _ in range(SEARCHES):
            nursery.start_soon(ask, served, HERE, HOPELESS)
        assert (await ask(served, THERE, EASY)).status_code == 201
        assert (await ask(served, HERE, {"preset": "beginner"})).status_code == 201  # parsing has its own turns
        nursery.cancel_scope.cancel()


async def test_an_address_with_too_many_searches_is_refused_until_their_clients_have_gone() -> None:
    async with searching() as served:
        answers, answered = list[httpx.Response](), trio.Event()

        async def search() -> None:
            answers.append(await ask(served, HERE, HOPELESS))
            answered.set()

        async with trio.open_nursery() as nursery:
            for _ in range(SEARCHES + 1):
                nursery.start_soon(search)
            await answered.wait()
            nursery.cancel_scope.cancel()
        (refused,) = answers
        assert (refused.status_code, refused.json()["code"], refused.headers["Retry-After"]) == (503, "busy", "5")
        while (answer := await ask(served, HERE, EASY)).status_code == 503:
            await trio.lowlevel.checkpoint()
        assert answer.status_code == 201


async def test_settings_of_next_games_are_parsed_so_often_for_a_client_and_for_an_address() -> None:
    async with serving_rooms(protection=Protection(behind_proxy=True)) as served:

        async def until_refused(secret: str, most: int) -> int:
            """Change settings until a change is refused, or `most` times. Return the number of accepted changes."""
            record = await served.rooms.create("memory", {"size": "2x2"}, RoomOrder(host=hash_of(secret)))
            change = partial(served.client.post, f"/g/{record.name}/settings", json={"settings": {"size": "2x4"}})
            taken = 0
            while taken < most:
                answer = await change(headers=bearer(secret) | {"X-Forwarded-For": HERE})
                if answer.status_code != 204:
                    assert (answer.status_code, answer.json()["code"]) == (429, "too-fast")
                    break
                taken += 1
            assert (await change(headers=bearer(secret))).status_code == 204  # this machine's clients have no limit
            return taken

        all_taken = await until_refused(ANN, 1000)
        assert all_taken >= PARSED_BY_HOLDER
        number = 0
        while (taken := await until_refused(f"host-number-{number:05}", PARSED_BY_HOLDER)) == PARSED_BY_HOLDER:
            all_taken += taken
            number += 1
        assert all_taken + taken >= PARSED_PER_MINUTE - 2  # changes that the client's limit refuses count, too


async def test_crosswords_are_converted_so_often_for_an_address() -> None:
    async with serving_rooms(protection=Protection(behind_proxy=True)) as served:
        convert = partial(served.client.post, "/rooms/puzzle", content=b"nonsense")
        taken = 0
        while (answer := await convert(headers={"X-Forwarded-For": HERE})).status_code == 400:
            taken += 1
        assert (answer.status_code, answer.json()["code"]) == (429, "too-fast")
        assert taken >= PARSED_PER_MINUTE
        assert (await convert(headers={"X-Forwarded-For": THERE})).status_code == 400


# --- votes ---


@asynccontextmanager
async def voting(search_s: float) -> AsyncIterator[Table]:
    """A room of Minesweeper that Ann has opened. Her settings for the next game are impossible."""
    kinds = {"minesweeper": minesweeper_kind(10_000, search_s=search_s)}
    async with serving_rooms(kinds=kinds) as served, trio.open_nursery() as nursery:
        record = await served.rooms.create("minesweeper", {"preset": "beginner"}, RoomOrder(host=hash_of(ANN)))
        room = Table(served, record.name, nursery)
        await room.do("settings", ANN, settings=HOPELESS)
        yield room
        nursery.cancel_scope.cancel()


async def voters(room: Table) -> list[Tab]:
    """Return two tabs of Ann's and one of Bob's. Ann and Bob have each made a move."""
    tabs = [await room.tab("play/ann", ANN), await room.tab("play/bob", BOB), await room.tab("play/ann", ANN)]
    for number, tab in enumerate(tabs[:2]):
        await tab.say({"type": "flag", "id": 1, "x": number, "y": 0})
        await tab.until(lambda tab=tab: tab.count("done") > 0)  # type: ignore[misc]
    return tabs


async def test_while_the_next_field_is_searched_all_see_what_others_do() -> None:
    async with voting(LONG_S) as room:
        tabs = await voters(room)
        for secret in (ANN, BOB):
            assert (await room.do("vote", secret)).status_code == 204
        for number in range(3):
            await room.do("rename", ANN, title=f"{number}")
            for tab in tabs:
                await until_state(tab, title=f"{number}", votes=["ann", "bob"])
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert await tabs[1].until_closed() == 4403


async def test_a_next_field_that_is_not_found_is_told_once_for_the_same_votes_and_settings() -> None:
    async with voting(0.001) as room:
        tabs = await voters(room)
        for secret in (ANN, BOB):
            await room.do("vote", secret)
        for tab in tabs:
            await until_count(tab, "refusal", 1)
            (refusal,) = of(tab, "refusal")
            assert (refusal["act"], refusal["code"], refusal["params"]) == (
                "again",
                "not-solvable-in-time",
                {"seconds": 0},
            )
        for number in range(3):  # other changes
            await room.do("rename", ANN, title=f"{number}")
            for tab in tabs:
                await until_state(tab, title=f"{number}")
        assert [tab.count("refusal") for tab in tabs] == [1, 1, 1]
        await room.do("vote", BOB, wanted=False)
        await room.do("vote", BOB)
        for tab in tabs:
            await until_count(tab, "refusal", 2)
        await room.do("settings", ANN, settings={"preset": "beginner"})
        for tab in tabs:
            await tab.until(lambda tab=tab: any(act["act"] == "again" for act in acts(tab)))  # type: ignore[misc]
        assert [tab.count("refusal") for tab in tabs] == [2, 2, 2]
