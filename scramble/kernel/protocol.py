"""The vocabulary that rules and owner task share. Pure: no trio, no clock, no I/O.

A game is a `Rules` object: a state and one synchronous method, `apply(ticket, command)`, which
returns the outcomes of the command, in order:

    Answered(ticket, value)   the request with that ticket is answered
    Refused(ticket, error)    the request with that ticket is refused
    an Event                  something public has happened

The tickets in the outcomes need not be the ticket that came in. If a command has to wait, its outcomes
do not name its ticket: the rules remember the ticket and name it in the outcomes of a later command.
So waiting is part of the state, one player's move can answer or refuse another player's request, and
rules can be tried out in a plain REPL:

    >>> board.apply(Ticket(1), Flip("alice", 0, 0))
    [TurnedUp(...), Took(...), Answered(ticket=1, value=...)]

The contract that rules keep, and that the owner relies on:

- every ticket is named in at most one `Answered` or `Refused`, ever;
- after `apply(ticket, Withdraw())` that ticket is never named again, and nothing is done on its behalf;
- a `Withdraw` answers and refuses no request (events may follow from it);
- `apply` raises only if it has a bug. A mistake of the caller is an outcome, not an exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Generic, NewType, Protocol, Self, TypeAlias, TypeVar, final

import msgspec

from scramble.errors import CallerError

Ticket = NewType("Ticket", int)
"""The identifier of one request, unique within its game. Rules may store it, compare it and name it in outcomes."""

R_co = TypeVar("R_co", covariant=True)


class Command(msgspec.Struct, Generic[R_co], frozen=True, tag=True):
    """A request of a caller; immutable. `R_co` is the type of its answer, so that `await ask(command)` is typed.

    In its encoded form, for example in a journal, a command carries the name of its class as its `type`.
    """

    gives_room: ClassVar[bool] = False
    """True of commands that lead to less being kept: they are recorded, too, while there is no room for others."""


class Query(Command[R_co], frozen=True):
    """A command that changes nothing, though it may wait for a change: journals leave it out."""


class Ping(Query[None], frozen=True):
    """Health check, answered by the owner itself in turn, log included; the rules never see it."""


class Withdraw(Command[None], frozen=True):
    """Forget the ticket that this is applied to: its caller has left.

    Applied to a ticket that was answered already, or is unknown, it does nothing. It has no answer itself.
    """


class Event(msgspec.Struct, frozen=True):
    """Something public that has happened; the base of each game's events."""


class Settable(Protocol):
    """Learns that something has happened: a `trio.Event`, or whatever has its method."""

    def set(self) -> None:
        """Note that it has happened. Does not wait, and never raises."""


@final
class Answered(msgspec.Struct, frozen=True):
    """The request is answered by `value`, of the type that its `Command` declares."""

    ticket: Ticket
    value: object


@final
class Refused(msgspec.Struct, frozen=True):
    """The request is refused; `error` is raised in the task of its caller, and nowhere else."""

    ticket: Ticket
    error: CallerError


Outcome: TypeAlias = Answered | Refused | Event


MOST_NAMED: Final = 200
"""Players that one frame to a page names; it gives the number of the others. These are more names than a person reads,
and with the longest names 50 kB: a frame goes to all players, so naming more would raise the cost for each of them."""


@final
class Change(msgspec.Struct, frozen=True):
    """The public events of one command, for followers of a game.

    `version` is the game's version after the command. `missed` counts the changes lost just before this one
    because the follower was too slow; if it is not 0, the follower needs a new snapshot of the game.
    """

    version: int
    events: tuple[Event, ...]
    missed: int = 0


class Rules(Protocol):
    """The whole state of a game and the effect of each command on it. Used by only one task at a time."""

    @property
    def version(self) -> int:
        """The number of changes so far, as the game defines a change; never decreases."""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command in one atomic step and return its outcomes. Never waits, never raises."""


class CommandLog(Protocol):
    """The log to which an owner writes commands before their effects become visible. Used by only one task."""

    @property
    def first_ticket(self) -> Ticket:
        """A ticket that is above all tickets in the log."""

    def prepare(self, command: Command[object], /, *, urgent: bool = False) -> tuple[Command[object], bytes]:
        """Return the command as it will be read back, and its encoded form for `add`.

        Raises InvalidCommand if it cannot be encoded, and DiskFull if there is no room for it. There is for `urgent`
        ones, as long as the disk takes them: withdrawals, and commands of `tell`, by which somebody leaves something;
        and for those that give room back.
        """

    def add(self, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome], /) -> None:
        """Add a command to the next commit: it was applied just now, with these outcomes, and has changed the state."""

    async def commit(self) -> None:
        """Write all added commands and wait until neither a crash nor a power failure can lose them.

        Raises LogFull if there is no room: then nothing was written, and the same commit may be tried again. Raises
        JournalFailed if the disk fails; the log must not be used from then on.
        """

    def finish(self) -> None:
        """Note that the owner has ended in good order, after a commit: its rules will not change any more."""


class Recordable(Rules, Protocol):
    """Rules that show which commands have changed their state, as a `CommandLog` requires."""

    @property
    def revision(self) -> int:
        """A number that grows with every command that changes the state, and with no other. Takes constant time.

        It is not part of the state: another object in the same state may have another revision. A `Query` that
        waits is not part of the state either, since it has changed nothing.
        """


class Durable(Recordable, Protocol):
    """Rules whose state can be encoded and restored, as a journal requires.

    The contract beyond that of `Rules`: the effect of a command depends only on the state and the commands before it,
    so applying the same commands to the same first state always ends in the same state, on every machine. And a
    command that has not changed `revision` has not changed `state()`, byte for byte, has led to no event, and has
    its ticket nowhere in the state: it need not be logged, and its ticket may be reused after a restart.
    """

    @property
    def kind(self) -> str:
        """The kind of game, in one lower-case word. It distinguishes the journals of different games."""

    @property
    def commands(self) -> object:
        """The union type of all commands except `Query`s, `Withdraw` included; msgspec can decode it."""

    def state(self) -> bytes:
        """Return the whole state as JSON, without the queries that wait.

        Canonical: equal for two games exactly if the same commands, queries excepted, have the same effects in both.
        """

    def restore(self, state: bytes, /) -> Self:
        """Return other rules of the same kind in that state, which `state()` of the same version has made.

        Does not depend on the state of this object. Raises ValueError (msgspec's errors are subclasses of it) if the
        state is not valid.
        """
