"""Work of threads that clients ask for, over real sockets: parsing and searches, whose turn it is, and who is refused.

Partitions:
- searches: of one address, of another one meanwhile; as many as may wait, one more; whose client has gone
- parsing: settings of next games by one client and by one address; crosswords to convert; this machine's, any number
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import httpx
import trio

from scramble.front.rooms.opening import PARSED_BY_HOLDER, PARSED_PER_MINUTE
from scramble.kernel.seats import hash_of
from scramble.rooms.minesweeper import minesweeper_rooms
from scramble.server.protection.middleware import Protection
from tests.support.rooms.served import ANN, ServedRooms, bearer, serving_rooms

HOPELESS: Final = {"size": "31x32", "bombs": 248, "no_guessing": True}  # one bomb in four is too many
EASY: Final = {"preset": "beginner", "no_guessing": True}
SEARCHES: Final = 8  # of one address
LONG_S: Final = 1e6  # no test lasts as long
HERE, THERE = "203.0.113.5", "203.0.113.6"


async def ask(served: ServedRooms, address: str, settings: dict[str, object]) -> httpx.Response:
    """The answer to a request for a room of Minesweeper."""
    order = {"game": "minesweeper", "settings": settings}
    return await served.client.post("/rooms", json=order, headers={"X-Forwarded-For": address})


@asynccontextmanager
async def searching() -> AsyncIterator[ServedRooms]:
    """Rooms whose searches are never given up, behind a proxy."""
    kinds = {"minesweeper": minesweeper_rooms(10_000, search_s=LONG_S)}
    async with serving_rooms(kinds=kinds, protection=Protection(behind_proxy=True)) as served:
        yield served


async def test_searches_of_one_address_do_not_keep_anothers_field_waiting() -> None:
    async with searching() as served, trio.open_nursery() as nursery:
        for _ in range(SEARCHES):
            nursery.start_soon(ask, served, HERE, HOPELESS)
        assert (await ask(served, THERE, EASY)).status_code == 201
        assert (await ask(served, HERE, {"preset": "beginner"})).status_code == 201  # parsing has turns of its own
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
            """The number of settings that were taken, of this many at most."""
            record = await served.rooms.create("memory", {"size": "2x2"}, host=hash_of(secret))
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
        assert all_taken + taken >= PARSED_PER_MINUTE - 2  # those that were refused their clients count, too


async def test_crosswords_are_converted_so_often_for_an_address() -> None:
    async with serving_rooms(protection=Protection(behind_proxy=True)) as served:
        convert = partial(served.client.post, "/rooms/puzzle", content=b"nonsense")
        taken = 0
        while (answer := await convert(headers={"X-Forwarded-For": HERE})).status_code == 400:
            taken += 1
        assert (answer.status_code, answer.json()["code"]) == (429, "too-fast")
        assert taken >= PARSED_PER_MINUTE
        assert (await convert(headers={"X-Forwarded-For": THERE})).status_code == 400
