"""The text protocol's requests that wait, and clients that disconnect: over real sockets.

Partitions:
- flip: waits, and is granted, or fails, or its client disconnects: FIN, RST, half-close; alone on its connection,
  behind an answered request, in front of others
- watch: before a change; since an earlier version; since the current one; with a timeout
- a client closes its sending side but still reads, and its request has an immediate answer
"""

from __future__ import annotations

import socket
import struct

import httpx
import pytest
import trio

from scramble.memory.messages import Withdrawn
from tests.support.memory.served import served


async def test_a_flip_waits_until_the_card_is_relinquished_while_all_others_are_served() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answers: list[httpx.Response] = []

        async def bob() -> None:
            answers.append(await s.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            assert (await s.get("/look/bob")).status_code == 200
            assert (await s.get("/flip/carol/1,1")).status_code == 200
            assert answers == []
            await s.get("/flip/alice/0,1")
        assert answers[0].text.splitlines()[1] == "my A"


async def test_a_waiting_flip_fails_by_1a_when_the_card_is_removed() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answers: list[httpx.Response] = []

        async def bob() -> None:
            answers.append(await s.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            await s.get("/flip/alice/0,2")
            await s.get("/flip/alice/0,1")
        assert answers[0].status_code == 409
        assert "1-A" in answers[0].text


FLIP = "GET /flip/bob/0,0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
LOOK = "GET /look/bob HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = "POST /flip/bob/0,0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n123456789"


@pytest.mark.parametrize("how", ["FIN", "RST", "half-close"])
@pytest.mark.parametrize(
    "requests",
    [FLIP, LOOK + FLIP, FLIP + LOOK, FLIP + FLIP, FLIP + "junk", FLIP + 1000 * LOOK, BODY],
    ids=["alone", "behind a look", "before a look", "before a flip", "before junk", "before many", "with a body"],
)
async def test_a_client_that_goes_away_while_its_flip_waits_never_gets_the_card(requests: str, how: str) -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        stream = await s.raw(requests)
        await s.until_waiting("bob")
        changes = s.game.changes()
        if how == "half-close":
            await stream.send_eof()
        else:
            if how == "RST":
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await stream.aclose()
        change = await anext(changes)
        assert change.events == (Withdrawn(0, 0, "bob"),)
        await stream.aclose()
        await s.game.flip("alice", 0, 1)
        assert "my" not in await s.game.look("bob")


async def test_a_watch_is_answered_by_the_next_change_from_the_watchers_side() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        answers: list[str] = []

        async def watch(player: str) -> None:
            answers.append((await s.get(f"/watch/{player}?since=1")).text)

        async with trio.open_nursery() as nursery:
            for player in ("alice", "bob"):
                nursery.start_soon(watch, player)
            await s.game.flip("bob", 0, 1)
        assert sorted(answers) == [
            "2x3\nmy A\nup B\ndown\ndown\ndown\ndown\n",
            "2x3\nup A\nmy B\ndown\ndown\ndown\ndown\n",
        ]


async def test_a_watch_since_an_earlier_version_is_answered_at_once() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        answer = await s.get("/watch/bob?since=0")
        assert answer.headers["etag"] == '"1"'


async def test_a_watch_with_a_timeout_is_answered_with_the_unchanged_board() -> None:
    async with served(watch_timeout=0.001) as s:
        answer = await s.get("/watch/bob")
        assert (answer.status_code, answer.text) == (200, "2x3\n" + "down\n" * 6)
        assert answer.headers["etag"] == '"0"'


@pytest.mark.parametrize("path", ["/look/alice", "/flip/alice/0,0", "/replace/alice/A/B", "/watch/alice?since=0", "/"])
async def test_a_client_that_sends_no_more_is_answered_all_the_same(path: str) -> None:
    async with served() as s:
        await s.game.flip("bob", 1, 1)
        for _ in range(20):  # a race decides: the end or the answer comes first
            async with await s.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n") as stream:
                await stream.send_eof()
                answer = b"".join([part async for part in stream])
            assert answer.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 409 "))


async def test_what_waits_behind_a_flip_on_its_connection_is_answered_after_it() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        async with await s.raw(FLIP + LOOK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")) as stream:
            await s.until_waiting("bob")
            await s.game.flip("alice", 0, 1)
            answer = b"".join([part async for part in stream])
        assert answer.count(b"\nmy A\nup B\n") == 2
