# ruff: noqa: ASYNC240 - nothing else runs while a test looks for a file
"""The API with a journal: lobbies that are closed, or die, and are opened again. On a clock of the test.

A lobby that is closed with open sessions does not record their ends, so its journal is like one after a crash.
(tests/system/cli/test_kept.py kills real servers.)

Partitions:
- a session at the end: in START, CHOOSE, WAIT, PLAY, SHOW SCORE; connected, missing; of one player of a match, of both
- a player's return: with the token, before and after the grace period; missing players get the whole period again; a
  period of 0
- the lobby: continued once, continued twice; numbers and versions continue; the first puzzles and limits stay; the
  lobby must begin in the same way
- lines that cannot be recorded: with and without a journal
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from trio.testing import MockClock

from scramble.crossword import Limits, LobbyFull, Puzzle, SessionEnded, open_lobby
from scramble.journal import Journal, JournalError
from tests.support.crossword.driver import EXTENDED, SIMPLE
from tests.unit.crossword.sessions import Sessions, do

PUZZLES = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))
GRACE_S = 30.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lobby.db"


@asynccontextmanager
async def process(
    file: Path | None, before: Sessions | None = None, *, grace: float = GRACE_S, puzzles: Sequence[Puzzle] = PUZZLES
) -> AsyncIterator[Sessions]:
    """Run a lobby in that file. Its players have the tokens from `before`. Connections are cut after its end."""
    journal = None if file is None else Journal(file)
    sessions: Sessions | None = None
    try:
        async with open_lobby(puzzles, grace=grace, journal=journal) as lobby:
            sessions = Sessions(lobby)
            sessions.tokens = before.tokens if before else {}
            yield sessions
    finally:
        if sessions is not None:
            await sessions.leave_all()


async def test_both_players_return_to_their_match_and_versions_continue(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        ann, bob = await first.match()
        before = await do(ann, "TRY 1 cat")
        version = first.version
    async with process(file, first) as second:
        ann, view = await second.come_back("ann")
        assert (view.state, view.match, view.error) == ("PLAY", before.match, None)
        mock_clock.jump(GRACE_S - 1)
        bob, view = await second.come_back("bob")
        assert (view.state, view.match, view.error) == ("PLAY", before.match, None)
        assert "bob is back" in (await ann.next_view()).message
        assert second.version > version
        mock_clock.jump(GRACE_S)
        view = await do(bob, "TRY 2 mat")
        assert view.result is not None
        assert view.result.points == {"ann": 1, "bob": 1}
        version = second.version
    async with process(file, second) as third:
        assert third.version >= version
        assert (await third.player("ann")).id > bob.id, "numbers are not reused"


async def test_a_player_who_does_not_return_in_time_forfeits(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        await first.match()
    async with process(file, first) as second:
        bob, view = await second.come_back("bob")
        assert "ann has lost the connection" not in view.message  # ann was missing before, too
        mock_clock.jump(GRACE_S)
        view = await bob.next_view()
        assert view.result is not None
        assert (view.result.winner, view.result.forfeited_by) == ("bob", "ann")
        _, view = await second.come_back("ann")
        assert view.error is not None


async def test_if_nobody_returns_nothing_is_left(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        await first.match()
    async with process(file, first) as second:
        mock_clock.jump(GRACE_S)
        cyd = await second.player("cyd")  # after the grace periods of both
        await do(cyd, 'NEW m1 simple "the same ID"')
        assert (await second.player("ann")).view.state == "CHOOSE"
        assert (await second.player("bob")).view.state == "CHOOSE"


async def test_the_grace_of_a_player_who_was_missing_before_starts_again(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        ann, bob = await first.match()
        await first.leave(ann)
        assert "ann has lost the connection" in (await bob.next_view()).message
        mock_clock.jump(GRACE_S - 1)
    async with process(file, first) as second:
        bob, _ = await second.come_back("bob")
        mock_clock.jump(GRACE_S - 1)
        _, view = await second.come_back("ann")
        assert (view.state, view.error) == ("PLAY", None)
        assert "ann is back" in (await bob.next_view()).message


async def test_a_player_who_was_missing_at_the_score_may_still_return_to_it(file: Path) -> None:
    async with process(file) as first:
        ann, bob = await first.match()
        await first.leave(bob)
        await do(ann, "EXIT")
    async with process(file, first) as second:
        _, view = await second.come_back("bob")
        assert view.state == "SHOW SCORE"
        _, view = await second.come_back("ann")  # the session was connected in SHOW SCORE, so it ended with the process
        assert view.error is not None


async def test_without_grace_matches_are_forfeited_at_once(file: Path) -> None:
    async with process(file) as first:
        ann, bob = await first.match()
        cyd, _dan = await first.player("cyd"), await first.player("dan")
        await do(cyd, 'NEW m2 simple "so"')
        await first.leave(bob)
        await do(ann, "TRY 1 cat")
    async with process(file, first, grace=0) as second:
        for name in ("ann", "bob", "cyd", "dan"):
            assert (await second.player(name)).view.matches == ()


async def test_outside_play_a_session_is_over_and_its_id_is_free(file: Path) -> None:
    async with process(file) as first:
        await first.open()
        await first.player("ann")
        bob = await first.player("bob")
        await do(bob, 'NEW m1 simple "so"')
    async with process(file, first) as second:
        for name in ("ann", "bob"):
            assert (await second.player(name)).view.matches == ()


async def test_players_of_a_dead_process_keep_their_places_until_they_return(file: Path) -> None:
    limits = Limits(sessions=2)
    async with open_lobby(PUZZLES, limits=limits, journal=Journal(file)) as lobby:
        first = Sessions(lobby)
        await first.match()
    await first.leave_all()
    async with open_lobby(PUZZLES, journal=Journal(file)) as lobby:
        second = Sessions(lobby)
        second.tokens = first.tokens
        for name in ("ann", "bob"):
            with pytest.raises(LobbyFull):  # the lobby keeps its first limit
                await second.open()
            assert (await second.come_back_to_a_full_lobby(name)).view.state == "PLAY"
        with pytest.raises(LobbyFull):
            await second.open()
        await second.leave_all()


async def test_a_lobby_continues_with_its_own_puzzles_unless_the_start_must_be_the_same(file: Path) -> None:
    async with process(file):
        pass
    async with process(file, puzzles=PUZZLES[:1]) as second:
        ann = await second.player("ann")
        assert [puzzle.id for puzzle in ann.view.puzzles or ()] == ["simple", "extended"]
    with pytest.raises(JournalError, match="began with other settings than the given ones"):
        async with open_lobby(PUZZLES[:1], journal=Journal(file, same_start=True)):
            raise AssertionError("opened")
    async with open_lobby(PUZZLES, journal=Journal(file, same_start=True)):
        pass


async def test_an_invalid_grace_does_not_change_the_journal(file: Path) -> None:
    with pytest.raises(ValueError, match="grace"):
        async with open_lobby(PUZZLES, grace=-1, journal=Journal(file)):
            raise AssertionError("opened")
    assert not file.exists()


async def test_a_logged_out_player_is_gone(file: Path) -> None:
    async with process(file) as first:
        ann = await first.player("ann")
        assert (await do(ann, "EXIT")).closed
        with pytest.raises(SessionEnded):
            await ann.look()
    async with process(file, first) as second:
        _, view = await second.come_back("ann")
        assert view.error is not None


@pytest.mark.parametrize("kept", [True, False])
async def test_a_line_that_is_no_text_is_refused_with_a_reason_and_changes_nothing(kept: bool, file: Path) -> None:
    async with process(file if kept else None) as sessions:
        ann = await sessions.player("ann")
        before = await ann.look()
        view = await ann.say('NEW m1 simple "\udc80"')
        assert view.error == "That is not Unicode text."
        assert await ann.look() == before
        assert (await do(ann, "EXIT")).closed
