"""Result of the match in a lobby of one match, its spectators, and the requests that wait for its end. Pure.

The first player waits for a second player, or plays alone. The lobby has no other match after this match. The public
view of the match has everything that its players see. After the end it has also the solution.
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

NO_SESSION: Final = SessionId(0)  # no session has this number


class OneMatch:
    """Data of the one match that the roster does not have. Mutable; only one task at a time may use it."""

    # AF: the one match on `puzzle`, of one player if `alone`. It is over with `result`; None: it is not over. _watchers
    #     maps each waiting request for a view to the number of its last seen view. The requests in _ends wait for the
    #     result. _shown is the content of the view with the number _number.
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
        """Raise MatchFull or MatchOver if `player` has no place in the match. Requires a player without a session."""
        if self.result is not None:
            if player not in self.result.match.players:
                raise MatchOver
        elif roster.running:
            raise MatchFull(alone=self.alone)

    @property
    def solution(self) -> tuple[str, ...]:
        """The right words, in the order of their ids from 1."""
        return tuple(entry.word for entry in self.puzzle.entries)

    def watch(self, ticket: Ticket, since: int, roster: Roster, followers: Followers) -> None:
        """Answer with the public view, now or as soon as its number is above `since`."""
        self._renumber(roster)
        if self._number > since:
            followers.answer(ticket, self._view(roster))
        else:
            self._watchers[ticket] = since

    def await_result(self, ticket: Ticket, followers: Followers) -> None:
        """Answer with the result, now or at the end of the match."""
        self._ends[ticket] = None
        self._announce(followers)

    def withdraw(self, ticket: Ticket) -> None:
        """Drop the request with this ticket, if it waits."""
        self._watchers.pop(ticket, None)
        self._ends.pop(ticket, None)

    def publish(self, roster: Roster, followers: Followers) -> None:
        """Answer the waiting requests for a view or the result, as far as the latest command has made one."""
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
        """Give the view a new number if it has changed. Return True if it has changed."""
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
        """Return the public data: state, message, match, missing player, result, clock."""
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
