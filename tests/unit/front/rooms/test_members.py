"""The connections of one process in a room, on a clock that jumps: what they are sent, and when that ends.

Partitions:
- the state: at first, after a change, by the time alone (the host is gone for long); the host's and that of others
- events: for who keeps up, for who is behind by more than are kept
- all is held up: for who is here, for who comes meanwhile, for who comes after that
- the end: the connection is cancelled, is to be closed, the gathering ends
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast

import msgspec
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.rooms.members import MOST_EVENTS, PAUSE_S, Members
from scramble.kernel.actor import Actor
from scramble.kernel.protocol import Event
from scramble.minesweeper import Field, open_game
from scramble.rooms import LocalRooms, open_rooms
from scramble.rooms.awakeroom import AwakeRoom
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.kind import GameResult, OpenedRoom
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.store import RunningRoom
from scramble.server.http.closing import CloseReason

RECORD: Final = RoomRecord("name", "minesweeper", "Friday", msgspec.Raw(b"{}"), 0.0, host="ann")
CLOSED: Final = CloseReason(4403, "because")


class Page:
    """One connection, and the frames that it got."""

    def __init__(self, members: Members, player: str | None, holder: str) -> None:
        self.frames: Final[list[dict[str, object]]] = []
        self.reason: CloseReason | str | None = "not ended"
        self.scope: Final = trio.CancelScope()
        self.slow_s = 0.0
        self._attend: Final = partial(members.attend, player, holder, "", self._send)

    async def _send(self, frame: str) -> None:
        self.frames.append(json.loads(frame))
        await trio.sleep(self.slow_s)

    async def run(self) -> None:
        with self.scope:
            self.reason = await self._attend()

    @property
    def states(self) -> list[dict[str, object]]:
        return [frame for frame in self.frames if frame["type"] == "company"]

    @property
    def hosts(self) -> list[object]:
        return [state["host"] for state in self.states]


class Place:
    """One process with people in the room."""

    def __init__(self, room: AwakeRoom, rooms: LocalRooms, gathering: Actor, nursery: trio.Nursery) -> None:
        self.events: Final[list[Event]] = []
        self.standstill: Final = rooms.standstill
        self.members: Final = Members(room, rooms, self.events.append, lambda _: None)
        self.gathering: Final = gathering
        self._nursery: Final = nursery
        self.members.follow()

    async def page(self, player: str | None, holder: str) -> Page:
        """A connection that has its first state."""
        page = Page(self.members, player, holder)
        self._nursery.start_soon(page.run)
        await trio.sleep(1)
        assert len(page.states) >= 1
        return page


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    async def finished() -> GameResult:
        await trio.sleep_forever()
        raise AssertionError

    async with (
        open_game(Field.parse("1 1\n0\n")) as game,
        open_gathering("ann", 45.0) as gathering,
        open_rooms(kinds={}) as rooms,
        trio.open_nursery() as nursery,
    ):
        room = AwakeRoom("name", None, lambda _: None)
        room.put(RECORD)
        room.begin(RunningRoom(OpenedRoom(game, finished), gathering), nursery, runs_here=True)
        yield Place(room, rooms, gathering, nursery)
        nursery.cancel_scope.cancel()


async def test_all_get_the_state_after_each_change_and_the_host_another_one(autojump_clock: MockClock) -> None:
    async with place() as here:
        ann = await here.page("Ann", "ann")
        bob = await here.page("Bob", "bob")
        assert [state["players"] for state in ann.states] == [["Ann"], ["Ann", "Bob"]]
        assert [state["players"] for state in bob.states] == [["Ann", "Bob"]]
        assert [page.states[-1]["hosting"] for page in (ann, bob)] == [True, False]
        bob.scope.cancel()
        await trio.sleep(1)
        assert ann.states[-1]["players"] == ["Ann"]
        assert bob.reason == "not ended"


async def test_there_is_another_host_by_the_time_alone(autojump_clock: MockClock) -> None:
    async with place() as here:
        ann, bob = await here.page("Ann", "ann"), await here.page("Bob", "bob")
        ann.scope.cancel()
        await trio.sleep(HOST_GONE_S - 1)
        before = bob.hosts[-1]
        await trio.sleep(2)
        assert (before, bob.hosts[-1]) == ("Ann", "Bob")
        assert bob.states[-1]["hosting"] is True
        again = await here.page("Bob", "bob")
        for page, waited_s in ((bob, HOST_GONE_S), (again, HOST_GONE_S + 1)):
            assert page.states[-1]["acting"] is True
            assert 0 <= OPENER_GONE_S - waited_s - cast(float, page.states[-1]["all_in"]) < 1
        await trio.sleep(OPENER_GONE_S - HOST_GONE_S)
        assert [(page.states[-1]["acting"], page.states[-1]["all_in"]) for page in (bob, again)] == [(False, None)] * 2


async def test_who_is_slow_gets_the_latest_events(autojump_clock: MockClock) -> None:
    async with place() as here:
        quick, slow = await here.page(None, "quick"), await here.page(None, "slow")
        slow.slow_s = 100.0
        for number in range(2 * MOST_EVENTS):
            here.members.say("act", act=str(number))
            await trio.sleep(PAUSE_S)
        slow.slow_s = 0.0
        await trio.sleep(200)
        seen = [[cast(str, frame["act"]) for frame in page.frames if "act" in frame] for page in (quick, slow)]
        every = [str(number) for number in range(2 * MOST_EVENTS)]
        assert seen[0] == every
        assert seen[1] == [every[0], *every[-MOST_EVENTS:]]


async def test_those_here_and_who_comes_meanwhile_hear_that_all_is_held_up(autojump_clock: MockClock) -> None:
    async with place() as here:
        ann = await here.page("Ann", "ann")
        here.standstill.put(True)
        bob = await here.page("Bob", "bob")
        here.standstill.put(True)
        await trio.sleep(1)
        here.standstill.put(False)
        carl = await here.page("Carl", "carl")
        held = [[frame["held"] for frame in page.frames if frame["type"] == "held"] for page in (ann, bob, carl)]
        assert held == [[True, False], [True, False], []]


async def test_a_connection_is_closed_for_a_reason_after_its_last_event_and_with_the_gathering_for_none(
    autojump_clock: MockClock,
) -> None:
    async with place() as here:
        ann, bob, rob = await here.page("Ann", "ann"), await here.page("Bob", "bob"), await here.page("Rob", "bob")
        here.members.say("act", act="last")
        here.members.part_with("bob", "Bob", CLOSED)
        await trio.sleep(1)
        assert (bob.reason, bob.frames[-1]["type"]) == (CLOSED, "act")
        assert (ann.reason, rob.reason) == ("not ended", "not ended")
        with trio.fail_after(1):
            await here.members.delivered()
        await here.gathering.aclose()
        await wait_all_tasks_blocked()
        assert ann.reason is rob.reason is None
