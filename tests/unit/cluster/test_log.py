"""The log of a room in Redis, on a real server, with games of Memory Scramble.

Partitions:
- a claim of a room: the first; after the owner released it; after the owner was deposed; by two at once; with a lost
  answer; of a room of another format; of a room without a beginning
- a game: begins; is continued; is of another kind; has parked requests; has snapshots (sound, two, damaged)
- a commit: is written; is sent again after the loss of its answer, or of the request; finds another owner, with and
  without commands in the batch; finds that Redis has lost commands; meets a Redis that is starting (or is full:
  test_full.py)
- a command is refused while Redis has no room
- a recording is read: whole; from a number on; during its writing; with a missing or damaged part
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio
import trio.lowlevel
import trio.testing

from scramble.cluster import log
from scramble.cluster.address import parse_address
from scramble.cluster.link import RedisLink, open_link
from scramble.cluster.log import ClusterRecorder, read_log
from scramble.cluster.protocol import Deposed, GameMoved, Token
from scramble.cluster.scripts import Beginning, Claim, claim, owner_of, release, remove
from scramble.errors import DiskFull, GameStopped, JournalError, JournalFailed, leaves
from scramble.journal import Journal, commandlog, read_recording
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.actor import Actor, open_actor
from scramble.memory import Board, Game, open_game
from scramble.memory.messages import Flip, Look, NewGame
from scramble.minesweeper import Field
from tests.support.cluster.proxy import Proxy
from tests.support.cluster.redis import LOADING, RedisServer, needs_redis

pytestmark = needs_redis

BOARD = "2x2\nA\nB\nA\nB\n"
ROOM = "room"


def board() -> Board:
    return Board.parse(BOARD)


async def claimed(link: RedisLink, room: str = ROOM) -> Token:
    """Claim a room from any owner."""
    rules = board()
    beginning = Beginning(rules.kind, rules.state(), time.time())
    found = await claim(link, room, await owner_of(link, room), beginning)
    assert found.won
    assert found.owner is not None
    return found.owner


@asynccontextmanager
async def playing(link: RedisLink, room: str = ROOM) -> AsyncIterator[Game]:
    """Claim the room, play its game, and release it."""
    token = await claimed(link, room)
    async with open_game(board(), journal=ClusterRecorder(link, room, token)) as game:
        yield game
    await release(link, room, token)


@asynccontextmanager
async def owned(link: RedisLink, **settings: bool) -> AsyncIterator[Actor]:
    """Claim the room, and run its owner task."""
    token = await claimed(link)
    room_left = settings.get("room_left", True)
    recorder = ClusterRecorder(link, ROOM, token, lambda: room_left)
    async with recorder.recorded(board()) as kept, open_actor(kept.rules, log=kept.log) as actor:
        yield actor


@contextmanager
def failing(kind: type[JournalFailed], *words: str) -> Iterator[None]:
    """Check that the block fails with an error of the log that contains these words."""
    with pytest.raises(ExceptionGroup) as group:
        yield
    (error,) = leaves(group.value)
    assert isinstance(error, kind)
    assert all(word in str(error) for word in words), error


# --- claims ---


async def test_the_first_claim_begins_the_log_and_later_ones_have_higher_epochs(
    link: RedisLink, other: RedisLink
) -> None:
    assert await owner_of(link, ROOM) is None
    first = await claim(link, ROOM, None, Beginning("memory", b"{}", 1.5))
    assert first == Claim(Token(1, link.process), won=True)
    assert await read_log(other, ROOM) == await read_log(link, ROOM)
    assert (await read_log(link, ROOM)).first == b"{}"
    assert await claim(other, ROOM, None) == Claim(Token(1, link.process), won=False)
    assert await claim(other, ROOM, Token(1, link.process)) == Claim(Token(2, other.process), won=True)
    await release(link, ROOM, Token(1, link.process))  # too late
    assert await owner_of(link, ROOM) == Token(2, other.process)
    await release(other, ROOM, Token(2, other.process))
    assert await owner_of(link, ROOM) is None
    third = await claim(link, ROOM, None, Beginning("another", b"[]", 9.0))
    assert third == Claim(Token(3, link.process), won=True)
    assert (await read_log(link, ROOM)).kind == "memory"


async def test_of_many_claims_at_once_one_is_won(link: RedisLink, other: RedisLink) -> None:
    found: list[Claim] = []

    async def try_to(link: RedisLink) -> None:
        found.append(await claim(link, ROOM, None, Beginning("memory", b"{}", 1.5)))

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(try_to, link)
            nursery.start_soon(try_to, other)
    assert sum(claim.won for claim in found) == 1
    assert len({claim.owner for claim in found}) == 1


async def test_a_claim_whose_answer_is_lost_is_won(link: RedisLink, other: RedisLink, proxy: Proxy) -> None:
    await release(link, ROOM, await claimed(link))
    proxy.answers.stall()
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _() -> None:
            found = await claim(link, ROOM, None)
            assert found == Claim(Token(2, link.process), won=True)

        while await owner_of(other, ROOM) is None:
            await trio.lowlevel.checkpoint()
        proxy.cut()
        proxy.resume()


async def test_a_room_that_is_not_there_or_of_another_format_is_not_claimed(link: RedisLink) -> None:
    with pytest.raises(JournalError, match="no game in room"):
        await claim(link, ROOM, None)
    assert await link.call("EXISTS", link.names.room(ROOM)) == 0
    token = await claimed(link)
    await link.call("HSET", link.names.room(ROOM), "format", "2")
    with pytest.raises(JournalError, match="has format 2"):
        await claim(link, ROOM, token)
    with pytest.raises(JournalError, match="has format 2"):
        async with ClusterRecorder(link, ROOM, token).recorded(board()):
            pass
    assert await owner_of(link, ROOM) == token


async def test_only_the_owner_removes_a_room(link: RedisLink, other: RedisLink) -> None:
    async with owned(link) as actor:
        await actor.ask(Flip("ann", 0, 0))
    deposed = await owner_of(link, ROOM)
    assert deposed is not None
    token = await claimed(other)
    await remove(link, ROOM, deposed)
    assert (await read_log(link, ROOM)).records
    await remove(other, ROOM, token)
    with pytest.raises(JournalError, match="no game in room"):
        await read_log(link, ROOM)
    assert await link.call("KEYS", "*room*") == []


# --- continuing a game ---


async def test_a_game_continues_in_another_process_from_its_last_state(link: RedisLink, other: RedisLink) -> None:
    async with playing(link) as game:
        await game.flip("ann", 0, 0)
        await game.flip("ann", 1, 0)
        before = await game.look("nobody")
    async with playing(other) as game:
        assert await game.look("nobody") == before
        await game.flip("bob", 0, 1)
    async with playing(link) as game:
        assert await game.look("bob") != before


async def test_the_log_is_what_a_journal_has(link: RedisLink, tmp_path: Path) -> None:
    async def play(game: Game) -> None:
        for number in range(30):
            await game.new_game("ann", number)
            await game.flip("ann", number % 2, 0)

    file = tmp_path / "game.db"
    async with playing(link) as game:
        await play(game)
    async with open_game(board(), journal=Journal(file)) as game:
        await play(game)
    found, expected = await read_log(link, ROOM), read_recording(file)
    assert (found.kind, found.first, found.digests) == (expected.kind, expected.first, expected.digests)
    assert [(r.seq, r.ticket, r.command) for r in found.records] == [
        (r.seq, r.ticket, r.command) for r in expected.records
    ]


async def test_requests_that_waited_when_the_owner_died_are_withdrawn(link: RedisLink, other: RedisLink) -> None:
    async with AsyncExitStack() as stack:
        nursery = await stack.enter_async_context(trio.open_nursery())
        actor = await stack.enter_async_context(owned(link))
        await actor.ask(Flip("ann", 0, 0))
        parked = trio.Event()
        nursery.start_soon(partial(actor.ask, Flip("bob", 0, 0), parked=parked))
        await parked.wait()
        async with playing(other) as game:
            await game.flip("ann", 0, 1)  # gives up the card for which bob waited
            assert "none" not in await game.look("bob")
            commands = [record.command for record in (await read_log(other, ROOM)).records]
        nursery.cancel_scope.cancel()
    assert sum(b"Withdraw" in command for command in commands) == 1


async def test_a_game_of_another_kind_is_refused(link: RedisLink) -> None:
    token = await claimed(link)
    with pytest.raises(JournalError, match="has a game of memory, not of minesweeper"):
        async with ClusterRecorder(link, ROOM, token).recorded(Field.parse("2 2\n0 0\n0 1\n")):
            pass


# --- commits ---


async def test_a_deposed_owner_answers_nobody(link: RedisLink, other: RedisLink) -> None:
    for command in (Flip("ann", 0, 0), Look("ann")):
        with failing(Deposed, other.process):
            async with owned(link) as actor:
                await actor.ask(Look("ann"))
                await claimed(other)
                with pytest.raises(GameMoved):
                    await actor.ask(command)
    assert not (await read_log(link, ROOM)).records


async def test_a_commit_whose_answer_is_lost_is_sent_again_and_done_once(
    link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    async with owned(link) as actor, trio.open_nursery() as nursery:
        await actor.ask(NewGame("ann", 1))
        proxy.answers.stall()
        nursery.start_soon(actor.ask, NewGame("ann", 2))
        while len((await read_log(other, ROOM)).records) < 2:
            await trio.lowlevel.checkpoint()
        proxy.cut()
        proxy.resume()
        await actor.ask(NewGame("ann", 3))
    commands = [msgspec.json.decode(record.command)["seed"] for record in (await read_log(other, ROOM)).records]
    assert commands == [1, 2, 3]


async def test_a_commit_that_did_not_arrive_is_sent_again(link: RedisLink, proxy: Proxy) -> None:
    async with owned(link) as actor, trio.open_nursery() as nursery:
        proxy.requests.stall()
        nursery.start_soon(actor.ask, NewGame("ann", 1))
        await trio.testing.wait_all_tasks_blocked(0.01)
        proxy.cut()
        proxy.resume()
    assert len((await read_log(link, ROOM)).records) == 1


async def test_a_redis_that_has_lost_commands_stops_the_game_and_it_resumes_from_the_rest(link: RedisLink) -> None:
    with failing(JournalFailed, "lost commands", "ends at 1 where 2"):
        async with owned(link) as actor:
            await actor.ask(NewGame("ann", 1))
            await actor.ask(NewGame("ann", 2))
            await link.call("XDEL", link.names.log(ROOM), "2-0")
            await link.call("XSETID", link.names.log(ROOM), "1-0")
            await link.call("HSET", link.names.room(ROOM), "seq", 1)
            with pytest.raises(GameStopped):
                await actor.ask(NewGame("ann", 3))
    async with owned(link) as actor:
        await actor.ask(NewGame("ann", 4))
    commands = [msgspec.json.decode(record.command)["seed"] for record in (await read_log(link, ROOM)).records]
    assert commands == [1, 4]


async def test_a_redis_that_has_forgotten_the_room_deposes_its_owner(link: RedisLink) -> None:
    with failing(Deposed, "no longer"):
        async with owned(link) as actor:
            await link.call("FLUSHALL")
            with pytest.raises(GameMoved):
                await actor.ask(Look("ann"))


async def test_while_there_is_no_room_commands_are_refused_and_questions_are_not(link: RedisLink) -> None:
    async with owned(link, room_left=False) as actor:
        with pytest.raises(DiskFull, match="Redis is full"):
            await actor.ask(Flip("ann", 0, 0))
        await actor.ask(Look("ann"))
    assert not (await read_log(link, ROOM)).records


async def test_a_game_waits_for_a_redis_that_reads_its_files(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as redis:
        async with open_link(parse_address(redis.url)) as link, owned(link) as actor, trio.open_nursery() as nursery:
            await actor.ask(NewGame("ann", 0))
            await link.call("MSET", *(word for number in range(200) for word in (str(number), bytes(1000))))
            await link.call("SAVE")
            redis.kill()
            nursery.start_soon(actor.ask, NewGame("ann", 1))
            redis.config.update({"key-load-delay": "5000", "loading-process-events-interval-bytes": "1024"})  # 1 s
            redis.start(LOADING)
            await actor.ask(Look("ann"))
        async with open_link(parse_address(redis.url)) as link:
            assert len((await read_log(link, ROOM)).records) == 2


async def test_a_game_outlives_a_restart_of_redis(tmp_path: Path) -> None:
    """After its restart Redis has no scripts, and refuses commands while it reads its files."""
    with RedisServer(tmp_path, {"appendonly": "yes", "appendfsync": "always"}) as redis:
        async with open_link(parse_address(redis.url)) as link, owned(link) as actor, trio.open_nursery() as nursery:
            await actor.ask(NewGame("ann", 0))
            redis.kill()
            for number in range(1, 4):
                nursery.start_soon(actor.ask, NewGame("ann", number))
            await trio.testing.wait_all_tasks_blocked(0.01)
            redis.start()
            await actor.ask(Look("ann"))
        async with open_link(parse_address(redis.url)) as link:
            assert len((await read_log(link, ROOM)).records) == 4


# --- snapshots ---


async def stored(link: RedisLink) -> list[int]:
    """Return the numbers of the commands with snapshots, the latest first."""
    found = await link.call("HMGET", link.names.room(ROOM), "snapshot", "snapshot-before")
    assert isinstance(found, list)
    decoder = msgspec.msgpack.Decoder(StoredSnapshot)
    return [decoder.decode(snapshot).seq for snapshot in found if isinstance(snapshot, bytes)]


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tenth command has a digest and a snapshot."""
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", 10)
    monkeypatch.setattr(commandlog, "STATE_BYTES", 1 << 20)


