"""Checks of the server after players of each game and front end disconnect at every byte of their messages.

Each function in CONVERSATIONS repeats one conversation: once for each byte and each way to break the connection there.
At most forty of these connections are open. The function returns the number of connections. It raises AssertionError if
a disconnected player still has an effect, or has won a match. It does not return if a task is left.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import islice
from typing import TypeAlias

import trio

from scramble.crossword import Game as CrosswordGame
from scramble.crossword import Session, open_lobby
from scramble.front.crossword.http import serve_crossword_http
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.minesweeper.telnet import serve_telnet
from scramble.memory.messages import FaceUp
from scramble.minesweeper import Field, Game
from scramble.minesweeper import open_game as open_field
from scramble.server.listening import Address
from tests.support.crossword.typists import PUZZLES
from tests.support.cutting import (
    AT_ONCE,
    CLOSE,
    Break,
    Census,
    Part,
    Script,
    break_off,
    census_of,
    connect,
    cut,
    frame,
    handshake,
    hear,
)
from tests.support.memory.served import Served, served

Cut: TypeAlias = tuple[int, Break, bool]
"""The byte of the break, the kind of the break, and True if the client waits for all earlier answers."""

BOARD = "2x3\nA\nB\nA\nB\nC\nC\n"
UPGRADED = b"\r\n\r\n"


def cuts(script: Script) -> Iterator[Cut]:
    """Yield a cut at every byte, in every way; after each answer of the server, one more cut."""
    for how in Break:
        yield from ((offset, how, False) for offset in range(len(script) + 1))
        yield from ((offset, how, True) for offset in script.ends())


async def cut_everywhere(address: Address, census: Census, script_of: Callable[[int], Script]) -> int:
    """Play one player's script for each cut. Return the number of players when the server has no task left for them."""
    every = list(cuts(script_of(0)))
    numbered = iter(enumerate(every))
    while wave := list(islice(numbered, AT_ONCE)):
        before = census.count()
        async with trio.open_nursery() as clients:
            for number, (offset, how, settled) in wave:
                clients.start_soon(partial(cut, address, script_of(number), offset, how, settled=settled))
        await census.back_to(before)
    return len(every)


# --- Memory Scramble: disconnecting players wait for a card that another player controls -----------


@asynccontextmanager
async def one_card_is_held() -> AsyncIterator[tuple[Served, Census]]:
    """Run a game in which "holder" controls the card at 0,0. At the end check that no other player is left."""
    async with served(BOARD) as server:
        with census_of(server.nursery) as census:
            await server.game.flip("holder", 0, 0)
            yield server, census
            await _nobody_wins(server)


async def _nobody_wins(server: Served) -> None:
    snapshot = await server.game.snapshot()
    assert snapshot.waiting == {}
    assert [cell for cell in snapshot.cells if isinstance(cell, FaceUp)] == [FaceUp("A", "holder")]
    await server.game.flip("holder", 0, 1)  # no match: relinquishes both cards
    snapshot = await server.game.snapshot()
    assert snapshot.cells[:2] == (FaceUp("A", None), FaceUp("B", None))
    assert (await server.get("/flip/next/0,0")).text.splitlines()[1] == "my A"
    async with connect(server.address) as stream:  # presence is sent to new connections
        await stream.send_all(handshake("/play/next"))
        await hear(stream, b'"players":["next"]')


async def memory_http() -> int:
    """Cut a waiting flip, and a watch behind it on the same connection."""

    def script(number: int) -> Script:
        end = f"leaver{number} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        flip = end.replace(" ", "/0,0 ", 1)
        return Script(Part(f"GET /flip/{flip}".encode()), Part(f"GET /watch/{end}".encode()))

    async with one_card_is_held() as (server, census):
        count = await cut_everywhere(server.address, census, script)
        before = census.count()
        for number, how in enumerate(Break, start=count):  # once more, after the flip waits at the server
            async with connect(server.address) as stream:
                await stream.send_all(script(number).parts[0].data)
                await server.until_waiting(f"leaver{number}")
                await break_off(stream, how)
        await census.back_to(before)
        return count + len(Break)


