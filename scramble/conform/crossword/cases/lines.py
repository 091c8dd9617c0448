"""The lines of our telnet wire: line ends, spaces, lines in pieces, and lines that are too long."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable, apply
from scramble.conform.crossword.screens import Screen

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

LINE: Final = "the handout fixes no wire; ours: a line, ended by LF or CRLF, is a command, in UTF-8"
SPACES: Final = "ours: spaces and tabs between, before and after the words of a command are ignored"
LONG: Final = "ours: a command has at most 5,000 characters; any other line is refused, and changes nothing"


@case("line", "ends-with-crlf", LINE, editions=WIRE)
async def ends_with_crlf(table: CrosswordTable) -> None:
    duel = await table.duel()
    guest = await table.guest("carol")
    await guest.send(guest.name, "\r\n")
    await guest.comes("CHOOSE", "an ID ends with CRLF")
    await duel.does(duel.ann, "TRY 1 cat\r", "a command ends with CRLF")


@case("line", "comes-byte-by-byte", LINE, editions=WIRE)
async def comes_byte_by_byte(table: CrosswordTable) -> None:
    duel = await table.duel()
    apply(duel.rules, duel.ann.name, "TRY 1 cat")
    for byte in b"TRY 1 cat\r\n":
        await duel.ann.connection.send(bytes([byte]))
    await duel.shown(duel.ann, duel.bob, why="a line may come byte by byte")


@case("line", "comes-with-others", LINE, editions=WIRE)
async def comes_with_others(table: CrosswordTable) -> None:
    ann = await table.guest()
    match = table.name("m")
    await ann.send(f'{ann.name}\nNEW {match} simple "come"\nEXIT\nPLAY {match}')
    await ann.comes("CHOOSE", "the first of four lines in one segment")
    await ann.comes("WAIT", "the second of four lines in one segment")
    await ann.comes("CHOOSE", "the third of four lines in one segment")
    await ann.is_refused("the fourth of four lines in one segment names no match")


@case("line", "may-have-spaces-around-words", SPACES, editions=WIRE)
async def may_have_spaces_around_words(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = table.name("m")
    await ann.goes(f'  NEW\t{match}   simple \t"come"  ', "WAIT", SPACES)
    await ann.goes("\tEXIT ", "CHOOSE", SPACES)
    await ann.goes(f'NEW {match} simple "come"', "WAIT", SPACES)
    await bob.goes(f" PLAY  {match}\t", "PLAY", SPACES)
    await ann.comes("PLAY", "the match begins")
    await ann.goes("  TRY \t1   cat ", "PLAY", SPACES)
    await bob.comes("PLAY", "ann has entered a word")
    await bob.goes(" EXIT", "SHOW SCORE", SPACES)
    await bob.goes(" NEW \t MATCH ", "CHOOSE", SPACES)


@case("line", "too-long-is-refused", LONG, editions=WIRE)
async def too_long_is_refused(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.refuses(duel.ann, f"TRY 1 {'c' * 6_000}", "the line has more than 5,000 characters")
    await duel.refuses(duel.ann, "x" * 25_000, "the line has more than 20,000 bytes")
    await duel.does(duel.ann, "TRY 1 cat", "the next line is a command")


@case("line", "not-utf-8-is-refused", LINE, editions=WIRE)
async def not_utf_8_is_refused(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.ann.connection.send(b"TRY 1 c\xff\xfet\n")
    await duel.ann.is_refused("the line is not UTF-8")
    await duel.does(duel.ann, "TRY 1 cat", "the next line is a command")


@case(
    "line",
    "text-of-players-cannot-imitate-a-screen",
    "ours: control characters in descriptions are shown as spaces or question marks",
    editions=WIRE,
)
async def text_of_players_cannot_imitate_a_screen(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = table.name("m")
    await ann.goes(f'NEW {match} simple "so\x1b[2J\x07\x85so"', "WAIT", "control characters are allowed")

    def clean(screen: Screen) -> str:
        if match not in screen.matches:
            return f"does not list the match {match}"
        return "" if screen.text.replace("\n", "").isprintable() else "has control characters"

    await bob.lists(clean, "control characters are not sent to other players")
