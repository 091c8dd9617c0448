"""The simulated world: a server that lives, dies and restarts, its disk, its network, and its players.

    world = World(derive(seed))
    world.run()          # raises Failure, with instructions to reproduce it

The server is the shipped one: rules, kernel, journal, web and text front ends. Its whole environment is simulated, and
the seed determines all events. The faults come first, one life of the server after another. Then the faults stop, and
every player must get an answer. `tests.search.vopr.checks` describes the checks and their times.
"""

from __future__ import annotations

import logging
import random
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import Final, Protocol
from unittest.mock import patch

import trio

from scramble.errors import JournalError, JournalFailed, leaves
from scramble.journal import Journal, Record, Recording, commandlog, read_recording, sqlite
from tests.search.vopr import determinism
from tests.search.vopr.checks import Wrong
from tests.search.vopr.disk import Medium
from tests.search.vopr.network import WireEnd, wire
from tests.search.vopr.options import Ending, Options
from tests.search.vopr.process import Died, Process, ProcessDisk

PATH: Final = "game.db"
END_S: Final = 3600.0  # simulated; a run takes a minute
FLIPPED_BITS: Final = 10  # bits of a damaged file, flipped one after another

Handle = Callable[[WireEnd], Awaitable[None]]
"""The server's side of a connection."""


class Failure(AssertionError):
    """An invariant is broken. The text has all the information to reproduce the failure."""


class Down(Exception):
    """The server does not listen: the connection is refused."""


class Arena(Protocol):
    """A game in the world."""

    def serve(self, journal: Journal) -> AbstractAsyncContextManager[Handle]:
        """Run the game behind its front end, for one life of the server."""

    async def play(self, number: int) -> None:
        """Play as player `number` until the world ends."""

    async def settle(self) -> None:
        """When all players are done, bring the game to a state in which no player waits."""

    def judge(self, records: tuple[Record, ...], *, last: bool) -> None:
        """Compare the answers to players with the current journal. Raises Wrong."""


