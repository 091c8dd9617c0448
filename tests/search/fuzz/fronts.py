"""Fuzzed conversations with the front ends, in this process and without sockets: requests, frames and lines.

Each function takes a random source, runs one conversation with its own game, and returns the number of inputs. It
raises an error if a claim fails.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast
from urllib.parse import unquote

import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveEvent, ASGISendEvent
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from scramble.crossword import open_lobby
from scramble.front.crossword.http import make_crossword_app
from scramble.front.memory.front import MemoryFront
from scramble.front.memory.http import make_bare_app
from scramble.front.memory.permissions import Permissions
from scramble.front.minesweeper.http import make_minesweeper_app
from scramble.front.minesweeper.telnet import play
from scramble.front.site import SiteConfig
from scramble.front.web.door import Door
from scramble.memory import Board
from scramble.memory import open_game as open_memory
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.minesweeper.text import HELP
from scramble.server.protection.middleware import Protection
from scramble.server.telnet.connection import LineConnection
from scramble.server.telnet.lines import OVERLONG, LineSplitter
from scramble.server.telnet.options import TelnetFilter
from tests.search.fuzz.mutations import Mutator
from tests.search.fuzz.parsers import CROSSWORD_LINES, FIELD_FRAMES, FIELD_LINES, MEMORY_FRAMES
from tests.support.asgi import scope_of
from tests.support.crossword.typists import NO_LIMITS as NO_LIMITS_FOR_LINES
from tests.support.crossword.typists import PUZZLES
from tests.support.minesweeper.diggers import NO_LIMITS

INPUTS: Final = 25  # in one conversation

BOARD: Final = "2x2\nA\nB\nA\nB\n"
BOARD_STATE: Final = re.compile(r"2x2\n(?:(?:none|down|(?:up|my) \S+)\n){4}")

REQUESTS: Final = (
    b"GET /look/alice",
    b"GET /flip/alice/0,0",
    b"POST /flip/bob/1,1",
    b"GET /replace/alice/A/B",
    b"POST /replace/alice/%F0%9F%A6%84/%2F",
    b"GET /watch/bob?since=0",
    b"GET /watch/bob?since=1000",
    b"POST /new/alice",
    b"HEAD /look/alice",
    b"OPTIONS /flip/alice/0,0",
    b"PUT /look/alice",
    b"GET /play/alice",
)
HEADERS: Final = (
    b"sec-purpose: prefetch",
    b"if-none-match: x",
    b"content-type: application/json",
    b"cookie: a=b; c",
    b"range: bytes=0-1",
)
STATUSES: Final = {200, 204, 400, 404, 405, 409, 503}


async def request(app: ASGIFramework, line: bytes, headers: list[bytes]) -> tuple[int, str] | None:
    """Status and body of the answer to a request.

    The client disconnects at once. None if the request would have to wait.
    """
    method, _, target = line.partition(b" ")
    pairs = [cast(tuple[bytes, bytes], tuple(header.partition(b": ")[::2])) for header in headers]
    begun = False
    sent: list[ASGISendEvent] = []

    async def receive() -> ASGIReceiveEvent:
        nonlocal begun
        event = {"type": "http.disconnect"} if begun else {"type": "http.request", "body": b"", "more_body": False}
        begun = True
        return cast(ASGIReceiveEvent, event)

    async def send(event: ASGISendEvent) -> None:
        sent.append(event)

    await app(scope_of("http", target, pairs, method.decode("latin-1")), receive, send)
    if not sent:
        return None
    status, body = 0, b""
    for number, event in enumerate(sent):
        assert (event["type"] == "http.response.start") == (number == 0)
        if event["type"] == "http.response.start":
            status = event["status"]
        elif event["type"] == "http.response.body":
            body += event["body"]
    return status, body.decode()


def printable(data: bytes) -> bytes:
    """The bytes that may stand in the first line of a request. The server's parser rejects the others."""
    return bytes(byte for byte in data if 0x21 <= byte <= 0x7E)


