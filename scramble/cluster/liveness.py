"""The liveness of the other processes of a cluster, as this process sees it.

A live process renews its heartbeat, a key that expires by itself. It also subscribes to its own channel, which carries
no messages. If the process is killed, the system closes its connection, and Redis drops the subscription at once. If
the process hangs, or its machine is lost, its heartbeat expires.

The law: a process counts as dead if its heartbeat has expired, or if its channel has had no subscriber for `ABSENT_S`.
In this time a live process reconnects. The judgement is wrong at times. A wrong judgement disrupts a room, but is never
unsafe, because the epoch protects the log. An outage, a hang or a restart of Redis removes all heartbeats and all
subscriptions together. So no process counts as dead for `ALIVE_S` after the start of a connection, and for `ALIVE_S`
after a late answer.

One loop asks Redis on behalf of all waiters, so the load of Redis does not grow with the number of waiters. A loop for
each waiter would cause more late answers, and each late answer postpones the judgement.

Safe under concurrency: state changes only between two awaits of one scheduler.
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
"""Seconds for which a process may lack a connection: a process that loses its connection reconnects in 20 to 300 ms."""

BEAT_RETRY_S: Final = 0.05
"""Seconds between two checks of a process that may be reconnecting, while a caller waits for the result."""

LAPSE_MARGIN_S: Final = 0.005  # after the expiry of a heartbeat, before the next check

LOOK: Final = """
local found = {}
for number, key in ipairs(KEYS) do
    found[number] = {redis.call('PTTL', key), redis.call('PUBSUB', 'NUMSUB', ARGV[number])[2]}
end
return found
"""
"""Returns for each process the ms until its heartbeat expires (below 0: expired), and its number of subscribers."""

Run: TypeAlias = Callable[[str, Sequence[str], Sequence[RedisWord]], Awaitable[RedisValue]]


class _Seen(NamedTuple):
    """The result of a check of a process. It counts as dead if it has not recovered by `dead_from`."""

    is_well: bool
    dead_from: float


class _Question:
    """A pending check of a process. Once `answered` is set, `answer` has the result or the error."""

    def __init__(self) -> None:
        self.askers = 0
        self.answered: Final = trio.Event()
        self.answer: bool | LinkLost | RedisRefused = False

    def settle(self, answer: bool | LinkLost | RedisRefused) -> None:
        self.answer = answer
        self.answered.set()


class Lives:
    """The liveness of the processes for which tasks ask. Answers come only while `watch` runs."""

    # AF: checks are conclusive from _judge_from on. _absent has two times for each process whose channel had no
    #     subscriber in the recent checks: the first and the last of these checks. Tasks wait for the death of the
    #     processes in _watched; _watchers counts the waiters of each process. _asked are the processes with open
    #     questions. _wanted is set when a question is added.

    def __init__(self, names: KeyNames, run: Run, beat_at: Callable[[], float]) -> None:
        """Prepare the checks. `run` runs a script in Redis; `beat_at` returns the time of the last own heartbeat."""
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
        """Note the start of a connection."""
        self._judge_from = trio.current_time() + ALIVE_S

    def answered(self, asked: float) -> None:
        """Note the answer to a request sent at `asked`. If it was late, heartbeats may have expired meanwhile.

        If this process still waits for the answer to its own heartbeat, the same rule applies to that answer.
        """
        now = trio.current_time()
        if now > asked + BEAT_S or now > self._beat_at() + 2 * BEAT_S:
            self._judge_from = now + ALIVE_S

    async def until_dead(self, process: ProcessName) -> None:
        """Wait until a process counts as dead; see `RedisLink.until_dead`."""
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
        """Return True if a process lives; see `RedisLink.lives`.

        If the process seems dead but may recover, waits until the result is certain.
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
        """Check the processes that tasks ask for. Runs until it is cancelled.

        Checks every `BEAT_S`, at the moment when a process may be dead, and at once after a new question.
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
        """Check some processes, and deliver the results that are certain. Return the time of the next check."""
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
            del self._absent[process]  # the last check is too old: the process may have been present since then
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
