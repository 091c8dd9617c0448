"""DIG, step 3, and BOOM: a square with a bomb."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.rules import Square
from scramble.conform.minesweeper.table import MineTable
from scramble.conform.transcript import shortened

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

BOOM: Final = "if square x,y contains a bomb, change it so that it contains no bomb and send a BOOM message to the user"
ENDS: Final = "if the debug flag is missing, terminate the user's connection"
STAYS: Final = "we should terminate their connection if and only if the debug flag is missing"
COUNTS: Final = "make sure that subsequent BOARD messages show updated bomb counts in the adjacent squares"
FLOOD: Final = (
    "after removing the bomb continue to the next step: if the square x,y has no neighbor squares with bombs, for each "
    "of x,y's untouched neighbor squares, change said square to dug and repeat this step recursively"
)
SAME: Final = "using --no-debug is the same as using no flag at all"
OTHERS: Final = "the game ends for them (the server ends their connection), but the other players may continue playing"


async def _explodes(player: Player, square: Square) -> None:
    await player.does(f"dig {square[0]} {square[1]}")


async def _flags(table: MineTable, player: Player) -> Square:
    """Flag a square for later: a flood may dig all others."""
    x, y = table.find("number")
    await player.does(f"flag {x} {y}")
    return x, y


@case("DIG-3", "answers-boom", f'{BOOM}. BOOM ::= "BOOM!" NEWLINE')
async def answers_boom(table: MineTable) -> None:
    alice = await table.player()
    await _explodes(alice, table.find("bomb"))


@case("BOOM", "ends-the-connection", ENDS, debug="no")
async def ends_the_connection(table: MineTable) -> None:
    alice = await table.player()
    await _explodes(alice, table.find("bomb"))
    rest = await alice.closed(f"{ENDS}, and the server runs without --debug")
    if rest:
        raise Broken(f"BOOM is the last message before the end, but after it came {shortened(rest, 80)!r}")


@case("BOOM", "keeps-the-connection-in-debug-mode", STAYS, debug="yes")
async def keeps_the_connection_in_debug_mode(table: MineTable) -> None:
    alice = await table.player()
    x, y = await _flags(table, alice)
    await _explodes(alice, table.find("bomb"))
    await alice.does("look")
    await alice.does(f"deflag {x} {y}")


@case("BOOM", "comes-without-board", "where a BOOM message is not returned, return a BOARD message", debug="yes")
async def comes_without_board(table: MineTable) -> None:
    alice = await table.player()
    await _explodes(alice, table.find("bomb"))
    await alice.is_quiet("BOOM is the only answer to this dig")


@case("DIG-3", "digs-the-square", f"{BOOM}. The square where the bomb was blown up is now a dug square with no bomb")
async def digs_the_square(table: MineTable) -> None:
    alice = await table.player()
    bob = await table.watches("bob")
    square = table.find("bomb")
    await _explodes(alice, square)
    await bob.sees()
    await bob.does(f"dig {square[0]} {square[1]}")
    await bob.does(f"flag {square[0]} {square[1]}")


@case("DIG-3", "updates-the-counts", COUNTS)
async def updates_the_counts(table: MineTable) -> None:
    alice, bob = await table.players(2)
    bomb = table.find("bomb", lambda square: len(_numbers(table, square)) > 1)
    for x, y in _numbers(table, bomb)[:4]:
        await bob.does(f"dig {x} {y}")
    await _explodes(alice, bomb)
    await bob.sees()


@case("DIG-3", "updates-the-counts-of-squares-dug-later", COUNTS, field="00000 01100 00000")
async def updates_the_counts_of_squares_dug_later(table: MineTable) -> None:
    alice, bob = await table.players(2)
    await _explodes(alice, (1, 1))
    for x, y in ((0, 0), (1, 0), (2, 2), (3, 1)):
        await bob.does(f"dig {x} {y}")


def _numbers(table: MineTable, square: Square) -> list[Square]:
    """Return the untouched neighbors without a bomb: each has a count."""
    field = table.ground.field
    return [other for other in field.neighbors(square) if field.is_untouched(other) and other not in field.bombs]


@case("DIG-4", "floods-after-boom", FLOOD)
async def floods_after_boom(table: MineTable) -> None:
    alice = await table.player()
    bob = await table.watches("bob")
    await _explodes(alice, table.find("lone bomb"))
    await bob.sees()


@case("DIG-4", "does-not-flood-after-boom-next-to-a-bomb", FLOOD, field="0000 0110 0000 0000")
async def does_not_flood_after_boom_next_to_a_bomb(table: MineTable) -> None:
    alice = await table.player()
    bob = await table.watches("bob")
    await _explodes(alice, (1, 1))
    await bob.sees()


@case("DIG-4", "does-not-flood-from-counts-that-drop-to-0", FLOOD, field="0000000 0100000 0000001 0000000 1000000")
async def does_not_flood_from_counts_that_drop_to_0(table: MineTable) -> None:
    alice, bob = await table.players(2)
    await bob.does("flag 2 1")
    await bob.does("dig 1 0")
    await bob.does("flag 1 2")
    await _explodes(alice, (1, 1))
    await bob.sees()
    await bob.does("deflag 2 1")
    await bob.does("dig 1 0")


@case("BOOM", "does-not-end-the-game-for-others", OTHERS)
async def does_not_end_the_game_for_others(table: MineTable) -> None:
    alice, bob = await table.players(2)
    x, y = await _flags(table, bob)
    await _explodes(alice, table.find("bomb"))
    await bob.is_quiet("BOOM is sent only to the user who digs")
    await bob.sees()
    await bob.does(f"deflag {x} {y}")


@case("BOOM", "lets-the-user-return", "the player who lost may reconnect to the same game again", debug="no")
async def lets_the_user_return(table: MineTable) -> None:
    alice = await table.player()
    x, y = await _flags(table, alice)
    await _explodes(alice, table.find("bomb"))
    await alice.closed(ENDS)
    again = await table.connect("alice, again")
    await again.sees()
    await again.does(f"deflag {x} {y}")


@case("BOOM", "lowers-the-count-of-users", "N is the number of users currently connected to the server", debug="no")
async def lowers_the_count_of_users(table: MineTable) -> None:
    alice, bob = await table.players(2)
    await _explodes(alice, table.find("bomb"))
    await alice.closed(ENDS)
    await table.counts(1, "alice has got BOOM")
    await bob.sees()


@case("BOOM", "ends-the-connection-with-no-debug", f"{SAME}; {ENDS}", field="010", args="--no-debug")
async def ends_the_connection_with_no_debug(table: MineTable) -> None:
    alice = await table.player()
    await _explodes(alice, (1, 0))
    await alice.closed(f"{ENDS}, and the server runs with --no-debug")
