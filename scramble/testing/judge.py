"""The judge of histories: it finds an order of the calls that explains all answers.

    linearizable(history, Register())      # raises NotLinearizable

A history is linearizable (Herlihy and Wing, 1990) if each call can take effect at one moment between its beginning and
its answer, so that a sequential model that gets the calls in this order gives exactly the observed answers. A call that
was seen to wait takes effect after that moment. A call of unknown outcome takes effect at any moment after its
beginning, or never. A cancelled call is left out.

The search takes one answer after another, in the order of time (Lowe, "Testing for linearizability", 2017). Calls take
effect only as far as the next answer requires it. A situation before an answer is the state of the model, and the calls
that have taken effect early. Three rules leave out situations that cannot help:

- A call with the right answer that does not change the state is explained. It may still take effect later, as may a
  call of unknown outcome.
- A situation is left out if another one has the same state, no more calls that have taken effect, and no fewer answers
  that are explained.
- Of open calls with equal operations and answers, the first to end takes effect first.

So the work for an answer depends on the open calls, and not on the length of the history. Calls of unknown outcome stay
open for ever.
"""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeAlias

from scramble.testing.history import Call, History
from scramble.testing.picture import picture

MOST_SITUATIONS: Final = 5
"""Situations before the window that the text shows."""

MOST_ANSWERS: Final = 20
"""Answers of a window that begins at a moment at which calls with answers are open."""

RECENT_STATES: Final = 64
"""States that are compared with a new state, to find the effects of calls that are known already."""


class Model(Protocol):
    """A sequential model: it answers one operation after another. Two models are equal if they have the same state."""

    def apply(self, operation: object, /) -> object:
        """Execute an operation; return its answer. Every operation has an answer in every state."""


class NotLinearizable(AssertionError):
    """No order explains the history.

    `window`: the calls of the smallest window that no order explains. It ends with the answer that contradicts all
    orders. It begins at the last moment before at which no call with an answer was open. If there is none among the
    last 20 answers, it begins at the one of them before which the fewest situations are possible.
    """

    def __init__(self, message: str, window: Sequence[Call]) -> None:
        super().__init__(message)
        self.window: Final = tuple(window)


def linearizable(history: History, model: Model, *, html: str | Path | None = None) -> None:
    """Find an order of the calls that explains the history. Blocks until an order is found, or none is possible.

    `model` has the state before the first call, and is left unchanged: the search works on deep copies of the model and
    of the operations. Answers are compared with `==`.

    Raises NotLinearizable if no order explains the history; `html` is then the file for a picture of the window: the
    calls of each client over time. Raises TypeError if the model has no equality of values; an exception of the model
    is raised unchanged. The time grows with the number of calls that are open at once, at worst exponentially.
    """
    _check_model(model)
    search = _Search(history.calls)
    if search.run(model):
        return
    window, last = search.window()
    message = search.message(window, last)
    if html is not None:
        Path(html).write_text(picture(window, last, message), encoding="utf-8", errors="backslashreplace")
        message += f"\na picture of the window: {html}"
    raise NotLinearizable(message, window)


def _check_model(model: Model) -> None:
    if not callable(getattr(model, "apply", None)):
        raise TypeError(f"the model needs a method apply(operation): {model!r}")
    if copy.deepcopy(model) != model:
        raise TypeError(
            f"a copy of the model is not equal to the model: {type(model).__name__} needs __eq__, for example of a "
            "dataclass, and so do all objects in it"
        )


class _State:
    """A state of the model, and the states that follow from it."""

    def __init__(self, model: Model) -> None:
        self.model: Final = model
        self._following: Final[dict[Call, _State | None]] = {}

    def after(self, call: Call, recent: deque[_State]) -> _State | None:
        """Return the state after the effect of this call; None if the call had another answer than the model.

        It is this object if the effect leaves the state as it is, and an object of `recent` if that has an equal state.
        """
        if call not in self._following:
            self._following[call] = self._apply(call, recent)
        return self._following[call]

    def _apply(self, call: Call, recent: deque[_State]) -> _State | None:
        model = copy.deepcopy(self.model)
        answer = model.apply(copy.deepcopy(call.operation))
        if call.ended is not None and answer != call.answer:
            return None
        if model == self.model:
            return self
        known = next((state for state in recent if state.model == model), None)
        if known is None:
            known = _State(model)
            recent.appendleft(known)
        return known


