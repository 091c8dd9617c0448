"""Names that people type, used as seats of a running game.

Partitions: a name is free, taken, a lookalike, the player's own; its ID is free, or another player has it; the name is
invalid; many clients take one name at once, or one after the other; all seats are taken.
"""

from __future__ import annotations

from typing import TypeVar

import pytest
import trio

from scramble.errors import InvalidCommand
from scramble.front.web.names import NamedPlayer, claim_name
from scramble.kernel.protocol import Command
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip
from scramble.players import seats
from scramble.players.seats import NameTaken, SeatTaken

R = TypeVar("R")

BOARD = Board.parse("1x2\nA\nA\n")


async def test_a_taken_name_is_refused_with_an_offer_and_its_browser_goes_on() -> None:
    async with open_game(BOARD) as game:
        assert await claim_name(game.ask, " Zoë ", "z") == NamedPlayer("Zoe", "Zoë")
        assert await claim_name(game.ask, "ZOE", "z") == NamedPlayer("Zoe", "Zoë")
        with pytest.raises(NameTaken, match="looks like") as taken:
            await claim_name(game.ask, "zoe", "b")
        assert taken.value.params == {"name": "zoe", "offer": "zoe 2"}
        assert await claim_name(game.ask, "zoe 2", "b") == NamedPlayer("zoe_2", "zoe 2")
        with pytest.raises(NameTaken) as taken:
            await claim_name(game.ask, "zoe", "c")
        assert taken.value.params["offer"] == "zoe 3"
        with pytest.raises(InvalidCommand, match="24"):
            await claim_name(game.ask, "x" * 25, "b")


async def test_names_without_plain_letters_get_ids_of_their_own() -> None:
    async with open_game(BOARD) as game:
        ids = [(await claim_name(game.ask, name, "h")).player for name in ("李", "小", "龙")]
    assert ids == ["player", "player_2", "player_3"]


async def test_of_many_who_take_one_name_at_once_one_gets_it_and_the_others_an_offer() -> None:
    got: list[NamedPlayer] = []
    offers: list[object] = []
    async with open_game(BOARD) as game, trio.open_nursery() as nursery:

        async def take(holder: str) -> None:
            try:
                got.append(await claim_name(game.ask, "bob", holder))
            except NameTaken as taken:
                offers.append(taken.params["offer"])

        for number in range(10):
            nursery.start_soon(take, f"holder {number}")
    assert got == [NamedPlayer("bob", "bob")]
    assert offers == ["bob 2"] * 9


async def test_when_there_are_no_more_seats_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 1)
    async with open_game(BOARD) as game:
        await claim_name(game.ask, "ann", "a")
        await game.ask(Flip("ann", 0, 0))
        with pytest.raises(SeatTaken, match="no more names"):
            await claim_name(game.ask, "bob", "b")


async def test_after_very_many_with_one_name_the_next_number_is_found_soon() -> None:
    many, asked = 200, 0
    async with open_game(BOARD) as game:

        async def ask(command: Command[R]) -> R:
            nonlocal asked
            asked += 1
            return await game.ask(command)

        for number in range(many):
            name = "bob" if number == 0 else f"bob {number + 1}"
            assert (await claim_name(ask, name, f"holder {number}")).name == name
            await claim_name(ask, chr(0x4E00 + number), f"holder {number}")
        asked = 0
        with pytest.raises(NameTaken) as taken:
            await claim_name(ask, "bob", "another")
        assert taken.value.params["offer"] == f"bob {many + 1}"
        assert (await claim_name(ask, "龍", "another")).player == f"player_{many + 1}"
        assert asked < many / 2
