"""WebSocket frames over real sockets, below the level of messages: rate limits, closing, and extensions.

Partitions:
- extensions: offered, offered in an invalid form; a frame that claims to be compressed
- frames below the application: pings, pongs, fragments, empty fragments; at the limit, one more; mixed
  with messages of the same connection; of a game with its own message limit
- frames from one address: over one WebSocket and over several, in pieces of a frame; from another address
- a frame that breaks the protocol, in each way; text that is not UTF-8, at once and in a later fragment; a closing
  frame that is invalid
- the end: the application gets the code; the client gets code and reason, and nothing after them
- the games: each of the three
"""

from __future__ import annotations

import select
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.crossword import Puzzle, open_lobby
from scramble.front.crossword.http import serve_crossword_http
from scramble.front.memory.http import serve_http
from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.site import SiteConfig
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.asgi import Socket, quart_app, router_of
from scramble.server.listening import Address
from scramble.server.protection.limits import BURST_S, ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.asking import UPGRADE, Asked, asked, status
from tests.support.crossword.driver import SIMPLE

FEW: Final = ServerLimits(frames=5, frames_per_s=0.001)
TOO_MANY: Final = (1008, "too many frames a second")

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
FIN, COMPRESSED, MASKED = 0x80, 0x40, 0x80


def frame(opcode: int, payload: bytes = b"", *, first: int = FIN, masked: int = MASKED) -> bytes:
    """A frame of at most 125 bytes, masked by zeros."""
    return bytes([first | opcode, masked | len(payload)]) + bytes(4 if masked else 0) + payload


echo: Final = quart_app()


async def _send_back(socket: Socket) -> None:
    await socket.accept()
    while True:
        message = await socket.receive()
        await socket.send(message if isinstance(message, str) else f"{len(message)} bytes")


router_of(echo).socket("/", _send_back)


