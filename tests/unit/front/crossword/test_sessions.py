"""A page's session with a lobby, on channels instead of a socket, on an autojump clock.

Partitions: frames about the room: the page gets one view, several views. tests/system/http/test_crossword.py tests the
other frames.
"""

from __future__ import annotations

import trio
from hypercorn.typing import ASGIReceiveEvent, ASGISendEvent
from trio.testing import MockClock

from scramble.crossword import open_lobby
from scramble.front.crossword.front import CrosswordFront
from scramble.front.crossword.http import make_bare_app
from scramble.front.web.door import Door
from scramble.front.web.notices import NOTICE_PAUSE_S
from scramble.front.web.presence import PresenceFeed
from scramble.players.presence import Presence
from tests.support.asgi import scope_of
from tests.support.crossword.typists import PUZZLES


class Page:
    """The other end of a WebSocket, with all received frames."""

    def __init__(self) -> None:
        self.say, self._said = trio.open_memory_channel[str](10)
        self.seen: list[str] = []
        self._is_open = False

    async def receive(self) -> ASGIReceiveEvent:
        if not self._is_open:
            self._is_open = True
            return {"type": "websocket.connect"}
        return {"type": "websocket.receive", "text": await self._said.receive(), "bytes": None}

    async def send(self, event: ASGISendEvent) -> None:
        await trio.lowlevel.checkpoint()
        if event["type"] == "websocket.send" and event["text"] is not None:
            self.seen.append(event["text"])


def players(names: list[str], _others: int, _left: dict[str, float | None]) -> str:
    return " ".join(names)


async def test_a_page_gets_each_frame_about_its_room_once_after_any_number_of_views(autojump_clock: MockClock) -> None:
    async with open_lobby(PUZZLES) as lobby, trio.open_nursery() as nursery:
        room = PresenceFeed(lobby.start_soon, Presence(), players)
        app = make_bare_app(Door(lambda: CrosswordFront(lobby, beside=room.beside)))
        page = Page()
        nursery.start_soon(app, scope_of("websocket", b"/play"), page.receive, page.send)
        for line in ("ann", 'NEW m1 extended "so"', "EXIT"):
            await page.say.send(line)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert len([frame for frame in page.seen if '"state"' in frame]) >= 4
        room.here.arrive("bob")
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert page.seen.count("ann bob") == 1
        nursery.cancel_scope.cancel()
