"""The API with a journal: games that are closed, or die, and are opened again.

A game that is closed while players are connected does not record that they left, so its journal is like one after a
crash. (tests/system/cli/test_kept.py kills real servers.)

Partitions:
- players at the end: no player; a connected player; a player who has left
- moves by players, by the program; a boom
- the game is continued: once; again; with a clock; after a beginning without scores
- the given field: the same field; another field; with and without the condition that the start is the same
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.errors import InvalidCommand
from scramble.journal import Journal, JournalError
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.messages import Disconnected


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "field.db"


def field() -> Field:
    return Field(4, 3, [(2, 1)])


@asynccontextmanager
async def process(file: Path) -> AsyncIterator[tuple[Game, AsyncExitStack]]:
    """Run a game in that file; yield it with a stack of connections, which is closed after the game."""
    async with AsyncExitStack() as connections, open_game(field(), journal=Journal(file)) as game:
        yield game, connections


async def test_a_field_continues_from_its_last_state_and_version(file: Path) -> None:
    async with process(file) as (game, _):
        await game.dig(3, 1)
        before = await game.flag(0, 0)
    async with process(file) as (game, _):
        assert await game.look() == before
        assert (await game.dig(2, 1)).boom, "the bomb has not moved"
        before = await game.look()
    async with process(file) as (game, _):
        assert await game.look() == before
        assert before.version == 3


async def test_players_of_a_dead_process_have_left_and_no_number_is_given_twice(file: Path) -> None:
    async with process(file) as (game, connections):
        async with game.connect("gone"):
            pass
        await connections.enter_async_context(game.connect("ann"))
        await connections.enter_async_context(game.connect())
        await game.dig(3, 1, player=2)
        before = await game.snapshot()
        assert [player.id for player in before.players] == [2, 3]
    async with process(file) as (game, _):
        after = await game.snapshot()
        assert (after.lines, after.players) == (before.lines, ())
        assert after.version == before.version + 2
        with pytest.raises(InvalidCommand):
            await game.flag(0, 0, player=2)
        async with game.connect("ann") as welcome:
            assert (welcome.player, welcome.players) == (4, 1)


async def test_followers_from_the_start_learn_of_departures(file: Path) -> None:
    async with process(file) as (game, connections):
        await connections.enter_async_context(game.connect("ann"))
    async with process(file) as (game, _):
        change = await anext(game.changes())
        assert change.events == (Disconnected(1),)


async def test_the_field_that_is_given_does_not_matter_unless_the_start_must_be_the_same(file: Path) -> None:
    async with process(file) as (game, _):
        before = await game.dig(3, 1)
    async with open_game(Field(7, 7), journal=Journal(file)) as game:
        assert await game.look() == before
    async with open_game(field(), journal=Journal(file, same_start=True)) as game:
        assert await game.look() == before
    with pytest.raises(JournalError, match="began with other settings than the given ones"):
        async with open_game(Field(4, 3), journal=Journal(file, same_start=True)):
            raise AssertionError("opened")


async def test_a_game_without_scores_continues_without_them_and_has_the_same_start(file: Path) -> None:
    async with open_game(field(), journal=Journal(file)) as game:
        await game.dig(3, 1)
    scored = field()
    scored.keep_scores()
    async with open_game(scored, journal=Journal(file, same_start=True)) as game, game.connect("ann") as ann:
        assert (await game.dig(0, 0, ann.player)).version == 3
        assert (game.now(), (await game.snapshot()).contest) == (None, None)


async def test_the_clock_of_a_game_continues_from_its_latest_move(file: Path, autojump_clock: MockClock) -> None:
    scored = field()
    scored.keep_scores()
    async with open_game(scored, journal=Journal(file)) as game:
        await trio.sleep(2)
        await game.dig(3, 1)
        await trio.sleep(100)
        assert game.now() == 102_000
    await trio.sleep(10_000)
    async with open_game(scored, journal=Journal(file)) as game:
        assert game.now() == 2000
        await trio.sleep(1)
        await game.flag(2, 1)
    async with open_game(scored, journal=Journal(file)) as game:
        contest = (await game.snapshot()).contest
        assert contest is not None
        assert (contest.began, game.now()) == (2000, 3000)