class _Situation(NamedTuple):
    """A situation before an answer, with two sets of the calls that are open.

    `done`: they have taken effect. `free`: their answers are explained; they have taken effect, or could have done it
    without a change of the state, and then may still take effect. A call of unknown outcome is never in `free`.
    """

    state: _State
    done: frozenset[Call]
    free: frozenset[Call]

    def after(self, call: Call, state: _State) -> _Situation:
        free = self.free if call.ended is None else self.free | {call}
        return _Situation(state, self.done | {call}, free)

    def without(self, call: Call) -> _Situation:
        return _Situation(self.state, self.done - {call}, self.free - {call})


_Situations: TypeAlias = dict[_State, list[_Situation]]


class _Answer(NamedTuple):
    """An answer: its call, and all calls that are open before it, in the order of their ends."""

    call: Call
    open: Sequence[Call]


class _Search:
    """A depth-first search for the order."""

    # AF: the answers before _answers[_farthest] are explained, by at least one order. For each answer, _seen has the
    # situations after the previous answer, and _tried also the situations after more effects, as far as `_add` has
    # kept them. Two calls of one _kind that are open together have equal operations and answers.

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls: Final = [call for call in calls if call.outcome != "cancelled"]
        self._kind: Final[dict[Call, int]] = {}
        self._answers: Final = list(self._make_answers())
        self._seen: Final[list[_Situations]] = [{} for _ in self._answers]
        self._tried: Final[list[_Situations]] = [{} for _ in self._answers]
        self._recent: Final[deque[_State]] = deque(maxlen=RECENT_STATES)
        self._farthest = 0

    def _make_answers(self) -> Iterator[_Answer]:
        coming = deque(sorted(self._calls, key=_begin))
        is_open: list[Call] = []
        for call in sorted((call for call in self._calls if call.ended is not None), key=_end):
            while coming and _begin(coming[0]) < _end(call):
                begun = coming.popleft()
                alike = next((other for other in is_open if _are_alike(begun, other)), None)
                self._kind[begun] = len(self._kind) if alike is None else self._kind[alike]
                is_open.append(begun)
            is_open.sort(key=_end)
            yield _Answer(call, tuple(is_open))
            is_open.remove(call)

    def run(self, model: Model) -> bool:
        """Return True if an order explains the history."""
        if not self._answers:
            return True
        start = _Situation(_State(model), frozenset(), frozenset())
        _add(start, self._seen[0])
        stack = [self._explain(0, start)]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
            elif len(stack) == len(self._answers):
                return True
            elif _add(following, self._seen[len(stack)]):
                self._farthest = max(self._farthest, len(stack))
                stack.append(self._explain(len(stack), following))
        return False

    def _explain(self, number: int, start: _Situation) -> Iterator[_Situation]:
        """Yield the situations after an answer, first those that need the fewest effects."""
        call, is_open = self._answers[number]
        tried = self._tried[number]
        waiting = deque([start] if _add(start, tried) else [])
        while waiting:
            situation = self._free(waiting.popleft(), is_open)
            if call in situation.free:
                yield situation.without(call)
                if call in situation.done or not self._can_change(situation.state, call, is_open):
                    continue
            for other in self._possible(situation, is_open):
                state = situation.state.after(other, self._recent)
                if state is not None and state is not situation.state:
                    following = situation.after(other, state)
                    if _add(following, tried):
                        waiting.append(following)

    def _free(self, situation: _Situation, is_open: Sequence[Call]) -> _Situation:
        """Explain the answers of the calls that can take effect now without a change of the state."""
        state, done, free = situation
        more = [
            call
            for call in is_open
            if call.ended is not None and call not in free and state.after(call, self._recent) is state
        ]
        return _Situation(state, done, free.union(more)) if more else situation

    def _can_change(self, state: _State, call: Call, is_open: Sequence[Call]) -> bool:
        """Return False if a call changes no state that the open calls can reach, each of them any number of times."""
        reached = [state]
        for one in reached:
            if len(reached) > RECENT_STATES or one.after(call, self._recent) not in (one, None):
                return True
            following = {one.after(other, self._recent) for other in is_open} - {None, *reached}
            reached += [state for state in following if state is not None]
        return False

    def _possible(self, situation: _Situation, is_open: Sequence[Call]) -> Iterator[Call]:
        """Yield the open calls that have not taken effect; of equal calls only the first to end."""
        kinds = set[tuple[int, bool]]()
        for call in is_open:
            kind = (self._kind[call], call in situation.free)
            if call not in situation.done and kind not in kinds:
                kinds.add(kind)
                yield call

    # --- the window

    def window(self) -> tuple[Sequence[Call], int]:
        """Return the calls of the smallest window that no order explains, and the moment at which it ends."""
        last = self._answers[self._farthest].call.ended
        assert last is not None
        first = self._window_begin()
        begin = self._moment_before(first)
        known = frozenset[Call].intersection(*(situation.done for situation in self._situations(first)))
        return [call for call in self._calls if _begin(call) < last and _end(call) > begin and call not in known], last

    def _situations(self, number: int) -> list[_Situation]:
        return [situation for same_state in self._seen[number].values() for situation in same_state]

    def _window_begin(self) -> int:
        """Return the number of the answer before which the window begins."""
        recent = range(self._farthest, max(-1, self._farthest - MOST_ANSWERS), -1)
        quiet = next((number for number in recent if self._is_quiet(number)), None)
        return min(recent, key=lambda number: len(self._situations(number))) if quiet is None else quiet

    def _is_quiet(self, number: int) -> bool:
        """Return True if there is a moment between this answer and the one before at which all calls had answers."""
        before = self._moment_before(number)
        return all(call.ended is None or _begin(call) > before for call in self._answers[number].open)

    def _moment_before(self, number: int) -> float:
        return _end(self._answers[number - 1].call) if number else -1

    def message(self, window: Sequence[Call], last: int) -> str:
        """Say which answer no order explains, and list the window."""
        first = self._window_begin()
        before = list(dict.fromkeys(_shown(situation, window) for situation in self._situations(first)))
        lines = [f"no order of the calls explains this answer: {self._answers[self._farthest].call}"]
        lines.append(f"answers before the window: {first}; the model is then" + (" one of" if len(before) > 1 else ""))
        lines += [f"    {text}" for text in before[:MOST_SITUATIONS]]
        if len(before) > MOST_SITUATIONS:
            lines.append(f"    and {len(before) - MOST_SITUATIONS} more")
        lines.append("the smallest window that no order explains, each call with its first and last moment:")
        width = max(len(str(call.client)) for call in window)
        lines += [f"    {call.client!s:<{width}}  {_moments(call, last)}  {_told(call, last)}" for call in window]
        return "\n".join(lines)


