"""The simulated world of many rooms: their process lives, dies and restarts on a disk that survives.

    world = RoomsWorld(derive(seed))
    world.run()          # raises Failure, with instructions to reproduce it

The world runs the shipped `open_rooms`: register, supervisors, kernel, journals, and the games. It simulates the disk
of the journals (`tests.search.vopr.disk`), the folder, the threads and the clock, so the seed determines all events.
The visitors are tasks that use `Rooms` like front ends and programs. This world has no front end. A power cut treats
both folders of a real disk as one. The disk does not fail or fill up here: `tests.search.vopr.world` tests this with
one journal.

The faults come first, one life after another. Then the faults stop, and every visit must be answered. `judge` compares
the answers to the journals, at every start and at the end. These checks come at once, in each life:

- an answer says that a game has stopped or was closed only in the room with the bug, or where a visitor closes a room;
- the log has the deaths of the room with the bug and of no other room, and it calls the room broken after the third;
- at the end all rooms fall asleep, and there are as many tasks as before the first visit.
"""

from __future__ import annotations

import logging
import random
import secrets
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Final, TypeVar
from unittest.mock import patch

import trio

from scramble.errors import GameStopped, JournalError, JournalFailed, leaves
from scramble.games.table import game_kinds
from scramble.journal import Journal, Recording, read_recording
from scramble.logs import LogEntry
from scramble.rooms import folderstore, local
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.names import is_room_name
from scramble.rooms.store import DEATHS
from tests.search.vopr import determinism
from tests.search.vopr.checks import Wrong
from tests.search.vopr.disk import Medium
from tests.search.vopr.process import Died, Lock, Process, ProcessDisk
from tests.search.vopr.rooms.judge import Kept, Registered, Story
from tests.search.vopr.rooms.options import Ending, Options
from tests.search.vopr.rooms.visitors import Visitors
from tests.search.vopr.world import END_S, Failure, often
from tests.support.rooms.kinds import DIGGING

T = TypeVar("T")

KINDS: Final = {**game_kinds(), "faulty": DIGGING["faulty"]}
ENDS: Final = (Died, trio.Cancelled, JournalError, JournalFailed, GameStopped)
"""The errors that end the tasks of a dead process."""

QUIET_S: Final = 120.0  # simulated; after this time all rooms are asleep


