"""An owner and two processes that have joined it, on a simulated network with faults that Hypothesis draws.

Strategy: the game is a waiting room (tests/unit/kernel/toy.py). Each word is used once. Callers in the joined processes
make a few requests each, after pauses of a mock clock. A process whose join ends joins again.

- requests: said at once; parked until another caller lets them out or sends them away; told; asked and followed
- cancelled: never; at once; while the request is on its way, parked, or answered
- links, of the owner and of the joined processes: slow, so that many messages are on their way; messages sent twice;
  cut for a moment, which loses the messages on their way; stopped for less than a lease, or for more

The judge checks promises 2 to 5 of the kernel across processes. A request happens at most once. An answered request has
happened. A withdrawn request never happened, or was withdrawn at the owner, and it gets no answer. No request waits
forever. A follower gets the owner's changes from its answer on, without gap or overlap, until the following ends.

Tests with broken code check that the judge finds faults: an owner forgets the requests that it has seen, and callers
leave without a withdrawal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import pytest
import trio
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from scramble.cluster.calling import joining
from scramble.cluster.calls import Call, Calls
from scramble.cluster.codec import Vocabulary
from scramble.cluster.messages import RequestWithdrawn, RoomRequest, WithdrawRequest
from scramble.cluster.protocol import ALIVE_S, Token
from scramble.cluster.serving import Caller, Part, serving
from scramble.errors import GameMoved
from scramble.kernel.actor import open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Change, Command
from tests.support.cluster.simulated import Network, SimulatedLink
from tests.support.examples import examples
from tests.unit.kernel.toy import Echo, Left, LetOut, Said, SendAway, SentAway, Wait, WaitingRoom

VOCABULARY: Final = Vocabulary(Echo | Wait | LetOut | SendAway, Said | Left)
TICK_S: Final = 0.1
END_S: Final = 60.0  # long after the last fault, and every time limit
PROCESSES: Final = ("alice", "bob")

Way: TypeAlias = Literal["say", "wait", "let out", "send away", "tell", "follow"]
Fault: TypeAlias = Literal["cut", "stop"]


@dataclass(frozen=True)
class Planned:
    """A request after a pause, in ticks. It is cancelled after `cancel` ticks, or at the end if `cancel` is None."""

    pause: int
    way: Way
    cancel: int | None


@dataclass(frozen=True)
class Trouble:
    """A fault of a link, after a pause, for a number of ticks."""

    pause: int
    fault: Fault
    ticks: int


@dataclass(frozen=True)
class Schedule:
    """A run's plan: `callers` by process; `troubles`, delays and doublings by link. The owner's link is the last."""

    callers: tuple[tuple[tuple[Planned, ...], ...], ...]
    troubles: tuple[tuple[Trouble, ...], ...]
    delays: tuple[tuple[int, ...], ...]
    twice: tuple[bool, ...]


plans = st.builds(
    Planned,
    st.integers(0, 4),
    st.sampled_from(["say", "say", "wait", "wait", "let out", "send away", "tell", "follow"]),
    st.none() | st.integers(0, 3),
)
troubles = st.builds(Trouble, st.integers(0, 8), st.sampled_from(["cut", "stop"]), st.integers(1, 12) | st.just(30))
schedules = st.builds(
    Schedule,
    st.tuples(*[st.lists(st.lists(plans, max_size=6).map(tuple), max_size=4).map(tuple)] * len(PROCESSES)),
    st.tuples(*[st.lists(troubles, max_size=3).map(tuple)] * (len(PROCESSES) + 1)),
    st.tuples(*[st.lists(st.integers(0, 3), min_size=1, max_size=5).map(tuple)] * (len(PROCESSES) + 1)),
    st.tuples(*[st.booleans()] * (len(PROCESSES) + 1)),
)


@dataclass
class Asked:
    """A request and its outcome."""

    word: str
    way: Way
    result: Literal["waits", "answered", "refused", "withdrawn", "moved"] = "waits"
    answer: object = None
    followed: list[Change] | None = None


@dataclass
class History:
    """A run: the requests, the words of the owner's commands, and the owner's changes."""

    asked: list[Asked] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


class Process:
    """A process with callers. It joins again when its join ends."""

    def __init__(self, link: SimulatedLink, token: Token, history: History) -> None:
        self._link: Final = link
        self._token: Final = token
        self._history: Final = history
        self._owner: Owner | None = None
        self._changed: Final = trio.lowlevel.ParkingLot()

    async def run(self) -> None:
        while True:
            try:
                async with joining(self._link, "room", self._token, {"game": VOCABULARY}) as joined:
                    self._owner = joined.owners["game"]
                    self._changed.unpark_all()
                    await joined.until_moved()
            except GameMoved:
                pass
            self._owner = None
            await trio.sleep(TICK_S)

    async def call(self, name: str, plan: Sequence[Planned]) -> None:
        async with trio.open_nursery() as nursery:
            for number, planned in enumerate(plan):
                await trio.sleep(planned.pause * TICK_S)
                while self._owner is None:
                    await self._changed.park()
                asked = Asked(f"{name}.{number}", planned.way)
                self._history.asked.append(asked)
                if planned.way == "tell":
                    self._owner.tell(Echo(asked.word))
                    asked.result = "moved"  # a caller does not learn if the message arrived
                else:
                    nursery.start_soon(self._ask, self._owner, asked, planned.cancel)

    async def _ask(self, owner: Owner, asked: Asked, cancel: int | None) -> None:
        with trio.CancelScope() as scope:
            scope.deadline = trio.current_time() + (cancel * TICK_S if cancel is not None else END_S / 2)
            try:
                if asked.way == "follow":
                    asked.answer, changes = await owner.follow(Echo(asked.word))
                    asked.followed = _collect(changes)
                else:
                    asked.answer = await owner.ask(_command(asked))
                asked.result = "answered"
            except SentAway:
                asked.result = "refused"
            except GameMoved:
                asked.result = "moved"
        if scope.cancelled_caught:
            asked.result = "withdrawn"


def _collect(changes: Changes) -> list[Change]:
    """Return a list. The changes are added to it as they come."""
    found: list[Change] = []

    async def follow() -> None:
        try:
            async for change in changes:
                found.append(change)
        except GameMoved:
            pass

    trio.lowlevel.spawn_system_task(follow)
    return found


def _command(asked: Asked) -> Command[object]:
    match asked.way:
        case "wait":
            return Wait(asked.word)
        case "let out":
            return LetOut(asked.word)
        case "send away":
            return SendAway()
        case _:
            return Echo(asked.word)


async def _trouble(link: SimulatedLink, plan: Sequence[Trouble]) -> None:
    for trouble in plan:
        await trio.sleep(trouble.pause * TICK_S)
        if trouble.fault == "cut":
            link.cut()
            await trio.sleep(trouble.ticks * TICK_S)
            link.connect()
        else:
            link.stop()
            await trio.sleep(min(trouble.ticks * TICK_S, 2 * ALIVE_S))
            link.resume()


def run(schedule: Schedule) -> History:
    """Run the schedule, and return its history."""
    history = History()

    async def play() -> None:
        room = WaitingRoom()
        async with trio.open_nursery() as nursery:
            network = Network(nursery)
            links = [network.link(name) for name in (*PROCESSES, "owner")]
            token = Token(1, links[-1].process)
            for link, delays, twice in zip(links, schedule.delays, schedule.twice, strict=True):
                endless = iter(delays * 10_000)
                link.delay = lambda endless=endless: next(endless) * TICK_S / 4  # type: ignore[misc]
                link.twice = lambda channel, message, twice=twice: twice  # type: ignore[misc]
            async with (
                open_actor(room) as actor,
                serving(links[-1], "room", token, {"game": Part(actor, VOCABULARY)}),
            ):
                changes = actor.subscribe()
                for link, plan in zip(links, schedule.troubles, strict=True):
                    nursery.start_soon(_trouble, link, plan)
                for link, callers in zip(links, schedule.callers, strict=False):
                    process = Process(link, token, history)
                    nursery.start_soon(process.run)
                    for number, calls in enumerate(callers):
                        nursery.start_soon(process.call, f"{link.process}{number}", calls)
                await trio.sleep(END_S)
                history.changes += changes.pending()
                nursery.cancel_scope.cancel()
        history.log += room.log

    trio.run(play, clock=MockClock(autojump_threshold=0))
    return history


def judge(history: History) -> None:
    """Raise AssertionError if the history breaks a promise."""
    for asked in history.asked:
        came, left = history.log.count(asked.word), history.log.count(f"withdraw {asked.word}")
        assert came <= 1, f"{asked} happened {came} times"
        assert asked.result != "waits", f"{asked} waits for ever"
        if asked.way == "send away":
            continue
        if asked.result in ("answered", "refused"):
            assert came == 1, f"{asked} is not known to the owner"
            assert not left, f"{asked} was withdrawn, too"
        if asked.result == "withdrawn":
            assert came == left, f"{asked} has happened"
        if asked.way == "wait" and asked.result == "answered":
            assert str(asked.answer).startswith(f"{asked.word} let out by ")
        if asked.followed is not None:
            said = [change.events for change in history.changes]
            after = said[said.index((Said(asked.word),)) + 1 :]
            followed = [change.events for change in asked.followed]
            assert followed == after[: len(followed)], f"{asked} was followed by other changes"


@settings(max_examples=examples(60))
@given(schedules, st.random_module())
def test_across_a_network_with_faults_the_promises_hold(schedule: Schedule, scheduler: object) -> None:
    judge(run(schedule))


def find_fault() -> None:
    @settings(max_examples=400, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(schedules, st.random_module())
    def play(schedule: Schedule, scheduler: object) -> None:
        judge(run(schedule))

    with pytest.raises(AssertionError):
        play()


def test_an_owner_that_forgets_what_it_has_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hear(caller: Caller, message: RoomRequest | WithdrawRequest) -> None:
        if isinstance(message, RoomRequest):
            caller.take(message)

    monkeypatch.setattr(Caller, "hear", hear)
    find_fault()


def test_a_caller_that_leaves_without_a_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def withdraw(calls: Calls, call: Call) -> None:
        calls.hear(RequestWithdrawn(call.number))

    monkeypatch.setattr(Calls, "_withdraw", withdraw)
    find_fault()
