"""A room as its clients saw it at all processes: the history, and the faults that no order can explain.

Clients behave like clients behind a load balancer: they connect to any process. When the connection is closed or
refused, or the answer is 503 or too late, they connect again, to any process. A request without an answer may have
happened or not.

The judge of linearizability gets the history. The table itself reports two kinds of faults at once, since they need no
search. One is a stale answer: its version is lower than a version that a client knew before the request, as from a
deposed owner. The other is two different views of one version, as from two owners.
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
"""The time in seconds before a client goes to another process: longer than an answer, shorter than an outage."""

REST_S: Final = 0.05
"""The approximate time in seconds before a rejected client connects again."""


@dataclass
class Doors:
    """The ports of all processes. A client takes any of them, even the port of a stopped process."""

    ports: Sequence[int]

    def any(self, dice: random.Random) -> int:
        """One of the ports."""
        return dice.choice(self.ports)


@dataclass(eq=False)
class Room:
    """One room without its game. Mutable. Its clients run in one thread."""

    room: str
    doors: Doors
    ends: bool = False  # True when its clients should end their play
    latest: int = 0  # the highest version that a client saw
    wrongs: list[str] = field(default_factory=list)  # faults under any rules
    stale: int = 0  # the number of stale answers among these faults
    answered_s: list[tuple[float, float]] = field(default_factory=list)  # (time of the request, time of the answer)
    pictures: dict[int, Hashable] = field(default_factory=dict)  # the view of each version
    _waiting: list[tuple[Callable[[], bool], trio.Event]] = field(default_factory=list)

    def goes_on(self) -> bool:
        """True while its clients should play."""
        return not self.ends

    def show(self, version: int, picture: Hashable) -> None:
        """Record the view of a version."""
        if self.pictures.setdefault(version, picture) != picture:
            self.wrong(f"version {version} looks in two ways: {self.pictures[version]} and {picture}")

    def wrong(self, contradiction: str) -> None:
        """Record a fault under any rules."""
        self.wrongs.append(f"{self.room}: {contradiction}")

    async def more(self, answers: int) -> None:
        """Wait for this number of answers to requests that are sent from now on."""
        now, first = trio.current_time(), len(self.answered_s)
        await self._until(lambda: sum(asked >= now for asked, _ in self.answered_s[first:]) >= answers)

    def silence_s(self, since_s: float) -> float:
        """The longest time without an answer since then."""
        ends = [since_s, *sorted(ended for _, ended in self.answered_s if ended >= since_s)]
        return max((later - sooner for sooner, later in pairwise(ends)), default=0.0)

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition is true after an answer."""
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
    _asked: dict[int, tuple[float, int]] = field(default_factory=dict)  # the time and the latest version, by moment

    def begin(self, op: Op) -> Call[Op, Out]:
        """Record that a client is about to send a request."""
        call = self.history.begin(op)
        self._asked[call.began] = (trio.current_time(), self.latest)
        return call

    def end(self, call: Call[Op, Out], told: Told[Out] | None, version: int | None = None) -> None:
        """Record that the answer has been read, and its version if it has a version."""
        asked_s, least = self._asked.pop(call.began)
        self.history.end(call, told)
        if version is not None:
            if version < least:
                self.stale += 1
                self.wrong(f"asked after version {least}, answered with version {version}: {call}")
            self.latest = max(self.latest, version)
        self._answered(asked_s)

    def cut(self, call: Call[Op, Out]) -> None:
        """Record that the client does not read the answer: the client left, or was disconnected."""
        if call.ended is None and call.left is None:
            call.left = call.began  # the owner may have disconnected before the client noticed

    def judge(self, spec: Spec[State, Op, Out]) -> Verdict:
        """Check that one order of the rules explains the views. Raises NotExplained."""
        self.history.contradictions.extend(self.wrongs)
        return check(self.history, spec)


async def rest(dice: random.Random) -> None:
    """Wait a little, as a rejected client does."""
    await trio.sleep(REST_S * (0.5 + dice.random()))
