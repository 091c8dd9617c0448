"""Concurrent clients, judged by the rules of one client after another: level beta."""

from __future__ import annotations

from functools import partial
from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.runs import Mix, play_runs, together
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

RUNS: Final = 10
TILES: Final = "25"
"""The unused tiles that a case with runs needs of a server that the check starts: some are for smaller runs."""

DIGGERS: Final = 12
BOMBS: Final = 4

SAFE: Final = (
    "multiple players simultaneously play on a single board, a thread-safe data type: each answer must follow from the "
    "rules in some order of the messages"
)
BOOM: Final = "if square x,y contains a bomb, change it so that it contains no bomb and send a BOOM message to the user"


@case("concurrent", "one-boom-for-each-bomb", BOOM, level="beta", tiles=str(BOMBS))
async def one_boom_for_each_bomb(table: MineTable) -> None:
    for _ in range(BOMBS):
        table.take()
        x, y = table.find("bomb")
        booms: list[str] = []

        async def dig(player: Player, message: str, booms: list[str]) -> None:
            if (await player.ask(message)).kind == "BOOM":
                booms.append(player.name)

        players = [await table.connect(f"client{number + 1}") for number in range(DIGGERS)]
        await together(partial(dig, player, f"dig {x} {y}", booms) for player in players)
        if len(booms) != 1:
            raise Broken(f"{DIGGERS} users dug the bomb at x={x}, y={y} at once, and {len(booms)} of them got BOOM")
        table.ground.step(f"dig {x} {y}")
        await table.watches()
        for player in players:
            await player.leave()


def _runs(claim: str, mix: Mix) -> None:
    """Add a case of random runs."""

    async def play(table: MineTable) -> None:
        await play_runs(table, mix, table.seed, runs=RUNS)

    case("concurrent", claim, SAFE, level="beta", tiles=TILES)(play)


_runs("digs", Mix("bnz", ("dig",), clients=3, steps=3))
_runs("digs-and-flags", Mix("nn", ("dig", "flag", "deflag", "flag"), clients=3, steps=5))
_runs("floods-and-flags", Mix("zzn", ("dig", "flag", "deflag"), clients=3, steps=4))
_runs("bombs-and-flags", Mix("bn", ("dig", "flag", "deflag"), clients=3, steps=4))
_runs("looks-between", Mix("bzn", ("dig", "flag"), clients=2, steps=4, lookers=2))
