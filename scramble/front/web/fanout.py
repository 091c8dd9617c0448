"""The connections to one game that have got all changes: the frame of the next one is written to all by one task.

    fanout = Fanout(encode)                         # one for all connections
    await fanout.stay(changes, outlet)              # in a task of each: until it has to get a change by itself

A connection stays here as long as its socket takes each frame at once. Its task sleeps; a change wakes the task of one
connection only, the leader, which encodes it once and writes the bytes to the sockets of all. A connection leaves, at
the change that it has not got, if its socket is full or something else is being sent to it, and all leave at a change
that cannot be written to all: one that requires a snapshot, or one too many. Then each task goes on by itself, and
comes back once it has got everything.

No task has to be started for it: if the leader leaves, the connection that came next leads.

Safe under concurrency: members, positions and leader change between two awaits. Writing does not wait, so all members
have got exactly the changes before the next one of the leader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from scramble.kernel.changes import Changes
from scramble.server.http.outlet import Outlet, write_to_all


class _Member:
    """A connection: the changes that it has not got, and its task if that sleeps."""

    __slots__ = ("changes", "task")

    def __init__(self, changes: Changes) -> None:
        self.changes: Final = changes
        self.task: trio.lowlevel.Task | None = None

    def wake(self) -> None:
        """Wake its task, if that sleeps; once only."""
        task, self.task = self.task, None
        if task is not None:
            trio.lowlevel.reschedule(task)


class Fanout:
    """The connections that are up to date. Mutable; shared by their tasks."""

    # AF: each connection whose outlet is in _members has got all changes before the next of _changes (None: no
    #     connection has been here). The task of _leader waits for that one, the others sleep.
    # RI: _leader is in _members, unless that is empty or its task is about to leave; tasks that sleep are represented
    #     by the leader's follower.
    # Safety from exposure: followers of members are moved only when they leave.

    def __init__(self, encode: Callable[[Changes], bytes | None]) -> None:
        """`encode` takes all published changes from a follower, and returns the bytes to write for them.

        None if each connection has to get them by itself, whether they have been taken then or not.
        """
        self._encode: Final = encode
        self._members: Final[dict[Outlet, _Member]] = {}
        self._leader: Outlet | None = None
        self._changes: Changes | None = None

    async def stay(self, changes: Changes, outlet: Outlet) -> None:
        """Have the next changes written to `outlet`, until the connection has to get one by itself or the game ends.

        `changes` has returned all published changes, and is at the first that was not written afterwards, also if this
        is cancelled. A checkpoint, unless the game has ended.
        """
        if self._changes is None:
            self._changes = changes.fork()
        shared = self._changes
        assert outlet not in self._members
        self._tell(shared)  # the others; this one has got these changes
        member = self._members[outlet] = _Member(changes)
        try:
            while outlet in self._members:
                if self._leader is None:
                    self._leader = outlet
                if self._leader is outlet:
                    await shared.wait()  # one announcement: who came meanwhile may have told, and let this one go
                    self._tell(shared)
                else:
                    await _sleep(member, shared)
        finally:
            if outlet in self._members:  # cancelled
                self._release(outlet, shared.position)
            if self._leader is outlet:
                self._leader = next(iter(self._members), None)
                if self._leader is not None:
                    self._members[self._leader].wake()

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
            for outlet in behind:
                self._release(outlet, start)
        if shared.ended:
            for outlet in list(self._members):
                self._release(outlet, shared.position)

    def _release(self, outlet: Outlet, position: int) -> None:
        """Let a connection go on by itself, at that change."""
        member = self._members.pop(outlet)
        member.changes.move_to(position)
        member.wake()

    def __str__(self) -> str:
        return f"{len(self._members)} connections are up to date"


async def _sleep(member: _Member, shared: Changes) -> None:
    """Wait until the member is woken; `shared` waits for it too."""
    member.task = trio.lowlevel.current_task()

    def abort(_: object) -> trio.lowlevel.Abort:
        member.task = None
        return trio.lowlevel.Abort.SUCCEEDED

    shared.represent(1)
    try:
        await trio.lowlevel.wait_task_rescheduled(abort)
    finally:
        shared.represent(-1)