def _add(new: _Situation, situations: _Situations) -> bool:
    """Add a situation; return False if one of the others makes all possible that the new one makes possible."""
    same_state = situations.setdefault(new.state, [])
    for old in same_state:
        if old.done <= new.done and old.free >= new.free:
            return False
    same_state.append(new)
    return True


def _begin(call: Call) -> int:
    """Return the moment after which a call may take effect."""
    return call.began if call.waited is None else call.waited


def _end(call: Call) -> float:
    """Return the moment before which a call takes effect; infinity if the outcome is unknown."""
    return math.inf if call.ended is None else call.ended


def _are_alike(call: Call, other: Call) -> bool:
    """Return True if nothing but the time distinguishes the effects of two calls."""
    are_both = (call.ended is None) == (other.ended is None)
    return are_both and bool(call.operation == other.operation and call.answer == other.answer)


def _shown(situation: _Situation, window: Sequence[Call]) -> str:
    """Return the state, and the calls of the window that have taken effect before it."""
    effects = [f"{call.client}: {call.operation!r}" for call in window if call in situation.done]
    return f"{situation.state.model!r}" + (f" with the effect of {', '.join(effects)}" if effects else "")


def _moments(call: Call, last: int) -> str:
    ended = "" if call.ended is None or call.ended > last else call.ended
    return f"{_begin(call):>5} -{ended!s:>5}"


def _told(call: Call, last: int) -> str:
    """Return a call without its client. An answer after the last moment of the window does not belong to it."""
    told = str(call).removeprefix(f"{call.client}: ")
    return told if call.ended is None or call.ended <= last else f"{told} later"
