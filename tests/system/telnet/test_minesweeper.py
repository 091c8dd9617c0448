"""Multiplayer Minesweeper over telnet: the handout's protocol, with one player and with fifty at the same time.

Strategy. The naive model (tests/support/minesweeper/model.py) predicts each conversation. For fifty concurrent players
there must be a sequential order in which the model gives all of their answers.

Partitions:
- messages: each kind; malformed, empty, overlong, not UTF-8, with NUL, with every end of line, huge integers; at once,
  byte by byte; with telnet commands in between
- HELLO: its exact text; its N after other players came, said bye, lost, half-closed, were reset, were shut down with a
  server
- a dig of a bomb: with messages behind it; with --debug; by many players at the same time
- connections: half-closed, reset, not reading, beyond the limit
- the end: of the server, while the game continues; of the game, while the server continues
- the real `telnet`, with and without its negotiation
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from scramble.front.minesweeper.telnet import FULL_FIELD_LINE, play, serve_telnet
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.messages import Disconnected
from scramble.minesweeper.text import HELP
from scramble.server.listening import Address
from scramble.server.telnet.connection import MAX_WAITING, LineConnection
from tests.support.history import Call, History
from tests.support.linearizability import NotExplained, check
from tests.support.linewise import Client, connected, telnet_program
from tests.support.minesweeper.model import Model
from tests.support.minesweeper.spec import BOOM as BOOM_TEXT
from tests.support.minesweeper.spec import MineSpec, Shown
from tests.support.recorder import Recorder

COLUMNS, ROWS = 5, 4
BOMBS = frozenset({(2, 1), (4, 3)})
BOOM = b"BOOM!\r\n"
UNTOUCHED = b"- - - - -\r\n" * ROWS


def hello(players: int) -> bytes:
    return (
        f"Welcome to Minesweeper. Board: {COLUMNS} columns by {ROWS} rows. "
        f"Players: {players} including you. Type 'help' for help.\r\n"
    ).encode()


def small_field() -> Field:
    return Field(COLUMNS, ROWS, BOMBS)


@asynccontextmanager
async def serving(game: Game, *, debug: bool = False, max_connections: int = 100) -> AsyncIterator[Address]:
    """Serve `game` by telnet within the block, which has a time limit."""
    async with trio.open_nursery() as nursery:
        serve = partial(serve_telnet, game, debug=debug, max_connections=max_connections)
        yield await nursery.start(partial(serve, host="127.0.0.1", port=0))
        nursery.cancel_scope.cancel()


async def converse(*segments: bytes, debug: bool = False) -> bytes:
    """Send these segments on the small field, then close this side; return all received data."""
    ours, theirs = memory_stream_pair()
    received = b""
    async with open_game(small_field()) as game, trio.open_nursery() as nursery:
        nursery.start_soon(LineConnection(theirs, cr_ends=True).run, partial(play, game, debug))
        for segment in segments:
            await ours.send_all(segment)
        await ours.send_eof()
        async for data in ours:
            received += data
    return received


def told(*messages: str, debug: bool = False) -> bytes:
    """Return the handout's answers to the same messages, after HELLO."""
    model = Model(COLUMNS, ROWS, BOMBS)
    replies = [hello(1)]
    for message in messages:
        if message == "bye":
            break
        if not re.fullmatch(r"look|(dig|flag|deflag) -?[0-9]+ -?[0-9]+", message):
            replies.append(HELP)
            continue
        model, reply = model.step(message)
        replies.append(reply.replace("\n", "\r\n").encode())
        if reply == "BOOM!\n" and not debug:
            break
    return b"".join(replies)


# the protocol


