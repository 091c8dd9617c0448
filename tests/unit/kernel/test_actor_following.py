"""Following a game: its public changes, on a toy game (tests/unit/kernel/toy.py).

Partitions:
- a follower begins: at a subscription; at the answer to a request that is answered at once, or was parked; at the
  position of another follower
- a follower is: ahead; behind; so far behind that it has missed changes; cancelled
- the game: continues; is closed; dies
"""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameStopped
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.changes import HISTORY_SIZE, Changes
from scramble.kernel.protocol import Change
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, Wait, WaitingRoom


async def test_a_follower_gets_every_change_from_its_subscription_on() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.ask(Echo("before"))
        changes = actor.subscribe()
        await actor.ask(Echo("a"))
        await actor.ask(Echo("b"))
        assert await anext(changes) == Change(2, (Said("a"),))
        assert await anext(changes) == Change(3, (Said("b"),))


async def test_a_follower_that_is_ahead_waits_and_all_followers_get_the_same_change() -> None:
    async with open_actor(WaitingRoom()) as actor:
        seen: list[Change] = []

        async def follow() -> None:
            seen.append(await anext(actor.subscribe()))

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(follow)
            await wait_all_tasks_blocked()
            assert seen == []
            await actor.ask(Echo("a"))
        assert seen == [Change(1, (Said("a"),))] * 3
        assert seen[0] is seen[1]


async def test_a_cancelled_follower_loses_no_change() -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        with trio.CancelScope() as scope:
            scope.cancel()
            await anext(changes)
        await actor.ask(Echo("a"))
        with trio.CancelScope() as scope:
            scope.cancel()
            await anext(changes)
        assert await anext(changes) == Change(1, (Said("a"),))


async def test_a_withdrawal_is_an_event_like_any_other() -> None:
    async with open_actor(WaitingRoom()) as actor, trio.open_nursery() as nursery:
        changes = actor.subscribe()
        nursery.start_soon(actor.ask, Wait("a"))
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            assert await anext(changes) == Change(0, (Left("a"),))


@pytest.mark.parametrize("extra", [0, 1, HISTORY_SIZE])
async def test_a_follower_too_far_behind_learns_how_many_changes_it_missed(extra: int) -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        for i in range(HISTORY_SIZE + extra):
            await actor.ask(Echo(str(i)))
        assert await anext(changes) == Change(extra + 1, (Said(str(extra)),), extra)
        assert (await anext(changes)).missed == 0


async def test_a_watched_follower_gets_all_changes_of_a_step_however_many() -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes, seen = actor.subscribe(), list[Change]()
        with changes.watched(lambda: seen.extend(changes.pending())):
            async with trio.open_nursery() as nursery:
                for number in range(2 * HISTORY_SIZE + 1):
                    nursery.start_soon(actor.ask, Wait(f"p{number}"))
                await wait_all_tasks_blocked()
                seen.clear()
                nursery.cancel_scope.cancel()
            await wait_all_tasks_blocked()
        assert [change.missed for change in seen] == [0] * (2 * HISTORY_SIZE + 1)


async def test_pending_changes_can_be_taken_without_waiting() -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        assert changes.pending() == []
        for i in range(HISTORY_SIZE + 2):
            await actor.ask(Echo(str(i)))
        pending = changes.pending()
        assert [change.version for change in pending] == list(range(3, HISTORY_SIZE + 3))
        assert [change.missed for change in pending[:2]] == [2, 0]
        assert changes.pending() == []


async def test_following_ends_when_the_game_is_closed_after_the_last_change() -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        waiting = actor.subscribe()
        seen: list[Change] = []

        async def follow() -> None:
            seen.extend([change async for change in waiting])

        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow)
            await wait_all_tasks_blocked()
            await actor.ask(Echo("a"))
            await actor.aclose()
        assert seen == [change async for change in changes] == [Change(1, (Said("a"),))]


async def test_following_a_game_that_dies_raises_game_stopped() -> None:
    failures: list[Exception] = []

    async def follow(actor: Actor) -> None:
        try:
            await anext(actor.subscribe())
        except GameStopped as error:
            failures.append(error)

    async with trio.open_nursery() as nursery:
        with pytest.raises(ExceptionGroup):
            async with open_actor(WaitingRoom()) as actor:
                nursery.start_soon(follow, actor)
                await wait_all_tasks_blocked()
                await actor.ask(Crash())
    assert [type(f) for f in failures] == [GameStopped]


@pytest.mark.parametrize("size", [0, 3, 100])
async def test_following_from_an_answer_on_leaves_no_gap_and_no_overlap(size: int) -> None:
    room = WaitingRoom()
    followed: dict[str, Changes] = {}
    async with open_actor(room, mailbox_size=size) as actor:

        async def follow(word: str) -> None:
            answer, followed[word] = await actor.follow(Echo(word))
            assert answer == word

        async with trio.open_nursery() as nursery:
            for i in range(100):  # all in one tick: before a follower has its answer, more are executed
                if i % 4 == 0:
                    nursery.start_soon(follow, f"{i}")
                else:
                    nursery.start_soon(actor.ask, Echo(f"{i}"))
        for word, changes in followed.items():
            after = room.log[room.log.index(word) + 1 :]
            assert [change.events for change in changes.pending()] == [(Said(w),) for w in after]
    assert len(followed) == 25


async def test_a_parked_request_that_is_answered_later_is_followed_from_its_answer_on() -> None:
    async with open_actor(WaitingRoom()) as actor, trio.open_nursery() as nursery:
        followed: list[Changes] = []

        async def follow() -> None:
            followed.append((await actor.follow(Wait("a")))[1])

        nursery.start_soon(follow)
        await wait_all_tasks_blocked()
        await actor.ask(Echo("while it waits"))
        await actor.ask(LetOut("bob"))
        await actor.ask(Echo("after"))
        await wait_all_tasks_blocked()
        assert [change.events for change in followed[0].pending()] == [(Said("after"),)]


async def test_a_follower_from_an_answer_on_does_not_get_the_change_of_that_answer() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.ask(Echo("before"))
        answer, changes = await actor.follow(Echo("itself"))
        await actor.ask(Echo("after"))
        assert answer == "itself"
        assert [change.events for change in changes.pending()] == [(Said("after"),)]


async def test_changes_are_numbered_without_gaps_and_a_fork_continues_at_the_same_number() -> None:
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        for word in ("a", "b", "c"):
            await actor.ask(Echo(word))
        assert (changes.position, changes.behind) == (0, 3)
        await anext(changes)
        assert (changes.position, changes.behind) == (1, 2)
        fork = changes.fork()
        assert len(changes.pending()) == 2
        assert (changes.behind, fork.behind) == (0, 2)
        assert (await anext(fork)).events == (Said("b"),)
