"""Histories of calls for tests, written line by line, and a register as their model.

recorder = Recorder()
write = recorder.start("a", ("write", 1))
recorder.do("b", "read", 0)            # starts and returns while `write` runs
write.returns(None)
linearizable(recorder.history, Register())
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from typing import Final

from scramble.testing import History, NotLinearizable, linearizable


class Running:
    """A call that runs until one of its methods ends it."""

    def __init__(self, history: History, client: object, operation: object) -> None:
        self._block: Final = ExitStack()
        self._call: Final = self._block.enter_context(history.call(client, operation))

    def waits(self) -> None:
        self._call.parked()

    def returns(self, answer: object) -> None:
        self._call.returned(answer)
        self._block.close()

    def is_cancelled(self) -> None:
        self._call.cancelled()
        self._block.close()

    def is_lost(self) -> None:
        """Leave the block without an answer."""
        self._block.close()


class Recorder:
    """A history, and short ways to add to it."""

    def __init__(self) -> None:
        self.history: Final = History()

    def start(self, client: object, operation: object) -> Running:
        return Running(self.history, client, operation)

    def do(self, client: object, operation: object, answer: object) -> None:
        """Add a call during which nothing else happens."""
        self.start(client, operation).returns(answer)


@dataclass
class Register:
    """A variable. Operations: "read", ("write", value), ("add", number), ("swap", expected, value)."""

    value: int = 0

    def apply(self, operation: object) -> object:
        match operation:
            case "read":
                return self.value
            case ("write", int(value)):
                self.value = value
                return None
            case ("add", int(number)):
                self.value += number
                return self.value
            case ("swap", int(expected), int(value)):
                is_equal = self.value == expected
                if is_equal:
                    self.value = value
                return is_equal
            case _:
                raise ValueError(operation)


def is_linearizable(history: History, model: object = None) -> bool:
    try:
        linearizable(history, Register() if model is None else model)  # type: ignore[arg-type]
    except NotLinearizable:
        return False
    return True


def sequence(*calls: tuple[object, object]) -> History:
    """Record calls of one client, one after another: pairs of operation and answer."""
    recorder = Recorder()
    for operation, answer in calls:
        recorder.do("a", operation, answer)
    return recorder.history


def busy(calls: int, clients: int, *, unknown: float = 0, seed: int = 1) -> Recorder:
    """Record a correct history: each client has a call at nearly all times. `unknown`: the fraction of lost answers."""
    random = Random(seed)
    recorder = Recorder()
    register = Register()
    waiting: list[tuple[Running, object]] = []  # no effect yet
    done: deque[tuple[Running, object]] = deque()

    def advance() -> None:
        running, operation = waiting.pop(random.randrange(len(waiting)))
        done.append((running, register.apply(operation)))
        if len(done) > clients // 2:
            running, answer = done.popleft()
            if random.random() < unknown:
                running.is_lost()
            else:
                running.returns(answer)

    for number in range(calls):
        kind = random.choice(("read", "write", "swap"))
        values = {"read": (), "write": (number % 50,), "swap": (register.value, number % 50)}
        operation = (kind, *values[kind]) if values[kind] else kind
        waiting.append((recorder.start(number % clients, operation), operation))
        if len(waiting) > clients // 2:
            advance()
    while waiting:
        advance()
    for running, answer in done:
        running.returns(answer)
    return recorder
