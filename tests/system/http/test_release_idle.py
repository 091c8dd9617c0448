"""Absent players relinquish their cards, over real sockets: the moment at which a server counts a player as absent.

Strategy: only the test moves the clock, and only a little, so no other part of the server times out.

- the text protocol: a player is present only during a request
- silent clients: a WebSocket or a watch stays connected and controls a card that another player waits for
- the WebSocket: a player is present while one of the player's connections is open; the frames about absence and return
"""

from __future__ import annotations

import httpx
import pytest
import trio
from trio.testing import MockClock

from scramble.memory import Board, open_game
from scramble.memory.messages import Relinquished
from tests.support.memory.served import served
from tests.support.memory.tabs import in_step, serving

IDLE_S = 1.0
HOLDING_S = 8.0
ABA = "1x3\nA\nB\nA\n"
ABAB = "1x4\nA\nB\nA\nB\n"


async def test_whoever_waits_for_a_card_of_somebody_who_only_came_by_gets_it(mock_clock: MockClock) -> None:
    async with served(ABA, release_idle=IDLE_S) as s:
        answers: list[httpx.Response] = []

        async def bob() -> None:
            answers.append(await s.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            await s.get("/flip/alice/0,0")
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            mock_clock.jump(IDLE_S)
        assert (answers[0].status_code, answers[0].text) == (200, "1x3\nmy A\ndown\ndown\n")
        assert (await s.get("/flip/alice/0,2")).text == "1x3\nup A\ndown\nmy A\n", "a first card, not a second"


async def test_a_player_with_a_tab_open_keeps_the_cards_and_loses_them_after_the_last_is_closed(
    mock_clock: MockClock,
) -> None:
    async with open_game(Board.parse(ABAB), release_idle=IDLE_S) as game, serving(game) as server:
        bob = await server.open("bob")
        alice, second = await server.open("alice"), await server.open("alice")
        assert await alice.flip(0, 0) == ("ok", "1-B")
        assert await alice.flip(0, 2) == ("ok", "2-D")
        changes = game.changes()
        for tab in (second, alice):
            mock_clock.jump(2 * IDLE_S)
            number = await bob.start_flip(0, 0)
            assert await bob.outcome(number) == ("waiting", "1-D"), "it is still alice's"
            await bob.say({"type": "withdraw"})
            assert await bob.outcome(number, 2) == ("withdrawn", None)
            await tab.socket.leave()
        await bob.until(lambda: bob.mirror.players == ["bob"])
        changes.pending()
        mock_clock.jump(IDLE_S)
        assert (await anext(changes)).events == (Relinquished(0, 0, "alice", "A"), Relinquished(0, 2, "alice", "A"))
        await in_step(game, bob)
        free, down = {"is": "up", "card": "A", "by": None}, {"is": "down"}
        assert bob.mirror.cells == [free, down, free, down]
        again = await server.open("alice")
        assert await again.flip(0, 1) == ("ok", "1-B")
        await in_step(game, bob, again)
        assert again.mirror.cells == [down, {"is": "up", "card": "B", "by": "alice"}, down, down]
        assert again.mirror.scores == {"alice": 0, "bob": 0}


@pytest.mark.parametrize("by", ["websocket", "watch"])
async def test_a_silent_client_that_stays_connected_holds_up_others_for_the_holding_time_only(
    by: str, mock_clock: MockClock
) -> None:
    async with (
        open_game(Board.parse(ABA), release_idle=IDLE_S, release_holding=HOLDING_S) as game,
        serving(game) as server,
        trio.open_nursery() as nursery,
    ):
        if by == "websocket":
            assert await (await server.open("alice")).flip(0, 0) == ("ok", "1-B")
        else:
            await game.flip("alice", 0, 0)
            nursery.start_soon(game.watch, "alice")
        bob = await server.open("bob")
        mock_clock.jump(HOLDING_S - 1)
        number = await bob.start_flip(0, 0)
        assert await bob.outcome(number) == ("waiting", "1-D")
        mock_clock.jump(2)
        assert await bob.outcome(number, 2) == ("ok", "1-C")
        nursery.cancel_scope.cancel()
