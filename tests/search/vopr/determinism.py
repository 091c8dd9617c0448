"""A trio run that is the same each time: one seed, one order of everything, and a clock that jumps.

    run(partial(world.main), seed)

All that makes two runs differ is in this file, and taken over here, in one place:

- trio shuffles the tasks that are ready to run. It has a switch for shuffling them reproducibly, made for
  hypothesis-trio, which nobody can reach but by its private names.
- trio delivers a cancellation to tasks in the order of sets of objects, and sorts equal deadlines by `id()`: by
  addresses in memory. Here both go by age.
- The clock is trio's MockClock, which jumps whenever all tasks wait.
- Tokens and the seeds of new games come from the operating system: here from the seed.
- The garbage collector runs when it likes, and may call what is left of a generator: it is off during the run.

Nothing else in a run may look at the world outside: no threads, no sockets, no time of day.
"""

from __future__ import annotations

import base64
import gc
import itertools
import math
import random
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final
from unittest.mock import patch

import trio
from trio._core import _run
from trio.testing import MockClock

from tests.search.vopr.disk import reseed_sqlite

OUTSIDE: Final = 1000  # times that trio may look there; all it ever finds is a call of its own at the end of a run


class Stuck(AssertionError):
    """All tasks wait, and nothing will ever happen."""


def run(main: Callable[[], Awaitable[None]], seed: int) -> None:
    """`trio.run(main)`, in the same way each time that the seed is the same.

    Raises Stuck, if all tasks wait for each other. They cannot be ended then, so trio leaves them as they are.
    """
    clock = MockClock(autojump_threshold=0)
    sleep_time = clock.deadline_to_sleep_time
    in_vain = 0

    def checked(deadline: float) -> float:
        """Trio asks for this if no task can run, and then looks what the outside has for it."""
        nonlocal in_vain
        in_vain = in_vain + 1 if deadline == math.inf else 0
        if in_vain > OUTSIDE:
            raise Stuck("all tasks wait for each other")
        return sleep_time(deadline)

    with _deterministic(seed), patch.object(clock, "deadline_to_sleep_time", checked):
        try:
            trio.run(main, clock=clock)
        except trio.TrioInternalError as error:
            if isinstance(error.__cause__, Stuck):
                raise error.__cause__ from None
            raise


class _Aged(dict[object, None]):
    """A set that is iterated over in the order of insertion."""

    def add(self, item: object) -> None:
        self[item] = None

    def remove(self, item: object) -> None:
        del self[item]

    def discard(self, item: object) -> None:
        self.pop(item, None)


@contextmanager
def _deterministic(seed: int) -> Iterator[None]:
    scheduling = random.Random(f"scheduling {seed}")
    secret = random.Random(f"secrets {seed}")
    ages = itertools.count()

    def age(_: object) -> int:
        return next(ages)

    make = _run.CancelStatus.__init__

    def make_aged(self: _run.CancelStatus, *args: object, **kwargs: object) -> None:
        make(self, *args, **kwargs)  # type: ignore[arg-type]
        self._children = _Aged()  # type: ignore[assignment]
        self._tasks = _Aged()  # type: ignore[assignment]

    def token_urlsafe(nbytes: int | None = None) -> str:
        return base64.urlsafe_b64encode(secret.randbytes(nbytes or 16)).rstrip(b"=").decode()

    def getrandbits(_: random.SystemRandom, k: int) -> int:
        return secret.getrandbits(k)

    collecting = gc.isenabled()
    with ExitStack() as stack:
        stack.enter_context(patch.object(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True))
        stack.enter_context(patch.object(_run, "_r", scheduling))
        stack.enter_context(patch.object(_run, "id", age, create=True))
        stack.enter_context(patch.object(_run.CancelStatus, "__init__", make_aged))
        stack.enter_context(patch.object(secrets, "token_urlsafe", token_urlsafe))
        stack.enter_context(patch.object(random.SystemRandom, "getrandbits", getrandbits))
        reseed_sqlite(seed)
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                gc.enable()
