"""Failed flips and bad input: the answer, and that the server goes on."""

from __future__ import annotations

from typing import Final

import trio

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.memory.client import MemoryTable, Request

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

GOES_ON = "the handout does not say what a bad request does, but other requests must be handled normally"


@case("failure", "is-a-board", "the server responds with the current board after trying to flip", editions=["2022"])
async def is_a_board(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    (first,) = table.take("A")
    await alice.first(first)
    answer = await alice.fails(first, "she controls the card herself")
    if answer.status != 200:
        raise Broken(f"a failed flip was answered with {answer.status}, not with 200 and the board")


@case(
    "failure",
    "is-an-error",
    "failure is indicated by a rejected promise: the course's server answers 409",
    editions=["2025"],
)
async def is_an_error(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    (first,) = table.take("A")
    await alice.first(first)
    answer = await alice.fails(first, "she controls the card herself")
    if answer.status != 409:
        table.deviates(f"a failed flip is answered with {answer.status}; the course's server answers 409")


async def _bad(table: MemoryTable, target: str) -> None:
    """Send a bad flip of a player who has turned over two cards."""
    alice, bob = table.players(2)
    first, second, other = table.take("ABC")
    await alice.misses(first, second)
    await bob.first(other)
    answer = await table.raw(Request("GET", target.replace("PLAYER", alice.name)))
    if answer.status < 400:
        table.deviates(f"{target} is answered with {answer.status}, not with an error")
    board = await bob.look()
    bob.check(board, {other: "my"})
    try:
        bob.check(board, {first: "up", second: "up"})
    except Broken:
        table.deviates(f"{target} finishes the player's previous play")


@case("bad-request", "row-outside-the-board", GOES_ON, handout_routes="yes")
async def row_outside_the_board(table: MemoryTable) -> None:
    await _bad(table, f"/flip/PLAYER/{table.ground.file.rows},0")


@case("bad-request", "column-outside-the-board", GOES_ON, handout_routes="yes")
async def column_outside_the_board(table: MemoryTable) -> None:
    await _bad(table, f"/flip/PLAYER/0,{table.ground.file.columns}")


@case("bad-request", "negative-row", GOES_ON, handout_routes="yes")
async def negative_row(table: MemoryTable) -> None:
    await _bad(table, "/flip/PLAYER/-1,0")


@case("bad-request", "no-numbers", GOES_ON, handout_routes="yes")
async def no_numbers(table: MemoryTable) -> None:
    await _bad(table, "/flip/PLAYER/one,two")


@case("bad-request", "no-column", GOES_ON, handout_routes="yes")
async def no_column(table: MemoryTable) -> None:
    await _bad(table, "/flip/PLAYER/1")


@case(
    "bad-request",
    "invalid-player",
    "PLAYER is a nonempty string of alphanumeric or underscore characters",
    handout_routes="yes",
)
async def invalid_player(table: MemoryTable) -> None:
    (space,) = table.take("A")
    answer = await table.raw(Request("GET", f"/flip/not-a%20player/{space[0]},{space[1]}"))
    if answer.status < 400:
        table.deviates(f"a flip by the player 'not-a player' is answered with {answer.status}, not with an error")
    else:
        (alice,) = table.players(1)
        await alice.sees({space: "down"})


@case("bad-request", "unknown-path", GOES_ON, handout_routes="yes")
async def unknown_path(table: MemoryTable) -> None:
    answer = await table.raw(Request("GET", "/turn/alice/0,0"))
    if answer.status < 400:
        table.deviates(f"/turn/alice/0,0 is answered with {answer.status}, not with 404")
    (alice,) = table.players(1)
    await alice.look()


@case("bad-request", "not-http", "the server must go on after a client that speaks no HTTP")
async def not_http(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    for garbage in (b"\x16\x03\x01\x00\xa5\x01\x00", b"look alice\n\n", b""):
        try:
            stream = await trio.open_tcp_stream(table.server.host, table.server.port)
        except OSError as error:
            raise Broken(f"the server accepts no connection: {error}") from None
        async with stream:
            if garbage:
                await stream.send_all(garbage)
        await alice.look()


@case("bad-request", "half-a-request", "while one request is waiting, other requests must be handled normally")
async def half_a_request(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (space,) = table.take("A")
    streams = []
    try:
        for _ in range(5):
            stream = await trio.open_tcp_stream(table.server.host, table.server.port)
            streams.append(stream)
            await stream.send_all(b"GET /look/alice HTTP/1.1\r\nHost:")
        await alice.first(space)
        await bob.sees({space: "up"})
    finally:
        for stream in streams:
            await trio.aclose_forcefully(stream)
