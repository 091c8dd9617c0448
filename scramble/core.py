"""The vocabulary that rules and owner task share. Pure: no trio, no clock, no I/O.

A game is a `Rules` object: a state and one synchronous method, `apply(ticket, command)`, which
returns what follows from the command, in order:

    Answered(ticket, value)   the request with that ticket has its answer
    Refused(ticket, error)    the request with that ticket is refused
    an Event                  something that everybody may know has happened

The tickets in the outcome need not be the ticket that came in. A command that must wait is answered
by *not* being answered: the rules remember its ticket and name it in the outcome of a later command.
So waiting is part of the state, one player's move can answer or refuse another player's request, and
rules can be played with in a plain REPL:

    >>> board.apply(Ticket(1), Flip("alice", 0, 0))
    [TurnedUp(...), Took(...), Answered(ticket=1, value=...)]

The law that rules keep, and that the owner relies on:

- every ticket is named in at most one `Answered` or `Refused`, ever;
- after `apply(ticket, Withdraw())` that ticket is never named again, and nothing is done on its behalf;
- a `Withdraw` answers and refuses nobody (events may follow from it);
- `apply` raises only if it has a bug. What a caller got wrong is an outcome, not an exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NewType, Protocol, Self, TypeAlias, TypeVar

import msgspec

from scramble.errors import CallerError

Ticket = NewType("Ticket", int)
"""The name of one request, unique within its game. Rules may keep it, compare it and name it in outcomes."""

R_co = TypeVar("R_co", covariant=True)


class Command(msgspec.Struct, Generic[R_co], frozen=True, tag=True):
    """What a caller wants; immutable. `R_co` is the type of its answer, so that `await ask(command)` is typed.

    Encoded, for example in a journal, a command carries the name of its class as its `type`.
    """


class Query(Command[R_co], frozen=True):
    """A command that changes nothing, though it may wait for a change: no journal needs to hold it."""


class Ping(Query[None], frozen=True):
    """Answered by the owner itself, in its turn; the rules never see it. Says that the game lives, log and all."""


class Withdraw(Command[None], frozen=True):
    """The caller of the ticket that this is applied to has gone: forget the ticket.

    Applied to a ticket that was answered already, or never seen, it does nothing. It has no answer itself.
    """


class Event(msgspec.Struct, frozen=True):
    """Something that has happened and that everybody may know; the base of each game's public events."""


class Answered(msgspec.Struct, frozen=True):
    """The request has its answer, of the type that its `Command` promised."""

    ticket: Ticket
    value: object


class Refused(msgspec.Struct, frozen=True):
    """The request is refused; `error` is raised in its caller's task, and nowhere else."""

    ticket: Ticket
    error: CallerError


Outcome: TypeAlias = Answered | Refused | Event


class Change(msgspec.Struct, frozen=True):
    """All that one command made public, for those who follow a game.

    `version` is the game's version after the command. `missed` counts the changes lost just before this one
    because the follower was too slow; whoever sees a number other than 0 there takes a fresh look at the game.
    """

    version: int
    events: tuple[Event, ...]
    missed: int = 0


class Rules(Protocol):
    """A game's whole state and what each command does to it. Only ever touched by one task at a time."""

    @property
    def version(self) -> int:
        """How many changes there have been, as the game defines a change; never decreases."""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command in one atomic step and tell what follows from it. Never waits, never raises."""


class Log(Protocol):
    """Where an owner writes commands down before it tells anybody what they did. Only ever used by one task."""

    @property
    def first_ticket(self) -> Ticket:
        """A ticket that no command in the log has, nor any above it."""

    def prepare(self, command: Command[object], /) -> tuple[Command[object], bytes]:
        """The command as it will be read back, and as it is to be added.

        Raises InvalidCommand if it cannot be written down.
        """

    def add(self, ticket: Ticket, prepared: bytes, /) -> None:
        """`prepared` was applied just now: it belongs to the next commit."""

    async def commit(self) -> None:
        """Write down all that was added, so that neither a crash nor a loss of power can take it away. Waits for that.

        Raises JournalFailed if the disk fails; there is nothing to be added from then on.
        """


class Durable(Rules, Protocol):
    """Rules whose state can be written down and restored: what it takes to keep a game in a journal.

    The law beyond that of `Rules`: what a command does depends on nothing but the state and the commands before it, so
    that applying the same commands to the same first state always ends in the same state, on every machine. And a
    command that is refused with exactly `InvalidCommand` has changed nothing at all: it is not written down.
    """

    @property
    def kind(self) -> str:
        """Which game this is, in one lower-case word. Journals are told apart by it."""

    @property
    def commands(self) -> object:
        """The union type of all commands that are not a `Query`, `Withdraw` among them; msgspec can decode it."""

    def state(self) -> bytes:
        """The whole state as JSON, but for queries that wait.

        Canonical: equal for two games exactly if they have the same future, as long as nobody queries.
        """

    def restore(self, state: bytes, /) -> Self:
        """Other rules of the same kind in that state, whatever the state of these. For `state()` of the same version.

        Raises ValueError (msgspec's errors are such) if it is none.
        """
