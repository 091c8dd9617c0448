"""The latest frame of a state for all connections to one game, sent by one task that runs only as long as it has to.

    rounds = Rounds(names_frame, pause_s)           # one for all connections
    leave = rounds.join(link)                       # of each connection: it gets the frame, until `leave()`
    rounds.tell()                                   # the state has changed

All get the frame at the next turn; then there is a pause, and another round if the state has changed meanwhile. So a
connection takes no task for this, which would be 5 kB, and no timer, and many changes at once are one frame for each
connection. A frame is written to the sockets of all connections without waiting (see `server.http.outlet`). A
connection whose socket does not take it, or that has none at hand, gets the frame by a task of its own, and the next
one, which is the latest then, when that has ended: who reads slowly delays nobody.

The task of a round runs in the nursery of one connection. If that one leaves, it goes on in the nursery of another.

Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import trio

from scramble.front.web.websocket import Leave, Link
from scramble.server.http.outlet import text_frame, write_to_all

BATCH: Final = 100  # frames that are written before other tasks have their turn


class _Member:
    """A connection; the number of the state that it has got last, and whether it is being sent a frame."""

    __slots__ = ("_members", "busy", "leaves", "link", "seen")

    def __init__(self, link: Link, members: dict[_Member, None]) -> None:
        self._members: Final = members
        self.link: Final = link
        self.seen = -1
        self.busy = False
        self.leaves = False  # its nursery has been cancelled

    def leave(self) -> None:
        self._members.pop(self, None)


class Rounds:
    """The connections that get the frame of one state. Mutable."""

    # AF: the state has changed _number times, and _members get its frame, which is never sent at first if it is _known.
    #     A task makes rounds if _running, and has _started, or will do so; the next round is at _next_at.
    # RI: if not _running, all members that are neither busy nor leave have seen _number. _started implies _running.

    def __init__(
        self, frame: Callable[[], str], pause_s: Callable[[int, str], float], *, known: str | None = None
    ) -> None:
        """`frame` makes the frame of the present state, and is asked once for a round.

        `pause_s` returns the seconds after a round with so many connections and that frame.
        """
        self._frame = frame
        self._pause_s: Final = pause_s
        self._known: Final = known
        self._members: Final[dict[_Member, None]] = {}
        self._number = 0
        self._running = False
        self._started = False
        self._next_at = -math.inf

    def let_go(self) -> None:
        """Let go of `frame`, which usually refers to this object. There are no connections any more."""
        self._frame = str

    def join(self, link: Link) -> Leave:
        """Have a connection get the frame, now and after changes, until the function that is returned is called.

        That has to be before the nursery of `link` ends. Does not wait.
        """
        member = _Member(link, self._members)
        self._members[member] = None
        if self._started:
            self._send([member])
        else:
            self._go_on()
        return member.leave

    def tell(self) -> None:
        """Note that the state has changed. Does not wait."""
        self._number += 1
        self._go_on()

    def _go_on(self) -> None:
        """Have rounds made, if that is not so and somebody needs one."""
        if not self._running:
            for member in self._members:
                if not member.leaves:
                    self._running = True
                    member.link.start_soon(partial(self._run, member))
                    break

    async def _run(self, member: _Member) -> None:
        """Make rounds until nobody needs one, in the nursery of that member."""
        ended = False
        try:
            self._started = True
            await trio.sleep_until(self._next_at)
            while needing := [one for one in self._members if one.seen != self._number and not one.busy]:
                longest = 0.0
                for batch in _batched(needing):
                    frame = self._send([one for one in batch if one in self._members])
                    longest = max(longest, self._pause_s(len(self._members), frame))
                    await trio.lowlevel.checkpoint()
                self._next_at = trio.current_time() + longest
                await trio.sleep_until(self._next_at)
            ended = True
        finally:
            self._running = self._started = False
            if not ended:
                member.leaves = True
                self._go_on()

    def _send(self, members: Sequence[_Member]) -> str:
        """Send the frame of the present state to these, and return it. Does not wait."""
        frame = self._frame()
        outlets = {}
        left = []
        for member in members:
            is_known = member.seen < 0 and frame == self._known
            member.seen = self._number
            if is_known:
                continue
            if member.link.outlet is None:
                left.append(member)
            else:
                outlets[member.link.outlet] = member
        if outlets:
            left.extend(outlets[outlet] for outlet in write_to_all(outlets, text_frame(frame)))
        for member in left:
            member.busy = True
            member.link.start_soon(partial(self._send_slowly, member, frame))
        return frame

    async def _send_slowly(self, member: _Member, frame: str) -> None:
        await member.link.send(frame)
        member.busy = False
        if member.seen != self._number:
            self._go_on()

    def __str__(self) -> str:
        return f"{len(self._members)} connections"


def _batched(members: Sequence[_Member]) -> Iterator[Sequence[_Member]]:
    return (members[start : start + BATCH] for start in range(0, len(members), BATCH))
