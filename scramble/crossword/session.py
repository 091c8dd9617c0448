"""States of sessions, and of matches that wait or run. The lobby applies the rules to these states."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from scramble.crossword import phrases
from scramble.crossword.match import Match, MatchState
from scramble.crossword.messages import (
    MatchHeader,
    MatchListing,
    MatchView,
    Missing,
    PuzzleListing,
    Quota,
    Result,
    SessionId,
    SessionView,
    State,
)
from scramble.crossword.puzzle import Puzzle
from scramble.crossword.solve_time import SolveTime
from scramble.kernel.protocol import Ticket


@dataclass(eq=False, slots=True)
class SessionState:
    """Session of one connection.

    `number` is the number of its current view; `pushed` is the number of the last view changed by another player or a
    timer. `present` is False if the player has lost the connection to a match and may come back. `waiting` is set in
    WAIT, `running` in PLAY, `result` in SHOW SCORE. `followers` maps the ticket of each waiting `Follow` to the number
    of its last seen view. `quota` has the limits of the client's address; None in a journal older than quotas.
    """

    id: SessionId
    token: str
    quota: Quota | None = None
    state: State = "START"
    message: str = phrases.START
    player: str | None = None
    number: int = 0
    pushed: int = 0
    present: bool = True
    waiting: WaitingMatch | None = None
    running: RunningMatch | None = None
    result: Result | None = None
    followers: dict[Ticket, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """ID of the player, in every state except START."""
        assert self.player is not None
        return self.player

    def enter(
        self,
        state: State,
        message: str,
        *,
        waiting: WaitingMatch | None = None,
        running: RunningMatch | None = None,
        result: Result | None = None,
    ) -> None:
        """Change to a state, and clear the fields of the previous state."""
        self.state, self.message = state, message
        self.waiting, self.running, self.result = waiting, running, result

    def view(
        self,
        puzzles: tuple[PuzzleListing, ...],
        matches: tuple[MatchListing, ...],
        *,
        error: str | None = None,
        token: str | None = None,
        solution: tuple[str, ...] | None = None,
    ) -> SessionView:
        """Return the session's view; `puzzles` are all puzzles, and `matches` all waiting matches."""
        shown: MatchView | MatchHeader | None = None
        missing: Missing | None = None
        if self.waiting is not None:
            listing = self.waiting.listing
            shown = MatchHeader(listing.id, listing.puzzle, listing.description)
        elif self.running is not None:
            shown = self.running.match.view()
            other = self.running.other(self)
            missing = None if other is None or other.present else Missing(other.name, other.id)
        return SessionView(
            session=self.id,
            number=self.number,
            state=self.state,
            player=self.player,
            message=self.message,
            error=error,
            token=token,
            puzzles=puzzles if self.state == "CHOOSE" else None,
            matches=matches if self.state == "CHOOSE" else None,
            match=shown,
            missing=missing,
            result=self.result,
            clock=None if self.running is None else self.running.clock,
            solution=None if self.result is None else solution,
        )

    def farewell(self) -> SessionView:
        """Return the last view, after the player has ended the session. The view has no player."""
        return SessionView(
            session=self.id,
            number=self.number + 1,
            state="START",
            player=None,
            message=phrases.goodbye(self.name),
            closed=True,
        )


@dataclass(eq=False, slots=True)
class WaitingMatch:
    """A match with one player."""

    listing: MatchListing
    puzzle: Puzzle
    session: SessionState


@dataclass(eq=False, slots=True)
class RunningMatch:
    """A running match, with the current session of each player.

    `clock` is set in a match of one player.
    """

    match: Match
    sessions: dict[str, SessionState]
    clock: SolveTime | None = None

    def other(self, session: SessionState) -> SessionState | None:
        """Return the session of the other player; None in a match of one player."""
        other = self.match.other(session.name)
        return None if other is None else self.sessions[other]

    def state(self) -> MatchState:
        """Return the state of the match, with its clock."""
        return msgspec.structs.replace(self.match.state(), clock=self.clock)

    def result(self) -> Result:
        """Return the result of the match, with its time. Raises `ValueError` if the match is not over."""
        result = self.match.result()
        return result if self.clock is None else msgspec.structs.replace(result, seconds=self.clock.seconds)
