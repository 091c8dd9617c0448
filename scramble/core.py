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
from typing import Generic, NewType, Protocol, TypeAlias, TypeVar

import msgspec

from scramble.errors import CallerError

Ticket = NewType("Ticket", int)
"""The name of one request, unique within its game. Rules may keep it, compare it and name it in outcomes."""

R_co = TypeVar("R_co", covariant=True)


class Command(msgspec.Struct, Generic[R_co], frozen=True):
    """What a caller wants; immutable. `R_co` is the type of its answer, so that `await ask(command)` is typed."""


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
