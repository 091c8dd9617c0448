"""A server that goes on: the claims of the handout that need no wire. Each server that listens must keep them."""

from __future__ import annotations

from typing import Final

import trio

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import QUIET_S, CrosswordTable
from scramble.conform.crossword.folders import RARE_DATA

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

READY: Final = "after the server loads the puzzles, it is ready to accept connections from clients"
MANY: Final = "the system will consist of a server that will host the competitions, and a set of clients"
GOES_ON: Final = "the handout fixes no answer to such a client; but the server must go on for the other clients"
SECRET: Final = (
    "you never want to transmit to the client any information about the puzzle beyond what the interface is supposed "
    "to display"
)

AT_ONCE: Final = 20
ONE_AFTER_ANOTHER: Final = 60
FEW: Final = 3
"""A mute server gets no more clients one after another."""

LONG_LINE: Final = b"x" * 1_000_000


@case("server", "accepts-a-client", READY, is_gate=True)
async def accepts_a_client(table: CrosswordTable) -> None:
    await table.hears("that is the first one")


@case("server", "serves-clients-at-once", MANY)
async def serves_clients_at_once(table: CrosswordTable) -> None:
    await table.knows_the_opening()
    for number in range(AT_ONCE):
        await table.connect(table.name("silent"))
        if number in (0, 1, 4, AT_ONCE - 1):
            await table.hears(f"while {number + 1} other clients are connected, and send nothing")
    table.tells()


@case("server", "serves-clients-one-after-another", MANY)
async def serves_clients_one_after_another(table: CrosswordTable) -> None:
    await table.knows_the_opening()
    until_s = trio.current_time() + 4 * table.patience_s  # a slow server gets fewer clients
    for number in range(ONE_AFTER_ANOTHER):
        await table.hears(f"after {number} clients have left")
        if (table.server.known.is_mute and number == FEW) or trio.current_time() > until_s:
            break
    table.tells()


async def _goes_on(table: CrosswordTable, data: bytes, told: str, *, stays: bool = False) -> None:
    """Let a client send something; the server must go on, while the client stays, and after it has left."""
    await table.knows_the_opening()
    connection = await table.connect(table.name("rude"))
    with trio.move_on_after(table.patience_s):
        await connection.send(data, told=told)
    await connection.wait(lambda: False, QUIET_S)
    await table.hears(f"while another client has sent {told}")
    if not stays:
        connection.close()
        await table.hears(f"after another client has sent {told}, and has left")
    table.check_alive(f"after a client has sent {told}")
    table.tells()


@case("server", "goes-on-after-an-empty-line", GOES_ON)
async def goes_on_after_an_empty_line(table: CrosswordTable) -> None:
    await _goes_on(table, b"\n", "an empty line")


@case("server", "goes-on-after-blank-lines", GOES_ON)
async def goes_on_after_blank_lines(table: CrosswordTable) -> None:
    await _goes_on(table, b" \n\t\n\r\n  \t \r\n", "blank lines")


@case("server", "goes-on-after-nonsense", GOES_ON)
async def goes_on_after_nonsense(table: CrosswordTable) -> None:
    lines = b"ann\nPLAY\nNEW\nTRY\nTRY one two\nTRY -1 x\nTRY 99999999999999999999 x\nCHALLENGE\nNEW a b c\n:-)\n"
    await _goes_on(table, lines, "commands without their words")


@case("server", "goes-on-after-bytes-that-are-not-text", GOES_ON)
async def goes_on_after_bytes_that_are_not_text(table: CrosswordTable) -> None:
    await _goes_on(table, b"\xff\xfe\x80\xc3(\n\0\0\0\n\xf0\x9f\n", "bytes that are not UTF-8")


@case("server", "goes-on-after-another-protocol", GOES_ON)
async def goes_on_after_another_protocol(table: CrosswordTable) -> None:
    await _goes_on(table, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", "the first bytes of TLS")


@case("server", "goes-on-after-a-long-line", GOES_ON)
async def goes_on_after_a_long_line(table: CrosswordTable) -> None:
    await _goes_on(table, LONG_LINE + b"\n", "a line of a million bytes")


@case("server", "goes-on-after-a-line-without-end", GOES_ON)
async def goes_on_after_a_line_without_end(table: CrosswordTable) -> None:
    await _goes_on(table, LONG_LINE, "a million bytes without a line end")


@case("server", "goes-on-during-half-a-line", MANY)
async def goes_on_during_half_a_line(table: CrosswordTable) -> None:
    await _goes_on(table, b"NEW", "half a line", stays=True)


@case("server", "goes-on-after-a-reset", GOES_ON)
async def goes_on_after_a_reset(table: CrosswordTable) -> None:
    await table.knows_the_opening()
    for number in range(5):
        connection = await table.connect(table.name("crashing"))
        if number:
            await connection.hears(QUIET_S)  # the server reads now
            await connection.send(b"ann" if number % 2 else b"ann\nNEW m ")
            await connection.wait(lambda: False, QUIET_S / 3)
        connection.close(reset=True)
        await table.hears("after another client has crashed")
    table.check_alive("after clients have crashed")
    table.tells()


@case("server", "goes-on-after-the-end-of-input", GOES_ON)
async def goes_on_after_the_end_of_input(table: CrosswordTable) -> None:
    await table.knows_the_opening()
    connection = await table.connect(table.name("leaving"))
    await connection.send(b"ann")
    await connection.half_close()
    await connection.wait(lambda: False, QUIET_S)
    await table.hears("after another client has closed its sending half")
    table.check_alive("after a client has closed its sending half")
    table.tells()


@case("security", "sends-no-solutions-to-a-client-that-connects", SECRET)
async def sends_no_solutions_to_a_client_that_connects(table: CrosswordTable) -> None:
    await table.knows_the_opening()
    lines = (
        "{name}\r\n",
        'NEW {name}_m rare "none"\r\n',
        "EXIT\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /rare HTTP/1.0\r\n\r\n",
    )
    for first in (0, 3, 4):
        connection = await table.connect(table.name("curious"))
        for line in lines[first : first + (3 if first == 0 else 1)]:
            await connection.send(line.format(name=connection.client).encode())
            await connection.wait(lambda: False, QUIET_S)
            connection.heard()
        text = connection.received.decode(errors="replace").lower()
        for word, *_ in RARE_DATA.entries:
            if word in text:
                raise Broken(f"the server sent {word!r}, a solution of rare.puzzle, before a match has begun")
    table.tells()