async def memory_requests(rng: random.Random) -> int:
    """Memory Scramble's text protocol: each request is answered or waits, and a rejected request changes nothing."""
    mutator = Mutator(rng)
    async with open_memory(Board.parse(BOARD)) as game:
        front = MemoryFront(game, edition=rng.choice(("2022", "2025")))
        wrapped = make_bare_app(Door(lambda: front))
        for _ in range(INPUTS):
            method, _, target = rng.choice(REQUESTS).partition(b" ")
            target = b"/" + printable(mutator.mangled((target[1:],)))
            headers = [b"%s: %s" % (name, printable(mutator.mangled((value,)))) for name, value in _some_headers(rng)]
            before = await game.snapshot()
            answer = await request(wrapped, method + b" " + target, headers)
            after = await game.snapshot()
            if answer is None:
                assert unquote(target.decode()).startswith(("/flip/", "/watch/"))
                assert (after.version, after.waiting) == (before.version, before.waiting)
                continue
            status, body = answer
            assert status in STATUSES, status
            assert len(body) < 25_000
            if status not in (200, 409):
                assert after == before
            if status == 200 and method != b"HEAD":
                assert BOARD_STATE.fullmatch(body), body
            elif status not in (200, 204) and method != b"HEAD":
                assert len(body.splitlines()) == 1
                assert body.endswith("\n")
    return INPUTS


def _some_headers(rng: random.Random) -> Iterator[tuple[bytes, bytes]]:
    for header in HEADERS:
        if rng.random() < 0.05:
            name, _, value = header.partition(b": ")
            yield name, value


class Socket:
    """A WebSocket's handler and its sent ASGI events."""

    def __init__(self) -> None:
        self.sent: list[ASGISendEvent] = []
        self.to_handler, self._received = trio.open_memory_channel[ASGIReceiveEvent](1000)

    async def run(self, app: ASGIFramework, target: bytes) -> None:
        """Run the connection until the handler ends."""
        await app(scope_of("websocket", target, []), self._received.receive, self.send)

    async def send(self, event: ASGISendEvent) -> None:
        self.sent.append(event)

    async def say(self, frame: str | bytes) -> list[object]:
        """Send a frame. Return all answers until the tasks are idle. Each answer must be JSON text."""
        text, data = (frame, None) if isinstance(frame, str) else (None, frame)
        count = len(self.sent)
        self.to_handler.send_nowait(cast(ASGIReceiveEvent, {"type": "websocket.receive", "text": text, "bytes": data}))
        await wait_all_tasks_blocked()
        return [_frame(event) for event in self.sent[count:]]

    @property
    def closed(self) -> bool:
        """True if the server has closed the WebSocket."""
        return any(event["type"] == "websocket.close" for event in self.sent)


def _frame(event: ASGISendEvent) -> object:
    if event["type"] == "websocket.close":
        return {"type": "close", "code": event["code"]}
    assert event["type"] == "websocket.send"
    assert event["text"] is not None
    return json.loads(event["text"])


@asynccontextmanager
async def websocket(app: ASGIFramework, target: bytes) -> AsyncIterator[Socket]:
    """An open WebSocket. Its client disconnects at the end of the block, and then its handler must end."""
    connection = Socket()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run, app, target)
        connection.to_handler.send_nowait(cast(ASGIReceiveEvent, {"type": "websocket.connect"}))
        await wait_all_tasks_blocked()
        assert connection.sent[0]["type"] == "websocket.accept"
        yield connection
        connection.to_handler.send_nowait(cast(ASGIReceiveEvent, {"type": "websocket.disconnect", "code": 1006}))


def frame_of(mutator: Mutator, rng: random.Random, examples: tuple[bytes, ...]) -> str | bytes:
    """A frame as a WebSocket's parser delivers it: UTF-8 text or, seldom, bytes."""
    data = mutator.mangled(examples)
    if rng.random() < 0.05:
        return data
    return data.decode("utf-8", "replace")[:4000]


def kinds(answers: list[object]) -> list[str]:
    """The types of frames."""
    return [str(cast(dict[str, object], answer)["type"]) for answer in answers]


