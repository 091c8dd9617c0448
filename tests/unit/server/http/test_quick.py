"""Quick requests get the same answers as from h11 and hypercorn, and every head that h11 refuses is refused.

The same bytes go to two protocols. One of them knows the heads of a few requests. The requests to the application, and
the sent bytes with their order, must be the same.

Partitions:
- heads: known; of another method, target, version; without headers; with other, repeated, folded headers; mutated
- chunks: one head; in pieces; several heads at once; a head while a request waits; the end of the connection
- answers: whole in one message, in two; of another length; too long; chunked; 204; with headers about the connection,
  with invalid headers; no answer; only a start; an error before, during and after the answer
- requests: up to the limit of one connection; the server stops
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import h11
import msgspec
import pytest
import trio
import trio.testing
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, ConnectionState, Scope

from scramble.server.http.http1 import HttpProtocol
from scramble.server.http.quick import MOST_BLOCKS, Answers, KnownHead, KnownHeads
from scramble.server.protection.limits import ServerLimits
from tests.search.fuzz.mutations import Mutator

SEED: Final = 1
CONVERSATIONS: Final = 250  # of 1 to 4 requests; 24,000 conversations with other seeds passed once

PLAIN: Final = b"GET /whole HTTP/1.1\r\nHost: x\r\n\r\n"
HEADS: Final = (
    PLAIN,
    b"GET /two HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nConnection: keep-alive\r\nCookie: a=b\r\n\r\n",
    b"POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nUser-Agent: a  b\r\n\r\n",
    b"GET /whole?a=%20b HTTP/1.1\r\nhost:x\r\nX: \xff\r\nX: y\r\n folded\r\n\r\n",
)
PATHS: Final = (
    *("/whole", "/two", "/short", "/long", "/chunked", "/none", "/204", "/close", "/bad", "/start", "/error", "/late"),
    *("/amid", "/twice", "/more", "/odd", "/capital", "/wait"),
)
TEXT: Final = [(b"content-type", b"text/plain"), (b"x-y", b"a, b")]


class Unknowing(KnownHeads):
    """Known heads without any head."""

    def find(self, chunk: bytes) -> KnownHead | None:
        return None


class Knowing(KnownHeads):
    """Known heads that count their uses."""

    found = 0

    def find(self, chunk: bytes) -> KnownHead | None:
        known = super().find(chunk)
        self.found += known is not None
        return known


async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Answer with the received request, in the way that the path names."""
    assert scope["type"] == "http"
    first = await receive()
    body = msgspec.json.encode(
        [
            *(scope["method"], scope["path"], bytes(scope["raw_path"]), scope["query_string"], scope["http_version"]),
            *([(bytes(name), bytes(value)) for name, value in scope["headers"]], scope["scheme"], scope["client"]),
            *(first["type"], first.get("more_body")),
        ]
    )
    length = (b"content-length", b"%d" % len(body))

    async def start(*headers: tuple[bytes, bytes], status: int = 200) -> None:
        await send({"type": "http.response.start", "status": status, "headers": [*TEXT, *headers], "trailers": False})

    async def data(body: bytes, *, more: bool = False) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": more})

    match scope["path"]:
        case "/two":
            await start(length)
            await data(body, more=True)
            await data(b"")
        case "/short":
            await start((b"content-length", b"9999"))
            await data(body)
        case "/long":
            await start(length)
            await data(body, more=True)
            await data(body)
        case "/chunked":
            await start()
            await data(body, more=True)
            await data(body)
        case "/none":
            pass
        case "/204":
            await start(status=204)
            await data(b"")
        case "/close":
            await start(length, (b"connection", b"close"))
            await data(body)
        case "/bad":
            await start(length, (b"x", b"a\r\nb: c"))
            await data(body)
        case "/start":
            await start(length)
        case "/error":
            raise RuntimeError
        case "/amid":
            await start(length)
            raise RuntimeError
        case "/late":
            await start(length)
            await data(body, more=True)
            raise RuntimeError
        case "/twice":
            await start(length)
            await start(length)
            await data(body)
        case "/more":
            await start(length)
            await data(body)
            await data(body)
        case "/odd":
            await start(length, (b"content-length", length[1]), (b"", b"x"), (b"x", b""), (b"z", b" a "), status=299)
            await data(body)
        case "/capital":
            await start((b"Content-Length", length[1]), (b"X", b"Y"), status=404)
            await data(body)
        case "/wait":
            while first["type"] != "http.disconnect":
                first = await receive()
            await start(length)
            await data(body)
        case _:
            await start(length)
            await data(body)


async def talk(chunks: Sequence[bytes], heads: KnownHeads, *, most: int = 1000, ending: bool = False) -> list[object]:
    """Send these chunks, then disconnect; return the sent bytes, and when the connection was idle or closed."""
    out: list[object] = []
    config = Config()
    config.include_date_header = False
    config.errorlog = None
    config.keep_alive_max_requests = most
    config.h11_max_incomplete_size = 500
    context = WorkerContext(None)
    closed = False

    async def send(event: Event) -> None:
        nonlocal closed
        if isinstance(event, RawData) and not event.data:
            return
        if isinstance(event, RawData) and out and isinstance(out[-1], bytes):
            out[-1] += event.data
        elif isinstance(event, RawData):
            out.append(event.data)
        elif isinstance(event, Closed):
            out.append("closed")
            closed = True
            await protocol.handle(Closed())
        elif isinstance(event, Updated):
            out.append(event.idle)

    async with trio.open_nursery() as outer, TaskGroup() as tasks:
        address, server = ("192.0.2.1", 1), ("192.0.2.2", 2)
        state = ConnectionState({})
        protocol = HttpProtocol(
            ASGIWrapper(app), config, context, tasks, state, False, address, server, send, ServerLimits(), None, heads
        )
        into, queue = trio.open_memory_channel[bytes](100)

        async def handle() -> None:
            async for chunk in queue:
                if not closed:
                    await protocol.handle(RawData(chunk))

        outer.start_soon(handle)
        for chunk in chunks:
            await into.send(chunk)
            await trio.testing.wait_all_tasks_blocked()
            if ending:
                await context.terminated.set()
        await protocol.handle(Closed())
        await trio.testing.wait_all_tasks_blocked()
        outer.cancel_scope.cancel()
    return out


