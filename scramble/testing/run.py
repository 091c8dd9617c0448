"""One run of a trio program, in which a strategy chooses every step.

    ran = Run(main, Fifo(), max_steps=1000).go()
    ran.error, ran.deviations

How it takes control: trio runs its runnable tasks in batches, and shuffles each batch. `TaskQueue` replaces the queue
of runnable tasks, and hands out one task at a time. So each batch has one task, and trio's shuffle has no effect. Trio
has no public way to choose the next task. This needs private parts of trio: `runq` and `waiting_for_idle` of the
runner, and `_cancel_status` of tasks, to end a deadlock behind a shield. `explore.check_trio` tests that this works.

What is chosen: at each decision one of the runnable tasks takes a step, up to its next checkpoint. Before that, the
strategy may cancel blocks that the program has marked with `cancellable`. If no task is runnable, only the
cancellations are left; without one the clock jumps to the next deadline.

What is fixed: trio wakes the waiting tasks of an event, and the tasks of a cancelled scope, in the order of a set. It
orders equal deadlines by address. So tasks that become runnable between two decisions are ordered by age.

What is not controlled: threads, sockets and processes. While a task waits for one, the run waits in real time.
"""

from __future__ import annotations

import inspect
import itertools
import math
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, NamedTuple, Protocol

import outcome
import trio
import trio.testing
from trio._core import _run as trio_run

from scramble.testing.errors import Deadlock, StepLimit
from scramble.testing.places import BEGINNING, place, shown
from scramble.testing.schedule import Deviation, Deviations
from scramble.testing.taskqueue import TaskQueue

Main = Callable[[], Awaitable[object]]

OUTSIDE_S: Final = 0.5  # real seconds without an event of threads and sockets until the clock jumps
OUTSIDE_WAITS: Final = 20  # such waits until a program without a deadline counts as deadlocked
OWN: Final = -1  # the number of trio's own tasks
STEPS_TO_END: Final = 10_000  # of a cancelled run, until it is abandoned


class Strategy(Protocol):
    """Chooses each step of one run."""

    def cancel(self, step: int, blocks: int) -> int | None:
        """Return the number of the live cancellable block to cancel now, below `blocks`; None to cancel no block."""

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Return an index into the runnable tasks' numbers. They are ordered: runnable for the longest time first."""


class Step(NamedTuple):
    """A line of the timeline.

    `task`: the name; "" if the clock jumped to `now`. `begin`, `end`: the places before and after the step; `end` is ""
    if the task has ended. `passed`: the name of the task that first in, first out runs, if it is another task.
    `cancelled`: the tasks whose blocks were cancelled before the step.
    """

    number: int
    task: str
    begin: str
    end: str
    now: float
    passed: str = ""
    cancelled: tuple[str, ...] = ()


@dataclass
class Ran:
    """A finished run.

    For each decision there is an entry in `widths` (the number of runnable tasks), `blocks` (the number of cancellable
    blocks that are live after its cancellations) and `picks` (the number of the task; -1 if no task was runnable).
    """

    error: BaseException | None = None
    deviations: Deviations = ()
    widths: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    picks: list[int] = field(default_factory=list)
    timeline: list[Step] = field(default_factory=list)
    outside: bool = False  # a task has waited for a thread or a socket


class NotAsync(TypeError):
    """The program is not an async function."""


class _Current(threading.local):
    run: Run | None = None


_current: Final = _Current()

_abandoned: Final[list[object]] = []
"""The root tasks of abandoned runs: the garbage collector would close their coroutines within later runs."""


def cancellable() -> AbstractContextManager[trio.CancelScope]:
    """Return a block for `with`, which `explore` may cancel.

    `explore` cancels the scope at any checkpoint of the block, also while all tasks wait: it is one more choice of the
    schedule. Outside of `explore`, `replay` and `interleave` this is a plain `trio.CancelScope`. Set a deadline or a
    shield inside the block, on the scope that `with ... as` gives. Does not wait.
    """
    return trio.CancelScope() if _current.run is None else _Cancellable(_current.run)


