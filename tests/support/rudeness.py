"""Rude clients that read nothing, write one byte at a time, or send as much as they can, beside one normal player.

`siege` attacks a real server with them. It fails or never returns unless the normal player gets an answer to every
move, the growth of the server's memory stays below a limit, and no client is left after the rude ones have
disconnected. No check depends on time: slow describes the client's behaviour, and a flood has a limited size in bytes.
"""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import trio

from scramble.memory.random_board import new_board
from scramble.server.listening import Address
from tests.support.cutting import connect, frame, handshake, hear, rest
from tests.support.process import ServerProcess
from tests.support.promises import Requester

MOVES: Final = 90  # moves of the normal player, below the limit for a burst
SLOW: Final = 8  # clients that do not read
BUFFER_BYTES: Final = 4096  # the kernel's buffer of each of these clients
WHOLE: Final = 150  # events that are sent to all clients, such as new games
CEILING_KB: Final = 96 * 1024  # the limit for the growth of the server's memory; a connection takes 2 MB at most
PATIENCE_S: Final = 5.0  # the wait for a server that does not read a flooder's data any more; no check depends on it
LOOK_S: Final = 0.02  # between two looks at a server
GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError, EOFError)

Step = tuple[bytes, bytes]
"""A message of a player, and a part of its answer."""


class Game:
    """The commands and messages for serving and playing a game."""

    def __init__(
        self,
        *command: str,
        page: int,
        path: str,
        steps: Sequence[Step],
        noise: Callable[[Game, ServerProcess, int], Awaitable[None]],
        telnet: bytes = b"",
    ) -> None:
        """`steps` are frames over the WebSocket at `path`; `noise` causes an event that is sent to all clients.

        `telnet` is a line with an expensive answer, if there is telnet. `page` is the number of the printed line with
        the page's address.
        """
        self.command: Final = command
        self.lines: Final = 2 if telnet else 1
        self.page: Final = page
        self.path: Final = path
        self.steps: Final = steps
        self.noise: Final = partial(noise, self)
        self.telnet: Final = telnet

    def pages(self, running: ServerProcess) -> Address:
        """Return the address of the page."""
        return running.addresses[self.page]

    def telnets(self, running: ServerProcess) -> Address:
        """Return the address for telnet."""
        return running.addresses[1 - self.page]


def memory(folder: Path) -> Game:
    """Return Memory Scramble on a board of 900 cards."""
    board = folder / "board.txt"
    board.write_text(new_board(30, 30, "letters", 1))
    steps = [
        (frame(f'{{"type":"flip","id":{n},"row":{n % 30},"column":{n // 30}}}'), b'"id":%d,' % n) for n in range(MOVES)
    ]
    return Game("memory", str(board), "--port", "0", page=0, path="/play/player", steps=steps, noise=new_game)


def minesweeper(folder: Path) -> Game:
    """Return Minesweeper on a field of 10,000 squares without numbers."""
    field = folder / "field.txt"
    field.write_text("100 100\n" + ("0 " * 99 + "0\n") * 100)
    steps = [
        (frame(f'{{"type":"{("flag", "deflag")[n % 2]}","id":{n},"x":1,"y":1}}'), b'"id":%d,' % n) for n in range(MOVES)
    ]
    command = ("minesweeper", "--file", str(field), "--port", "0", "--http-port", "0")
    return Game(*command, page=1, path="/play/player", steps=steps, noise=come_and_go, telnet=b"look\r\n")


