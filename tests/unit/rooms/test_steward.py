"""The steward of a room: it executes each act once and completely, also if the request is withdrawn.

Partitions:
- an act: a title, an invalid title; the close of a room, with connections to notify, with a place that does not answer;
  the removal of a player, of an unknown player, of the host
- the request ends: before the steward takes the act, during the act, after it
- the register: answers; moves for a moment, or for long; refuses
- the room: is left during an act; is idle; ends during an act, by itself, or by a bug in the steward
- an act arrived before the steward started
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import CallerError, GameMoved, GameStopped
from scramble.games.room import GameResult, OpenedRoom
from scramble.kernel.actor import Actor
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Command, Event
from scramble.logs import LogEntry
from scramble.minesweeper import Field, open_game
from scramble.rooms import LocalRooms, open_rooms, steward
from scramble.rooms.gathering.messages import Acted, Attend, Close, NoteDelivery, Remove, Rename, Undone
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.gathering.refusals import HostStays, NobodyWithSecret
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.names import TitleTooLong
from scramble.rooms.nextgame import NextGames
from scramble.rooms.protocol import Room, RoomOrder, RoomRecord
from scramble.rooms.registermessages import MOST_EXPELLED, ChangeRoom, CloseRoom, ExpelClient, RenameRoom
from scramble.rooms.steward import AGAIN_FOR_S, DELIVERY_S, LEAVING_S, Office, Steward
from scramble.rooms.store import RunningRoom
from tests.support.rooms.kinds import DIGGING

STEPS: Final = 40
"""An act is complete before another task has passed this many checkpoints."""

RECORD: Final = RoomRecord("name", "minesweeper", "Friday", msgspec.Raw(b"{}"), 0.0, host="ann", names="open")


class Register:
    """A register that notes its requests, and answers while `going` is set."""

    def __init__(self) -> None:
        self.asked: Final[list[ChangeRoom]] = []
        self.error: Exception | None = None  # raised instead of an answer
        self.going = trio.Event()  # while set, answers come at once

    async def change(self, command: ChangeRoom) -> None:
        self.asked.append(command)
        await self.going.wait()
        await trio.lowlevel.checkpoint()
        if self.error is not None:
            raise self.error

    @property
    def titles(self) -> list[str]:
        return [command.title for command in self.asked if isinstance(command, RenameRoom)]


class Place:
    """A room with a steward and requests."""

    def __init__(self, room: LiveRoom, gathering: Actor, register: Register, nursery: trio.Nursery) -> None:
        self.room: Final = room
        self.gathering: Final = gathering
        self.register: Final = register
        self.released: Final[list[str]] = []
        self._changes: Final[Changes] = gathering.subscribe()
        self.nursery: Final = nursery

    def said(self) -> list[Event]:
        """Return the acts since the last call."""
        return [one for change in self._changes.pending() for one in change.events if isinstance(one, Acted)]

    async def release(self, player: str) -> None:
        await trio.lowlevel.checkpoint()
        self.released.append(player)

    def is_idle(self) -> bool:
        """True if nothing keeps the room awake."""
        return self.room.idle

    def begin(self, command: Command[Undone | None] | Attend) -> Asking:
        """Begin a request. Cancel the `scope` of the result to end the request."""
        asking = Asking()
        self.nursery.start_soon(asking.run, self.gathering, command)
        return asking


class Asking:
    """A request in its own task."""

    def __init__(self) -> None:
        self.scope: Final = trio.CancelScope()
        self.ended: Final = trio.Event()
        self.answer: Undone | CallerError | GameStopped | str | None = "none"

    async def run(self, gathering: Actor, command: Command[Undone | None] | Attend) -> None:
        with self.scope:
            try:
                self.answer = await gathering.ask(command)
            except (CallerError, GameStopped) as refused:
                self.answer = refused
        self.ended.set()


@asynccontextmanager
async def place(*, early: Command[Undone | None] | None = None) -> AsyncIterator[Place]:
    """Run a room of Ann's. The test requests `early` before the steward starts."""

    async def finished() -> GameResult:
        await trio.sleep_forever()
        raise AssertionError

    register = Register()
    register.going.set()
    async with (
        open_rooms(kinds=DIGGING) as rooms,
        open_game(Field.parse("1 1\n0\n")) as game,
        open_gathering("ann", 45.0) as gathering,
        trio.open_nursery() as nursery,
    ):
        room = LiveRoom("name", None, lambda _: None)
        room.put(RECORD)
        here = Place(room, gathering, register, nursery)
        opened = OpenedRoom(game, finished, release=here.release)
        room.begin(RunningRoom(opened, gathering), nursery, runs_here=True)
        if early is not None:
            here.begin(early)
            await wait_all_tasks_blocked()
        office = Office(register.change, lambda: None, lambda: 7.0, NextGames(rooms))
        with Steward(room, office, lambda work: nursery.start_soon(work)).at_work():
            yield here
        nursery.cancel_scope.cancel()


