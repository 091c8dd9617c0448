"""The API for embedding: `open_game(field)` and its typed calls, on a live owner task.

Other tests check the effects of moves on the pure field. This module checks that every call reaches the field and
returns its answer, and that players are counted at the right times.

Partitions:
- calls: look, dig (with and without a bomb), flag, deflag, snapshot, follow, changes, ask; by the program, by a player,
  by a player who is not connected
- a player: connects; is one of many; is refused; leaves the block, by its end, an exception, cancellation; is cancelled
  while connecting; leaves twice
- the given field: is not changed
- the end: of the block; by aclose, with a player who leaves after it
"""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, InvalidCommand
from scramble.kernel.protocol import Change
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.messages import Connected, Disconnected, Dug, Exploded, Flagged, Look

# The handout's example: one bomb, at (2, 1).
COLUMNS, ROWS, BOMB = 4, 3, (2, 1)
UNTOUCHED = "- - - -\n" * 3


def field() -> Field:
    return Field(COLUMNS, ROWS, [BOMB])


async def numbers(game: Game) -> list[int]:
    return [player.id for player in (await game.snapshot()).players]


async def test_each_call_returns_the_field_right_after_it() -> None:
    async with open_game(field()) as game:
        assert (await game.look()).text == UNTOUCHED
        assert (await game.flag(0, 0)).text == "F - - -\n- - - -\n- - - -\n"
        assert (await game.deflag(0, 0)).text == UNTOUCHED
        view = await game.dig(3, 1)
        assert (view.boom, view.text) == (False, "- - - -\n- - - 1\n- - - -\n")
        view = await game.dig(*BOMB)
        assert (view.boom, view.text) == (True, "       \n" * 3)
        assert (await game.ask(Look())).text == "       \n" * 3
        assert (await game.snapshot()).lines == ("    ",) * 3


async def test_moves_accept_any_integers() -> None:
    async with open_game(field()) as game:
        for x, y in [(-1, 0), (0, -1), (COLUMNS, 0), (0, ROWS), (10**100, -(10**100))]:
            for move in (game.dig, game.flag, game.deflag):
                view = await move(x, y)
                assert (view.boom, view.text) == (False, UNTOUCHED)


async def test_the_field_that_was_given_stays_as_it_was() -> None:
    mine = field()
    async with open_game(mine) as game, open_game(mine) as other:
        await game.dig(*BOMB)
        assert str(mine) == (await other.look()).text == UNTOUCHED
        mine.flag(0, 0)
        assert (await other.look()).text == UNTOUCHED


async def test_a_player_is_counted_from_connecting_to_the_end_of_the_block() -> None:
    async with open_game(field()) as game:
        async with game.connect() as ann:
            assert (ann.columns, ann.rows, ann.players) == (COLUMNS, ROWS, 1)
            async with game.connect("bob") as bob:
                assert bob.players == 2
                assert await numbers(game) == [ann.player, bob.player]
            assert await numbers(game) == [ann.player]
            async with game.connect() as carol:
                assert carol.players == 2
                assert carol.player not in (ann.player, bob.player)
        assert await numbers(game) == []


async def test_only_connected_players_can_move() -> None:
    async with open_game(field()) as game:
        async with game.connect("ann") as ann:
            await game.flag(1, 2, ann.player)
            (player,) = (await game.snapshot()).players
            assert (player.name, player.at) == ("ann", (1, 2))
        for move in (game.dig, game.flag, game.deflag):
            with pytest.raises(InvalidCommand, match="no player"):
                await move(0, 0, ann.player)
        assert (await game.look()).text == "- - - -\n- - - -\n- F - -\n"


async def test_an_invalid_name_is_refused() -> None:
    async with open_game(field()) as game:
        with pytest.raises(InvalidCommand):
            async with game.connect("no name"):
                raise AssertionError("connected")
        assert await numbers(game) == []


