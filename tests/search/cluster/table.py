"""A room as its clients saw it at all processes: the history, and the faults that no order explains.

Clients behave like clients behind a load balancer: they connect to any process. When the connection is closed or
refused, or the answer is 503 or too late, they connect again, to any process. A request without an answer may have
happened or not.

Beside the history for the judge of linearizability two things are noted at once, since they need no search: an answer
with a version below one that somebody was told before it was asked for (a stale answer, as a deposed owner gives it),
and two different pictures of one version (as two owners would make them).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Generic, TypeVar

import trio

from tests.support.history import Call, History, Told
from tests.support.linearizability import Spec, Verdict, check

Op = TypeVar("Op", bound=Hashable)
Out = TypeVar("Out")
State = TypeVar("State")

HOST: Final = "127.0.0.1"
PATIENCE_S: Final = 1.5
"""Seconds after which a client goes to another process: longer than answers take, and shorter than an outage."""

REST_S: Final = 0.05
"""Seconds, about, before a client comes again that was sent away."""


@dataclass
class Doors:
    """The ports of all processes. A client takes any of them, also one that does not run just now."""

    ports: Sequence[int]

    def any(self, dice: random.Random) -> int:
        """One of them."""
        return dice.choice(self.ports)


@dataclass(eq=False)
class Room:
    """One room, but for the game in it. Mutable; its clients run in one thread."""

    room: str
    doors: Doors
    ends: bool = False  # its clients end their play
    latest: int = 0  # the highest version that anybody was told
    wrongs: list[str] = field(default_factory=list)  # what may never be, whatever the rules
    stale: int = 0  # answers from the past, among these
    answered_s: list[tuple[float, float]] = field(default_factory=list)  # when calls were asked, and when answered
    pictures: dict[int, Hashable] = field(default_factory=dict)  # of each version, as somebody was shown it
    _waiting: list[tuple[Callable[[], bool], trio.Event]] = field(default_factory=list)

    def goes_on(self) -> bool:
        """Whether its clients go on playing."""
        return not self.ends

    def show(self, version: int, picture: Hashable) -> None:
        """Note what somebody was shown of a version."""
        if self.pictures.setdefault(version, picture) != picture:
            self.wrong(f"version {version} looks in two ways: {self.pictures[version]} and {picture}")

    def wrong(self, contradiction: str) -> None:
        """Note what may never be, whatever the rules."""
        self.wrongs.append(f"{self.room}: {contradiction}")

    async def more(self, answers: int) -> None:
        """Wait for so many answers to requests that are sent from now on."""
        now, first = trio.current_time(), len(self.answered_s)
        await self._until(lambda: sum(asked >= now for asked, _ in self.answered_s[first:]) >= answers)

    def silence_s(self, since_s: float) -> float:
        """The longest time since then in which nobody was answered."""
        ends = [since_s, *sorted(ended for _, ended in self.answered_s if ended >= since_s)]
        return max((later - sooner for sooner, later in pairwise(ends)), default=0.0)

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait until that is true after an answer."""
        if not condition():
            event = trio.Event()
            self._waiting.append((condition, event))
            await event.wait()
            self._waiting.remove((condition, event))

    def _answered(self, asked_s: float) -> None:
        self.answered_s.append((asked_s, trio.current_time()))
        for condition, event in self._waiting:
            if condition():
                event.set()


@dataclass(eq=False)
class Table(Room, Generic[Op, Out]):
    """A room and the history of its game."""

    history: History[Op, Out] = field(default_factory=History)
    _asked: dict[int, tuple[float, int]] = field(default_factory=dict)  # when, and the latest version then, by moment

    def begin(self, op: Op) -> Call[Op, Out]:
        """Note that a request is about to be sent."""
        call = self.history.begin(op)
        self._asked[call.began] = (trio.current_time(), self.latest)
        return call

    def end(self, call: Call[Op, Out], told: Told[Out] | None, version: int | None = None) -> None:
        """Note that its answer has been read, and the version that it has, if it has any."""
        asked_s, least = self._asked.pop(call.began)
        self.history.end(call, told)
        if version is not None:
            if version < least:
                self.stale += 1
                self.wrong(f"asked after version {least}, answered with version {version}: {call}")
            self.latest = max(self.latest, version)
        self._answered(asked_s)

    def cut(self, call: Call[Op, Out]) -> None:
        """Note that its answer will not be read: the client has gone away, or was sent away."""
        if call.ended is None and call.left is None:
            call.left = call.began  # its owner may have gone before the client knew

    def judge(self, spec: Spec[State, Op, Out]) -> Verdict:
        """Whether one order of the rules explains what was seen. Raises NotExplained."""
        self.history.contradictions.extend(self.wrongs)
        return check(self.history, spec)


async def rest(dice: random.Random) -> None:
    """Wait a little, as a client does that was sent away."""
    await trio.sleep(REST_S * (0.5 + dice.random()))
