"""The gathering begins the next game if most players vote for it. Pure rules.

Partitions:
- a majority: by a vote, by a player's departure; the majority is lost again
- an absence: of all other voters, who return in time; longer
- changes since the last try: no change, new votes, new settings; during the try, after its failure, after the game
  began
- the lanes: an act of the house does not wait for the next game, nor the next game for an act of the house
- the address to charge for the game: of the latest vote for it
- a forbidden act arrives while another act is executed
"""

from __future__ import annotations

from itertools import count

from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.rooms.gathering.messages import (
    Acted,
    Attend,
    Begin,
    Due,
    Lane,
    NextGame,
    NotBegun,
    NotePlayer,
    NoteTime,
    Rename,
    SetNext,
    Undone,
    Vote,
)
from scramble.rooms.gathering.people import AWAY_S
from scramble.rooms.gathering.refusals import NotPlaying, NotTheHost, PlayerRemoved
from scramble.rooms.gathering.rules import Gathering
from scramble.rooms.gathering.stewardmessages import (
    BeginAgreed,
    CountVote,
    EndTask,
    NoteBegun,
    NoteMoved,
    NoteNotBegun,
    RemovePlayer,
    TakeTask,
    Task,
)


class Room:
    """A gathering in a room that Ann has opened. Ann, Bob and Carl play, and each has made a move."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.refused: list[CallerError] = []  # by the latest command
        self.now = 0.0
        self._rules = Gathering("ann", 45.0, lambda: self.now)
        self._tickets = count()
        self.stays = {name: self.give(Attend("", name, name)) for name in ("ann", "bob", "carl")}
        self.give(NoteMoved(("ann", "bob", "carl")))

    def give(self, command: Command[object]) -> Ticket:
        ticket = Ticket(next(self._tickets))
        self._apply(ticket, command)
        return ticket

    def _apply(self, ticket: Ticket, command: Command[object]) -> list[Outcome]:
        outcomes = list(self._rules.apply(ticket, command))
        self.refused = [one.error for one in outcomes if isinstance(one, Refused)]
        self.events += [one for one in outcomes if isinstance(one, Due | Acted | NotBegun)]
        return outcomes

    def leave(self, name: str) -> None:
        self._apply(self.stays[name], Withdraw())

    def come_back(self, name: str) -> None:
        self.stays[name] = self.give(Attend("", name, name))

    def wait(self, seconds: float) -> None:
        """Let time pass, and notify the gathering of it, as each process with people in the room does."""
        self.now += seconds
        self.give(NoteTime())

    def vote(self, name: str, *, wanted: bool = True) -> None:
        self.give(CountVote(Vote(name, wanted, f"address of {name}")))

    def take(self, lane: Lane = "next") -> Task | None:
        ticket = Ticket(next(self._tickets))
        (answer,) = [one.value for one in self._apply(ticket, TakeTask(lane)) if isinstance(one, Answered)]
        assert answer is None or isinstance(answer, Task)
        return answer

    def begin(self) -> Task | None:
        """Take the act of the next game, if there is one, and end it; return its task."""
        task = self.take()
        if task is not None:
            self.give(EndTask(task.number))
        return task

    @property
    def due(self) -> list[Event]:
        """Return the calls for the steward since the last check, and forget all events."""
        events, self.events = self.events, []
        return [one for one in events if isinstance(one, Due)]


def act_of(task: Task | None) -> object:
    return None if task is None else task.act


def test_the_next_game_begins_as_soon_as_more_than_half_of_the_players_want_it() -> None:
    room = Room()
    room.vote("ann")
    assert (room.due, room.take()) == ([], None)
    room.vote("bob")
    assert room.due == [Due("next")]
    task = room.take()
    assert act_of(task) == BeginAgreed("address of bob")
    assert task is not None
    room.give(NoteBegun(None, "next-room"))
    room.give(EndTask(task.number))
    assert (room.begin(), room.due) == (None, [])
    room.vote("ann")
    assert room.due == [], "the votes are used up"


def test_a_departure_may_make_the_remaining_votes_a_majority() -> None:
    room = Room()
    room.vote("ann")
    room.leave("bob")
    room.leave("carl")
    room.wait(AWAY_S)
    assert room.due == [Due("next")]
    assert act_of(room.begin()) == BeginAgreed("address of ann")


def test_voters_who_return_in_time_still_count() -> None:
    room = Room()
    room.vote("ann")
    for name in ("bob", "carl"):
        room.leave(name)
    room.wait(AWAY_S - 1)
    for name in ("bob", "carl"):
        room.come_back(name)
    room.wait(2 * AWAY_S)
    assert (room.due, room.take()) == ([], None)


def test_a_failed_begin_is_retried_after_new_votes_or_settings() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob")
    assert room.begin() is not None
    room.give(NoteNotBegun("no room", "rooms-full", {"most": 1}))
    assert NotBegun("no room", "rooms-full", {"most": 1}) in room.events
    room.give(NoteMoved(("ann",)))
    room.give(Rename("ann", "Monday"))
    assert room.begin() is None
    room.give(SetNext("ann", NextGame(b"{}", None)))
    assert room.begin() is not None
    room.vote("carl")
    assert room.begin() is not None
    room.vote("carl", wanted=False)
    room.vote("bob", wanted=False)
    assert room.begin() is not None, "an earlier vote called the steward: the steward checks the votes again"
    room.vote("bob")
    assert room.begin() is not None


def test_an_undone_begin_is_retried_at_the_next_change() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob")
    task = room.take()
    assert task is not None
    room.give(EndTask(task.number, Undone("away")))
    assert room.begin() is None
    room.give(Attend("", "dora", None))
    assert room.begin() is not None


def test_a_vote_counts_once_for_all_players_of_its_holder() -> None:
    room = Room()
    room.give(Attend("", "bob", "Rob"))
    room.vote("ann")
    room.vote("bob")
    assert room.begin() is not None
    for player in ("bob", "Rob", "bob"):
        room.give(NotePlayer("bob", player))
        assert room.begin() is None


def test_the_next_game_is_charged_to_a_voter_for_it() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob", wanted=False)
    room.leave("carl")
    room.leave("bob")
    room.wait(AWAY_S)
    assert act_of(room.begin()) == BeginAgreed("address of ann")


def test_a_forbidden_act_is_refused_at_once_during_another_act() -> None:
    room = Room()
    for act in (Begin("ann", "", True, False), Vote("ann", True, "")):
        room.give(act)
    for lane in ("next", "votes"):
        assert room.take(lane) is not None
    room.give(RemovePlayer("carl"))
    for act, refused in (
        (Begin("bob", "", True, True), NotTheHost),
        (Begin("carl", "", False, True), PlayerRemoved),
        (Vote("nobody", True, ""), NotPlaying),
    ):
        room.give(act)
        assert [type(one) for one in room.refused] == [refused]


def test_votes_that_change_during_a_try_cause_another_try() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob")
    task = room.take()
    assert task is not None
    for wanted in (True, False, True):
        room.vote("carl", wanted=wanted)
    assert room.take() is None, "the first task has not ended"
    room.give(EndTask(task.number))
    assert act_of(room.begin()) == BeginAgreed("address of carl")
    assert room.begin() is None


def test_the_next_game_and_the_acts_of_the_house_do_not_wait_for_each_other() -> None:
    room = Room()
    first, rename = room.give(Begin("ann", "", False, True)), room.give(Rename("ann", "Monday"))
    assert room.due == [Due("next"), Due("house")]
    room.give(Begin("bob", "", False, True))
    assert room.due == []
    assert room.take() == Task(first, Begin("ann", "", False, True))
    assert room.take() is None
    assert room.take("house") == Task(rename, Rename("ann", "Monday"))
    room.give(EndTask(first))
    assert act_of(room.take()) == Begin("bob", "", False, True)
