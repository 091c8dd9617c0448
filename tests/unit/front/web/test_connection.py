"""One WebSocket's limits, order and end, on channels instead of sockets and under a clock of our own.

Partitions:
- frames out: none, some, endless; the first is slow; sending is slow; they rest, and are woken at the end;
  one is still being sent at the end
- frames in: come before the first frame is out; one by one; faster than answered; too many at once; too many for long
- an answer: at once; slow; refuses the frame; fails of a bug
- the end: frames end; the game dies, or moves to another process; limits; the handler is cancelled; twice
- the peer: answers the closing frame; does not
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameMoved, GameStopped, InvalidCommand
from scramble.front.web.websocket import Link, WebSocketConnection, running
from scramble.server.http.closing import BUG, GOING_AWAY, LINGER_S, TOO_BIG, TOO_MANY, TOO_MANY_BAD, CloseReason
from scramble.server.protection.limits import ServerLimits


class Peer:
    """A WebSocket on channels, and its other end. Sending to it waits until the test lets it read."""

    outlet = None
    frames_left = None

    def __init__(self, limits: ServerLimits | None = None) -> None:
        self.say, self._said = trio.open_memory_channel[str | bytes](1000)
        self.seen: list[str] = []
        self.closed: list[tuple[int, str]] = []
        self.told_why: list[int] = []
        self.reads = trio.Event()
        self.reads.set()
        self.connection = WebSocketConnection(self, lambda bad: f"error {bad}", limits)

    def unread(self) -> int:
        return self._said.statistics().current_buffer_used

    async def receive(self) -> str | bytes:
        return await self._said.receive()

    async def send(self, frame: str) -> None:
        await self.reads.wait()
        self.seen.append(frame)

    async def close(self, code: int, reason: str) -> None:
        self.closed.append((code, reason))
        await trio.lowlevel.checkpoint()  # as a closing frame that has to wait for its turn to be sent
        self.told_why.append(code)


class Outgoing(AsyncIterator[str]):
    """Frames that the test sends by hand."""

    def __init__(self, *frames: str) -> None:
        self.put, self._get = trio.open_memory_channel[str](1000)
        self.error: Exception = StopAsyncIteration()
        for frame in frames:
            self.put.send_nowait(frame)

    async def __anext__(self) -> str:
        try:
            return await self._get.receive()
        except trio.EndOfChannel:
            raise self.error from None


async def ignore(text: str) -> None:
    """Answer nothing."""


async def test_nothing_is_received_before_the_first_frame_is_out() -> None:
    peer, frames = Peer(), Outgoing()

    async def answer(text: str) -> None:
        await peer.connection.send(f"re {text}")

    async with trio.open_nursery() as nursery:
        peer.say.send_nowait("a")
        nursery.start_soon(peer.connection.run, frames, answer)
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
        nursery.start_soon(peer.connection.run, frames, answer)
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

    async def beside(link: Link) -> None:
        await link.send("beside")

    async with trio.open_nursery() as nursery:
        peer.say.send_nowait("a")
        nursery.start_soon(peer.connection.run, frames, answer, running(beside))
        await wait_all_tasks_blocked()
        frames.put.send_nowait("change")
        await wait_all_tasks_blocked()
        assert peer.seen == ["whole", "beside", "change"]
        nursery.cancel_scope.cancel()


class Resting(AsyncIterator[str]):
    """Frames that rest after the first one."""

    def __init__(self) -> None:
        self.resting = 0
        self.full = False  # the socket is: they have to be sent one by one
        self.wake: Callable[[], None] | None = None

    async def __anext__(self) -> str:
        await trio.lowlevel.checkpoint()
        return "whole"

    def rest(self, link: Link, wake: Callable[[], None]) -> Callable[[], None] | None:
        if self.full:
            return None
        self.resting += 1
        self.wake = wake
        return self._leave

    def be_woken(self) -> None:
        assert self.wake is not None
        self.resting -= 1
        self.wake()

    def _leave(self) -> None:
        self.resting -= 1


async def test_frames_that_are_woken_as_the_connection_ends_do_not_rest_again() -> None:
    for _ in range(20):  # the order of its tasks is random
        peer, frames = Peer(), Resting()

        async def beside(link: Link, frames: Resting = frames) -> CloseReason:
            await wait_all_tasks_blocked()
            assert frames.resting == 1
            frames.be_woken()
            return TOO_BIG

        assert await peer.connection.run(frames, ignore, running(beside)) == TOO_BIG
        assert frames.resting == 0
        assert peer.seen == ["whole"]


async def test_frames_of_which_one_is_still_being_sent_as_the_connection_ends_do_not_rest_again() -> None:
    class Unread(Peer):
        """Does not read after the first frame: cancelled or not, and a send is no checkpoint at its end."""

        async def send(self, frame: str) -> None:
            if self.seen:
                with trio.CancelScope(shield=True):
                    await self.reads.wait()
            self.seen.append(frame)

    frames, peer = Resting(), Unread()
    reads = peer.reads = trio.Event()
    said, sent, connection = peer.say, peer.seen, peer.connection
    endings: list[CloseReason] = []

    async def run() -> None:
        endings.append(await connection.run(frames, ignore))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await wait_all_tasks_blocked()
        frames.full = True
        frames.be_woken()
        await wait_all_tasks_blocked()
        frames.full = False
        assert (sent, frames.resting) == (["whole"], 0), "one is being sent"
        said.send_nowait("x" * 100_000)
        await wait_all_tasks_blocked()
        reads.set()
    assert endings == [TOO_BIG]
    assert frames.resting == 0
    assert sent == ["whole", "whole"]


async def test_when_frames_end_so_does_the_connection_though_an_answer_is_under_way() -> None:
    for first in ([], ["whole"]):
        peer, frames = Peer(), Outgoing(*first)

        async def answer(text: str) -> None:
            await trio.sleep_forever()

        async def beside(link: Link) -> None:
            await trio.sleep_forever()

        peer.say.send_nowait("a")
        await frames.put.aclose()
        assert await peer.connection.run(frames, answer, running(beside)) == GOING_AWAY
        assert peer.seen == first


async def test_when_the_game_moves_to_another_process_the_connection_ends_with_1012() -> None:
    peer, frames = Peer(), Outgoing("whole")
    frames.error = GameMoved("elsewhere")
    await frames.put.aclose()
    assert (await peer.connection.run(frames, ignore)).code == 1012


async def test_when_the_game_dies_the_connection_ends_with_1011() -> None:
    for first in ([], ["whole"]):
        peer, frames = Peer(), Outgoing(*first)
        frames.error = GameStopped("a bug")
        await frames.put.aclose()
        assert await peer.connection.run(frames, ignore) == BUG


async def test_a_bug_in_answering_is_no_answer() -> None:
    peer, frames = Peer(), Outgoing("whole")

    async def answer(text: str) -> None:
        raise ZeroDivisionError("a bug")

    peer.say.send_nowait("a")
    with pytest.raises(ExceptionGroup) as info:
        await peer.connection.run(frames, answer)
    assert info.group_contains(ZeroDivisionError, match="a bug")
    assert peer.seen == ["whole"]


async def test_frames_are_limited_in_number_and_time_restores_them(autojump_clock: MockClock) -> None:
    peer, frames = Peer(ServerLimits(frames=5, frames_per_s=2)), Outgoing("whole")
    endings = []

    async def run() -> None:
        endings.append(await peer.connection.run(frames, ignore))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        for _ in range(5):
            peer.say.send_nowait("a")
        await wait_all_tasks_blocked()
        for _ in range(20):
            await trio.sleep(0.5)  # one more each half second
            peer.say.send_nowait("a")
        await wait_all_tasks_blocked()
        assert endings == []
        await trio.sleep(1000)  # no more than 5 at once, however long it was quiet
        for _ in range(6):
            peer.say.send_nowait("a")
    assert endings == [TOO_MANY]


async def test_bad_frames_are_answered_by_errors_until_there_are_too_many() -> None:
    peer, frames = Peer(ServerLimits(bad_frames=2, bad_frames_per_s=0)), Outgoing("whole")

    async def answer(text: str) -> None:
        if text == "bad":
            raise InvalidCommand("no such thing")

    for text in ("bad", "good", b"binary", "good", "bad", "bad"):
        peer.say.send_nowait(text)
    assert await peer.connection.run(frames, answer) == TOO_MANY_BAD
    bad = "error no such thing"
    assert peer.seen == ["whole", bad, "error frames are JSON text, not binary", bad]


@pytest.mark.parametrize(("text", "fits"), [("x" * 10, True), ("x" * 11, False), ("é" * 5, True), ("é" * 6, False)])
async def test_a_frame_is_measured_in_bytes(text: str, fits: bool) -> None:
    peer, frames = Peer(ServerLimits(frame_bytes=10)), Outgoing("whole")
    peer.say.send_nowait(text)
    peer.say.send_nowait("x" * 100)
    assert await peer.connection.run(frames, peer.connection.send) == TOO_BIG
    assert peer.seen == (["whole", text] if fits else ["whole"])


async def test_closing_reads_on_until_the_peer_is_gone_or_has_had_its_time(autojump_clock: MockClock) -> None:
    peer = Peer()
    for _ in range(100):
        peer.say.send_nowait("flood")
    before = trio.current_time()
    await peer.connection.close(TOO_MANY)
    assert peer.closed == [(1008, "too many frames a second")]
    assert trio.current_time() - before == LINGER_S
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
    assert peer.told_why == [1001]  # though all that waits in the handler is cancelled


async def test_a_handler_that_is_cancelled_after_it_closed_says_no_more() -> None:
    peer = Peer()
    with trio.CancelScope() as scope:
        scope.cancel()
        try:
            await peer.connection.close(TOO_BIG)
        finally:
            await peer.connection.say_farewell()
    assert peer.closed == [(1009, "frame too long")]