def crossword(_: Path) -> Game:
    """Return Crossword Extravaganza with the packaged puzzles."""
    steps = [(frame("player"), b'"state":"CHOOSE"')]
    for n in range((MOVES - 1) // 2):
        steps += [(frame(f'NEW m{n} simple "so"'), b'"state":"WAIT"'), (frame("EXIT"), b'"state":"CHOOSE"')]
    command = ("crossword", "--port", "0", "--telnet-port", "0")
    line = b"nobody at all can be called this\r\n"
    return Game(*command, page=0, path="/play", steps=steps, noise=offer_a_match, telnet=line)


GAMES: Final[dict[str, Callable[[Path], Game]]] = {
    "memory": memory,
    "minesweeper": minesweeper,
    "crossword": crossword,
}


async def siege(name: str, folder: Path, *, scale: float = 1) -> dict[str, str]:
    """Attack a server of that game in all ways, one after another; `scale` multiplies the floods and similar attacks.

    Returns the server's memory as a figure.
    """
    game = GAMES[name](folder)
    with ServerProcess(*game.command, lines=game.lines) as running:
        before = running.memory_kb()
        for way in (slow_readers, floods, slow_writers):
            await way(game, running, scale)
            await assert_empty(game.pages(running))
        peak = running.memory_kb("VmHWM")
        assert peak - before < CEILING_KB
        assert not re.search(r"(?i)error|traceback|crashed", running.complaints), running.complaints[:2000]
    return {f"{name} besieged": f"{before / 1024:.0f} MB before, {peak / 1024:.0f} MB at most"}


async def assert_empty(page: Address) -> None:
    """Wait until no client is connected and no request waits. Never returns if a client is left."""

    async def anybody() -> bool:
        async with connect(page) as stream:  # a server accepts a thousand requests on one connection
            status, metrics = await Requester(stream).ask("GET /metrics")
            assert status == 200
            return re.search(r"(?m)^scramble_(connections|parked_requests)\{.*\} [1-9]", metrics) is not None

    while await anybody():  # noqa: ASYNC110  another process
        await trio.sleep(LOOK_S)


async def play(game: Game, running: ServerProcess) -> None:
    """Make all moves, one after another; check that each one is answered."""
    async with connect(game.pages(running)) as stream:
        await stream.send_all(handshake(game.path))
        await hear(stream, b"\r\n\r\n")
        for said, answer in game.steps:
            await stream.send_all(said)
            await hear(stream, answer)


@asynccontextmanager
async def deaf(address: Address) -> AsyncIterator[trio.SocketStream]:
    """Open a connection whose kernel buffers little unread data."""
    with trio.socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        await sock.connect((address.host, address.port))
        async with trio.SocketStream(sock) as stream:
            yield stream


# --- clients that do not read ---------------------------------------------------------------------------------


async def slow_readers(game: Game, running: ServerProcess, scale: float) -> None:
    """Open WebSockets and telnet sessions that never read again, while the server sends them much data."""
    async with AsyncExitStack() as stack:
        for number in range(SLOW):
            stream = await stack.enter_async_context(deaf(game.pages(running)))
            await stream.send_all(handshake(game.path.replace("player", f"slow{number}")))
            await hear(stream, b"\r\n\r\n")
            if game.telnet:
                stream = await stack.enter_async_context(deaf(game.telnets(running)))
                await stream.send_all(game.telnet)
        for number in range(int(WHOLE * scale)):
            await game.noise(running, number)
        await play(game, running)


async def new_game(game: Game, running: ServerProcess, number: int) -> None:
    """Memory Scramble: the whole board is sent to all clients."""
    async with connect(game.pages(running)) as stream:
        assert (await Requester(stream).ask(f"POST /new/p{number}"))[0] == 200


async def come_and_go(game: Game, running: ServerProcess, number: int) -> None:
    """Minesweeper, by telnet: each arrival, move and departure is sent to all clients."""
    async with connect(game.telnets(running)) as player:
        await player.send_all(b"flag %d %d\r\nbye\r\n" % (number % 100, number // 100))
        await rest(player)


async def offer_a_match(game: Game, running: ServerProcess, number: int) -> None:
    """Crossword Extravaganza, by telnet: each new or removed match is sent to every player in CHOOSE."""
    async with connect(game.telnets(running)) as player:
        await player.send_all(b'host%d\r\nNEW n%d simple "so"\r\nEXIT\r\nEXIT\r\n' % (number, number))
        await rest(player)


# --- clients that send without end -----------------------------------------------------------------------------


async def floods(game: Game, running: ServerProcess, scale: float) -> None:
    """Send as many frames, requests and lines as possible, up to some megabytes, without reading an answer."""
    page = game.pages(running)
    opening = handshake(game.path.replace("player", "flooder"))
    request = b"GET /server HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = b"POST /new/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"

    def times(data: bytes, count: int) -> bytes:
        return data * int(count * scale)

    async with trio.open_nursery() as nursery:
        for frames in (
            times(game.steps[0][0].replace(b"player", b"flood1"), 40_000),
            times(frame("nonsense"), 40_000),
            times(frame("x" * 4000), 500),
            times(frame(b"", 9), 100_000),
            frame("x", 1, fin=False) + times(frame("x", 0, fin=False), 100_000),
        ):
            nursery.start_soon(flood, page, frames, scale, opening)
        for requests in (
            times(request, 3000),
            b"GET /" + times(b"x", 2_000_000),
            b"GET / HTTP/1.1\r\n" + times(b"X: y\r\n", 300_000),
            body + times(b"x", 2_000_000),
        ):
            nursery.start_soon(flood, page, requests, scale)
        for _ in range(int(100 * scale)):
            nursery.start_soon(flood, page, request, scale)
        if game.telnet:
            for lines in (
                times(game.telnet, 50_000),
                times(b"x", 2_000_000),
                times(b"\xff\xfd\x01", 500_000),
                times(b"\r\n", 500_000),
            ):
                nursery.start_soon(flood, game.telnets(running), lines, scale)
        nursery.start_soon(play, game, running)


async def flood(address: Address, data: bytes, scale: float, opening: bytes = b"") -> None:
    """Send all of the data, or as much as the server accepts; then read the received data, and disconnect."""
    with suppress(*GONE):
        async with deaf(address) as stream:
            if opening:
                await stream.send_all(opening)
                await hear(stream, b"\r\n\r\n")
            with trio.move_on_after(PATIENCE_S * scale):
                await stream.send_all(data)


# --- clients that write slowly ---------------------------------------------------------------------------------


async def slow_writers(game: Game, running: ServerProcess, _: float) -> None:
    """Send a request, a conversation over a WebSocket, and lines, one byte at a time; all are answered as usual."""
    page = game.pages(running)
    opening = handshake(game.path.replace("player", "slow"))
    said, answer = game.steps[0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trickle, page, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"</html>")
        nursery.start_soon(partial(trickle, page, said.replace(b"player", b"slowly"), answer, opening=opening))
        if game.telnet:
            nursery.start_soon(trickle, game.telnets(running), game.telnet, b"\r\n")
        nursery.start_soon(play, game, running)


async def trickle(address: Address, data: bytes, answer: bytes, *, opening: bytes = b"") -> None:
    """Send the data byte by byte, and wait for the answer."""
    async with connect(address) as stream:
        for part, due in ((opening, b"\r\n\r\n"), (data, answer)):
            for byte in part:
                await stream.send_all(bytes((byte,)))
                await trio.lowlevel.checkpoint()
            if part:
                await hear(stream, due)