async def memory_websocket() -> int:
    """Cut two waiting flips, one of them withdrawn; a replacement; and a close frame."""
    flip = frame('{"type":"flip","id":1,"row":0,"column":0}')

    def script(number: int) -> Script:
        return Script(
            Part(handshake(f"/play/leaver{number:05}"), UPGRADED, must=True),
            Part(flip, b'"outcome":"waiting"'),
            Part(frame('{"type":"replace","id":2,"old":"Y","new":"Z"}'), b'"type":"replace"'),
            Part(frame('{"type":"withdraw"}'), b'"outcome":"withdrawn"'),
            Part(flip, b'"outcome":"waiting"'),
            Part(CLOSE),
        )

    async with one_card_is_held() as (server, census):
        return await cut_everywhere(server.address, census, script)


# --- Minesweeper: the server must not execute half a message ----------------------------------------


@asynccontextmanager
async def a_field() -> AsyncIterator[tuple[Game, Address, Address, Census]]:
    """Serve a field without bombs over HTTP and telnet. At the end no player is left; only (0, 10) may have changed."""
    async with open_field(Field(1, 120)) as game, trio.open_nursery() as nursery:
        telnet = await nursery.start(partial(serve_telnet, game, host="127.0.0.1", port=0))
        web = await nursery.start(partial(serve_minesweeper_http, game, port=0))
        with census_of(nursery) as census:
            yield game, web, telnet, census
            snapshot = await game.snapshot()
            assert snapshot.players == ()
            assert {y for y, line in enumerate(snapshot.lines) if line != "-"} <= {10}
            async with connect(telnet) as stream:
                assert b"Players: 1 including you." in await hear(stream, b"\r\n")
        nursery.cancel_scope.cancel()


async def minesweeper_http() -> int:
    """Cut two requests for the page's settings. The server answers them immediately."""
    request = Part(b"GET /server HTTP/1.1\r\nHost: localhost\r\n\r\n", b'"telnet"')
    async with a_field() as (_, web, _, census):
        return await cut_everywhere(web, census, lambda _: Script(request, request))


async def minesweeper_websocket() -> int:
    """Cut a flag that is set and removed, an invalid frame, and a close frame."""

    def script(number: int) -> Script:
        return Script(
            Part(handshake(f"/play/leaver{number:05}"), UPGRADED, must=True),
            Part(frame('{"type":"flag","id":1,"x":0,"y":10}'), b'"id":1'),
            Part(frame('{"type":"rejoin"}'), b'"type":"error"'),
            Part(frame('{"type":"deflag","id":2,"x":0,"y":10}'), b'"id":2'),
            Part(CLOSE),
        )

    async with a_field() as (_, web, _, census):
        return await cut_everywhere(web, census, script)


async def minesweeper_telnet() -> int:
    """Cut messages, such as "flag 0 10", which begins with "flag 0 1"; a telnet command; a message without an end."""
    script = Script(
        Part(b"", b"for help.\r\n"),
        Part(b"look\r\n", b"-\r\n-"),
        Part(b"flag 0 10\r\n", b"-\r\n-"),
        Part(b"\xff\xfd\x01\xff\xfa\x18\0x\xff\xf0deflag 0 10\n", b"-\r\n-"),
        Part(b"nonsense\r\n", b"Commands: look"),
        Part(b"flag 0 100", b""),
    )
    async with a_field() as (_, _, telnet, census):
        return await cut_everywhere(telnet, census, lambda _: script)


# --- Crossword Extravaganza: a player who leaves a match has lost it --------------------------------


@asynccontextmanager
async def a_lobby() -> AsyncIterator[tuple[CrosswordGame, Address, Address, Census]]:
    """Serve a lobby over HTTP and telnet, without a grace period."""
    async with open_lobby(PUZZLES, grace=0) as lobby, trio.open_nursery() as nursery:
        telnet = await nursery.start(partial(serve_crossword_telnet, lobby, host="127.0.0.1", port=0))
        web = await nursery.start(partial(serve_crossword_http, lobby, port=0))
        with census_of(nursery) as census:
            yield lobby, web, telnet, census
            async with lobby.session() as last:
                assert (await last.say("leaver")).state == "CHOOSE"  # the ID is free
                assert last.view.matches == ()
        nursery.cancel_scope.cancel()


