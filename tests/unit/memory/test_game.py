"""The API for trio programs: `open_game` and its typed calls. Other modules test the rules.

Partitions:
- the given board: its owner changes it later; it was played on before; it is opened twice
- a call: look, flip, watch, replace, new_game, snapshot, changes, follow; answered at once, waits, fails, is cancelled
- map: f is quick, waits, raises, returns an invalid card; other players play, map or replace meanwhile; cards are
  removed meanwhile; the call is cancelled; two cards become one
- the game: is closed by the end of the block, by aclose
"""

from __future__ import annotations

import math
from collections import Counter

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameClosed, InvalidCommand
from scramble.kernel.protocol import Ticket
from scramble.memory import AlreadyWaiting, Board, FlipFailed, GameRestarted, open_game
from scramble.memory.messages import Flip, Took, TurnedUp

AABB = "2x2\nA\nA\nB\nB\n"


async def test_the_game_is_played_on_a_copy_so_nobody_outside_holds_the_live_board() -> None:
    board = Board.parse(AABB)
    async with open_game(board) as game:
        board.apply(Ticket(0), Flip("mallory", 0, 0))
        assert await game.look("mallory") == "2x2\ndown\ndown\ndown\ndown\n"
        await game.flip("alice", 1, 1)
    assert "up B" not in str(board)
    assert board.version == 1


async def test_a_board_that_was_played_on_continues_from_its_state() -> None:
    board = Board.parse(AABB)
    board.apply(Ticket(0), Flip("alice", 0, 0))
    async with open_game(board) as first, open_game(board) as second:
        assert await first.flip("alice", 0, 1) == "2x2\nmy A\nmy A\ndown\ndown\n"
        assert await second.look("alice") == "2x2\nmy A\ndown\ndown\ndown\n"


async def test_flip_returns_the_board_or_fails_with_rule_reason_and_board() -> None:
    async with open_game(Board.parse(AABB)) as game:
        assert await game.flip("alice", 0, 0) == "2x2\nmy A\ndown\ndown\ndown\n"
        with pytest.raises(FlipFailed) as info:
            await game.flip("alice", 0, 0)
        assert info.value.rule == "2-B"
        assert info.value.reason
        assert info.value.view.text == "2x2\nup A\ndown\ndown\ndown\n"


@pytest.mark.parametrize(("player", "row", "column"), [("al ice", 0, 0), ("", 0, 0), ("alice", 2, 0), ("alice", 0, -1)])
async def test_malformed_or_out_of_range_values_change_nothing(player: str, row: int, column: int) -> None:
    async with open_game(Board.parse(AABB)) as game:
        before = await game.snapshot()
        with pytest.raises(InvalidCommand):
            await game.flip(player, row, column)
        assert await game.snapshot() == before


async def test_a_flip_cancelled_while_it_waits_never_gets_the_card() -> None:
    async with open_game(Board.parse(AABB)) as game, trio.open_nursery() as nursery:
        await game.flip("alice", 0, 0)
        nursery.start_soon(game.flip, "bob", 0, 0)
        await wait_all_tasks_blocked()
        with pytest.raises(AlreadyWaiting):
            await game.flip("bob", 1, 1)
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()
            assert (await game.snapshot()).waiting == {}
            await game.flip("alice", 1, 0)
            assert "my" not in await game.look("bob")