MESSAGES = [
    "look",
    "help",
    "flag 0 0",
    "flag 0 0",
    "dig 0 0",
    "deflag 0 0",
    "deflag 0 0",
    "dig 3 0",
    "dig -0 00",
    "dig 5 0",
    "flag 0 -1",
    f"dig {'9' * 500} -{'9' * 400}",
    "",
    " look",
    "look ",
    "LOOK",
    "dig 1",
    "dig 1  1",
    "dig 1 1 1",
    "dig +1 1",
    "dig ١ 1",
    "boom!",
    "hello\tworld",
    "\0",
    "dig 0 2",
    "look",
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_every_message_gets_the_answer_of_the_handout(end: str) -> None:
    sent = "".join(message + end for message in MESSAGES).encode()
    assert await converse(sent) == told(*MESSAGES)
    assert await converse(*(bytes([byte]) for byte in sent)) == told(*MESSAGES)


async def test_every_message_gets_its_answer_over_a_real_socket_too() -> None:
    sent = "".join(message + "\r\n" for message in MESSAGES).encode()
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as client:
        await client.say(sent)
        await client.stream.send_eof()
        assert await client.rest() == told(*MESSAGES)


async def test_a_message_is_answered_before_the_next_one_comes_whatever_ends_it() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as client:
        assert await client.line() == hello(1)
        for end in (b"\n", b"\r", b"\r\n", b"\r"):
            for byte in b"look" + end:
                await client.say(bytes([byte]))
            assert await client.lines(ROWS) == UNTOUCHED
        await client.say(b"\n")  # belongs to the last "\r"
        await client.say(b"help\n")
        assert await client.line() == HELP


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"\xc3\x28", b"look\xff", b"dig 1 \xe2\x82", b"\0", b"look\0", b"x" * 5000]
)
async def test_what_is_not_text_or_too_long_gets_one_help_line(line: bytes) -> None:
    assert await converse(line + b"\nlook\n") == hello(1) + HELP + UNTOUCHED


async def test_help_is_one_line_that_names_every_command() -> None:
    answer = await converse(b"help\r\n")
    assert answer.count(b"\n") == 2
    for command in (b"look", b"dig", b"flag", b"deflag", b"help", b"bye"):
        assert command in answer.removeprefix(hello(1))


async def test_telnet_commands_are_refused_and_no_part_of_any_message() -> None:
    naws = b"\xff\xfb\x1f\xff\xfa\x1f\x00\x0d\x00\x0a\xff\xf0"
    answer = await converse(b"lo" + naws + b"ok\r\xff\xfd\x01\ndig 0 \xff\xf10\n")
    assert answer.replace(b"\xff\xfe\x1f", b"", 1).replace(b"\xff\xfc\x01", b"", 1) == told("look", "dig 0 0")


async def test_bye_closes_the_connection_and_nothing_behind_it_is_carried_out() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as client:
        await client.say(b"flag 0 0\nbye\nflag 1 1\n")
        assert await client.rest() == told("flag 0 0")
        assert (await game.look()).text == "F - - - -\n" + "- - - - -\n" * 3


# BOOM!


async def test_boom_is_the_last_that_the_player_gets_and_nothing_behind_it_is_carried_out() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as client:
        await client.say(b"look\ndig 2 1\nlook\ndig 4 3\n" + b"flag 0 0\n" * 10_000)
        assert await client.rest() == hello(1) + UNTOUCHED + BOOM
        after, _ = Model(COLUMNS, ROWS, BOMBS).step("dig 2 1")
        assert (await game.look()).text == after.board()


async def test_with_debug_boom_is_the_only_answer_to_that_dig_and_the_player_plays_on() -> None:
    messages = ["dig 2 1", "look", "dig 2 1", "dig 4 3", "look"]
    sent = "".join(f"{message}\n" for message in messages).encode()
    assert await converse(sent, debug=True) == told(*messages, debug=True)
    assert told(*messages, debug=True).count(BOOM) == 2


async def test_whoever_lost_may_come_back_to_the_same_field_and_is_counted_once() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as other:
        assert await other.line() == hello(1)
        async with connected(address) as client:
            await client.say(b"dig 2 1\n")
            assert await client.rest() == hello(2) + BOOM
        async with connected(address) as client:
            await client.say(b"bye\n")
            assert await client.rest() == hello(2)


async def test_of_many_who_dig_up_the_same_bomb_at_once_exactly_one_loses() -> None:
    model, _ = Model(COLUMNS, ROWS, BOMBS).step("dig 2 1")
    board = model.board().replace("\n", "\r\n").encode()
    async with open_game(small_field()) as game, serving(game) as address, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(address)) for _ in range(30)]
        for client in clients:
            await client.line()
        answers: list[bytes] = []

        async def dig(client: Client) -> None:
            await client.say(b"dig 2 1\n")
            await client.stream.send_eof()
            answers.append(await client.rest())

        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(dig, client)
        assert sorted(answers) == sorted([BOOM] + [board] * 29)


# many players at once


def rectangular(reply: bytes, columns: int, rows: int) -> bool:
    line = rb"([-F1-8 ] ){%d}[-F1-8 ]\r\n" % (columns - 1)
    return re.fullmatch(rb"(%s){%d}" % (line, rows), reply) is not None


