"""A history: what clients of a game asked and were told, and when.

Moments are numbers of a `Clock`, one for each thing noted: a moment is taken before a request is sent and after its
answer has been read, so that of two calls of which one ended before the other began, the moments say so. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

Op = TypeVar("Op")
Out_contra = TypeVar("Out_contra", contravariant=True)
Out = TypeVar("Out")


class Told(Protocol[Out_contra]):
    """An answer as a client saw it: perhaps only some of what the model would answer."""

    @property
    def version(self) -> int | None:
        """The version that the game had when it answered, if the answer tells."""

    def fits(self, out: Out_contra) -> bool:
        """Whether the model's answer would have looked like this."""


@dataclass(eq=False)
class Call(Generic[Op, Out]):
    """One request and what became of it; filled in as that becomes known.

    Without `ended` its outcome is unknown: its connection was cut or its server killed. Then it may have happened or
    not, at any moment from `began` on, but not after `over`, if that is known.
    """

    op: Op
    began: int
    ended: int | None = None  # when its answer had come
    told: Told[Out] | None = None  # that answer; None with `ended`: it was withdrawn, and its client told so
    waited: int | None = None  # when its client learnt that it waits
    left: int | None = None  # from here on it may be withdrawn: cut, or called off
    over: int | None = None  # when the server had finished with it, for one that was cut or cancelled
    unanswered: bool = False  # with `over`: cancelled in the server's own process, so it was certainly never answered

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
    """An answer of which the client saw everything; `version` is the one that it tells, if it tells any."""

    out: Out
    version: int | None = None

    def fits(self, out: Out) -> bool:
        """Whether the model's answer is this one."""
        return self.out == out


class Sight(NamedTuple):
    """The game as a follower was shown it at some moment of a version, without having asked just then."""

    version: int
    faces: Hashable  # what stays the same for as long as the version does
    everything: Hashable


class Clock:
    """Hands out moments. One for all clients; they run in one thread."""

    def __init__(self) -> None:
        self.now = 0

    def tick(self) -> int:
        """The next moment."""
        self.now += 1
        return self.now


@dataclass
class History(Generic[Op, Out]):
    """Everything that was noted of one game, over all lives of its server."""

    clock: Clock = field(default_factory=Clock)
    calls: list[Call[Op, Out]] = field(default_factory=list)
    kills: list[int] = field(default_factory=list)  # when a server had been killed; after that another one began
    sights: dict[Sight, int] = field(default_factory=dict)  # what those who follow the game saw, and when first
    contradictions: list[str] = field(default_factory=list)  # what nobody may see, whatever the rules
    answered: int = 0  # how many calls have been
    on_answer: Callable[[], None] = lambda: None  # called after each

    def begin(self, op: Op) -> Call[Op, Out]:
        """Note that a request is about to be sent."""
        call: Call[Op, Out] = Call(op, self.clock.tick())
        self.calls.append(call)
        return call

    def end(self, call: Call[Op, Out], told: Told[Out] | None) -> None:
        """Note that its answer has been read."""
        call.ended, call.told = self.clock.tick(), told
        self.answered += 1
        self.on_answer()

    def see(self, version: int, faces: Hashable, everything: Hashable) -> None:
        """Note what somebody who follows the game was shown."""
        self.sights.setdefault(Sight(version, faces, everything), self.clock.tick())

    def kill(self) -> None:
        """Note that the server is dead, and nobody reads its answers any more."""
        self.kills.append(self.clock.tick())
