"""The stay of one connection in a room: a request that the gathering parks until the connection ends.

    with room.attend("alice", holder) as stay: ...      # or stay.end(), instead of a block

In the gathering's own process a stay usually needs no task.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType

import trio

from scramble.errors import GameStopped
from scramble.kernel.nursery import StartSoon
from scramble.kernel.owner import Owner, Posting
from scramble.rooms.gathering.messages import Attend


class Stay:
    """A started stay. Implements `Settable`. Mutable."""

    # AF: _end withdraws the request. _begin is called once the request is parked. Both are None after `end`, so that no
    #     reference to the connection remains.

    __slots__ = ("_begin", "_end")

    def __init__(
        self, gathering: Owner, start_soon: StartSoon, attend: Attend, begin: Callable[[], None] | None = None
    ) -> None:
        """Send the request. Does not wait: if the gathering is remote or its queue is full, a task waits for it.

        `begin` is called once the gathering knows the stay. It must neither wait nor raise.
        """
        self._begin = begin
        if isinstance(gathering, Posting):
            post = gathering.request(attend, _ended, self)
            self._end: Callable[[], object] | None = partial(gathering.withdraw, post)
            try:
                gathering.post_nowait(post)
                return
            except GameStopped:  # the connection notices the end itself
                return
            except trio.WouldBlock:
                pass
        scope = trio.CancelScope()
        self._end = scope.cancel
        start_soon(partial(_ask, gathering, attend, scope, self))

    def set(self) -> None:
        """Note that the request is parked."""
        if self._begin is not None:
            self._begin()

    def end(self) -> None:
        """Withdraw the request. Does not wait. May be called again."""
        if self._end is not None:
            self._end()
            self._end = self._begin = None

    def __enter__(self) -> Stay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


async def _ask(gathering: Owner, attend: Attend, scope: trio.CancelScope, stay: Stay) -> None:
    with scope:
        try:
            await gathering.ask(attend, parked=stay)
        except GameStopped:  # not `suppress`: since Python 3.12 it keeps the room in a cycle if a group passes it
            return  # the connection notices the end itself


def _ended(_answer: object, _position: int) -> None:
    """Do nothing: the request is answered only when the gathering ends."""
