"""The user-to-server grammar on the wire: ends of lines, packets, and BYE."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.rules import Square
from scramble.conform.minesweeper.table import MineTable
from scramble.conform.transcript import shortened

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

NEWLINE: Final = 'NEWLINE ::= "\\n" | "\\r" "\\n"?: the definition used by BufferedReader.readLine()'
EACH: Final = (
    "your server must accept any incoming message that satisfies the user-to-server grammar; it ends with a NEWLINE"
)
BYE: Final = "BYE terminates the connection with this client"


async def _speaks(table: MineTable, newline: bytes) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    for message in ("look", f"flag {x} {y}", f"deflag {x} {y}", f"dig {table.ground.columns} 0"):
        must = table.ground.step(message)
        await alice.send(message.encode() + newline)
        await alice.gets(must, message)
    await alice.helped(b"help" + newline)
    await alice.is_quiet("each message has one answer")
    await alice.send(b"bye" + newline)
    await alice.closed(BYE)


@case("NEWLINE", "may-be-lf", NEWLINE)
async def may_be_lf(table: MineTable) -> None:
    await _speaks(table, b"\n")


@case("NEWLINE", "may-be-crlf", NEWLINE)
async def may_be_crlf(table: MineTable) -> None:
    await _speaks(table, b"\r\n")


@case("NEWLINE", "may-be-cr", NEWLINE)
async def may_be_cr(table: MineTable) -> None:
    await _speaks(table, b"\r")


@case("NEWLINE", "may-be-crlf-in-two-packets", NEWLINE)
async def may_be_crlf_in_two_packets(table: MineTable) -> None:
    alice = await table.player()
    for _ in range(2):
        must = table.ground.step("look")
        await alice.send(b"look\r", b"\n")
        await alice.gets(must, "look")
    await alice.is_quiet("\\r\\n is one NEWLINE")


async def _answers(table: MineTable, player: Player, messages: list[str], newline: bytes) -> None:
    """Send all messages in one packet; the answers must come in the same order."""
    musts = [table.ground.step(message) for message in messages]
    await player.send(b"".join(message.encode() + newline for message in messages))
    for message, must in zip(messages, musts, strict=True):
        await player.gets(must, message)


def _moves(square: Square) -> list[str]:
    x, y = square
    return ["look", f"flag {x} {y}", "look", f"deflag {x} {y}", f"flag {x} {y}", "dig -1 -1", f"deflag {x} {y}", "look"]


@case("message", "may-share-a-packet", f"{EACH}; each gets its answer, in order")
async def may_share_a_packet(table: MineTable) -> None:
    alice = await table.player()
    for newline in (b"\n", b"\r\n", b"\r"):
        await _answers(table, alice, _moves(table.find("untouched")), newline)
    await alice.is_quiet("each message has one answer")


@case("message", "may-be-split", f"{EACH}; TCP may deliver it in parts")
async def may_be_split(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    flag = f"flag {x} {y}"
    must = table.ground.step(flag)
    await alice.send(*(bytes([byte]) for byte in flag.encode() + b"\n"))
    await alice.gets(must, flag)
    looks = [table.ground.step("look") for _ in range(3)]
    await alice.send(b"lo", b"ok\nlook\nl", b"ook\r\n")
    for look in looks:
        await alice.gets(look, "look")


@case("message", "waits-for-its-newline", f"{EACH}: without it, it is not complete")
async def waits_for_its_newline(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    await alice.does("look")
    await alice.send(f"flag {x} {y}".encode())
    await alice.is_quiet("the message has no NEWLINE yet")
    await table.watches()
    must = table.ground.step(f"flag {x} {y}")
    await alice.send(b"\n")
    await alice.gets(must, f"flag {x} {y}")


@case("BYE", "ends-the-connection", BYE)
async def ends_the_connection(table: MineTable) -> None:
    alice, bob = await table.players(2)
    await alice.does("look")
    await alice.send(b"bye\n")
    rest = await alice.closed(BYE)
    if rest:
        table.deviates(
            f"before the end of the connection comes {shortened(rest, 80)!r}; the grammar has no such message"
        )
    await bob.does("look")


@case("BYE", "comes-after-earlier-messages", f"{BYE}; the messages before it get their answers")
async def comes_after_earlier_messages(table: MineTable) -> None:
    alice = await table.player()
    x, y = table.find("untouched")
    musts = {message: table.ground.step(message) for message in (f"flag {x} {y}", "look")}
    await alice.send("".join(f"{message}\n" for message in [*musts, "bye"]).encode())
    for message, must in musts.items():
        await alice.gets(must, message)
    await alice.closed(BYE)
    await table.watches()
