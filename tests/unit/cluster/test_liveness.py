"""Liveness of other processes, without Redis: the test sets the results of checks. Time jumps to the next deadline.

Partitions:
- a process: sends heartbeats or not; listens, does not, or listens again; was absent for a moment, for long, or twice
- callers: no caller, one, thousands; ask if the process lives; wait until it is dead; are cancelled
- the checks: answered at once, late, just as a heartbeat expires; refused; just after the connection began
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.cluster.liveness import ABSENT_S, Lives
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

ONE = ProcessName("one")
TWO = ProcessName("two")

WELL = (int(ALIVE_S * 1000), 1)
ABSENT = (int(ALIVE_S * 1000), 0)
SILENT = (-2, 1)
GONE = (-2, 0)


class Redis:
    """A Redis with a result for each process: the ms until its heartbeat expires, and its number of listeners."""

    def __init__(self) -> None:
        self.found = {ONE: WELL, TWO: WELL}
        self.looks = 0
        self.answer_s = 0.0
        self.failure: Exception | None = None
        self.before_answer: Callable[[], None] = lambda: None

    async def run(self, script: str, keys: Sequence[str], words: Sequence[RedisWord]) -> RedisValue:
        self.looks += 1
        await trio.sleep(self.answer_s)
        self.before_answer()
        if self.failure is not None:
            raise self.failure
        return [list(self.found[ProcessName(key.rpartition(":")[2])]) for key in keys]


@pytest.fixture
def redis() -> Redis:
    return Redis()


@pytest.fixture
async def lives(redis: Redis) -> AsyncIterator[Lives]:
    """The liveness checks of a process that has been linked long enough to declare others dead."""
    lives = Lives(KeyNames(), redis.run, trio.current_time)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lives.watch)
        yield lives
        nursery.cancel_scope.cancel()


async def test_a_healthy_process_lives_and_a_gone_process_does_not(
    redis: Redis, lives: Lives, autojump_clock: MockClock
) -> None:
    redis.found[TWO] = GONE
    began = trio.current_time()
    assert await lives.lives(ONE)
    assert not await lives.lives(TWO)
    await lives.until_dead(TWO)
    assert trio.current_time() < began + BEAT_S + ABSENT_S


async def test_a_thousand_callers_cost_no_more_than_one(redis: Redis, lives: Lives, autojump_clock: MockClock) -> None:
    looks = []
    for askers in (1, 1_000):
        redis.found[ONE] = WELL
        assert await lives.lives(ONE)
        redis.looks, redis.found[ONE] = 0, ABSENT
        answers = list[bool]()

        async def ask(answers: list[bool] = answers) -> None:
            answers.append(await lives.lives(ONE))

        async with trio.open_nursery() as nursery:
            for _ in range(askers):
                nursery.start_soon(ask)
        assert answers == [False] * askers
        looks.append(redis.looks)
    assert looks[1] <= 2 * looks[0]


async def test_an_absence_counts_only_once_it_has_lasted(redis: Redis, lives: Lives, autojump_clock: MockClock) -> None:
    redis.found[ONE] = ABSENT
    began = trio.current_time()
    assert not await lives.lives(ONE)
    assert trio.current_time() >= began + ABSENT_S


async def test_a_process_that_returns_in_time_lives(redis: Redis, lives: Lives, autojump_clock: MockClock) -> None:
    redis.found[ONE] = ABSENT
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_until_dead_never, lives)
        await trio.sleep(ABSENT_S / 2)
        redis.found[ONE] = WELL
        assert await lives.lives(ONE)
        await trio.sleep(10 * ALIVE_S)
        nursery.cancel_scope.cancel()


async def _until_dead_never(lives: Lives) -> None:
    await lives.until_dead(ONE)
    raise AssertionError("it lives")


async def test_two_absences_with_a_pause_between_them_do_not_count_as_one(
    redis: Redis, lives: Lives, autojump_clock: MockClock
) -> None:
    """No check happened between the two, so the process may have been present."""
    redis.found[ONE] = ABSENT
    with trio.move_on_after(ABSENT_S / 2):
        await lives.lives(ONE)
    await trio.sleep(10 * ABSENT_S)
    again = trio.current_time()
    assert not await lives.lives(ONE)
    assert trio.current_time() >= again + ABSENT_S


async def test_dead_processes_are_forgotten(redis: Redis, lives: Lives, autojump_clock: MockClock) -> None:
    for number in range(50):
        dead = ProcessName(f"dead{number}")
        redis.found[dead] = GONE
        assert not await lives.lives(dead)
        await trio.sleep(10 * ABSENT_S)
    assert await lives.lives(ONE)
    assert not lives._absent


@pytest.mark.parametrize("found", [GONE, SILENT, ABSENT])
async def test_nobody_is_judged_just_after_a_connection_began(
    redis: Redis, lives: Lives, autojump_clock: MockClock, found: tuple[int, int]
) -> None:
    redis.found[ONE] = found
    lives.begin()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lives.until_dead, ONE)
        assert not await lives.lives(ONE)
    assert trio.current_time() >= began + ALIVE_S


@pytest.mark.parametrize("found", [GONE, SILENT, ABSENT])
async def test_nobody_is_judged_just_after_a_late_answer(
    redis: Redis, lives: Lives, autojump_clock: MockClock, found: tuple[int, int]
) -> None:
    redis.found[ONE], redis.answer_s = found, ALIVE_S + BEAT_S
    began = trio.current_time()
    with trio.move_on_after(ALIVE_S):
        await lives.lives(ONE)
    redis.answer_s = 0.0
    assert not await lives.lives(ONE)  # called while the late answer is on its way
    assert trio.current_time() >= began + ALIVE_S + BEAT_S + ALIVE_S


async def test_a_sign_of_life_may_lapse_while_its_answer_is_read(
    redis: Redis, lives: Lives, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example, the task that reads the answer waits for the processor."""
    redis.found[ONE] = 0, 1
    seen = lives._seen

    def late(process: ProcessName, lapses_ms: int, listeners: int) -> object:
        found = seen(process, lapses_ms, listeners)
        autojump_clock.jump(BEAT_S)
        return found

    monkeypatch.setattr(lives, "_seen", late)
    with trio.move_on_after(10 * BEAT_S):
        await lives.until_dead(ONE)
    assert await lives.lives(ONE)


