"""The other processes of a cluster, as this one sees whether they live.

A process that lives renews its sign of life, a key that lapses by itself, and listens on a channel of its own on which
nothing is ever said. If it is killed, the system closes its connection, Redis drops what it listens to, and that shows
at once; if it stands still, or its machine is gone, its sign of life lapses.

The law: a process counts as dead if its sign of life has lapsed, or if nobody listened on its channel in looks that are
`ABSENT_S` apart, nor in those between: one that has lost its connection has another by then. That is wrong at times,
and then disrupts, and is never unsafe, because the epoch protects the log. While Redis stands still or is away, and
when it starts again, all signs of life lapse together, and nobody listens. So nobody counts as dead for `ALIVE_S` after
a connection began, and after an answer that came late.

Safe under concurrency: everything changes only between two awaits of one scheduler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
import trio

from scramble.cluster.protocol import ALIVE_S, BEAT_S, LinkLost, Names, ProcessName, RedisRefused, Value, Word

ABSENT_S: Final = 0.5
"""Seconds for which a process may have no connection: those that lost theirs are back after 20 to 300 ms."""

AGAIN_S: Final = 0.05
"""Seconds until somebody who waits for what becomes of a process looks again: it may be back soon."""

LATE_S: Final = 0.005  # after a sign of life should have lapsed, until it is asked for

LOOK: Final = """
local found = {}
for number, key in ipairs(KEYS) do
    found[number] = {redis.call('PTTL', key), redis.call('PUBSUB', 'NUMSUB', ARGV[number])[2]}
end
return found
"""
"""Returns for each process in how many ms its sign of life lapses, below 0 if it has, and how many listen for it."""

Run: TypeAlias = Callable[[str, Sequence[str], Sequence[Word]], Awaitable[Value]]


class _Seen(NamedTuple):
    """A process as a look has found it; it counts as dead if it is not better at `dead_from`."""

    is_well: bool
    dead_from: float


class Lives:
    """The other processes, as far as somebody asks for them."""

    # AF: a look says something from _judge_from on. In the last looks at the processes in _absent nobody listened:
    #     since the first of the two times, until the second one. _watched are the processes that are waited for, each
    #     by as many as _watchers says.

    def __init__(self, names: Names, run: Run, beat_at: Callable[[], float]) -> None:
        """`run` runs a script in Redis; `beat_at` returns when this process gave a sign of life last."""
        self._names: Final = names
        self._run: Final = run
        self._beat_at: Final = beat_at
        self._judge_from = 0.0
        self._absent: Final[dict[ProcessName, tuple[float, float]]] = {}
        self._watched: Final[dict[ProcessName, trio.Event]] = {}
        self._watchers: Final = Counter[ProcessName]()

    def begin(self) -> None:
        """Note that a connection has begun."""
        self._judge_from = trio.current_time() + ALIVE_S

    def answered(self, asked: float) -> None:
        """Note an answer to what was asked at that time: if it came late, signs of life may have lapsed meanwhile.

        The answer to a sign of life that is due counts, too: it came before this one, and its task may run after this.
        """
        now = trio.current_time()
        if now > asked + BEAT_S or now > self._beat_at() + 2 * BEAT_S:
            self._judge_from = now + ALIVE_S

    async def until_dead(self, process: ProcessName) -> None:
        """Wait until a process counts as dead; see `Link.until_dead`."""
        dead = self._watched.setdefault(process, trio.Event())
        self._watchers[process] += 1
        try:
            await dead.wait()
        finally:
            self._watchers[process] -= 1
            if not self._watchers[process]:
                del self._watchers[process]
                if self._watched.get(process) is dead:
                    del self._watched[process]

    async def lives(self, process: ProcessName) -> bool:
        """Return whether a process lives; see `Link.lives`.

        If it seems not to, and that may pass, looks again until it has passed, or would have.
        """
        while True:
            (seen,) = await self._look([process])
            if seen.is_well:
                return True
            now = trio.current_time()
            if now >= seen.dead_from:
                return False
            await trio.sleep_until(min(seen.dead_from, now + AGAIN_S))

    async def watch(self) -> None:
        """Find out which of the processes that are waited for has died. Runs until it is cancelled.

        Looks every `BEAT_S`, and, where one may be dead earlier, in that moment.
        """
        wait_s = BEAT_S
        while True:
            await trio.sleep(wait_s)
            wait_s = BEAT_S
            processes = list(self._watched)
            if not processes:
                continue
            try:
                found = await self._look(processes)
            except (LinkLost, RedisRefused):
                continue
            now = trio.current_time()
            for process, seen in zip(processes, found, strict=True):
                if seen.is_well or now < seen.dead_from:
                    wait_s = min(wait_s, seen.dead_from - now)
                elif (dead := self._watched.pop(process, None)) is not None:
                    dead.set()

    async def _look(self, processes: Sequence[ProcessName]) -> list[_Seen]:
        asked = trio.current_time()
        keys = [self._names.alive(process) for process in processes]
        answer = await self._run(LOOK, keys, [self._names.presence(process) for process in processes])
        self.answered(asked)
        found = msgspec.convert(answer, list[tuple[int, int]])
        return [self._seen(process, *one) for process, one in zip(processes, found, strict=True)]

    def _seen(self, process: ProcessName, lapses_ms: int, listeners: int) -> _Seen:
        now = trio.current_time()
        dead_from = now if lapses_ms < 0 else now + lapses_ms / 1000 + LATE_S
        if listeners:
            self._absent.pop(process, None)
        else:
            since, last = self._absent.get(process, (now, now))
            if now > last + 2 * ABSENT_S:
                since = now  # it may have come back meanwhile, and gone again
            self._absent[process] = since, now
            dead_from = min(dead_from, since + ABSENT_S)
        return _Seen(lapses_ms >= 0 and listeners > 0, max(dead_from, self._judge_from))

    def __str__(self) -> str:
        return f"{len(self._watched)} processes are waited for"
