"""The line server's connections: lines, outbox, and ends of sessions, on memory streams.

Strategy: this module tests behaviour that depends on time or on exact numbers of bytes, on a clock that jumps.
tests/system/telnet/test_sockets.py tests behaviour that depends on the operating system, over real loopback sockets.

Partitions:
- lines: one, many in one segment, byte by byte, overlong, unfinished at the end; with telnet commands
- the session: answers; is silent; sends at any time, from other tasks; returns; has a bug
- the client: reads all; closes its side; sends without reading; gets pushed data without reading; reads slowly; does
  not read the last message; never closes
- waiting bytes: no bytes; up to the limit; above it, because of other clients, because of the client's own requests;
  one answer larger than the limit; the counts and log entries of drops
"""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from scramble.server.protection.limits import ServerLimits
from scramble.server.telnet.connection import MAX_WAITING, TELNET_LINGER_S, LineConnection, LineSession
from scramble.server.telnet.lines import MAX_LINE_BYTES
from scramble.server.traffic import Traffic
from tests.support.linewise import echo

KIB = b"x" * 1023 + b"\n"


async def talk(session: LineSession, *segments: bytes, cr_ends: bool = True) -> bytes:
    """Return all data that a session sends to a client that sends these segments and then closes its side."""
    ours, theirs = memory_stream_pair()
    received = b""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(LineConnection(theirs, cr_ends=cr_ends).run, session)
        for segment in segments:
            await ours.send_all(segment)
            await wait_all_tasks_blocked()
        await ours.send_eof()
        async for data in ours:
            received += data
    return received


# lines


CONVERSATION = (
    b"one\rtwo\r\n\nthree\n"
    + b"y" * (MAX_LINE_BYTES + 1)
    + b"\r\n\xff\xfb\x1f\xff\xfa\x1f\0\r\0\n\xff\xf0four\r\0twice\nunfinished"
)
ANSWER = b"one\ntwo\n\nthree\ntoo long\nfour\ntwice\ntwice\n"
REFUSAL = b"\xff\xfe\x1f"


async def test_all_lines_of_one_segment_are_answered_in_order() -> None:
    assert await talk(echo, CONVERSATION) == REFUSAL + ANSWER


async def test_lines_that_come_byte_by_byte_are_answered_alike() -> None:
    received = await talk(echo, *(bytes([byte]) for byte in CONVERSATION))
    assert received.replace(REFUSAL, b"") == ANSWER
    assert received.count(REFUSAL) == 1


async def test_a_lone_cr_ends_a_line_only_if_that_is_configured() -> None:
    assert await talk(echo, b"a\rb\r\nc\n", cr_ends=True) == b"a\nb\nc\n"
    assert await talk(echo, b"a\rb\r\nc\n", cr_ends=False) == b"a\rb\nc\n"


async def test_a_session_that_never_waits_lets_others_run() -> None:
    ran: list[int] = []

    async def count(connection: LineConnection) -> None:
        async for _ in connection:
            ran.append(0)

    async def other() -> None:
        for _ in range(10):
            ran.append(1)
            await trio.lowlevel.checkpoint()

    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        await ours.send_all(b"\n" * 5000)
        await ours.send_eof()
        nursery.start_soon(LineConnection(theirs, cr_ends=True, limits=ServerLimits(lines_per_s=1e9)).run, count)
        nursery.start_soon(other)
    assert ran.count(0) == 5000
    assert 0 in ran[len(ran) - ran[::-1].index(1) :]  # the other task ran before the flood was over


# sending


async def test_anybody_may_send_at_any_time() -> None:
    ours, theirs = memory_stream_pair()
    connection = LineConnection(theirs, cr_ends=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run, echo)
        for i in range(3):
            connection.send(b"push %d\n" % i)
            assert await ours.receive_some() == b"push %d\n" % i
            await ours.send_all(b"%d\n" % i)
            assert await ours.receive_some() == b"%d\n" % i
        nursery.cancel_scope.cancel()


async def test_sent_data_arrives_whole_and_in_order_whatever_its_size() -> None:
    pieces = [b"a" * size + b"\n" for size in (1, 40_000, 3, 32 * 1024 - 1, 32 * 1024, 5, 200_000, 0)]

    async def session(connection: LineConnection) -> None:
        for piece in pieces:
            connection.send(piece)
        connection.send(b"")

    assert await talk(session) == b"".join(pieces)


async def test_an_answer_above_the_limit_of_waiting_bytes_arrives_each_time() -> None:
    board = b"x" * (2 * MAX_WAITING) + b"\n"

    async def session(connection: LineConnection) -> None:
        connection.send(b"hello\n")
        async for _ in connection:
            connection.send(board)

    assert await talk(session, b"look\n" * 4) == b"hello\n" + board * 4


class Slow:
    """A client that reads nothing until the test allows it, with the state of its session."""

    def __init__(self, nursery: trio.Nursery, session: LineSession) -> None:
        self.stream, theirs = lockstep_stream_pair()
        self.connection = LineConnection(theirs, cr_ends=True)
        self._cancelled = False
        self.closed = trio.Event()
        self._session = session
        nursery.start_soon(self._run)

    def was_cancelled(self) -> bool:
        return self._cancelled

    async def _run(self) -> None:
        await self.connection.run(self._watched)
        self.closed.set()

    async def _watched(self, connection: LineConnection) -> None:
        try:
            await self._session(connection)
        except trio.Cancelled:
            self._cancelled = True
            raise


async def silent(_: LineConnection) -> None:
    await trio.sleep_forever()