async def compared(chunks: Sequence[bytes], heads: KnownHeads, *, most: int = 1000, ending: bool = False) -> None:
    """Send these chunks to both protocols; compare the results."""
    quick = await talk(chunks, heads, most=most, ending=ending)
    ordinary = await talk(chunks, Unknowing(), most=most, ending=ending)
    assert quick == ordinary, chunks


async def knowing(*heads: bytes) -> Knowing:
    """Return known heads that have learnt these."""
    known = Knowing()
    for head in heads:
        await talk([head], known)
    return known


def to(path: str, head: bytes = PLAIN) -> bytes:
    return head.replace(b"/whole", path.encode(), 1)


@pytest.mark.parametrize("path", PATHS)
async def test_every_kind_of_answer_is_the_same_and_so_are_later_answers(path: str) -> None:
    heads = await knowing(*HEADS)
    for chunks in ([to(path)], [to(path), PLAIN], [PLAIN, to(path), PLAIN, PLAIN]):
        await compared(chunks, heads)
        await compared(chunks, heads, ending=True)
    assert heads.found >= 6


async def test_a_head_while_a_request_waits_is_handled_after_it() -> None:
    heads = await knowing(PLAIN)
    await compared([to("/wait"), PLAIN, PLAIN], heads)
    await compared([to("/wait"), PLAIN[:9], PLAIN[9:]], heads)
    await compared([PLAIN + PLAIN, PLAIN, PLAIN[:-1], PLAIN[-1:], PLAIN], heads)


async def test_the_last_request_of_a_connection_ends_it() -> None:
    for most in (1, 2, 3, 4):
        await compared([PLAIN] * 5, await knowing(PLAIN), most=most)


async def test_a_target_that_makes_a_head_too_long_is_refused() -> None:
    heads = await knowing(PLAIN)
    for length in range(440, 480):
        await compared([to("/" + "a" * length)], heads)
    assert heads.found == 40


async def test_heads_with_special_meanings_are_not_learnt() -> None:
    more = (
        *(b"Connection: close", b"Connection: keep-alive, x", b"Upgrade: h2c", b"Expect: 100-continue"),
        *(b"Content-Length: 1", b"Transfer-Encoding: chunked", b"X: " + b"a" * 2048, b"HTTP2-Settings: x"),
    )
    chunks = [PLAIN[:-2] + line + b"\r\n\r\n" for line in more]
    chunks += [
        PLAIN + b"x",
        PLAIN * 2,
        b"HEAD" + PLAIN[3:],
        PLAIN.replace(b"1.1", b"1.0"),
        PLAIN.replace(b"/", b"*", 1),
    ]
    for chunk in chunks:
        heads = KnownHeads()
        await talk([chunk], heads)
        assert len(heads) == 0, chunk


async def test_the_number_of_known_heads_is_limited() -> None:
    heads, request = KnownHeads(), h11.Request(method="GET", target="/", headers=[("Host", "x")])
    for number in range(MOST_BLOCKS + 10):
        heads.learn(b"GET / HTTP/1.1\r\nHost: x%d\r\n\r\n" % number, request, 9)
    assert str(heads) == "10 known blocks of headers"
    assert heads.find(b"GET /b HTTP/1.1\r\nHost: x509\r\n\r\n") == KnownHead(b"GET", b"/b", [(b"host", b"x")], 9)
    assert heads.find(b"GET /b HTTP/1.1\r\nHost: x0\r\n\r\n") is None


def test_an_answer_is_made_only_of_valid_headers_and_one_right_length() -> None:
    answers = Answers()
    for header in ((b"x", b"\r\n"), (b"x", b"a\nb: c"), (b"x\n", b"a"), (b"x:", b"a"), (b"connection", b"close")):
        headers = [(b"content-length", b"1"), header]
        start = {"type": "http.response.start", "status": 200, "headers": headers, "trailers": False}
        for _ in range(2):
            assert answers.whole(start, b"a", []) is None  # type: ignore[arg-type]


async def test_mangled_heads_are_refused_and_accepted_alike() -> None:
    rng = random.Random(SEED)
    mutator, found = Mutator(rng), 0
    for _ in range(CONVERSATIONS):
        base = rng.choice(HEADS)
        heads = await knowing(base)
        chunks = list[bytes]()
        for _ in range(rng.randrange(1, 5)):
            chunk = to(rng.choice(PATHS), base) if rng.random() < 0.6 else base
            if rng.random() < 0.5:
                chunk = mutator.mangled([chunk])[:2000]
            if rng.random() < 0.1:
                chunk += rng.choice(HEADS)
            if chunk and rng.random() < 0.1:
                cut = rng.randrange(len(chunk))
                chunks += filter(None, (chunk[:cut], chunk[cut:]))
            elif chunk:
                chunks.append(chunk)
        await compared(chunks, heads, ending=rng.random() < 0.1)
        found += heads.found
    assert found > CONVERSATIONS / 2
