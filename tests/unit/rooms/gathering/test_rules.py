"""The gathering in a room: presence, and public events. Pure rules: without trio, with a clock of the test.

Partitions (test_people has the host and the votes):
- present: a player with one connection, with two at one place and at two places; a watcher; a player without a secret;
  a bot
- arrivals and departures: of a player at one place, at two; of a bot; of a watcher
- the state changes: by an arrival or a departure; not at all; by time alone; for a follower of the events
- names: of a player, again, of more players than are remembered; older ones that arrive late
- an act: by the host, by an absent opener, by another person, by an unknown client; once, twice
- a vote or a reaction: of a player, of a spectator, for another person's player; too many, after a while
- a ticket: new, replaced, used, expired
- a seat was handed over: by the host, and then the host acts; by a player, and then the host removes another name of
  the same player
- closing: with connections at two places; a client waits for the last message, and gives up
- a departure: of a parked request, of an unknown person, of a bot
"""

from __future__ import annotations

from itertools import count
from typing import TypeVar

import pytest

from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Command, Event, Refused, Ticket, Withdraw
from scramble.players.hues import wish_of
from scramble.players.presence import Presence, PresenceState
from scramble.rooms.gathering.messages import (
    Acted,
    Attend,
    Came,
    Close,
    Due,
    GatheringState,
    HandedOver,
    Named,
    NextGame,
    NoteDelivery,
    NoteNames,
    NotePlayer,
    NoteTime,
    React,
    Reacted,
    Removed,
    RequireHost,
    SeatTicket,
    SetNext,
    SitDown,
    TakeGathering,
    TakeNext,
    Updated,
    Vote,
    Went,
)
from scramble.rooms.gathering.names import MOST_NAMES, note_names
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.gathering.refusals import (
    NoSuchReaction,
    NoSuchTicket,
    NotMoved,
    NotPlaying,
    NotTheHost,
    StandsIn,
    TooFast,
)
from scramble.rooms.gathering.rules import REACTIONS_AT_ONCE, REACTIONS_PER_S, Gathering
from scramble.rooms.gathering.stewardmessages import (
    AwaitDelivery,
    CountVote,
    FindHolder,
    FindTicket,
    GiveTicket,
    NoteAct,
    NoteBegun,
    NoteHandover,
    NoteMoved,
    RemovePlayer,
)
from scramble.rooms.gathering.tickets import VALID_S

R = TypeVar("R")


def vote(holder: str, *, wanted: bool = True) -> CountVote:
    """Return the steward's command for a holder's vote."""
    return CountVote(Vote(holder, wanted, "198.51.100.1"))


class Played:
    """A gathering in a room that Ann has opened, with a clock that only the test sets."""

    def __init__(self, opener: str = "ann") -> None:
        self.now = 0.0
        self.events: list[Event] = []
        self.answered: list[Ticket] = []  # the parked requests with an answer
        self._rules = Gathering(opener, 45.0, lambda: self.now)
        self._tickets = count()

    def park(self, command: Command[None]) -> Ticket:
        """Give a command that the rules park; return its ticket."""
        ticket = Ticket(next(self._tickets))
        assert not any(isinstance(one, Answered | Refused) for one in self._apply(ticket, command))
        return ticket

    def come(self, holder: str | None, player: str | None, place: str = "here") -> Ticket:
        return self.park(Attend(place, holder, player))

    def leave(self, ticket: Ticket) -> None:
        assert not any(isinstance(one, Answered | Refused) for one in self._apply(ticket, Withdraw()))

    def ask(self, command: Command[R]) -> R:
        """Give a command; return its answer, or raise its refusal."""
        ticket = Ticket(next(self._tickets))
        outcomes = self._apply(ticket, command)
        last = next(one for one in outcomes if isinstance(one, Answered | Refused) and one.ticket == ticket)
        self.answered += [one.ticket for one in outcomes if isinstance(one, Answered) and one.ticket != ticket]
        if isinstance(last, Refused):
            raise last.error
        return last.value  # type: ignore[return-value]  # the rules promise this type

    def refusal(self, command: Command[R]) -> type[CallerError]:
        with pytest.raises(CallerError) as refused:
            self.ask(command)
        return refused.type

    def state(self) -> GatheringState:
        return self.ask(TakeGathering()).state

    def names(self) -> dict[str, str]:
        return self.ask(TakeGathering()).names

    def presence(self) -> PresenceState:
        return self.ask(TakeGathering()).presence

    @property
    def told(self) -> list[GatheringState]:
        """Return the published states."""
        return [event.state for event in self.events if isinstance(event, Updated)]

    def said(self) -> list[Event]:
        """Return the events since the last call, except those of states, names, presence, and due acts."""
        events, self.events = (
            [one for one in self.events if not isinstance(one, Updated | Named | Came | Went | Due)],
            [],
        )
        return events

    def _apply(self, ticket: Ticket, command: Command[object]) -> list[object]:
        before = self._rules.version
        outcomes = list(self._rules.apply(ticket, command))
        self.events += [one for one in outcomes if isinstance(one, Event)]
        assert self._rules.version >= before
        return list(outcomes)