async def shuffle(link: RedisLink, first: int, last: int) -> str:
    """Restart the game with each of these seeds; return the last board."""
    async with playing(link) as game:
        for number in range(first, last + 1):
            await game.new_game("ann", number)
        await game.flip("ann", 0, 0)
        return await game.look("ann")


@pytest.mark.usefixtures("often", "exact")
async def test_two_snapshots_stay_and_all_commands(link: RedisLink, other: RedisLink) -> None:
    await shuffle(link, 1, 9)
    assert await stored(link) == [10]
    await shuffle(other, 1, 15)
    assert await stored(link) == [20, 10]
    await shuffle(link, 1, 9)
    assert await stored(link) == [30, 20]
    assert [record.seq for record in (await read_log(link, ROOM)).records] == list(range(1, 37))


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("damaged", [("snapshot",), ("snapshot", "snapshot-before")])
async def test_without_a_sound_snapshot_the_game_goes_on_from_an_earlier_one_or_its_beginning(
    link: RedisLink, damaged: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    before = await shuffle(link, 1, 24)
    for field in damaged:
        data = await link.call("HGET", link.names.room(ROOM), field)
        assert isinstance(data, bytes)
        snapshot = msgspec.msgpack.decode(data, type=StoredSnapshot)
        changed = msgspec.structs.replace(snapshot, state=b" " + snapshot.state)
        await link.call("HSET", link.names.room(ROOM), field, msgspec.msgpack.encode(changed))
    async with playing(link) as game:
        assert await game.look("ann") == before
    assert caplog.text.count("snapshot-ignored") == len(damaged)


@pytest.mark.usefixtures("often")
async def test_requests_that_wait_at_a_snapshot_are_withdrawn_too(link: RedisLink, other: RedisLink) -> None:
    async with trio.open_nursery() as nursery, owned(link) as actor:
        await actor.ask(Flip("ann", 0, 0))
        parked = trio.Event()
        nursery.start_soon(partial(actor.ask, Flip("bob", 0, 0), parked=parked))
        await parked.wait()
        for number in range(8):
            await actor.ask(Flip("eve", 1, number % 2))
        assert await stored(link) == [10]
        async with playing(other):
            commands = [record.command for record in (await read_log(other, ROOM)).records]
        nursery.cancel_scope.cancel()
    assert sum(b"Withdraw" in command for command in commands[10:]) >= 1


# --- reading, and damaged logs ---


async def test_a_recording_is_read_from_any_command_on_also_within_a_commit(link: RedisLink, other: RedisLink) -> None:
    async with owned(link) as actor:
        async with trio.open_nursery() as nursery:
            for number in range(10):
                nursery.start_soon(actor.ask, NewGame("ann", number))
        await actor.ask(NewGame("ann", 10))
        token = await owner_of(link, ROOM)
        assert token is not None
        recorder = ClusterRecorder(other, ROOM, token)
        whole = (await read_log(other, ROOM)).records
        assert await link.call("XLEN", link.names.log(ROOM)) == 2
        for after in range(12):
            found = await trio.to_thread.run_sync(partial(recorder.read, after=after))
            assert [(r.seq, r.command) for r in found.records] == [(r.seq, r.command) for r in whole[after:]]


async def test_a_long_log_is_read_in_pages(link: RedisLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PAGE", 3)
    before = await shuffle(link, 1, 20)
    assert [record.seq for record in (await read_log(link, ROOM)).records] == list(range(1, 22))
    async with playing(link) as game:
        assert await game.look("ann") == before


ENTRY = msgspec.msgpack.encode([[1, 2.0, msgspec.json.encode(NewGame("ann", 1))]])


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        ([("XDEL", "LOG", "2-0")], "command 3 comes after command 1"),
        ([("XDEL", "LOG", "1-0")], "command 2 comes after command 0"),
        ([("XDEL", "LOG", "3-0")], "ends at command 2 instead of 3"),
        ([("UNLINK", "LOG")], "ends at command 0 instead of 3"),
        ([("XADD", "LOG", "4-1", "c", ENTRY), ("HSET", "ROOM", "seq", "4")], "is no log entry"),
        ([("XADD", "LOG", "4-0", "x", ENTRY), ("HSET", "ROOM", "seq", "4")], "is no log entry"),
        ([("XADD", "LOG", "4-0", "c", b"\xc1"), ("HSET", "ROOM", "seq", "4")], "damaged, or was written by another"),
        ([("XADD", "LOG", "4-0", "c", b"\x90"), ("HSET", "ROOM", "seq", "4")], "command 5 comes after command 3"),
        ([("HSET", "ROOM", "seq", "many")], "damaged, or was written by another"),
        ([("HDEL", "ROOM", "first")], "damaged, or was written by another"),
        ([("HSET", "ROOM", "owner", "somebody")], "an owner that is no token"),
        ([("DEL", "ROOM")], "no game in room"),
        ([("DEL", "ROOM"), ("SET", "ROOM", "1")], "WRONGTYPE"),
        ([("DEL", "LOG"), ("SET", "LOG", "1")], "WRONGTYPE"),
    ],
)
async def test_an_invalid_log_is_refused_and_not_changed(
    link: RedisLink, commands: list[tuple[str | bytes, ...]], words: str
) -> None:
    await shuffle(link, 1, 2)
    token = await claimed(link)
    keys = {"ROOM": link.names.room(ROOM), "LOG": link.names.log(ROOM)}
    for command in commands:
        await link.call(*(keys.get(word, word) if isinstance(word, str) else word for word in command))
    before = [await link.call("DUMP", key) for key in keys.values()]
    with pytest.raises(JournalError, match=words):
        await read_log(link, ROOM)
    with pytest.raises(JournalError, match=words):
        async with ClusterRecorder(link, ROOM, token).recorded(board()):
            pass
    assert [await link.call("DUMP", key) for key in keys.values()] == before


@pytest.mark.usefixtures("often")
async def test_commands_that_lead_to_another_state_than_before_are_refused(link: RedisLink) -> None:
    await shuffle(link, 1, 12)
    await link.call("HDEL", link.names.room(ROOM), "snapshot")
    wrong = msgspec.msgpack.encode({10: "0" * 64})
    records = (await read_log(link, ROOM)).records
    await link.call("UNLINK", link.names.log(ROOM))
    for record in records:
        data = msgspec.msgpack.encode([(record.ticket, record.time, record.command)])
        digest = ("d", wrong) if record.seq == 10 else ()
        await link.call("XADD", link.names.log(ROOM), f"{record.seq}-0", "c", data, *digest)
    with pytest.raises(JournalError, match="command 10 leads to another state than before"):
        async with playing(link):
            pass
