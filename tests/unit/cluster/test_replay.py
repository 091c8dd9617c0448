"""Replaying the game of a room straight from Redis: `scramble replay redis://HOST --name ROOM`.

Partitions: an existing room whose owner continues to play; an unknown room; no name; no Redis; the extra is not
installed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import trio
from click.testing import CliRunner

from scramble.cli.clustered import read_room
from scramble.cli.main import main
from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.log import ClusterRecorder
from scramble.cluster.scripts import Beginning, claim
from scramble.memory import Board, open_game
from tests.support.cluster.redis import RedisServer, free_port, needs_redis

pytestmark = needs_redis

ROOM = "amber-river-lion-seven"


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


async def test_a_room_is_read_while_its_owner_plays_on(redis: RedisServer) -> None:
    address = parse_address(redis.url)
    board = Board.parse("2x2\nA\nA\nB\nB\n")
    async with open_link(address) as link:
        claimed = await claim(link, ROOM, None, Beginning(board.kind, board.state(), time.time()))
        assert claimed.owner is not None
        async with open_game(board, journal=ClusterRecorder(link, ROOM, claimed.owner)) as game:
            await game.flip("ann", 0, 0)
            whole = await trio.to_thread.run_sync(read_room, address, ROOM)
            await game.flip("ann", 0, 1)
            rest = await trio.to_thread.run_sync(lambda: read_room(address, ROOM, after=1))
            assert "my A" in await game.look("ann")
    assert (whole.kind, whole.name, [record.seq for record in whole.records]) == ("memory", ROOM, [1])
    assert [record.seq for record in rest.records] == [2]


@pytest.mark.parametrize(
    ("place", "name", "words"),
    [
        ("{url}", "no-such-room-here", "there is no game in room no-such-room-here"),
        ("{url}", None, "--name"),
        ("redis://:secret@127.0.0.1:{port}", "no-such-room-here", "127.0.0.1"),
        ("redis://:secret@127.0.0.1/x", "no-such-room-here", "number of its database"),
    ],
)
def test_an_impossible_replay_is_explained_in_one_line(
    redis: RedisServer, place: str, name: str | None, words: str
) -> None:
    where = place.format(url=redis.url, port=free_port())
    done = CliRunner().invoke(main, ["replay", where, *(("--name", name) if name else ())])
    assert done.exit_code in (1, 2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert "secret" not in done.stderr


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scramble.cli.places.find_spec", lambda name: None)
    done = CliRunner().invoke(main, ["replay", "redis://localhost", "--name", ROOM])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "pip install 'hiredis" in done.stderr
