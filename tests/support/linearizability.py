"""The checker of linearizability for all tests, for histories of thousands of calls.

A history is linearizable if an order of steps of a sequential model explains it: each step lies within the time in
which the call may have been executed, and gives the observed answer. Calls may be parked, cancelled or of unknown
outcome, and the server may have died and restarted. To check another game, write a `Spec` around its naive model
(`Unversioned` has the methods for a game without versions in its answers), and record a `History`: of a live game in
this process with `tests.support.recorder`. The search:

- It follows time. It passes the events (a call begins, its answer has arrived) one after another. It takes a step only
  if an event cannot be passed without it: a call's answer has arrived, so the model must have given it. (Just-in-time
  linearization, after Lowe.) So at any event only the open calls matter, at most one for each client; the past is a
  model's state and a small set. After a failure it goes back to the last event with a choice. It does not try a failed
  situation (event, state, the executed open calls) again.
- Most answers contain the game's version, which never goes back. A step whose answer has another version than the model
  is not tried. A situation is given up if it is past the version of an open answer.
- Followers get views of the game again and again, with its version. A step to a version that contradicts a view is not
  tried. The search leaves a version only after all its views were true.
- Calls that change nothing (a look, a watch) are never tried: they are done as soon as their answer fits. That is
  always right, because such a call does not affect other calls. If their outcome is unknown, they are left out.
- An idle call (a dig at a dug square: it changes nothing now or ever after) is done as soon as its answer fits, and no
  other order is tried. (A call that changes nothing now is not enough. A flag on a flagged square may have been
  executed later, after a deflag.)
- A call with an unknown outcome may happen at any time, or never. These calls are tried last, only one of several equal
  ones, and none that would change nothing. Clients keep the number of open ones small: after a cut they read until the
  server closes the connection, and so they learn when the call was over.

Pure: no trio, no clock. A game provides a `Spec`.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, Protocol, TypeVar

from tests.support.history import Call, History

Op = TypeVar("Op", bound=Hashable)
Out = TypeVar("Out")
State = TypeVar("State")
Op_contra = TypeVar("Op_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)

MAX_SITUATIONS = 2_000_000
"""Situations before the search gives up without a verdict. A history of ten thousand calls takes about 20,000."""


class Spec(Protocol[State, Op_contra, Out_co]):
    """A sequential model. States are immutable values, tickets are positions in the history."""

    def start(self) -> State:
        """Return the state before the first call."""

    def restart(self, state: State) -> State:
        """Return the state after the server was killed and started again."""

    def step(self, state: State, ticket: int, op: Op_contra) -> tuple[State, Mapping[int, Out_co]]:
        """Begin a call; return the next state, and all answers of this step, to this call or to parked ones."""

    def withdraw(self, state: State, ticket: int) -> State:
        """Withdraw a parked call; return the next state. A withdrawal must not answer any call."""

    def parked(self, state: State) -> Sequence[int]:
        """Return the waiting calls."""

    def may_leap(self, state: State, op: Op_contra) -> bool:
        """Return True if the answer to this call may skip versions."""

    def changes_nothing(self, op: Op_contra) -> bool:
        """Return True if this call is a query."""

    def is_idle(self, state: State, op: Op_contra) -> bool:
        """Return True if this call, from now on, is answered at once and changes nothing."""

    def answer(self, state: State, op: Op_contra, changed: bool) -> Out_co | None:
        """Return the answer to a query; None if it would wait. `changed`: it has waited, and the game has changed."""

    def version(self, state: State) -> int:
        """Return the version of the game, which never decreases."""

    def faces(self, state: State) -> Hashable:
        """Return the public part that stays the same within a version."""

    def everything(self, state: State) -> Hashable:
        """Return the whole public state."""

    def key(self, state: State) -> Hashable:
        """Return a key: equal for two states only if they have the same future."""


class Unversioned(Generic[State, Out]):
    """The methods of a `Spec` for a game without versions, waiting calls and followers."""

    def restart(self, state: State) -> State:
        return state

    def withdraw(self, state: State, ticket: int) -> State:
        raise AssertionError("nothing is ever parked")

    def parked(self, state: State) -> Sequence[int]:
        return ()

    def may_leap(self, state: State, op: object) -> bool:
        return False

    def changes_nothing(self, op: object) -> bool:
        return False

    def is_idle(self, state: State, op: object) -> bool:
        return False

    def answer(self, state: State, op: object, changed: bool) -> Out | None:
        raise AssertionError("no op is known to be a mere question")

    def version(self, state: State) -> int:
        return 0

    def faces(self, state: State) -> Hashable:
        return None

    def everything(self, state: State) -> Hashable:
        return None


class NotExplained(AssertionError):
    """No order explains the history."""


class NoVerdict(Exception):
    """The search gave up."""


class _Kind(IntEnum):
    BEGIN = 0  # the call of that number begins
    WAITS = 1  # the client of that call learns that the call waits
    END = 2  # the answer to the call of that number arrives
    OVER = 3  # the call of that number was cut, and is never executed after this event
    SEEN = 4  # a follower gets the view of that number
    KILL = 5  # the server has died: no open call is executed any more


@dataclass(frozen=True, slots=True)
class _Event:
    moment: int
    kind: _Kind
    number: int


@dataclass(frozen=True)
class Verdict:
    """The effort of explaining the history."""

    events: int
    situations: int
    steps: int


def check(history: History[Op, Out], spec: Spec[State, Op, Out], *, most: int = MAX_SITUATIONS) -> Verdict:
    """Find an order that explains the history.

    Raises NotExplained if no order explains it; the error contains the end of the longest attempt. Raises NoVerdict
    after `most` situations without a result.
    """
    if history.contradictions:
        raise NotExplained(history.contradictions[0])
    search = _Search(history, spec, most)
    if not search.run():
        raise NotExplained(search.report())
    return Verdict(len(search.events), len(search.seen), search.steps)


@dataclass(frozen=True, slots=True)
class _Situation(Generic[State]):
    """A place of the search: all events before number `at` are passed, and the model is in `state`.

    `done` has the open calls that are executed, and (as number ~n for sight n) the sights of this version that were
    true.
    """

    at: int
    state: State
    done: frozenset[int]


class _Search(Generic[State, Op, Out]):
    """A depth-first search that never tries the same situation twice."""

    def __init__(self, history: History[Op, Out], spec: Spec[State, Op, Out], most: int) -> None:
        self.spec = spec
        self.most = most
        self.calls: Sequence[Call[Op, Out]] = history.calls
        self.sights = list(history.sights)
        self.faces = {sight.version: sight.faces for sight in self.sights}
        self.seen_of: dict[int, list[int]] = {}
        for number, sight in enumerate(self.sights):
            self.seen_of.setdefault(sight.version, []).append(~number)
        self.asks = [spec.changes_nothing(call.op) for call in self.calls]
        self.events = self._events(history)
        self.open: list[tuple[int, ...]] = self._open_calls()
        self.seen: set[tuple[int, Hashable, frozenset[int]]] = set()
        self.steps = 0
        self.farthest: _Situation[State] | None = None
        self.objections: list[str] = []

    def _events(self, history: History[Op, Out]) -> list[_Event]:
        events = [_Event(moment, _Kind.KILL, 0) for moment in history.kills]
        events += [_Event(moment, _Kind.SEEN, number) for number, moment in enumerate(history.sights.values())]
        for number, call in enumerate(self.calls):
            if call.ended is None and self.asks[number]:
                continue
            events.append(_Event(call.began, _Kind.BEGIN, number))
            if call.waited is not None:
                events.append(_Event(call.waited, _Kind.WAITS, number))
            if call.ended is not None:
                events.append(_Event(call.ended, _Kind.END, number))
            elif call.over is not None:
                events.append(_Event(call.over, _Kind.OVER, number))
        return sorted(events, key=lambda event: event.moment)

    def _open_calls(self) -> list[tuple[int, ...]]:
        """Return the open calls before each event, first the calls with a known outcome."""
        found: list[tuple[int, ...]] = []
        known: list[int] = []
        unknown: list[int] = []
        for event in self.events:
            found.append((*known, *unknown))
            match event.kind:
                case _Kind.BEGIN:
                    (unknown if self.calls[event.number].ended is None else known).append(event.number)
                case _Kind.END:
                    known.remove(event.number)
                case _Kind.OVER:
                    unknown.remove(event.number)
                case _Kind.KILL:
                    assert not known, "nobody is answered by a server that was killed before"
                    unknown = []
        return found

    def run(self) -> bool:
        """Return True if there is an explanation."""
        start = self.spec.start()
        first = self._pass(_Situation(0, start, frozenset(self._visible(start, frozenset()))))
        untried = [iter([] if first is None else [first])]
        while untried:
            situation = next(untried[-1], None)
            if situation is None:
                untried.pop()
                continue
            if situation.at == len(self.events):
                return True
            key = (situation.at, self.spec.key(situation.state), situation.done)
            if key in self.seen:
                continue
            if len(self.seen) >= self.most:
                raise NoVerdict(f"no verdict after {self.most} situations; {self.report()}")
            self.seen.add(key)
            if self.farthest is None or situation.at > self.farthest.at:
                self.farthest, self.objections = situation, []
            untried.append(self._next(situation))
        return False

    # --- passing events ---------------------------------------------------------------------------

    def _pass(self, situation: _Situation[State]) -> _Situation[State] | None:
        """Pass events until a step or a choice is necessary; return the situation there; None at a dead end."""
        at, state, done = situation.at, situation.state, situation.done
        while at < len(self.events):
            event = self.events[at]
            number = event.number
            match event.kind:
                case _Kind.BEGIN:
                    told = self.calls[number].told
                    if told is not None and told.version is not None and told.version < self.spec.version(state):
                        self._object(at, f"call {number} got an answer from the past: {self.calls[number]}")
                        return None
                    if self.asks[number] and self._is_answered(state, number, changed=False):
                        done |= {number}
                case _Kind.WAITS:
                    if number not in done and number not in self.spec.parked(state):
                        break
                case _Kind.END:
                    if number not in done:
                        break
                    done -= {number}
                case _Kind.OVER:
                    if number not in done:
                        break
                    done -= {number}
                case _Kind.SEEN:
                    version = self.spec.version(state)
                    if version < self.sights[number].version or (
                        version == self.sights[number].version and ~number not in done
                    ):
                        break
                case _Kind.KILL:
                    break
            at += 1
        return _Situation(at, state, done)

    def _next(self, situation: _Situation[State]) -> Iterator[_Situation[State]]:
        """Yield all possible next situations, the likeliest first."""
        at, state, done = situation.at, situation.state, situation.done
        event = self.events[at]
        passed: _Situation[State] | None = None
        if event.kind is _Kind.KILL:
            passed = self._restart(situation)
        elif event.kind is _Kind.OVER and event.number not in self.spec.parked(state):
            passed = self._pass(_Situation(at + 1, state, done))
        if passed is not None:
            yield passed
        for after in self._steps(situation, first=-1 if event.kind in (_Kind.SEEN, _Kind.KILL) else event.number):
            further = self._pass(after)
            if further is not None:
                yield further

    # --- steps ------------------------------------------------------------------------------------

    def _steps(self, situation: _Situation[State], first: int) -> Iterator[_Situation[State]]:
        at, state, done = situation.at, situation.state, situation.done
        parked = self.spec.parked(state)
        version = self.spec.version(state)
        key = self.spec.key(state)
        now = self.events[at].moment
        idle = self._idle_step(situation)
        if idle is not None:
            yield idle
            return
        firsts = self._first_of_their_like([n for n in self.open[at] if n not in done and n not in parked])
        for number in sorted(self.open[at], key=lambda number: number != first):
            call = self.calls[number]
            if number in done or number in parked or self.asks[number]:
                continue
            told = call.told
            ahead = told is not None and told.version is not None and told.version > version + 1
            if ahead and not self.spec.may_leap(state, call.op):
                continue
            self.steps += 1
            after, outs = self.spec.step(state, number, call.op)
            if number in outs and call.waited is not None:
                self._object(at, f"call {number} would not have waited: {call}")
                continue
            if call.ended is None and outs.keys() == {number}:
                if self.spec.key(after) == key:
                    continue  # this call need not happen now, and may be needed later
                if firsts[call.op] != number:
                    continue  # an equal call that is over earlier can happen instead
            answered = self._check(situation, outs)
            if answered is not None:
                settled = self._settle(situation, after, done | answered)
                if settled is not None:
                    yield settled
        for number in parked:
            call = self.calls[number]
            if call.told is None and call.left is not None and call.left < now:
                self.steps += 1
                settled = self._settle(situation, self.spec.withdraw(state, number), done | {number})
                if settled is not None:
                    yield settled

    def _idle_step(self, situation: _Situation[State]) -> _Situation[State] | None:
        """Return the step of an idle call whose answer fits now, if there is one."""
        for number in self.open[situation.at]:
            call = self.calls[number]
            if number in situation.done or self.asks[number] or call.ended is None or call.waited is not None:
                continue
            if self.spec.is_idle(situation.state, call.op):
                self.steps += 1
                after, outs = self.spec.step(situation.state, number, call.op)
                if call.told is not None and call.told.fits(outs[number]):
                    return self._settle(situation, after, situation.done | {number})
        return None

    def _first_of_their_like(self, numbers: Sequence[int]) -> dict[Op, int]:
        """Return, for each request among calls with unknown outcomes, the call that is over first."""
        unknown = [number for number in numbers if self.calls[number].ended is None]
        unknown.sort(key=lambda number: (self.calls[number].over or sys.maxsize, number), reverse=True)
        return {self.calls[number].op: number for number in unknown}

    def _check(self, situation: _Situation[State], outs: Mapping[int, Out]) -> frozenset[int] | None:
        """Return the answered calls, or None if an observed answer differs."""
        for number, out in outs.items():
            call = self.calls[number]
            if call.unanswered or (call.ended is not None and (call.told is None or not call.told.fits(out))):
                self._object(situation.at, f"call {number} would have been answered {out}: {call}")
                return None
        return frozenset(outs)

    def _settle(self, before: _Situation[State], state: State, done: frozenset[int]) -> _Situation[State] | None:
        """Return the situation after a step, with its answered queries done; None at a dead end."""
        version = self.spec.version(state)
        left = self.spec.version(before.state)
        changed = version != left
        if changed:
            if not done.issuperset(self.seen_of.get(left, ())):
                self._object(before.at, f"version {left} would be left before it looked as it was seen")
                return None
            done = frozenset(number for number in done if number >= 0)
            if version in self.faces and self.faces[version] != (faces := self.spec.faces(state)):
                self._object(before.at, f"version {version} would show {faces}, but was seen as {self.faces[version]}")
                return None
        done = done.union(self._visible(state, done))
        for number in self.open[before.at]:
            told = self.calls[number].told
            if number not in done and told is not None:
                if self.asks[number] and self._is_answered(state, number, changed):
                    done |= {number}
                elif told.version is not None and told.version < version:
                    self._object(before.at, f"call {number} would have to wait for ever: {self.calls[number]}")
                    return None
        return _Situation(before.at, state, done)

    def _visible(self, state: State, done: frozenset[int]) -> Sequence[int]:
        """Return the sights that become true now in this version."""
        unseen = [number for number in self.seen_of.get(self.spec.version(state), ()) if number not in done]
        if not unseen:
            return ()
        everything = self.spec.everything(state)
        return [number for number in unseen if self.sights[~number].everything == everything]

    def _restart(self, situation: _Situation[State]) -> _Situation[State] | None:
        state = self.spec.restart(situation.state)
        done = frozenset(number for number in situation.done if number < 0)
        return self._pass(_Situation(situation.at + 1, state, done.union(self._visible(state, done))))

    def _is_answered(self, state: State, number: int, changed: bool) -> bool:
        call = self.calls[number]
        if call.told is None or call.told.version not in (None, self.spec.version(state)):
            return False
        out = self.spec.answer(state, call.op, changed)
        return out is not None and call.told.fits(out)

    # --- reporting --------------------------------------------------------------------------------

    def _object(self, at: int, objection: str) -> None:
        if self.farthest is None or at >= self.farthest.at:
            self.objections.append(objection)

    def report(self) -> str:
        """Return a description of the longest attempt, and the objections to its continuation."""
        if self.farthest is None:
            return "nothing can come first: " + "; ".join(self.objections[:1])
        event = self.events[self.farthest.at]
        about = str(self.sights[event.number]) if event.kind is _Kind.SEEN else f"call {event.number}"
        lines = [
            f"no order explains this history beyond moment {event.moment} ({event.kind.name} of {about})",
            f"{len(self.events)} events, {len(self.seen)} situations, {self.steps} steps",
            f"the state there: {self.spec.key(self.farthest.state)}",
            "open calls there:",
            *(f"  {number}: {self.calls[number]}" for number in self.open[self.farthest.at]),
            "objections there:",
            *(f"  {objection}" for objection in list(dict.fromkeys(self.objections))[:20]),
        ]
        return "\n".join(lines)
