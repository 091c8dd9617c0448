"""Acts of people that the steward of the room carries out, one after another. Pure.

    acts.add(ticket, Rename(holder, "Friday"))    # parked; True: the steward is to be called
    task = acts.take()                            # by the steward: the next act, under its number
    acts.end(task.number)                         # the ticket of the request to answer

An act that is withdrawn before the steward has taken it never happened. One that is withdrawn after that goes on, and
its answer is dropped.
"""

from __future__ import annotations

from typing import Final

from scramble.kernel.protocol import Ticket
from scramble.rooms.gathering.messages import StewardAct, Task


class Acts:
    """The acts that wait for the steward, and the one that it does. Mutable."""

    # AF: the acts in _waiting wait, in order, by the tickets of their requests. The steward does that of _taken, None:
    #     none, whose request is still there unless _is_dropped. A steward was called, and has not found _waiting empty
    #     since then, if _is_called.
    # RI: _is_called if there is an act in _waiting, or in _taken.

    __slots__ = ("_is_called", "_is_dropped", "_taken", "_waiting")

    def __init__(self) -> None:
        self._waiting: Final[dict[Ticket, StewardAct]] = {}
        self._taken: Ticket | None = None
        self._is_dropped = False
        self._is_called = False

    def add(self, ticket: Ticket, act: StewardAct) -> bool:
        """Add an act behind the others; return True if a steward is to be called for it."""
        self._waiting[ticket] = act
        was_called, self._is_called = self._is_called, True
        return not was_called

    def withdraw(self, ticket: Ticket) -> None:
        """Note that the request of that ticket has ended."""
        self._waiting.pop(ticket, None)
        self._is_dropped |= ticket == self._taken

    def take(self) -> Task | None:
        """Return the next act; None if no act waits, or if the act that was taken last has not ended."""
        if self._taken is not None:
            return None
        if not self._waiting:
            self._is_called = False
            return None
        self._taken, self._is_dropped = next(iter(self._waiting)), False
        return Task(self._taken, self._waiting.pop(self._taken))

    def end(self, number: int) -> Ticket | None:
        """End the act that was taken; return the ticket of its request, None if that has ended."""
        assert number == self._taken, "the steward ends what it has taken"
        taken, self._taken = self._taken, None
        return None if self._is_dropped else taken

    def __str__(self) -> str:
        return f"{len(self._waiting)} acts wait"