class _Cancellable:
    """A cancel scope that its run knows while the block runs."""

    __slots__ = ("_run", "_scope")

    def __init__(self, run: Run) -> None:
        self._run: Final = run
        self._scope: Final = trio.CancelScope()

    def __enter__(self) -> trio.CancelScope:
        scope = self._scope.__enter__()
        self._run.live[scope] = trio.lowlevel.current_task()
        return scope

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._run.live.pop(self._scope, None)
        return self._scope.__exit__(kind, error, trace)


class _Tracing(trio.abc.Instrument):
    """Notes the place of each task after its step."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        self._run.note_end(task)


class _Clock(trio.abc.Clock):
    """A virtual clock, which jumps to the next deadline when all tasks wait."""

    def __init__(self, run: Run) -> None:
        self.now = 0.0
        self._run: Final = run

    def start_clock(self) -> None:
        """Trio calls this before the first task exists."""
        self._run.take_control(trio_run.GLOBAL_RUN_CONTEXT.runner)

    def current_time(self) -> float:
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Trio asks only if no task is runnable."""
        return self._run.idle(deadline)


class Run:
    """One run of `main`. Not safe under concurrency: a run is used once, in one thread."""

    # RI: the program's tasks are numbered in the order in which they were spawned. `live` has the cancellable blocks
    # that run now, in the order of their beginnings. After `_verdict` is set, the run is cancelled and follows no
    # strategy.

    def __init__(self, main: Main, strategy: Strategy, *, max_steps: int, traced: bool = False) -> None:
        """`traced`: also write the timeline, which takes several times as long."""
        self.live: Final[dict[trio.CancelScope, trio.lowlevel.Task]] = {}
        self._main: Final = main
        self._strategy: Final = strategy
        self._max_steps: Final = max_steps
        self._traced: Final = traced
        self._ran: Final = Ran()
        self._deviations: Final[list[Deviation]] = []
        self._numbers: Final[dict[trio.lowlevel.Task, int]] = {}
        self._new: Final = itertools.count()
        self._names: Final[dict[trio.lowlevel.Task, str]] = {}
        self._counts: Final[Counter[str]] = Counter()
        self._age: Final = self._numbers.__getitem__
        self._queue: TaskQueue | None = None
        self._runner: trio_run.Runner | None = None
        self._clock: Final = _Clock(self)
        self._scope: Final = trio.CancelScope()
        self._verdict: AssertionError | None = None
        self._steps_left = STEPS_TO_END
        self._polled = False  # since the last step
        self._quiet = 0  # the number of waits for threads and sockets since the last step
        self._cancelled: tuple[str, ...] = ()

    def go(self) -> Ran:
        """Run `main` to its end; return how it went. Errors of the program are in the result.

        Raises KeyboardInterrupt and SystemExit, also from a group, and RuntimeError in a task of trio.
        """
        if _in_trio():
            raise RuntimeError("a run of its own is not possible within trio: call explore from a plain function")
        _current.run = self
        try:
            trio.run(self._in_scope, clock=self._clock, instruments=[_Tracing(self)] if self._traced else ())
        except trio.TrioInternalError as error:  # a system task has failed, or the run is abandoned
            self._ran.error = self._verdict or error
            if self._verdict is not None:
                self._verdict.__cause__ = error.__cause__ if error.__cause__ is not self._verdict else None
        except NotAsync as error:
            raise TypeError(str(error)) from None
        except BaseException as error:
            stops = BaseExceptionGroup("", [error]).subgroup((KeyboardInterrupt, SystemExit, GeneratorExit))
            if stops is not None:
                raise next(_leaves(stops)) from None
            self._ran.error = self._verdict or unwrapped(error)
        else:
            self._ran.error = self._verdict
        finally:
            _current.run = None
        self._ran.deviations = tuple(self._deviations)
        return self._ran

    async def _in_scope(self) -> None:
        coroutine = self._main()
        if not inspect.isawaitable(coroutine):
            raise NotAsync(f"the program is not an async function: it has returned {coroutine!r}")
        with self._scope:
            await coroutine

    # --- called by trio

    def take_control(self, runner: trio_run.Runner) -> None:
        """Replace the queue of runnable tasks."""
        self._queue = TaskQueue(self._choose, self._numbers, self._number)
        self._runner = runner
        runner.runq = self._queue  # type: ignore[assignment]

    def _choose(self, tasks: deque[trio.lowlevel.Task]) -> int:
        """Decide which of the runnable tasks takes a step; return its index."""
        self._polled = False
        ready = [*map(self._age, tasks)]
        if OWN in ready:
            self._is_outside()  # trio's task may carry the result of a thread
            return ready.index(OWN)
        self._quiet = 0
        if self._verdict is not None:
            return self._end()
        ran, step = self._ran, len(self._ran.picks)
        if step >= self._max_steps:
            self._stop(StepLimit(f"more than {self._max_steps} steps in one run; max_steps sets the limit"))
            return 0
        if self.live and self._cancel(step):
            assert self._queue is not None
            self._queue.order()
            ready = [*map(self._age, tasks)]
        width = len(ready)
        index = self._strategy.pick(step, ready) if width > 1 else 0
        ran.widths.append(width)
        ran.blocks.append(len(self.live))
        ran.picks.append(ready[index])
        if index:
            self._deviations.append(Deviation(step, places=index))
        if self._traced:
            self._note(step, tasks[index], tasks[0] if index else None)
        return index

    def idle(self, deadline: float) -> float:
        """Return the real seconds that trio may wait: no task is runnable, and the next deadline is `deadline`."""
        assert self._runner is not None
        is_outside = self._is_outside()
        if not self._polled:  # trio may have got a call by `run_sync_soon`, or data of a socket
            self._polled = True
            return 0
        if self._verdict is None and self.live:
            step = len(self._ran.picks)
            any_cancelled = self._cancel(step)
            self._ran.widths.append(0)
            self._ran.blocks.append(len(self.live))
            self._ran.picks.append(-1)
            if any_cancelled:
                if self._traced:
                    self._ran.timeline.append(Step(step, "", "", "", self._clock.now, cancelled=self._taken()))
                return 0
        if self._runner.waiting_for_idle:
            cushion = next(iter(self._runner.waiting_for_idle))[0]
            if cushion == 0 or is_outside:
                return math.inf  # trio waits for the cushion in real time, and wakes the tasks
            if self._clock.now + cushion < deadline:
                self._jump(self._clock.now + cushion)
                self._end_cushion(cushion)
                return 0
        elif is_outside:
            self._quiet += 1
            if self._quiet <= (OUTSIDE_WAITS if deadline == math.inf else 1):
                return OUTSIDE_S
        if deadline == math.inf:
            self._deadlocked()
        else:
            self._jump(deadline)
        return 0

    def _jump(self, now: float) -> None:
        self._clock.now = max(self._clock.now, now)
        if self._traced and self._verdict is None:
            self._ran.timeline.append(Step(len(self._ran.picks), "", "", "", self._clock.now))

    def _end_cushion(self, cushion: float) -> None:
        """Wake the tasks in `wait_all_tasks_blocked(cushion)`, as trio does after real time."""
        assert self._runner is not None
        waiting = self._runner.waiting_for_idle
        for key in [key for key in waiting if key[0] == cushion]:
            trio.lowlevel.reschedule(waiting.pop(key))

    # --- cancellations

    def _cancel(self, step: int) -> bool:
        """Cancel the blocks that the strategy chooses; return True if there is one."""
        any_cancelled = False
        while self.live:
            block = self._strategy.cancel(step, len(self.live))
            if block is None:
                break
            scope = list(self.live)[block]
            task = self.live.pop(scope)
            self._deviations.append(Deviation(step, block=block))
            self._cancelled += (self._name(task),)
            scope.cancel()
            any_cancelled = True
        return any_cancelled

    def _taken(self) -> tuple[str, ...]:
        cancelled, self._cancelled = self._cancelled, ()
        return cancelled

    # --- the end

    def _stop(self, verdict: AssertionError) -> None:
        self._verdict = verdict
        self._scope.cancel()

    def _end(self) -> int:
        """Take a step of the cancelled run, in the order of the queue."""
        self._steps_left -= 1
        if self._steps_left < 0:
            assert self._verdict is not None
            _abandoned.append(trio.lowlevel.current_root_task())
            raise self._verdict  # the program catches its cancellation again and again: abandon it
        return 0

    def _deadlocked(self) -> None:
        """Cancel the program. If it does not end, remove the shields, and then raise the verdict in its tasks."""
        root = trio.lowlevel.current_root_task()
        assert root is not None
        if self._verdict is None:
            waits = "\n".join(self._tree(root, 0))
            self._stop(Deadlock(f"all tasks wait for ever\n{waits}"))
            return
        if not _unshield(root):
            self._wake_up(root)

    def _wake_up(self, task: trio.lowlevel.Task) -> None:
        """Raise the verdict in the tasks that do not let trio cancel their waits."""
        children = [child for nursery in task.child_nurseries for child in nursery.child_tasks]
        for child in children:
            self._wake_up(child)
        if not children and self._numbers[task] != OWN:
            trio.lowlevel.reschedule(task, outcome.Error(self._verdict or StepLimit()))

    def _tree(self, task: trio.lowlevel.Task, depth: int) -> Iterator[str]:
        """Yield a line for each task below `task`, parents before children. Trio's own tasks are left out."""
        if self._numbers[task] != OWN:
            yield f"{'  ' * depth}{self._name(task)} waits at {shown(place(task))}"
            depth += 1
        for nursery in task.child_nurseries:
            for child in sorted(nursery.child_tasks, key=self._age):
                yield from self._tree(child, depth)

    def _is_outside(self) -> bool:
        """Return True if a task waits for a thread or a socket; note that in the result."""
        statistics = trio.lowlevel.current_statistics().io_statistics
        sockets = sum(getattr(statistics, name, 0) for name in _SOCKETS) - 1  # one is trio's own
        is_outside = sockets > 0 or trio.testing.active_thread_count() > 0
        self._ran.outside |= is_outside
        return is_outside

    # --- tasks

    def _number(self, task: trio.lowlevel.Task) -> int:
        """Return the number of a new task. Trio's root task, and its task for calls of threads, are its own."""
        nursery, root = task.parent_nursery, trio.lowlevel.current_root_task()
        is_own = nursery is None or (root is not None and nursery is root.child_nurseries[0])
        return OWN if is_own else next(self._new)

    def _name(self, task: trio.lowlevel.Task) -> str:
        """Return the last part of a task's name, with a number if several tasks have the same name."""
        if task not in self._names:
            name = getattr(self._main, "__name__", "main") if self._numbers[task] == 0 else task.name
            short = name.rpartition(".")[2]
            self._counts[short] += 1
            self._names[task] = short if self._counts[short] == 1 else f"{short} {self._counts[short]}"
        return self._names[task]

    def _note(self, step: int, task: trio.lowlevel.Task, passed: trio.lowlevel.Task | None) -> None:
        self._ran.timeline.append(
            Step(
                step,
                self._name(task),
                place(task) if step else BEGINNING,
                "",
                self._clock.now,
                "" if passed is None else self._name(passed),
                self._taken(),
            )
        )

    def note_end(self, task: trio.lowlevel.Task) -> None:
        """Note the place of a task after its step."""
        if self._ran.timeline and self._verdict is None and self._numbers[task] != OWN:
            last = self._ran.timeline[-1]
            self._ran.timeline[-1] = last._replace(end=place(task))


_SOCKETS: Final = ("tasks_waiting_read", "tasks_waiting_write", "tasks_waiting")
"""Attributes of trio's statistics, on Linux and on other systems."""


def _unshield(root: trio.lowlevel.Task) -> bool:
    """Remove the shields around all tasks; return False if there is none."""
    found = False
    tasks = [root]
    while tasks:
        task = tasks.pop()
        tasks += (child for nursery in task.child_nurseries for child in nursery.child_tasks)
        status: trio_run.CancelStatus | None = task._cancel_status
        while status is not None:
            if status._scope.shield:
                status._scope.shield = False
                found = True
            status = status.parent
    return found


def _in_trio() -> bool:
    """Return True within `trio.run`. Trio 0.27 has no function for that."""
    try:
        trio.lowlevel.current_root_task()
    except RuntimeError:
        return False
    return True


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors of a group, also of nested groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def unwrapped(error: BaseException) -> BaseException:
    """Return the only error of a group, also of nested groups. A group of several errors stays a group."""
    first, *others = _leaves(error)
    return error if others else first
