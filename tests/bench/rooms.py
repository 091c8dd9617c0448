"""The cost of sleeping rooms, of idle awake rooms, and of opening and waking rooms, with few and with many rooms."""

from __future__ import annotations

import gc
import random
import resource
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from statistics import median, quantiles

import msgspec
import trio

from scramble.kernel.protocol import Ticket
from scramble.memory.messages import Flip, FlipFailed
from scramble.rooms import LocalRooms, Room, RoomLimits, open_rooms
from scramble.rooms.names import new_name
from scramble.rooms.protocol import RoomOrder
from scramble.rooms.register import Register
from scramble.rooms.registermessages import CloseRoom, ListRooms, OpenRoom
from tests.bench.figure import Figure

FEW, MANY = 10, 10_000
AWAKE = 1_000
ROUNDS = 30  # number of rooms to open, enter and wake for one figure
IDLE_S = 5.0
FILES_OF_A_ROOM = 6  # open files of an awake room
PLAYED, PLAYERS = 200, 5
PACE_S = 4.0  # from one move of a player to the next, on average
MOVES = 5  # of each player
SETTINGS = msgspec.Raw(b'{"size":"6x6","theme":"animals","seed":123456789}')


def opening(name: str) -> OpenRoom:
    return OpenRoom(name, "memory", "Friday evening", SETTINGS, 1.7e9, MANY * 10, 2**40, host="0" * 64, public=True)


def filled(rooms: int) -> Register:
    register = Register()
    for number in range(rooms):
        register.apply(Ticket(number), opening(new_name()))
    return register


def seconds_per_command(register: Register) -> float:
    """Return the time of a command that opens, lists or closes rooms, in the fastest of several rounds."""
    best = float("inf")
    for _ in range(20):
        names = [new_name() for _ in range(50)]
        began = time.perf_counter()
        for name in names:
            register.apply(Ticket(0), opening(name))
            register.apply(Ticket(0), ListRooms(10))
            register.apply(Ticket(0), CloseRoom(name, 1.7e9))
        best = min(best, (time.perf_counter() - began) / 150)
    return best


def bytes_per_room() -> tuple[float, float]:
    """Return the bytes of memory of a room in the register, and the bytes of its record."""
    gc.collect()
    tracemalloc.start()
    register = filled(MANY)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / MANY, len(register.state()) / MANY


