"""The options of the command line, and the files with fields. Each case starts servers of its own."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

SIZE: Final = "the server's Board instance should be randomly generated and should have size equal to X by Y"
CHANCE: Final = "you should assign each square to contain a bomb with probability .25 and otherwise no bomb"
FILE: Final = (
    "square i,j has a bomb if and only if the i'th VAL in LINE j of the input is 1; the first line specifies the size"
)
IMPROPER: Final = (
    "the first line must be followed by exactly Y lines, where each line must contain exactly X values. If the file is "
    "improperly formatted, your program should throw an unchecked exception"
)
EXAMPLE: Final = "0000 0010 0000"
DEBUG: Final = "disconnect a client after a BOOM message if and only if the --debug flag was NOT given"

DIGS: Final = 60
LEAST_SHARE: Final = 0.08
MOST_SHARE: Final = 0.45
"""Of 60 squares with probability .25, fewer or more have a bomb by chance once in 2,000 runs."""


async def _has_size(table: MineTable, columns: int, rows: int) -> None:
    """Check HELLO and BOARD: the size, and that all squares are untouched."""
    found = table.ground.columns, table.ground.rows
    if found != (columns, rows):
        raise Broken(f"HELLO has {found[0]} columns by {found[1]} rows, but must have {columns} by {rows}")
    await (await table.player()).does("look")


@case("size", "is-10-by-10-without-options", "generate a random board of size 10x10", args="")
async def is_10_by_10_without_options(table: MineTable) -> None:
    await _has_size(table, 10, 10)


@case("size", "is-x-columns-by-y-rows", f"{SIZE}. All squares' states should be set to untouched", args="--size 7,4")
async def is_x_columns_by_y_rows(table: MineTable) -> None:
    await _has_size(table, 7, 4)


@case("size", "may-be-1-by-1", f"SIZE_X and SIZE_Y are positive integers: {SIZE}", args="--size 1,1")
async def may_be_1_by_1(table: MineTable) -> None:
    await _has_size(table, 1, 1)
    alice = await table.player()
    await alice.does("flag 0 0")
    await alice.does("dig 0 0")
    await alice.does("dig 1 0")


@case("size", "may-be-large", f"MinesweeperServer --size 123,234: {SIZE}", args="--size 123,234")
async def may_be_large(table: MineTable) -> None:
    await _has_size(table, 123, 234)


@case(
    "size",
    "goes-with-debug",
    f"MinesweeperServer --debug --size 20,14: {DEBUG}",
    args="--debug --size 20,14",
)
async def goes_with_debug(table: MineTable) -> None:
    await _has_size(table, 20, 14)
    alice = await table.player()
    for x, y in table.ground.whole.squares:
        if (await alice.ask(f"dig {x} {y}")).kind == "BOOM":
            await alice.ask("look")
            return
    raise Broken("all squares of a random field of 20 by 14 are dug, and none had a bomb")


@case("size", "has-random-bombs", CHANCE, args="--debug --size 24,15")
async def has_random_bombs(table: MineTable) -> None:
    alice = await table.player()
    lines = (await alice.ask("look")).lines
    dug = bombs = 0
    for x in range(0, table.ground.columns, 2):  # far from each other: so that the floods open few of them
        for y in range(0, table.ground.rows, 3):
            if lines[y][x] != "-":
                continue
            reply = await alice.ask(f"dig {x} {y}")
            dug += 1
            bombs += reply.kind == "BOOM"
            lines = reply.lines if reply.kind == "BOARD" else lines
    if bombs in (0, dug):
        raise Broken(f"{'all' if bombs else 'none'} of {dug} dug squares had a bomb")
    if dug >= DIGS // 2 and not LEAST_SHARE <= bombs / dug <= MOST_SHARE:
        table.deviates(f"{bombs} of {dug} dug squares had a bomb: with probability .25 this is very rare")


@case("FILE", "is-the-field", FILE, field=EXAMPLE)
async def is_the_field(table: MineTable) -> None:
    await _has_size(table, 4, 3)
    alice, bob = await table.players(2)
    await alice.does("dig 0 0")
    await alice.does("dig 3 2")
    await bob.does("dig 2 1")
    await alice.does("look")


@case("FILE", "has-columns-before-rows", FILE, field="0000000 0000010 1000000")
async def has_columns_before_rows(table: MineTable) -> None:
    await _has_size(table, 7, 3)
    alice = await table.player()
    for x, y in ((5, 0), (1, 2), (3, 1)):
        await alice.does(f"dig {x} {y}")


@case("FILE", "may-have-crlf", 'NEWLINE ::= "\\n" | "\\r" "\\n"?', field=EXAMPLE, newline="crlf")
async def may_have_crlf(table: MineTable) -> None:
    await _has_size(table, 4, 3)
    await (await table.player()).does("dig 0 0")


@case("FILE", "may-have-cr", 'NEWLINE ::= "\\n" | "\\r" "\\n"?', field=EXAMPLE, newline="cr")
async def may_have_cr(table: MineTable) -> None:
    await _has_size(table, 4, 3)
    await (await table.player()).does("dig 0 0")


@case("FILE", "goes-with-debug", DEBUG, field="010 000", debug="yes")
async def file_goes_with_debug(table: MineTable) -> None:
    alice = await table.player()
    await alice.does("dig 1 0")
    await alice.does("look")


async def _refuses(table: MineTable, *files: bytes) -> None:
    """Start a server with each file: none may serve a game."""
    for file in files:
        if await table.launcher.serves("--file {file}", file):
            raise Broken(f"the server serves a game with the file {file.decode()!r}")


@case("FILE", "must-have-x-values-in-each-line", IMPROPER, own="yes")
async def must_have_x_values_in_each_line(table: MineTable) -> None:
    await _refuses(table, b"3 2\n0 0 0\n0 0\n", b"3 2\n0 0 0\n0 0 0 0\n")


@case("FILE", "must-have-y-lines", IMPROPER, own="yes")
async def must_have_y_lines(table: MineTable) -> None:
    await _refuses(table, b"3 2\n0 0 0\n", b"3 2\n0 0 0\n0 0 0\n0 0 0\n")


@case("FILE", "must-have-values-0-or-1", f"VAL ::= 0 | 1. {IMPROPER}", own="yes")
async def must_have_values_0_or_1(table: MineTable) -> None:
    await _refuses(table, b"3 2\n0 0 0\n0 2 0\n", b"3 2\n0 0 0\n0 - 0\n")


@case("FILE", "must-begin-with-its-size", f"BOARD ::= X SPACE Y NEWLINE. {IMPROPER}", own="yes")
async def must_begin_with_its_size(table: MineTable) -> None:
    await _refuses(table, b"", b"0 0 0\n0 0 0\n", b"3,2\n0 0 0\n0 0 0\n")


@case("FILE", "must-have-single-spaces", f"LINE ::= (VAL SPACE)* VAL NEWLINE. {IMPROPER}", own="yes")
async def must_have_single_spaces(table: MineTable) -> None:
    await _refuses(table, b"3 2\n000\n000\n", b"3 2\n0  0 0\n0 0 0\n")


@case("FILE", "may-be-refused-for-less", "LINE ::= (VAL SPACE)* VAL NEWLINE: each line ends with a NEWLINE", own="yes")
async def may_be_refused_for_less(table: MineTable) -> None:
    for what, file in (("without a last NEWLINE", b"3 2\n0 0 0\n0 1 0"), ("with a space at an end", b"2 1\n0 1 \n")):
        if await table.launcher.serves("--file {file}", file):
            table.deviates(f"the server serves a game with a file {what}, which does not match the grammar")


@case("options", "name-a-file-that-exists", "if a file exists at the given path, read the file", own="yes")
async def name_a_file_that_exists(table: MineTable) -> None:
    if await table.launcher.serves("--file /no/such/file/as/this"):
        table.deviates("the server serves a game without the file; the handout does not say what happens")


@case("options", "name-a-file-or-a-size", "--file and --size may not be specified simultaneously", own="yes")
async def name_a_file_or_a_size(table: MineTable) -> None:
    if await table.launcher.serves("--size 3,2 --file {file}", b"3 2\n0 0 0\n0 1 0\n"):
        table.deviates("the server serves a game with both --size and --file")


@case("options", "have-a-positive-size", "SIZE_X and SIZE_Y are optional positive integer arguments", own="yes")
async def have_a_positive_size(table: MineTable) -> None:
    for size in ("0,5", "5"):
        if await table.launcher.serves(f"--size {size}"):
            table.deviates(f"the server serves a game with --size {size}; the handout does not say what happens")
