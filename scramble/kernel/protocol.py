"""The message types that the rules and the owner task share. Pure: no trio, no clock, no I/O.

A game is a `Rules` object: a state and one synchronous method, `apply(ticket, command)`, which
returns the outcomes of the command, in order:

    Answered(ticket, value)   the request with that ticket is answered
    Refused(ticket, error)    the request with that ticket is refused
    an Event                  a public event

The outcomes of a command may name the tickets of other commands. If a command must wait, its outcomes do not name its
ticket: the rules store the ticket and name it in the outcomes of a later command. So waiting is part of the state, and
one player's move can answer or refuse another player's request. The rules run even in the Python REPL:

    >>> board.apply(Ticket(1), Flip("alice", 0, 0))
    [TurnedUp(...), Took(...), Answered(ticket=1, value=...)]

The owner relies on this contract of the rules:

- at most one `Answered` or `Refused` ever names a ticket;
- after `apply(ticket, Withdraw())` the rules never name this ticket again, and do nothing for its request;
- a `Withdraw` answers and refuses no request (it may cause events);
- `apply` raises only if it has a bug. A mistake of the caller is an outcome, not an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Generic, NewType, Protocol, Self, TypeAlias, TypeVar, final

import msgspec

from scramble.errors import CallerError

Ticket = NewType("Ticket", int)
"""The identifier of one request, unique within its game. Rules may store it, compare it and name it in outcomes."""

R_co = TypeVar("R_co", covariant=True)


class Command(msgspec.Struct, Generic[R_co], frozen=True, tag=True):
    """A request of a caller; immutable. `R_co` is the type of its answer, so type checkers know `await ask(command)`.

    An encoded command, for example in a journal, has the name of its class as its `type`.
    """

    gives_room: ClassVar[bool] = False
    """True for commands that free space in the journal: they are recorded even if the journal is full."""


class Query(Command[R_co], frozen=True):
    """A command that changes nothing, but may wait for a change. Journals do not record it."""


class Ping(Query[None], frozen=True):
    """Health check. The owner itself answers it in order, after the log commit. The rules never see it."""


class Inspect(Query[Any], frozen=True):
    """A function of the rules, for tests. The owner itself calls it in order; the rules never see this query."""

    function: Callable[[Any], object]


class Withdraw(Command[None], frozen=True):
    """Forget the ticket of this command: its caller has left.

    Does nothing if the ticket is unknown or already answered. Has no answer itself.
    """


class Event(msgspec.Struct, frozen=True):
    """A public event; the base class of each game's events."""


class Settable(Protocol):
    """Receiver of a notification: a `trio.Event`, or another object with its method `set`."""

    def set(self) -> None:
        """Notify the receiver. Does not wait, and never raises."""


@final
class Answered(msgspec.Struct, frozen=True):
    """The request has the answer `value`, of the type that its `Command` declares."""

    ticket: Ticket
    value: object


@final
class Refused(msgspec.Struct, frozen=True):
    """The request is refused. The task of its caller raises `error`; no other task does."""

    ticket: Ticket
    error: CallerError


Outcome: TypeAlias = Answered | Refused | Event

OnCommand: TypeAlias = Callable[[Ticket, Command[object], Sequence[Outcome], float], None]
"""A function for traces: `on_command(ticket, command, outcomes, queued_s)`. See `scramble.kernel.actor.open_actor`."""


MOST_NAMED: Final = 200
"""Maximum number of names of players in a frame to a page. For further players the frame has only their number. Nobody
reads more names. The longest names take 50 kB, and every player gets the frame."""


@final
class Change(msgspec.Struct, frozen=True):
    """The public events of one command, for followers of a game.

    `version` is the game's version after the command. `missed` is the number of changes that a slow follower lost just
    before this change. If `missed` is not 0, the follower needs a new snapshot of the game.
    """

    version: int
    events: tuple[Event, ...]
    missed: int = 0


class Rules(Protocol):
    """The whole state of a game and the effect of each command on it. Used by only one task at a time."""

    @property
    def version(self) -> int:
        """The number of changes so far. The game defines what a change is. Never decreases."""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Execute one command in one atomic step and return its outcomes. Never waits, never raises."""


class CommandLog(Protocol):
    """The log of an owner: it stores commands before their effects become visible. Used by only one task."""

    @property
    def first_ticket(self) -> Ticket:
        """A ticket above all tickets in the log."""

    def prepare(self, command: Command[object], /, *, urgent: bool = False) -> tuple[Command[object], bytes]:
        """Encode a command. Return the command as a reader of the log decodes it, and its encoded form for `add`.

        Raises InvalidCommand if the command cannot be encoded, and DiskFull if the log has no room. Two kinds of
        commands are never refused with DiskFull: `urgent` commands (withdrawals, and commands of `tell` for leaving
        players), and commands that free space.
        """

    def add(self, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome], /) -> None:
        """Add a command to the next commit. It was applied just now with these outcomes, and has changed the state."""

    async def commit(self) -> None:
        """Write all added commands. Wait until neither a crash nor a power failure can lose them.

        Raises LogFull if there is no room: then no command was written, and the caller may retry the same commit.
        Raises JournalFailed if the disk fails: then the log must not be used again.
        """

    def finish(self) -> None:
        """Note that the owner has ended normally, after a commit. Its rules do not change after this."""


class Recordable(Rules, Protocol):
    """Rules that show which commands have changed their state, as a `CommandLog` requires."""

    @property
    def revision(self) -> int:
        """A number that grows with each command that changes the state, and only then. Takes constant time.

        The revision is not part of the state: another object in the same state may have another revision. A waiting
        `Query` is not part of the state either.
        """


class Durable(Recordable, Protocol):
    """Rules with a state that can be encoded and restored, as a journal requires.

    The contract of `Rules` holds, with two more terms. (1) The effect of a command depends only on the first state and
    the commands before it: the same commands, applied to the same first state, lead to the same state on every machine.
    (2) A command that has not changed `revision` has not changed a byte of `state()`, and has caused no event. The
    state does not contain its ticket. So the command need not be logged, and its ticket may be reused after a restart.
    """

    @property
    def kind(self) -> str:
        """The kind of game, in one lower-case word. It distinguishes the journals of different games."""

    @property
    def commands(self) -> object:
        """The union type of all commands, with `Withdraw` and without queries. Msgspec can decode it."""

    def state(self) -> bytes:
        """Return the whole state as JSON, without the waiting queries.

        Canonical: the bytes of two games are equal exactly if all later commands have the same effects in both games.
        Queries do not count.
        """

    def restore(self, state: bytes, /) -> Self:
        """Return new rules of the same kind in the given state. `state` comes from `state()` of the same version.

        Does not depend on the state of this object. Raises ValueError, or a subclass from msgspec, if the state is
        invalid.
        """