@pytest.mark.parametrize("failure", [LinkLost("the connection broke"), RedisRefused("NOPERM no")])
async def test_all_callers_learn_that_there_is_no_answer(
    redis: Redis, lives: Lives, autojump_clock: MockClock, failure: Exception
) -> None:
    redis.failure = failure

    async def ask() -> None:
        with pytest.raises(type(failure), match=str(failure)):
            await lives.lives(ONE)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lives.until_dead, TWO)
        async with trio.open_nursery() as askers:
            for _ in range(3):
                askers.start_soon(ask)
        redis.failure = None
        assert await lives.lives(ONE)
        redis.found[TWO] = GONE  # `until_dead` still waits


async def test_other_callers_are_answered_if_one_is_cancelled(
    redis: Redis, lives: Lives, autojump_clock: MockClock
) -> None:
    redis.found[ONE] = ABSENT
    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as first:
            nursery.start_soon(_not_alive, lives)
            await wait_all_tasks_blocked()
            first.cancel()
            await lives.lives(ONE)


async def _not_alive(lives: Lives) -> None:
    assert not await lives.lives(ONE)


async def test_a_caller_during_a_check_is_answered_as_well(
    redis: Redis, lives: Lives, autojump_clock: MockClock
) -> None:
    redis.answer_s, redis.found[TWO] = BEAT_S / 2, GONE
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lives.lives, ONE)
        await trio.sleep(BEAT_S / 4)
        assert not await lives.lives(TWO)