async def test_watch_waits_for_a_change_and_with_since_does_not_wait_after_one() -> None:
    async with open_game(Board.parse(AABB)) as game:
        seen: list[str] = []

        async def watch() -> None:
            seen.append(await game.watch("bob"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            await wait_all_tasks_blocked()
            assert seen == []
            await game.flip("alice", 0, 0)
        assert seen == ["2x2\nup A\ndown\ndown\ndown\n"]
        assert await game.watch("bob", since=0) == seen[0]


async def test_replace_replaces_all_equal_cards() -> None:
    async with open_game(Board.parse(AABB)) as game:
        await game.flip("alice", 0, 0)
        assert await game.replace("bob", "A", "Z") == "2x2\nup Z\ndown\ndown\ndown\n"
        assert await game.flip("alice", 0, 1) == "2x2\nmy Z\nmy Z\ndown\ndown\n"


async def test_a_new_game_ends_all_waiting_requests() -> None:
    async with open_game(Board.parse(AABB)) as game:
        await game.flip("alice", 0, 0)

        async def wait() -> None:
            with pytest.raises(GameRestarted):
                await game.flip("bob", 0, 0)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()
            assert await game.new_game("carol", seed=1) == "2x2\ndown\ndown\ndown\ndown\n"


async def test_changes_have_versions_and_events_and_end_with_the_game() -> None:
    async with open_game(Board.parse(AABB)) as game:
        await game.flip("alice", 1, 0)
        changes = game.changes()
        await game.flip("bob", 0, 0)
        await game.aclose()
        told = [change async for change in changes]
    assert [change.version for change in told] == [2]
    assert told[0].missed == 0
    assert told[0].events[1:] == (TurnedUp(0, 0, "A"), Took(0, 0, "bob", "A"))


async def test_leaving_the_block_answers_all_waiting_requests() -> None:
    async def watch() -> None:
        with pytest.raises(GameClosed):
            await game.watch("bob")

    async with trio.open_nursery() as nursery, open_game(Board.parse(AABB)) as game:
        nursery.start_soon(watch)
        await wait_all_tasks_blocked()


# map


async def test_map_calls_f_once_for_each_distinct_card_in_the_callers_task_and_keeps_face_and_control() -> None:
    calls: list[tuple[str, trio.lowlevel.Task]] = []

    async def f(card: str) -> str:
        calls.append((card, trio.lowlevel.current_task()))
        return card.lower()

    async with open_game(Board.parse(AABB)) as game:
        await game.flip("alice", 0, 0)
        assert await game.map("alice", f) == "2x2\nmy a\ndown\ndown\ndown\n"
    assert Counter(card for card, _ in calls) == {"A": 1, "B": 1}
    assert {task for _, task in calls} == {trio.lowlevel.current_task()}


async def test_the_game_goes_on_while_f_waits_and_nobody_sees_a_half_mapped_board(autojump_clock: MockClock) -> None:
    async def slow(card: str) -> str:
        await trio.sleep(1)
        return card.lower()

    async with open_game(Board.parse(AABB)) as game, trio.open_nursery() as nursery:
        await game.flip("alice", 0, 0)
        await game.flip("bob", 1, 0)
        nursery.start_soon(game.map, "carol", slow)
        for _ in range(19):
            await trio.sleep(0.1)
            assert await game.look("carol") == "2x2\nup A\ndown\nup B\ndown\n"
        assert await game.watch("carol") == "2x2\nup a\ndown\nup b\ndown\n"


async def test_two_maps_at_once_are_as_one_after_the_other(autojump_clock: MockClock) -> None:
    calls: list[str] = []

    async def x(card: str) -> str:
        calls.append(f"x({card})")
        await trio.sleep(1)
        return f"{card}x"

    async def y(card: str) -> str:
        calls.append(f"y({card})")
        await trio.sleep(10)
        return f"{card}y"

    async with open_game(Board.parse("1x1\nA\n")) as game:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(game.map, "alice", x)
            nursery.start_soon(game.map, "bob", y)
        assert await game.flip("carol", 0, 0) == "1x1\nmy Axy\n"
    assert sorted(calls) == ["x(A)", "y(A)", "y(Ax)"]


async def test_f_is_also_called_for_cards_that_appear_while_it_runs_and_once_for_each() -> None:
    calls: list[str] = []
    async with open_game(Board.parse("1x2\nA\nB\n")) as game:

        async def f(card: str) -> str:
            calls.append(card)
            if card == "A":
                await game.replace("bob", "B", "C")
            return card.lower()

        await game.map("alice", f)
        assert calls == ["A", "B", "C"]
        assert await game.flip("alice", 0, 1) == "1x2\ndown\nmy c\n"


@pytest.mark.parametrize("bad", ["", "two words", "line\n", "\u2003", "\ud800"])
async def test_if_f_returns_an_invalid_card_nothing_changes(bad: str) -> None:
    async def f(card: str) -> str:
        return bad if card == "B" else card.lower()

    async with open_game(Board.parse(AABB)) as game:
        before = await game.snapshot()
        with pytest.raises(InvalidCommand):
            await game.map("alice", f)
        assert await game.snapshot() == before
        assert await game.flip("alice", 0, 0) == "2x2\nmy A\ndown\ndown\ndown\n"


async def test_if_f_raises_the_caller_gets_the_same_error_and_nothing_changes() -> None:
    error = KeyError("no translation")

    async def f(card: str) -> str:
        raise error

    async with open_game(Board.parse(AABB)) as game:
        with pytest.raises(KeyError) as info:
            await game.map("alice", f)
        assert info.value is error
        assert (await game.snapshot()).version == 0


async def test_a_map_that_is_cancelled_has_changed_nothing() -> None:
    async def f(card: str) -> str:
        await trio.sleep(math.inf)
        return card

    async with open_game(Board.parse(AABB)) as game:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(game.map, "alice", f)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert (await game.snapshot()).version == 0


async def test_f_need_not_be_one_to_one() -> None:
    async def f(card: str) -> str:
        return "same"

    async with open_game(Board.parse(AABB)) as game:
        await game.map("alice", f)
        await game.flip("alice", 0, 0)
        assert (await game.flip("alice", 1, 1)).count("my same") == 2


async def test_a_snapshot_and_the_changes_that_come_with_it_do_not_overlap() -> None:
    snapshots, missing = [], []
    async with open_game(Board.parse("4x5\n" + 20 * "A\n")) as game:

        async def follow() -> None:
            snapshot, changes = await game.follow()
            await wait_all_tasks_blocked()
            snapshots.append(snapshot.version)
            missing.append([change.version for change in changes.pending()])

        async with trio.open_nursery() as nursery:
            for number in range(20):  # all of these are queued together, in any order
                nursery.start_soon(game.flip, f"player{number}", number // 5, number % 5)
                nursery.start_soon(follow)
        assert missing == [list(range(version + 1, 21)) for version in snapshots]
