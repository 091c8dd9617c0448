"""When the gathering has the next game begun, because most players want it. On values.

Partitions:
- enough players want it: by a vote, because somebody leaves, or makes no more moves; not enough any more
- since it was tried: nothing has changed, the votes, the settings; while it is tried, after it failed, after it began
- the lanes: an act of the house waits while the next game is begun, and the other way round
- the address for which it counts: of the latest vote for it
- an act that is not allowed comes while another one is done
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
    Rename,
    SetNext,
    Undone,
    Vote,
)
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
    """A gathering in a room that Ann has opened, where she, Bob and Carl play, who all have made a move."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.refused: list[CallerError] = []  # by the latest command
        self._rules = Gathering("ann", 45.0, lambda: 0.0)
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

    def vote(self, name: str, *, wanted: bool = True) -> None:
        self.give(CountVote(Vote(name, wanted, f"address of {name}")))

    def take(self, lane: Lane = "next") -> Task | None:
        ticket = Ticket(next(self._tickets))
        (answer,) = [one.value for one in self._apply(ticket, TakeTask(lane)) if isinstance(one, Answered)]
        assert answer is None or isinstance(answer, Task)
        return answer

    def begin(self) -> Task | None:
        """Take the act of the next game, if there is one, and end it; the task."""
        task = self.take()
        if task is not None:
            self.give(EndTask(task.number))
        return task

    @property
    def due(self) -> list[Event]:
        """The calls of the steward since the last look."""
        events, self.events = self.events, []
        return [one for one in events if isinstance(one, Due)]


def act_of(task: Task | None) -> object:
    return None if task is None else task.act


def test_the_next_game_is_begun_once_more_than_half_of_the_players_want_it() -> None:
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


def test_who_leaves_may_leave_enough_behind() -> None:
    room = Room()
    room.vote("ann")
    room.leave("bob")
    assert room.due == []
    room.leave("carl")
    assert room.due == [Due("next")]
    assert act_of(room.begin()) == BeginAgreed("address of ann")


def test_what_failed_is_tried_again_once_the_votes_or_the_settings_are_others() -> None:
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
    assert room.begin() is not None, "it was asked for before the last vote: the steward looks at the votes again"
    room.vote("bob")
    assert room.begin() is not None


def test_what_could_not_be_done_is_tried_again_with_the_next_change() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob")
    task = room.take()
    assert task is not None
    room.give(EndTask(task.number, Undone("away")))
    assert room.begin() is None
    room.give(Attend("", "dora", None))
    assert room.begin() is not None


def test_who_votes_counts_whichever_of_its_players_it_plays_as() -> None:
    room = Room()
    room.give(Attend("", "bob", "Rob"))
    room.vote("ann")
    room.vote("bob")
    assert room.begin() is not None
    for player in ("bob", "Rob", "bob"):
        room.give(NotePlayer("bob", player))
        assert room.begin() is None


def test_it_counts_for_who_wants_it() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob", wanted=False)
    room.leave("carl")
    room.leave("bob")
    assert act_of(room.begin()) == BeginAgreed("address of ann")


def test_who_may_not_is_refused_though_another_act_is_in_hand() -> None:
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


def test_votes_that_change_while_it_is_tried_have_it_tried_once_more() -> None:
    room = Room()
    room.vote("ann")
    room.vote("bob")
    task = room.take()
    assert task is not None
    for wanted in (True, False, True):
        room.vote("carl", wanted=wanted)
    assert room.take() is None, "one is in hand"
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
