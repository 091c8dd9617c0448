"""One WebSocket's limits, order and end, on channels instead of sockets, with a test clock.

Partitions:
- outgoing frames: none, some, endless; the first is slow; sending is slow; a frame is still being sent at the end
- incoming frames: before the first frame is out; one by one; faster than answered; too many at once; too many for too
  long
- an answer: at once; slow; refuses the frame; fails with a bug
- the end: the frames end, for a reason; a task ends it for a reason; limits; the handler is cancelled; two ends
- the peer: answers the close frame; does not answer it
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest
import trio
from hypercorn.typing import ASGIReceiveEvent, ASGISendEvent
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import InvalidCommand
from scramble.front.web.feed import Feed, FeedSocket, Follower, Unsubscribe
from scramble.front.web.websocket import WebSocketConnection
from scramble.server.asgi import Socket
from scramble.server.http.closing import (
    BUG,
    GOING_AWAY,
    TOO_BIG,
    TOO_MANY_BAD,
    TOO_MANY_FRAMES,
    WEBSOCKET_LINGER_S,
    CloseReason,
)
from scramble.server.protection.limits import ServerLimits
from tests.support.asgi import scope_of


class Peer:
    """The other end of a WebSocket. Sending to it waits until the test lets it read."""

    def __init__(self, limits: ServerLimits | None = None) -> None:
        self.say, self._said = trio.open_memory_channel[str | bytes](1000)
        self.seen: list[str] = []
        self.closed: list[tuple[int, str]] = []
        self.told_why: list[int] = []
        self.reads = trio.Event()
        self.reads.set()
        socket = Socket(scope_of("websocket", b"/"), {}, self._receive, self._send)
        self.connection = WebSocketConnection(socket, lambda bad: f"error {bad}", limits)

    def unread(self) -> int:
        return self._said.statistics().current_buffer_used

    async def take(self, frame: str) -> None:
        await self.reads.wait()
        self.seen.append(frame)

    async def _receive(self) -> ASGIReceiveEvent:
        said = await self._said.receive()
        if isinstance(said, str):
            return {"type": "websocket.receive", "text": said, "bytes": None}
        return {"type": "websocket.receive", "text": None, "bytes": said}

    async def _send(self, message: ASGISendEvent) -> None:
        match message:
            case {"type": "websocket.send", "text": str(frame)}:
                await self.take(frame)
            case {"type": "websocket.close", "code": int(code), "reason": str(reason)}:
                self.closed.append((code, reason))
                await trio.lowlevel.checkpoint()  # a close frame may have to wait before it is sent
                self.told_why.append(code)


class Outgoing(Feed):
    """A feed with one follower. The test sends its frames by hand."""

    end = 0

    def __init__(self, *frames: str, reason: CloseReason = GOING_AWAY) -> None:
        super().__init__()
        self.put, self.sent = trio.open_memory_channel[str](1000)
        self.left = 0
        self.why: Final = reason
        for frame in frames:
            self.put.send_nowait(frame)

    def follower(self, link: FeedSocket, name: str | None = None) -> Follower:
        return self.add(_ByHand(self, link, name))

    def remove(self, follower: Follower) -> None:
        super().remove(follower)
        self.left += 1


class _ByHand(Follower):
    async def begin(self, frames: Sequence[str] = ()) -> CloseReason | None:
        reason = await self._send_next()
        if reason is None:
            self.link.start_soon(self._send_all)
        return reason

    async def _send_all(self) -> CloseReason:
        while (reason := await self._send_next()) is None:
            pass
        return reason

    async def _send_next(self) -> CloseReason | None:
        assert isinstance(self.feed, Outgoing)
        try:
            await self.link.send(await self.feed.sent.receive())
        except trio.EndOfChannel:
            return self.feed.why
        return None


async def ignore(text: str) -> None:
    """Answer nothing."""


async def test_nothing_is_received_before_the_first_frame_is_out() -> None:
    peer, frames = Peer(), Outgoing()

    async def answer(text: str) -> None:
        await peer.connection.send(f"re {text}")

    async with trio.open_nursery() as nursery:
        peer.say.send_nowait("a")
        nursery.start_soon(peer.connection.run, frames.follower, answer)
        await wait_all_tasks_blocked()
        assert peer.seen == []
        frames.put.send_nowait("whole")
        await wait_all_tasks_blocked()
        assert peer.seen == ["whole", "re a"]
        nursery.cancel_scope.cancel()


async def test_a_peer_that_asks_and_does_not_read_is_not_read_from_and_others_are_not_held_up() -> None:
    peer, frames = Peer(), Outgoing("whole")
    answered: list[str] = []

    async def answer(text: str) -> None:
        answered.append(text)
        await peer.connection.send(f"re {text}")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.connection.run, frames.follower, answer)
        await wait_all_tasks_blocked()
        peer.reads = trio.Event()
        for i in range(50):
            peer.say.send_nowait(f"{i}")
        await wait_all_tasks_blocked()
        assert answered == ["0"]
        peer.reads.set()
        await wait_all_tasks_blocked()
        assert peer.seen == ["whole", *(f"re {i}" for i in range(50))]
        nursery.cancel_scope.cancel()


async def test_frames_go_out_while_an_answer_takes_its_time_and_tasks_beside_run_along() -> None:
    peer, frames = Peer(), Outgoing("whole")

    async def answer(text: str) -> None:
        await trio.sleep_forever()

    left: list[FeedSocket] = []

    def beside(link: FeedSocket) -> Unsubscribe:
        link.start_soon(partial(link.send, "beside"))
        return partial(left.append, link)

    async with trio.open_nursery() as nursery:
        peer.say.send_nowait("a")
        nursery.start_soon(peer.connection.run, frames.follower, answer, beside)
        await wait_all_tasks_blocked()
        frames.put.send_nowait("change")
        await wait_all_tasks_blocked()
        assert peer.seen == ["whole", "beside", "change"]
        nursery.cancel_scope.cancel()
    assert (frames.left, left) == (1, [peer.connection])


async def test_a_task_of_the_connection_may_end_it_for_a_reason_and_all_leave_before_what_is_still_sent_ends() -> None:
    reads, said = trio.Event(), trio.Event()
    frames = Outgoing("whole")
    left: list[bool] = []

    class Unread(Peer):
        """A peer that reads no frame after the first, not even when it is cancelled."""

        async def take(self, frame: str) -> None:
            if frame != "whole":
                with trio.CancelScope(shield=True):
                    await reads.wait()

    def beside(link: FeedSocket) -> Unsubscribe:
        link.start_soon(partial(link.send, "beside"))
        link.start_soon(end)
        return lambda: left.append(reads.is_set())

    async def end() -> CloseReason:
        await said.wait()
        return TOO_BIG

    connection = Unread().connection
    endings: list[CloseReason] = []

    async def run() -> None:
        endings.append(await connection.run(frames.follower, ignore, beside))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await wait_all_tasks_blocked()
        said.set()
        await wait_all_tasks_blocked()
        assert (frames.left, left, endings) == (1, [False], [])
        reads.set()
    assert endings == [TOO_BIG]


@pytest.mark.parametrize("reason", [GOING_AWAY, BUG])
@pytest.mark.parametrize("first", [[], ["whole"]])
async def test_when_frames_end_so_does_the_connection_though_an_answer_is_under_way(
    first: list[str], reason: CloseReason
) -> None:
    peer, frames = Peer(), Outgoing(*first, reason=reason)

    async def answer(text: str) -> None:
        await trio.sleep_forever()

    def beside(link: FeedSocket) -> Unsubscribe:
        link.start_soon(trio.sleep_forever)
        return int

    peer.say.send_nowait("a")
    await frames.put.aclose()
    assert await peer.connection.run(frames.follower, answer, beside) == reason
    assert (peer.seen, frames.left) == (first, 1)


async def test_a_bug_in_answering_is_no_answer() -> None:
    peer, frames = Peer(), Outgoing("whole")

    async def answer(text: str) -> None:
        raise ZeroDivisionError("a bug")

    peer.say.send_nowait("a")
    with pytest.raises(ExceptionGroup) as info:
        await peer.connection.run(frames.follower, answer)
    assert info.group_contains(ZeroDivisionError, match="a bug")
    assert peer.seen == ["whole"]


async def test_frames_are_limited_in_number_and_time_restores_them(autojump_clock: MockClock) -> None:
    peer, frames = Peer(ServerLimits(frames=5, frames_per_s=2)), Outgoing("whole")
    endings = []

    async def run() -> None:
        endings.append(await peer.connection.run(frames.follower, ignore))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        for _ in range(5):
            peer.say.send_nowait("a")
        await wait_all_tasks_blocked()
        for _ in range(20):
            await trio.sleep(0.5)  # the limit allows one more frame each half second
            peer.say.send_nowait("a")
        await wait_all_tasks_blocked()
        assert endings == []
        await trio.sleep(1000)  # at most 5 at once, also after a long silence
        for _ in range(6):
            peer.say.send_nowait("a")
    assert endings == [TOO_MANY_FRAMES]


async def test_bad_frames_are_answered_by_errors_until_there_are_too_many() -> None:
    peer, frames = Peer(ServerLimits(bad_frames=2, bad_frames_per_s=0)), Outgoing("whole")

    async def answer(text: str) -> None:
        if text == "bad":
            raise InvalidCommand("no such thing")

    for text in ("bad", "good", b"binary", "good", "bad", "bad"):
        peer.say.send_nowait(text)
    assert await peer.connection.run(frames.follower, answer) == TOO_MANY_BAD
    bad = "error no such thing"
    assert peer.seen == ["whole", bad, "error frames are JSON text, not binary", bad]


@pytest.mark.parametrize(("text", "fits"), [("x" * 10, True), ("x" * 11, False), ("é" * 5, True), ("é" * 6, False)])
async def test_a_frame_is_measured_in_bytes(text: str, fits: bool) -> None:
    peer, frames = Peer(ServerLimits(frame_bytes=10)), Outgoing("whole")
    peer.say.send_nowait(text)
    peer.say.send_nowait("x" * 100)
    assert await peer.connection.run(frames.follower, peer.connection.send) == TOO_BIG
    assert peer.seen == (["whole", text] if fits else ["whole"])


async def test_closing_reads_on_until_the_peer_is_gone_or_has_had_its_time(autojump_clock: MockClock) -> None:
    peer = Peer()
    for _ in range(100):
        peer.say.send_nowait("flood")
    before = trio.current_time()
    await peer.connection.close(TOO_MANY_FRAMES)
    assert peer.closed == [(1008, "too many frames a second")]
    assert trio.current_time() - before == WEBSOCKET_LINGER_S
    assert peer.unread() == 0


async def test_a_handler_that_is_cancelled_says_farewell_once_and_one_that_is_not_does_not() -> None:
    peer = Peer()
    await peer.connection.say_farewell()
    assert peer.closed == []
    with trio.CancelScope() as scope:
        scope.cancel()
        for _ in range(2):
            await peer.connection.say_farewell()
    assert peer.closed == [(1001, "the server is shutting down")]
    assert peer.told_why == [1001]  # although every other wait in the handler is cancelled


async def test_a_handler_that_is_cancelled_after_it_closed_says_no_more() -> None:
    peer = Peer()
    with trio.CancelScope() as scope:
        scope.cancel()
        try:
            await peer.connection.close(TOO_BIG)
        finally:
            await peer.connection.say_farewell()
    assert peer.closed == [(1009, "frame too long")]
