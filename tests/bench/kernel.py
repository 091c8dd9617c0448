"""The cost of the kernel: flips through the owner task, replies, many waiters for one card, many parked requests.

The unit is CPU time of this process, so that other load on the machine has little effect.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import cycle
from typing import Protocol, cast

import outcome
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.kernel.actor import open_actor
from scramble.kernel.protocol import Answered, Command, Outcome, Ticket
from scramble.memory import Board, FlipFailed, open_game
from scramble.memory.boardfile import format_board_file
from scramble.memory.messages import Flip
from tests.bench.figure import Figure, alternate

PLAYERS = 64
ROUND_S = 0.5
ROUNDS = 7


def distinct(rows: int, columns: int) -> Board:
    """Return a board without pairs, so that it never becomes empty."""
    return Board.parse(format_board_file(rows, columns, [f"card{n}" for n in range(rows * columns)]))


async def rate_of(tasks: int, work: Callable[[int, Callable[[], None]], Awaitable[None]]) -> float:
    """Return the number of calls of `done` in a second, while `tasks` tasks run `work`."""
    count = 0

    def done() -> None:
        nonlocal count
        count += 1

    async with trio.open_nursery() as nursery:
        for number in range(tasks):
            nursery.start_soon(work, number, done)
        await trio.sleep(ROUND_S / 5)  # all tasks begin first
        before, began = count, time.process_time()
        await trio.sleep(ROUND_S)
        rate = (count - before) / (time.process_time() - began)
        nursery.cancel_scope.cancel()
    return rate


# --- flips ------------------------------------------------------------------------------------------


def flips_per_second() -> float:
    choose = random.Random(1)
    flips = [
        [Flip(f"player{n}", choose.randrange(10), choose.randrange(10)) for _ in range(500)] for n in range(PLAYERS)
    ]

    async def main() -> float:
        async with open_game(distinct(10, 10)) as game:

            async def play(number: int, done: Callable[[], None]) -> None:
                for flip in cycle(flips[number]):
                    try:  # not suppress(): it takes half the time of a bare checkpoint
                        await game.ask(flip)
                        done()
                    except FlipFailed:
                        done()

            return await rate_of(PLAYERS, play)

    return trio.run(main)


class Mute:
    """Rules that answer each command, and change nothing."""

    version = 0

    def apply(self, ticket: Ticket, command: Command[object], /) -> list[Outcome]:
        return [Answered(ticket, None)]


def commands_per_second() -> float:
    async def main() -> float:
        async with open_actor(Mute()) as actor:
            command = Command[object]()

            async def ask(_: int, done: Callable[[], None]) -> None:
                while True:
                    await actor.ask(command)
                    done()

            return await rate_of(PLAYERS, ask)

    return trio.run(main)


def checkpoints_per_second(tasks: int) -> float:
    async def spin(_: int, done: Callable[[], None]) -> None:
        while True:
            await trio.lowlevel.checkpoint()
            done()

    return trio.run(rate_of, tasks, spin)


def flips() -> Iterator[Figure]:
    """Compare the rate of flips with trio's limit: the rate of task switches."""
    for tasks, who in ((1, "1 task"), (PLAYERS, f"{PLAYERS} tasks")):
        rate, limit, ratio = alternate(ROUNDS, flips_per_second, partial(checkpoints_per_second, tasks))
        yield Figure(
            f"flips through the owner, {PLAYERS} players, 10x10; limit: checkpoints of {who}",
            f"{rate:,.0f}/s",
            f"{limit:,.0f}/s",
            ratio,
            at_least=0.15,
        )
    rate, limit, ratio = alternate(ROUNDS, commands_per_second, partial(checkpoints_per_second, PLAYERS))
    name = f"commands without effect, {PLAYERS} callers; limit: checkpoints of {PLAYERS} tasks"
    yield Figure(name, f"{rate:,.0f}/s", f"{limit:,.0f}/s", ratio)


# --- replies ----------------------------------------------------------------------------------------


class Reply(Protocol):
    """One answer for one receiver. The receiver waits before the answer is sent."""

    def send(self, answer: int) -> None: ...

    async def receive(self) -> int: ...