async def _leave_matches(
    lobby: CrosswordGame, census: Census, script: Callable[[int], Script], leave: Callable[[int, Cut], Awaitable[None]]
) -> int:
    """Let each disconnecting player join another player's match. Check that the other player waits or has won."""
    every = list(cuts(script(0)))
    numbered = iter(enumerate(every))
    while wave := list(islice(numbered, AT_ONCE)):
        before = census.count()
        async with AsyncExitStack() as stack:
            hosts: list[Session] = []
            for number, _ in wave:
                hosts.append(host := await stack.enter_async_context(lobby.session()))
                await host.say(f"host{number}")
                assert (await host.say(f'NEW m{number:05} simple "stay"')).state == "WAIT"
            async with trio.open_nursery() as clients:
                for number, how in wave:
                    clients.start_soon(leave, number, how)
            await census.back_to(before)
            for host in hosts:
                await _host_is_well(host)
    return len(every)


async def _host_is_well(host: Session) -> None:
    view = await host.look()
    if view.result is None:
        assert view.state == "WAIT"
    else:
        assert view.state == "SHOW SCORE"
        assert view.result.winner == view.player
        assert view.result.forfeited_by not in (None, view.player)


async def crossword_http() -> int:
    """Cut a request for the page's settings."""
    request = Part(b"GET /server HTTP/1.1\r\nHost: localhost\r\n\r\n", b'"telnet"')
    async with a_lobby() as (_, web, _, census):
        return await cut_everywhere(web, census, lambda _: Script(request))


async def crossword_websocket() -> int:
    """Cut a session from its beginning, through a match, to its end."""

    def script(number: int) -> Script:
        return Script(
            Part(handshake("/play"), UPGRADED, must=True),
            Part(frame(f"leaver{number:05}"), b'"state":"CHOOSE"'),
            Part(frame(f"PLAY m{number:05}"), b'"state":"PLAY"'),
            Part(frame("TRY 1 cat"), b'"entered":"cat"'),
            Part(frame("EXIT"), b'"state":"SHOW SCORE"'),
            Part(frame("NEW MATCH"), b'"state":"CHOOSE"'),
            Part(frame("EXIT"), b"Goodbye"),
        )

    async with a_lobby() as (lobby, web, _, census):

        async def leave(number: int, at: Cut) -> None:
            await cut(web, script(number), at[0], at[1], settled=at[2])

        return await _leave_matches(lobby, census, script, leave)


async def crossword_telnet() -> int:
    """Cut the same session over telnet."""

    def script(number: int) -> Script:
        return Script(
            Part(b"", b"\r\n"),
            Part(f"leaver{number:05}\r\n".encode(), b"CHOOSE\r\n"),
            Part(f"PLAY m{number:05}\r\n".encode(), b"PLAY\r\n"),
            Part(b"TRY 1 cat\n", b"cat, by"),
            Part(b"EXIT\r\n", b"SHOW SCORE\r\n"),
            Part(b"NEW MATCH\r\n", b"CHOOSE\r\n"),
            Part(b"EXIT\r\n", b"Goodbye"),
        )

    async with a_lobby() as (lobby, _, telnet, census):

        async def leave(number: int, at: Cut) -> None:
            await cut(telnet, script(number), at[0], at[1], settled=at[2])

        return await _leave_matches(lobby, census, script, leave)


CONVERSATIONS: dict[str, Callable[[], Awaitable[int]]] = {
    "memory, HTTP": memory_http,
    "memory, WebSocket": memory_websocket,
    "minesweeper, HTTP": minesweeper_http,
    "minesweeper, WebSocket": minesweeper_websocket,
    "minesweeper, telnet": minesweeper_telnet,
    "crossword, HTTP": crossword_http,
    "crossword, WebSocket": crossword_websocket,
    "crossword, telnet": crossword_telnet,
}
