"""The door of a small game, `open_game`, and its rooms, `plain_room`, tested with `tests.support.stairs`.

Partitions:
- a request: answered; refused; waits, with notice; cancelled while it waits; of a seat
- followers: from a snapshot on; only the changes
- a journal: no journal; new; with a game that continues, in which no request waits
- a room: without a move; with a move; it ends; its game was over when the room woke; it is closed before the end
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from scramble.errors import GameClosed
from scramble.games.plain import PlainGame, has_begun, open_game, plain_room
from scramble.games.room import GameResult, OpenedRoom, RoomClocks
from scramble.journal import Journal
from scramble.players.seats import ClaimSeat
from tests.support.stairs import AtTheTop, Climbing, GaveUp, Look, Paused, Stairs, Step, Stepped, result_of


@asynccontextmanager
async def stairs(top: int = 5, journal: Journal | None = None) -> AsyncIterator[PlainGame[Stairs]]:
    async with open_game(Climbing(Stairs(top)), Look(), result_of, journal=journal) as game:
        yield game


async def test_a_request_is_answered_or_refused() -> None:
    async with stairs(top=1) as game:
        assert await game.ask(Step("ann")) == 1
        with pytest.raises(AtTheTop):
            await game.ask(Step("bob"))
        assert await game.look() == Stairs(1, ("ann",))


async def test_a_request_that_waits_says_so_and_is_answered_after_anothers(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with stairs() as game, trio.open_nursery() as nursery:
        await game.ask(Step("ann"))
        parked, answers = trio.Event(), []

        async def step() -> None:
            answers.append(await game.ask(Step("ann"), parked=parked))

        nursery.start_soon(step)
        await parked.wait()
        assert await game.ask(Step("bob")) == 2
        await trio.testing.wait_all_tasks_blocked()
        assert answers == [3]


async def test_a_request_that_is_cancelled_while_it_waits_is_withdrawn(autojump_clock: trio.testing.MockClock) -> None:
    async with stairs() as game:
        await game.ask(Step("ann"))
        changes = game.changes()
        with trio.move_on_after(1):
            await game.ask(Step("ann"))
        await game.ask(Step("bob"))
        assert [event for change in changes.pending() for event in change.events] == [
            Paused("ann"),
            GaveUp("ann"),
            Stepped("bob"),
        ]
        assert (await game.look()).steps == ("ann", "bob")


async def test_a_follower_gets_a_snapshot_and_all_changes_after_it() -> None:
    async with stairs() as game:
        await game.ask(Step("ann"))
        snapshot, changes = await game.follow()
        await game.ask(Step("bob"))
        assert snapshot.steps == ("ann",)
        assert (await anext(changes)).events == (Stepped("bob"),)


async def test_a_name_may_be_a_seat() -> None:
    async with stairs() as game:
        assert await game.ask(ClaimSeat("ann", "hash")) is True


async def test_a_program_has_no_way_to_the_live_state() -> None:
    rules = Climbing(Stairs())
    async with open_game(rules, Look(), result_of) as game:
        await game.ask(Step("ann"))
        assert rules.now.steps == ()


async def test_a_game_in_a_journal_goes_on_and_nothing_in_it_waits(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "games")
    async with stairs(journal=journal) as game, trio.open_nursery() as nursery:
        await game.ask(Step("ann"))
        parked = trio.Event()

        async def step() -> None:
            with pytest.raises(GameClosed):
                await game.ask(Step("ann"), parked=parked)

        nursery.start_soon(step)
        await parked.wait()
        await game.aclose()
    async with stairs(journal=journal) as game:
        assert await game.ask(Step("bob")) == 2
        assert (await game.look()).steps == ("ann", "bob")


# rooms


@asynccontextmanager
async def room(top: int, journal: Journal | None = None) -> AsyncIterator[OpenedRoom]:
    async with plain_room(Climbing(Stairs(top)), Look(), result_of).open(journal, RoomClocks()) as opened:
        yield opened


async def test_a_room_ends_with_the_game(autojump_clock: trio.testing.MockClock) -> None:
    async with room(2) as opened, trio.open_nursery() as nursery:
        results: list[GameResult] = []

        async def wait() -> None:
            results.append(await opened.finished())

        nursery.start_soon(wait)
        await opened.game.ask(Step("ann"))
        await trio.testing.wait_all_tasks_blocked()
        assert results == []
        await opened.game.ask(Step("bob"))
        await trio.testing.wait_all_tasks_blocked()
        assert results == [GameResult({"ann": 1, "bob": 1})]


async def test_a_room_that_was_over_is_over_when_it_wakes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "games")
    async with room(1, journal) as opened:
        await opened.game.ask(Step("ann"))
    async with room(1, journal) as opened:
        assert await opened.finished() == GameResult({"ann": 1}, ("ann",))


async def test_a_room_that_is_closed_before_its_end_has_no_result() -> None:
    async with room(1) as opened:
        assert isinstance(opened.game, PlainGame)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(opened.game.aclose)
            with pytest.raises(GameClosed):
                await opened.finished()


async def test_a_game_has_begun_with_its_first_move(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    journal = Journal(tmp_path / "games")
    async with room(2, journal) as opened, trio.open_nursery() as nursery:
        begun = trio.Event()

        async def wait() -> None:
            await has_begun(opened.game)
            begun.set()

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        assert not begun.is_set()
        await opened.game.ask(Step("ann"))
        await begun.wait()
        await has_begun(opened.game)
    async with room(2, journal) as opened:
        await has_begun(opened.game)
