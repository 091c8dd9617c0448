"""DIG, steps 1, 2, 4 and 5: squares without a bomb."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.minesweeper.rules import Square
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

NOTHING: Final = (
    "if either x or y is less than 0, or equal to or greater than the board size, or square x,y is not in the "
    "untouched state, do nothing and return a BOARD message"
)
DUG: Final = "if square x,y's state is untouched, change square x,y's state to dug"
FLOOD: Final = (
    "if the square x,y has no neighbor squares with bombs, then for each of x,y's untouched neighbor squares, change "
    "said square to dug and repeat this step recursively"
)
BOARD: Final = "for any DIG message where a BOOM message is not returned, return a BOARD message"
ALMOST_EMPTY: Final = " ".join(["0" * 29 + "1", *["0" * 30] * 19])
HUGE: Final = 10**20


@case("DIG-2", "digs-one-square", DUG)
async def digs_one_square(table: MineTable) -> None:
    alice = await table.player()
    for _ in range(3):
        x, y = table.find("number")
        await alice.does(f"dig {x} {y}")


@case("DIG-5", "shows-all-users-the-same", BOARD)
async def shows_all_users_the_same(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("number")
    await alice.does(f"dig {x} {y}")
    await bob.does("look")
    x, y = table.find("number")
    await bob.does(f"dig {x} {y}")
    await alice.does("look")


@case("DIG-1", "ignores-squares-outside", NOTHING)
async def ignores_squares_outside(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    columns, rows = table.ground.columns, table.ground.rows
    for place in ((-1, y), (x, -1), (-1, -1), (columns, y), (x, rows), (columns, rows), (columns + 7, y), (x, -rows)):
        await alice.does(f"dig {place[0]} {place[1]}")
    await alice.does("look")


@case("DIG-1", "takes-integers-of-any-size", f'{NOTHING}. INT ::= "-"? [0-9]+')
async def takes_integers_of_any_size(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    for message in (f"dig {HUGE} {y}", f"dig {x} {-HUGE}", f"dig {2**32 + x} {2**32 + y}", f"dig {2**31} {2**63}"):
        await alice.does(message)


@case("DIG-2", "takes-leading-zeros", 'INT ::= "-"? [0-9]+')
async def takes_leading_zeros(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("number")
    await alice.does(f"dig 00{x} 0000{y}")


@case("DIG-1", "takes-minus-zero", 'INT ::= "-"? [0-9]+: the handout does not say if -0 is 0', field="00100 00000")
async def takes_minus_zero(table: MineTable) -> None:
    alice = await table.player()
    reply = await alice.ask("dig -0 0")
    if reply.kind == "BOARD" and reply.lines[0][0] == "-":
        table.deviates("-0 is a number outside the field: here it is 0")
    else:
        table.ground.step("dig 0 0")
        await alice.does("look")


@case("DIG-1", "ignores-flagged-squares", NOTHING)
async def ignores_flagged_squares(table: MineTable) -> None:
    alice, bob = await table.players(2)
    for x, y in (table.find("number"), table.find("zero")):
        await alice.does(f"flag {x} {y}")
        await alice.does(f"dig {x} {y}")
        await bob.does(f"dig {x} {y}")


@case("DIG-1", "ignores-flagged-bombs", NOTHING)
async def ignores_flagged_bombs(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("bomb")
    await alice.does(f"flag {x} {y}")
    await alice.does(f"dig {x} {y}")
    await alice.does(f"deflag {x} {y}")


@case("DIG-1", "ignores-dug-squares", NOTHING)
async def ignores_dug_squares(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = table.find("number")
    await alice.does(f"dig {x} {y}")
    await alice.does(f"dig {x} {y}")
    await bob.does(f"dig {x} {y}")


@case("DIG-4", "floods", FLOOD)
async def floods(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("zero")
    await alice.does(f"dig {x} {y}")
    await alice.does("look")


@case("DIG-4", "stops-at-squares-with-bombs-around", FLOOD, field="0000010000 0000000000 0000000000 1000000000")
async def stops_at_squares_with_bombs_around(table: MineTable) -> None:
    alice = await table.player()
    await alice.does("dig 0 0")
    await alice.does("dig 9 3")


@case("DIG-4", "reaches-squares-only-by-a-corner", FLOOD, field="0001000 0001000 0000000 0000000 1100000 0000011")
async def reaches_squares_only_by_a_corner(table: MineTable) -> None:
    alice = await table.player()
    await alice.does("dig 0 0")
    await alice.does("dig 6 0")
    await alice.does("dig 3 3")


@case("DIG-4", "does-not-start-at-a-square-with-a-bomb-around", FLOOD)
async def does_not_start_at_a_square_with_a_bomb_around(table: MineTable) -> None:
    alice = await table.player()
    field = table.ground.field
    x, y = table.find("number", lambda square: any(field.count(other) == 0 for other in field.neighbors(square)))
    await alice.does(f"dig {x} {y}")


@case("DIG-4", "leaves-flags", f"{FLOOD}: a flagged square is not untouched")
async def leaves_flags(table: MineTable) -> None:
    alice = await table.player()
    field = table.ground.field
    x, y = table.find("zero", lambda square: _zeros_around(table, square) > 2)
    others = [other for other in field.neighbors((x, y)) if field.is_untouched(other)]
    for other in (others[0], others[-1]):
        await alice.does(f"flag {other[0]} {other[1]}")
    await alice.does(f"dig {x} {y}")
    for other in (others[0], others[-1]):
        await alice.does(f"deflag {other[0]} {other[1]}")


def _zeros_around(table: MineTable, square: Square) -> int:
    field = table.ground.field
    return sum(field.is_untouched(other) and field.count(other) == 0 for other in field.neighbors(square))


@case("DIG-4", "does-not-pass-through-flags", f"{FLOOD}: a flagged square is not untouched", field="00000 00000 00000")
async def does_not_pass_through_flags(table: MineTable) -> None:
    alice = await table.player()
    for y in range(3):
        await alice.does(f"flag 2 {y}")
    await alice.does("dig 0 1")
    await alice.does("deflag 2 1")
    await alice.does("dig 2 1")


@case("DIG-4", "opens-the-whole-field", FLOOD, field=ALMOST_EMPTY)
async def opens_the_whole_field(table: MineTable) -> None:
    alice, bob = await table.players(2)
    await alice.does("dig 0 19")
    await bob.does("look")


@case("DIG-4", "works-in-one-column", FLOOD, field="0 0 0 0 1 0 0")
async def works_in_one_column(table: MineTable) -> None:
    alice = await table.player()
    for square in ((0, 0), (0, 6), (0, 5)):
        await alice.does(f"dig {square[0]} {square[1]}")