def test_a_present_player_is_in_the_state_until_the_request_is_withdrawn() -> None:
    room = Played()
    ann, again, bob = room.come("ann", "Ann"), room.come("ann", "Ann"), room.come("bob", "Bob")
    watching, nameless = room.come("carl", None), room.come(None, "Dora")
    state, presence = room.state(), room.presence()
    assert (presence.players, presence.watching, state.needed) == (("Ann", "Bob", "Dora"), 1, 1)
    assert (state.host, state.host_player, state.changes_in) == ("ann", "Ann", None)
    room.leave(ann)
    assert room.presence().players == ("Ann", "Bob", "Dora")
    for one in (again, bob, watching, nameless, bob, Ticket(1000)):
        room.leave(one)
    state, presence = room.state(), room.presence()
    assert (presence.players, presence.watching, state.host_player) == ((), 0, "Ann")
    assert presence.left == ("Ann", "Bob", "Dora")
    assert state.changes_in == HOST_GONE_S
    room.now = HOST_GONE_S
    room.come("bob", "Bob")
    assert room.state().host_player == "Bob"


def test_an_arrival_or_departure_is_published_once_for_all_connections_of_a_player() -> None:
    room, other = Played(), Presence()
    ann, there = room.come("ann", "Ann", "here"), room.come("ann", "Ann", "there")
    watching, bot = room.come("carl", None, "there"), room.park(SitDown("bot_Ada", "bot Ada"))
    assert [one for one in room.events if isinstance(one, Came)] == [
        Came("Ann"),
        Came(None),
        Came("bot_Ada", bot=True),
    ]
    other.adopt(room.presence())
    room.events.clear()
    for one in (ann, watching, there, bot):
        room.leave(one)
    gone = [Went(None), Went("Ann"), Went("bot_Ada", bot=True)]
    assert [one for one in room.events if isinstance(one, Went)] == gone
    for event in gone:
        other.leave(event.player, bot=event.bot)
    assert other.state() == room.presence()


def test_a_bot_is_the_last_of_the_players_under_its_name_and_has_no_vote() -> None:
    room = Played()
    bot = room.park(SitDown("bot_Ada", "bot Ada"))
    room.come("ann", "Ann")
    state, presence = room.state(), room.presence()
    assert (presence.players, presence.bots) == (("Ann",), ("bot_Ada",))
    assert (room.names(), state.needed) == ({"bot_Ada": "bot Ada"}, 1)
    room.leave(bot)
    assert room.presence().bots == ()


def test_two_players_who_wish_for_one_hue_get_different_ones_wherever_they_are() -> None:
    room = Played()
    same = [name for name in (f"p{number}" for number in range(100)) if wish_of(name) == 0][:2]
    room.come("one", same[0], "here")
    room.come("two", same[1], "there")
    assert room.presence().hues.keys() == {same[1]}


