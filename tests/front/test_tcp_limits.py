"""What telnet connections are limited in: how many from an address, over real sockets, and how many lines a second, on
a clock of the test's.

Partitions:
- connections from this address: as many as may, one more, again after one has left; the usual limits
- lines: within the limit, faster, after a pause; a session that is slower than its lines come
- the two games that telnet plays: both hold to the limits
"""

from __future__ import annotations

from functools import partial

import trio
from trio.testing import MockClock, memory_stream_pair

from scramble.crossword import Puzzle, open_lobby
from scramble.front.crossword_telnet import serve_crossword_telnet
from scramble.front.limits import Limits
from scramble.front.minesweeper_telnet import serve_telnet
from scramble.front.tcp import Connection, serve_lines
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from tests.crossword.driver import SIMPLE
from tests.front.linewise import HANG_S, connected, echo

ONE_EACH = Limits(connections_by_address=1)
SORRY = b"Sorry, there are as many connections from your address as this server takes.\r\n"


async def test_a_connection_beyond_those_of_its_address_is_sent_a_line_and_closed() -> None:
    with trio.fail_after(HANG_S):
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
            while answer == SORRY:  # until the server has seen that one has closed, too
                async with connected(address) as again:
                    await again.say(b"bye\n")
                    answer = await again.rest()
            assert answer == b"farewell\n"
            nursery.cancel_scope.cancel()


async def test_the_limit_for_all_is_the_servers_own_or_the_given_one_if_that_is_lower() -> None:
    with trio.fail_after(HANG_S):
        async with trio.open_nursery() as nursery:
            serve = partial(serve_lines, echo, host="127.0.0.1", port=0, full=b"full\n")
            address = await nursery.start(partial(serve, max_connections=5, limits=Limits(connections=1)))
            async with connected(address) as one, connected(address) as two:
                await one.say(b"a\n")
                assert await one.line() == b"a\n"
                assert await two.rest() == b"full\n"
            nursery.cancel_scope.cancel()


async def test_both_games_hold_to_the_limits() -> None:
    puzzles = [Puzzle.parse(SIMPLE, id="simple")]
    with trio.fail_after(HANG_S):
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


async def times_of_lines(limits: Limits, sent: list[tuple[float, int]]) -> list[float]:
    """When a session that takes each line as soon as it can gets them; so many are sent after such a time each."""
    ours, theirs = memory_stream_pair()
    times: list[float] = []

    async def session(connection: Connection) -> None:
        async for _ in connection:
            times.append(round(trio.current_time() - start, 6))

    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Connection(theirs, cr_ends=True, limits=limits).run, session)
        for pause, count in sent:
            await trio.sleep(pause)
            await ours.send_all(count * b"x\n")
        await ours.send_eof()
        while await ours.receive_some():
            pass
        await ours.aclose()
    return times


async def test_lines_that_come_faster_than_they_may_wait_for_their_time(autojump_clock: MockClock) -> None:
    assert await times_of_lines(Limits(lines_per_s=2), [(0, 5)]) == [0, 0, 0.5, 1, 1.5]


async def test_after_a_pause_some_lines_may_come_at_once_again(autojump_clock: MockClock) -> None:
    assert await times_of_lines(Limits(lines_per_s=2), [(0, 2), (10, 3)]) == [0, 0, 10, 10, 10.5]


async def test_a_line_every_other_second_may_be_the_limit(autojump_clock: MockClock) -> None:
    assert await times_of_lines(Limits(lines_per_s=0.5), [(0, 3)]) == [0, 2, 4]


async def test_the_usual_limit_is_beyond_what_people_and_most_programs_send(autojump_clock: MockClock) -> None:
    assert await times_of_lines(Limits(), [(0, 1000)]) == 1000 * [0]
