"""Visit of a room: the room of the current request or WebSocket below `/g/NAME`.

    with visit(room, base, client):   # in the mount
        await app(scope, receive, send)    # the application of the room's kind

    room = visiting().room            # in a handler of that application

Safe under concurrency: the visit is in the context of the task that serves the request. Child tasks inherit the
context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from scramble.rooms.protocol import Room


class Visit(NamedTuple):
    """A room with a visitor, and the relative path from the request's address to the room's address."""

    room: Room
    base: str  # "" if the browser resolves the page's relative addresses from the room's address
    client: str = ""  # the network address of the visitor


_visit: Final[ContextVar[Visit]] = ContextVar("visit")


@contextmanager
def visit(room: Room, base: str, client: str) -> Iterator[None]:
    """Set the result of `visiting` for this task, and for tasks that start during the block."""
    token = _visit.set(Visit(room, base, client))
    try:
        yield
    finally:
        _visit.reset(token)


def visiting() -> Visit:
    """Return the visit of the current request. Raises LookupError if the request is not for a room."""
    return _visit.get()
