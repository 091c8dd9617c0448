"""The connections to one game that have got all changes: the frame of the next one is written to all by one task.

    fanout = Fanout(encode)                                 # one for all connections
    leave = fanout.join(changes, outlet, wake, start_soon)  # of each: until it has to get a change by itself

A connection stays here as long as its socket takes each frame at once, and has no task for that. A change wakes one
task, the leader, which encodes it once and writes the bytes to the sockets of all. A connection leaves, at the change
that it has not got, if its socket is full or something else is being sent to it, and all leave at a change that cannot
be written to all: one that requires a snapshot, or one too many. Then each is woken, goes on by a task of its own, and
comes back once it has got everything.

The leader runs in the nursery of one connection. If that one ends, another leads in the nursery of another.

Safe under concurrency: members, positions and leader change between two awaits. Writing does not wait, so all members
have got exactly the changes before the next one of the leader.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final, TypeAlias

import trio

from scramble.kernel.changes import Changes
from scramble.server.http.outlet import Outlet, write_to_all

StartSoon: TypeAlias = Callable[[Callable[[], Awaitable[None]]], None]
"""Starts a task of a connection."""


class _Member:
    """A connection: the changes that it has not got, and how to have it go on by itself."""

    __slots__ = ("_fanout", "_outlet", "changes", "ends", "start_soon", "wake")

    def __init__(
        self, fanout: Fanout, outlet: Outlet, changes: Changes, wake: Callable[[], None], start_soon: StartSoon
    ) -> None:
        self._fanout: Final = fanout
        self._outlet: Final = outlet
        self.changes: Final = changes
        self.wake: Final = wake
        self.start_soon: Final = start_soon
        self.ends = False  # its nursery has been cancelled

    def leave(self) -> None:
        self._fanout.leave(self._outlet, self)


class Fanout:
    """The connections that are up to date. Mutable."""

    # AF: each connection whose outlet is in _members has got all changes before the next of _changes (None: no
    #     connection has been here). If _leads, a task waits for that one, in _leading unless it has not begun.
    # RI: _leads if there is a member that does not end.
    # Safety from exposure: followers of members are moved only when they leave.

    def __init__(self, encode: Callable[[Changes], bytes | None]) -> None:
        """`encode` takes all published changes from a follower, and returns the bytes to write for them.

        None if each connection has to get them by itself, whether they have been taken then or not.
        """
        self._encode = encode
        self._members: Final[dict[Outlet, _Member]] = {}
        self._changes: Changes | None = None
        self._leads = False
        self._leading: trio.CancelScope | None = None

    def let_go(self) -> None:
        """Let go of `encode`, which usually refers to this object. There are no connections any more."""
        self._encode = _nothing

    def join(
        self, changes: Changes, outlet: Outlet, wake: Callable[[], None], start_soon: StartSoon
    ) -> Callable[[], None]:
        """Have the next changes written to `outlet`, until the function that is returned is called. Does not wait.

        `changes` has returned all published changes. If the connection has to get one by itself, or the game ends,
        `wake` is called; it neither waits nor raises. From then on, or once the connection has left, `changes` is at
        the first that was not written. `start_soon` is for the nursery of the connection, which has to leave before
        that ends.
        """
        if self._changes is None:
            self._changes = changes.fork()
        assert outlet not in self._members
        self._tell(self._changes)  # the others; this one has got these changes
        member = self._members[outlet] = _Member(self, outlet, changes, wake, start_soon)
        self._changes.represent(1)
        self._go_on()
        return member.leave

    def leave(self, outlet: Outlet, member: _Member) -> None:
        """Have a connection leave, if it has not yet."""
        if self._members.get(outlet) is member and self._changes is not None:
            self._remove(outlet, self._changes.position)
            if not self._members and self._leading is not None:
                self._leading.cancel()

    def _go_on(self) -> None:
        """Have a task lead, if none does and there is somebody to be led."""
        if not self._leads:
            for member in self._members.values():
                if not member.ends:
                    self._leads = True
                    member.start_soon(partial(self._lead, member))
                    break

    async def _lead(self, member: _Member) -> None:
        """Write changes as they are published, in the nursery of that member."""
        member.ends = True  # unless it does not
        assert self._changes is not None
        try:
            with trio.CancelScope() as self._leading:
                while self._members:
                    await self._wait(self._changes)
                    self._tell(self._changes)
            member.ends = False
        finally:
            self._leads, self._leading = False, None
            self._go_on()

    async def _wait(self, shared: Changes) -> None:
        """Wait for one announcement: who came meanwhile may have told of it."""
        shared.represent(-1)  # the others: this task counts, too
        try:
            await shared.wait()
        finally:
            shared.represent(1)

    def _tell(self, shared: Changes) -> None:
        """Write the frames of all published changes to all members, and let those go that could not be written to."""
        start = shared.position
        behind: list[Outlet] = []
        try:
            if shared.behind and self._members:
                behind = list(self._members)
                frames = self._encode(shared)
                if frames is not None:
                    behind = write_to_all(self._members, frames) if frames else []
        finally:  # also after a bug, which each connection is to find
            shared.catch_up()
            self._release_all(behind, start)
        if shared.ended:
            self._release_all(list(self._members), shared.position)

    def _release_all(self, outlets: Sequence[Outlet], position: int) -> None:
        """Let these connections go on by themselves, at that change; all of them, even if waking one has a bug."""
        with ExitStack() as waking:
            for outlet in reversed(outlets):  # the last callback is called first
                waking.callback(self._remove(outlet, position).wake)

    def _remove(self, outlet: Outlet, position: int) -> _Member:
        member = self._members.pop(outlet)
        member.changes.move_to(position)
        member.changes.represent(-1)
        return member

    def __str__(self) -> str:
        return f"{len(self._members)} connections are up to date"


def _nothing(_: Changes) -> None:
    return None
