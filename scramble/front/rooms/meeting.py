"""The gathering of a room as one process knows it: its latest state, and its events one after another.

    latest = CurrentMeeting(room.gathering, prepare, taken, happened)
    room.start_soon(latest.run)
    await latest.refreshed()                 # now latest.meeting has everything that was answered before
    latest.when_refreshed(action)            # the same without a task

The state is taken once for all connections of the process, and as often as it changes, but with a pause: when a class
comes back, everybody arrives at once. Without a connection nobody takes it.

Safe under concurrency: everything changes between two awaits, and one task takes the state.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import msgspec
import trio

from scramble.errors import GameStopped
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command, Event
from scramble.rooms.gathering.messages import Meeting, Moved, NextGame, TakeMeeting, TakeNext

R = TypeVar("R")

PAUSE_S: Final = 0.02  # between two looks at the gathering, whose owner may be another process


class CurrentMeeting:
    """The latest state of a gathering. Mutable."""

    # AF: the gathering behind _owner; `meeting` and `next` are its state, None if it was never taken, of the time
    #     _taken_at. It was wanted _wanted times, and the state is at least as new as the wish number _got. _due are
    #     actions to be done once it is as new as these wishes. There are `watched` connections. The host may change in
    #     _host_changes_in seconds from _taken_at. If _is_stale, a frame of the state needs other values than before.
    # RI: the wishes in _due ascend, and are above _got.

    def __init__(
        self,
        owner: Owner,
        prepare: Callable[[], Awaitable[None]],
        changed: Callable[[], None],
        happened: Callable[[Event], None],
    ) -> None:
        """`prepare` is awaited before the state is taken, and may raise GameStopped.

        `changed` is called after each change of the state, and `happened` with each event; neither waits.
        """
        self.meeting: Meeting | None = None
        self.next: NextGame | None = None
        self.watched = 0
        self._taken_at = 0.0
        self._owner: Final = owner
        self._prepare = prepare
        self._changed = changed
        self._happened = happened
        self._changes: Final = owner.subscribe()
        self._wanted = 0
        self._got = 0
        self._is_stale = False
        self._host_changes_in = math.inf
        self._due: Final[deque[tuple[int, Callable[[], None]]]] = deque()
        self._news: Final = trio.lowlevel.ParkingLot()

    def let_go(self) -> None:
        """Call no function any more: the functions usually refer to this object."""
        self._prepare, self._changed, self._happened = trio.lowlevel.checkpoint, _nothing, _nothing
        self._due.clear()

    async def ask(self, command: Command[R]) -> R:
        """Ask the gathering, and return its answer; `happened` was called with all events before that."""
        answer = await self._owner.ask(command)
        self._catch_up()
        return answer

    async def refreshed(self) -> Meeting:
        """Return a state that was taken after this call began.

        Waits for it: until somebody is connected, and for ever if the gathering has ended.
        """
        fresh = trio.Event()
        self.when_refreshed(fresh.set)
        await fresh.wait()
        assert self.meeting is not None
        return self.meeting

    def refresh(self) -> None:
        """Take the state again, and call `changed`, even if it is as before: something beside it is not."""
        self._is_stale = True
        self._want()

    def when_refreshed(self, action: Callable[[], None]) -> None:
        """Do something once a state was taken that is newer than this call. `action` neither waits nor raises."""
        self._want()
        self._due.append((self._wanted, action))

    @property
    def may_all_in(self) -> float | None:
        """Seconds until a host that stands in may do all that a host may; None if that is so, or never will be."""
        if self.meeting is None or self.meeting.may_all_in is None:
            return None
        return max(0.0, self.meeting.may_all_in - (trio.current_time() - self._taken_at))

    async def run(self) -> None:
        """Take the state as often as it is wanted, until the gathering ends."""
        with self._changes.watched(self._catch_up):
            self._catch_up()
            while not self._changes.ended:
                if self._got == self._wanted or not self.watched:
                    with trio.move_on_after(self._host_changes_in) as patience:
                        await self._news.park()
                    if patience.cancelled_caught:
                        self._wanted += 1
                        self._host_changes_in = math.inf
                    continue
                with suppress(GameStopped):  # if the gathering has ended, so have the changes
                    await self._take()
                await trio.sleep(PAUSE_S)

    async def _take(self) -> None:
        await self._prepare()
        wanted, before = self._wanted, self.meeting
        is_stale, self._is_stale = self._is_stale, False
        meeting = await self._owner.ask(TakeMeeting())
        if before is None or before.nexts != meeting.nexts:
            self.next = await self._owner.ask(TakeNext())
        self._host_changes_in = math.inf if meeting.host_changes_in is None else meeting.host_changes_in
        self._got, self.meeting, self._taken_at = wanted, meeting, trio.current_time()
        if before is None or is_stale or _is_news(before, meeting):
            self._changed()
        while self._due and self._due[0][0] <= wanted:
            self._due.popleft()[1]()

    def _catch_up(self) -> None:
        for change in self._changes.pending():
            if change.missed:
                self._want()
            for event in change.events:
                if isinstance(event, Moved):
                    self._want()
                else:
                    self._happened(event)
        if self._changes.ended:
            self._news.unpark_all()

    def _want(self) -> None:
        self._wanted += 1
        self._news.unpark_all()

    def __str__(self) -> str:
        return f"{self._owner}, as of wish {self._got} of {self._wanted}"


def _nothing(*_: object) -> None:
    pass


def _is_news(before: Meeting, meeting: Meeting) -> bool:
    """Return True if more has changed than the time that has passed."""
    times = {"host_changes_in": meeting.host_changes_in, "may_all_in": meeting.may_all_in}
    return msgspec.structs.replace(before, **times) != meeting