async def test_an_act_is_recorded_and_published_before_it_is_answered() -> None:
    async with place() as here:
        assert await here.gathering.ask(Rename("ann", " Mon  day")) is None
        assert here.said() == [Acted("rename", None, None, {"title": " Mon  day"})]
        assert here.register.titles == ["Mon day"]
        with pytest.raises(TitleTooLong):
            await here.gathering.ask(Rename("ann", "x" * 1000))
        assert here.said() == []
        await wait_all_tasks_blocked()
        assert here.is_idle()


async def test_the_steward_executes_an_act_that_arrived_before_it_started() -> None:
    async with place(early=Rename("ann", "Monday")) as here:
        await wait_all_tasks_blocked()
        assert here.register.titles == ["Monday"]


async def test_an_idle_room_has_no_task_for_its_acts() -> None:
    async with place() as here:
        tasks = len(here.nursery.child_tasks)
        for title in ("Monday", "Tuesday"):
            await here.gathering.ask(Rename("ann", title))
        await wait_all_tasks_blocked()
        assert len(here.nursery.child_tasks) == tasks


async def test_acts_are_done_one_after_another() -> None:
    async with place() as here:
        here.register.going = trio.Event()
        acts = [here.begin(Rename("ann", title)) for title in ("Monday", "Tuesday", "Wednesday")]
        await wait_all_tasks_blocked()
        assert len(here.register.asked) == 1
        here.register.going.set()
        for act in acts:
            await act.ended.wait()
            assert act.answer is None
        assert sorted(here.register.titles) == ["Monday", "Tuesday", "Wednesday"]


async def test_an_act_is_executed_and_published_or_not_at_all_whenever_its_request_ends() -> None:
    happened = set[bool]()
    async with place() as here:
        for steps in range(STEPS):
            asking = here.begin(Rename("ann", str(steps)))
            for _ in range(steps):
                await trio.lowlevel.checkpoint()
            asking.scope.cancel()
            await wait_all_tasks_blocked()
            told = [event.values["title"] for event in here.said() if isinstance(event, Acted)]
            assert told == here.register.titles
            happened.add(told == [str(steps)])
            here.register.asked.clear()
            assert here.is_idle()
    assert happened == {True, False}


async def test_a_room_is_kept_awake_until_its_act_is_done() -> None:
    async with place() as here:
        here.register.going = trio.Event()
        asking = here.begin(Rename("ann", "Monday"))
        await wait_all_tasks_blocked()
        asking.scope.cancel()
        await wait_all_tasks_blocked()
        assert not here.is_idle()
        here.register.going.set()
        await wait_all_tasks_blocked()
        assert here.is_idle()
        assert here.said() == [Acted("rename", None, None, {"title": "Monday"})]


async def test_a_request_to_a_moving_register_is_retried_and_after_a_while_its_result_is_unknown(
    autojump_clock: MockClock,
) -> None:
    async with place() as here:
        here.register.error = GameMoved("it moves")
        asking = here.begin(Rename("ann", "Monday"))
        await trio.sleep(AGAIN_FOR_S / 2)
        here.register.error = None
        await asking.ended.wait()
        assert asking.answer is None
        here.register.error, began = GameMoved("it moves"), trio.current_time()
        assert await here.gathering.ask(Rename("ann", "Tuesday")) == Undone("it moves")
        assert AGAIN_FOR_S - 1 < trio.current_time() - began < AGAIN_FOR_S + 1
        assert here.said() == [Acted("rename", None, None, {"title": "Monday"})]
        here.register.error = CallerError("it is gone")
        with pytest.raises(CallerError, match="it is gone"):
            await here.gathering.ask(Rename("ann", "Wednesday"))


async def test_a_room_is_closed_once_all_its_connections_are_notified(autojump_clock: MockClock) -> None:
    async with place() as here:
        for where in ("here", "there"):
            here.nursery.start_soon(here.gathering.ask, Attend(where, where, where))
        await wait_all_tasks_blocked()
        asking = here.begin(Close("ann"))
        await wait_all_tasks_blocked()
        assert here.said() == [Acted("close", None, None, {})]
        await here.gathering.ask(NoteDelivery("here"))
        await wait_all_tasks_blocked()
        assert here.register.asked == []
        await here.gathering.ask(NoteDelivery("there"))
        await asking.ended.wait()
        assert (here.register.asked, trio.current_time()) == ([CloseRoom("name", 7.0)], 0.0)


