"""`release_holding`: present players lose cards that other players wait for. On a clock that jumps between events.

Partitions:
- the holder is: idle, polling, moving
- the holder has: a card, a pair
- waiting players: no player, one, a queue; all have withdrawn
- a new game; more changes at once than the history keeps; changes between the first state and the first watch
"""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.kernel.changes import HISTORY_SIZE, Changes, History
from scramble.kernel.nursery import SideTasks
from scramble.kernel.protocol import Change
from scramble.memory import Game
from scramble.memory.holdings import keep_holdings
from scramble.memory.messages import FaceUp, Joined, Snapshot, Took, Waiting
from scramble.players.idle import ReleaseTimers
from tests.unit.memory.idling import AABCC, HOLDING_S, IDLE_S, held, opened


@pytest.mark.parametrize("polls", [False, True], ids=["idle", "polls"])
async def test_a_present_player_without_new_cards_loses_awaited_cards(polls: bool, autojump_clock: MockClock) -> None:
    async with opened() as (game, nursery):
        with game.present("alice"):
            await game.flip("alice", 0, 0)
            await trio.sleep(HOLDING_S / 2)
            nursery.start_soon(game.flip, "bob", 0, 0)
            for _ in range(int(HOLDING_S / 2) - 1):
                await trio.sleep(1)
                if polls:
                    await game.look("alice")
                    await game.replace("alice", "X", "Y")
            assert await held(game) == {"alice": 1}
            await trio.sleep(2)
            assert await game.look("bob") == "1x4\nmy A\ndown\ndown\ndown\n"


async def test_a_present_player_keeps_cards_until_another_player_waits_for_them(
    autojump_clock: MockClock,
) -> None:
    async with opened(AABCC) as (game, _):
        with game.present("alice"):
            await game.flip("alice", 0, 0)
            await game.flip("alice", 0, 1)
            changes = game.changes()
            await trio.sleep(10 * HOLDING_S)
            assert changes.pending() == []
            with trio.fail_after(1):
                await game.flip("bob", 0, 1)
            assert await held(game) == {"alice": 1, "bob": 1}, "only the awaited card of the pair is released"
            assert await game.flip("alice", 0, 2) == "1x5\nup A\nup A\nup B\ndown\ndown\n", "a second card: no match"


async def test_a_player_from_the_queue_has_the_whole_time_before_the_next_one_gets_the_card(
    autojump_clock: MockClock,
) -> None:
    async with opened() as (game, nursery):
        changes = game.changes()
        for player in ("alice", "bob", "carol"):
            nursery.start_soon(stay_and_flip, game, player)
            await wait_all_tasks_blocked()
        took: list[tuple[float, str]] = []
        async for change in changes:
            took += [(trio.current_time(), event.player) for event in change.events if isinstance(event, Took)]
            if len(took) == 3:
                break
        assert [(round(time - took[0][0], 3), player) for time, player in took] == [
            (0, "alice"),
            (HOLDING_S, "bob"),
            (2 * HOLDING_S, "carol"),
        ]


async def test_a_withdrawn_wait_does_not_cost_the_holder_the_card(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        with game.present("alice"):
            await game.flip("alice", 0, 0)
            with trio.move_on_after(HOLDING_S - 1):
                await game.flip("bob", 0, 0)
            await wait_all_tasks_blocked()
            assert (await game.due()).seconds == {}, "alice is warned that she must give up the card"
            await trio.sleep(10 * HOLDING_S)
            assert await held(game) == {"alice": 1}


async def test_no_useless_commands_are_given_after_all_waits_are_withdrawn(
    autojump_clock: MockClock,
) -> None:
    async with opened() as (game, nursery):
        with game.present("alice"):
            await game.flip("alice", 0, 0)
            for player in ("bob", "carol", "dave"):
                nursery.start_soon(stay_and_flip, game, player)
                await wait_all_tasks_blocked()
            await trio.sleep(10 * HOLDING_S)
            assert await held(game) == {"dave": 1}
            await game.new_game("erin", 1)
            with game.present("frank"):
                await game.flip("frank", 0, 0)
                await trio.sleep(10 * HOLDING_S)
            await game.new_game("erin", 1)
            await trio.sleep(10 * HOLDING_S)
        given = {key: count for key, count in game.stats().commands.items() if "Release" in key[0]}
        assert given == {("ReleaseAwaited", "answered"): 3}


async def test_a_new_game_ends_the_time_of_all_holders(autojump_clock: MockClock) -> None:
    async with opened() as (game, nursery):
        with game.present("alice"):
            await game.flip("alice", 0, 0)
            await game.new_game("carol", 1)
            nursery.start_soon(stay_and_flip, game, "bob")
            await trio.sleep(10 * HOLDING_S)
            assert await held(game) == {"bob": 1}


async def test_no_player_is_missed_if_more_changes_happen_at_once_than_the_history_keeps(
    autojump_clock: MockClock,
) -> None:
    history = History()
    cells = {"alice": FaceUp("A", "alice"), "bob": FaceUp("A", "bob"), "carol": FaceUp("A", "carol")}
    shown = [("alice", "bob"), ("bob", "carol")]
    gone: list[str] = []
    asked: list[str] = []

    async def follow() -> tuple[Snapshot, Changes]:
        first, second = shown.pop(0)
        changes = Changes(history)
        if shown:  # before the task that asked for the state continues
            for _ in range(HISTORY_SIZE + 1):
                history.publish(Change(1, (Joined("erin"),)))
        return Snapshot(0, 1, 2, (cells[first], cells[second]), {}, {"dave": (0, 0)}, 1), changes

    async with SideTasks() as beside:
        timers = ReleaseTimers(beside.start_soon, IDLE_S, HOLDING_S, gone.append, asked.append)
        async with keep_holdings(follow, timers):
            with timers.present("bob"):
                await trio.sleep(IDLE_S + 1)
                assert gone == ["carol"], "alice has lost the card, and bob is present"
                await trio.sleep(HOLDING_S)
                assert asked == ["bob"], "a player waits for bob's card"
                history.publish(Change(2, (Waiting(0, 1, "erin"),)))
                history.announce()
                await trio.sleep(HOLDING_S)
                assert asked == ["bob", "carol"], "later changes count again"


async def test_changes_between_the_state_and_the_watch_are_seen_at_once(
    autojump_clock: MockClock,
) -> None:
    history = History()
    asked: list[str] = []

    async def follow() -> tuple[Snapshot, Changes]:
        changes = Changes(history)
        history.publish(Change(1, (Waiting(0, 0, "bob"),)))
        history.announce()
        return Snapshot(0, 1, 2, (FaceUp("A", "alice"), FaceUp("A", None)), {}, {}, 1), changes

    async with SideTasks() as beside:
        timers = ReleaseTimers(beside.start_soon, IDLE_S, HOLDING_S, lambda player: None, asked.append)
        async with keep_holdings(follow, timers):
            with timers.present("alice"):
                await trio.sleep(HOLDING_S + 1)
                assert asked == ["alice"]


async def stay_and_flip(game: Game, player: str) -> None:
    with game.present(player):
        await game.flip(player, 0, 0)
        await trio.sleep_forever()
