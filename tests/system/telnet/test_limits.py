"""Limits of telnet connections: connections from one address, and lines a second.

The first limit is tested over real sockets, the second with the test's own clock.

Partitions:
- connections from this address: at the limit, one more, again after one has left; the default limits
- lines: within the limit, faster, after a pause; a session that is slower than its incoming lines; all of one address
- telnet commands instead of lines: as many as programs send; without end, whole and in a subnegotiation
- the two games over telnet: both obey the limits
"""

from __future__ import annotations

from functools import partial

import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from scramble.crossword import Puzzle, open_lobby
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.front.minesweeper.telnet import serve_telnet
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.protection.by_address import Pace
from scramble.server.protection.limits import LINES_PER_S_BY_ADDRESS, ServerLimits
from scramble.server.protection.send_budget import Unread
from scramble.server.telnet.connection import LineConnection
from scramble.server.telnet.server import serve_lines
from tests.support.crossword.driver import SIMPLE
from tests.support.linewise import connected, echo

ONE_EACH = ServerLimits(connections_by_address=1)
SORRY = b"Sorry, this server takes no more connections from your address.\r\n"


async def test_a_connection_beyond_those_of_its_address_is_sent_a_line_and_closed() -> None:
    async with trio.open_nursery() as nursery:
        serve = partial(serve_lines, echo, host="127.0.0.1", port=0, limits=ONE_EACH)
        address = await nursery.start(serve)
        async with connected(address) as one:
            await one.say(b"a\n")
            assert await one.line() == b"a\n"
            async with connected(address) as two:
                assert await two.rest() == SORRY
            await one.say(b"bye\n")
            await one.rest()
        answer = SORRY
        while answer == SORRY:  # until the server has noticed that a connection is closed
            async with connected(address) as again:
                await again.say(b"bye\n")
                answer = await again.rest()
        assert answer == b"farewell\n"
        nursery.cancel_scope.cancel()


async def test_the_limit_for_all_is_the_servers_own_or_the_given_one_if_that_is_lower() -> None:
    async with trio.open_nursery() as nursery:
        serve = partial(serve_lines, echo, host="127.0.0.1", port=0, full=b"full\n")
        address = await nursery.start(partial(serve, max_connections=5, limits=ServerLimits(connections=1)))
        async with connected(address) as one, connected(address) as two:
            await one.say(b"a\n")
            assert await one.line() == b"a\n"
            assert await two.rest() == b"full\n"
        nursery.cancel_scope.cancel()


async def test_both_games_hold_to_the_limits() -> None:
    puzzles = [Puzzle.parse(SIMPLE, id="simple")]
    async with (
        open_field(Field.random(2, 2, 1)) as field,
        open_lobby(puzzles) as lobby,
        trio.open_nursery() as nursery,
    ):
        for serve in (
            partial(serve_telnet, field, limits=ONE_EACH),
            partial(serve_crossword_telnet, lobby, server_limits=ONE_EACH),
        ):
            address = await nursery.start(partial(serve, host="127.0.0.1", port=0))
            async with connected(address) as one, connected(address) as two:
                await one.line()
                assert await two.rest() == SORRY
        nursery.cancel_scope.cancel()


# --- lines ---


async def times_of_lines(limits: ServerLimits, sent: list[tuple[float, int]]) -> list[float]:
    """Return the times when a session gets lines. `sent` has pairs of a delay and a number of lines."""
    ours, theirs = memory_stream_pair()
    times: list[float] = []

    async def session(connection: LineConnection) -> None:
        async for _ in connection:
            times.append(round(trio.current_time() - start, 6))

    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(LineConnection(theirs, cr_ends=True, limits=limits).run, session)
        for pause, count in sent:
            await trio.sleep(pause)
            await ours.send_all(count * b"x\n")
        await ours.send_eof()
        while await ours.receive_some():
            pass
        await ours.aclose()
    return times


async def test_lines_that_come_faster_than_they_may_wait_for_their_time(autojump_clock: MockClock) -> None:
    assert await times_of_lines(ServerLimits(lines_per_s=2), [(0, 5)]) == [0, 0, 0.5, 1, 1.5]


async def test_after_a_pause_some_lines_may_come_at_once_again(autojump_clock: MockClock) -> None:
    assert await times_of_lines(ServerLimits(lines_per_s=2), [(0, 2), (10, 3)]) == [0, 0, 10, 10, 10.5]


