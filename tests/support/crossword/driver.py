"""A driver of lobbies for tests: connections say lines and store the views that the lobby pushes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scramble.crossword import Limits, Lobby, Puzzle, SessionEnded, SessionId, SessionView
from scramble.crossword.messages import (
    Disconnect,
    ExpireGrace,
    Follow,
    Object,
    OpenSession,
    Quota,
    ReturnSession,
    Say,
    State,
)
from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Command, Refused, Ticket

SIMPLE = """>> "Simple Puzzle" "A trivial puzzle designed to show how puzzles work"
 (cat, "feline companion", DOWN, 0, 1)
 (mat, "lounging place for feline companion", ACROSS, 1, 0)
"""

EXTENDED = """>> "Extended" "cat and mat, and words that overlap with cat"
 (cat, "feline companion", DOWN, 0, 1)
 (mat, "lounging place for feline companion", ACROSS, 1, 0)
 (car, "takes you to the cat", ACROSS, 0, 1)
 (tax, "the state's part", ACROSS, 2, 1)
"""


ANYBODY = Quota()

STATES: tuple[State, ...] = ("START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE")


class Table:
    """A lobby with a minimal front end that follows every session all the time.

    `pushed[session]` has the views that a front end would have pushed, in order. `ended` has the errors of sessions'
    followers.
    """

    def __init__(
        self,
        puzzles: Sequence[Puzzle] = (),
        limits: Limits | None = None,
        rules: Callable[[Sequence[Puzzle], Limits | None], Lobby] = Lobby,
    ) -> None:
        both = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))
        self.lobby = rules(puzzles or both, limits)
        self.pushed: dict[SessionId, list[SessionView]] = {}
        self.ended: dict[SessionId, str] = {}
        self._sent: dict[SessionId, int] = {}
        self._following: dict[Ticket, SessionId] = {}
        self._last = 0

    def ask(self, command: Command[object]) -> object:
        """Execute a command that is answered at once, and deliver the views that it pushes. Raises its refusal."""
        self._last += 1
        asked = Ticket(self._last)
        answers: list[object] = []
        errors: list[CallerError] = []
        for outcome in self.lobby.apply(asked, command):
            if isinstance(outcome, Answered) and outcome.ticket == asked:
                answers.append(outcome.value)
            elif isinstance(outcome, Refused) and outcome.ticket == asked:
                errors.append(outcome.error)
            elif isinstance(outcome, Answered):
                session = self._following.pop(outcome.ticket)
                assert isinstance(outcome.value, SessionView)
                assert outcome.value.session == session
                if outcome.value.number > self._sent[session]:
                    self._sent[session] = outcome.value.number
                    self.pushed[session].append(outcome.value)
            elif isinstance(outcome, Refused):
                assert isinstance(outcome.error, SessionEnded)
                self.ended[self._following.pop(outcome.ticket)] = outcome.error.why
        assert len(answers) + len(errors) == 1, "every command is answered exactly once"
        if not errors:
            if isinstance(answers[0], SessionView):
                sent = answers[0]
                self._sent[sent.session] = max(sent.number, self._sent.get(sent.session, 0))
            self._follow()
            return answers[0]
        self._follow()
        raise errors[0]

    def _follow(self) -> None:
        """Follow each open session that has no follower, beginning after its last view."""
        followed = set(self._following.values())
        for session, sent in self._sent.items():
            if session in followed or session in self.ended:
                continue
            self._last += 1
            outcomes = self.lobby.apply(Ticket(self._last), Follow(session, sent))
            if outcomes:
                assert isinstance(outcomes[0], Refused), "a new follow must not be answered at once"
                self.ended.setdefault(session, "gone")
            else:
                self._following[Ticket(self._last)] = session

    def open(self, token: str = "token", quota: Quota = ANYBODY) -> SessionId:
        """Open a connection; return its session."""
        view = self.ask(OpenSession(token, quota))
        assert isinstance(view, SessionView)
        assert (view.state, view.error) == ("START", None)
        self.pushed[view.session] = []
        return view.session

    def come_back(self, player: str, claim: str, quota: Quota = ANYBODY) -> SessionView:
        """Open a connection to a full lobby with the ID and the token of a player."""
        view = self.ask(ReturnSession("unused", player, claim, quota))
        assert isinstance(view, SessionView)
        self.pushed[view.session] = []
        return view

    def say(self, session: SessionId, line: str) -> SessionView:
        """Say a line; return the view in the answer."""
        view = self.ask(Say(session, line))
        assert isinstance(view, SessionView)
        return view

    def do(self, session: SessionId, line: str) -> SessionView:
        """Say a line; check that it is not refused; return the view."""
        view = self.say(session, line)
        assert view.error is None, view.error
        return view

    def refused(self, session: SessionId, line: str) -> str:
        """Say a line; check that it is refused and changes only the error; return the reason."""
        before, version = self.look(session), self.lobby.version
        view = self.say(session, line)
        assert view.error is not None
        assert (self.look(session), self.lobby.version) == (before, version)
        return view.error

    def look(self, session: SessionId) -> SessionView:
        """Return the current view of a session."""
        view = self.ask(Object(session, ""))
        assert isinstance(view, SessionView)
        return view

    def lose(self, session: SessionId, may_return: bool = True) -> bool:
        """Lose the connection; return True if the player may return."""
        answer = self.ask(Disconnect(session, may_return, left=True))
        assert isinstance(answer, bool)
        return answer

    def expire(self, session: SessionId) -> None:
        """End the grace period."""
        assert self.ask(ExpireGrace(session, left=True)) is None

    def player(self, name: str, token: str = "token") -> SessionId:
        """Open a connection and enter the ID; return the session."""
        session = self.open(token)
        assert self.do(session, name).state == "CHOOSE"
        return session

    def match(self, puzzle: str = "extended", match: str = "m1") -> tuple[SessionId, SessionId]:
        """Let ann make a match and bob join it; return their sessions."""
        ann, bob = self.player("ann", "ann-token"), self.player("bob", "bob-token")
        self.do(ann, f'NEW {match} {puzzle} "a match"')
        assert self.do(bob, f"PLAY {match}").state == "PLAY"
        return ann, bob


def in_state(table: Table, state: State, name: str = "ann") -> SessionId:
    """Return a session of ann's in that state; in PLAY and SHOW SCORE against bob."""
    if state == "START":
        return table.open("ann-token")
    session = table.player(name, f"{name}-token")
    if state in ("WAIT", "PLAY", "SHOW SCORE"):
        table.do(session, 'NEW m1 simple "a match"')
    if state in ("PLAY", "SHOW SCORE"):
        other = table.player("bob", "bob-token")
        table.do(other, "PLAY m1")
        if state == "SHOW SCORE":
            table.do(other, "EXIT")
    assert table.look(session).state == state
    return session


def state_of(table: Table, session: SessionId) -> str:
    try:
        return table.look(session).state
    except SessionEnded:
        return "END"
