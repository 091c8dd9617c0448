"""`linearizable` accepts a history exactly if some order of its calls explains all answers.

Strategy: partitions and which test covers which
- calls: none; one after another; overlapping; overlapping calls of one client (for unknown outcomes see test_history)
- models: dataclass; frozen dataclass; with dict, list, slots; equal by a method; mutates its operation; without
  equality by value, itself or deep inside; raises. The model is left unchanged in all of these
- answers: equal but not identical; of another type; lists
- histories: all kinds with at most six calls, compared with a search of all orders (test_linearizable_effort has long
  histories)
- the message: the calls of the window; none of the calls before and after it; the state before it
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

import pytest

from scramble.testing import History, NotLinearizable, linearizable
from tests.unit.testing.recorder import Recorder, Register, Running, busy, is_linearizable, sequence

# Orders


def test_an_empty_history_is_linearizable() -> None:
    linearizable(History(), Register())


def test_one_call_after_another_has_one_order() -> None:
    assert is_linearizable(sequence((("write", 1), None), ("read", 1), (("write", 2), None), ("read", 2)))
    assert not is_linearizable(sequence((("write", 1), None), (("write", 2), None), ("read", 1)))
    assert not is_linearizable(sequence(("read", 1), (("write", 1), None)))


def test_the_first_call_starts_from_the_state_of_the_model() -> None:
    assert is_linearizable(sequence(("read", 5)), Register(5))
    assert not is_linearizable(sequence(("read", 0)), Register(5))


def test_the_order_of_two_clients_without_overlap_counts() -> None:
    recorder = Recorder()
    recorder.do("a", ("write", 1), None)
    recorder.do("b", "read", 0)

    assert not is_linearizable(recorder.history)


def test_overlapping_calls_have_any_order() -> None:
    for first, second in ((0, 0), (0, 1), (1, 1), (1, 0)):
        recorder = Recorder()
        write = recorder.start("a", ("write", 1))
        recorder.do("b", "read", first)
        recorder.do("b", "read", second)
        write.returns(None)
        assert is_linearizable(recorder.history) is ((first, second) != (1, 0))


def test_overlapping_calls_of_one_client_have_any_order() -> None:
    recorder = Recorder()
    write = recorder.start("a", ("write", 1))
    read = recorder.start("a", "read")
    write.returns(None)
    read.returns(0)

    assert is_linearizable(recorder.history)


def test_a_lost_update_is_found() -> None:
    recorder = Recorder()
    one = recorder.start("a", ("add", 1))
    other = recorder.start("b", ("add", 1))
    one.returns(1)
    other.returns(1)

    assert not is_linearizable(recorder.history)


# Models and answers


@dataclass(frozen=True)
class Sum:
    """A frozen model: its value is changed in the only way that is left."""

    total: int = 0

    def apply(self, operation: int) -> int:
        object.__setattr__(self, "total", self.total + operation)
        return self.total


@dataclass(frozen=True)
class Stacks:
    """A frozen model with containers: it has a hash method, which raises."""

    stacks: dict[str, list[int]] = field(default_factory=dict)

    def apply(self, operation: tuple[str, int]) -> list[int]:
        name, number = operation
        self.stacks.setdefault(name, []).append(number)
        return self.stacks[name]


class Slots:
    """A model with slots, equality by a method, and a representation that says nothing."""

    __slots__ = ("words",)

    def __init__(self) -> None:
        self.words: set[str] = set()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slots) and self.words == other.words

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Slots"

    def apply(self, operation: str) -> int:
        self.words.add(operation)
        return len(self.words)


class Greedy(Register):
    """A register that consumes its operation."""

    def apply(self, operation: object) -> object:
        assert isinstance(operation, list)
        assert operation, "the operation was consumed before"
        name = operation.pop(0)
        return super().apply((name, *operation) if operation else name)


def test_a_frozen_dataclass_is_a_model() -> None:
    assert is_linearizable(sequence((1, 1), (2, 3)), Sum())
    assert not is_linearizable(sequence((1, 1), (2, 2)), Sum())


def test_a_model_has_containers() -> None:
    calls = ((("x", 1), [1]), (("y", 2), [2]), (("x", 3), [1, 3]))
    model = Stacks()

    assert is_linearizable(sequence(*calls), model)
    assert not is_linearizable(sequence(*calls, (("y", 4), [4])), model)
    assert model == Stacks({})


def overlapping(*calls: tuple[object, object]) -> History:
    """Record calls that all overlap: pairs of operation and answer."""
    recorder = Recorder()
    running = [(recorder.start(client, operation), answer) for client, (operation, answer) in enumerate(calls)]
    for call, answer in running:
        call.returns(answer)
    return recorder.history


def test_states_are_equal_by_the_models_own_equality() -> None:
    """All states of `Slots` have one representation and one hash: they must not be taken for one state."""
    words = [(word, answer) for answer, word in reversed(list(enumerate("abcdefgh", 1)))]

    assert is_linearizable(overlapping(*words), Slots())
    assert not is_linearizable(overlapping(*words, ("a", 9)), Slots())
    assert is_linearizable(overlapping(*words, ("a", 8)), Slots())


def test_a_model_changes_its_operation() -> None:
    recorder = Recorder()
    writes = [recorder.start(client, ["write", client]) for client in range(4)]
    for write in writes:
        write.returns(None)
    for _ in range(2):
        recorder.do("reader", ["read"], 0)

    assert is_linearizable(recorder.history, Greedy())
    assert is_linearizable(recorder.history, Greedy())
    recorder.do("reader", ["read"], 1)
    assert not is_linearizable(recorder.history, Greedy())


def test_the_model_is_left_unchanged() -> None:
    for model in (Register(3), Greedy(3)):
        before = copy.deepcopy(model)
        recorder = Recorder()
        is_greedy = isinstance(model, Greedy)
        recorder.do("a", ["add", 1] if is_greedy else ("add", 1), 4)
        assert is_linearizable(recorder.history, model)
        assert model == before
        recorder.do("a", ["read"] if is_greedy else "read", 3)
        assert not is_linearizable(recorder.history, model)
        assert model == before


class ByIdentity:
    def apply(self, operation: object) -> object:
        return operation


@dataclass
class Deep:
    inner: list[ByIdentity] = field(default_factory=lambda: [ByIdentity()])

    def apply(self, operation: object) -> object:
        return operation


@pytest.mark.parametrize("model", [ByIdentity(), Deep()], ids=["itself", "deep inside"])
def test_a_model_without_equality_by_value_is_a_type_error(model: ByIdentity | Deep) -> None:
    for history in (History(), sequence((1, 1)), overlapping((1, 1), (2, 2))):
        with pytest.raises(TypeError, match=type(model).__name__) as caught:
            linearizable(history, model)
        assert "__eq__" in str(caught.value) or "equal" in str(caught.value)


def test_an_exception_of_the_model_is_no_verdict() -> None:
    with pytest.raises(ValueError, match="jump"):
        linearizable(sequence(("jump", 1)), Register())


class Even:
    """Equal to each even number: an answer with its own equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and other % 2 == 0

    __hash__ = None  # type: ignore[assignment]


