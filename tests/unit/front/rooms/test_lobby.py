"""The list of rooms for the lobby's pages, with real rooms, on an autojump clock.

Partitions: a room is opened while no list is made, while a list is made. tests/system/rooms/test_lobby.py tests the
other changes, and the connections.
"""

from __future__ import annotations

import msgspec
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.rooms.lobby import LOBBY_PAUSE_S, LobbyFeed
from scramble.rooms import LocalRooms, open_rooms
from scramble.rooms.protocol import RoomOrder
from scramble.server.protection.limits import ServerLimits
from tests.support.links import Page


class SlowFeed(LobbyFeed):
    """A feed that makes a list only when the test allows it."""

    def __init__(self, rooms: LocalRooms) -> None:
        super().__init__(rooms, ServerLimits())
        self.goes_on = trio.Event()
        self.goes_on.set()

    async def ask(self) -> tuple[str, str]:
        answer = await super().ask()
        await self.goes_on.wait()
        return answer


def titles(page: Page) -> list[str]:
    """Return the titles in the latest list."""
    return [room["title"] for room in msgspec.json.decode(page.got[-1])["rooms"]]


async def test_a_room_that_opens_while_a_list_is_made_is_in_the_next_list(autojump_clock: MockClock) -> None:
    async with open_rooms() as rooms, trio.open_nursery() as nursery:
        feed = SlowFeed(rooms)
        page = Page(feed)
        nursery.start_soon(page.run)
        await trio.sleep(2 * LOBBY_PAUSE_S)
        assert titles(page) == []
        feed.goes_on = trio.Event()
        await rooms.create("memory", {}, RoomOrder(title="first", public=True))
        await wait_all_tasks_blocked()
        await rooms.create("memory", {}, RoomOrder(title="second", public=True))
        await wait_all_tasks_blocked()
        feed.goes_on.set()
        await trio.sleep(3 * LOBBY_PAUSE_S)
        assert titles(page) == ["second", "first"]
        nursery.cancel_scope.cancel()
