"""The checker of histories over sockets (tests/support/linearizability.py) on waiting and cancelled calls, by hand.

Strategy: a register (write it, read it) for calls with an immediate answer, and a gate (wait at it, open it) for parked
calls. Partitions, each with histories that must pass and histories that must not:
- calls: one after another; overlapping; overlapping one long call
- parked: answered by a call that overlaps; by a call that ended before; by a call that began after
- cancelled: before the effect; while parked, withdrawn before or after an opening; answered despite the cancellation

(Versions, questions, sights, kills and unknown outcomes: test_checker.py.)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import pytest

from tests.support.history import Call, Exactly, History
from tests.support.linearizability import NotExplained, Spec, Unversioned, check


class Register(Unversioned[int, int]):
    """Ops: an int is written and answered with 0. None reads the register."""

    def start(self) -> int:
        return 0

    def step(self, state: int, ticket: int, op: int | None) -> tuple[int, Mapping[int, int]]:
        return (state, {ticket: state}) if op is None else (op, {ticket: 0})

    def key(self, state: int) -> Hashable:
        return state


Waiters = tuple[int, ...]


class Gate(Unversioned[Waiters, str]):
    """Ops: "wait" waits for an opening. "open" lets all waiting calls through; its answer is their number."""

    def start(self) -> Waiters:
        return ()

    def step(self, state: Waiters, ticket: int, op: str) -> tuple[Waiters, Mapping[int, str]]:
        if op == "wait":
            return (*state, ticket), {}
        return (), {ticket: str(len(state))} | dict.fromkeys(state, "through")

    def withdraw(self, state: Waiters, ticket: int) -> Waiters:
        return tuple(waiter for waiter in state if waiter != ticket)

    def parked(self, state: Waiters) -> Waiters:
        return state

    def key(self, state: Waiters) -> Hashable:
        return state


class Turnstile(Gate):
    """A gate with the operation "count": it counts the waiting calls."""

    def step(self, state: Waiters, ticket: int, op: str) -> tuple[Waiters, Mapping[int, str]]:
        if op == "count":
            return state, {ticket: str(len(state))}
        return super().step(state, ticket, op)


def explained(*calls: Call[str, str], spec: Spec[Waiters, str, str] | None = None) -> bool:
    try:
        check(History(calls=list(calls)), spec or Gate())
    except NotExplained:
        return False
    return True


def judge(calls: Sequence[Call[int | None, int]]) -> None:
    check(History(calls=list(calls)), Register())


def read(began: int, ended: int, value: int) -> Call[int | None, int]:
    return Call(None, began, ended, Exactly(value))


def write(began: int, ended: int, value: int) -> Call[int | None, int]:
    return Call(value, began, ended, Exactly(0))


def opened(began: int, ended: int, through: int) -> Call[str, str]:
    return Call("open", began, ended, Exactly(str(through)))


def waited(began: int, ended: int) -> Call[str, str]:
    return Call("wait", began, ended, Exactly("through"))


def counted(began: int, ended: int, waiters: int) -> Call[str, str]:
    return Call("count", began, ended, Exactly(str(waiters)))


def left(began: int, cancelled: int, ended: int, op: str = "wait") -> Call[str, str]:
    return Call(op, began, left=cancelled, over=ended, unanswered=True)


def test_an_empty_history_is_explained_by_doing_nothing() -> None:
    judge([])


def test_calls_one_after_another_are_explained_in_their_order_only() -> None:
    judge([write(1, 2, 7), read(3, 4, 7)])
    with pytest.raises(NotExplained, match="call 1 would have been answered 7"):
        judge([write(1, 2, 7), read(3, 4, 0)])


def test_overlapping_calls_are_explained_in_any_order() -> None:
    judge([write(1, 4, 7), read(2, 3, 7)])
    judge([write(1, 4, 7), read(2, 3, 0)])


def test_a_long_call_happens_once_and_not_for_each_that_overlaps_it() -> None:
    judge([write(1, 9, 7), read(2, 3, 0), read(4, 5, 7)])
    with pytest.raises(NotExplained):
        judge([write(1, 9, 7), read(2, 3, 7), read(4, 5, 0)])


def test_the_search_goes_back_as_far_as_it_must() -> None:
    writes = [write(1, 20, value) for value in range(1, 7)]
    judge([*writes, *(read(21 + 2 * i, 22 + 2 * i, 3) for i in range(5))])
    with pytest.raises(NotExplained):
        judge([*writes, read(21, 22, 3), read(23, 24, 4)])


def test_a_parked_call_is_answered_by_a_later_one() -> None:
    assert explained(waited(1, 5), opened(2, 4, 1))
    assert explained(waited(1, 5), waited(2, 6), opened(3, 4, 2))


def test_a_parked_call_that_nobody_answered_is_not_explained() -> None:
    assert not explained(waited(1, 2))
    assert not explained(opened(1, 2, 0), waited(3, 4))
    assert not explained(waited(1, 2), opened(3, 4, 1))


def test_a_call_that_should_have_been_answered_is_not_explained_if_it_was_not() -> None:
    assert not explained(waited(1, 6), opened(2, 3, 1), opened(4, 5, 1))
    assert not explained(left(1, 6, 7), opened(2, 3, 1))


def test_a_cancelled_call_may_never_have_happened() -> None:
    assert explained(left(1, 2, 3))
    assert explained(left(1, 2, 5), opened(3, 4, 0))
    assert explained(left(1, 2, 4, "open"), waited(2, 9), opened(7, 8, 1))


def test_a_cancelled_call_may_have_been_parked_and_withdrawn_when_it_was_cancelled() -> None:
    assert explained(left(1, 2, 5), opened(3, 4, 0))
    # the call began before the opening, but took effect after it
    assert explained(left(1, 6, 7), opened(2, 3, 0))


def test_a_call_is_never_answered_after_its_caller_has_left() -> None:
    assert not explained(left(1, 2, 3), opened(4, 5, 1))
    assert not explained(left(1, 2, 5), opened(3, 4, 1))


@pytest.mark.parametrize(("began", "seen", "possible"), [(2, 1, True), (2, 0, True), (6, 0, True), (6, 1, False)])
def test_others_see_a_parked_call_until_it_is_cancelled_and_not_after_its_end(
    began: int, seen: int, possible: bool
) -> None:
    assert explained(left(1, 4, 5), counted(began, began + 1, seen), spec=Turnstile()) is possible


def test_a_withdrawal_is_not_earlier_than_the_cancellation() -> None:
    seen = [counted(2, 3, 1), counted(4, 5, 0)]
    assert not explained(left(1, 6, 9), *seen, spec=Turnstile())
    assert explained(left(1, 4, 9), *seen, spec=Turnstile())