class Slot:
    """The kernel's one-shot slot, without its states."""

    __slots__ = ("task",)

    def send(self, answer: int) -> None:
        trio.lowlevel.reschedule(self.task, outcome.Value(answer))

    async def receive(self) -> int:
        def abort(_: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            return trio.lowlevel.Abort.SUCCEEDED

        self.task = trio.lowlevel.current_task()
        return cast(int, await trio.lowlevel.wait_task_rescheduled(abort))


class Channel:
    """The obvious alternative: a memory channel for one item."""

    __slots__ = ("_receiver", "_sender")

    def __init__(self) -> None:
        self._sender, self._receiver = trio.open_memory_channel[int](1)

    def send(self, answer: int) -> None:
        self._sender.send_nowait(answer)

    async def receive(self) -> int:
        return await self._receiver.receive()


def seconds_per_reply(make: Callable[[], Reply]) -> float:
    """Return the time to make, send and receive a reply, while many receivers wait."""
    rounds, receivers = 200, PLAYERS

    async def main() -> float:
        replies: list[Reply] = []

        async def receive() -> None:
            for _ in range(rounds):
                replies.append(reply := make())
                await reply.receive()

        async with trio.open_nursery() as nursery:
            for _ in range(receivers):
                nursery.start_soon(receive)
            await wait_all_tasks_blocked()
            began = time.process_time()
            for _ in range(rounds):
                ready = replies.copy()
                replies.clear()
                for reply in ready:
                    reply.send(1)
                while len(replies) < receivers and nursery.child_tasks:
                    await trio.lowlevel.checkpoint()
            return (time.process_time() - began) / rounds / receivers

    return trio.run(main)


def replies() -> Iterator[Figure]:
    """Compare the kernel's one-shot slot with a memory channel for each reply."""
    channel, slot, ratio = alternate(ROUNDS, partial(seconds_per_reply, Channel), partial(seconds_per_reply, Slot))
    yield Figure("a memory channel for each reply; limit: a one-shot slot", micro(channel), micro(slot), ratio)


# --- waiters ----------------------------------------------------------------------------------------


def seconds_per_grant(waiters: int) -> float:
    """Return the time to pass a card to the next player, while `waiters` players wait for the card."""

    async def main() -> float:
        async with open_game(distinct(1, 2)) as game:

            async def take_and_give_up(name: str) -> None:
                await game.flip(name, 0, 0)
                with suppress(FlipFailed):  # 2-B: the second card is the first card
                    await game.flip(name, 0, 0)

            await game.flip("first", 0, 0)
            async with trio.open_nursery() as nursery:
                for number in range(waiters):
                    nursery.start_soon(take_and_give_up, f"player{number}")
                await wait_all_tasks_blocked()
                began = time.process_time()
                with suppress(FlipFailed):
                    await game.flip("first", 0, 0)
            return (time.process_time() - began) / waiters

    return trio.run(main)


def grants() -> Iterator[Figure]:
    """Check that the time to pass a card to the next player does not depend on the number of waiters."""
    many, few, ratio = alternate(ROUNDS, partial(seconds_per_grant, 1000), partial(seconds_per_grant, 250))
    name = "passing a card to the next of 1,000 players; limit: of 250 players"
    yield Figure(name, micro(many), micro(few), ratio, at_most=1.3)


# --- looks ------------------------------------------------------------------------------------------


def seconds_per_look(size: int, changing: bool) -> float:
    """Return the time of a look at a board of that size. `changing`: the board changes before each look."""
    looks = 2000

    async def main() -> float:
        async with open_game(distinct(size, size)) as game:
            spots = cycle([(row, column) for row in range(size) for column in range(size)])
            await game.flip("mover", *next(spots))  # a player with a card has her own view
            total = 0.0
            for _ in range(looks):
                if changing:
                    await game.flip("mover", *next(spots))
                began = time.process_time()
                await game.look("onlooker")
                total += time.process_time() - began
            return total / looks

    return trio.run(main)


def seconds_per_flip(size: int) -> float:
    """Return the time of a flip on a board of that size. The flip's answer is a new view."""
    flips = 2000

    async def main() -> float:
        async with open_game(distinct(size, size)) as game:
            spots = cycle([(row, column) for row in range(size) for column in range(size)])
            began = time.process_time()
            for _ in range(flips):
                await game.flip("mover", *next(spots))
            return (time.process_time() - began) / flips

    return trio.run(main)


def looks() -> Iterator[Figure]:
    """Measure how the cost of a look grows with the size of the board."""
    for changing, what in ((False, "the same board"), (True, "a changed board")):
        large, small, ratio = alternate(
            ROUNDS, partial(seconds_per_look, 100, changing), partial(seconds_per_look, 10, changing)
        )
        name = f"look at 100x100 cards, {what}; limit: 10x10 cards"
        yield Figure(name, micro(large), micro(small), ratio, at_most=6)
    large, small, ratio = alternate(ROUNDS, partial(seconds_per_flip, 100), partial(seconds_per_flip, 10))
    name = "flip on 100x100 cards, with a new view as answer; limit: 10x10 cards"
    yield Figure(name, micro(large), micro(small), ratio, at_most=6)


# --- parked requests -------------------------------------------------------------------------------------


class Steps(trio.abc.Instrument):
    """A counter of the steps of all tasks."""

    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1


def idle() -> Iterator[Figure]:
    """Measure the cost of 500 parked watches in an idle game: task steps, without the step of this measurement."""
    seconds, watchers = 2.0, 500

    async def main() -> tuple[int, float]:
        async with open_game(distinct(10, 10)) as game, trio.open_nursery() as nursery:
            for number in range(watchers):
                nursery.start_soon(game.watch, f"player{number}")
            await wait_all_tasks_blocked()
            steps = Steps()
            trio.lowlevel.add_instrument(steps)
            cpu = time.process_time()
            await trio.sleep(seconds)
            cpu = time.process_time() - cpu
            nursery.cancel_scope.cancel()
            return steps.count - 1, cpu

    count, cpu = trio.run(main)
    yield Figure(
        f"{watchers} parked watches for {seconds:g} s without moves",
        f"{count} task steps, {1000 * cpu:.1f} ms CPU",
        f"{1000 * seconds:,.0f} ms",
        cpu / seconds,
        at_most=0.01,
    )


def micro(seconds: float) -> str:
    """Seconds as microseconds."""
    return f"{1e6 * seconds:.1f} µs"