@pytest.mark.parametrize("dies", [True, False])
async def test_a_place_that_does_not_answer_delays_no_close_for_long(dies: bool, autojump_clock: MockClock) -> None:
    async with place() as here:
        bob = here.begin(Attend("there", "bob", "Bob"))
        await wait_all_tasks_blocked()
        began, asking = trio.current_time(), here.begin(Close("ann"))
        await wait_all_tasks_blocked()
        assert here.register.asked == []
        if dies:  # the place withdraws its requests
            bob.scope.cancel()
        await asking.ended.wait()
        assert here.register.asked == [CloseRoom("name", 7.0)]
        assert trio.current_time() - began == (0 if dies else DELIVERY_S)


@pytest.mark.parametrize("answers", [True, False])
async def test_a_removed_players_cards_are_free_once_its_requests_have_ended_or_after_a_while(
    answers: bool, autojump_clock: MockClock
) -> None:
    async with place() as here:
        here.begin(Attend("there", "bob", "Bob"))
        await wait_all_tasks_blocked()
        began, asking = trio.current_time(), here.begin(Remove("ann", "Bob", "here"))
        await wait_all_tasks_blocked()
        assert here.register.asked == [ExpelClient("name", "bob", MOST_EXPELLED)]
        assert here.said() == [Acted("remove", None, None, {"player": "Bob", "player_name": "Bob"})]
        await here.gathering.ask(NoteDelivery("here", "bob"))
        await wait_all_tasks_blocked()
        assert here.released == []
        if answers:
            await here.gathering.ask(NoteDelivery("there", "bob"))
        await asking.ended.wait()
        assert (asking.answer, here.released) == (None, ["Bob"])
        assert trio.current_time() - began == (0 if answers else LEAVING_S)


async def test_absent_people_and_the_host_are_not_removed() -> None:
    async with place() as here:
        for holder, player in (("ann", "Ann"), ("zoe", "Zoe")):
            here.begin(Attend("here", holder, player))
        await wait_all_tasks_blocked()
        for player, refused in (("Ann", HostStays), ("Nobody", NobodyWithSecret)):
            with pytest.raises(refused):
                await here.gathering.ask(Remove("ann", player, "here"))
        assert (here.register.asked, here.released) == ([], [])


async def test_no_act_begins_in_a_room_that_falls_asleep_or_ends() -> None:
    async with place() as here:
        here.room.leave()
        here.begin(Rename("ann", "Monday"))
        await wait_all_tasks_blocked()
        assert here.register.asked == []


# --- in the rooms of a server -----------------------------------------------------------------------


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[LocalRooms, Room]]:
    async with open_rooms(kinds=DIGGING) as rooms:
        record = await rooms.create("digging", {}, RoomOrder(host="ann"))
        async with rooms.enter(record.name) as room:
            yield rooms, room


async def test_a_room_that_is_closed_by_an_act_answers_it() -> None:
    async with opened() as (rooms, room):
        assert await room.gathering.ask(Close("ann")) is None
        assert (await rooms.find(room.record.name)).state == "closed"


async def test_nobody_waits_for_an_act_in_a_room_that_ends_and_the_record_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", 1e6)
    async with opened() as (rooms, room), trio.open_nursery() as nursery:
        nursery.start_soon(_until_stopped, room, Attend("there", "bob", "Bob"))
        nursery.start_soon(_until_stopped, room, Close("ann"))
        await wait_all_tasks_blocked()
        nursery.start_soon(_until_stopped, room, Rename("ann", "Monday"))
        await wait_all_tasks_blocked()
        await rooms.close(room.record.name)
        assert (await rooms.find(room.record.name)).title == ""


async def _until_stopped(room: Room, command: Command[object]) -> None:
    with pytest.raises(GameStopped):
        await room.gathering.ask(command)


async def test_a_bug_of_the_steward_ends_the_room_with_a_log_entry_and_nobody_keeps_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def bug(_: str) -> str:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(steward, "settled_title", bug)
    caplog.set_level(logging.ERROR)
    async with opened() as (_, room), trio.open_nursery() as nursery:
        for title in ("Monday", "Tuesday"):
            nursery.start_soon(_until_stopped, room, Rename("ann", title))
    entries = [record.msg for record in caplog.records if isinstance(record.msg, LogEntry)]
    assert [(entry.event, entry.fields.get("room")) for entry in entries] == [("room-died", room.record.name)]
    assert "ZeroDivisionError: a bug" in caplog.text