def test_answers_are_compared_with_equality() -> None:
    assert is_linearizable(sequence((("write", 1), None), ("read", 1.0), ("read", True)))
    assert is_linearizable(sequence((("write", 4), None), ("read", Even())))
    assert not is_linearizable(sequence((("write", 5), None), ("read", Even())))
    assert not is_linearizable(sequence((("write", 1), None), ("read", "1")))
    assert not is_linearizable(sequence((("write", 1), 0)))  # it answers None
    assert not is_linearizable(sequence(("read", None)))


# Against a search of all orders


class Made(NamedTuple):
    """A call as the search of all orders knows it: its effect is after `after` and before `before`."""

    operation: object
    answer: object
    after: float
    before: float
    must: bool
    """It returned; otherwise it may have no effect."""


def some_order_explains(calls: list[Made], model: Register) -> bool:
    """Try all orders of all subsets that contain the calls that returned."""
    if not any(call.must for call in calls):
        return True
    for call in calls:
        others = [other for other in calls if other is not call]
        if all(call.after < other.before for other in others):
            following = copy.copy(model)
            answer = following.apply(call.operation)
            if (not call.must or answer == call.answer) and some_order_explains(others, following):
                return True
            if not call.must and some_order_explains(others, model):
                return True
    return False


OPERATIONS: Final = (
    "read",
    "read",
    ("write", 0),
    ("write", 1),
    ("write", 2),
    ("add", 1),
    ("swap", 0, 1),
    ("swap", 1, 2),
)