async def test_a_cancelled_player_is_removed_before_any_later_request() -> None:
    async with open_game(field()) as game, trio.open_nursery() as nursery:

        async def play() -> None:
            async with game.connect():
                await trio.sleep_forever()

        for _ in range(5):
            nursery.start_soon(play)
        await wait_all_tasks_blocked()
        assert len(await numbers(game)) == 5
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            while len(nursery.child_tasks):
                await trio.lowlevel.checkpoint()
            assert await numbers(game) == []


async def test_a_player_who_leaves_with_an_exception_is_removed() -> None:
    async with open_game(field()) as game:
        with pytest.raises(KeyError):
            async with game.connect():
                raise KeyError
        async with game.connect() as welcome:
            assert welcome.players == 1


@pytest.mark.parametrize("ticks", range(6))
async def test_a_player_who_is_cancelled_while_connecting_counts_only_if_welcomed(ticks: int) -> None:
    async with open_game(field()) as game, trio.open_nursery() as nursery:
        scope = trio.CancelScope()
        welcomed = False

        async def connect() -> None:
            nonlocal welcomed
            with scope:
                async with game.connect():
                    welcomed = True
                    await trio.sleep_forever()

        changes = game.changes()
        nursery.start_soon(connect)
        for _ in range(ticks):
            await trio.lowlevel.checkpoint()
        scope.cancel()
        await wait_all_tasks_blocked()
        assert await numbers(game) == []
        told = [type(event) for change in changes.pending() for event in change.events]
        assert told == ([Connected, Disconnected] if welcomed else [])


async def test_leaving_twice_or_without_a_player_has_no_effect() -> None:
    async with open_game(field()) as game, game.connect() as ann:
        async with game.connect() as bob:
            game.disconnect(bob.player)
            assert await numbers(game) == [ann.player]
        game.disconnect(99)
        assert await numbers(game) == [ann.player]


async def test_a_follower_gets_every_change_once_from_the_snapshot_on() -> None:
    async with open_game(field()) as game:
        await game.flag(0, 0)
        snapshot, changes = await game.follow()
        later = game.changes()
        await game.flag(1, 0)
        await game.dig(3, 1)
        await game.dig(*BOMB)
        await game.dig(0, 0)  # flagged: nothing happens
        events = [event for change in changes.pending() for event in change.events]
        assert [type(event) for event in events] == [Flagged, Dug, Exploded]
        assert snapshot.lines[0] == "F---"
        assert [change.version for change in later.pending()] == [snapshot.version + i for i in (1, 2, 3)]


async def test_changes_end_with_the_game() -> None:
    seen: list[Change] = []

    async def follow(game: Game) -> None:
        seen.extend([change async for change in game.changes()])

    async with trio.open_nursery() as nursery, open_game(field()) as game:
        nursery.start_soon(follow, game)
        await wait_all_tasks_blocked()
        await game.dig(0, 0)
        await wait_all_tasks_blocked()
    assert len(seen) == 1


async def test_after_the_end_every_call_raises_and_leaving_is_still_possible() -> None:
    async with open_game(field()) as game, game.connect():
        await game.aclose()
        for call in (game.look, game.snapshot, game.follow):
            with pytest.raises(GameClosed):
                await call()
        with pytest.raises(GameClosed):
            await game.dig(0, 0)


async def test_a_snapshot_and_the_changes_that_come_with_it_do_not_overlap() -> None:
    snapshots, missing = [], []
    async with open_game(Field(5, 4, [])) as game:

        async def follow() -> None:
            snapshot, changes = await game.follow()
            await wait_all_tasks_blocked()
            snapshots.append(snapshot.version)
            missing.append([change.version for change in changes.pending()])

        async with trio.open_nursery() as nursery:
            for number in range(20):  # all of these are queued together, in any order
                nursery.start_soon(game.flag, number % 5, number // 5)
                nursery.start_soon(follow)
        assert missing == [list(range(version + 1, 21)) for version in snapshots]
