"""A history: the requests and answers of a game's clients, with their times.

Moments are numbers of a `Clock`, one for each entry. A moment is taken before a request is sent, and after its answer
was read. So if one call ended before another call began, their moments show that. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

Op = TypeVar("Op")
Out_contra = TypeVar("Out_contra", contravariant=True)
Out = TypeVar("Out")


class Told(Protocol[Out_contra]):
    """An answer as a client saw it: possibly only a part of the model's answer."""

    @property
    def version(self) -> int | None:
        """The version of the game at its answer, if the answer contains it."""

    def fits(self, out: Out_contra) -> bool:
        """Return True if the model's answer would look like this one."""


@dataclass(eq=False)
class Call(Generic[Op, Out]):
    """One request and its outcome. Fields are set as soon as their values are known.

    Without `ended` the outcome is unknown: the connection was cut or the server was killed. Then the request may have
    been executed or not, at any moment from `began` on, but not after `over`, if that is known.
    """

    op: Op
    began: int
    ended: int | None = None  # the moment of the answer
    told: Told[Out] | None = None  # the answer; None with `ended`: the call was withdrawn, and its client knows that
    waited: int | None = None  # the moment when its client learnt that the call waits
    left: int | None = None  # after this moment the server may withdraw the call: after a cut, or a cancellation
    over: int | None = None  # the moment when the server had finished the call, after a cut or a cancellation
    unanswered: bool = False  # with `over`: cancelled in the server's own process, so the call was never answered

    def __str__(self) -> str:
        notes = [f"from {self.began} to {'?' if self.ended is None else self.ended}"]
        for name in ("waited", "left", "over"):
            moment = getattr(self, name)
            if moment is not None:
                notes.append(f"{name} {moment}")
        if self.ended is not None:
            outcome = "withdrawn" if self.told is None else str(self.told)
        else:
            outcome = "outcome unknown"
        return f"{', '.join(notes)}: {self.op} -> {outcome}"


@dataclass(frozen=True)
class Exactly(Generic[Out]):
    """An answer that the client saw completely; `version` is the version in it, if there is one."""

    out: Out
    version: int | None = None

    def fits(self, out: Out) -> bool:
        """Return True if the model's answer is this one."""
        return self.out == out


class Sight(NamedTuple):
    """A follower's view of the game at some moment of a version, without a request."""

    version: int
    faces: Hashable  # the part that stays the same within a version
    everything: Hashable


class Clock:
    """A source of moments, for all clients. They run in one thread."""

    def __init__(self) -> None:
        self.now = 0

    def tick(self) -> int:
        """The next moment."""
        self.now += 1
        return self.now


@dataclass
class History(Generic[Op, Out]):
    """All entries about one game, over all starts of its server."""

    clock: Clock = field(default_factory=Clock)
    calls: list[Call[Op, Out]] = field(default_factory=list)
    kills: list[int] = field(default_factory=list)  # the moments between the kill of a server and the next start
    sights: dict[Sight, int] = field(default_factory=dict)  # followers' views, with the moment of the first sight
    contradictions: list[str] = field(default_factory=list)  # observations that no rules allow
    answered: int = 0  # the number of answered calls
    on_answer: Callable[[], None] = lambda: None  # called after each answer

    def begin(self, op: Op) -> Call[Op, Out]:
        """Note a request before it is sent."""
        call: Call[Op, Out] = Call(op, self.clock.tick())
        self.calls.append(call)
        return call

    def end(self, call: Call[Op, Out], told: Told[Out] | None) -> None:
        """Note the answer of a call after it was read."""
        call.ended, call.told = self.clock.tick(), told
        self.answered += 1
        self.on_answer()

    def see(self, version: int, faces: Hashable, everything: Hashable) -> None:
        """Note a follower's view of the game."""
        self.sights.setdefault(Sight(version, faces, everything), self.clock.tick())

    def kill(self) -> None:
        """Note that the server is dead, and that no client reads its answers any more."""
        self.kills.append(self.clock.tick())
