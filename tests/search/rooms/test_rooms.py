"""Several rooms, many visitors, a bug in one room, rooms that fall asleep during visits, and processes that end.

Visitors enter a few rooms at random and at the same time. They look, set and remove flags, close, remove and continue
rooms, and list them. A room falls asleep when it has no visitors. Only a few rooms may be awake, so most visits wake a
room. One more room has a bug in its rules. A vandal triggers the bug until the room is broken. Twice the test cancels
all tasks during visits, and another process continues with the folder. Then:

- one order, in which no room ever slept, explains all answers of all lives (`tests.support.linearizability`). So
  openings, closings, removals, moves and wakes are atomic, and no answered call is lost;
- a room has one successor, even if several visitors ask for it at the same time;
- only the room with the bug has died, and it is broken in the end. The visitors of the other rooms see no effect.

The choices come from a seed. The order of threads and tasks does not, so a failure prints its history.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trio

from scramble.errors import GameStopped
from scramble.logs import LogEntry
from scramble.minesweeper import BoardView
from scramble.minesweeper.messages import Deflag, Dig, Flag, Look
from scramble.rooms import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import RoomClosed, RoomOrder, RoomRemoved, RoomsFull
from tests.search.rooms.spec import Answer, RoomsSpec, Seen, Visit
from tests.support.examples import examples
from tests.support.history import Call, History
from tests.support.linearizability import check
from tests.support.rooms.kinds import DIGGING

ROOMS = 4  # without the room with the bug
LIVES = 3
VISITORS = 6
VISITS = 9  # of each visitor in each life, unless the life ends earlier
SQUARES = [(0, 0), (1, 0), (0, 1)]
ACTS = ["flag", "deflag", "look"] * 6 + ["find", "list", "again"] * 2 + ["close", "remove"]


@dataclass
class World:
    """The rooms of a folder over several lives, and all answers to visitors."""

    folder: Path
    chance: random.Random
    names: list[str] = field(default_factory=list)
    faulty: str = ""
    history: History[Visit, Answer] = field(default_factory=History)
    successors: set[tuple[int, str]] = field(default_factory=set)

    async def live(self, *, cut_short: bool) -> None:
        """Run one life of the process."""
        limits = RoomLimits(awake=3)
        async with open_rooms(self.folder, kinds=DIGGING, limits=limits, sleep_after=0) as rooms:
            if not self.names:
                self.names = [(await rooms.create("digging", {}, RoomOrder(public=True))).name for _ in range(ROOMS)]
                self.faulty = (await rooms.create("faulty", {})).name
            # Cancel all visitors before the rooms close, so that the close causes no answers.
            async with trio.open_nursery() as nursery:
                if cut_short:
                    last = self.history.answered + self.chance.randint(10, VISITORS * VISITS)
                    self.history.on_answer = lambda: self.cut_short(nursery.cancel_scope, last)
                nursery.start_soon(self.break_rules, rooms)
                for _ in range(VISITORS):
                    nursery.start_soon(self.visit, rooms)

    def cut_short(self, scope: trio.CancelScope, last: int) -> None:
        if self.history.answered < last:
            return
        for call in self.history.calls:
            if call.ended is None and call.left is None:
                call.left = self.history.clock.tick()
        scope.cancel()

    async def visit(self, rooms: LocalRooms) -> None:
        for _ in range(VISITS):
            op = Visit(self.chance.choice(ACTS), self.chance.randrange(ROOMS), self.chance.choice(SQUARES))
            call: Call[Visit, Answer] = self.history.begin(op)
            try:
                answer = await self.answer(rooms, op)
            except RoomsFull:
                self.history.calls.remove(call)  # nothing has happened
            except trio.Cancelled:
                call.over = self.history.clock.tick()
                raise
            else:
                self.history.end(call, Seen(answer))
            for _ in range(self.chance.choice([0, 1, 30])):
                await trio.lowlevel.checkpoint()

    async def answer(self, rooms: LocalRooms, op: Visit) -> Answer:
        """Execute the call, and return the answer in the model's terms."""
        name = self.names[op.room]
        try:
            match op.act:
                case "list":
                    return tuple(self.names.index(record.name) for record in await rooms.list())
                case "find":
                    record = await rooms.find(name)
                    return (record.state, record.successor is not None)
                case "close":
                    await rooms.close(name)
                    return "done"
                case "remove":
                    await rooms.remove(name)
                    return "done"
                case "again":
                    self.successors.add((op.room, (await rooms.create("digging", {}, RoomOrder(after=name))).name))
                    return "successor"
            x, y = op.at
            move = {"flag": Flag(x, y), "deflag": Deflag(x, y)}.get(op.act, Look())
            async with rooms.enter(name) as room:
                view = await room.game.ask(move)
                assert isinstance(view, BoardView)
                return flags(view.text)
        except RoomRemoved:
            return "removed"
        except RoomClosed:
            return "closed"
        except GameStopped:
            return "gone"

    async def break_rules(self, rooms: LocalRooms) -> None:
        """Trigger the bug until the room is closed permanently."""
        while True:
            try:
                async with rooms.enter(self.faulty) as room:
                    await room.game.ask(Dig(0, 0))
            except RoomClosed:
                return
            except (GameStopped, RoomsFull):
                await trio.lowlevel.checkpoint()


def flags(text: str) -> tuple[tuple[int, int], ...]:
    """Return the flags on a board."""
    lines = [line.split(" ") for line in text.splitlines()]
    return tuple(sorted((x, y) for y, line in enumerate(lines) for x, shown in enumerate(line) if shown == "F"))


def of_event(logged: Sequence[logging.LogRecord], event: str) -> list[LogEntry]:
    entries = [record.msg for record in logged]
    return [entry for entry in entries if isinstance(entry, LogEntry) and entry.event == event]


@pytest.mark.parametrize("seed", range(examples(2)))
async def test_one_order_explains_what_visitors_of_many_rooms_were_answered(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path, random.Random(seed))
    for life in range(LIVES):
        await world.live(cut_short=life < LIVES - 1)
    check(world.history, RoomsSpec(ROOMS))
    assert len(world.successors) == len({room for room, _ in world.successors})
    died = of_event(caplog.records, "room-died")
    assert [entry.fields["room"] for entry in of_event(caplog.records, "room-broken")] == [world.faulty]
    assert {entry.fields["room"] for entry in died} == {world.faulty}
