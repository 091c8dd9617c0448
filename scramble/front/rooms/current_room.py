"""Visit of a room: the room that a request, or a WebSocket, below `/g/NAME` is for.

    with visit(room, base, client):   the mount, around the application of the room's kind
        await app(scope, receive, send)

    room = visiting().room            a handler of that application

Safe under concurrency: the visit is in the context of the task that serves the request, which all tasks inherit that it
starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from scramble.rooms.protocol import Room


class Visit(NamedTuple):
    """A room that somebody is in, and the way from the address of the request to the room's own."""

    room: Room
    base: str  # "" if the page's relative addresses begin in the room already
    client: str = ""  # the address of who visits it


_visit: Final[ContextVar[Visit]] = ContextVar("visit")


@contextmanager
def visit(room: Room, base: str, client: str) -> Iterator[None]:
    """Have `visiting` return this room in the tasks that are started during the block."""
    token = _visit.set(Visit(room, base, client))
    try:
        yield
    finally:
        _visit.reset(token)


def visiting() -> Visit:
    """Return the visit that the request at hand is. Raises LookupError if it is for no room."""
    return _visit.get()
