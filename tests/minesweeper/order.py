"""Finds a sequential order that explains what many players saw at once, if there is one.

A smaller cousin of `tests.judge` for a game in which nobody waits and nobody is called off, and in which most calls
change nothing: there the general search tries those in every order. Here one whose answer fits, and that can change
nothing now or ever after, comes at once, which can never be wrong: it is in nobody's way afterwards. (That it changes
nothing now is not enough. The flag that is there already may have been meant for later, when it had been taken away.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tests.judge import Call
from tests.minesweeper.model import Model


def one_order(calls: Sequence[Call[str, str]], start: Model) -> list[int]:
    """The numbers of all calls in an order in which the model gives everybody the answer that they got.

    In it no call comes before one that had ended when it began. Raises AssertionError if there is none.
    """
    step = lru_cache(maxsize=None)(Model.step)
    seen: set[tuple[Model, frozenset[int]]] = set()
    # Depth first: what is still to be tried, each with the order up to there.
    untried: list[tuple[Model, frozenset[int], tuple[int, ...]]] = [(start, frozenset(range(len(calls))), ())]
    longest: tuple[int, ...] = ()
    while untried:
        state, left, order = untried.pop()
        longest = max(longest, order, key=len)
        if not left:
            return list(order)
        if (state, left) in seen:
            continue
        seen.add((state, left))
        deadline = min(calls[number].ended for number in left)
        branches = []
        for number in left:
            if calls[number].began < deadline:
                after, answer = step(state, calls[number].op)
                if answer == calls[number].answer:
                    branches.append((after, left - {number}, (*order, number)))
                    if is_idle(calls[number].op, state):
                        branches = branches[-1:]
                        break
        untried += branches
    history = "\n".join(f"{number}: {call}" for number, call in enumerate(calls))
    raise AssertionError(f"no order explains this history, the longest that fits is {longest}:\n{history}")


def is_idle(op: str, state: Model) -> bool:
    """Whether this changes nothing, now or ever after: a look, or a move on a square that is dug, or is none."""
    word, *numbers = op.split(" ")
    if word == "look":
        return True
    square = int(numbers[0]), int(numbers[1])
    return square in state.dug or not state.is_inside(square)
