"""Steps of matches in a lobby: make, join, play and end matches, and update the players' sessions. Pure.

The lobby reads the line or event, and calls a method here. The method changes the roster. A method for a player's line
raises a `Refusal` before any change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.crossword import phrases
from scramble.crossword.followers import Followers
from scramble.crossword.limits import LobbyLimits, no_match
from scramble.crossword.match import Match
from scramble.crossword.messages import MatchListing, Result
from scramble.crossword.onematch import ONE_MATCH_ID, OneMatch
from scramble.crossword.puzzle import Puzzle
from scramble.crossword.roster import Roster
from scramble.crossword.session import RunningMatch, SessionState, WaitingMatch
from scramble.crossword.solve_time import SolveTime
from scramble.crossword.statetable import Challenge, CommandRefused, Try


class Matches:
    """Matches on these puzzles, in the states of a roster. Mutable; only one task at a time may use it."""

    # AF = the matches of `_roster`, on `_puzzles`, within `_limits`. In a lobby of one match, `_one` has the rest of
    #     the match's data; in a lobby of many matches, `_one` is None. `_followers` records changed views.
    # RI: the invariants of these parts; the lobby has the same parts

    def __init__(
        self,
        puzzles: Mapping[str, Puzzle],
        limits: LobbyLimits,
        roster: Roster,
        followers: Followers,
        one: OneMatch | None,
    ) -> None:
        self._puzzles: Final = puzzles
        self._limits: Final = limits
        self._roster: Final = roster
        self._followers: Final = followers
        self._one: Final = one

    # --- the way into a match ---------------------------------------------------------------------

    def choose(self, session: SessionState, event: str = "") -> None:
        """Change a session's state to CHOOSE. The message begins with the sentence `event`."""
        hello = phrases.choose(session.name, next(iter(self._puzzles)))
        session.enter("CHOOSE", f"{event} {hello}" if event else hello)
        self._roster.choose(session)

    def take_place(self, session: SessionState, one: OneMatch, at: float | None) -> None:
        """Give a session its place in the one match, at the time `at`: to wait, to play, or to see the score."""
        if one.result is not None:
            session.enter("SHOW SCORE", self._score_words(session.name, one.result), result=one.result)
            return
        if one.alone:
            match = Match(ONE_MATCH_ID, one.puzzle, one.puzzle.description, (session.name,))
            running = RunningMatch(match, {session.name: session}, SolveTime().run(at))
            self._roster.start_alone(ONE_MATCH_ID, running)
            session.enter("PLAY", phrases.begin_alone(), running=running)
            return
        self._roster.choose(session)
        if self._roster.waiting:
            self.join(session, ONE_MATCH_ID)
        else:
            self._wait(session, MatchListing(ONE_MATCH_ID, one.puzzle.id, one.puzzle.description, session.name))

    def new(self, session: SessionState, match_id: str, puzzle_id: str, description: str) -> None:
        """Make a match for a session in CHOOSE; change the session's state to WAIT. Raises CommandRefused."""
        if puzzle_id not in self._puzzles:
            raise CommandRefused(
                "There is no puzzle with that ID. Take one of the IDs in the list of puzzles.", "no-such-puzzle"
            )
        if match_id in self._roster.waiting or match_id in self._roster.running:
            raise CommandRefused(
                f"The ID {match_id} is in use by another match. Make up another one.", "match-taken", match=match_id
            )
        full = no_match(self._limits, session.quota, self._roster.waiting.values(), len(self._roster.running))
        if full is not None:
            raise CommandRefused(full, "too-many-matches")
        self._wait(session, MatchListing(match_id, puzzle_id, description, session.name))

    def _wait(self, session: SessionState, listing: MatchListing) -> None:
        """Change a session's state from CHOOSE to WAIT: it waits for a second player."""
        waiting = WaitingMatch(listing, self._puzzles[listing.puzzle], session)
        session.enter("WAIT", self._wait_words(waiting), waiting=waiting)
        self._roster.add_waiting(waiting)
        self._followers.touch(*self._roster.choosing.values())

    def take_back(self, waiting: WaitingMatch) -> str:
        """Remove a waiting match, and return its ID."""
        self._roster.remove_waiting(waiting)
        self._followers.touch(*self._roster.choosing.values())
        return waiting.listing.id

    def join(self, session: SessionState, match_id: str) -> None:
        """Let a session in CHOOSE join a waiting match. The match begins. Raises CommandRefused."""
        if match_id in self._roster.running:
            raise CommandRefused(
                f"The match {match_id} has its two players already. Choose one of the list.",
                "match-begun",
                match=match_id,
            )
        waiting = self._roster.waiting.get(match_id)
        if waiting is None:
            raise CommandRefused(
                f"No match {match_id} is waiting for a player. Choose one of the list, or start one.",
                "no-such-match",
                match=match_id,
            )
        first = waiting.session
        game = Match(match_id, waiting.puzzle, waiting.listing.description, (first.name, session.name))
        running = RunningMatch(game, {first.name: first, session.name: session})
        self._roster.start(waiting, session, running)
        session.enter("PLAY", phrases.begin(first.name, joined=True), running=running)
        first.enter("PLAY", phrases.begin(session.name, joined=False), running=running)
        self._followers.touch(first)
        self._followers.touch(*self._roster.choosing.values())

    # --- a running match --------------------------------------------------------------------------

    def move(
        self, session: SessionState, running: RunningMatch, move: Try | Challenge, at: float | None = None
    ) -> None:
        """Carry out a player's move in the match, at the time `at`. Raises MoveRefused."""
        game = running.match
        if isinstance(move, Try):
            report = game.try_word(session.name, move.word, move.guess)
        else:
            report = game.challenge(session.name, move.word, move.proposal)
        if running.clock is not None:
            running.clock = running.clock.at(at)
        if game.over:
            self._finish(running)
            return
        session.message = phrases.play(phrases.mine(report, game.view()), alone=game.alone)
        if report.does != "unchanged":
            self._touch(running.other(session), phrases.play(phrases.theirs(session.name, report, game.view())))

    def miss(self, session: SessionState, running: RunningMatch, at: float | None) -> None:
        """Mark a session as missing: its connection was lost at the time `at`. Notify the other player."""
        self._roster.lose(session)
        if running.clock is not None:
            running.clock = running.clock.stop(at)
        self._touch(running.other(session), phrases.play(phrases.missing(session.name)))

    def come_back(
        self, session: SessionState, holder: SessionState, at: float | None = None, *, was_missing: bool
    ) -> None:
        """Give a session the state of `holder`, the ended session of the same player, at the time `at`."""
        player = session.name
        welcome = phrases.welcome_back(player)
        if holder.waiting is not None:
            holder.waiting.session = session
            session.enter("WAIT", f"{welcome} {self._wait_words(holder.waiting)}", waiting=holder.waiting)
        elif holder.running is not None:
            running = holder.running
            running.sessions[player] = session
            running.clock = None if running.clock is None else running.clock.run(at)
            session.enter("PLAY", phrases.play(welcome, alone=running.match.alone), running=running)
            if was_missing:
                self._touch(running.other(session), phrases.play(phrases.returned(player)))
        elif holder.result is not None:
            words = self._score_words(player, holder.result)
            session.enter("SHOW SCORE", f"{welcome} {words}", result=holder.result)
        else:
            self.choose(session, welcome)

    # --- the end of a match -----------------------------------------------------------------------

    def forfeit(
        self, session: SessionState, running: RunningMatch, at: float | None = None, *, left: bool = False
    ) -> None:
        """Forfeit the match for the session's player, who gives it up at the time `at`, or has `left` it."""
        if running.clock is not None:
            running.clock = running.clock.at(at)
        running.match.forfeit(session.name, left=left)
        self._finish(running)

    def time_out(self, running: RunningMatch, seconds: float) -> None:
        """End a match in which no player has moved for `seconds`."""
        running.match.time_out()
        self._finish(running, seconds)

    def _finish(self, running: RunningMatch, seconds: float | None = None) -> None:
        """Change the players' sessions to SHOW SCORE after a match. A timed-out match had no move for `seconds`."""
        result = running.result()
        self._roster.finish(result.match.id)
        if self._one is not None:
            self._one.result = result
        for session in running.sessions.values():
            session.enter("SHOW SCORE", self._score_words(session.name, result, seconds), result=result)
            self._followers.touch(session)

    # --- words --------------------------------------------------------------------------------------

    def _wait_words(self, waiting: WaitingMatch) -> str:
        return phrases.wait(waiting.listing.id) if self._one is None else phrases.WAIT_FOR_ONE

    def _score_words(self, player: str, result: Result, seconds: float | None = None) -> str:
        return phrases.score(player, result, seconds, one_match=self._one is not None)

    def _touch(self, session: SessionState | None, message: str) -> None:
        """Change the session's message. Push the view, except after the session's own command. None: do nothing."""
        if session is None:
            return
        session.message = message
        self._followers.touch(session)
