"""The judge of concurrent clients: it looks for an order of small steps that explains all answers.

A message takes its steps between its sending and its answer, as in linearizability (Herlihy and Wing, 1990). A dig with
its flood is one step, and so are a flag and a deflag: each is one change of the field in the handout. The handout does
not say at which moment after it the BOARD of the answer is read. So a message with a BOARD has a second step, the look.

The judge keeps a set of worlds: all states of the field that the answers so far allow (the subset construction). When
an answer comes, each world makes each possible step in each order; the worlds that explain the answer stay. If no world
stays, no order explains the answer: a rule is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from scramble.conform.minesweeper.rules import Rules
from scramble.conform.minesweeper.wire import BOOM, difference

MOST_WORLDS: Final = 5_000
"""With more worlds the judge gives up: the run is not decided."""


@dataclass(frozen=True)
class Call:
    """One message of a run, and its answer."""

    player: str
    message: str
    began_s: float
    ended_s: float
    board: tuple[str, ...] | None
    """The BOARD of the answer, with one character for each square; None for BOOM."""


class NotExplained(Exception):
    """No order of steps explains an answer."""


class NotDecided(Exception):
    """The run allows too many orders to decide it."""


Phase = Literal["sent", "changed", "done"]
"""sent: nothing has happened; changed: only the look is missing; done: all is done."""


class World(NamedTuple):
    """One possible state: the field, and the progress of each open message."""

    field: Rules
    phases: frozenset[tuple[int, Phase]]

    def moved(self, field: Rules, call: int, before: Phase, after: Phase) -> World:
        """Return the world after a step of a message."""
        return World(field, self.phases - {(call, before)} | {(call, after)})


def decide(field: Rules, calls: Sequence[Call], most_worlds: int = MOST_WORLDS) -> None:
    """Return if the calls on this field can be explained. Raises NotExplained or NotDecided."""
    events = sorted(
        [(call.began_s, 0, index) for index, call in enumerate(calls)]
        + [(call.ended_s, 1, index) for index, call in enumerate(calls)]
    )
    worlds = {World(field, frozenset())}
    for _, is_end, index in events:
        if not is_end:
            sent: tuple[int, Phase] = (index, "sent")
            worlds = {World(world.field, world.phases | {sent}) for world in worlds}
            continue
        done: tuple[int, Phase] = (index, "done")
        reachable = _reachable(worlds, calls, most_worlds)
        worlds = {World(world.field, world.phases - {done}) for world in reachable if done in world.phases}
        if not worlds:
            raise NotExplained(_reason(calls, index, [world.field for world in reachable]))


def _reachable(worlds: Iterable[World], calls: Sequence[Call], most_worlds: int) -> set[World]:
    """Return all worlds that steps of the open messages can reach, including the given ones."""
    seen = set(worlds)
    stack = list(seen)
    while stack:
        world = stack.pop()
        for index, phase in world.phases:
            for after in _steps(world, index, phase, calls[index]):
                if after not in seen:
                    if len(seen) == most_worlds:
                        raise NotDecided
                    seen.add(after)
                    stack.append(after)
    return seen


def _steps(world: World, index: int, phase: Phase, call: Call) -> Iterator[World]:
    if phase == "sent" and call.message != "look":
        field, reply = _step(world.field, call.message)
        if (reply == BOOM) == (call.board is None):
            yield world.moved(field, index, phase, "done" if call.board is None else "changed")
    elif phase != "done" and _lines(world.field) == call.board:
        yield world.moved(world.field, index, phase, "done")


@lru_cache(maxsize=50_000)
def _step(field: Rules, message: str) -> tuple[Rules, str]:
    if message.startswith("dig "):
        after, boom = field.dig(_square(message))
        return after, BOOM if boom else ""
    square = _square(message)
    return field.flag(square) if message.startswith("flag ") else field.deflag(square), ""


def _square(message: str) -> tuple[int, int]:
    _, x, y = message.split(" ")
    return int(x), int(y)


@lru_cache(maxsize=50_000)
def _lines(field: Rules) -> tuple[str, ...]:
    return tuple(field.lines())


def _reason(calls: Sequence[Call], index: int, fields: Sequence[Rules]) -> str:
    call = calls[index]
    reason = f"no order of the messages, one after another, explains the answer to {call.player}'s {call.message}: "
    if call.board is None:
        return f"{reason}it is BOOM, but the square has no bomb or is not untouched in any order"
    board = call.board
    nearest = min((_lines(field) for field in fields), key=lambda lines: _distance(lines, board))
    if nearest == board:
        return f"{reason}BOARD needs an order that earlier answers exclude, or BOOM must come"
    return f"{reason}in the nearest possible BOARD {difference(board, nearest)}"


def _distance(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return sum(
        here != there for line, right in zip(one, other, strict=True) for here, there in zip(line, right, strict=True)
    )
