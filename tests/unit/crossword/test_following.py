"""Testing strategy: how sessions learn of the actions of others, on bare tickets.

- following: answered at once · later · overtaken by the session's own answer · not answered by the session's own
  actions · withdrawn · ended by EXIT, take-over, loss · several followers of one session
- numbers and versions: commands that raise them, and commands that do not
"""

from __future__ import annotations

import pytest

from scramble.crossword import Limits, Lobby, Puzzle, SessionEnded, SessionId
from scramble.crossword.messages import (
    Disconnect,
    Follow,
    Look,
    Object,
    OpenSession,
    Say,
    SessionView,
)
from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Refused, Ticket, Withdraw
from tests.support.crossword.driver import SIMPLE

# following, on bare tickets


class Bare:
    """A lobby that gets commands with numbered tickets, with its answers by ticket."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.lobby = Lobby([Puzzle.parse(SIMPLE, id="simple")], limits)
        self.answers: dict[int, object] = {}

    def ask(self, ticket: int, command: Command[object]) -> object:
        for outcome in self.lobby.apply(Ticket(ticket), command):
            assert isinstance(outcome, Answered | Refused)
            assert outcome.ticket not in self.answers, "a ticket is answered at most once"
            answer = outcome.value if isinstance(outcome, Answered) else outcome.error
            self.answers[outcome.ticket] = answer
        return self.answers.get(ticket)

    def number(self, ticket: int) -> int:
        view = self.answers[ticket]
        assert isinstance(view, SessionView)
        return view.number


def test_a_follow_waits_for_the_next_change_by_another_session() -> None:
    bare = Bare()
    for ticket, command in enumerate((OpenSession("a"), OpenSession("b"))):
        bare.ask(ticket, command)
    ann, bob = SessionId(1), SessionId(2)
    bare.ask(2, Say(ann, "ann"))
    assert bare.ask(3, Follow(ann, since=bare.number(2))) is None
    bare.ask(4, Say(ann, "nonsense"))
    bare.ask(5, Say(bob, "bob"))
    assert 3 not in bare.answers, "the session's own actions and hidden changes do not answer it"
    bare.ask(6, Say(bob, 'NEW m1 simple "so"'))
    view = bare.answers[3]
    assert isinstance(view, SessionView)
    assert [match.id for match in view.matches or ()] == ["m1"]
    assert view.number > bare.number(2)


def test_a_follow_is_not_answered_by_the_sessions_own_unseen_actions() -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, Say(SessionId(1), "ann"))
    assert bare.number(1) > bare.number(0)
    assert bare.ask(2, Follow(SessionId(1), since=bare.number(0))) is None


def test_a_follow_from_before_a_change_is_answered_at_once_with_the_latest_view() -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, OpenSession("b"))
    bare.ask(2, Say(SessionId(1), "ann"))
    bare.ask(3, Say(SessionId(2), "bob"))
    bare.ask(4, Say(SessionId(2), 'NEW m1 simple "so"'))
    bare.ask(5, Say(SessionId(2), "EXIT"))
    bare.ask(6, Say(SessionId(2), 'NEW m2 simple "so"'))
    view = bare.ask(7, Follow(SessionId(1), since=bare.number(2)))
    assert isinstance(view, SessionView)
    assert [match.id for match in view.matches or ()] == ["m2"], "latest wins: there is no backlog"
    assert bare.ask(8, Follow(SessionId(1), since=view.number)) is None


def test_a_sessions_own_answer_has_a_higher_number_than_earlier_pushes() -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, OpenSession("b"))
    bare.ask(2, Say(SessionId(1), "ann"))
    bare.ask(3, Follow(SessionId(1), since=bare.number(2)))
    bare.ask(4, Say(SessionId(2), "bob"))
    bare.ask(5, Say(SessionId(2), 'NEW m1 simple "so"'))
    bare.ask(6, Say(SessionId(1), "PLAY m1"))
    assert bare.number(2) < bare.number(3) < bare.number(6)
    assert bare.ask(7, Follow(SessionId(1), since=bare.number(6))) is None


def test_a_refused_line_does_not_change_number_and_version() -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, Say(SessionId(1), "ann"))
    version = bare.lobby.version
    bare.ask(2, Say(SessionId(1), "PLAY m1"))
    bare.ask(3, Object(SessionId(1), "not text"))
    bare.ask(4, Look(SessionId(1)))
    assert bare.number(1) == bare.number(2) == bare.number(3) == bare.number(4)
    assert bare.lobby.version == version
    view = bare.answers[3]
    assert isinstance(view, SessionView)
    assert view.error == "not text"


def test_every_follower_of_a_session_is_answered_and_a_withdrawn_one_never() -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, OpenSession("b"))
    bare.ask(2, Say(SessionId(1), "ann"))
    for ticket in (10, 11, 12):
        bare.ask(ticket, Follow(SessionId(1), since=bare.number(2)))
    bare.ask(11, Withdraw())
    bare.ask(3, Say(SessionId(2), "bob"))
    bare.ask(4, Say(SessionId(2), 'NEW m1 simple "so"'))
    assert {10, 12} <= bare.answers.keys()
    assert 11 not in bare.answers
    for ticket in (10, 11, 99):
        bare.ask(ticket, Withdraw())
    assert bare.lobby.version == 5


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Say(SessionId(1), "EXIT"), "logged-out"),
        (Disconnect(SessionId(1)), "lost"),
        (Say(SessionId(2), "ann a"), "taken-over"),
    ],
)
def test_a_follower_is_told_why_the_session_ended(command: Command[object], why: str) -> None:
    bare = Bare()
    bare.ask(0, OpenSession("a"))
    bare.ask(1, OpenSession("b"))
    bare.ask(2, Say(SessionId(1), "ann"))
    bare.ask(3, Follow(SessionId(1), since=bare.number(2)))
    bare.ask(4, command)
    ended = bare.answers[3]
    assert isinstance(ended, SessionEnded)
    assert ended.why == why
    assert isinstance(bare.ask(5, Say(SessionId(1), "x")), SessionEnded)
    assert isinstance(bare.ask(6, Follow(SessionId(1), since=0)), SessionEnded)
    assert isinstance(bare.ask(7, Look(SessionId(1))), SessionEnded)


def test_a_command_that_the_lobby_does_not_know_is_refused() -> None:
    class Dance(Command[None], frozen=True):
        pass

    assert isinstance(Bare().ask(1, Dance()), InvalidCommand)