async def test_a_client_that_does_not_read_is_dropped_at_the_limit_of_waiting_bytes() -> None:
    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, silent)
        await wait_all_tasks_blocked()
        for _ in range(MAX_WAITING // len(KIB)):
            slow.connection.send(KIB)
            await wait_all_tasks_blocked()
        slow.connection.send(b"!\n")  # exactly 1 MiB was waiting
        await wait_all_tasks_blocked()
        assert not slow.was_cancelled()
        slow.connection.send(b"?\n")
        await slow.closed.wait()
        assert slow.was_cancelled()
        slow.connection.send(b"to nobody\n")


async def test_a_client_that_reads_is_never_dropped_however_much_data_it_gets() -> None:
    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, silent)
        for _ in range(20):
            for _ in range(200):
                slow.connection.send(KIB)
            received = 0
            while received < 200 * len(KIB):
                received += len(await slow.stream.receive_some())
        assert not slow.was_cancelled()
        nursery.cancel_scope.cancel()


async def test_a_client_that_sends_commands_and_reads_nothing_is_dropped(autojump_clock: MockClock) -> None:
    answered = 0

    async def session(connection: LineConnection) -> None:
        nonlocal answered
        async for _ in connection:
            connection.send(KIB)
            answered += 1

    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, session)
        with pytest.raises(trio.BrokenResourceError):
            while True:
                await slow.stream.send_all(b"\n" * 100)
        await slow.closed.wait()
        assert slow.was_cancelled()
        assert answered == MAX_WAITING // len(KIB) + 1


async def test_a_client_that_is_dropped_is_counted_and_logged_with_how_much_waited(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def session(connection: LineConnection) -> None:
        while True:
            connection.send(KIB)
            await trio.lowlevel.checkpoint()

    ours, theirs = lockstep_stream_pair()
    traffic = Traffic()
    await LineConnection(theirs, cr_ends=True, name="192.0.2.7:50123", traffic=traffic).run(session)
    assert traffic.fallen_behind == {"websocket": 0, "telnet": 1, "http": 0}
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith('client-dropped client=192.0.2.7:50123 reason="does not read the sent data"')
    assert f"bytes_waiting={MAX_WAITING + len(KIB)}" in record.getMessage()
    await ours.aclose()


async def test_a_client_that_leaves_does_not_count_as_dropped(caplog: pytest.LogCaptureFixture) -> None:
    ours, theirs = memory_stream_pair()
    traffic = Traffic()
    async with trio.open_nursery() as nursery:
        connection = LineConnection(theirs, cr_ends=True, traffic=traffic)
        nursery.start_soon(connection.run, echo)
        await wait_all_tasks_blocked()
        await trio.aclose_forcefully(ours)
        connection.send(b"too late")
    assert traffic.fallen_behind["telnet"] == 0
    assert caplog.records == []


async def test_a_client_that_sends_faster_than_it_reads_is_slowed_down_and_gets_all_answers() -> None:
    async def session(connection: LineConnection) -> None:
        async for _ in connection:
            connection.send(KIB)

    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, session)
        count = 3 * MAX_WAITING // len(KIB)

        async def send() -> None:
            await slow.stream.send_all(b"\n" * count)

        nursery.start_soon(send)
        received = 0
        while received < count * len(KIB):
            received += len(await slow.stream.receive_some(100_000))
        assert not slow.was_cancelled()
        nursery.cancel_scope.cancel()


async def test_a_client_that_does_not_read_delays_nobody_else(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, silent)
        for _ in range(500):
            slow.connection.send(KIB)
        assert await talk(echo, b"a\n", b"b\n") == b"a\nb\n"
        assert not slow.was_cancelled()
        nursery.cancel_scope.cancel()


async def test_drained_waits_until_the_client_has_taken_all() -> None:
    drained = False

    async def session(connection: LineConnection) -> None:
        nonlocal drained
        await connection.drained()
        connection.send(KIB)
        connection.send(KIB * 100)
        await connection.drained()
        drained = True

    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, session)
        received = 0
        while received < 101 * len(KIB):
            await wait_all_tasks_blocked()
            assert not drained
            received += len(await slow.stream.receive_some())
        await wait_all_tasks_blocked()
        assert drained
        nursery.cancel_scope.cancel()


# the end


async def test_data_from_before_the_sessions_return_is_delivered_and_then_the_connection_ends() -> None:
    assert await talk(echo, b"a\nbye\nb\n") == b"a\nfarewell\n"


async def test_a_client_that_does_not_read_the_last_message_is_dropped(autojump_clock: MockClock) -> None:
    async def session(connection: LineConnection) -> None:
        connection.send(b"farewell\n")

    async with trio.open_nursery() as nursery:
        slow = Slow(nursery, session)
        await slow.closed.wait()


async def test_a_client_that_never_closes_is_closed_after_a_while(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        start = trio.current_time()
        nursery.start_soon(LineConnection(theirs, cr_ends=True).run, echo)
        await ours.send_all(b"bye\n")
        assert await ours.receive_some() == b"farewell\n"
        assert await ours.receive_some() == b""
        await ours.send_all(b"still here\n")
    assert trio.current_time() - start == TELNET_LINGER_S


async def test_a_bug_in_a_session_is_not_hidden() -> None:
    async def session(_: LineConnection) -> None:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ExceptionGroup) as info:
        await talk(session)
    assert info.group_contains(ZeroDivisionError, match="a bug")


def test_the_text_of_a_connection_has_its_client_and_its_waiting_bytes() -> None:
    _, theirs = memory_stream_pair()
    connection = LineConnection(theirs, cr_ends=True, name="ann")
    connection.send(b"hello")
    assert str(connection) == "ann, 5 bytes waiting"