async def play_randomly(address: Address, recorder: Recorder[str, str], seed: int, columns: int, rows: int) -> None:
    """Play a few messages, each after the answer to the previous message. After a lost game, connect again."""
    chance = random.Random(seed)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(connected(address))
        await client.line()

        async def ask(message: str) -> str:
            await client.say(f"{message}\n".encode())
            reply = await client.line()
            if reply != BOOM:
                reply += await client.lines(rows - 1)
                assert rectangular(reply, columns, rows)
            return reply.decode().replace("\r\n", "\n")

        for _ in range(5):
            word = chance.choice(["dig", "dig", "dig", "flag", "deflag", "look"])
            square = f" {chance.randrange(-1, columns + 1)} {chance.randrange(rows)}"
            message = word if word == "look" else word + square
            lost = False

            async def note(message: str = message) -> Shown:
                nonlocal lost
                reply = await ask(message)
                lost = reply == BOOM_TEXT
                return Shown(reply)

            await recorder.call(message, note, trio.CancelScope())
            if lost:
                assert await client.rest() == b""
                client = await stack.enter_async_context(connected(address))
                await client.line()


async def test_what_fifty_players_see_has_one_sequential_order() -> None:
    columns, rows = 12, 10
    field = Field.random(columns, rows, seed=3)
    recorder: Recorder[str, str] = Recorder()
    async with open_game(field) as game, serving(game) as address:
        async with trio.open_nursery() as nursery:
            for seed in range(50):
                nursery.start_soon(play_randomly, address, recorder, seed, columns, rows)

        async def look() -> Shown:
            return Shown((await game.look()).text)

        await recorder.call("look", look, trio.CancelScope())  # the order must lead to the final field
    history = recorder.finished()
    assert len(history.calls) == 251
    check(history, MineSpec(Model(columns, rows, frozenset(field.bombs()))))
    assert sum(call.told == Shown(BOOM_TEXT) for call in history.calls) > 5


def history_of(*calls: tuple[str, int, int, str]) -> History[str, str]:
    """Return a history made from (op, began, ended, answer)."""
    return History(calls=[Call(op, began, ended, Shown(answer)) for op, began, ended, answer in calls])


def test_a_history_with_a_wrong_answer_has_no_order() -> None:
    model = Model(COLUMNS, ROWS, BOMBS)
    flagged, board = model.step("flag 0 0")
    overlapping = (("flag 0 0", 0, 3, board), ("look", 1, 2, model.board()))
    check(history_of(*overlapping, ("look", 4, 5, board)), MineSpec(model))
    for wrong in (model.board(), flagged.step("dig 1 0")[1], BOOM_TEXT):
        with pytest.raises(NotExplained):
            check(history_of(*overlapping, ("look", 4, 5, wrong)), MineSpec(model))


def test_a_move_without_effect_may_have_come_later_when_it_had_one() -> None:
    model = Model(COLUMNS, ROWS, BOMBS)
    flagged, board = model.step("flag 0 0")
    calls = (("flag 0 0", 0, 5, board), ("deflag 0 0", 1, 4, model.board()), ("look", 6, 7, board))
    check(history_of(*calls), MineSpec(flagged))


# players come and leave


async def test_hello_counts_exactly_those_who_are_connected() -> None:
    async with open_game(small_field()) as game, serving(game) as address, AsyncExitStack() as stack:
        clients = []
        for number in range(1, 6):
            clients.append(await stack.enter_async_context(connected(address)))
            assert await clients[-1].line() == hello(number)
        await clients[0].say(b"bye\n")
        await clients[1].say(b"dig 2 1\n")
        await clients[2].stream.send_eof()
        for client, last_words in zip(clients[:3], (b"", BOOM, b""), strict=True):
            assert await client.rest() == last_words
        clients.append(await stack.enter_async_context(connected(address)))
        assert await clients[-1].line() == hello(3)


async def test_a_reset_player_is_counted_out() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as other:
        await other.line()
        changes = game.changes()
        async with connected(address) as client:
            await client.line()
            await client.say(b"look\nfla")
            await client.reset()
        async for change in changes:
            if isinstance(change.events[0], Disconnected):
                break
        async with connected(address) as client:
            assert await client.line() == hello(2)
        await other.say(b"look\n")
        assert await other.lines(ROWS) == UNTOUCHED


async def test_resets_at_any_moment_leave_the_count_exact() -> None:
    async with open_game(small_field()) as game, serving(game, debug=True) as address, connected(address) as other:
        await other.line()

        async def come_and_go(seed: int) -> None:
            chance = random.Random(seed)
            for _ in range(5):
                async with connected(address) as client:
                    if chance.random() < 0.5:
                        await client.line()
                    if chance.random() < 0.7:
                        await client.say(b"flag 0 0\ndig 2 1\ndeflag 0 0\n" * chance.randrange(50))
                    await client.reset()

        async with trio.open_nursery() as nursery:
            for seed in range(10):
                nursery.start_soon(come_and_go, seed)
        changes = game.changes()
        while len((await game.snapshot()).players) > 1:
            await anext(changes)
        async with connected(address) as client:
            assert await client.line() == hello(2)


