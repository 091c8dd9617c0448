"""The connections of one process that are in a room, and the frames of the company for them.

Each is in the room by a request that the gathering parks (`Attend`): it ends with the connection, whatever ends that. A
state is encoded once for all connections, but that the host gets another one.

Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

import msgspec
import trio

from scramble.errors import GameStopped, Refusal
from scramble.front.rooms.meeting import CurrentMeeting
from scramble.front.rooms.views import held_frame, hide_secrets
from scramble.front.web.hues import NO_HUES, hues_frame
from scramble.front.web.presence import BYTES_PER_S
from scramble.front.web.websocket import Send
from scramble.kernel.protocol import Event
from scramble.rooms.gathering.messages import Attend, Meeting
from scramble.rooms.protocol import Room, Rooms
from scramble.rooms.registermessages import RoomEvent
from scramble.server.http.closing import CloseReason

PAUSE_S: Final = 0.1  # between two states for one connection: when a class comes back, everybody arrives at once
FRAMES_PER_S: Final = 1000  # of states, to all connections together: with more than a hundred the pauses grow
MOST_EVENTS: Final = 64  # that a connection may be behind; older ones it never sees

Elsewhere: TypeAlias = Callable[[tuple[str, ...], int], None]
"""Gets the players who are connected at other processes, and the number of those of them who are not named."""


class _Member:
    """One connection; `player` is None if it watches."""

    def __init__(self, holder: str | None, player: str | None, position: int) -> None:
        self.holder: Final = holder
        self.player: Final = player
        self.position = position  # of the next event to send
        self.reason: CloseReason | None = None  # for which it is to be closed, after its last event


class Members:
    """The connections in one room that is awake. Mutable."""

    # AF: the connections _members; _events are the latest frames for all, of which _end were made so far. The state has
    #     changed _number times; _states has it as encoded for the host, and for others, if it was since then; _hues is
    #     the frame of the hues. The room _successor is next, as far as this process knows that it can be entered. All
    #     of _elsewhere are told who is at other processes. All is held up during the _standstill.
    # RI: at most MOST_EVENTS are in _events; no member's position is above _end.
    # Safety from exposure: frames are strings.

    def __init__(
        self, room: Room, rooms: Rooms, happened: Callable[[Event], None], met: Callable[[Meeting], None]
    ) -> None:
        """Begin with nobody. `happened` gets each event of the gathering, and `met` each state; neither waits."""
        self._met = met
        self.latest: Final = CurrentMeeting(room.gathering, room.place, self._take_over, happened)
        self._room: Final = room
        self._rooms: Final = rooms
        self._successor: str | None = room.record.successor
        self._members: Final[set[_Member]] = set()
        self._events: Final[list[str]] = []
        self._end = 0
        self._number = 0
        self._states: Final[dict[bool, str]] = {}
        self._hues = NO_HUES
        self._elsewhere: Final[list[Elsewhere]] = []
        self._follows = False
        self._changed: Final = trio.lowlevel.ParkingLot()
        self._delivered: Final = trio.lowlevel.ParkingLot()  # for tasks that wait until members have seen events
        self._standstill: Final = rooms.standstill

    def let_go(self) -> None:
        """Call nobody any more: who is called usually has this object."""
        self._met = _nothing
        self.latest.let_go()

    def follow(self) -> None:
        """Follow the gathering from now on, until nobody is in the room; nothing is lost of what happened before."""
        if not self._follows:
            self._follows = True
            self._standstill.wakes(self._changed)
            self._room.start_soon(self._run)

    async def _run(self) -> None:
        """Follow the gathering, the record of the room, and the next room. Runs until the gathering ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow_record, nursery)
            await self.latest.run()
            nursery.cancel_scope.cancel()

    async def _follow_record(self, nursery: trio.Nursery) -> None:
        record, following = self._room.record, False
        self._successor = record.successor
        with suppress(GameStopped):
            while True:
                if record.successor is not None and not following:
                    following = True
                    nursery.start_soon(self._follow_successor)
                before, record = record, await self._room.next_record(record)
                if record.successor != before.successor:
                    self._successor = record.successor  # which was opened just now
                self._change()

    async def _follow_successor(self) -> None:
        """Follow whether the next room can be entered: one that was closed, or removed, leads nobody anywhere."""
        changes = self._rooms.changes()
        await self._find_successor()
        with suppress(GameStopped):
            async for change in changes:
                named = self._room.record.successor
                if change.missed or any(not isinstance(one, RoomEvent) or one.room == named for one in change.events):
                    await self._find_successor()

    async def _find_successor(self) -> None:
        with suppress(Refusal, GameStopped):  # this room was removed, or the register moves, and says so then
            found = await self._rooms.successor(self._room.record.name)
            if self._successor != (None if found is None else found.name):
                self._successor = None if found is None else found.name
                self._change()

    async def attend(
        self,
        player: str | None,
        holder: str | None,
        account: str,
        send: Send,
    ) -> CloseReason | None:
        """Have a connection from that account be in the room, and send it frames, until there is a reason to close it.

        Returns None if the gathering ends.
        """
        reason: CloseReason | None = None
        self.follow()
        member = _Member(holder, player, self._end)
        self._members.add(member)
        self.latest.watched += 1
        try:
            async with trio.open_nursery() as nursery:
                here = trio.Event()

                async def be_here() -> None:
                    with suppress(GameStopped):
                        attend = Attend(self._room.place, holder, player, account)
                        await self._room.gathering.ask(attend, parked=here)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(be_here)
                await here.wait()
                await self.latest.refreshed()
                reason = await self._send_to(member, send)
                nursery.cancel_scope.cancel()
        finally:
            self._members.remove(member)
            self.latest.watched -= 1
        return reason

    async def _send_to(self, member: _Member, send: Send) -> CloseReason:
        seen, hues, held = -1, NO_HUES, False
        while True:
            if held != self._standstill.is_on:
                held = not held
                await send(held_frame(held))
            while member.position < self._end:
                oldest = self._end - len(self._events)
                member.position = max(member.position, oldest)
                member.position += 1
                await send(self._events[member.position - 1 - oldest])
                self._delivered.unpark_all()
            if member.reason is not None:
                return member.reason
            if seen != self._number:
                seen = self._number
                meeting = await self.latest.refreshed() if self.latest.meeting is None else self.latest.meeting
                frame, members = self._state(member, meeting), len(self._members)
                await send(frame)
                if hues != self._hues:
                    hues = self._hues
                    await send(hues)
                await trio.sleep(max(PAUSE_S, members / FRAMES_PER_S, members * len(frame) / BYTES_PER_S))
            elif member.position == self._end and held == self._standstill.is_on:
                await self._changed.park()

    def say(self, kind: str, **values: object) -> None:
        """Send an event to all."""
        self._events.append(msgspec.json.encode({"type": kind, **values}).decode())
        del self._events[:-MOST_EVENTS]
        self._end += 1
        self._changed.unpark_all()

    async def delivered(self) -> None:
        """Wait until all have got the events until now."""
        end = self._end
        while any(member.position < end for member in self._members):
            await self._delivered.park()

    def part_with(self, holder: str, player: str | None, reason: CloseReason) -> None:
        """Close the connections of that holder, or only those as that player, after their last event."""
        for member in self._members:
            if member.holder == holder and player in (None, member.player):
                member.reason = reason
        self._changed.unpark_all()

    def tell_elsewhere(self, tell: Elsewhere) -> None:
        """Call `tell` with those who are at other processes, now and whenever that changes."""
        self._elsewhere.append(tell)
        meeting = self.latest.meeting
        if meeting is not None:
            tell(meeting.elsewhere, meeting.others)

    def _take_over(self) -> None:
        meeting = self.latest.meeting
        if meeting is not None:
            self._hues = hues_frame(meeting.hues)
            for tell in self._elsewhere:
                tell(meeting.elsewhere, meeting.others)
            self._met(meeting)
        self._change()

    def _change(self) -> None:
        self._number += 1
        self._states.clear()
        self._changed.unpark_all()

    def _state(self, member: _Member, meeting: Meeting) -> str:
        record, wanted = self._room.record, self.latest.next
        hosting = meeting.host is not None and member.holder == meeting.host
        if hosting in self._states:
            return self._states[hosting]
        settings: dict[str, object] | None = None
        if wanted is not None and wanted.settings is not None:
            settings = msgspec.json.decode(wanted.settings, type=dict[str, object])
        state = {
            "type": "company",
            "room": record.name,
            "title": record.title,
            "state": record.state,
            "host": meeting.host_player,
            "hosting": hosting,
            "names": meeting.names,
            "votes": meeting.voters,
            "counted": meeting.votes,
            "needed": meeting.needed,
            "acting": hosting and meeting.acts,
            "all_in": self.latest.may_all_in if hosting else None,
            "players": meeting.players,
            "watching": meeting.watching,
            "next": settings if hosting or settings is None else hide_secrets(settings),
            "successor": self._successor,
            "turn": record.turn_s,
        }
        frame = msgspec.json.encode(state).decode()
        if state["all_in"] is None:  # else it is another one in a second
            self._states[hosting] = frame
        return frame

    def __str__(self) -> str:
        return f"{len(self._members)} connections"


def _nothing(_: Meeting) -> None:
    pass
