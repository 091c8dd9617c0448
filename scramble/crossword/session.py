"""What the lobby remembers of one connection, and of a match with one or two players. The lobby holds the law."""

from __future__ import annotations

from dataclasses import dataclass, field

from scramble.core import Ticket
from scramble.crossword import phrases
from scramble.crossword.match import Match
from scramble.crossword.messages import (
    MatchHeader,
    MatchListing,
    MatchView,
    PuzzleListing,
    Result,
    SessionId,
    SessionView,
    State,
)
from scramble.crossword.puzzle import Puzzle


@dataclass(eq=False, slots=True)
class Session:
    """One connection's session.

    `number` is that of what it shows now, `pushed` that of the last change by somebody else's doing. `present` is
    False for a player who has lost the connection to a match and may come back. `waiting` is there in WAIT, `running`
    in PLAY, `result` in SHOW SCORE. `followers` are the parked `Follow` tickets, and what each has seen.
    """

    id: SessionId
    token: str
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
        """The player's ID, in every state but START."""
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
        """Go to a state, and drop what belonged to the state before."""
        self.state, self.message = state, message
        self.waiting, self.running, self.result = waiting, running, result

    def view(
        self,
        puzzles: tuple[PuzzleListing, ...],
        matches: tuple[MatchListing, ...],
        *,
        error: str | None = None,
        token: str | None = None,
    ) -> SessionView:
        """What the session shows, where these are all puzzles and all matches that wait."""
        shown: MatchView | MatchHeader | None = None
        if self.waiting is not None:
            listing = self.waiting.listing
            shown = MatchHeader(listing.id, listing.puzzle, listing.description)
        elif self.running is not None:
            shown = self.running.match.view()
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
            result=self.result,
        )

    def farewell(self) -> SessionView:
        """Its last view, once its player has ended it: nobody is logged in."""
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
    """A match that has one player."""

    listing: MatchListing
    puzzle: Puzzle
    session: Session


@dataclass(eq=False, slots=True)
class RunningMatch:
    """A match that has two players, and the session by which each of them is connected now."""

    match: Match
    sessions: dict[str, Session]

    def other(self, session: Session) -> Session:
        """The session of the other player."""
        return self.sessions[self.match.other(session.name)]
