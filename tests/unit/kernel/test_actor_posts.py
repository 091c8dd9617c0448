"""Requests without a waiting task: `Actor.request`, `post` and `withdraw`; and callbacks after batches.

Partitions:
- a post is: answered at once; refused; parked and answered; withdrawn while queued, parked, decided, answered
- the mailbox: has room; is full; the game is closed, dies
- a callback: after a batch with changes; after a batch without changes; at the end; not after it is removed
"""

from __future__ import annotations

import outcome
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command
from scramble.kernel.reply import Post
from tests.support.paper import Paper
from tests.unit.kernel.toy import Crash, Echo, LetOut, SendAway, SentAway, Wait, WaitingRoom


class Posted:
    """A request with its delivered answers."""

    def __init__(self, actor: Actor, command: Command[object]) -> None:
        self.delivered: list[tuple[object, int]] = []
        self.parked = trio.Event()
        self.post: Post = actor.request(command, self._deliver, self.parked)

    def _deliver(self, answer: outcome.Outcome[object], position: int) -> None:
        value = answer.value if isinstance(answer, outcome.Value) else type(answer.error)  # type: ignore[attr-defined]
        self.delivered.append((value, position))


async def test_an_actor_takes_posts() -> None:
    async with open_actor(WaitingRoom()) as actor:
        assert isinstance(actor, Posting)


async def test_posts_are_answered_in_order_with_the_number_of_the_next_change() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor:
        posts = [Posted(actor, Echo(str(number))) for number in range(5)]
        for posted in posts:
            actor.post_nowait(posted.post)
        await actor.ping()
        assert [posted.delivered for posted in posts] == [[(str(number), number + 1)] for number in range(5)]
    assert room.log == list("01234")


async def test_a_parked_post_sets_its_event_and_is_answered_or_refused_later() -> None:
    async with open_actor(WaitingRoom()) as actor:
        first, second = Posted(actor, Wait("a")), Posted(actor, Wait("b"))
        for posted in (first, second):
            await actor.post(posted.post)
            await posted.parked.wait()
        await actor.ask(LetOut("x"))
        await actor.ask(SendAway())
        assert (first.delivered, second.delivered) == ([("a let out by x", 0)], [(SentAway, 0)])


async def test_a_post_that_is_withdrawn_in_time_is_never_answered() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor:
        parked, queued, never = Posted(actor, Wait("a")), Posted(actor, Wait("b")), Posted(actor, Wait("c"))
        await actor.post(parked.post)
        await parked.parked.wait()
        actor.post_nowait(queued.post)
        assert all(actor.withdraw(posted.post) for posted in (parked, queued, never))
        assert await actor.ask(LetOut("x", 3)) == 0
    assert [posted.delivered for posted in (parked, queued, never)] == [[], [], []]
    assert room.log == ["a", "withdraw a", "x"]


async def test_a_post_whose_answer_is_decided_cannot_be_withdrawn() -> None:
    paper = Paper(held=True)
    async with open_actor(WaitingRoom(), log=paper) as actor:
        posted = Posted(actor, Echo("a"))
        actor.post_nowait(posted.post)
        await wait_all_tasks_blocked()
        assert not actor.withdraw(posted.post)
        paper.open_gate()
        await actor.ping()
        assert posted.delivered == [("a", 1)]
        assert not actor.withdraw(posted.post)


async def test_a_full_mailbox_makes_posts_wait() -> None:
    paper = Paper(held=True)
    async with open_actor(WaitingRoom(), log=paper, mailbox_size=1) as actor, trio.open_nursery() as nursery:
        posts = [Posted(actor, Echo(str(number))) for number in range(3)]
        actor.post_nowait(posts[0].post)
        await wait_all_tasks_blocked()  # the owner has the first post, and commits
        actor.post_nowait(posts[1].post)
        with pytest.raises(trio.WouldBlock):
            actor.post_nowait(posts[2].post)
        nursery.start_soon(actor.post, posts[2].post)
        await wait_all_tasks_blocked()
        paper.open_gate()
        await actor.ping()
        assert [posted.delivered for posted in posts] == [[("0", 1)], [("1", 2)], [("2", 3)]]


async def test_posts_to_a_closed_game_fail_and_parked_ones_hear_that_it_closes() -> None:
    async with open_actor(WaitingRoom()) as actor:
        parked, late = Posted(actor, Wait("a")), Posted(actor, Echo("b"))
        await actor.post(parked.post)
        await actor.aclose()
        assert parked.delivered == [(GameClosed, 0)]
        with pytest.raises(GameClosed):
            actor.post_nowait(late.post)
        with pytest.raises(GameClosed):
            await actor.post(late.post)


async def test_posts_hear_that_the_game_died() -> None:
    parked: Posted
    with pytest.raises(ExceptionGroup):
        async with open_actor(WaitingRoom()) as actor:
            parked = Posted(actor, Wait("a"))
            await actor.post(parked.post)
            await actor.ask(Crash())
    assert parked.delivered == [(GameStopped, 0)]


async def test_a_callback_is_called_after_each_batch_and_at_the_end() -> None:
    seen: list[tuple[int, bool]] = []
    async with open_actor(WaitingRoom()) as actor:
        changes = actor.subscribe()
        with changes.watched(lambda: seen.append((changes.behind, changes.ended))):
            await actor.ask(Echo("a"))
            await actor.ask(LetOut("nobody"))
            assert seen == [(1, False), (1, False)]
            await actor.aclose()
            assert seen[-1] == (1, True)
        told = len(seen)
        with pytest.raises(GameClosed):
            await actor.ask(Echo("late"))
        assert len(seen) == told
