# ruff: noqa: ASYNC240 - nothing else runs while a test looks for a file
"""The door with a journal: lobbies that are closed, or die, and are opened again. On a clock of our own.

A lobby that is closed while sessions are in it writes nothing of their end, so what is found then is what is found
after a crash. (tests/system/cli/test_kept.py kills real servers.)

Partitions:
- a session at the end: in START, CHOOSE, WAIT, PLAY, SHOW SCORE; connected, missing; of both players of a match, of one
- coming back: with the token, before and after the time of grace; the grace of those who were missing is fresh; is 0
- the lobby: gone on with once, and again; numbers and versions go on; puzzles and limits are those it began with; the
  same start is required
- lines that cannot be written down: with and without a journal
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
    """A lobby in that file; its players have the tokens from `before`. Connections are cut when it has closed."""
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


async def test_both_players_come_back_to_their_match_and_versions_go_on(file: Path, mock_clock: MockClock) -> None:
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
        assert (await third.player("ann")).id > bob.id, "no number is given twice"


async def test_who_does_not_come_back_in_time_forfeits(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        await first.match()
    async with process(file, first) as second:
        bob, view = await second.come_back("bob")
        assert "ann has lost the connection" not in view.message  # was so before
        mock_clock.jump(GRACE_S)
        view = await bob.next_view()
        assert view.result is not None
        assert (view.result.winner, view.result.forfeited_by) == ("bob", "ann")
        _, view = await second.come_back("ann")
        assert view.error is not None


async def test_if_nobody_comes_back_nothing_is_left(file: Path, mock_clock: MockClock) -> None:
    async with process(file) as first:
        await first.match()
    async with process(file, first) as second:
        mock_clock.jump(GRACE_S)
        cyd = await second.player("cyd")  # after the end of both
        await do(cyd, 'NEW m1 simple "the same ID"')
        assert (await second.player("ann")).view.state == "CHOOSE"
        assert (await second.player("bob")).view.state == "CHOOSE"


async def test_who_was_missing_already_has_a_fresh_time_of_grace(file: Path, mock_clock: MockClock) -> None:
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


async def test_who_was_missing_at_the_score_may_still_come_back_to_it(file: Path) -> None:
    async with process(file) as first:
        ann, bob = await first.match()
        await first.leave(bob)
        await do(ann, "EXIT")
    async with process(file, first) as second:
        _, view = await second.come_back("bob")
        assert view.state == "SHOW SCORE"
        _, view = await second.come_back("ann")  # connected in SHOW SCORE, so this was the end of the session
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


async def test_players_of_a_dead_process_keep_their_places_until_they_are_back(file: Path) -> None:
    limits = Limits(sessions=2)
    async with open_lobby(PUZZLES, limits=limits, journal=Journal(file)) as lobby:
        first = Sessions(lobby)
        await first.match()
    await first.leave_all()
    async with open_lobby(PUZZLES, journal=Journal(file)) as lobby:
        second = Sessions(lobby)
        second.tokens = first.tokens
        for name in ("ann", "bob"):
            with pytest.raises(LobbyFull):  # the limit is that of the lobby as it began
                await second.open()
            assert (await second.come_back_to_a_full_lobby(name)).view.state == "PLAY"
        with pytest.raises(LobbyFull):
            await second.open()
        await second.leave_all()


async def test_a_lobby_goes_on_with_its_own_puzzles_unless_the_start_must_be_the_same(file: Path) -> None:
    async with process(file):
        pass
    async with process(file, puzzles=PUZZLES[:1]) as second:
        ann = await second.player("ann")
        assert [puzzle.id for puzzle in ann.view.puzzles or ()] == ["simple", "extended"]
    with pytest.raises(JournalError, match="began with something else"):
        async with open_lobby(PUZZLES[:1], journal=Journal(file, same_start=True)):
            raise AssertionError("opened")
    async with open_lobby(PUZZLES, journal=Journal(file, same_start=True)):
        pass


async def test_a_time_of_grace_that_is_none_leaves_the_journal_alone(file: Path) -> None:
    with pytest.raises(ValueError, match="grace"):
        async with open_lobby(PUZZLES, grace=-1, journal=Journal(file)):
            raise AssertionError("opened")
    assert not file.exists()


async def test_a_logged_out_player_is_not_there_any_more(file: Path) -> None:
    async with process(file) as first:
        ann = await first.player("ann")
        assert (await do(ann, "EXIT")).closed
        with pytest.raises(SessionEnded):
            await ann.look()
    async with process(file, first) as second:
        _, view = await second.come_back("ann")
        assert view.error is not None


@pytest.mark.parametrize("kept", [True, False])
async def test_a_line_that_is_no_text_is_refused_in_words_and_changes_nothing(kept: bool, file: Path) -> None:
    async with process(file if kept else None) as sessions:
        ann = await sessions.player("ann")
        before = await ann.look()
        view = await ann.say('NEW m1 simple "\udc80"')
        assert view.error == "That is not Unicode text."
        assert await ann.look() == before
        assert (await do(ann, "EXIT")).closed
