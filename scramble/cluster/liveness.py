"""The other processes of a cluster, as this one sees whether they live.

A process that lives renews its sign of life, a key that lapses by itself, and listens on a channel of its own on which
nothing is ever said. If it is killed, the system closes its connection, Redis drops what it listens to, and that shows
at once; if it stands still, or its machine is gone, its sign of life lapses.

The law: a process counts as dead if its sign of life has lapsed, or if nobody listened on its channel in looks that are
`ABSENT_S` apart, nor in those between: one that has lost its connection has another by then. That is wrong at times,
and then disrupts, and is never unsafe, because the epoch protects the log. While Redis stands still or is away, and
when it starts again, all signs of life lapse together, and nobody listens. So nobody counts as dead for `ALIVE_S` after
a connection began, and after an answer that came late.

One loop asks on behalf of all, so what Redis is asked does not grow with those who wait: answers would come late, and
put off the judgement, the more often the more of them there are.

Safe under concurrency: everything changes only between two awaits of one scheduler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
import trio

from scramble.cluster.protocol import (
    ALIVE_S,
    BEAT_S,
    KeyNames,
    LinkLost,
    ProcessName,
    RedisRefused,
    RedisValue,
    RedisWord,
)

ABSENT_S: Final = 0.5
"""Seconds for which a process may have no connection: those that lost theirs are back after 20 to 300 ms."""

BEAT_RETRY_S: Final = 0.05
"""Seconds until somebody who waits for what becomes of a process looks again: it may be back soon."""

LAPSE_MARGIN_S: Final = 0.005  # after a sign of life should have lapsed, until it is asked for

LOOK: Final = """
local found = {}
for number, key in ipairs(KEYS) do
    found[number] = {redis.call('PTTL', key), redis.call('PUBSUB', 'NUMSUB', ARGV[number])[2]}
end
return found
"""
"""Returns for each process in how many ms its sign of life lapses, below 0 if it has, and how many listen for it."""

Run: TypeAlias = Callable[[str, Sequence[str], Sequence[RedisWord]], Awaitable[RedisValue]]


class _Seen(NamedTuple):
    """A process as a look has found it; it counts as dead if it is not better at `dead_from`."""

    is_well: bool
    dead_from: float


class _Question:
    """Whether a process lives, as some tasks wait to know. `answer` is there once `answered` is set, or its failure."""

    def __init__(self) -> None:
        self.askers = 0
        self.answered: Final = trio.Event()
        self.answer: bool | LinkLost | RedisRefused = False

    def settle(self, answer: bool | LinkLost | RedisRefused) -> None:
        self.answer = answer
        self.answered.set()


class Lives:
    """The other processes, as far as somebody asks for them. Nobody learns anything unless `watch` runs."""

    # AF: a look says something from _judge_from on. In the last looks at the processes in _absent nobody listened:
    #     since the first of the two times, until the second one, which is not long ago. _watched are the processes
    #     whose death is waited for, each by as many as _watchers says. _asked are those of which somebody waits to know
    #     whether they live; _wanted is set once that is one more.

    def __init__(self, names: KeyNames, run: Run, beat_at: Callable[[], float]) -> None:
        """`run` runs a script in Redis; `beat_at` returns when this process gave a sign of life last."""
        self._names: Final = names
        self._run: Final = run
        self._beat_at: Final = beat_at
        self._judge_from = 0.0
        self._absent: Final[dict[ProcessName, tuple[float, float]]] = {}
        self._watched: Final[dict[ProcessName, trio.Event]] = {}
        self._watchers: Final = Counter[ProcessName]()
        self._asked: Final[dict[ProcessName, _Question]] = {}
        self._wanted = trio.Event()

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

        If it seems not to, and that may pass, waits until it has passed, or would have.
        """
        question = self._asked.setdefault(process, _Question())
        question.askers += 1
        self._wanted.set()
        try:
            await question.answered.wait()
        finally:
            question.askers -= 1
            if not question.askers and self._asked.get(process) is question:
                del self._asked[process]
        if isinstance(question.answer, bool):
            return question.answer
        raise type(question.answer)(str(question.answer)) from question.answer

    async def watch(self) -> None:
        """Find out what has become of the processes that are asked for. Runs until it is cancelled.

        Looks every `BEAT_S`, where one may be dead earlier, in that moment, and at once where somebody asks anew.
        """
        look_at = trio.current_time() + BEAT_S
        while True:
            with trio.move_on_at(look_at):
                await self._wanted.wait()
            self._wanted = trio.Event()
            if processes := list(self._watched.keys() | self._asked.keys()):
                look_at = await self._look_after(processes)
            else:
                look_at = trio.current_time() + BEAT_S

    async def _look_after(self, processes: Sequence[ProcessName]) -> float:
        """Look at some processes, and tell what is known of them by then; return when to look again."""
        try:
            found = await self._look(processes)
        except (LinkLost, RedisRefused) as failed:
            for process in processes:
                self._settle(process, failed)
            return trio.current_time() + BEAT_S
        now = trio.current_time()
        look_at = now + BEAT_S
        for process, seen in zip(processes, found, strict=True):
            if seen.is_well:
                self._settle(process, True)
                look_at = min(look_at, seen.dead_from)
            elif now >= seen.dead_from:
                self._settle(process, False)
                if (dead := self._watched.pop(process, None)) is not None:
                    dead.set()
            elif process in self._asked:
                look_at = min(look_at, seen.dead_from, now + BEAT_RETRY_S)
            else:
                look_at = min(look_at, seen.dead_from)
        return look_at

    def _settle(self, process: ProcessName, answer: bool | LinkLost | RedisRefused) -> None:
        if (question := self._asked.pop(process, None)) is not None:
            question.settle(answer)

    async def _look(self, processes: Sequence[ProcessName]) -> list[_Seen]:
        asked = trio.current_time()
        keys = [self._names.alive(process) for process in processes]
        answer = await self._run(LOOK, keys, [self._names.presence(process) for process in processes])
        self.answered(asked)
        found = msgspec.convert(answer, list[tuple[int, int]])
        now = trio.current_time()
        for process in [process for process, (_, last) in self._absent.items() if now > last + 2 * ABSENT_S]:
            del self._absent[process]  # it may have come back meanwhile, and gone again
        return [self._seen(process, *one) for process, one in zip(processes, found, strict=True)]

    def _seen(self, process: ProcessName, lapses_ms: int, listeners: int) -> _Seen:
        now = trio.current_time()
        dead_from = now if lapses_ms < 0 else now + lapses_ms / 1000 + LAPSE_MARGIN_S
        if listeners:
            self._absent.pop(process, None)
        else:
            since, _ = self._absent.get(process, (now, now))
            self._absent[process] = since, now
            dead_from = min(dead_from, since + ABSENT_S)
        return _Seen(lapses_ms >= 0 and listeners > 0, max(dead_from, self._judge_from))

    def __str__(self) -> str:
        return f"{len(self._watched)} processes are waited for"
