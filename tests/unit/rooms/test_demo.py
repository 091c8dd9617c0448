"""Demo games, which bots play alone, as fast as the games answer.

Strategy:
- each kind: bots play the game to its end without people; another game follows, with other cards, bombs or words
- the bots: as many as the room has; two in a crossword; a person may watch
- the room of the next game is the successor; a closed or removed room is followed by a new room
- old rooms are removed; after a demonstration nobody plays, and the rooms fall asleep; the next one continues with them
- opening a game is retried after a failure
tests/unit/cluster/test_demo.py tests several processes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.games.table import game_kinds
from scramble.rooms import demo
from scramble.rooms.bothosts import hosted_bots
from scramble.rooms.demo import DemoGame, demo_games
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import BotSetting, RoomRecord
from tests.support import HANG_S

HARD = (BotSetting("hard"), BotSetting("hard"))
PAIRS = DemoGame("memory", {"size": "2x2"}, HARD)
SMALL = (
    PAIRS,
    DemoGame("minesweeper", {"size": "3x3", "bombs": 1}, HARD),
    DemoGame("crossword", {"puzzle": "simple"}, HARD),
)


@asynccontextmanager
async def playing(folder: Path, *games: DemoGame) -> AsyncIterator[LocalRooms]:
    async with (
        open_rooms(folder) as rooms,
        hosted_bots(rooms, folder, pace=0) as bots,
        demo_games(rooms, bots, games, end_s=0.0, again_s=0.0),
    ):
        yield rooms


async def until(rooms: LocalRooms, holds: Callable[[Sequence[RoomRecord]], bool]) -> Sequence[RoomRecord]:
    """Return all rooms, as soon as `holds` is true for them."""
    with trio.fail_after(HANG_S):
        changes = rooms.changes()
        while not holds(records := await rooms.list(hidden=True, most=1000)):
            await anext(changes)
    return records


def ended(records: Sequence[RoomRecord], kind: str) -> list[RoomRecord]:
    return [record for record in records if (record.kind, record.state) == (kind, "ended")]


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.kind)
async def test_bots_play_one_game_after_another_with_nobody_there(tmp_path: Path, game: DemoGame) -> None:
    async with playing(tmp_path, game) as rooms:
        records = await until(rooms, lambda records: len(ended(records, game.kind)) >= 2)
    for later, earlier in pairwise(records):  # newest first
        assert (later.after, earlier.successor) == (earlier.name, later.name)
    for record in ended(records, game.kind):
        assert record.public
        assert record.result is not None
        assert all(player.startswith("bot_") for player in record.result.scores)


async def test_two_bots_race_through_a_crossword(tmp_path: Path) -> None:
    async with playing(tmp_path, SMALL[2]) as rooms:
        (record, *_) = ended(await until(rooms, lambda records: bool(ended(records, "crossword"))), "crossword")
    assert record.result is not None
    assert len(record.result.scores) == 2


async def test_bots_of_a_room_have_names_without_numbers(tmp_path: Path) -> None:
    async with playing(tmp_path, PAIRS) as rooms:
        records = await until(rooms, lambda records: len(ended(records, "memory")) >= 8)  # each room has random names
    names = {player for record in ended(records, "memory") if record.result for player in record.result.scores}
    assert [name for name in names if name[-1].isdigit()] == []


async def test_a_room_that_was_closed_or_removed_is_followed_by_another_one(tmp_path: Path) -> None:
    async with playing(tmp_path, DemoGame("memory", {"size": "10x10"}, ())) as rooms:  # a game without players
        for end in (rooms.close, rooms.remove):
            (before,) = [record for record in await rooms.list() if record.state == "open"]
            await end(before.name)
            await until(rooms, lambda records: any(record.state == "open" for record in records))


async def test_rooms_of_games_long_over_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "KEPT_GAMES", 1)
    async with playing(tmp_path, PAIRS) as rooms:
        first = (await rooms.list())[0].name
        records = await until(rooms, lambda records: first not in {record.name for record in records})
    assert len(records) <= 4


async def test_the_next_demonstration_goes_on_with_the_rooms_of_the_last(tmp_path: Path) -> None:
    open_end = DemoGame("memory", {"size": "10x10"}, ())
    async with playing(tmp_path, open_end) as rooms:
        (before,) = await rooms.list()
    async with playing(tmp_path, open_end) as rooms:
        assert [record.name for record in await rooms.list()] == [before.name]


async def test_a_game_that_cannot_be_opened_is_logged_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rooms(tmp_path, limits=RoomLimits(rooms=1)) as rooms, hosted_bots(rooms, tmp_path) as bots:
        full = (await rooms.create("memory", {"size": "4x4"})).name
        async with demo_games(rooms, bots, [PAIRS], again_s=0.0):
            assert "demo-stopped" in caplog.text
            await rooms.remove(full)
            await until(rooms, lambda records: any(record.title == demo.DEMO_TITLE for record in records))


async def test_when_the_demonstration_ends_the_rooms_fall_asleep(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_rooms(tmp_path, sleep_after=5) as rooms, hosted_bots(rooms, tmp_path) as bots:
        movements = rooms.movements()
        async with demo_games(rooms, bots):
            while {room.record.kind for room in rooms.awake()} != set(game_kinds()):
                await anext(movements)
        while rooms.awake():
            await anext(movements)
