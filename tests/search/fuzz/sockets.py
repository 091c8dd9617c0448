"""Malformed HTTP and WebSocket frames over real sockets. Each input has its own connection, which is then cut.

    await http(address, random.Random(7))
    await websocket(address, random.Random(7))

The client sends its input and disconnects. It must have received only whole answers or whole frames.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from scramble.server.listening import Address
from tests.search.fuzz.campaign import Fuzzed
from tests.search.fuzz.mutations import Mutator
from tests.search.fuzz.parsers import MEMORY_FRAMES
from tests.support import HANG_S
from tests.support.cutting import Break, break_off, connect, frame, handshake, hear, rest
from tests.support.process import ServerProcess
from tests.support.promises import Requester
from tests.support.rudeness import assert_empty

REQUESTS: Final = (
    b"GET /look/alice HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /flip/alice/0,0 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
    b"POST /replace/bob/A/%F0%9F%A6%84 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
    b"POST /flip/bob/1,1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"GET /look/a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /look/b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /look/a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    handshake("/play/alice"),
    handshake("/look/alice"),
    b"GET /watch/a?since=0 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: x\r\nCookie: a=b\r\n\r\n",
)
AT_ONCE: Final = 20
STATUSES: Final = {100, 101, 200, 204, 304, 400, 403, 404, 405, 408, 409, 413, 421, 431, 501, 503, 505}
BODILESS: Final = {b"100", b"204", b"304"}
CLOSINGS: Final = {1000, 1001, 1002, 1003, 1007, 1008, 1009}
TYPES: Final = {"board", "change", "players", "hues", "flip", "replace", "error"}


async def http(address: Address, rng: random.Random) -> None:
    """Mangled requests. All answers are HTTP, with a status of the reference."""
    mutator = Mutator(rng)
    async with connect(address) as stream:
        await _say(stream, rng, [mutator.mangled(REQUESTS)])
        heard = await rest(stream)
    while heard:
        head, end, heard = heard.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.1 ([0-9]{3}) [^\r\n]*\r\n", head)
        assert end, "an answer was cut short"
        assert status is not None, head[:200]
        assert int(status[1]) in STATUSES, head[:200]
        if status[1] == b"101":
            return
        length = re.search(rb"(?i)\ncontent-length: ([0-9]+)", head)
        body = 0 if length is None or status[1] in BODILESS else int(length[1])
        assert len(heard) >= body, "an answer was cut short"
        heard = heard[body:]


async def websocket(address: Address, rng: random.Random) -> None:
    """Mangled frames after a valid handshake. All received frames are whole frames of the reference."""
    mutator = Mutator(rng)
    examples = (*MEMORY_FRAMES, b"", b"\x03\xe8", b"\x03\xe8bye", b"\0\0", "é".encode())
    player = f"p{rng.randrange(1000)}"
    async with connect(address) as stream:
        await stream.send_all(handshake(f"/play/{player}"))
        heard = await hear(stream, b"\r\n\r\n")
        frames = [_some_frame(mutator, rng, examples) for _ in range(rng.randrange(1, 6))]
        await _say(stream, rng, frames)
        heard += await rest(stream)
    _read_frames(heard.partition(b"\r\n\r\n")[2])


def _some_frame(mutator: Mutator, rng: random.Random, examples: tuple[bytes, ...]) -> bytes:
    payload = mutator.mangled(examples) if rng.random() < 0.5 else rng.choice(examples)
    opcode = rng.choice((1, 1, 1, 1, 2, 0, 8, 9, 10, 3, 11, 15))
    whole = frame(payload, opcode, fin=rng.random() < 0.85)
    return mutator.mangled((whole,)) if rng.random() < 0.4 else whole


def _read_frames(heard: bytes) -> None:
    """Check the frames from the server. The last frame is whole. A closing frame comes last."""
    while heard:
        opcode, length, start = heard[0], heard[1], 2
        if length >= 126:
            start += 2 if length == 126 else 8
            length = int.from_bytes(heard[2:start], "big")
        payload = heard[start : start + length]
        assert len(payload) == length, "a frame was cut short"
        heard = heard[start + length :]
        match opcode:
            case 0x81:
                assert json.loads(payload)["type"] in TYPES
            case 0x88:
                code = int.from_bytes(payload[:2], "big")
                assert not payload or code in CLOSINGS or 3000 <= code < 5000, code  # the server echoes a client's code
                assert not heard
            case _:
                assert opcode in (0x89, 0x8A)


async def _say(stream: trio.SocketStream, rng: random.Random, said: list[bytes]) -> None:
    """Send `said`, or its first 300 bytes in other pieces, and then disconnect. The server may close earlier."""
    try:
        for piece in said if rng.random() < 0.7 else Mutator(rng).pieces(b"".join(said)[:300]):
            await stream.send_all(piece)
        if rng.random() < 0.9:
            await stream.send_eof()
        else:
            await break_off(stream, Break.RESET)
            await stream.aclose()
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass


KINDS: Final[dict[str, Callable[[Address, random.Random], Awaitable[None]]]] = {
    "HTTP over a socket": http,
    "WebSocket frames over a socket": websocket,
}


async def campaign(address: Address, kind: str, seed: int, count: int, first: int = 0) -> None:
    """Run `count` inputs of a kind, some at the same time. Raises Fuzzed if a claim fails for an input."""
    numbers = iter(range(first, first + count))

    async def one_after_another() -> None:
        for number in numbers:
            try:
                with trio.fail_after(HANG_S):
                    await KINDS[kind](address, random.Random(f"{kind} {seed} {number}"))
            except (AssertionError, ValueError, EOFError, trio.TooSlowError) as error:
                raise Fuzzed(kind, seed, number) from error

    async with trio.open_nursery() as nursery:
        for _ in range(AT_ONCE - 1):
            nursery.start_soon(one_after_another)
        await one_after_another()  # in the task of the test, so that the test's limit applies to each wait


async def assert_well(running: ServerProcess) -> None:
    """Check that the server serves, has logged no fault, and has no connection after these connections have ended."""
    async with connect(running.address) as stream:
        status, text = await Requester(stream).ask("GET /look/alice")
        assert (status, text[:4]) == (200, "2x2\n")
    await assert_empty(running.address)
    assert not re.search(r"(?i)error|traceback|crashed", running.complaints), running.complaints[:2000]