async def test_beyond_the_limit_there_is_one_line_and_nobody_is_counted() -> None:
    async with open_game(small_field()) as game, serving(game, max_connections=1) as address, connected(address) as one:
        assert await one.line() == hello(1)
        async with connected(address) as two:
            assert await two.rest() == FULL_FIELD_LINE
        assert len((await game.snapshot()).players) == 1


async def test_shutting_a_server_down_counts_its_players_out_of_a_game_that_goes_on() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as here:
        await here.line()
        async with AsyncExitStack() as stack:
            async with serving(game) as other_address:
                there = [await stack.enter_async_context(connected(other_address)) for _ in range(3)]
                for client in there:
                    await client.line()
                await there[0].say(b"look\nlook\nloo")
            assert len((await game.snapshot()).players) == 1
            for client in there:
                await client.until_gone()
        await here.say(b"look\n")
        assert await here.lines(ROWS) == UNTOUCHED


async def test_the_end_of_the_game_closes_the_connections() -> None:
    async with open_game(small_field()) as game, serving(game) as address, connected(address) as client:
        await client.line()
        await game.aclose()
        await client.say(b"look\n")
        assert await client.rest() == b""
        async with connected(address) as late:
            assert await late.rest() == b""


async def test_two_servers_and_the_program_itself_play_on_one_field() -> None:
    async with (
        open_game(small_field()) as game,
        serving(game) as here,
        serving(game) as there,
        connected(here) as ann,
        connected(there) as bob,
    ):
        assert sorted([await ann.line(), await bob.line()]) == [hello(1), hello(2)]
        await ann.say(b"flag 0 0\n")
        await ann.lines(ROWS)
        await game.flag(1, 0)
        await bob.say(b"look\n")
        assert await bob.lines(ROWS) == b"F F - - -\r\n" + b"- - - - -\r\n" * 3


async def test_a_player_who_does_not_read_is_dropped_and_counted_out_while_others_play_on(
    autojump_clock: MockClock,
) -> None:
    field = Field.random(100, 100, seed=1)
    async with open_game(field) as game, trio.open_nursery() as nursery:
        slow, theirs = lockstep_stream_pair()
        nursery.start_soon(LineConnection(theirs, cr_ends=True).run, partial(play, game, True))
        asked = 0

        async def flood() -> None:
            nonlocal asked
            try:
                while True:
                    await slow.send_all(b"look\n")
                    asked += 1
            except trio.BrokenResourceError:
                pass

        nursery.start_soon(flood)
        await wait_all_tasks_blocked()
        assert MAX_WAITING < asked * len((await game.look()).text) < MAX_WAITING + 100_000
        async with game.connect() as other:
            assert other.players == 2
        async for change in game.changes():
            if change.events == (Disconnected(1),):
                break
        async with game.connect() as other:
            assert other.players == 1


async def test_a_field_larger_than_what_may_wait_can_be_looked_at_again_and_again() -> None:
    async with open_game(Field.random(1000, 1000, seed=1)) as game, serving(game) as address:
        text = (await game.look()).text.replace("\n", "\r\n").encode()
        async with connected(address) as client:
            await client.line()
            await client.say(b"look\n" * 3)
            await client.stream.send_eof()
            assert await client.rest() == text * 3


# the real telnet program


@pytest.mark.parametrize("negotiate", [False, True])
async def test_the_real_telnet_program_plays(negotiate: bool) -> None:
    async with open_game(small_field()) as game, serving(game) as address:
        port = f"-{address.port}" if negotiate else str(address.port)  # "-": the program negotiates
        async with telnet_program(address.host, port) as telnet:
            await telnet.until(hello(1).replace(b"\r", b""))
            await telnet.enter(b"look")
            await telnet.until(UNTOUCHED.replace(b"\r", b""))
            await telnet.enter(b"flag 0 0")
            await telnet.until(b"F - - - -\n" + b"- - - - -\n" * 3)
            await telnet.enter(b"dig 2 1")
            await telnet.until(b"BOOM!\nConnection closed by foreign host.\n")
            assert told("look", "flag 0 0", "dig 2 1").replace(b"\r", b"") in telnet.shown
            assert await telnet.ended() == 0
