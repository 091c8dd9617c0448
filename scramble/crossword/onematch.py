"""The one match of a lobby that has no choice of matches: its result, and those who watch it or wait for its end. Pure.

Who enters such a lobby waits for a second player, or is that one, or plays alone; afterwards nobody plays in it any
more. What everybody may see of the match is what all its players see; after the end that is the solution, too.
"""

from __future__ import annotations

from typing import Final

from scramble.crossword import phrases
from scramble.crossword.followers import Followers
from scramble.crossword.messages import (
    MatchFull,
    MatchHeader,
    MatchOver,
    MatchView,
    Missing,
    Result,
    SessionId,
    SessionView,
    State,
)
from scramble.crossword.puzzle import Puzzle
from scramble.crossword.roster import Roster
from scramble.crossword.solve_time import SolveTime
from scramble.kernel.protocol import Ticket

ONE_MATCH_ID: Final = "one"

NO_SESSION: Final = SessionId(0)  # which no session ever has


class OneMatch:
    """Everything about the match that is not in the roster. Mutable; used by one task at a time."""

    # AF: the one match on `puzzle`, which one player plays if `alone`, over with `result` unless that is None. The
    #     requests in _watchers wait for a view with a higher number than theirs, those in _ends for the result. _shown
    #     is what the view _number shows.
    # RI: _ends is empty if there is a result; no number in _watchers is below _number.

    def __init__(self, puzzle: Puzzle, result: Result | None = None, *, alone: bool = False) -> None:
        self.puzzle: Final = puzzle
        self.alone: Final = alone
        self.result = result
        self._number = 0
        self._shown: tuple[object, ...] | None = None
        self._watchers: Final[dict[Ticket, int]] = {}
        self._ends: Final[dict[Ticket, None]] = {}

    def require_place(self, player: str, roster: Roster) -> None:
        """Raise MatchFull or MatchOver if `player`, who has no session, can be none of the players."""
        if self.result is not None:
            if player not in self.result.match.players:
                raise MatchOver
        elif roster.running:
            raise MatchFull(alone=self.alone)

    @property
    def solution(self) -> tuple[str, ...]:
        """The right words, by their ids from 1 on."""
        return tuple(entry.word for entry in self.puzzle.entries)

    def watch(self, ticket: Ticket, since: int, roster: Roster, followers: Followers) -> None:
        """Answer with the public view, now or as soon as its number is above `since`."""
        self._renumber(roster)
        if self._number > since:
            followers.answer(ticket, self._view(roster))
        else:
            self._watchers[ticket] = since

    def await_result(self, ticket: Ticket, followers: Followers) -> None:
        """Answer with the result, now or as soon as there is one."""
        self._ends[ticket] = None
        self._announce(followers)

    def withdraw(self, ticket: Ticket) -> None:
        """Forget the request, if it waits."""
        self._watchers.pop(ticket, None)
        self._ends.pop(ticket, None)

    def publish(self, roster: Roster, followers: Followers) -> None:
        """Answer all whom the latest command has given something to see."""
        self._announce(followers)
        if self._watchers and self._renumber(roster):
            view = self._view(roster)
            for ticket, since in list(self._watchers.items()):
                if self._number > since:
                    del self._watchers[ticket]
                    followers.answer(ticket, view)

    def _announce(self, followers: Followers) -> None:
        if self.result is not None:
            for ticket in self._ends:
                followers.answer(ticket, self.result)
            self._ends.clear()

    def _renumber(self, roster: Roster) -> bool:
        """Give the view another number if it has changed, and return whether it has."""
        shown = self._public(roster)
        if shown == self._shown:
            return False
        self._shown = shown
        self._number += 1
        return True

    def _view(self, roster: Roster) -> SessionView:
        state, message, match, missing, result, clock = self._public(roster)
        return SessionView(
            session=NO_SESSION,
            number=self._number,
            state=state,
            player=None,
            message=message,
            match=match,
            missing=missing,
            result=result,
            clock=clock,
            solution=None if result is None else self.solution,
        )

    def _public(
        self, roster: Roster
    ) -> tuple[State, str, MatchView | MatchHeader | None, Missing | None, Result | None, SolveTime | None]:
        """Return what everybody may see: state, message, match, missing player, result, clock."""
        if self.result is not None:
            return "SHOW SCORE", phrases.public_score(self.result), None, None, self.result, None
        for running in roster.running.values():
            match, sessions = running.match, running.sessions.values()
            away = [one for one in sessions if not one.present]
            who = NO_SESSION if len(away) == len(sessions) else away[0].id if away else None
            missing = None if who is None else Missing(away[0].name, who)
            return "PLAY", phrases.all_there(match.players), match.view(), missing, None, running.clock
        header = MatchHeader(ONE_MATCH_ID, self.puzzle.id, self.puzzle.description)
        for waiting in roster.waiting.values():
            return "WAIT", phrases.one_there(waiting.session.name), header, None, None, None
        return "WAIT", phrases.nobody_there(alone=self.alone), header, None, None, None
