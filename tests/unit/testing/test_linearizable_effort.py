"""`linearizable` judges long histories with little work. The figure is how often the model is applied, not the time.

Partitions: thousands of calls, with and without lost answers, right and wrong; overlapping calls without a reader; many
calls of unknown outcome, with different operations and with equal ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from scramble.testing import History
from tests.unit.testing.recorder import Recorder, Register, busy, is_linearizable


class Counted(Register):
    """A register that counts how often any of its copies is applied."""

    applied = 0

    def apply(self, operation: object) -> object:
        Counted.applied += 1
        return super().apply(operation)


def effort(history: History) -> tuple[bool, int]:
    """Return the verdict, and how often it applied the model."""
    Counted.applied = 0
    return is_linearizable(history, Counted()), Counted.applied


def test_two_thousand_calls_of_ten_clients_are_judged() -> None:
    is_right, applied = effort(busy(2_000, 10).history)

    assert is_right
    assert applied < 40_000


def test_two_thousand_calls_with_lost_answers_are_judged() -> None:
    """Calls of unknown outcome stay possible for ever: twenty pile up."""
    is_right, applied = effort(busy(2_000, 10, unknown=0.01).history)

    assert is_right
    assert applied < 40_000


def test_a_violation_after_many_calls_is_found() -> None:
    for calls, clients in ((2_000, 4), (200, 10)):
        recorder = busy(calls, clients)
        recorder.do("reader", "read", -1)
        is_right, applied = effort(recorder.history)
        assert not is_right
        assert applied < 20_000


def ten_writers() -> Recorder:
    """Record ten writes of different values that all overlap."""
    recorder = Recorder()
    writes = [recorder.start(number, ("write", number)) for number in range(10)]
    for write in writes:
        write.returns(None)
    return recorder


def test_ten_overlapping_writes_leave_one_value() -> None:
    for value in range(10):
        recorder = ten_writers()
        recorder.do("reader", "read", value)
        recorder.do("reader", "read", value)
        assert is_linearizable(recorder.history)

    recorder.do("reader", "read", 0)
    is_right, applied = effort(recorder.history)
    assert not is_right
    assert applied < 20_000


def test_ten_overlapping_writes_are_read_one_after_another() -> None:
    recorder = Recorder()
    writes = [recorder.start(number, ("write", number)) for number in range(10)]
    for number in (3, 1, 4, 5, 9, 2, 6, 8, 7, 0):
        recorder.do("reader", "read", number)
    for write in writes:
        write.returns(None)
    assert is_linearizable(recorder.history)

    recorder.do("reader", "read", 1)
    is_right, applied = effort(recorder.history)
    assert not is_right
    assert applied < 20_000


def thirty_lost(name: str, values: Iterator[int]) -> Recorder:
    recorder = Recorder()
    for number, value in zip(range(30), values, strict=False):
        recorder.start(number, (name, value)).is_lost()
    return recorder


def test_thirty_writes_of_unknown_outcome_are_read_in_any_order_but_once() -> None:
    order = list(range(100, 130))
    Random(2).shuffle(order)
    recorder = thirty_lost("write", iter(range(100, 130)))
    recorder.do("reader", "read", 0)
    for value in order:
        recorder.do("reader", "read", value)
    is_right, applied = effort(recorder.history)
    assert is_right
    assert applied < 20_000

    recorder.do("reader", "read", order[0])
    is_right, applied = effort(recorder.history)
    assert not is_right
    assert applied < 20_000


def test_thirty_equal_calls_of_unknown_outcome_are_counted() -> None:
    recorder = thirty_lost("add", iter([1] * 30))
    for value in range(31):
        recorder.do("reader", "read", value)
    is_right, applied = effort(recorder.history)
    assert is_right
    assert applied < 20_000

    recorder.do("reader", "read", 31)
    is_right, applied = effort(recorder.history)
    assert not is_right
    assert applied < 20_000
