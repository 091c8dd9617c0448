"""FLAG and DEFLAG."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

FLAG: Final = (
    "if x and y are both greater than or equal to 0, and less than the board size, and square x,y is in the untouched "
    "state, change it to be in the flagged state"
)
DEFLAG: Final = (
    "if x and y are both greater than or equal to 0, and less than the board size, and square x,y is in the flagged "
    "state, change it to be in the untouched state"
)
NOTHING: Final = (
    "otherwise, do not mutate any state on the server; for any message of this type, return a BOARD message"
)


@case("FLAG-1", "flags-an-untouched-square", FLAG)
async def flags_an_untouched_square(table: MineTable) -> None:
    alice, bob = await table.players(2)
    for _ in range(3):
        x, y = table.find("untouched")
        await alice.does(f"flag {x} {y}")
        await bob.does("look")


@case("FLAG-1", "flags-a-bomb", FLAG)
async def flags_a_bomb(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("bomb")
    await alice.does(f"flag {x} {y}")


@case("FLAG-2", "keeps-a-flag", NOTHING)
async def keeps_a_flag(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("untouched")
    await alice.does(f"flag {x} {y}")
    await alice.does(f"flag {x} {y}")
    await bob.does(f"flag {x} {y}")


@case("FLAG-2", "ignores-dug-squares", NOTHING)
async def ignores_dug_squares(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("number")
    await alice.does(f"dig {x} {y}")
    await alice.does(f"flag {x} {y}")
    await bob.does(f"flag {x} {y}")


async def _outside(table: MineTable, word: str) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    columns, rows = table.ground.columns, table.ground.rows
    for place in ((-1, y), (x, -1), (columns, y), (x, rows), (columns, rows)):
        await alice.does(f"{word} {place[0]} {place[1]}")


@case("FLAG-2", "ignores-squares-outside", NOTHING)
async def flag_ignores_squares_outside(table: MineTable) -> None:
    await _outside(table, "flag")


@case("DEFLAG-1", "makes-a-square-untouched", DEFLAG)
async def makes_a_square_untouched(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("untouched")
    await alice.does(f"flag {x} {y}")
    await bob.does(f"deflag {x} {y}")  # each user may remove each flag
    await alice.does("look")
    await alice.does(f"flag {x} {y}")
    await alice.does(f"deflag {x} {y}")


@case("DEFLAG-1", "allows-a-dig", f"{DEFLAG}: then it can be dug")
async def allows_a_dig(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("number")
    await alice.does(f"flag {x} {y}")
    await alice.does(f"deflag {x} {y}")
    await alice.does(f"dig {x} {y}")


@case("DEFLAG-2", "ignores-untouched-squares", NOTHING)
async def ignores_untouched_squares(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    await alice.does(f"deflag {x} {y}")
    await alice.does(f"flag {x} {y}")


@case("DEFLAG-2", "ignores-dug-squares", NOTHING)
async def deflag_ignores_dug_squares(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("number")
    await alice.does(f"dig {x} {y}")
    await alice.does(f"deflag {x} {y}")
    await alice.does("look")


@case("DEFLAG-2", "ignores-squares-outside", NOTHING)
async def deflag_ignores_squares_outside(table: MineTable) -> None:
    await _outside(table, "deflag")
