"""The frames with the hues of players at one table, of two connections and one that watches, without sockets."""

from __future__ import annotations

from itertools import count, islice

import msgspec
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.web.hues import Hues
from scramble.kernel.nursery import StartSoon
from scramble.players.hues import HueTable, wish_of
from tests.support.asgi import anybody
from tests.support.links import connected

FIRST, SECOND = islice((name for name in map("p{}".format, count()) if wish_of(name) == 0), 2)
"""Two players who wish the same hue."""


async def test_everybody_gets_the_same_frame_and_none_as_long_as_all_have_their_wishes(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    hues, table = Hues(start_soon), HueTable()
    for player in (FIRST, SECOND):
        table.arrive(player)
    told: dict[str, list[object]] = {"first": [], "second": [], "watcher": []}

    async def connect(name: str, player: str | None, nursery: trio.Nursery) -> None:
        async def send(frame: str) -> None:
            told[name].append(msgspec.json.decode(frame))

        nursery.start_soon(connected, send, *hues.beside(player, anybody()))
        await wait_all_tasks_blocked()

    async with trio.open_nursery() as nursery:
        await connect("watcher", None, nursery)
        await connect("first", FIRST, nursery)
        assert told == {"first": [], "second": [], "watcher": []}
        await connect("second", SECOND, nursery)
        await trio.sleep(1)
        frame = {"type": "hues", "hues": {SECOND: table.of(SECOND)}}
        assert told == {"first": [frame], "second": [frame], "watcher": [frame]}
        nursery.cancel_scope.cancel()
