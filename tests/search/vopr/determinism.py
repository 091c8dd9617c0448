"""A deterministic trio run: one seed gives one order of all events, and the clock jumps.

    run(partial(world.main), seed)

This file removes everything that makes two runs differ:

- trio shuffles the tasks that are ready to run. It has a switch for a reproducible shuffle, made for hypothesis-trio.
  The switch has only private names.
- trio delivers a cancellation to tasks in the order of sets of objects, and it sorts equal deadlines by `id()`. Both
  orders depend on addresses in memory. Here both use the order of creation.
- The clock is trio's MockClock. It jumps when all tasks wait.
- Tokens and the seeds of new games come from the operating system. Here they come from the seed.
- The garbage collector runs at arbitrary times, and it may run the rest of a generator. It is off during the run.

Nothing else in a run may use the outside world: no threads, no sockets, no time of day.
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

OUTSIDE: Final = 1000  # the limit of trio's polls for outside events; it only finds its own call at the end


class Stuck(AssertionError):
    """All tasks wait, and no event can wake them."""


def run(main: Callable[[], Awaitable[None]], seed: int) -> None:
    """Run `trio.run(main)`. The same seed gives the same run.

    Raises Stuck if all tasks wait for each other. The tasks cannot be ended then, so trio leaves them unfinished.
    """
    clock = MockClock(autojump_threshold=0)
    sleep_time = clock.deadline_to_sleep_time
    in_vain = 0

    def checked(deadline: float) -> float:
        """Count trio's polls. Trio calls this if no task can run, before it polls for outside events."""
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
