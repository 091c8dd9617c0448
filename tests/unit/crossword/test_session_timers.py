"""The timers of an open lobby, on a clock of the test: ends of idle sessions and matches, and actions against them.

Partitions:
- a session outside a match: is idle · says a line, refused or not · only others act; in each state; without a limit
- a match: nobody moves · one player moves, shown to the other or not · a player is lost and returns; without a limit
- after a match: the time outside matches begins; a session that is over, or left, has no timer
- the rest of the grace period: shown after the loss, later, at a look, at a return; after a restart
- a journal: a session or match that a timer has ended stays over after a restart
- times: NaN
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.crossword import Puzzle, Session, SessionEnded, open_lobby
from scramble.crossword.messages import State
from scramble.journal import Journal
from scramble.kernel.timers import Timers
from tests.support.crossword.driver import EXTENDED
from tests.unit.crossword.sessions import Sessions, do

PUZZLES = (Puzzle.parse(EXTENDED, id="simple"),)
GRACE_S, IDLE_S, MATCH_IDLE_S = 30.0, 100.0, 1000.0


@asynccontextmanager
async def opened(
    *, grace: float = GRACE_S, idle: float = IDLE_S, match_idle: float = MATCH_IDLE_S, journal: Journal | None = None
) -> AsyncIterator[Sessions]:
    async with open_lobby(PUZZLES, grace=grace, idle=idle, match_idle=match_idle, journal=journal) as lobby:
        sessions = Sessions(lobby)
        try:
            yield sessions
        finally:
            await sessions.leave_all()


async def why_ended(session: Session) -> tuple[str, str, float]:
    """Return the reason for the end of the session, as a code and as text, and the seconds until the end."""
    began = trio.current_time()
    with trio.fail_after(10 * MATCH_IDLE_S):
        try:
            while True:
                await session.next_view()
        except SessionEnded as ended:
            return ended.why, str(ended), trio.current_time() - began


async def in_state(sessions: Sessions, state: State) -> Session:
    if state == "START":
        return await sessions.open()
    ann = await sessions.player("ann")
    if state in ("WAIT", "SHOW SCORE"):
        await do(ann, 'NEW m1 simple "so"')
    if state == "SHOW SCORE":
        bob = await sessions.player("bob")
        await do(bob, "PLAY m1")
        await do(bob, "EXIT")
        await ann.next_view()
        await ann.next_view() if ann.view.state == "PLAY" else None
    assert ann.view.state == state
    return ann


@pytest.mark.parametrize("state", ["START", "CHOOSE", "WAIT", "SHOW SCORE"])
async def test_a_session_outside_a_match_ends_after_the_idle_time(state: State, autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        session = await in_state(sessions, state)
        assert await why_ended(session) == ("idle", "nothing was done here for 100 seconds", IDLE_S)
        assert (await sessions.player("ann")).view.matches == ()


@pytest.mark.parametrize("line", ["ann", "no good ID"])
async def test_a_line_restarts_the_idle_time_refused_or_not(line: str, autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        session = await sessions.open()
        await trio.sleep(IDLE_S - 1)
        await session.say(line)
        assert (await why_ended(session))[::2] == ("idle", IDLE_S)


async def test_others_actions_do_not_restart_the_idle_time(autojump_clock: MockClock) -> None:
    async with opened() as sessions, trio.open_nursery() as nursery:
        ann, bob = await sessions.player("ann"), await sessions.player("bob")

        async def make_and_withdraw() -> None:
            while True:
                await trio.sleep(10)
                await do(bob, 'NEW m1 simple "so"')
                await do(bob, "EXIT")

        nursery.start_soon(make_and_withdraw)
        assert (await why_ended(ann))[::2] == ("idle", IDLE_S)
        nursery.cancel_scope.cancel()


async def test_a_match_ends_for_both_when_nobody_has_moved_for_the_time(autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        ann, bob = await sessions.match()
        await trio.sleep(MATCH_IDLE_S - 1)
        await do(bob, "TRY 1 cat")
        moved = trio.current_time()
        await ann.next_view()
        view = await ann.next_view()
        assert trio.current_time() - moved == MATCH_IDLE_S
        assert (view.state, view.result and view.result.winner) == ("SHOW SCORE", "bob")
        assert "Nobody has moved for 1000 seconds" in view.message
        assert (await bob.next_view()).result == view.result
        assert (await why_ended(ann))[::2] == ("idle", IDLE_S)


async def test_a_match_continues_while_one_player_moves_though_the_other_does_not_see_it(
    autojump_clock: MockClock,
) -> None:
    async with opened() as sessions:
        ann, bob = await sessions.match()
        for word in ("cat", "pet", "cat"):
            await trio.sleep(MATCH_IDLE_S - 1)
            await do(bob, f"TRY 1 {word}")
        assert (await ann.look()).state == "PLAY"
        await trio.sleep(MATCH_IDLE_S + 1)
        assert (await ann.look()).state == "SHOW SCORE"


async def test_a_loss_and_return_do_not_count_as_a_move(autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        ann, bob = await sessions.match()
        began = trio.current_time()
        async with trio.open_nursery() as nursery:

            async def come_and_go(session: Session) -> None:
                while True:
                    await sessions.leave(session)
                    session, _ = await sessions.come_back("ann")
                    await trio.sleep(GRACE_S)

            nursery.start_soon(come_and_go, ann)
            while (await bob.next_view()).state == "PLAY":
                pass
            nursery.cancel_scope.cancel()
        assert trio.current_time() - began == MATCH_IDLE_S


async def test_with_times_of_0_nothing_ends(autojump_clock: MockClock) -> None:
    async with opened(idle=0, match_idle=0) as sessions:
        ann, bob = await sessions.match()
        cyd = await sessions.player("cyd")
        await trio.sleep(80_000)
        assert [(await session.look()).state for session in (ann, bob, cyd)] == ["PLAY", "PLAY", "CHOOSE"]


async def test_a_session_that_was_left_does_not_end_again(autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        ann = await sessions.player("ann")
        await sessions.leave(ann)
        with pytest.raises(SessionEnded):
            await ann.say("ann")
        await trio.sleep(10 * IDLE_S)
        assert not [name for name, _ in sessions.stats.commands if name == "EndIdle"]


async def test_a_session_without_a_follower_ends_at_most_one_idle_time_after_its_match(
    autojump_clock: MockClock,
) -> None:
    async with opened() as sessions:
        ann, bob = await sessions.player("ann"), await sessions.player("bob")
        await do(ann, 'NEW m1 simple "so"')
        await trio.sleep(IDLE_S - 1)
        await do(bob, "PLAY m1")
        await trio.sleep(2)  # ann's idle limit has passed, but ann is in a match now
        await do(bob, "EXIT")
        await trio.sleep(IDLE_S + 1)
        with pytest.raises(SessionEnded, match="nothing was done here for 100 seconds") as ended:
            await ann.look()
        assert ended.value.why == "idle"


async def test_a_restarted_timer_delays_no_other(autojump_clock: MockClock) -> None:
    timers = Timers[str](10)
    timers.start("a")
    await trio.sleep(1)
    timers.start("b")
    timers.start("c")
    await trio.sleep(1)
    timers.start("a")
    timers.stop("c")
    assert (timers.left_s("a"), timers.left_s("b"), timers.left_s("c")) == (10, 9, None)
    began = trio.current_time()
    over = [(await timers.next_expired(), trio.current_time() - began) for _ in range(2)]
    assert over == [("b", 9), ("a", 10)]
    assert str(timers) == "0 timers of 10 s"


async def test_a_timer_that_is_restarted_or_stopped_at_its_end_does_not_fire(
    autojump_clock: MockClock,
) -> None:
    over: list[str] = []
    timers = Timers[str](1)

    async def record() -> None:
        while True:
            over.append(await timers.next_expired())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(record)
        for number in range(50):  # trio decides each time which of the two tasks runs first
            anew, stopped = f"anew {number}", f"stopped {number}"
            timers.start(anew)
            timers.start(stopped)
            await trio.sleep(1)
            were_over = tuple(over)
            timers.start(anew)
            timers.stop(stopped)
            await trio.sleep(0.5)
            assert tuple(over) == were_over
            timers.stop(anew)
        nursery.cancel_scope.cancel()


# --- the grace period --------------------------------------------------------------------------------


async def left_of(session: Session) -> int | None:
    missing = (await session.look()).missing
    return None if missing is None else missing.seconds_left


async def test_every_look_shows_the_rest_of_the_grace(autojump_clock: MockClock) -> None:
    async with opened() as sessions:
        ann, bob = await sessions.match()
        await sessions.leave(ann)
        missing = (await bob.next_view()).missing
        assert missing is not None
        assert (missing.player, missing.seconds_left) == ("ann", 30)
        await trio.sleep(9.5)
        assert (await left_of(bob)) == 21
        await sessions.leave(bob)
        bob, view = await sessions.come_back("bob")
        assert view.missing is not None
        assert view.missing.seconds_left == 21
        await sessions.come_back("ann")
        assert await left_of(bob) is None


async def test_after_a_restart_the_grace_of_all_missing_players_starts_again(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    journal = Journal(tmp_path / "lobby.db")
    async with opened(journal=journal) as first:
        ann, _bob = await first.match()
        await first.leave(ann)
        await first.ping()
    async with opened(journal=journal) as second:
        second.tokens = first.tokens
        bob, view = await second.come_back("bob")
        assert view.missing is not None
        assert (view.missing.player, view.missing.seconds_left) == ("ann", 30)
        mock_clock.jump(GRACE_S)
        view = await bob.next_view()
        assert view.result is not None
        assert (view.result.forfeited_by, view.result.ended) == ("ann", "left")


# --- a journal ----------------------------------------------------------------------------------------


async def test_sessions_and_matches_that_a_timer_ended_stay_over_after_a_restart(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    journal = Journal(tmp_path / "lobby.db")
    async with opened(journal=journal) as first:
        ann, bob = await first.match()
        cyd = await first.player("cyd")
        await do(cyd, 'NEW m2 simple "so"')
        mock_clock.jump(IDLE_S)
        assert (await why_ended(cyd))[0] == "idle"
        mock_clock.jump(MATCH_IDLE_S)
        assert (await ann.next_view()).state == (await bob.next_view()).state == "SHOW SCORE"
        version = first.version
    async with opened(journal=journal) as second:
        assert second.version > version
        for name in ("ann", "bob", "cyd"):
            assert (await second.player(name)).view.matches == ()


@pytest.mark.parametrize("name", ["grace", "idle", "match_idle"])
@pytest.mark.parametrize("time", [-1.0, float("nan"), float("inf")])
async def test_an_invalid_time_is_refused(name: str, time: float) -> None:
    with pytest.raises(ValueError, match="number of seconds"):
        async with open_lobby(PUZZLES, **{name: time}):  # type: ignore[arg-type]
            raise AssertionError("opened")
