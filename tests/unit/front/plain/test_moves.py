"""The moves of a connection to a small game, without a socket, with the game of `tests.support.stairs`.

Partitions: one move waits, several; the first is withdrawn, the last. tests/system/http/test_plain.py tests the other
frames over a socket.
"""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.front.plain.frames import MoveDecoder
from scramble.front.plain.front import Moves, PlainFront
from scramble.games.plain import open_game
from scramble.server.protection.limits import ServerLimits
from tests.support.stairs import Climbing, Look, Stairs, Stay, Step, result_of


@pytest.mark.parametrize("withdrawn", [2, 3, 4])
async def test_each_of_several_waiting_moves_can_be_withdrawn_and_the_others_wait_on(
    withdrawn: int, nursery: trio.Nursery
) -> None:
    outcomes: dict[int, str] = {}

    async def send(text: str) -> None:
        await trio.lowlevel.checkpoint()
        frame = msgspec.json.decode(text)
        outcomes[frame["id"]] = frame["type"]

    async with open_game(Climbing(Stairs(9)), Look(), result_of) as game:
        front = PlainFront("stairs", game, MoveDecoder(Step | Stay), ServerLimits())
        moves = Moves(front, "ann", send, nursery.start_soon)
        for number in (1, 2, 3, 4):
            await moves.answer(f'{{"type": "Step", "id": {number}}}')
        await moves.answer(f'{{"type": "withdraw", "id": {withdrawn}}}')
        await wait_all_tasks_blocked()
        assert outcomes == {1: "done", 2: "waits", 3: "waits", 4: "waits"} | {withdrawn: "withdrawn"}