def test_the_state_is_published_when_it_changed_and_when_time_has_passed() -> None:
    room = Played()
    room.come("bob", "Bob")
    assert room.told == [room.state()]
    room.ask(NotePlayer("bob", "Bob"))  # already known
    room.come("carl", None)
    ann = room.come("ann", "Ann")
    assert [state.host_player for state in room.told] == [None, "Ann"]
    room.now = 5.0
    room.leave(ann)
    room.now = 7.0
    room.come("dora", "Dora")
    assert [state.changes_in for state in room.told] == [HOST_GONE_S, None, HOST_GONE_S], "the same one"
    room.now = 5.0 + HOST_GONE_S
    room.ask(NoteTime())
    assert room.told[-1] == room.state()
    assert (room.told[-1].host, len(room.told)) == ("bob", 4)


def test_a_follower_of_the_events_knows_the_contents_of_a_snapshot() -> None:
    room, names = Played(), dict[str, str]()
    room.ask(NoteNames({"Ann": "Änn", "Bob": "Bob"}))
    ann = room.come("ann", "Ann")
    room.park(SitDown("bot_Ada", "bot Ada"))
    room.ask(NoteMoved(("Ann",)))
    room.ask(NoteNames({"Ann": "older", "Zoe": "Zoë"}, early=True))
    room.ask(vote("ann"))
    room.ask(SetNext("ann", NextGame(b"{}", None)))
    room.ask(NoteNames({"Zoe": "Zoe"}))
    room.leave(ann)
    for event in room.events:
        if isinstance(event, Named):
            note_names(names, event.names, early=event.early)
    snapshot = room.ask(TakeGathering())
    assert (names, room.told[-1]) == (snapshot.names, snapshot.state)
    assert list(names.items()) == [("Ann", "Änn"), ("bot_Ada", "bot Ada")]


def test_names_are_the_latest_and_older_ones_do_not_replace_them() -> None:
    room = Played()
    room.ask(NoteNames({"Zoe": "Zoë"}))
    room.ask(NoteNames({"Zoe": "old", "Bob": "Böb"}, early=True))
    assert room.names() == {"Bob": "Böb", "Zoe": "Zoë"}
    room.ask(NoteNames({"Bob": "Bob"}))
    assert room.names() == {"Zoe": "Zoë"}
    room.ask(NoteNames({f"p{number}": f"name {number}" for number in range(MOST_NAMES)}))
    assert len(room.names()) == MOST_NAMES
    assert "Zoe" not in room.names()


def test_only_the_host_or_the_opener_acts_for_all() -> None:
    room = Played()
    room.come("bob", "Bob")
    for holder in ("bob", "nobody", "", None):
        assert room.refusal(RequireHost(holder, "remove")) is NotTheHost
    assert room.refusal(Close("bob")) is NotTheHost
    assert room.refusal(SetNext("bob", NextGame(None, None))) is NotTheHost
    room.ask(RequireHost("ann", "remove"))
    assert room.said() == []
    room.now = HOST_GONE_S
    for act in ("rename", "remove", "close", "replace"):
        assert room.refusal(RequireHost("bob", act)) is StandsIn
    room.ask(RequireHost("bob", "again"))
    room.ask(RequireHost("bob", "settings"))
    assert (room.state().acts, room.state().may_all_in) == (True, OPENER_GONE_S - HOST_GONE_S)
    assert room.refusal(Close("bob")) is StandsIn
    assert room.said() == []
    room.now = OPENER_GONE_S
    assert (room.state().acts, room.state().may_all_in) == (False, None)
    room.ask(RequireHost("bob", "remove"))
    room.ask(RequireHost("ann", "remove"))
    room.ask(NoteAct("rename", "bob", {"title": "Friday"}))
    room.ask(NoteNames({"Bob": "Böb"}))
    room.ask(NoteAct("close", "bob", {}))
    assert room.said() == [
        Acted("rename", "Bob", "Bob", {"title": "Friday"}),
        Acted("close", "Bob", "Böb", {}),
    ]


def test_in_a_room_without_an_opener_the_first_player_may_only_begin_the_next_game() -> None:
    room = Played("")
    room.come("bob", "Bob")
    room.now = 10 * OPENER_GONE_S
    room.ask(RequireHost("bob", "settings"))
    for holder in ("bob", ""):
        assert room.refusal(RequireHost(holder, "close")) is NotTheHost
    assert (room.state().acts, room.state().may_all_in) == (True, None)


