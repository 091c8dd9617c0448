"""The connections of one process in a room, on an autojump clock: their frames and their ends.

Partitions:
- the state: at first, after a change, after a time without a change (the host stays away); the host's and the others'
- the names before the list of players
- events: for a follower who keeps pace, for a follower who has missed more events than are kept
- an outage: for connected followers, for a follower who comes during it, for one who comes after it
- before the first frame: the game refuses to tell names; an event happened
- the end: the connection is cancelled, the server closes it, the gathering ends
- the gathering runs here; its mailbox is full; it runs in another process, which takes no posts
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import DiskFull, InvalidCommand
from scramble.front.rooms.feed import UPDATE_RETRY_S, GatheringFeed, repeated
from scramble.front.web.notices import MOST_EVENTS, NOTICE_PAUSE_S
from scramble.games.room import GameResult, OpenedRoom
from scramble.kernel.actor import MAILBOX_SIZE, Actor
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Event, Ping
from scramble.minesweeper import Field, open_game
from scramble.rooms import LocalRooms, open_rooms
from scramble.rooms.gathering.messages import NoteNames, React, Reacted, Removed, SitDown, TakeGathering
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.gathering.stewardmessages import RemovePlayer
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.store import RunningRoom
from scramble.server.http.closing import CloseReason
from tests.support.links import TestLink

RECORD: Final = RoomRecord("name", "minesweeper", "Friday", msgspec.Raw(b"{}"), 0.0, host="ann")
CLOSED: Final = CloseReason(4403, "because")


class Page:
    """One connection, and the frames that it received."""

    def __init__(self, feed: GatheringFeed, player: str | None, holder: str) -> None:
        self.frames: Final[list[dict[str, object]]] = []
        self.reason: CloseReason | None = None
        self.scope: Final = trio.CancelScope()
        self.slow_s = 0.0
        self.tasks = 0
        self._attend: Final = partial(feed.attend, player, holder, "")

    async def _send(self, frame: str) -> None:
        self.frames.append(json.loads(frame))
        await trio.sleep(self.slow_s)

    async def run(self) -> None:
        with self.scope:
            async with trio.open_nursery() as nursery:
                link = TestLink(nursery, self._send)
                leave = self._attend(link)
                try:
                    self.tasks = len(nursery.child_tasks)
                    self.reason = await link.closed()
                finally:
                    leave()

    @property
    def states(self) -> list[dict[str, object]]:
        return [frame for frame in self.frames if frame["type"] == "company"]

    @property
    def hosts(self) -> list[object]:
        return [state["host"] for state in self.states]


class Place:
    """One process with people in the room."""

    def __init__(self, room: LiveRoom, rooms: LocalRooms, gathering: Actor, nursery: trio.Nursery) -> None:
        self.events: Final[list[Event]] = []
        self.room: Final = room
        self.rooms: Final = rooms
        self.outage: Final = rooms.outage
        self.feed: Final = GatheringFeed(room, rooms, trio.lowlevel.checkpoint, self.events.append)
        self.gathering: Final = gathering
        self.nursery: Final = nursery
        self.feed.follow_gathering()

    async def page(self, player: str | None, holder: str) -> Page:
        """Open a connection, and wait for its first state."""
        page = Page(self.feed, player, holder)
        self.nursery.start_soon(page.run)
        await trio.sleep(1)
        assert len(page.states) >= 1
        return page


class Elsewhere:
    """A gathering in another process. It answers requests, and takes no posts."""

    def __init__(self, actor: Actor) -> None:
        self.ask: Final = actor.ask
        self.follow: Final = actor.follow
        self.tell: Final = actor.tell
        self.subscribe: Final = actor.subscribe
        self.ping: Final = actor.ping
        self.stats: Final = actor.stats
        self.aclose: Final = actor.aclose


@asynccontextmanager
async def place(*, elsewhere: bool = False) -> AsyncIterator[Place]:
    async def finished() -> GameResult:
        await trio.sleep_forever()
        raise AssertionError

    async with (
        open_game(Field.parse("1 1\n0\n")) as game,
        open_gathering("ann", 45.0) as gathering,
        open_rooms(kinds={}) as rooms,
        trio.open_nursery() as nursery,
    ):
        room = LiveRoom("name", None, lambda _: None)
        room.put(RECORD)
        owner: Owner = Elsewhere(gathering) if elsewhere else gathering
        with room.begin(RunningRoom(OpenedRoom(game, finished), owner), nursery, runs_here=not elsewhere):
            yield Place(room, rooms, gathering, nursery)
        nursery.cancel_scope.cancel()


async def test_all_get_the_state_after_each_change_and_the_host_another_one(autojump_clock: MockClock) -> None:
    async with place() as here:
        ann = await here.page("Ann", "ann")
        bob = await here.page("Bob", "bob")
        assert [state["players"] for state in ann.states] == [["Ann"], ["Ann", "Bob"]]
        assert [state["players"] for state in bob.states] == [["Ann", "Bob"]]
        assert [page.states[-1]["hosting"] for page in (ann, bob)] == [True, False]
        assert ann.tasks == bob.tasks == 0, "the gathering runs in this process"
        bob.scope.cancel()
        await trio.sleep(1)
        assert ann.states[-1]["players"] == ["Ann"]
        assert (await here.gathering.ask(TakeGathering())).presence.players == ("Ann",)


async def test_a_frame_has_a_bot_with_its_name_or_neither(autojump_clock: MockClock) -> None:
    async with place() as here, trio.open_nursery() as nursery:
        ann = await here.page("Ann", "ann")
        nursery.start_soon(here.gathering.ask, SitDown("bot_Ada", "bot Ada"))
        await trio.sleep(1)
        assert [(state["players"], state["names"]) for state in ann.states] == [
            (["Ann"], {}),
            (["Ann", "bot_Ada"], {"bot_Ada": "bot Ada"}),
        ]
        nursery.cancel_scope.cancel()


async def test_the_name_of_a_player_comes_before_the_list_of_players_with_the_player(
    autojump_clock: MockClock,
) -> None:
    def players(named: Sequence[str], *_: object) -> str:
        return json.dumps({"type": "players", "players": named})

    async with place() as here:
        here.feed.show_players(players, lambda _: None)
        ann = await here.page("Ann", "ann")
        await here.gathering.ask(NoteNames({"early": "Ëarly"}))  # the next state waits for the end of a pause
        await here.gathering.ask(NoteNames({"Zoya": "Зоя"}))
        zoya = Page(here.feed, "Zoya", "zoya")
        here.nursery.start_soon(zoya.run)
        await trio.sleep(1)
        (listed,) = [at for at, frame in enumerate(ann.frames) if frame.get("players") == ["Ann", "Zoya"]][-1:]
        first = next(at for at, frame in enumerate(ann.frames) if "Zoya" in cast(list[str], frame.get("players", [])))
        assert ann.frames[first]["type"] == "company", ann.frames[first:]
        assert ann.frames[listed]["type"] == "players"
        zoya.scope.cancel()
        await trio.sleep(1)
        assert [frame["players"] for frame in ann.frames if frame["type"] == "players"][-1] == ["Ann"]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("queued", [0, MAILBOX_SIZE])
@pytest.mark.parametrize("early", [False, True])
async def test_a_connection_is_in_the_room_as_long_as_it_lasts_wherever_the_gathering_runs(
    elsewhere: bool, queued: int, early: bool, autojump_clock: MockClock
) -> None:
    async with place(elsewhere=elsewhere) as here, trio.open_nursery() as nursery:
        for _ in range(queued):
            here.gathering.post_nowait(here.gathering.request(Ping(), lambda *_: None))
        pages = [Page(here.feed, f"P{number}", f"p{number}") for number in range(5)]
        for page in pages:
            nursery.start_soon(page.run)
        if not early:
            await trio.sleep(1)
            players = cast(list[str], pages[0].states[-1]["players"])
            assert sorted(players) == [f"P{number}" for number in range(5)]
        for page in pages[1:]:
            page.scope.cancel()
        await trio.sleep(1)
        assert (await here.gathering.ask(TakeGathering())).presence.players == ("P0",)
        pages[0].scope.cancel()
        await trio.sleep(1)
        assert (await here.gathering.ask(TakeGathering())).presence.players == ()
        assert here.gathering.stats().parked == {}


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
            here.feed.publish_act("act", act=str(number))
            await trio.sleep(NOTICE_PAUSE_S)
        slow.slow_s = 0.0
        await trio.sleep(200)
        seen = [[cast(str, frame["act"]) for frame in page.frames if "act" in frame] for page in (quick, slow)]
        every = [str(number) for number in range(2 * MOST_EVENTS)]
        assert seen[0] == every
        assert seen[1] == [every[0], *every[-MOST_EVENTS:]]


async def test_those_here_and_who_comes_meanwhile_hear_that_all_is_held_up(autojump_clock: MockClock) -> None:
    async with place() as here:
        ann = await here.page("Ann", "ann")
        here.outage.put(True)
        bob = await here.page("Bob", "bob")
        here.outage.put(True)
        await trio.sleep(1)
        here.outage.put(False)
        carl = await here.page("Carl", "carl")
        held = [[frame["held"] for frame in page.frames if frame["type"] == "held"] for page in (ann, bob, carl)]
        assert held == [[True, False], [True, False], [False]]
        here.outage.put(True)
        later = GatheringFeed(here.room, here.rooms, trio.lowlevel.checkpoint, here.events.append)
        async with trio.open_nursery() as nursery:
            page = Page(later, None, "dora")
            nursery.start_soon(page.run)
            await trio.sleep(1)
            assert [frame["held"] for frame in page.frames if frame["type"] == "held"] == [True]
            nursery.cancel_scope.cancel()


async def test_a_connection_is_closed_for_a_reason_after_its_last_event_and_with_the_gathering_for_none(
    autojump_clock: MockClock,
) -> None:
    async with place() as here:
        ann, bob, rob = await here.page("Ann", "ann"), await here.page("Bob", "bob"), await here.page("Rob", "bob")
        here.feed.publish_act("act", act="last")
        here.feed.part_with("bob", "Bob", CLOSED)
        await trio.sleep(1)
        assert (bob.reason, bob.frames[-1]["type"]) == (CLOSED, "act")
        assert ann.reason is rob.reason is None
        with trio.fail_after(1):
            await here.feed.delivered()
        await here.gathering.aclose()
        await wait_all_tasks_blocked()
        assert ann.reason is rob.reason is None


async def test_names_that_the_game_cannot_tell_because_its_disk_is_full_come_later(autojump_clock: MockClock) -> None:
    async with place() as here:
        refusals = [InvalidCommand("another version"), DiskFull("full")]

        async def prepare() -> None:
            await trio.lowlevel.checkpoint()
            if refusals:
                raise refusals.pop()
            await here.gathering.ask(NoteNames({"Ann": "Änn"}, early=True))

        page = Page(GatheringFeed(here.room, here.rooms, prepare, here.events.append), "Ann", "ann")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(page.run)
            await trio.sleep(UPDATE_RETRY_S / 2)
            assert [state["names"] for state in page.states] == [{}]
            await trio.sleep(2 * UPDATE_RETRY_S)
            assert [state["names"] for state in page.states] == [{}, {"Ann": "Änn"}]
            nursery.cancel_scope.cancel()


async def test_a_query_is_repeated_as_long_as_the_disk_of_the_game_is_full(autojump_clock: MockClock) -> None:
    refusals = [DiskFull("full"), DiskFull("full")]

    async def query() -> int:
        await trio.lowlevel.checkpoint()
        if refusals:
            raise refusals.pop()
        return 7

    assert await repeated(query) == 7
    assert not refusals


async def test_who_was_removed_before_anybody_followed_is_removed_and_all_else_is_old(
    autojump_clock: MockClock,
) -> None:
    async with place() as here:
        events: list[Event] = []
        feed = GatheringFeed(here.room, here.rooms, trio.lowlevel.checkpoint, events.append)
        await here.page("Ann", "ann")
        for number in range(2):
            await here.gathering.ask(React("ann", "Ann", "🎉"))
            feed.follow_gathering()
            await trio.sleep(1)
            assert len([event for event in events if isinstance(event, Reacted)]) == number
        late = GatheringFeed(here.room, here.rooms, trio.lowlevel.checkpoint, events.append)
        await here.gathering.ask(RemovePlayer("bob"))
        events.clear()
        late.follow_gathering()
        assert events == [Removed("bob", ())]
