"""Many clients: all play on one field, and none of them stops the others. Level beta."""

from __future__ import annotations

from functools import partial
from typing import Final

import trio

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.runs import together
from scramble.conform.minesweeper.table import MineTable

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

CROWD: Final = 30
JOINERS: Final = 12
ROUNDS: Final = 4
MANY: Final = "the server maintains multiple client connections simultaneously; all play on a single board"
THREADS: Final = "each client connection should be maintained by its own thread"
COUNT: Final = "N is the number of users currently connected to the server"

UNREAD_BYTES: Final = 12_000_000
"""Answers of this size do not fit into the buffers of a connection."""

MOST_UNREAD: Final = 20_000
STALL_S: Final = 0.3
"""A client that could send nothing for this time has filled the connection."""


async def _crowd(table: MineTable) -> list[Player]:
    """Return many users, or as many as a slow server accepts within the patience."""
    players: list[Player] = []
    until_s = trio.current_time() + table.patience_s
    while len(players) < CROWD and trio.current_time() < until_s:
        players.append(await table.connect(f"client{len(players) + 1}"))
    return players


@case("clients", "play-on-one-field", MANY, level="beta")
async def play_on_one_field(table: MineTable) -> None:
    players = await _crowd(table)
    await table.counts(len(players), "all of them have got HELLO, and none has left")
    until_s = trio.current_time() + 4 * table.patience_s  # for a slow server
    for number, player in enumerate(players):
        if number % 5 == 0:
            x, y = table.find("untouched")
            await player.does(f"flag {x} {y}")
        else:
            await player.does("look")
        if trio.current_time() > until_s:
            break
    for player in players:
        await player.does("look")
        if trio.current_time() > until_s:
            break


@case("clients", "are-served-at-once", MANY, level="beta")
async def are_served_at_once(table: MineTable) -> None:
    players = await _crowd(table)
    must = table.ground.step("look")
    for player in players:
        await player.send(b"look\n")
    for player in players:
        await player.gets(must, "look")


@case("clients", "are-counted-when-they-come-at-once", COUNT, level="beta")
async def are_counted_when_they_come_at_once(table: MineTable) -> None:
    players: list[Player] = []

    async def join(name: str) -> None:
        players.append(await table.connect(name))

    async def part(player: Player) -> None:
        await player.send(b"bye\n")
        await player.closed("bye terminates the connection")

    for _ in range(ROUNDS):
        players.clear()
        await together(partial(join, f"client{number + 1}") for number in range(JOINERS))
        least = min(player.hello.players for player in players) - table.others
        if least < 1:
            raise Broken(f"HELLO counts {least} players, including the new one")
        await table.counts(JOINERS, "many users have joined at the same time")
        await together(partial(part, player) for player in players)
        await table.counts(0, "all users have said bye at the same time")


@case("clients", "leave-without-bye", COUNT, level="beta")
async def leave_without_bye(table: MineTable) -> None:
    alice = await table.player()
    for player in await _crowd(table):
        await player.send(b"look\nlook\nlook\n")
        await player.leave()  # some answers are not read: the connection is reset
    await table.counts(1, "all other users have closed their connections without bye")
    await alice.does("look")


@case("clients", "may-send-half-a-message", THREADS, level="beta")
async def may_send_half_a_message(table: MineTable) -> None:
    alice, bob, carol = await table.players(3)
    x, y = table.find("untouched")
    await alice.send(f"flag {x}".encode())
    await bob.send(b"loo")
    await carol.does(f"flag {x} {y}")
    for _ in range(3):
        await carol.does("look")
    await alice.leave()
    await bob.leave()
    await carol.does("look")


@case("clients", "may-stop-reading", THREADS, level="beta")
async def may_stop_reading(table: MineTable) -> None:
    alice = await table.player()
    deaf = await table.connect("deaf", narrow=True)
    answer = 2 * table.ground.columns * table.ground.rows
    looks = b"look\n" * min(MOST_UNREAD, UNREAD_BYTES // answer)
    x, y = table.find("untouched")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(deaf.flood, looks)
        await trio.sleep(STALL_S)
        try:
            for message in (f"flag {x} {y}", "look", f"deflag {x} {y}"):
                await alice.does(message)
                await trio.sleep(STALL_S)
        except Broken as broken:
            table.deviates(f"a user who does not read stops the others: {broken}")
        nursery.cancel_scope.cancel()


@case("clients", "may-be-silent", THREADS, level="beta")
async def may_be_silent(table: MineTable) -> None:
    await _crowd(table)
    alice = await table.player()
    x, y = table.find("untouched")
    await alice.does(f"flag {x} {y}")
    await table.watches()