def test_the_host_sets_the_next_game_and_it_begins_once() -> None:
    room = Played()
    assert room.ask(TakeNext()) == NextGame(None, 45.0)
    room.ask(SetNext("ann", NextGame(b"{}", None)))
    assert (room.ask(TakeNext()), room.state().nexts) == (NextGame(b"{}", None), 1)
    room.come("bob", "Bob")
    room.ask(NoteMoved(("Bob",)))
    room.ask(vote("bob"))
    room.said()
    room.ask(NoteBegun(None, "next-room"))
    assert room.state().voters == ()
    room.ask(NoteBegun("ann", "next-room"))  # already known
    assert room.said() == [Acted("again", None, None, {"room": "next-room"})]


def test_a_room_is_closed_once_all_places_have_notified_their_connections() -> None:
    room = Played()
    room.come("ann", "Ann", "here")
    room.come("bob", None, "there")
    room.ask(AwaitDelivery())  # the room is not closed
    room.ask(NoteAct("close", "ann", {}))
    first, gone = room.park(AwaitDelivery()), room.park(AwaitDelivery())
    room.ask(NoteDelivery("here"))
    room.leave(gone)
    assert room.answered == []
    room.ask(NoteDelivery("there"))
    assert room.answered == [first]
    room.ask(AwaitDelivery())


def test_players_vote_and_react_at_a_human_rate() -> None:
    room = Played()
    room.come("ann", "Ann")
    room.come("bob", "Bob", "there")
    room.come("carl", None)
    for command in (vote("carl"), React("carl", None, "👍"), React("bob", "Ann", "👍"), vote("dora")):
        assert room.refusal(command) is NotPlaying
    assert room.refusal(React("bob", "Bob", "free text")) is NoSuchReaction
    room.ask(NoteMoved(("Ann",)))
    assert room.refusal(vote("bob")) is NotMoved
    room.ask(NoteMoved(("Ann", "Bob")))
    room.ask(vote("bob"))
    room.ask(vote("bob"))  # already known
    for _ in range(REACTIONS_AT_ONCE - 1):
        room.ask(React("bob", None, "🎉"))
    assert room.refusal(React("bob", None, "🎉")) is TooFast
    room.ask(vote("bob", wanted=False))
    assert room.refusal(vote("bob")) is TooFast
    room.now += 1 / REACTIONS_PER_S
    room.ask(vote("bob"))
    assert not room.ask(NoteMoved(()))
    room.ask(vote("ann"))
    assert room.ask(NoteMoved(()))
    assert room.said() == [
        Acted("vote", "Bob", "Bob", {}),
        *[Reacted("Bob", "🎉")] * (REACTIONS_AT_ONCE - 1),
        Acted("vote", "Bob", "Bob", {}),
        Acted("vote", "Ann", "Ann", {}),
    ]


def test_a_late_list_of_players_with_a_move_takes_no_vote_away() -> None:
    room = Played()
    room.come("ann", "Ann", "here")
    early = room.presence().players  # the list for a vote of Ann's, at this place
    room.come("bob", "Bob", "there")
    room.ask(NoteMoved(room.presence().players))
    room.ask(vote("bob"))
    room.ask(NoteMoved(early))
    room.ask(vote("ann"))
    assert (room.state().voters, room.ask(NoteMoved(()))) == (("Bob", "Ann"), True)


def test_a_removed_player_must_leave_everywhere_and_has_no_vote() -> None:
    room = Played()
    room.come("ann", "Ann")
    room.come("bob", "Bob", "there")
    room.ask(NotePlayer("bob", "Rob"))
    room.ask(NoteMoved(("Bob",)))
    room.ask(vote("bob"))
    assert room.ask(FindHolder("Rob")) == "bob"
    room.said()
    assert room.ask(RemovePlayer("bob", "ann", "Rob")) == ("Rob", "Bob")
    assert room.said() == [
        Acted("remove", "Ann", "Ann", {"player": "Rob", "player_name": "Rob"}),
        Removed("bob", ("Rob", "Bob")),
    ]
    assert room.state().voters == ()
    assert room.ask(FindHolder("Rob")) is None