async def test_a_line_every_other_second_may_be_the_limit(autojump_clock: MockClock) -> None:
    assert await times_of_lines(ServerLimits(lines_per_s=0.5), [(0, 3)]) == [0, 2, 4]


async def test_lines_of_one_address_wait_over_all_its_connections(autojump_clock: MockClock) -> None:
    limits = ServerLimits(lines_per_s_by_address=2)
    pace = Pace(limits.lines_per_s_by_address, LINES_PER_S_BY_ADDRESS)
    start, times = trio.current_time(), dict[str, list[float]]()

    async def session(connection: LineConnection) -> None:
        async for line in connection:
            times.setdefault(f"{connection.host} {line!r}", []).append(trio.current_time() - start)

    async def client(host: str, sent: bytes) -> None:
        ours, theirs = memory_stream_pair()
        connection = LineConnection(theirs, cr_ends=True, host=host, limits=limits, pace=pace)
        async with ours:
            nursery.start_soon(connection.run, session)
            await ours.send_all(sent)
            await ours.send_eof()
            while await ours.receive_some():
                pass

    async with trio.open_nursery() as nursery:
        await client("192.0.2.1", 8 * b"a\n")
        await client("192.0.2.1", 2 * b"b\n")
        await client("192.0.2.1", 2 * b"\xff\xf1" + b"c\n")
        await client("192.0.2.2", b"d\n")
    assert times["192.0.2.1 b'a'"] == [0] * 8
    assert times["192.0.2.1 b'b'"] == [0.5, 1]
    assert times["192.0.2.1 b'c'"] == [2.5]
    assert times["192.0.2.2 b'd'"] == [2.5]


async def test_the_usual_limit_is_beyond_what_people_and_most_programs_send(autojump_clock: MockClock) -> None:
    assert await times_of_lines(ServerLimits(), [(0, 1000)]) == 1000 * [0]


# --- telnet commands ---


async def time_of_line_behind(noise: bytes, limits: ServerLimits) -> float:
    """Return the time when a session gets the line after the noise. The client reads all answers to the noise."""
    ours, theirs = memory_stream_pair()
    start, times = trio.current_time(), list[float]()

    async def session(connection: LineConnection) -> None:
        async for _ in connection:
            times.append(round(trio.current_time() - start, 6))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(LineConnection(theirs, cr_ends=True, limits=limits).run, session)
        await ours.send_all(noise + b"look\n")
        await ours.send_eof()
        while await ours.receive_some():
            pass
        await ours.aclose()
    assert len(times) == 1
    return times[0]


async def test_telnet_commands_that_come_faster_than_lines_may_wait_like_those(autojump_clock: MockClock) -> None:
    limits = ServerLimits(lines_per_s=100)
    assert await time_of_line_behind(b"\xff\xfd\x01" * 99, limits) == 0
    assert await time_of_line_behind(b"\xff\xfd\x01" * 299, limits) == 2
    assert await time_of_line_behind(b"\xff\xf1" * 299, limits) == 2
    assert await time_of_line_behind(b"\xff\xfa" * 299 + b"\xff\xf0", limits) == 2.01
    # The server reads this in several pieces, and waits before each next piece.
    assert await time_of_line_behind(b"\xff\xf1" * 19_999, limits) == 199


async def test_what_telnet_clients_say_of_themselves_does_not_wait(autojump_clock: MockClock) -> None:
    options = b"".join(b"\xff\xfb%c\xff\xfd%c" % (option, option) for option in range(14, 50))
    assert await time_of_line_behind(options + b"\xff\xfa\x1f" + b"size" * 1000 + b"\xff\xf0", ServerLimits()) == 0


# --- unsent bytes ---


async def test_what_waits_for_all_clients_together_is_bounded_and_the_one_that_took_nothing_longest_goes() -> None:
    unread, gone = Unread(100), list[int]()

    async def session(number: int, connection: LineConnection) -> None:
        connection.send(40 * b"x")
        try:
            await connection.drained()
        finally:
            gone.append(number)

    async with trio.open_nursery() as nursery:
        streams = [lockstep_stream_pair() for _ in range(4)]
        for number, (_, theirs) in enumerate(streams):
            nursery.start_soon(LineConnection(theirs, cr_ends=True, unread=unread).run, partial(session, number))
            await wait_all_tasks_blocked()
        assert gone == [0, 1]
        assert str(unread) == "80 of 100 bytes wait, for 2 connections"
        nursery.cancel_scope.cancel()
    assert str(unread) == "0 of 100 bytes wait, for 0 connections"
