"""The connection of a page to a field, on a link instead of a socket.

Partitions: frames after a rejoin: the snapshot, a change. tests/system/http/test_minesweeper.py tests the other frames.
"""

from __future__ import annotations

import msgspec
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.front.minesweeper.front import MinesweeperFront
from scramble.front.minesweeper.http import PlayerConnection
from scramble.minesweeper import Field, open_game
from tests.support.links import TestLink


async def test_after_a_rejoin_a_page_gets_the_field_and_then_each_change_once(nursery: trio.Nursery) -> None:
    shown: list[str] = []

    async def send(frame: str) -> None:
        await trio.lowlevel.checkpoint()
        shown.append(msgspec.json.decode(frame)["type"])

    async with open_game(Field(5, 3, [(4, 0), (4, 2)])) as game:
        alice = PlayerConnection(MinesweeperFront(game), "alice", send)
        await alice.join()
        await alice.show(TestLink(nursery, send)).begin()
        await alice.answer('{"type": "dig", "x": 4, "y": 0}')
        await wait_all_tasks_blocked()
        await alice.answer('{"type": "rejoin"}')
        await wait_all_tasks_blocked()
        assert shown[-1] == "field"
        shown.clear()
        await game.flag(4, 2)
        await wait_all_tasks_blocked()
        assert shown == ["change"]
        alice.close()
