"""A judge of concurrent histories: can what was observed be explained by doing one thing after another?

A history is what callers of a live game have seen: each call with the moments at which it began and ended, and its
answer. It is judged against a specification, a purely sequential model of the game. The verdict is good if there is an
order in which the model, given the same calls one after another, gives everybody the answer that they got, and in
which no call comes before one that had ended when it began. (That is linearizability; the search is that of Wing and
Gong with Lowe's memory of visited states, as in porcupine.)

Two things go beyond the usual:

- A call may be parked: the model does not answer it when it begins, but in the step of a later call. Each answer must
  fall between the call's begin and its end.
- A call may be cancelled. Then either it never happened, or it was parked and is taken back: after its begin there is
  a step that withdraws it, no earlier than its cancellation was asked for and no later than its caller was gone, and
  the model must not have answered it before. So whoever wins something after having left is found out.

How to judge another game: write a `Spec` around its naive model, record calls of the live game with
`tests.recorder.Recorder`, and `judge(calls, spec)`. Pure: no trio, no clock; moments are any integers that grow.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Op = TypeVar("Op")
Answer = TypeVar("Answer")
State = TypeVar("State")
Op_contra = TypeVar("Op_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True)
class Call(Generic[Op, Answer]):
    """One call: what was asked, when it began and ended, and its answer.

    `cancelled` is the moment at which somebody asked for its cancellation, if it ended so; `answer` is then None.
    A call that was answered in spite of a cancellation counts as answered.
    """

    op: Op
    began: int
    ended: int
    answer: Answer | None = None
    cancelled: int | None = None

    def __str__(self) -> str:
        how = f"-> {self.answer}" if self.cancelled is None else f"cancelled at {self.cancelled}"
        return f"{self.began:>4} to {self.ended:>4}  {self.op} {how}"


class Spec(Protocol[State, Op_contra, Answer_co]):
    """A sequential model: states are values that never change, tickets are positions in the history."""

    def start(self) -> State:
        """The state before the first call."""

    def step(self, state: State, ticket: int, op: Op_contra) -> tuple[State, Mapping[int, Answer_co]]:
        """Begin a call: the next state, and the answers to all calls that this step answers, this or parked ones."""

    def withdraw(self, state: State, ticket: int) -> State:
        """Take back a parked call. It must answer nobody."""

    def key(self, state: State) -> Hashable:
        """Equal for two states only if they have the same future."""


@dataclass(frozen=True)
class Step:
    """A step of an explanation: the call with this number in the history begins, or is withdrawn."""

    number: int
    withdrawn: bool = False


class NotExplained(AssertionError):
    """No order explains the history."""


def judge(calls: Sequence[Call[Op, Answer]], spec: Spec[State, Op, Answer]) -> list[Step]:
    """An order that explains the history.

    Raises NotExplained if there is none: with the history, and how far the longest attempt came.
    """
    search = _Search(calls, spec)
    order = search.run()
    if order is None:
        raise NotExplained(search.report())
    return order


class _Search(Generic[State, Op, Answer]):
    """A depth-first search for an order, which never tries the same situation twice."""

    # A situation is: which calls have begun, which are done (answered or withdrawn), as bit sets, and the model's
    # state. How far time has come follows from the first two: no step can be earlier than the begin of a call that has
    # begun. So a step at `moment` is possible as long as no call that is not done ended before it.

    def __init__(self, calls: Sequence[Call[Op, Answer]], spec: Spec[State, Op, Answer]) -> None:
        self.calls = calls
        self.spec = spec
        self.order: list[Step] = []
        self.longest: list[Step] = []
        self.objection = "nothing can come first"
        self.seen: set[tuple[int, int, Hashable]] = set()

    def run(self) -> list[Step] | None:
        return self.order if self._explain(self.spec.start(), 0, 0, -1) else None

    def _explain(self, state: State, begun: int, done: int, now: int) -> bool:
        situation = (begun, done, self.spec.key(state))
        if situation in self.seen:
            return False
        self.seen.add(situation)
        waiting = [n for n in range(len(self.calls)) if self._owes(n, begun, done)]
        if not waiting:
            return True
        deadline = min(self.calls[n].ended for n in waiting)
        for number, call in enumerate(self.calls):
            bit = 1 << number
            if not begun & bit:
                # For a cancelled call there is no deadline, it need not happen; but late it cannot happen either.
                if call.began < deadline and now < call.ended:
                    after, answers = self.spec.step(state, number, call.op)
                    answered = self._check(Step(number), answers, begun | bit, done)
                    if answered is not None and self._go(
                        Step(number), after, begun | bit, done | answered, max(now, call.began)
                    ):
                        return True
            elif call.cancelled is not None and not done & bit and call.cancelled < deadline:
                after = self.spec.withdraw(state, number)
                if self._go(Step(number, withdrawn=True), after, begun, done | bit, max(now, call.cancelled)):
                    return True
        return False

    def _owes(self, number: int, begun: int, done: int) -> bool:
        """Whether something must still happen to that call."""
        bit = 1 << number
        return not done & bit and (bool(begun & bit) or self.calls[number].cancelled is None)

    def _check(self, step: Step, answers: Mapping[int, Answer], begun: int, done: int) -> int | None:
        """The bits of those answered, or None if anybody got a different answer, or none."""
        bits = 0
        for number, answer in answers.items():
            call, bit = self.calls[number], 1 << number
            if not begun & bit or done & bit or call.cancelled is not None or call.answer != answer:
                if len(self.order) >= len(self.longest):
                    self.longest = [*self.order, step]
                    self.objection = f"then call {number} would have been answered {answer}"
                return None
            bits |= bit
        return bits

    def _go(self, step: Step, state: State, begun: int, done: int, now: int) -> bool:
        self.order.append(step)
        if len(self.order) > len(self.longest):
            self.longest = self.order.copy()
            self.objection = "then nothing fits"
        if self._explain(state, begun, done, now):
            return True
        self.order.pop()
        return False

    def report(self) -> str:
        history = "\n".join(f"{number:>4}: {call}" for number, call in enumerate(self.calls))
        order = " ".join(f"{'-' if step.withdrawn else ''}{step.number}" for step in self.longest)
        return f"no order explains this history:\n{history}\nthe longest attempt ({order}): {self.objection}"