class World:
    """The whole state of one run."""

    def __init__(self, options: Options, arena: Callable[[World], Arena]) -> None:
        self.options: Final = options
        self.rng: Final = random.Random(f"world {options.seed}")
        self.trace: Final[list[str]] = []
        self.faults = True  # True while faults still occur
        self.process: Process | None = None
        self.ends: Final[dict[int, str]] = {}  # the end of each life
        self.answers = 0  # the number of answers that were compared to the model
        self.records = 0  # the number of records in the journal at the last read
        self.simulated_s = 0.0
        self._medium: Final = Medium(random.Random(f"disk {options.seed}"), sector=options.sector)
        self._network: Final = random.Random(f"network {options.seed}")
        self._skew = 0.0
        self._ticks = 0
        self._handle: Handle | None = None
        self._handlers: trio.Nursery | None = None
        self._lives = 0
        self._changed: Final = trio.lowlevel.ParkingLot()
        self._arena: Final = arena(self)

    @property
    def disk_failures(self) -> int:
        """The number of injected failures of the disk."""
        return len(self._medium.failures)

    # for players

    def tick(self) -> int:
        """A moment, larger than all moments before."""
        self._ticks += 1
        return self._ticks

    def note(self, text: str) -> None:
        """Add a line to the trace."""
        self.simulated_s = trio.current_time() - self._began
        self.trace.append(f"{self.simulated_s:11.6f} {text}")

    async def connect(self) -> tuple[WireEnd, int]:
        """Return a connection to the server, and the number of the server's life. Raises Down if no server runs."""
        await trio.sleep(self._network.random() * self.options.network_s)
        if self._handle is None or self._handlers is None or self.process is None or not self.process.alive:
            raise Down
        ours, theirs = wire(self._network, self.options.network_s, whole=self.options.whole_pieces)
        self.process.connections.append(theirs)
        self._handlers.start_soon(self._handle, theirs)
        return ours, self.process.number

    async def until_up(self) -> None:
        """Wait until a server runs."""
        while self._handle is None:
            await self._changed.park()

    def is_last(self, life: int) -> bool:
        """True if this life is the current one, and faults no longer occur."""
        return not self.faults and self.process is not None and self.process.number == life

    def serves(self, life: int) -> bool:
        """True if this life of the server continues and is not about to end."""
        return self._handle is not None and self.process is not None and self.process.number == life

    def require_stopped(self, life: int) -> None:
        """Check an answer which says that the game stopped in this life. Raises Wrong if the game had not stopped."""
        if self.ends.get(life) not in ("stopped", "failed"):
            raise Wrong(
                f"somebody was told that the game has stopped, but life {life} {self.ends.get(life, 'goes on')}"
            )

    async def think(self) -> None:
        """A player's pause between two requests."""
        await trio.sleep(self.rng.random() * 2 * self.options.think_s)

    @property
    def moment(self) -> float:
        """The longest time until the answer to a request that does not wait for other players, in seconds."""
        return 2 * self.options.network_s + 4 * self.options.commit_s + 0.001

    # the run

    def run(self) -> None:
        """Run the whole world. Raises Failure."""
        try:
            with often(self.options.digest_every), _silence():
                determinism.run(self._main_in_time, self.options.seed)
        except BaseException as error:
            if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(error)):
                raise
            self.trace.extend(traceback.format_exception(error))
            what = "; ".join(f"{type(leaf).__name__}: {leaf}" for leaf in leaves(error))
            raise Failure(f"seed {self.options.seed}: {what}\n{self.options}") from error
        finally:
            self._medium.unmount()

    async def _main_in_time(self) -> None:
        with trio.move_on_after(END_S) as patience:
            await self._main()
        if patience.cancelled_caught:
            raise Wrong("somebody waits for ever")

    async def _main(self) -> None:
        self._began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_time, name="clock")
            async with trio.open_nursery() as players:
                for number in range(self.options.players):
                    players.start_soon(self._arena.play, number)
                for ending in self.options.endings:
                    await self._live(ending)
                    await trio.sleep(self.rng.random())
                self.faults = False
                self._heal()
                self.note("no more faults")
                last = await nursery.start(self._live_to_the_end)
            await self._arena.settle()
            last.scope.cancel()
            while self.process is not None:
                await self._changed.park()
            nursery.cancel_scope.cancel()
        self._arena.judge(self.read(), last=True)
        if self.options.damage:
            self._damage()

    async def _keep_time(self) -> None:
        """Sometimes move the clock forward or back, as people and time protocols do."""
        while self.faults:
            await trio.sleep(1.0)
            if self.rng.random() < self.options.clock_jump_rate:
                self._skew += self.rng.choice((-3600.0, -0.5, 0.5, 3600.0))
                self.note(f"the clock is off by {self._skew}")

    # the lives of the server

    async def _live(self, ending: Ending) -> None:
        """Run one life of the server, with its planned end."""
        rng, medium = self.rng, self._medium
        if ending in ("kill in a write", "power cut in a write"):
            # Opening a journal takes up to 25 operations, and a commit about 4.
            at = medium.operations + rng.choice((rng.randrange(1, 25), rng.randrange(15, 60), rng.randrange(15, 60)))
            if ending == "kill in a write":
                medium.kill_at = at
            else:
                medium.cut_at = at
        elif ending == "disk failure":
            medium.lost_sync = self.options.lost_sync
            medium.fail_rate = rng.choice((0.003, 0.03, 0.3))
        elif ending == "disk full":
            medium.capacity = medium.used() + rng.randrange(100_000)
        async with trio.open_nursery() as nursery:
            process: Process = await nursery.start(self._run_process)
            rounds = 40.0 if ending.endswith("in a write") else rng.choice((1, 5, 20)) * rng.random()
            with trio.move_on_after(rounds * self._pace):
                while self.process is process:
                    await self._changed.park()
            if self.process is process:
                if ending == "stop" or (ending.startswith("disk") and rng.random() < 0.5):
                    process.scope.cancel()
                else:
                    process.die(silently=ending.startswith("power"))
        if ending.startswith("power") or process.mount.cut:
            medium.cut_power()
            self.note("the power was cut")
        self._heal()

    async def _live_to_the_end(self, task_status: trio.TaskStatus[Process]) -> None:
        await self._run_process(task_status)

    def _heal(self) -> None:
        medium = self._medium
        medium.fail_rate, medium.capacity, medium.cut_at, medium.kill_at = 0.0, None, None, None

    async def _run_process(self, task_status: trio.TaskStatus[Process]) -> None:
        """Run the process from start to death. Returns after every expected end."""
        self._arena.judge(self.read(), last=False)
        process = self.process = Process(self._lives, self._medium.mount())
        self._lives += 1
        self.note(f"life {process.number} begins")
        task_status.started(process)
        how = "stopped"
        try:
            with process.scope:
                await self._serve(process)
        except BaseException as error:
            how = self._judge_end(process, error)
        finally:
            self.process = self._handle = self._handlers = None
            self._changed.unpark_all()
        if not process.alive:
            how = "died"
        process.close()
        self.ends[process.number] = how
        self.note(f"life {process.number} ended: {how}")

    def _judge_end(self, process: Process, error: BaseException) -> str:
        """Return the kind of end of a life that ended with an error. Raises every unexpected error."""
        kinds = {type(leaf) for leaf in leaves(error)}
        if not process.alive:  # the errors of a dead process do not matter, but an unexpected error shows a bug
            if kinds <= {Died, trio.Cancelled, JournalError, JournalFailed}:
                return "died"
        elif kinds and kinds <= {JournalFailed, JournalError} and process.disk_failed:
            return "failed"
        raise error

    async def _serve(self, process: Process) -> None:
        disk = ProcessDisk(process, self._time_of_day, self._commit_time)
        async with self._arena.serve(Journal(PATH, disk=disk)) as handle, trio.open_nursery() as handlers:
            self.note(f"life {process.number} serves")
            self._handle, self._handlers = partial(self._contained, process, handle), handlers
            self._changed.unpark_all()
            try:
                await trio.sleep_forever()
            finally:
                self._handle = self._handlers = None  # the server does not listen any longer

    async def _contained(self, process: Process, handle: Handle, end: WireEnd) -> None:
        if process.alive:
            await handle(end)

    @property
    def _pace(self) -> float:
        """The usual time from one request of a player to the next, in seconds."""
        return self.options.think_s + self.moment

    def _time_of_day(self) -> float:
        return 1_700_000_000 + trio.current_time() - self._began + self._skew

    def _commit_time(self) -> float:
        return self._network.random() * self.options.commit_s

    # the journal, as an external reader reads it

    def read(self) -> tuple[Record, ...]:
        """The records on the disk now; none if the game does not exist yet."""
        recording = self._recording()
        self.records = 0 if recording is None else len(recording.records)
        return () if recording is None else recording.records

    def _recording(self) -> Recording | None:
        reader = Process(-1, self._medium.mount(observer=True))
        disk = ProcessDisk(reader, self._time_of_day, self._commit_time)
        try:
            return read_recording(PATH, disk=disk)
        except JournalError as error:
            if "there is no" in str(error):
                return None
            raise Wrong(f"the journal cannot be read: {error}") from error

    def _damage(self) -> None:
        """Flip bits of the file. The content must stay the same, or the journal must be reported as damaged."""
        before = self._recording()
        for _ in range(FLIPPED_BITS):
            with self._medium.damaged(PATH):
                try:
                    after = self._recording()
                except Wrong:
                    continue
            if _story(after) != _story(before):
                raise Wrong("a damaged journal tells another story, and nobody noticed")


def _story(recording: Recording | None) -> object:
    """Return all of a recording except its digests. A server that continues the game compares the digests."""
    return recording and (recording.kind, recording.began, recording.first, recording.records)


@contextmanager
def often(digest_every: int) -> Iterator[None]:
    """Write a digest every `digest_every` commands.

    If this is more often than usual, write a snapshot with each digest, and do not verify whole files at an opening.
    """
    short = digest_every < commandlog.DIGEST_EVERY
    with (
        patch.object(commandlog, "DIGEST_EVERY", digest_every),
        patch.object(commandlog, "STATE_BYTES", 1 << 20 if short else commandlog.STATE_BYTES),
        patch.object(commandlog, "CLOSING_COMMANDS", 3 if short else commandlog.CLOSING_COMMANDS),
        patch.object(sqlite, "WHOLE_BYTES", 0 if short else sqlite.WHOLE_BYTES),
    ):
        yield


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the log of dying servers: they die all the time here."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
