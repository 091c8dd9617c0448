"""The judge of recorded histories (tests/support/linearizability.py), tested with histories written by hand.

Strategy: a gate. Callers wait at the gate until another caller opens it, and its version counts the openings.
Partitions, each with histories that must pass and histories that must not:
- calls: one after another; overlapping; with a version, and without
- parked: answered by a call that overlaps; by a call that ended before; with and without the answer that it waits
- questions: before and after a change; a watch for the next change
- outcome unknown: never happened; happened before the cut, or long after it; not after the known end of the call
- withdrawn: after the cancel request; not before; not if the call was answered
- killed: an open call may have happened before the kill, never after it; the kill ends the wait of waiting calls
- sights: of a version that was reached, and of a version that was not; several of one version; an impossible sight
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import pytest

from tests.support.history import Call, History, Sight
from tests.support.linearizability import NotExplained, NoVerdict, check


class Gate(NamedTuple):
    """The number of openings, the number of calls that the last opening let through, and the waiting tickets."""

    version: int = 0
    last: int = 0
    waiters: tuple[int, ...] = ()


class Said(NamedTuple):
    """An answer, and its version if it has a version."""

    text: str
    version: int | None = None

    def fits(self, out: Said) -> bool:
        return self.text == out.text and self.version in (None, out.version)


class GateSpec:
    """Ops: "wait"; "open" (answer: the number let through); "look" (answer: that of the last opening); "watch"."""

    def start(self) -> Gate:
        return Gate()

    def restart(self, state: Gate) -> Gate:
        return state._replace(waiters=())

    def step(self, state: Gate, ticket: int, op: str) -> tuple[Gate, Mapping[int, Said]]:
        if op == "wait":
            return state._replace(waiters=(*state.waiters, ticket)), {}
        after = Gate(state.version + 1, len(state.waiters))
        through = dict.fromkeys(state.waiters, Said("through", after.version))
        return after, {ticket: Said(str(after.last), after.version)} | through

    def withdraw(self, state: Gate, ticket: int) -> Gate:
        return state._replace(waiters=tuple(waiter for waiter in state.waiters if waiter != ticket))

    def parked(self, state: Gate) -> Sequence[int]:
        return state.waiters

    def may_leap(self, state: Gate, op: str) -> bool:
        return op == "wait"

    def is_idle(self, state: Gate, op: str) -> bool:
        return False

    def changes_nothing(self, op: str) -> bool:
        return op in ("look", "watch")

    def answer(self, state: Gate, op: str, changed: bool) -> Said | None:
        return Said(str(state.last), state.version) if changed or op == "look" else None

    def version(self, state: Gate) -> int:
        return state.version

    def faces(self, state: Gate) -> Hashable:
        return state.last

    def everything(self, state: Gate) -> Hashable:
        return state.last, len(state.waiters)

    def key(self, state: Gate) -> Hashable:
        return state


GateCall = Call[str, Said]


def explained(
    *calls: GateCall,
    kills: Sequence[int] = (),
    sights: Mapping[Sight, int] | None = None,
) -> bool:
    history: History[str, Said] = History(calls=list(calls), kills=list(kills), sights=dict(sights or {}))
    try:
        check(history, GateSpec())
    except NotExplained:
        return False
    return True


def opened(began: int, ended: int, through: int, version: int | None = None) -> GateCall:
    return Call("open", began, ended, Said(str(through), version))


def waited(began: int, ended: int, version: int | None = None, told: int | None = None) -> GateCall:
    return Call("wait", began, ended, Said("through", version), waited=told)


def looked(began: int, ended: int, last: int, version: int | None = None) -> GateCall:
    return Call("look", began, ended, Said(str(last), version))


def watched(began: int, ended: int, last: int, version: int | None = None) -> GateCall:
    return Call("watch", began, ended, Said(str(last), version))


def cut(op: str, began: int, left: int | None = None, over: int | None = None) -> GateCall:
    return Call(op, began, left=left, over=over)


def withdrawn(began: int, left: int, ended: int) -> GateCall:
    return Call("wait", began, ended, None, left=left)


def test_an_empty_history_is_explained_by_doing_nothing() -> None:
    assert explained()


def test_calls_one_after_another_are_explained_in_their_order_only() -> None:
    assert explained(opened(1, 2, 0, 1), opened(3, 4, 0, 2))
    assert not explained(opened(1, 2, 0, 2), opened(3, 4, 0, 1))


def test_overlapping_calls_are_explained_in_any_order() -> None:
    assert explained(opened(1, 4, 0, 2), opened(2, 3, 0, 1))
    assert explained(opened(1, 4, 0), opened(2, 3, 0))
    assert not explained(opened(1, 4, 0, 1), opened(2, 3, 0, 1))


def test_a_parked_call_is_answered_by_one_that_overlaps_it() -> None:
    assert explained(waited(1, 5), opened(2, 4, 1))
    assert explained(waited(1, 5), waited(2, 6), opened(3, 4, 2))
    assert not explained(waited(1, 2))
    assert not explained(opened(1, 2, 1), waited(3, 4))
    assert not explained(waited(1, 5), opened(2, 4, 0))


def test_who_was_told_to_wait_had_begun_to_by_then() -> None:
    assert explained(waited(1, 9, told=3), opened(2, 4, 0), opened(5, 6, 1))
    assert explained(waited(1, 9), opened(4, 5, 0), opened(6, 7, 1))
    assert not explained(waited(1, 9, told=3), opened(4, 5, 0), opened(6, 7, 1))
    assert not explained(Call("open", 1, 4, Said("0"), waited=2))


def test_a_question_is_answered_at_any_moment_of_its_call() -> None:
    assert explained(waited(1, 4), opened(2, 3, 1), looked(2, 3, 0))
    assert explained(waited(1, 4), opened(2, 3, 1), looked(2, 3, 1))
    assert not explained(waited(1, 4), opened(2, 3, 1), looked(5, 6, 0))
    assert not explained(waited(1, 4), opened(2, 3, 1), looked(5, 6, 1, 2))


def test_an_answer_from_the_past_is_not_explained() -> None:
    assert explained(opened(1, 2, 0), looked(2, 9, 0, 0)) is False
    assert explained(opened(2, 3, 0), looked(1, 9, 0, 0))


def test_a_watch_is_answered_by_a_change_that_happens_meanwhile() -> None:
    assert explained(watched(1, 4, 0, 1), opened(2, 3, 0))
    assert not explained(watched(1, 2, 0), opened(3, 4, 0))
    assert not explained(opened(1, 2, 0), watched(3, 4, 0, 1))
    assert not explained(watched(1, 4, 0, 0), opened(2, 3, 0))


def test_a_call_of_unknown_outcome_may_never_have_happened() -> None:
    assert explained(cut("open", 1), looked(2, 3, 0, 0))
    assert explained(cut("wait", 1), opened(2, 3, 0))


def test_a_call_of_unknown_outcome_may_have_happened_at_any_time_after_it_began() -> None:
    assert explained(cut("open", 1), looked(2, 3, 0, 1))
    assert explained(cut("open", 1), looked(2, 3, 0, 0), looked(4, 5, 0, 1))
    assert not explained(looked(1, 2, 0, 1), cut("open", 3))
    assert not explained(cut("open", 1), looked(2, 3, 0, 1), looked(4, 5, 0, 2))


def test_a_call_of_unknown_outcome_never_happens_after_it_was_over() -> None:
    assert explained(cut("open", 1, over=6), looked(2, 3, 0, 0), looked(4, 5, 0, 1))
    assert not explained(cut("open", 1, over=3), looked(4, 5, 0, 0), looked(6, 7, 0, 1))
    assert explained(cut("open", 1, over=3), looked(4, 5, 0, 1))


def test_a_cut_call_that_was_parked_may_be_withdrawn_from_the_cut_on_and_is_when_it_is_over() -> None:
    assert explained(cut("wait", 1, left=4), opened(2, 3, 1), opened(5, 6, 0))
    assert explained(cut("wait", 1, left=2), opened(3, 4, 1))
    assert not explained(cut("wait", 1, left=2, over=3), opened(4, 5, 1))
    assert explained(cut("wait", 1, left=2, over=3), opened(4, 5, 0))
    assert not explained(Call("wait", 1, waited=2, left=6), opened(3, 4, 0))
    assert explained(Call("wait", 1, waited=2, left=3), opened(4, 5, 0))


def test_a_call_that_was_called_off_was_parked_and_answered_nobody() -> None:
    assert explained(withdrawn(1, 2, 3), opened(4, 5, 0))
    assert not explained(withdrawn(1, 2, 3), opened(4, 5, 1))
    assert explained(withdrawn(1, 4, 6), opened(2, 7, 0), looked(3, 5, 0, 1))
    assert not explained(Call("wait", 1, 8, None, waited=2, left=6), opened(3, 5, 0))
    assert not explained(Call("open", 1, 3, None, left=2))


def test_what_was_open_at_a_kill_may_have_happened_before_it_and_never_after() -> None:
    assert explained(cut("open", 1), looked(3, 4, 0, 1), kills=[2])
    assert explained(cut("open", 1), looked(3, 4, 0, 0), kills=[2])
    assert not explained(cut("open", 1), looked(3, 4, 0, 0), looked(5, 6, 0, 1), kills=[2])


def test_what_was_answered_before_a_kill_is_there_after_it() -> None:
    assert explained(opened(1, 2, 0), looked(4, 5, 0, 1), kills=[3])
    assert not explained(opened(1, 2, 0), looked(4, 5, 0, 0), kills=[3])


def test_nobody_who_waited_at_a_kill_waits_after_it() -> None:
    assert explained(cut("wait", 1), opened(3, 4, 0), kills=[2])
    assert not explained(cut("wait", 1), opened(3, 4, 1), kills=[2])
    assert explained(cut("wait", 1), cut("open", 2), looked(4, 5, 1, 1), kills=[3])


def seen(version: int, last: int, waiters: int) -> Sight:
    return Sight(version, last, (last, waiters))


def test_a_version_shows_what_was_seen_of_it() -> None:
    assert explained(waited(1, 5), opened(2, 4, 1), sights={seen(1, 1, 0): 3})
    assert not explained(waited(1, 5), opened(2, 4, 1), sights={seen(1, 0, 0): 3})
    assert not explained(waited(1, 5), opened(2, 4, 1), sights={seen(1, 1, 1): 3})


def test_what_was_seen_was_so_by_then() -> None:
    assert explained(opened(1, 4, 0), sights={seen(1, 0, 0): 3})
    assert not explained(opened(5, 6, 0), sights={seen(1, 0, 0): 3})
    assert explained(cut("open", 1), sights={seen(1, 0, 0): 3})
    assert not explained(cut("open", 1, over=2), looked(3, 4, 0, 0), sights={seen(1, 0, 0): 5})


def test_all_that_was_seen_of_a_version_was_so_at_some_moment_of_it() -> None:
    waits = [waited(1, 9), waited(2, 8), opened(6, 7, 2)]
    assert explained(*waits, sights={seen(0, 0, 0): 3, seen(0, 0, 1): 4, seen(0, 0, 2): 5})
    assert not explained(*waits, sights={seen(0, 0, 3): 3})
    assert not explained(*waits, sights={seen(1, 2, 1): 8})
    assert explained(cut("wait", 1), opened(2, 5, 1), sights={seen(0, 0, 1): 3})
    assert not explained(cut("wait", 1), opened(2, 5, 0), sights={seen(0, 0, 1): 6})


def test_what_nobody_may_see_is_explained_by_nothing() -> None:
    with pytest.raises(NotExplained, match="after version 2 came 1"):
        check(History[str, Said](contradictions=["after version 2 came 1"]), GateSpec())


def test_a_thousand_calls_are_judged_in_about_as_many_situations() -> None:
    history: History[str, Said] = History()
    for number in range(0, 4000, 4):
        history.calls.append(waited(number, number + 3, number // 4 + 1))
        history.calls.append(opened(number + 1, number + 2, 1, number // 4 + 1))
    assert check(history, GateSpec()).situations < 3000


def test_a_search_that_takes_too_long_ends_without_a_verdict() -> None:
    writers = [opened(n, 100 - n, 0) for n in range(1, 12)]
    history: History[str, Said] = History(calls=[*writers, looked(101, 102, 1)])
    with pytest.raises(NoVerdict):
        check(history, GateSpec(), most=5)


def test_of_calls_that_are_alike_the_one_that_is_over_first_may_stand_for_the_others() -> None:
    assert explained(cut("open", 1), cut("open", 2, over=5), looked(3, 4, 0, 1), looked(6, 7, 0, 2))
    assert explained(cut("open", 1, over=5), cut("open", 2), looked(3, 4, 0, 1), looked(6, 7, 0, 2))
    assert not explained(cut("open", 1, over=5), cut("open", 2, over=5), looked(3, 4, 0, 1), looked(6, 7, 0, 3))
