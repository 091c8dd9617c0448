"""The presence in a room, as one process knows it while it follows a running gathering.

Partitions:
- the gathering runs: here, elsewhere; it is empty, it has people who came earlier
- people arrive and leave: before the state has arrived, after that; a stay as a block, without a block, a stay that
  begins too late
- names, and the state: from events, from a snapshot; from some time ago
- more changes in one step than the history keeps
- the end: of the block, of the gathering, before the state has arrived
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.changes import HISTORY_SIZE, Changes, History
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Change
from scramble.players.presence import Presence
from scramble.rooms.gathering.following import Following
from scramble.rooms.gathering.messages import (
    Attend,
    Came,
    GatheringSnapshot,
    GatheringState,
    NoteNames,
    NoteTime,
    SitDown,
    Went,
)
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.gathering.stay import Stay

STATE: Final = GatheringState("ann", None, 60.0, False, None, (), 0, 1, 0)


def attend(player: str | None) -> Attend:
    return Attend("here", "holder", player)


async def test_both_processes_know_arrivals_and_departures_and_the_first_starts_the_gathering() -> None:
    async with open_gathering("", None) as gathering, trio.open_nursery() as nursery:
        home, away = (
            Following(gathering, Presence(), nursery.start_soon, at_home=at_home) for at_home in (True, False)
        )
        with home:
            assert home.is_loaded
            await wait_all_tasks_blocked()
            assert gathering.stats().commands == {}, "the gathering has had no request"
            ann = Stay(gathering, nursery.start_soon, attend("ann"))
            with away:
                assert not away.is_loaded
                with Stay(gathering, nursery.start_soon, attend("bob")):
                    nursery.start_soon(gathering.ask, SitDown("bot_Ada", "bot Ada"))
                    await away.loaded()
                    await wait_all_tasks_blocked()
                    assert home.presence.players == away.presence.players == ("ann", "bob", "bot_Ada")
                ann.end()
                ann.end()
                await wait_all_tasks_blocked()
                assert home.presence.state() == away.presence.state()
                assert home.presence.state().players == ()
                assert home.presence.state().bots == ("bot_Ada",)
        nursery.cancel_scope.cancel()


async def test_both_processes_know_names_and_the_state_and_how_long_it_is_valid(autojump_clock: MockClock) -> None:
    async with open_gathering("ann", None) as gathering, trio.open_nursery() as nursery:
        home, away, late = (
            Following(gathering, Presence(), nursery.start_soon, at_home=at_home) for at_home in (True, False, False)
        )
        with home, away:
            assert (home.state, home.changes_in, home.may_all_in) == (None, None, None)
            await away.loaded()
            with Stay(gathering, nursery.start_soon, Attend("here", "bob", "Bob")):
                await gathering.ask(NoteNames({"Bob": "Böb"}))
                await trio.sleep(10)
                for one in (home, away):
                    assert one.state is not None
                    assert (one.state.host, one.changes_in) == ("ann", HOST_GONE_S - 10)
                await trio.sleep(HOST_GONE_S)
                await gathering.ask(NoteTime())
                with late:
                    await late.loaded()
                    for one in (home, away, late):
                        assert one.state is not None
                        assert (one.state.host, one.names) == ("bob", {"Bob": "Böb"})
                        assert one.may_all_in == one.changes_in == OPENER_GONE_S - HOST_GONE_S - 10


async def test_a_stay_reports_its_beginning_unless_it_has_ended_before() -> None:
    async with open_gathering("", None) as gathering, trio.open_nursery() as nursery:
        begun: list[str] = []
        one = Stay(gathering, nursery.start_soon, attend("ann"), lambda: begun.append("ann"))
        other = Stay(gathering, nursery.start_soon, attend("bob"), lambda: begun.append("bob"))
        other.end()
        await wait_all_tasks_blocked()
        assert begun == ["ann"]
        one.end()
        await wait_all_tasks_blocked()
        assert gathering.stats().parked == {}


async def test_people_who_came_before_the_room_was_followed_are_known_to_the_gathering() -> None:
    async with open_gathering("", None) as gathering, trio.open_nursery() as nursery:
        with Stay(gathering, nursery.start_soon, attend("ann")):
            await wait_all_tasks_blocked()
            with Following(gathering, Presence(), nursery.start_soon, at_home=True) as following:
                await following.loaded()
                assert following.presence.players == ("ann",)


async def test_nobody_waits_for_a_room_that_has_ended() -> None:
    async with trio.open_nursery() as nursery:
        async with open_gathering("", None) as gathering:
            following = Following(gathering, Presence(), nursery.start_soon, at_home=False)
        refused: list[GameStopped] = []

        async def wait() -> None:
            try:
                await following.loaded()
            except GameStopped as stopped:
                refused.append(stopped)

        with following:
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()
            assert refused == []
        await wait_all_tasks_blocked()
        assert [type(one) for one in refused] == [GameClosed]
        assert not following.is_loaded


class Telling:
    """A gathering in another process. Its changes arrive in one message."""

    def __init__(self) -> None:
        self.history: Final = History()
        self.state = Presence()
        self.asked = 0
        self.answers = trio.Event()
        self.answers.set()

    def subscribe(self) -> Changes:
        return Changes(self.history)

    async def follow(self, _command: object) -> tuple[GatheringSnapshot, Changes]:
        self.asked += 1
        snapshot, changes = GatheringSnapshot(self.state.state(), STATE, {}), self.subscribe()
        await self.answers.wait()
        return snapshot, changes

    def tell(self, change: Callable[[Presence], bool], event: Came | Went) -> None:
        change(self.state)
        self.history.publish(Change(self.history.published, (event,)))


async def test_very_many_arrivals_and_departures_in_one_step_are_all_known() -> None:
    other = Telling()
    async with trio.open_nursery() as nursery:
        with Following(cast(Owner, other), Presence(), nursery.start_soon, at_home=False) as following:
            await following.loaded()
            for number in range(2 * HISTORY_SIZE + 1):
                name = f"p{number}"
                other.tell(lambda here, name=name: here.arrive(name), Came(name))  # type: ignore[misc]
            other.history.announce()
            assert following.presence.state() == other.state.state()
            assert other.asked == 1


async def test_the_state_is_asked_for_again_if_too_much_has_changed_since() -> None:
    other = Telling()
    other.answers = trio.Event()
    async with trio.open_nursery() as nursery:
        with Following(cast(Owner, other), Presence(), nursery.start_soon, at_home=False) as following:
            await wait_all_tasks_blocked()
            for number in range(HISTORY_SIZE + 1):
                name = f"p{number}"
                other.tell(lambda here, name=name: here.arrive(name), Came(name))  # type: ignore[misc]
            other.history.announce()
            other.answers.set()
            await following.loaded()
            assert following.presence.state() == other.state.state()
            assert other.asked == 2


async def test_changes_before_the_state_are_in_it_and_those_after_it_follow() -> None:
    other = Telling()
    other.answers = trio.Event()
    async with trio.open_nursery() as nursery:
        following = Following(cast(Owner, other), Presence(), nursery.start_soon, at_home=False)
        other.tell(lambda here: here.arrive("ann"), Came("ann"))
        with following:
            other.history.announce()
            await wait_all_tasks_blocked()
            other.tell(lambda here: here.arrive("bob"), Came("bob"))
            other.history.announce()
            other.answers.set()
            await following.loaded()
            assert following.presence.state() == other.state.state()


@pytest.mark.parametrize("at_home", [False, True])
async def test_nobody_is_present_in_the_game_after_the_end(at_home: bool) -> None:
    present: set[str] = set()

    class Here:
        def __init__(self, player: str) -> None:
            self._player = player

        def __enter__(self) -> None:
            present.add(self._player)

        def __exit__(self, *_: object) -> None:
            present.discard(self._player)

    async with open_gathering("", None) as gathering, trio.open_nursery() as nursery:
        following = Following(gathering, Presence(Here), nursery.start_soon, at_home=at_home)
        with following, Stay(gathering, nursery.start_soon, attend("ann")):
            await following.loaded()
            await wait_all_tasks_blocked()
            assert present == {"ann"}
        assert present == set()