def test_a_player_removed_by_the_record_alone_must_leave_too_and_once() -> None:
    room = Played()
    room.come("ann", "Ann")
    room.come("bob", "Bob")
    assert room.ask(RemovePlayer("bob")) == ("Bob",)
    assert room.said() == [Removed("bob", ("Bob",))]
    assert room.ask(RemovePlayer("bob")) == ()
    assert room.said() == []
    assert room.ask(RemovePlayer("bob", "ann", "Bob")) == ("Bob",)
    assert len(room.said()) == 2


def test_a_removal_waits_for_all_places_with_connections_and_for_the_requesting_place() -> None:
    room = Played()
    room.come("bob", "Bob", "there")
    room.come("carl", None, "elsewhere")
    room.ask(RemovePlayer("dora", "ann", "Dora", "here"))
    late = NoteDelivery("there", "dora")
    room.ask(RemovePlayer("bob", "ann", "Bob", "here"))
    waiting = room.park(AwaitDelivery())
    for note in (late, NoteDelivery("there"), NoteDelivery("here", "bob"), NoteDelivery("elsewhere", "bob")):
        room.ask(note)
    assert room.answered == []
    room.ask(NoteDelivery("there", "bob"))
    assert room.answered == [waiting]


def test_a_host_who_handed_the_seat_over_does_not_play_and_is_not_removed_with_it() -> None:
    room = Played()
    ann = room.come("ann", "Ann")
    zoe = room.come("zoe", "Zoe")
    room.ask(NotePlayer("zoe", "Bob"))
    room.leave(ann)
    assert room.state().host_player == "Ann"
    room.ask(NoteHandover("first", SeatTicket("Ann", "ann"), "phone"))
    room.come("phone", "Ann")
    assert (room.state().host, room.state().host_player) == ("ann", None)
    room.leave(zoe)
    room.ask(NoteHandover("second", SeatTicket("Zoe", "zoe"), "phone"))
    room.said()
    room.ask(NoteAct("rename", "ann", {"title": "Friday"}))
    assert room.ask(RemovePlayer("zoe", "ann", "Bob")) == ("Bob",)
    assert room.said() == [
        Acted("rename", None, None, {"title": "Friday"}),
        Acted("remove", None, None, {"player": "Bob", "player_name": "Bob"}),
        Removed("zoe", ("Bob",)),
    ]


def test_the_state_changes_when_a_host_stops_playing() -> None:
    room = Played()
    room.leave(room.come("ann", "Ann"))
    room.come("bob", "Bob")
    room.state()
    room.events.clear()
    room.ask(NoteHandover("first", SeatTicket("Ann", "ann"), "phone"))
    assert [state.host_player for state in room.told] == [None]


def test_a_ticket_hands_a_seat_over_once_within_some_minutes() -> None:
    room = Played()
    seat = SeatTicket("Bob", "bob")
    room.ask(GiveTicket("first", "Bob", "bob"))
    room.ask(GiveTicket("second", "Bob", "bob"))
    assert room.refusal(FindTicket("first", "carl")) is NoSuchTicket
    assert room.ask(FindTicket("second", "carl")) == seat
    assert room.ask(FindTicket("second", "carl")) == seat
    room.ask(NoteNames({"Bob": "Böb"}))
    assert room.ask(NoteHandover("second", seat, "carl")) == "Böb"
    assert room.said() == [HandedOver("bob", "Bob", "carl")]
    back = SeatTicket("Bob", "carl")
    assert room.ask(NoteHandover("second", back, "carl")) == "Böb"
    assert [room.ask(FindTicket("second", one)) for one in ("bob", "carl")] == [back, back]
    assert room.refusal(FindTicket("second", "dora")) is NoSuchTicket
    room.ask(GiveTicket("third", "Bob", "bob"))
    room.now += VALID_S
    assert room.refusal(FindTicket("third", "carl")) is NoSuchTicket
