"""The API for embedding: `open_lobby(puzzles)` and its sessions, on a live owner task.

Tests of the pure lobby check the effect of each line in each state. This module checks that every line reaches the
lobby, that views arrive in order, and what happens to a session at the end of its block, on a clock of the test.

Partitions:
- calls: say, object_to, look, next_view; refused or not; by a session that is active, logged out, left, taken over
- next_view: another player acts before, during, after the wait; nobody acts; two waits at once; cancelled; at the same
  time as an answer, which must not overtake it
- the end of a session's block: in START, CHOOSE, WAIT, PLAY, SHOW SCORE; normally, by an exception, by cancellation;
  after the logout
- grace period: 0; over before, at, after the player's return; of two players; the other player forfeits meanwhile; NaN
- the end of the lobby: of the block, by an exception; by aclose; with waiting sessions
- puzzles: some; no puzzle
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.crossword import (
    Game,
    Limits,
    LobbyFull,
    MatchView,
    Puzzle,
    PuzzleError,
    Session,
    SessionEnded,
    SessionView,
    open_lobby,
)
from scramble.errors import GameClosed
from tests.support.crossword.driver import EXTENDED, SIMPLE
from tests.unit.crossword.sessions import Sessions, do

PUZZLES = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))
GRACE_S = 30.0


@asynccontextmanager
async def opened(grace: float = GRACE_S, limits: Limits | None = None) -> AsyncIterator[Game]:
    async with open_lobby(PUZZLES, grace=grace, limits=limits) as lobby:
        yield lobby


@asynccontextmanager
async def connected(grace: float = GRACE_S) -> AsyncIterator[Sessions]:
    async with opened(grace) as lobby:
        sessions = Sessions(lobby)
        try:
            yield sessions
        finally:
            await sessions.leave_all()


async def test_the_example_of_the_module_plays_a_match_to_its_end() -> None:
    async with opened() as lobby, lobby.session() as ann, lobby.session() as bob:
        assert (ann.view.state, ann.view.player) == ("START", None)
        assert (await do(ann, "ann")).state == "CHOOSE"
        assert (await do(ann, 'NEW m1 simple "come and play"')).state == "WAIT"
        assert [match.id for match in (await do(bob, "bob")).matches or ()] == ["m1"]
        await do(bob, "PLAY m1")
        assert (await ann.next_view()).state == "PLAY"
        await do(ann, "TRY 1 cat")
        view = await bob.next_view()
        assert isinstance(view.match, MatchView)
        assert view.match.words[0].by == "ann"
        result = (await do(bob, "TRY 2 mat")).result
        assert result is not None
        assert (result.winner, result.points) == (None, {"ann": 1, "bob": 1})
        assert (await ann.next_view()).result == result
        assert (await do(ann, "EXIT")).closed
        assert (await do(bob, "NEW MATCH")).state == "CHOOSE"


async def test_a_refused_line_is_answered_and_changes_nothing() -> None:
    async with opened() as lobby, lobby.session() as session:
        view = await session.say("no good ID")
        assert view.error is not None
        assert (view.state, (await session.look()).error) == ("START", None)


async def test_a_front_end_can_object_to_invalid_input() -> None:
    async with opened() as lobby, lobby.session() as session:
        view = await session.object_to("that was no text")
        assert (view.state, view.error) == ("START", "that was no text")


async def test_a_look_shows_others_actions_and_next_view_does_not_repeat_them() -> None:
    async with opened() as lobby, lobby.session() as ann, lobby.session() as bob:
        await do(ann, "ann")
        await do(bob, "bob")
        await do(bob, 'NEW m1 simple "so"')
        assert len((await ann.look()).matches or ()) == 1
        with trio.move_on_after(0) as scope:
            await ann.next_view()
        assert scope.cancelled_caught
        assert ann.view == await ann.look()


async def test_an_earlier_look_never_replaces_the_view_of_a_later_line() -> None:
    async with opened() as lobby, lobby.session() as ann:
        await do(ann, "ann")
        for number in range(40):  # trio runs the tasks of two answers in either order
            for line, state in ((f'NEW m{number} simple "so"', "WAIT"), ("EXIT", "CHOOSE")):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(ann.look)
                    await trio.lowlevel.checkpoint()
                    nursery.start_soon(do, ann, line)
                assert ann.view.state == state


async def test_each_block_has_a_session_of_its_own() -> None:
    async with opened() as lobby, lobby.session() as one, lobby.session() as two:
        assert one.id != two.id
        await do(one, "ann")
        assert (await two.look()).state == "START"
        assert str(one) == f"session {one.id} of ann, CHOOSE"


async def test_tokens_are_long_and_never_the_same() -> None:
    async with connected() as sessions:
        for number in range(20):
            await sessions.player(f"p{number}")
        assert len(set(sessions.tokens.values())) == 20
        assert all(len(token) >= 20 for token in sessions.tokens.values())


# --- the next view ----------------------------------------------------------------------------------


async def test_the_next_view_is_the_latest_one_after_several_changes() -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        for word in ("pet", "set", "cat"):
            await do(bob, f"TRY 1 {word}")
        view = await ann.next_view()
        assert isinstance(view.match, MatchView)
        assert view.match.words[0].entered == "cat"
        assert view == ann.view == await ann.look()


async def test_the_next_view_waits_for_an_action_of_another_player(autojump_clock: MockClock) -> None:
    async with connected() as sessions, trio.open_nursery() as nursery:
        ann, bob = await sessions.match()

        async def move_later() -> None:
            await trio.sleep(5)
            await do(bob, "TRY 1 cat")

        began = trio.current_time()
        nursery.start_soon(move_later)
        assert "bob has entered cat" in (await ann.next_view()).message
        assert trio.current_time() - began == 5


async def test_a_players_own_action_is_no_next_view() -> None:
    async with connected() as sessions:
        ann, _ = await sessions.match()
        await do(ann, "TRY 1 cat")
        with trio.move_on_after(0) as scope:
            await ann.next_view()
        assert scope.cancelled_caught


async def test_only_one_task_at_a_time_waits_for_the_next_view_of_a_session() -> None:
    async with opened() as lobby, lobby.session() as ann, trio.open_nursery() as nursery:
        await do(ann, "ann")
        nursery.start_soon(ann.next_view)
        await wait_all_tasks_blocked()
        with pytest.raises(trio.BusyResourceError):
            await ann.next_view()
        nursery.cancel_scope.cancel()
    async with connected() as sessions:
        ann, bob = await sessions.match()
        with trio.move_on_after(0):
            await ann.next_view()
        await do(bob, "TRY 1 cat")
        assert "cat" in (await ann.next_view()).message


@pytest.mark.parametrize("line", ["TRY 2 rat", "TRY 2 toolong"])
async def test_answers_and_changes_arrive_in_the_order_of_their_execution(line: str) -> None:
    # The owner answers several of ann's and bob's requests in one batch. Trio decides which task runs first.
    for _ in range(25):
        async with connected() as sessions:
            ann, bob = await sessions.match()
            seen: list[SessionView] = []

            async def follow(ann: Session, seen: list[SessionView]) -> None:
                while True:
                    seen.append(await ann.next_view())

            async def say(ann: Session, seen: list[SessionView]) -> None:
                seen.append(await ann.say(line))

            async def play(bob: Session) -> None:
                await bob.say("TRY 1 cat")
                await bob.say("TRY 1 bat")

            async with trio.open_nursery() as nursery:
                nursery.start_soon(follow, ann, seen)
                await wait_all_tasks_blocked()
                nursery.start_soon(play, bob)
                nursery.start_soon(say, ann, seen)
                await wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
            numbers = [view.number for view in seen]
            assert numbers == sorted(numbers)
            assert len(seen) == 3
            assert seen[-1].match == (await ann.look()).match


# --- the end of a block ------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["START", "CHOOSE", "WAIT", "SHOW SCORE"])
async def test_an_id_is_free_as_soon_as_a_session_is_left_that_is_not_in_play(state: str) -> None:
    async with connected() as sessions:
        if state == "SHOW SCORE":
            ann, bob = await sessions.match()
            await do(bob, "EXIT")
            await ann.next_view()
        else:
            ann = await sessions.open()
            if state != "START":
                await do(ann, "ann")
            if state == "WAIT":
                await do(ann, 'NEW m1 simple "so"')
        assert (await ann.look()).state == state
        await sessions.leave(ann)
        again = await sessions.player("ann")
        assert again.view.matches == ()


async def test_leaving_takes_effect_before_later_requests_also_by_cancellation() -> None:
    async with opened() as lobby, trio.open_nursery() as nursery:

        async def ann() -> None:
            async with lobby.session() as session:
                await do(session, "ann")
                await session.next_view()

        nursery.start_soon(ann)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            while nursery.child_tasks:
                await trio.lowlevel.checkpoint()
            async with lobby.session() as session:
                await do(session, "ann")


async def test_an_exception_passes_through_the_block_of_a_session_and_ends_the_session() -> None:
    async with opened() as lobby:
        with pytest.raises(KeyError):
            async with lobby.session() as session:
                await do(session, "ann")
                raise KeyError
        with pytest.raises(SessionEnded):
            await session.say("EXIT")
        with pytest.raises(SessionEnded):
            await session.next_view()


@pytest.mark.parametrize("ticks", range(6))
async def test_a_task_that_is_cancelled_while_connecting_leaves_no_session_behind(ticks: int) -> None:
    async with opened(limits=Limits(sessions=1)) as lobby, trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def connect() -> None:
            with scope:
                async with lobby.session():
                    await trio.sleep_forever()

        nursery.start_soon(connect)
        for _ in range(ticks):
            await trio.lowlevel.checkpoint()
        scope.cancel()
        await wait_all_tasks_blocked()
        async with lobby.session():
            pass


async def test_a_full_lobby_refuses_sessions_until_one_leaves() -> None:
    async with opened(limits=Limits(sessions=1)) as lobby:
        async with lobby.session():
            with pytest.raises(LobbyFull):
                async with lobby.session():
                    raise AssertionError("taken in")
        async with lobby.session():
            pass


async def test_after_logging_out_the_session_is_over_and_the_id_free() -> None:
    async with opened() as lobby, lobby.session() as ann:
        await do(ann, "ann")
        assert (await do(ann, "EXIT")).closed
        with pytest.raises(SessionEnded):
            await ann.say("ann")
        async with lobby.session() as again:
            await do(again, "ann")


async def test_a_task_that_waits_for_a_view_learns_how_the_session_has_ended() -> None:
    async with connected() as sessions:
        why: list[str] = []

        async def follow(session: Session) -> None:
            with pytest.raises(SessionEnded) as ended:
                await session.next_view()
            why.append(ended.value.why)

        ann, bob = await sessions.player("ann"), await sessions.player("bob")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow, ann)
            await wait_all_tasks_blocked()
            await do(ann, "EXIT")
            await wait_all_tasks_blocked()
            nursery.start_soon(follow, bob)
            await wait_all_tasks_blocked()
            await sessions.come_back("bob")
        assert why == ["logged-out", "taken-over"]


# --- grace ------------------------------------------------------------------------------------------


async def test_a_player_who_returns_within_the_grace_continues(autojump_clock: MockClock) -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        await do(ann, "TRY 1 cat")
        await bob.next_view()
        await sessions.leave(ann)
        assert "ann has lost the connection" in (await bob.next_view()).message
        await trio.sleep(GRACE_S - 1)
        again, view = await sessions.come_back("ann")
        assert (view.state, view.error, view.token) == ("PLAY", None, None)
        assert "ann is back" in (await bob.next_view()).message
        await trio.sleep(2 * GRACE_S)  # the grace period of the lost session ends without effect
        assert (await do(again, "TRY 2 mat")).state == "SHOW SCORE"


async def test_a_player_who_does_not_return_forfeits_when_the_grace_is_over(autojump_clock: MockClock) -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        left = trio.current_time()
        await sessions.leave(ann)
        assert (await bob.next_view()).state == "PLAY"
        other = await sessions.open()
        assert (await other.say("ann")).error is not None  # the ID is still in use
        result = (await bob.next_view()).result
        assert trio.current_time() - left == GRACE_S
        assert result is not None
        assert (result.winner, result.forfeited_by) == ("bob", "ann")
        assert (await other.say(f"ann {sessions.tokens['ann']}")).error is not None
        assert (await do(other, "ann")).state == "CHOOSE"


async def test_without_grace_a_lost_connection_forfeits_at_once() -> None:
    async with connected(grace=0) as sessions:
        ann, bob = await sessions.match()
        await sessions.leave(ann)
        view = await bob.next_view()
        assert view.result is not None
        assert (view.result.winner, view.result.forfeited_by) == ("bob", "ann")
        await sessions.player("ann")


async def test_a_player_lost_twice_has_the_whole_grace_again(autojump_clock: MockClock) -> None:
    async with connected() as sessions:
        ann, _bob = await sessions.match()
        await sessions.leave(ann)
        await trio.sleep(20)
        again, view = await sessions.come_back("ann")
        await sessions.leave(again)
        await trio.sleep(20)  # 40 after the first loss, 20 after the second
        _, view = await sessions.come_back("ann")
        assert (view.state, view.error) == ("PLAY", None)


async def test_if_both_players_are_lost_the_first_forfeits(autojump_clock: MockClock) -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        await sessions.leave(ann)
        await trio.sleep(1)
        await sessions.leave(bob)
        await trio.sleep(GRACE_S - 0.5)
        _, view = await sessions.come_back("bob")
        assert view.result is not None
        assert (view.result.winner, view.result.forfeited_by) == ("bob", "ann")


async def test_a_lost_player_may_see_the_score_of_a_match_that_the_other_has_given_up(
    autojump_clock: MockClock,
) -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        await sessions.leave(ann)
        await do(bob, "EXIT")
        _, view = await sessions.come_back("ann")
        assert view.result is not None
        assert (view.state, view.result.winner) == ("SHOW SCORE", "ann")


async def test_a_return_takes_over_from_a_connection_that_only_seems_to_live() -> None:
    async with connected() as sessions:
        ann, bob = await sessions.match()
        again, view = await sessions.come_back("ann")
        assert (view.state, view.error) == ("PLAY", None)
        with pytest.raises(SessionEnded):
            await ann.say("TRY 1 cat")
        await sessions.leave(ann)
        await do(again, "TRY 1 cat")
        assert "ann has entered cat" in (await bob.next_view()).message


@pytest.mark.parametrize("grace", [-1.0, float("nan"), float("inf")])
async def test_an_invalid_grace_is_refused(grace: float) -> None:
    with pytest.raises(ValueError, match="grace"):
        async with open_lobby(PUZZLES, grace=grace):
            raise AssertionError("opened")


# --- the end ----------------------------------------------------------------------------------------


async def test_a_lobby_without_puzzles_does_not_open() -> None:
    with pytest.raises(PuzzleError):
        async with open_lobby([]):
            raise AssertionError("opened")


async def test_an_exception_leaves_the_block_of_the_lobby_unchanged() -> None:
    with pytest.raises(KeyError):
        async with opened():
            raise KeyError


async def test_after_the_end_every_call_raises_and_leaving_is_still_possible() -> None:
    async with opened() as lobby, lobby.session() as ann, trio.open_nursery() as nursery:
        await do(ann, "ann")

        async def follow() -> None:
            with pytest.raises(GameClosed):
                await ann.next_view()

        nursery.start_soon(follow)
        await wait_all_tasks_blocked()
        await lobby.aclose()
        for call in (ann.look, ann.next_view):
            with pytest.raises(GameClosed):
                await call()
        with pytest.raises(GameClosed):
            await ann.say("EXIT")
        with pytest.raises(GameClosed):
            async with lobby.session():
                raise AssertionError("taken in")
