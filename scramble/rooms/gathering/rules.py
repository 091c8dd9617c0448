"""Rules of the gathering in a room: presence, host, votes, names, tickets, acts and reactions.

    rules = Gathering(opener=hash_of(secret), turn_s=45.0, now=trio.current_time)
    rules.apply(Ticket(1), Attend("", hash_of(secret), "alice"))     # parked: alice is here until the withdrawal

Pure except for the given clock, because the withdrawal of a request contains no time. There is no log, and no snapshot
for a restart. A gathering begins without people each time its room wakes, and all people in the room arrive again.

The public events have all data for a process to keep the same state: arrivals and departures, names, and changes of the
host and votes. So a process requests a snapshot only once (`gathering/following.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, assert_never

import msgspec

from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Ping, Refused, Ticket, Withdraw
from scramble.kernel.token_bucket import TokenBucket
from scramble.players.presence import Presence
from scramble.rooms.gathering.acts import NO_REQUEST, Acts
from scramble.rooms.gathering.messages import (
    REACTIONS,
    Act,
    Acted,
    Attend,
    Begin,
    Came,
    Close,
    Due,
    GatheringCommand,
    GatheringSnapshot,
    GatheringState,
    HandedOver,
    HostsAct,
    Named,
    NextGame,
    NotBegun,
    NoteAvatar,
    NoteDelivery,
    NoteNames,
    NotePlayer,
    NoteTime,
    OfferSeat,
    React,
    Reacted,
    Remove,
    Removed,
    Rename,
    RequireHost,
    SeatTicket,
    SetNext,
    SitDown,
    TakeGathering,
    TakeNext,
    Undone,
    Updated,
    UseTicket,
    Vote,
    Went,
)
from scramble.rooms.gathering.names import note_avatar, note_names
from scramble.rooms.gathering.people import MOST_REMEMBERED, OPENER_GONE_S, People
from scramble.rooms.gathering.refusals import (
    FOR_NEXT_GAME,
    HostAct,
    NoSuchReaction,
    NotMoved,
    NotPlaying,
    NotTheHost,
    PlayerRemoved,
    StandsIn,
    TooFast,
)
from scramble.rooms.gathering.stewardmessages import (
    AwaitDelivery,
    BeginAgreed,
    CountVote,
    EndTask,
    FindHolder,
    FindTicket,
    GiveTicket,
    NoteAct,
    NoteBegun,
    NoteExpelled,
    NoteHandover,
    NoteMoved,
    NoteNotBegun,
    RemovePlayer,
    StewardAct,
    StewardCommand,
    TakeTask,
)
from scramble.rooms.gathering.tickets import SeatTickets

REACTIONS_AT_ONCE: Final = 4
REACTIONS_PER_S: Final = 0.5


class Gathering:
    """The gathering of one awake room. Implements `Rules`."""

    # AF: _staying has the requests that attend this gathering, by ticket. They are the people, bots and connections of
    #     _presence. _people determines the host and the votes. The state has changed `version` times. The last
    #     published state is _told, with clock times. _changed: the present command has changed the state. _events has
    #     the command's events. _acts has the acts for the steward. The choices for the next game were set _nexts times.
    #     The next game's room is _begun, if this gathering knows it. If enough players want the next game, an act to
    #     begin it is added, and _tried has the holders of these players and the number _nexts at that time. The latest
    #     vote for a new game came from the address _voted_from. Places must confirm the closing of the room, and the
    #     removal of a holder. For a removal, _leaving is the holder, and _asked_at is the place of the request. The
    #     places in _untold have not confirmed yet: they must notify all their connections, or disconnect the holder.
    #     The requests in _awaiting wait for these places.
    # RI: if _untold is empty, _awaiting is empty.
    # Safety from exposure: answers and events are immutable, or copies.

    def __init__(self, opener: str, turn_s: float | None, now: Callable[[], float]) -> None:
        """Begin without people. `opener` is the holder who has opened the room; empty: no opener.

        `now` returns the time in seconds. The next game has the turn clock `turn_s`, unless another one is set.
        """
        self.version = 0
        self._opener: Final = opener
        self._now: Final = now
        self._people: Final = People(opener, now())
        self._staying: Final[dict[Ticket, Attend | SitDown]] = {}
        self._presence: Final = Presence()
        self._names: Final[dict[str, str]] = {}  # by player, if the name differs from the ID
        self._avatars: Final[dict[str, int]] = {}  # by player, if the player has chosen one
        self._knows_early = False  # True: names from before the room woke were received
        self._tickets: Final = SeatTickets()
        self._buckets: Final[dict[str, TokenBucket]] = {}
        self._removed: Final[dict[str, None]] = {}
        self._acts: Final = Acts()
        self._leaving: str | None = None
        self._untold: Final[set[str]] = set()
        self._asked_at: str | None = None
        self._awaiting: Final[list[Ticket]] = []
        self._next: NextGame = NextGame(None, turn_s)
        self._nexts = 0
        self._begun: str | None = None
        self._voted_from = ""
        self._tried: tuple[tuple[str, ...], int] | None = None
        self._told: GatheringState | None = None
        self._changed = False
        self._events: list[Event] = []

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Execute one command, and return its outcomes, events first."""
        outcomes: list[Outcome] = []
        try:
            if isinstance(command, Withdraw):
                self._withdraw(ticket)
            elif isinstance(command, Attend | SitDown):
                self._arrive(ticket, command)
            elif isinstance(command, AwaitDelivery) and self._untold:
                self._awaiting.append(ticket)
            elif isinstance(command, StewardAct):
                self._add_act(ticket, command)
            elif isinstance(command, TakeTask):
                outcomes += self._take_task(ticket, command)
            elif isinstance(command, EndTask):
                outcomes += self._end_task(ticket, command)
            else:
                outcomes.append(Answered(ticket, self._answer(command)))  # type: ignore[arg-type]  # all other commands
        except CallerError as refused:
            outcomes.append(Refused(ticket, refused))
        if not self._untold and not isinstance(command, Withdraw):  # a withdrawal answers no request
            outcomes += [Answered(one, None) for one in self._awaiting]
            self._awaiting.clear()
        if self._changed:
            self._people.note_time(self._now())
            self._begin_if_agreed()
            self._tell()
            self.version += 1
            self._changed = False
        events, self._events = self._events, []
        return (*events, *outcomes)

    def _answer(self, command: GatheringCommand | StewardCommand) -> object:
        match command:
            case TakeGathering():
                return GatheringSnapshot(self._presence.state(), self._state(self._now()), dict(self._names))
            case TakeNext():
                return self._next
            case FindHolder():
                return self._people.holder_of(command.player)
            case FindTicket():
                return self._tickets.find(command.text, command.holder, self._now())
            case NoteMoved():
                self._changed |= self._people.note_moved(command.players)
                return self._people.tally().is_agreed
            case NoteBegun():
                self._note_begun(command)
            case NoteNotBegun():
                self._events.append(NotBegun(command.error, command.code, command.params))
            case RemovePlayer():
                return self._remove(command)
            case NoteHandover():
                return self._hand_over(command)
            case RequireHost():
                self._require_host(command.holder, command.act)
            case NotePlayer():
                self._note_player(command)
            case NoteNames():
                self._note_names(command.names, early=command.early)
            case NoteAvatar(player, avatar):
                self._changed |= note_avatar(self._avatars, player, avatar, self._presence.is_here)
            case NoteTime():
                self._told, self._changed = None, True
            case NoteAct():
                self._note_act(command)
            case NoteDelivery():
                self._note_delivery(command)
            case SetNext():
                self._set_next(command)
            case CountVote():
                self._vote(command.vote)
            case React():
                self._react(command)
            case GiveTicket():
                self._tickets.give(command.text, SeatTicket(command.player, command.holder), self._now())
            case AwaitDelivery():
                pass  # all places have confirmed
            case Attend() | SitDown() | Ping() | TakeTask() | EndTask():
                raise AssertionError("these have no answer, or not from here")
            case Rename() | Close() | Remove() | OfferSeat() | UseTicket() | NoteExpelled() | Vote() | Begin():
                raise AssertionError("these have no answer, or not from here")
            case _:
                assert_never(command)
        return None

    # --- being here ---

    def _arrive(self, ticket: Ticket, command: Attend | SitDown) -> None:
        self._staying[ticket] = command
        bot = isinstance(command, SitDown)
        if self._presence.arrive(command.player, bot=bot):
            self._events.append(Came(command.player, bot))
        if isinstance(command, SitDown):
            self._note_names({command.player: command.name})
        elif command.holder is not None:
            self._people.arrive(command.holder, command.player, self._now(), command.account)
            if command.player is not None and command.holder in self._removed:
                self._events.append(Removed(command.holder, ()))  # the place did not know of the removal yet
        self._changed = True

    def _leave(self, ticket: Ticket) -> None:
        if ticket in self._awaiting:
            self._awaiting.remove(ticket)
        gone = self._staying.pop(ticket, None)
        if gone is None:
            return
        bot = isinstance(gone, SitDown)
        if self._presence.leave(gone.player, bot=bot):
            self._events.append(Went(gone.player, bot))
        if isinstance(gone, Attend) and gone.holder is not None:
            self._people.leave(gone.holder, gone.player, self._now())
        self._changed = True

    def _places(self) -> set[str]:
        return {one.place for one in self._staying.values() if isinstance(one, Attend)}

    def _note_player(self, command: NotePlayer) -> None:
        self._people.note(command.holder, command.player, self._now())
        self._changed = self._told is None or _timeless(self._state(0.0)) != _timeless(self._told)

    def _note_names(self, names: Mapping[str, str], *, early: bool = False) -> None:
        if early and self._knows_early:
            return  # names since the first early names were published in events
        self._knows_early |= early
        news = {player: name for player, name in names.items() if self._name_of(player) != name}
        if news:
            note_names(self._names, news, early=early)
            self._events.append(Named(news, early))
            self._changed = True

    def _tell(self) -> None:
        """Publish the state if it has changed since the last time, apart from the passing of time."""
        state = self._state(0.0)
        if state != self._told:
            self._told = state
            self._events.append(Updated(self._state(self._now())))

    def _state(self, since: float) -> GatheringState:
        """Return the present state, with times as seconds after `since`."""
        people, now = self._people, self._now()
        host, changes_at, may_all_at = people.standing(now)
        tally = people.tally()
        return GatheringState(
            host=host,
            host_player=people.player_of(host),
            changes_in=changes_at - since if changes_at < math.inf else None,
            acts=host is not None and may_all_at > now,
            may_all_in=may_all_at - since if now < may_all_at < math.inf else None,
            voters=tally.voters,
            votes=tally.votes,
            needed=tally.needed,
            nexts=self._nexts,
            avatars=dict(self._avatars),
        )

    # --- acts ---

    def _withdraw(self, ticket: Ticket) -> None:
        self._acts.withdraw(ticket)
        gone = self._staying.get(ticket)
        self._leave(ticket)
        if self._untold and isinstance(gone, Attend) and gone.place not in (*self._places(), self._asked_at):
            self._untold.discard(gone.place)  # the place's connections have ended, or the place is dead
            if self._awaiting and not self._untold:
                self._events.append(Due())  # the steward's next command answers the waiting requests

    def _add_act(self, ticket: Ticket, act: StewardAct) -> None:
        """Park an act until the steward has executed it."""
        self._judge(act)
        lane = self._acts.add(ticket, act)
        if lane is not None:
            self._events.append(Due(lane))

    def _judge(self, act: StewardAct) -> None:
        """Refuse a forbidden act. Called when the act arrives, and again when the steward takes it."""
        match act:
            case HostsAct():
                self._require_host(act.holder, act.act)
            case Begin():
                self._require_welcome(act.holder)
                if act.as_host:
                    self._require_host(act.holder, "again")
            case Vote():
                self._voter(act.holder)

    def _require_welcome(self, holder: str) -> None:
        if holder in self._removed:
            raise PlayerRemoved

    def _take_task(self, ticket: Ticket, command: TakeTask) -> list[Outcome]:
        """Answer with the next act that is still allowed, and refuse the acts before it."""
        outcomes: list[Outcome] = []
        while (task := self._acts.take(command.lane)) is not None:
            try:
                self._judge(task.act)
                break
            except CallerError as refused:
                asked = self._acts.end(task.number)
                outcomes += [] if asked is None else [Refused(asked, refused)]
        return [*outcomes, Answered(ticket, task)]

    def _end_task(self, ticket: Ticket, command: EndTask) -> list[Outcome]:
        asked, refused = self._acts.end(command.number), command.refusal
        if command.number == NO_REQUEST and isinstance(command.value, Undone):
            self._tried = None  # the next change adds the act again
        if asked is None:
            return [Answered(ticket, None)]
        answer = Answered(asked, command.value) if refused is None else Refused(asked, refused)
        return [answer, Answered(ticket, None)]

    def _require_host(self, holder: str | None, act: HostAct) -> None:
        """Raise NotTheHost unless the holder is the host or the room's opener.

        A request of the opener shows that the opener is back. Raises StandsIn if the holder is a stand-in host without
        this right yet.
        """
        if holder and holder == self._opener:
            return
        now = self._now()
        standing = self._people.standing(now)
        if not holder or holder != standing.host:
            raise NotTheHost(act)
        if act not in FOR_NEXT_GAME and now < standing.may_all_at:
            raise StandsIn(act, round(OPENER_GONE_S / 60)) if self._opener else NotTheHost(act)

    def _say(self, act: Act, holder: str | None, **values: str) -> None:
        player = self._people.player_of(holder)
        self._events.append(Acted(act, player, self._name_of(player), values))

    def _name_of(self, player: str | None) -> str | None:
        return None if player is None else self._names.get(player, player)

    def _note_act(self, command: NoteAct) -> None:
        if command.act == "close":
            self._await_places(None, None)
        self._say(command.act, command.holder, **command.values)

    def _set_next(self, command: SetNext) -> None:
        self._require_host(command.holder, "settings")
        self._next = command.next
        self._nexts += 1
        self._changed = True
        self._say("settings", command.holder)

    def _note_begun(self, command: NoteBegun) -> None:
        self._people.clear_votes()
        self._changed = True
        if command.room != self._begun:
            self._begun = command.room
            self._say("again", command.holder, room=command.room)

    def _begin_if_agreed(self) -> None:
        """Add an act to begin the next game if enough players want it. For the same votes and choices, add it once."""
        agreed = self._people.agreed()
        wanted = None if agreed is None else (agreed, self._nexts)
        if wanted is not None and wanted != self._tried:
            self._add_act(NO_REQUEST, BeginAgreed(self._voted_from))
        self._tried = wanted

    def _vote(self, command: Vote) -> None:
        holder, player = command.holder, self._voter(command.holder)
        if not self._people.may_vote(holder):
            raise NotMoved
        is_news = command.wanted and player not in self._people.tally().voters
        if is_news:
            self._hold_back(holder)
        self._people.vote(holder, command.wanted)
        if command.wanted:
            self._voted_from = command.client
        if is_news:
            self._say("vote", holder)
        self._changed = True

    def _voter(self, holder: str) -> str:
        """Return the player for a holder's vote. Raises NotPlaying."""
        player = self._people.player_of(holder)
        if player is None or not self._people.plays(holder, player):
            raise NotPlaying
        return player

    def _react(self, command: React) -> None:
        if command.emoji not in REACTIONS:
            raise NoSuchReaction(" ".join(REACTIONS))
        player = command.player or self._people.player_of(command.holder)
        if player is None or not self._people.plays(command.holder, player):
            raise NotPlaying
        self._hold_back(command.holder)
        self._events.append(Reacted(player, command.emoji))

    def _hold_back(self, holder: str) -> None:
        """Count an event that all people see. Raises TooFast."""
        if holder not in self._buckets and len(self._buckets) >= MOST_REMEMBERED:
            for one in [one for one, bucket in self._buckets.items() if bucket.is_full]:
                del self._buckets[one]
        bucket = self._buckets.setdefault(holder, TokenBucket(REACTIONS_AT_ONCE, REACTIONS_PER_S, self._now))
        if not bucket.take():
            raise TooFast

    def _remove(self, command: RemovePlayer) -> tuple[str, ...]:
        target, named = command.target, command.player
        if named is None and target in self._removed:
            return ()
        players = tuple(dict.fromkeys((*([] if named is None else [named]), *self._people.players_of(target))))
        self._removed[target] = None
        if len(self._removed) > MOST_REMEMBERED:
            del self._removed[next(iter(self._removed))]
        self._people.remove(target)
        self._changed = True
        if named is not None:
            self._say("remove", command.holder, player=named, player_name=self._name_of(named) or named)
        self._events.append(Removed(target, players))
        self._await_places(target, command.place)
        return players

    def _await_places(self, leaving: str | None, asked_at: str | None) -> None:
        """Wait for the confirmations of all places with connections, and of the place `asked_at` if it is not None.

        The place `asked_at` may have requests without connections. Confirmations of an earlier act are no longer
        awaited.
        """
        self._leaving, self._asked_at = leaving, asked_at
        self._untold.clear()
        self._untold.update(self._places(), () if asked_at is None else (asked_at,))

    def _note_delivery(self, command: NoteDelivery) -> None:
        if command.removed == self._leaving:
            self._untold.discard(command.place)

    def _hand_over(self, command: NoteHandover) -> str:
        ticket = command.ticket
        self._tickets.use(command.text, ticket, command.holder)
        self._people.hand_over(ticket.player, ticket.holder, command.holder)
        self._changed = True
        self._events.append(HandedOver(ticket.holder, ticket.player, command.holder))
        return self._names.get(ticket.player, ticket.player)

    def __str__(self) -> str:
        return str(self._people)


def _timeless(state: GatheringState) -> GatheringState:
    """Return a state without its times: notes of players without a connection often change only the times."""
    return msgspec.structs.replace(state, changes_in=None, may_all_in=None)
