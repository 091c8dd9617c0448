"""BOARD and LOOK: the grammar, and each kind of square."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

GRAMMAR: Final = (
    'BOARD ::= LINE+, LINE ::= (SQUARE SPACE)* SQUARE NEWLINE, SQUARE ::= "-" | "F" | [1-8] | " ": exactly one '
    "character for each square"
)
AXES: Final = (
    "the (x,y) coordinates start at (0,0) in the top-left corner, extend horizontally to the right in the X direction, "
    "and vertically downwards in the Y direction"
)
EXAMPLE: Final = "0000 0010 0000"
"""The handout's example of a file: 4 columns and 3 rows with a single bomb at the location x=2, y=1."""

# The middle of each block of 3 x 3 squares has one bomb more around it.
COUNTS: Final = "1000110011101110111011101110111 0000000000001000101010101010101 0000000000000000000010001100111"


@case("BOARD", "is-a-grid", GRAMMAR, is_gate=True)
async def is_a_grid(table: MineTable) -> None:
    alice = await table.player()
    for _ in range(3):
        await alice.ask("look")


@case("BOARD", "starts-untouched", "all squares' states should be set to untouched", field=EXAMPLE)
async def starts_untouched(table: MineTable) -> None:
    await (await table.player()).does("look")


@case("LOOK", "does-not-mutate", "returns a BOARD message. Does not mutate anything on the server")
async def does_not_mutate(table: MineTable) -> None:
    alice, bob = await table.players(2)
    for player in (alice, alice, bob, alice):
        await player.does("look")


@case("LOOK", "shows-the-current-board", "returns a BOARD message, a string representation of the board's state")
async def shows_the_current_board(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("untouched")
    await alice.does("look")
    await bob.does(f"flag {x} {y}")
    await alice.does("look")
    await bob.does(f"deflag {x} {y}")
    await alice.does("look")


@case("BOARD", "has-x-across-and-y-down", AXES, field="0000000 0000000 0001000")
async def has_x_across_and_y_down(table: MineTable) -> None:
    alice = await table.player()
    for x, y in ((1, 2), (6, 0), (0, 1), (5, 2)):
        await alice.does(f"flag {x} {y}")
    for x, y in ((4, 1), (3, 1), (2, 2)):
        await alice.does(f"dig {x} {y}")


@case("BOARD", "shows-counts-from-1-to-8", "integer COUNT in range [1-8] for squares with state dug", field=COUNTS)
async def shows_counts_from_1_to_8(table: MineTable) -> None:
    alice = await table.player()
    found = set[str]()
    for block in range(8):
        x, y = 4 * block + 1, 1
        reply = await alice.does(f"dig {x} {y}")
        found.add(reply.lines[y][x])
    if found != set("12345678"):
        raise Broken(f"the counts {sorted(found)} are shown, but there are all from 1 to 8")


@case("BOARD", "shows-a-space-without-bombs-around", '" " for squares with state dug and 0 neighbors that have a bomb')
async def shows_a_space_without_bombs_around(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("zero")
    await alice.does(f"dig {x} {y}")