class Story:
    """A random small history: three clients at a register, which now and then answers wrong."""

    def __init__(self, seed: int) -> None:
        self._random: Final = Random(seed)
        self._recorder: Final = Recorder()
        self._register: Final = Register()
        self._time = 0
        self._running: Final[list[tuple[Running, int]]] = []
        self._answers: Final[dict[int, object]] = {}
        self.made: Final[list[Made]] = []
        for _ in range(self._random.randint(4, 18)):
            self._step()
        self.history: Final = self._recorder.history

    def _step(self) -> None:
        self._time += 1
        if len(self._running) < 4 and len(self.made) < 6 and self._random.random() < 0.5:
            operation = self._random.choice(OPERATIONS)
            self._running.append((self._recorder.start(self._random.randrange(3), operation), len(self.made)))
            self.made.append(Made(operation, None, self._time, math.inf, must=False))
        elif self._running:
            place = self._random.randrange(len(self._running))
            running, number = self._running[place]
            call = self.made[number]
            if number not in self._answers and self._random.random() < 0.6:
                self._answers[number] = self._register.apply(call.operation)  # an effect, seen by nobody yet
                return
            kind = self._random.random()
            if kind < 0.1:
                running.waits()
                self.made[number] = call._replace(after=self._time)
                return
            del self._running[place]
            if kind < 0.3:
                running.is_lost()
            elif kind < 0.35:
                running.is_cancelled()
                self.made[number] = call._replace(before=-math.inf)
            else:
                answer = self._answers.get(number, self._random.choice((0, 1, 2, True, None)))
                running.returns(answer)
                self.made[number] = call._replace(answer=answer, before=self._time, must=True)

    def is_explained(self) -> bool:
        return some_order_explains([call for call in self.made if call.before > 0], Register())


def test_the_verdict_is_that_of_a_search_of_all_orders() -> None:
    verdicts = {True: 0, False: 0}
    for seed in range(1_500):
        story = Story(seed)
        expected = story.is_explained()
        verdicts[expected] += 1
        assert is_linearizable(story.history) is expected, (seed, story.made)

    assert min(verdicts.values()) > 400, verdicts


# The message


def refused(history: History, model: Register | None = None) -> str:
    with pytest.raises(NotLinearizable) as caught:
        linearizable(history, model or Register())
    assert isinstance(caught.value, AssertionError)
    return str(caught.value)


def test_the_message_has_the_calls_of_the_window_and_the_state_before_it() -> None:
    """A violation among 400 right calls: the message has no call that comes before or after it."""
    recorder = Recorder()
    for number in range(1_000, 1_100):
        recorder.do("early", ("write", number), None)
        recorder.do("early", "read", number)
    write = recorder.start("bold", ("write", 7))
    recorder.do("sly", "read", 7)
    recorder.do("shy", "read", 1_099)
    write.returns(None)
    for number in range(2_000, 2_100):
        recorder.do("late", ("write", number), None)
        recorder.do("late", "read", number)
    message = refused(recorder.history)

    assert "bold" in message
    assert "sly" in message
    assert "shy" in message
    assert "('write', 7)" in message
    assert "Register(value=1099)" in message
    assert "early" not in message
    assert "late" not in message.replace("later", "")
    assert "Register(value=7)" not in message
    assert len(message.splitlines()) < 15


def test_a_wrong_answer_alone_is_its_own_window() -> None:
    history = sequence(*(pair for number in range(100) for pair in ((("write", number), None), ("read", number))))
    with history.call("b", "read") as call:
        call.returned("nonsense")
    message = refused(history)

    assert "nonsense" in message
    assert "Register(value=99)" in message
    assert "98" not in message


def test_the_window_has_the_calls_of_unknown_outcome_that_overlap_it() -> None:
    """A call of unknown outcome whose effect was seen before the window belongs to the state before it."""
    recorder = Recorder()
    recorder.start("seen", ("write", 4)).is_lost()
    recorder.start("lost", ("write", 5)).is_lost()
    recorder.do("reader", "read", 4)
    recorder.do("reader", "read", 0)
    message = refused(recorder.history)

    assert "Register(value=4)" in message
    assert "lost" in message
    assert "unknown" in message
    assert "seen" not in message


def test_the_window_is_small_if_a_call_is_open_at_each_moment() -> None:
    """A call of `slow` lasts for the whole history."""
    recorder = Recorder()
    slow = recorder.start("slow", ("add", 1))
    for number in range(1_000, 1_100):
        recorder.do("a", ("write", number), None)
    recorder.do("b", "read", 7)
    slow.returns(1_100)
    message = refused(recorder.history)

    assert "Register(value=1099)" in message
    assert "slow" in message
    assert "1050" not in message
    assert len(message.splitlines()) < 30

    recorder = busy(200, 10)
    recorder.do("b", "read", -1)
    assert len(refused(recorder.history).splitlines()) < 60


def test_a_history_is_judged_again_after_more_calls() -> None:
    recorder = Recorder()
    recorder.do("a", ("write", 1), None)
    linearizable(recorder.history, Register())
    linearizable(recorder.history, Register())
    recorder.do("a", "read", 0)
    assert refused(recorder.history) == refused(recorder.history)