@asynccontextmanager
async def rooms_beside(others: int) -> AsyncIterator[LocalRooms]:
    """Run rooms in a new folder, with `others` already open and asleep."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_rooms(Path(folder), limits=RoomLimits(rooms=2 * MANY), sleep_after=0) as rooms:
            await open_many(rooms, others)
            yield rooms


async def open_many(rooms: LocalRooms, count: int) -> list[str]:
    names: list[str] = []

    async def work() -> None:
        while len(names) < count:
            names.append("")
            names[names.index("")] = (
                await rooms.create("memory", {"size": f"{PLAYERS}x4"}, RoomOrder(public=True))
            ).name

    async with trio.open_nursery() as nursery:
        for _ in range(min(count, 64)):
            nursery.start_soon(work)
    return names


async def times(rooms: LocalRooms) -> tuple[float, float, float]:
    """Return the seconds to open a room, to enter it first, and to wake it later."""
    began = time.perf_counter()
    name = (await rooms.create("memory", {"size": "4x4"})).name
    seconds = [time.perf_counter() - began]
    for column in range(2):
        began = time.perf_counter()
        async with rooms.enter(name) as room:
            seconds.append(time.perf_counter() - began)
            await room.game.ask(Flip(f"player{column}", 0, column))
        await anext(rooms.movements())  # the room has fallen asleep
    opened, entered, woken = seconds
    return opened, entered, woken


async def times_beside_many_and_few() -> tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]]:
    """Return the results of `times` beside many other rooms and beside few other rooms, measured in turns."""
    async with rooms_beside(MANY) as many, rooms_beside(FEW) as few:
        pairs = [(await times(many), await times(few)) for _ in range(ROUNDS)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


async def idle_share() -> tuple[float, float]:
    """Return the share of one core that a process uses with `AWAKE` idle rooms, and without rooms."""
    async with rooms_beside(0) as rooms, AsyncExitStack() as inside:
        shares: list[float] = []
        for count in (0, AWAKE):
            for name in await open_many(rooms, count):
                await inside.enter_async_context(rooms.enter(name))
            await trio.sleep(2)  # the disk quota measures the written files first
            began, cpu = time.perf_counter(), time.process_time()
            await trio.sleep(IDLE_S)
            shares.append((time.process_time() - cpu) / (time.perf_counter() - began))
        return shares[1], shares[0]


async def latencies(rooms_played: int) -> tuple[float, float, float]:
    """Return the seconds from a move to its answer with a journal (median, 99th percentile), and a room's memory."""
    async with rooms_beside(0) as rooms, AsyncExitStack() as inside:
        before = resident_bytes()
        games = [await inside.enter_async_context(rooms.enter(name)) for name in await open_many(rooms, rooms_played)]
        seconds: list[float] = []

        async def play(room: Room, number: int) -> None:
            choose = random.Random(number)
            for _ in range(MOVES):
                await trio.sleep(choose.uniform(0.5, 1.5) * PACE_S)
                # Each player stays in one row, so that nobody waits for another player's card.
                move = Flip(f"player{number % PLAYERS}", number % PLAYERS, choose.randrange(4))
                began = time.perf_counter()
                with suppress(FlipFailed):
                    await room.game.ask(move)
                seconds.append(time.perf_counter() - began)

        async with trio.open_nursery() as nursery:
            for number in range(rooms_played * PLAYERS):
                nursery.start_soon(play, games[number // PLAYERS], number)
        taken = (resident_bytes() - before) / rooms_played
        return median(seconds), quantiles(seconds, n=100)[98], taken


def resident_bytes() -> int:
    """Return the memory in use by this process. Linux."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def rooms() -> Iterator[Figure]:
    """Measure all figures of rooms."""
    few, many = seconds_per_command(filled(FEW)), seconds_per_command(filled(MANY))
    yield Figure(
        f"A command of a register with {MANY:,} rooms",
        f"{many * 1e6:.1f} µs",
        f"{few * 1e6:.1f} µs with {FEW}",
        many / few,
        at_most=2,
    )
    taken, record = bytes_per_room()
    yield Figure("Memory of a sleeping room", f"{taken:.0f} bytes", f"its record, {record:.0f} bytes", taken / record)

    with_many, with_few = trio.run(times_beside_many_and_few)
    for column, what in enumerate(("Opening", "First entering", "Waking")):
        one, other = (median(seconds[column] for seconds in found) for found in (with_many, with_few))
        yield Figure(
            f"{what} a room beside {MANY:,} other rooms",
            f"{one * 1e3:.1f} ms",
            f"{other * 1e3:.1f} ms beside {FEW} other rooms",
            one / other,
            at_most=1.5,
        )
    many_s, slow_s, taken = trio.run(latencies, PLAYED)
    one_s, one_slow_s, _ = trio.run(latencies, 1)
    yield Figure(
        f"A move in {PLAYED} rooms, each with {PLAYERS} players, if a player moves every {PACE_S:g} s",
        f"{many_s * 1e3:.1f} ms, 99 % below {slow_s * 1e3:.0f} ms; {taken / 1e3:.0f} kB a room",
        f"in one room {one_s * 1e3:.1f} ms, {one_slow_s * 1e3:.0f} ms",
        many_s / one_s,
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, AWAKE * FILES_OF_A_ROOM + 100)), hard))
    awake, none = trio.run(idle_share)
    yield Figure(
        f"Processor time with {AWAKE:,} awake, idle rooms", f"{awake:.2%} of a core", f"{none:.2%} without rooms", awake
    )