class RoomsWorld:
    """The whole state of one run."""

    def __init__(self, options: Options) -> None:
        self.options: Final = options
        self.rng: Final = random.Random(f"world of rooms {options.seed}")
        self.rooms: Final = [Kept(number, kind) for number, kind in enumerate(options.kinds)]
        self.trace: Final[list[str]] = []
        self.lives = 0
        self.deaths = 0  # of the process
        self.answers = 0
        self.simulated_s = 0.0
        self._medium: Final = Medium(random.Random(f"disk of rooms {options.seed}"), sector=options.sector)
        self._latency: Final = random.Random(f"latency {options.seed}")
        self._process: Process | None = None
        self._folder: Final = _Folder(self)
        self._log: Final = _Log(self)

    # for visitors

    @property
    def alive(self) -> bool:
        """True if the process lives and is not about to end. Then visitors hear its answers."""
        process = self._process
        return process is not None and process.alive and not process.scope.cancel_called

    def note(self, text: str) -> None:
        """Add a line to the trace."""
        self.simulated_s = trio.current_time() - self._began
        self.trace.append(f"{self.simulated_s:11.6f} {text}")

    def saw(self, room: Kept, known: int, version: int, what: str, text: str) -> None:
        """Note an answer to a visitor. Raises Wrong if the answer is older than a known version."""
        self.answers += 1
        self.note(f"{room}: {what}: version {version} {text!r}")
        room.saw(known, version)

    # the run

    def run(self) -> None:
        """Run the whole world. Raises Failure."""
        try:
            with often(self.options.digest_every), self._on_simulated_ground():
                determinism.run(self._main_in_time, self.options.seed)
        except BaseException as error:
            if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves(error)):
                raise
            self.trace.extend(traceback.format_exception(error))
            what = "; ".join(f"{type(leaf).__name__}: {leaf}" for leaf in leaves(error))
            raise Failure(f"seed {self.options.seed}: {what}\n{self.options}") from error
        finally:
            self._medium.unmount()

    @contextmanager
    def _on_simulated_ground(self) -> Iterator[None]:
        """Replace the folder, the journals' disk, the threads and the log of `open_rooms` by simulations."""
        secret = random.Random(f"seeds of rooms {self.options.seed}")
        with ExitStack() as stack:
            for module in (local, folderstore):
                stack.enter_context(patch.object(module, "Journal", self._journal))
            stack.enter_context(patch.object(local, "open_folder", self._folder.opened))
            stack.enter_context(patch.object(trio.to_thread, "run_sync", self._in_thread))
            stack.enter_context(patch.object(shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 40)))
            stack.enter_context(patch.object(secrets, "randbits", secret.getrandbits))
            stack.enter_context(self._log.instead())
            yield

    async def _main_in_time(self) -> None:
        with trio.move_on_after(END_S) as patience:
            await self._main()
        if patience.cancelled_caught:
            raise Wrong("somebody waits for ever")

    async def _main(self) -> None:
        self._began = trio.current_time()
        for ending in self.options.endings:
            await self._live(ending)
        self._judge()
        self.note("no more faults")
        await self._run_process(self._play_to_the_end)
        self._judge(last=True)

    # the lives of the process

    async def _live(self, ending: Ending) -> None:
        """Run one life of the process, with its planned end."""
        self._judge()
        rng, medium = self.rng, self._medium
        if ending.endswith("in a write"):
            # Opening a journal takes up to 25 operations, and a commit about 4.
            at = medium.operations + rng.choice((rng.randrange(1, 60), rng.randrange(60, 600)))
            medium.kill_at, medium.cut_at = (at, None) if ending == "kill in a write" else (None, at)
        process = await self._run_process(partial(self._play, ending))
        if ending.startswith("power") or process.mount.cut:
            medium.cut_power()
            self.note("the power was cut")
        medium.cut_at, medium.kill_at = None, None

    async def _run_process(self, play: Callable[[LocalRooms], object]) -> Process:
        """Run the process from start to death. Returns after every expected end."""
        process = self._process = Process(self.lives, self._medium.mount())
        self.lives += 1
        self._log.begin()
        self.note(f"life {process.number} begins")
        limits = RoomLimits(awake=self.options.awake)
        try:
            with process.scope:
                async with open_rooms(
                    "folder", kinds=KINDS, limits=limits, sleep_after=self.options.sleep_after, now=self._time_of_day
                ) as rooms:
                    await play(rooms)  # type: ignore[misc]
        except BaseException as error:
            # The errors of a dead process do not matter, but an unexpected error shows a bug.
            if process.alive or not all(isinstance(leaf, ENDS) for leaf in leaves(error)):
                raise
        finally:
            self._process = None
        self._log.require_no_other(self.rooms[-1].name)
        self.deaths += not process.alive
        self.note(f"life {process.number} ended: {'stopped' if process.alive else 'died'}")
        process.close()
        return process

    async def _play(self, ending: Ending, rooms: LocalRooms) -> None:
        """Let visitors come until the end."""
        visitors, process = Visitors(self, rooms), self._process
        assert process is not None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(visitors.open_rooms)
            nursery.start_soon(visitors.break_rules, self.rng.randrange(DEATHS))
            nursery.start_soon(visitors.close_and_remove)
            for _ in range(self.options.visitors):
                nursery.start_soon(visitors.visit, None)
            await trio.sleep(self.rng.choice((1, 4, 10)) * self.rng.random() * self._pace)
            if not ending.endswith("in a write"):
                self.note(ending)
                if ending == "stop":
                    process.scope.cancel()
                else:
                    process.die(silently=ending.startswith("power"))
            else:
                await trio.sleep(20 * self._pace)
                process.die(silently=False)

    async def _play_to_the_end(self, rooms: LocalRooms) -> None:
        """Let all visits end normally and all rooms fall asleep."""
        visitors = Visitors(self, rooms)
        await trio.sleep(1)
        before = _tasks()
        await visitors.open_rooms()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(visitors.break_rules, None)
            nursery.start_soon(visitors.close_and_remove)
            for _ in range(self.options.visitors):
                nursery.start_soon(visitors.visit, self.options.visits)
        self._log.require_broken(self.rooms[-1].name)
        for room in self.rooms[:-1]:
            if not room.ending:
                await visitors.look_once(room)
        await trio.sleep(QUIET_S)
        if rooms.awake():
            raise Wrong(f"nobody is there, but {len(rooms.awake())} rooms are awake")
        left = _tasks() - before
        if left:
            raise Wrong(f"nobody is there, but these tasks are left: {dict(left)}")

    @property
    def _pace(self) -> float:
        """The usual length of a visit, in seconds."""
        return self.options.think_s + 8 * self.options.commit_s + 0.05

    # the simulated environment of the shipped code

    @property
    def process(self) -> Process:
        """The current process."""
        assert self._process is not None
        return self._process

    @property
    def medium(self) -> Medium:
        """The disk."""
        return self._medium

    def _journal(self, path: Path, *, room_left: Callable[[], bool] = lambda: True) -> Journal:
        disk = ProcessDisk(self.process, self._time_of_day, self._commit_time)
        return Journal(path, room_left=room_left, disk=disk)

    async def _in_thread(self, work: Callable[..., T], *args: object, limiter: trio.CapacityLimiter | None = None) -> T:
        """The work of a worker thread. It takes no time, but other tasks run first. So no limiter ever blocks it."""
        process = self.process
        await trio.lowlevel.checkpoint_if_cancelled()
        with trio.CancelScope(shield=True):
            await trio.lowlevel.checkpoint()
            try:
                result = work(*args)
            except Exception:
                if process.alive:
                    raise
        if not process.alive:
            process.die(silently=process.mount.cut)
            raise Died
        return result

    def _time_of_day(self) -> float:
        return 1_700_000_000 + trio.current_time() - self._began

    def _commit_time(self) -> float:
        return self._latency.random() * self.options.commit_s

    # the journals, as an external reader reads them

    def _judge(self, *, last: bool = False) -> None:
        """Compare the answers to visitors with the current journals. Raises Wrong."""
        register = Registered(self._read(self._folder.register))
        for room in self.rooms:
            if not room.name:
                continue
            register.explain(room)
            if room.name not in register.rooms:
                continue
            recording = self._read(self._folder.journal(room.name))
            story = None if recording is None else Story(room.kind, recording)
            if story is not None:
                story.explain(room)
            elif room.answers or room.looks or room.said:
                raise Wrong(f"the journal of {room} is gone")
            if last:
                register.explain_end(room, story)

    def _read(self, path: Path) -> Recording | None:
        reader = Process(-1, self._medium.mount(observer=True))
        try:
            return read_recording(path, disk=ProcessDisk(reader, self._time_of_day, self._commit_time))
        except JournalError as error:
            if "there is no" in str(error):
                return None
            raise Wrong(f"a journal cannot be read: {error}") from error