class Client:
    """A client that reads frames."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._data = b""

    async def say(self, *frames: bytes) -> None:
        await self._stream.send_all(b"".join(frames))

    async def hear(self) -> tuple[int, bytes]:
        """Read the opcode and the payload of the next frame."""
        first, size = await self._take(2)
        if size == 126:
            (size,) = struct.unpack("!H", await self._take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", await self._take(8))
        return first & 15, await self._take(size)

    def has_more(self) -> bool:
        """True if there are unread bytes."""
        assert isinstance(self._stream, trio.SocketStream)
        return bool(self._data) or bool(select.select([self._stream.socket.fileno()], [], [], 0)[0])

    async def ending(self) -> tuple[int, str]:
        """Skip frames until the closing frame. Return its code and reason. The connection must end after it."""
        opcode = TEXT
        while opcode != CLOSE:
            opcode, payload = await self.hear()
        assert await self._stream.receive_some() == b""
        return int.from_bytes(payload[:2], "big"), payload[2:].decode()

    async def _take(self, size: int) -> bytes:
        while len(self._data) < size:
            part = await self._stream.receive_some()
            assert part, f"closed after {self._data!r}"
            self._data += part
        taken, self._data = self._data[:size], self._data[size:]
        return taken


@asynccontextmanager
async def opened(address: Address, *headers: str, path: str = "/") -> AsyncIterator[tuple[str, Client]]:
    """An accepted handshake: the head of the answer, and the connection."""
    more = "".join(f"{header}\r\n" for header in headers)
    stream = await trio.open_tcp_stream(address.host, address.port)
    async with stream:
        await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}{more}\r\n".encode())
        head = ""
        while not head.endswith("\r\n\r\n"):
            head += (await stream.receive_some(1)).decode()
        assert status(head) == 101
        yield head, Client(stream)


# --- extensions ---


@pytest.mark.parametrize(
    "offer",
    [
        "permessage-deflate",
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate; client_max_window_bits=abc",
        "x-other, permessage-deflate; server_no_context_takeover",
    ],
)
async def test_no_extension_is_accepted(offer: str, caplog: pytest.LogCaptureFixture) -> None:
    extension = f"Sec-WebSocket-Extensions: {offer}"
    async with asked(app=echo) as server, opened(server.address, extension) as (head, client):
        assert "sec-websocket-extensions" not in head.lower()
        await client.say(frame(TEXT, b"hello"))
        assert await client.hear() == (TEXT, b"hello")
        await client.say(frame(TEXT, b"\xcaH\xcd\xc9\xc9\x07\x00", first=FIN | COMPRESSED))
        code, reason = await client.ending()
        assert code == 1002
        assert "reserved bit" in reason.lower()
    assert not [record for record in caplog.records if record.exc_info]


# --- frames below the application ---


FRAGMENT: Final = frame(0, b"x", first=0)
EMPTY: Final = frame(0, first=0)


@pytest.mark.parametrize("kind", [frame(PING, b"?"), frame(PONG), FRAGMENT, EMPTY], ids=["ping", "pong", "part", "no"])
async def test_frames_that_are_no_messages_count_like_those_that_are(kind: bytes) -> None:
    async with asked(FEW, app=echo) as server, opened(server.address) as (_, client):
        await client.say(frame(TEXT, b"a", first=0), kind, kind, kind, kind)
        await client.say(frame(0, b"z") if kind[0] == 0 else b"", frame(PING, b"!"))
        assert await client.ending() == TOO_MANY


async def test_pings_are_answered_as_long_as_they_are_not_too_many() -> None:
    async with asked(FEW, app=echo) as server, opened(server.address) as (_, client):
        for number in range(5):
            await client.say(frame(PING, b"%d" % number))
            assert await client.hear() == (PONG, b"%d" % number)
        await client.say(*[frame(PING)] * 100)
        assert await client.hear() == (CLOSE, struct.pack("!H", 1008) + b"too many frames a second")


async def test_a_message_in_fragments_is_one_message_with_pings_between_them() -> None:
    async with asked(FEW, app=echo) as server, opened(server.address) as (_, client):
        await client.say(frame(TEXT, b"\xc3", first=0), frame(PING), frame(0, b"\xa9", first=0), frame(0, b"!"))
        assert await client.hear() == (PONG, b"")
        assert await client.hear() == (TEXT, "é!".encode())


async def test_a_frame_that_comes_in_many_pieces_counts_once() -> None:
    size = 1024 * 1024  # 16 times the size of one read
    limits = ServerLimits(frames=5, frames_per_s=0.001, frame_bytes=size)
    async with asked(limits, app=echo) as server, opened(server.address) as (_, client), trio.open_nursery() as nursery:
        head = bytes([FIN | BINARY, MASKED | 127]) + struct.pack("!Q", size) + bytes(4)
        nursery.start_soon(client.say, head, bytes(size))
        assert await client.hear() == (TEXT, f"{size} bytes".encode())


async def test_pings_and_moves_of_a_connection_are_taken_from_one_bucket() -> None:
    site = SiteConfig(Protection(FEW))
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0, site=site))
        async with opened(address, path="/play/ann") as (_, client):
            for number in range(3):
                await client.say(frame(PING, b"."), frame(TEXT, b'{"type":"withdraw"}'))
                if number < 2:
                    while await client.hear() != (PONG, b"."):
                        pass
            assert await client.ending() == TOO_MANY
        nursery.cancel_scope.cancel()


async def test_pings_are_limited_by_every_game() -> None:
    site = SiteConfig(Protection(FEW))
    async with (
        open_game(Board.parse("1x2\nA\nA\n")) as memory,
        open_field(Field.random(2, 2, 1)) as field,
        open_lobby([Puzzle.parse(SIMPLE, id="simple")]) as lobby,
        trio.open_nursery() as nursery,
    ):
        serve_memory = partial(serve_http, memory, site=site)
        serve_field = partial(serve_minesweeper_http, field, site=site)
        serve_lobby = partial(serve_crossword_http, lobby, site=site)
        for serve, path in ((serve_memory, "/play/ann"), (serve_field, "/play/ann"), (serve_lobby, "/play")):
            address = await nursery.start(partial(serve, host="127.0.0.1", port=0))
            async with opened(address, path=path) as (_, client):
                await client.say(*[frame(PING)] * 6)
                assert await client.ending() == TOO_MANY
        nursery.cancel_scope.cancel()


async def test_others_have_their_turn_between_two_pings() -> None:
    """The server does not answer all pings of one connection at once, even if all have arrived."""
    async with asked(ServerLimits(frames=1e9), app=echo) as server, opened(server.address) as (_, client):
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            await client.say(*[frame(PING)] * 500)
            before = turns
            for _ in range(500):
                assert await client.hear() == (PONG, b"")
            assert turns - before >= 500
            nursery.cancel_scope.cancel()


# --- frames of one address ---


SLOWLY: Final = ServerLimits(frames_per_s_by_address=1e-9)  # one frame during a test
ANN, BOB = "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 2001:db8::1"
BOB_TOO: Final = "X-Forwarded-For: 2001:db8::2"  # in the same /64


async def test_frames_of_one_address_wait_over_all_its_websockets_and_no_others_do() -> None:
    async with (
        asked(SLOWLY, app=echo, behind_proxy=True) as server,
        opened(server.address, BOB) as (_, one),
        opened(server.address, BOB_TOO) as (_, two),
        opened(server.address, ANN) as (_, other),
    ):
        await one.say(frame(PING, b"1"))
        assert await one.hear() == (PONG, b"1")
        await two.say(frame(PING, b"2"))
        await one.say(frame(TEXT, b"3"))
        await other.say(frame(TEXT, b"4"))
        assert await other.hear() == (TEXT, b"4")
        assert not one.has_more()
        assert not two.has_more()


async def test_pieces_of_a_frame_count_before_it_is_whole() -> None:
    async with (
        asked(SLOWLY, app=echo, behind_proxy=True) as server,
        opened(server.address, BOB) as (_, dripping),
        opened(server.address, BOB_TOO) as (_, same),
        opened(server.address, ANN) as (_, other),
    ):
        await dripping.say(frame(TEXT, b"whole")[:3])
        await wait_all_tasks_blocked()  # the server has read it
        await same.say(frame(PING))
        await other.say(frame(PING))
        assert await other.hear() == (PONG, b"")
        assert not same.has_more()


async def test_all_frames_are_answered_in_the_end() -> None:
    limits = ServerLimits(frames_per_s_by_address=50, frames=1e9)
    async with asked(limits, app=echo) as server, opened(server.address) as (_, client):
        count = 50 * BURST_S + 20
        await client.say(*[frame(PING, b"%d" % number) for number in range(count)])
        assert [await client.hear() for _ in range(count)] == [(PONG, b"%d" % number) for number in range(count)]


# --- frames that break the protocol ---


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (frame(TEXT, b"x", masked=0), 1002),
        (frame(3, b"x"), 1002),
        (frame(11), 1002),
        (frame(TEXT, b"x", first=FIN | 0x20), 1002),
        (frame(PING, b"x", first=0), 1002),
        (frame(0, b"x"), 1002),
        (frame(TEXT, b"x", first=0) + frame(TEXT, b"x"), 1002),
        (bytes([FIN | PING, MASKED | 126]) + struct.pack("!H", 126) + bytes(4 + 126), 1002),
        (bytes([FIN | TEXT, MASKED | 126]) + struct.pack("!H", 5) + bytes(4 + 5), 1002),
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, struct.pack("!H", 1005)), 1002),
        (frame(CLOSE, struct.pack("!H", 999)), 1002),
        (frame(CLOSE, struct.pack("!H", 1000) + b"\xff"), 1007),
        (frame(TEXT, b"\xff"), 1007),
        (frame(TEXT, b"\xc3", first=0) + frame(0, b"x"), 1007),
        (frame(TEXT, b"\xc3"), 1007),
    ],
    ids=[
        "unmasked",
        "reserved opcode",
        "reserved control opcode",
        "reserved bit",
        "fragmented ping",
        "continues nothing",
        "is not continued",
        "long ping",
        "length in too many bytes",
        "closing: half a code",
        "closing: a code that is never sent",
        "closing: an invalid code",
        "closing: reason",
        "text",
        "text in fragments",
        "text that ends in the middle",
    ],
)
@pytest.mark.parametrize("bytewise", [False, True])
async def test_a_frame_that_breaks_the_protocol_is_closed_on_with_its_code(
    broken: bytes, code: int, bytewise: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(app=echo) as server, opened(server.address) as (_, client):
        await client.say(frame(TEXT, b"hello"))
        assert await client.hear() == (TEXT, b"hello")
        for piece in [bytes([byte]) for byte in broken] if bytewise else [broken + frame(TEXT, b"never read")]:
            await client.say(piece)
        seen, reason = await client.ending()
        assert seen == code
        assert reason == "text that is not UTF-8" if code == 1007 else reason.startswith("this is not the WebSocket ")
        await until_counted(server, code)
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_client_that_closes_is_answered_with_its_own_code() -> None:
    async with asked(app=echo) as server, opened(server.address) as (_, client):
        await client.say(frame(CLOSE, struct.pack("!H", 4000) + b"bye"))
        assert await client.ending() == (4000, "bye")


async def test_a_message_that_is_too_long_is_closed_on_before_it_has_come() -> None:
    async with asked(ServerLimits(frame_bytes=100), app=echo) as server, opened(server.address) as (_, client):
        await client.say(bytes([FIN | BINARY, MASKED | 127]) + struct.pack("!Q", 1 << 40) + bytes(4 + 201))
        assert await client.ending() == (1009, "frame too long")
        await until_counted(server, 1009)


async def until_counted(server: Asked, code: int) -> None:
    """Wait until the application sees the end of the connection. The code must be this one."""
    while not server.traffic.closed:
        await trio.lowlevel.checkpoint()
    assert server.traffic.closed == {code: 1}
