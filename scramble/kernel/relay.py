"""A relay posts the requests of one other process to a game's owner, with the data that the game's door adds.

    with game.elsewhere() as relay:          # while the process is in the game
        relay.post_nowait(relay.request(command, deliver))

A door adds data to the requests of its own callers, for example the time of a move. A door in another process sends
commands without these data. So the door in the game's process adds them: it has a subclass of `Relay`, and one relay
for each other process. At the end of a relay, the door cleans up after the process.

Safe under concurrency: the posting tasks and the owner task change a relay between two awaits.
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
"""Function that gets the answer of a request, or None if the request was withdrawn. It returns the answer for the
caller, which may be the same."""


class DoorQuery(Query[R_co], frozen=True):
    """A query from a door of another process. The door in the game's process answers at once, without the rules."""


class Relay:
    """Adds a door's data to requests, and posts them to an owner. Implements `Posting`.

    Doors override `begin` and `answer`.
    """

    # AF: a relay of one process to the owner _owner; _ends has the functions to call at the end of posted requests.

    def __init__(self, owner: Posting) -> None:
        self._owner: Final = owner
        self._ends: Final[dict[Ticket, EndRelay]] = {}

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        """Return the command for the owner, and the function to call at the command's end."""
        return command, None

    def answer(self, query: DoorQuery[object]) -> object:
        """Return the answer to a query for the door."""
        raise NotImplementedError

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before all queued commands, without an answer."""
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
        """Put a request into the mailbox; answer a query for the door."""
        if isinstance(request.command, DoorQuery):
            request.send(outcome.Value(self.answer(request.command)))
        else:
            self._owner.post_nowait(request)

    async def post(self, request: Post) -> None:
        """Put a request into the mailbox; answer a query for the door. Waits while the mailbox is full."""
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
