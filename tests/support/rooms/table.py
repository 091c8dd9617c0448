"""One served room with tabs, for tests of the people in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import trio

from scramble.front.rooms.app import RoomsConfig
from scramble.players.seats import hash_of
from scramble.rooms.protocol import Names, RoomOrder
from tests.support.rooms.served import ANN, BOARD, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Frame, Tab

CARL = "carl-0123456789abcdef"


class Table:
    """One room, with tabs that read all the time."""

    def __init__(self, served: ServedRooms, name: str, nursery: trio.Nursery) -> None:
        self.served = served
        self.name = name
        self._nursery = nursery

    async def tab(self, path: str, secret: str) -> Tab:
        """Return a tab that has received the company."""
        tab = Tab(await self.served.socket(f"/g/{self.name}/{path}", secret))
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.count("company") > 0)
        return tab

    async def do(self, act: str, secret: str | None, **values: object) -> httpx.Response:
        """Request an act."""
        path = f"/g/{self.name}/{act}"
        return await self.served.client.post(path, headers=bearer(secret), json=values)

    async def refusal(self, act: str, secret: str | None, **values: object) -> tuple[int, object]:
        """Request an act; return the status and the code of its refusal."""
        answer = await self.do(act, secret, **values)
        return answer.status_code, answer.json()["code"]


@asynccontextmanager
async def table(
    board: str = BOARD,
    names: Names = "seats",
    config: RoomsConfig = RoomsConfig(),  # noqa: B008  immutable
) -> AsyncIterator[Table]:
    """Serve a room of Memory Scramble that Ann has opened."""
    async with serving_rooms(config=config) as served, trio.open_nursery() as nursery:
        record = await served.rooms.create(
            "memory", {"board": board}, RoomOrder(host=hash_of(ANN), names=names, title="Friday")
        )
        yield Table(served, record.name, nursery)
        nursery.cancel_scope.cancel()


def of(tab: Tab, kind: str) -> list[Frame]:
    """Return the received frames of that type."""
    return [frame for frame in tab.frames if frame["type"] == kind]


def state(tab: Tab) -> Frame:
    """Return the latest received state of the company."""
    return of(tab, "company")[-1]


def acts(tab: Tab) -> list[Frame]:
    """Return the received acts."""
    return of(tab, "act")


async def until_count(tab: Tab, kind: str, count: int) -> None:
    await tab.until(lambda: tab.count(kind) == count)


async def until_state(tab: Tab, **values: object) -> None:
    await tab.until(lambda: {key: state(tab)[key] for key in values} == values)