async def memory_frames(rng: random.Random) -> int:
    """Memory Scramble's WebSocket: every frame is answered, and an invalid frame changes nothing."""
    mutator = Mutator(rng)
    async with open_memory(Board.parse(BOARD)) as game:
        await game.flip("other", 1, 1)
        front = MemoryFront(game, permissions=Permissions(limits=NO_LIMITS))
        async with websocket(make_bare_app(Door(lambda: front)), b"/play/alice") as connection:
            for number in range(INPUTS):
                before = await game.snapshot()
                answers = kinds(await connection.say(frame_of(mutator, rng, MEMORY_FRAMES)))
                after = await game.snapshot()
                if connection.closed:
                    return number + 1
                if "error" in answers:
                    assert after == before
                elif after != before:
                    assert set(answers) & {"change", "flip", "replace"}
    return INPUTS


async def field_frames(rng: random.Random) -> int:
    """Minesweeper's WebSocket: every frame is answered, and an invalid frame changes nothing."""
    mutator = Mutator(rng)
    async with open_field(Field(4, 3, {(1, 1)})) as game:
        app = make_minesweeper_app(game, debug=rng.random() < 0.5, site=SiteConfig(Protection(NO_LIMITS)))
        async with websocket(app, b"/play/alice") as connection:
            for number in range(INPUTS):
                before = await game.snapshot()
                answers = kinds(await connection.say(frame_of(mutator, rng, FIELD_FRAMES)))
                after = await game.snapshot()
                if connection.closed:
                    return number + 1
                assert answers
                if "error" in answers:
                    assert after == before
        await wait_all_tasks_blocked()
        assert (await game.snapshot()).players == ()
    return INPUTS


async def crossword_frames(rng: random.Random) -> int:
    """The crossword's WebSocket: one view, in a known state, answers each line. The last view ends the connection."""
    mutator = Mutator(rng)
    async with open_lobby(PUZZLES, grace=0) as lobby, lobby.session() as host:
        await host.say("host")
        await host.say('NEW m1 simple "stay"')
        app = make_crossword_app(lobby, limits=NO_LIMITS_FOR_LINES)
        async with websocket(app, b"/play") as connection:
            state = "START"
            for number in range(INPUTS):
                examples = CROSSWORD_LINES[state]  # type: ignore[index]
                answers = await connection.say(frame_of(mutator, rng, examples))
                views = [cast(dict[str, object], answer) for answer in answers]
                assert views
                if connection.closed:
                    return number + 1
                assert len(views) == 1
                state = str(views[0]["state"])
                assert state in CROSSWORD_LINES
    return INPUTS


async def telnet_lines(rng: random.Random) -> int:
    """Minesweeper's telnet: the answers to a stream of bytes are whole, and follow the grammar and the rules."""
    mutator = Mutator(rng)
    data = b"".join(mutator.mangled(FIELD_LINES) + rng.choice((b"\n", b"\r\n", b"\r", b"\r\0")) for _ in range(INPUTS))
    client, server = memory_stream_pair()
    async with open_field(Field(4, 3, {(1, 1)})) as game, trio.open_nursery() as nursery:
        connection = LineConnection(server, cr_ends=True)
        nursery.start_soon(connection.run, partial(play, game, True))
        for piece in mutator.pieces(data):
            await client.send_all(piece)
        await client.send_eof()
        answers = b"".join([chunk async for chunk in client])
    expected = _answers(data)
    hello, _, rest = answers.partition(b"\r\n")
    assert hello.startswith(b"Welcome to Minesweeper. Board: 4 columns by 3 rows. Players: 1 ")
    assert re.sub(b"\xff[\xfc\xfe].", b"", rest, flags=re.DOTALL) == expected
    return INPUTS


def _answers(data: bytes) -> bytes:
    """The answer of the handout's grammar and of a separate field to this stream."""
    field = Field(4, 3, {(1, 1)})
    answers = b""
    for line in LineSplitter(cr_ends=True).receive(TelnetFilter().receive(data)[0]):
        words = b"" if line is OVERLONG else line
        if words == b"bye":
            break
        move = re.fullmatch(rb"(dig|flag|deflag) (-?[0-9]+) (-?[0-9]+)", words)
        if move is not None:
            view = getattr(field, move[1].decode())(int(move[2]), int(move[3]))
        elif words == b"look":
            view = field.look()
        else:
            answers += HELP
            continue
        answers += b"BOOM!\r\n" if view.boom else view.text.encode().replace(b"\n", b"\r\n")
    return answers
