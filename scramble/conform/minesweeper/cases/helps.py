"""HELP: for the message help, and for each message that does not match the grammar."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

ONE_LINE: Final = "HELP ::= [^\\r\\n]+ NEWLINE: it is important that this message not contain multiple NEWLINES"
INVALID: Final = (
    "for any message from the user which does not match the user-to-server message format, discard the incoming "
    "message and send a HELP message as the reply to the user"
)
COMMANDS: Final = ("look", "dig", "flag", "deflag", "help", "bye")
LONG_BYTES: Final = 100_000


@case("HELP", "answers-help", f"returns a HELP message, does not mutate anything on the server. {ONE_LINE}")
async def answers_help(table: MineTable) -> None:
    alice = await table.player()
    for _ in range(2):
        await alice.helped(b"help\n")
        await alice.does("look")


@case("HELP", "names-the-commands", "a message which indicates all the commands the user can send to the server")
async def names_the_commands(table: MineTable) -> None:
    alice = await table.player()
    (line,) = (await alice.helped(b"help\n")).lines
    text = line.lower().replace("deflag", "*")
    missing = [word for word in COMMANDS if ("*" if word == "deflag" else word) not in text]
    if len(missing) == len(COMMANDS):
        raise Broken("HELP indicates none of the commands")
    if missing:
        table.deviates(f"HELP does not name {', '.join(missing)}; its exact content is up to the author")


async def _invalid(table: MineTable, *messages: bytes) -> None:
    """Send messages outside the grammar: each gets HELP, and nothing changes."""
    alice = await table.player()
    for message in messages:
        await alice.helped(message + b"\n")
        await alice.does("look")


@case("HELP", "answers-other-words", INVALID)
async def answers_other_words(table: MineTable) -> None:
    await _invalid(table, b"open 1 1", b"hello", b"looks", b"byebye", b"undig 1 1", b"?", b"GET / HTTP/1.1")


@case("HELP", "answers-upper-case", INVALID)
async def answers_upper_case(table: MineTable) -> None:
    x, y = table.find("untouched")
    await _invalid(table, b"LOOK", b"Look", b"FLAG %d %d" % (x, y), b"Flag %d %d" % (x, y), b"Help", b"BYE")


@case("HELP", "answers-extra-spaces", f"{INVALID}; arguments to the message are separated by a single SPACE")
async def answers_extra_spaces(table: MineTable) -> None:
    x, y = table.find("untouched")
    flag = b"flag %d %d" % (x, y)
    tab = b"flag\t%d\t%d" % (x, y)
    await _invalid(
        table, b" " + flag, flag + b" ", b"flag  %d %d" % (x, y), b"flag %d  %d" % (x, y), tab, b" look", b"look ", b" "
    )


@case("HELP", "answers-missing-numbers", INVALID)
async def answers_missing_numbers(table: MineTable) -> None:
    await _invalid(table, b"dig", b"dig ", b"flag", b"deflag", b"dig 0", b"flag 0", b"deflag 0 ", b"dig - 0")


@case("HELP", "answers-too-many-arguments", INVALID)
async def answers_too_many_arguments(table: MineTable) -> None:
    x, y = table.find("untouched")
    await _invalid(table, b"flag %d %d 0" % (x, y), b"look 0", b"help me", b"bye 0 0", b"look look")


@case("HELP", "answers-wrong-numbers", f'{INVALID}; INT ::= "-"? [0-9]+')
async def answers_wrong_numbers(table: MineTable) -> None:
    x, y = table.find("untouched")
    numbers = (b"%d,%d", b"+%d %d", b"%d.0 %d", b"--%d %d", b"%d %de0", b"0x%d %d", b"%d_0 %d", b"%d;%d")
    await _invalid(table, *(b"flag " + number % (x, y) for number in numbers), b"flag x y", b"dig one two")


@case("HELP", "answers-an-empty-line", f"{INVALID}: an empty line does not match")
async def answers_an_empty_line(table: MineTable) -> None:
    try:
        await _invalid(table, b"", b"")
    except Broken as broken:
        table.deviates(f"an empty line is not answered by HELP: {broken}")


@case("HELP", "answers-bytes-that-are-no-text", INVALID)
async def answers_bytes_that_are_no_text(table: MineTable) -> None:
    await _invalid(table, b"l\xc3\xb6\xc3\xb6k", b"\xc3\x28", b"\x80look", b"look\x07", b"dig \xe2\x82 0")


@case("HELP", "answers-a-long-line", f"{INVALID}: one HELP for each message, of any length")
async def answers_a_long_line(table: MineTable) -> None:
    await _invalid(table, b"a" * LONG_BYTES, b"look" * 300)