class _Folder(RoomsFolder):
    """The folder of the rooms on the simulated disk."""

    def __init__(self, world: RoomsWorld) -> None:
        super().__init__(Path("folder"))
        self._world: Final = world

    @contextmanager
    def opened(self, path: Path | None) -> Iterator[RoomsFolder]:
        """Replace `open_folder`: lock the folder for a process."""
        lock = Lock(self._world.process.mount, f"{path}/server")
        yield self
        lock.close()

    def names(self) -> frozenset[str]:
        """The names of the rooms with files on the disk."""
        found = (Path(name).name.partition(".")[0] for name in self._world.medium.files)
        return frozenset(name for name in found if is_room_name(name))

    def discard(self, name: str) -> None:
        """Delete the room's files, the journal last."""
        mount = self._world.process.mount
        for file in sorted(self._files(name), reverse=True):
            mount._touch("delete")
            mount.medium.unlink(file, synced=False)

    def size(self, name: str | None = None) -> int:
        """The bytes of one room, of the register, or of all files."""
        files = self._world.medium.files
        return sum(len(files[file].seen) for file in (files if name is None else self._files(name)))

    def _files(self, name: str) -> list[str]:
        journal = str(self.journal(name) if name else self.register)
        return [file for file in self._world.medium.files if file.startswith(journal)]


class _Log(logging.Handler):
    """The log of the living process. A dead process writes no log."""

    def __init__(self, world: RoomsWorld) -> None:
        super().__init__()
        self._world: Final = world
        self._died: Final[Counter[object]] = Counter()
        self._broken: Final[Counter[object]] = Counter()
        self._wrong: Final[list[str]] = []

    @contextmanager
    def instead(self) -> Iterator[None]:
        """Get all log lines during the block, in place of the usual handlers."""
        logger = logging.getLogger("scramble")
        before = logger.propagate, logger.level, list(logger.handlers)
        logger.propagate, logger.handlers = False, [self]
        logger.setLevel(logging.WARNING)
        try:
            yield
        finally:
            logger.propagate, logger.handlers = before[0], before[2]
            logger.setLevel(before[1])

    def begin(self) -> None:
        """Start the log of another process."""
        self._died.clear()
        self._broken.clear()

    def emit(self, record: logging.LogRecord) -> None:
        """Read a log line. Only the room with the bug may log its bug."""
        if not self._world.alive or not isinstance(record.msg, LogEntry):
            return
        room = record.msg.fields.get("room")
        self._world.note(f"log: {record.msg}")
        if record.msg.event == "room-died":
            self._died[room] += 1
            error = record.exc_info and record.exc_info[1]
            if error is None or not all("the planted bug" in str(leaf) for leaf in leaves(error)):
                self._wrong.append(f"{room} died without its bug")
        elif record.msg.event == "room-broken":
            self._broken[room] += 1
        elif "the planted bug" not in str(record.msg):
            self._wrong.append(str(record.msg))

    def require_no_other(self, name: str) -> None:
        """Raise Wrong if the log has anything except the deaths of that room."""
        if self._wrong:
            raise Wrong(f"the log has {'; '.join(self._wrong)}")
        others = sorted(str(room) for room in (self._died | self._broken).keys() - {name})
        if others:
            raise Wrong(f"rooms have died without a bug: {', '.join(others)}")

    def require_broken(self, name: str) -> None:
        """Raise Wrong if the log does not call that room broken after its last death."""
        if (self._died[name], self._broken[name]) != (DEATHS, 1):
            raise Wrong(
                f"the log has {self._died[name]} deaths of the room with the bug, {self._broken[name]} as the last"
            )


def _tasks() -> Counter[str]:
    """Count the current tasks by name."""
    found: Counter[str] = Counter()
    root = trio.lowlevel.current_root_task()
    nurseries = [] if root is None else list(root.child_nurseries)
    while nurseries:
        for task in nurseries.pop().child_tasks:
            found[task.name] += 1
            nurseries.extend(task.child_nurseries)
    return found
