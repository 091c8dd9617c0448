"""Acts that the gathering parks for the steward of its room. Pure rules.

Partitions:
- an act arrives: while the steward is idle; while it executes another act; before it asks for the next one
- the caller: is allowed; is not allowed; was allowed at the arrival and is not when the steward takes the act
- the request ends: before the steward takes the act; after that; with the answer
- an act ends: with a value; with a refusal
"""

from __future__ import annotations

from itertools import count

from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.rooms.gathering.messages import Attend, Close, Due, Rename, Undone, Updated
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.gathering.refusals import NotTheHost
from scramble.rooms.gathering.rules import Gathering
from scramble.rooms.gathering.stewardmessages import EndTask, NoteAct, NoteExpelled, TakeTask, Task
from scramble.rooms.names import BadTitle


class Room:
    """A gathering in a room that Ann has opened."""

    def __init__(self) -> None:
        self.now = 0.0
        self.outcomes: list[Outcome] = []  # of the latest request
        self._rules = Gathering("ann", 45.0, lambda: self.now)
        self._tickets = count(1)

    def give(self, command: Command[object]) -> Ticket:
        ticket = Ticket(next(self._tickets))
        self._apply(ticket, command)
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        self._apply(ticket, Withdraw())

    def _apply(self, ticket: Ticket, command: Command[object]) -> None:
        self.outcomes = [one for one in self._rules.apply(ticket, command) if not isinstance(one, Updated)]

    def take(self) -> object:
        """Let the steward take the next act; return it, or None."""
        ticket = self.give(TakeTask("house"))
        (answer,) = [one for one in self.outcomes if isinstance(one, Answered) and one.ticket == ticket]
        return answer.value

    def end(self, number: int, value: object = None, refusal: BadTitle | None = None) -> list[Outcome]:
        """End an act; return the outcomes without the answer to the steward."""
        ticket = self.give(EndTask(number, value, refusal))
        assert self.outcomes[-1] == Answered(ticket, None)
        return self.outcomes[:-1]


def test_the_steward_is_called_for_the_first_act_and_then_takes_one_after_another() -> None:
    room = Room()
    first = room.give(Rename("ann", "one"))
    assert room.outcomes == [Due()]
    second = room.give(Rename("ann", "two"))
    assert room.outcomes == []
    assert room.take() == Task(first, Rename("ann", "one"))
    assert room.take() is None, "the first act has not ended"
    third = room.give(Close("ann"))
    assert room.outcomes == []
    assert room.end(first) == [Answered(first, None)]
    assert room.take() == Task(second, Rename("ann", "two"))
    assert room.end(second) == [Answered(second, None)]
    fourth = room.give(Rename("ann", "four"))
    assert room.outcomes == [], "the steward has not asked for the next act yet"
    for number in (third, fourth):
        task = room.take()
        assert isinstance(task, Task)
        assert (task.number, room.end(number)) == (number, [Answered(number, None)])
    assert room.take() is None
    room.give(Rename("ann", "five"))
    assert room.outcomes == [Due()]


def test_a_request_during_an_act_does_not_end_the_call_for_other_acts() -> None:
    room = Room()
    first = room.give(Rename("ann", "one"))
    room.take()
    assert room.take() is None
    second = room.give(Rename("ann", "two"))
    assert room.outcomes == [], "the steward asks again after the current act"
    room.end(first)
    assert room.take() == Task(second, Rename("ann", "two"))


def test_an_act_ends_with_its_answer_or_its_refusal() -> None:
    room, refused = Room(), BadTitle("bad")
    one = room.give(Rename("ann", "one"))
    room.take()
    assert room.end(one, Undone("away")) == [Answered(one, Undone("away"))]
    two = room.give(Rename("ann", "two"))
    room.take()
    assert room.end(two, refusal=refused) == [Refused(two, refused)]


def test_an_act_whose_request_ends_before_it_is_taken_never_happens() -> None:
    room = Room()
    tickets = [room.give(Rename("ann", title)) for title in ("one", "two", "three")]
    room.withdraw(tickets[1])
    assert room.outcomes == []
    taken = []
    while (task := room.take()) is not None:
        assert isinstance(task, Task)
        taken.append(task.number)
        room.end(task.number)
    assert taken == [tickets[0], tickets[2]]
    room.withdraw(room.give(Rename("ann", "four")))
    assert room.take() is None
    room.give(Rename("ann", "five"))
    assert room.outcomes == [Due()]


def test_an_act_whose_request_ends_after_it_is_taken_goes_on_without_an_answer() -> None:
    room = Room()
    one = room.give(Rename("ann", "one"))
    room.take()
    room.withdraw(one)
    room.give(NoteAct("rename", "ann", {"title": "one"}))
    assert any(isinstance(event, Event) for event in room.outcomes)
    assert room.end(one) == []
    two = room.give(Rename("ann", "two"))
    room.take()
    assert room.end(two) == [Answered(two, None)], "the request of the second act has not ended"


def test_permission_for_an_act_is_checked_at_its_arrival_and_when_it_is_taken() -> None:
    room = Room()
    refused = room.give(Rename("bob", "mine"))
    assert [type(one.error) for one in room.outcomes if isinstance(one, Refused)] == [NotTheHost]
    assert room.take() is None
    bob = room.give(Attend("", "bob", "Bob"))
    room.give(Attend("", "carl", "Carl"))
    room.now = OPENER_GONE_S
    late, dropped = room.give(Rename("bob", "mine")), room.give(Close("bob"))
    last = room.give(Rename("ann", "Monday"))
    room.withdraw(dropped)
    room.withdraw(bob)
    room.now += HOST_GONE_S  # Carl has become the host
    assert room.take() == Task(last, Rename("ann", "Monday"))
    assert [(one.ticket, type(one.error)) for one in room.outcomes if isinstance(one, Refused)] == [(late, NotTheHost)]
    assert refused not in (late, last)


def test_an_expulsion_by_the_register_is_an_act_without_a_permission_check() -> None:
    room = Room()
    first = room.give(Rename("ann", "one"))
    room.take()
    expelled = room.give(NoteExpelled(("bob",)))
    assert room.outcomes == []
    room.end(first)
    assert room.take() == Task(expelled, NoteExpelled(("bob",)))
    assert room.end(expelled) == [Answered(expelled, None)]
