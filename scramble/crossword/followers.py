"""Followers of sessions, and the outcomes of the current command. The lobby decides; this module delivers. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scramble.crossword.messages import SessionEnded, SessionView
from scramble.crossword.session import SessionState
from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Outcome, Refused, Ticket


class Followers:
    """Waiting `Follow` requests of all sessions, by their tickets, and the outcomes of the current command."""

    # AF: _sessions maps the ticket of each waiting request to its session. _outcomes has the outcomes of the current
    #     command, in order. _touched has the sessions of other players with a view that the command has changed.
    # RI: the `followers` of a session are its tickets in _sessions

    def __init__(self) -> None:
        self._sessions: dict[Ticket, SessionState] = {}
        self._outcomes: list[Outcome] = []
        self._touched: dict[SessionState, None] = {}

    def begin(self) -> None:
        """Begin the next command."""
        self._outcomes = []
        self._touched = {}

    def answer(self, ticket: Ticket, value: object) -> None:
        """Answer that request."""
        self._outcomes.append(Answered(ticket, value))

    def refuse(self, ticket: Ticket, error: CallerError) -> None:
        """Refuse that request."""
        self._outcomes.append(Refused(ticket, error))

    def park(self, ticket: Ticket, session: SessionState, since: int) -> None:
        """Keep the request until the session has a view later than `since`."""
        session.followers[ticket] = since
        self._sessions[ticket] = session

    def withdraw(self, ticket: Ticket) -> None:
        """Drop the request with this ticket, if it waits."""
        session = self._sessions.pop(ticket, None)
        if session is not None:
            del session.followers[ticket]

    def touch(self, *sessions: SessionState) -> None:
        """Record that the views of these sessions have changed, so that `push` answers their followers."""
        self._touched.update(dict.fromkeys(sessions))

    def spare(self, session: SessionState) -> None:
        """Do not push the session's view: its own command has changed it, or it has ended."""
        self._touched.pop(session, None)

    def release(self, session: SessionState, reason: SessionEnded) -> None:
        """Refuse all requests that follow the session."""
        for ticket in session.followers:
            del self._sessions[ticket]
            self.refuse(ticket, SessionEnded(reason.why, str(reason)))
        session.followers.clear()

    def push(self, view: Callable[[SessionState], SessionView]) -> bool:
        """Give each changed view a new number, and answer its followers. Return True if any view changed."""
        for session in self._touched:
            session.number += 1
            session.pushed = session.number
            due = [ticket for ticket, since in session.followers.items() if since < session.number]
            for ticket in due:
                self.withdraw(ticket)
                self.answer(ticket, view(session))
        return bool(self._touched)

    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes of the current command."""
        return self._outcomes

    def check_rep(self, sessions: Iterable[SessionState]) -> None:
        """Check the invariants; `sessions` are all sessions. For tests."""
        assert self._sessions == {ticket: session for session in sessions for ticket in session.followers}
