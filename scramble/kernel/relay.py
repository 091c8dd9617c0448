"""A relay takes the requests of one other process for a game's owner, with all that the door of the game adds to them.

    with game.elsewhere() as relay:          # as long as the process is in the game
        relay.post_nowait(relay.request(command, deliver))

What a door adds for its own callers, such as the time of a move, has to be added where the game runs: a door in another
process sends bare commands. So the door where the game runs derives a relay of its own from `Relay`, one for each
process, whose end is the farewell of all that the process has left behind.

Safe under concurrency: a relay changes between two awaits, in the tasks that post, and in that of the owner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import outcome

from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command, Query, R_co, Settable, Ticket
from scramble.kernel.reply import Post

RelayedAnswer: TypeAlias = "outcome.Outcome[object]"
EndRelay: TypeAlias = "Callable[[RelayedAnswer | None], RelayedAnswer | None]"
"""Gets the answer of a request, None if it was withdrawn, and returns that, or the answer to give instead."""


class DoorQuery(Query[R_co], frozen=True):
    """A query that the door answers where the game runs, at once: for doors elsewhere. The rules never see it."""


class Relay:
    """Takes posts for an owner, with what a door adds. Implements `Posting`; doors override the first two methods."""

    # AF: the owner _owner, for one process; _ends has what is to be called at the end of posted requests.

    def __init__(self, owner: Posting) -> None:
        self._owner: Final = owner
        self._ends: Final[dict[Ticket, EndRelay]] = {}

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Return the command as the owner is to have it, and what is called at its end."""
        return command, None

    def answer(self, query: DoorQuery[object]) -> object:
        """Return the answer to a query that is for the door."""
        raise NotImplementedError

    def tell(self, command: Command[object]) -> None:
        """Carry out `command` ahead of all queued commands, without an answer."""
        begun, end = self.begin(command)
        self._owner.tell(begun)
        if end is not None:
            end(None)

    def request(
        self, command: Command[object], deliver: Callable[[RelayedAnswer, int], None], parked: Settable | None = None
    ) -> Post:
        """Return a request for `post`."""
        if isinstance(command, DoorQuery):
            return self._owner.request(command, deliver, parked)
        begun, end = self.begin(command)
        if end is None:
            return self._owner.request(begun, deliver, parked)

        def ended(answer: RelayedAnswer, position: int) -> None:
            last = self._ends.pop(post.ticket)(answer)
            deliver(answer if last is None else last, position)

        post = self._owner.request(begun, ended, parked)
        self._ends[post.ticket] = end
        return post

    def post_nowait(self, request: Post) -> None:
        """Put a request into the mailbox; answer one for the door."""
        if isinstance(request.command, DoorQuery):
            request.send(outcome.Value(self.answer(request.command)))
        else:
            self._owner.post_nowait(request)

    async def post(self, request: Post) -> None:
        """Put a request into the mailbox; answer one for the door. Waits while the mailbox is full."""
        if isinstance(request.command, DoorQuery):
            request.send(outcome.Value(self.answer(request.command)))
        else:
            await self._owner.post(request)

    def withdraw(self, request: Post) -> bool:
        """Withdraw a request; return False if its answer is decided."""
        withdrawn = self._owner.withdraw(request)
        end = self._ends.pop(request.ticket, None) if withdrawn else None
        if end is not None:
            end(None)
        return withdrawn

    def __str__(self) -> str:
        return f"{self._owner}, from elsewhere"
