"""Several processes that serve one port as one service: `scramble serve --workers N`.

This process opens the listening socket, but serves no connections. It starts N workers, which inherit the socket and
accept connections from it. If a worker dies, this process starts it again. SIGINT or SIGTERM ends all workers, and then
the service.

All workers share one socket. With SO_REUSEPORT each worker could have its own socket, but then the kernel assigns each
connection to a worker when the connection arrives. If a worker dies, the connections in its queue are reset. If a
worker hangs, the connections in its queue wait. A shared queue exists before the first worker starts, and while the
last worker restarts, so no connection is refused. Any free worker accepts the next connection. The disadvantage:
connections are not distributed evenly, because a worker that wakes accepts all waiting connections.

All workers start at the same time. The first line on a worker's standard output shows that it serves. When all workers
serve, this process prints the lines of worker 1, which are the addresses, and notifies the service manager. A worker
that fails to start prints the reason after `FAILED_MARK`. This process prints the reason once, because the same fault
usually stops all workers, and ends the service with the worker's exit code. A worker that has served is started again,
with any exit code: the fault may be temporary. Each worker has a pipe as standard input. Only this process has the
other end, so the worker ends if this process is killed.

Safe under concurrency: each worker has one task, and no task awaits while it changes shared state.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

import click
import trio

from scramble.cli.process import HANDOVER_S, NOTIFY_VARIABLE, READY, STOPPING, notify
from scramble.cli.run import announce
from scramble.cli.worker import FAILED_MARK, worker_command
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry
from scramble.server.listening import bind

FIRST_PAUSE_S: Final = 0.1  # before the first restart of a worker
LONGEST_RESTART_PAUSE_S: Final = 10.0  # pauses double up to this limit: a start takes a second of processor time
STEADY_S: Final = 60.0  # a worker that has run longer restarts after the first pause again
SIGNALLED: Final = 128  # 128 plus the signal's number is the exit code of shells for a program that a signal ended
STOP_S: Final = HANDOVER_S + 2  # before a worker that does not stop is killed; workers normally stop in `HANDOVER_S`

logger = logging.getLogger(__name__)


def run_workers(count: int, host: str, port: int, arguments: Sequence[str]) -> int:
    """Serve a port by `count` processes until SIGINT or SIGTERM, and return the exit code. Blocks.

    Each process runs `scramble` with the `arguments`. Raises CannotListen, and click.UsageError on a system where
    processes cannot inherit a socket.
    """
    if os.name != "posix":
        raise click.UsageError("--workers needs a system on which processes inherit sockets, such as Linux or macOS")
    with bind(host, port) as listener:
        service = Workers(
            partial(worker_command, listener=listener, arguments=arguments),
            count,
            files=(listener.fileno(),),
            announce=announce,
        )
        return trio.run(service.run)


class Workers:
    """The workers of a service, numbered from 1."""

    # AF: _count workers; worker number n runs _command(n) and inherits _files. The workers in _ready have served at
    #     least once. When all workers are in _ready, _announce gets _lines. _code is the exit code of the first worker
    #     that failed to start, None if all started.

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        count: int,
        *,
        files: Sequence[int],
        announce: Callable[[str], None],
    ) -> None:
        """Start no worker yet. `command` makes a worker's command line from its number. Workers inherit `files`."""
        self._command: Final = command
        self._count: Final = count
        self._files: Final = tuple(files)
        self._announce: Final = announce
        self._ready: Final = set[int]()
        self._lines: Final = list[str]()
        self._code: int | None = None

    async def run(self) -> int:
        """Run the workers until SIGINT or SIGTERM, and return the exit code of the service once all have ended.

        Returns early if a worker cannot start. If cancelled, sends SIGTERM to the workers and waits for their end.
        """
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            # Receive signals until the last worker has ended. Otherwise a late signal would end this process first.
            async with open_side_nursery(cancel) as listening, trio.open_nursery() as nursery:
                listening.start_soon(_cancel_at_signals, signals, nursery.cancel_scope)
                for number in range(1, self._count + 1):
                    nursery.start_soon(self._keep, number, nursery.cancel_scope)
        return self._code or 0

    async def _keep(self, number: int, service: trio.CancelScope) -> None:
        """Keep a worker running, and end the service if it cannot start."""
        pause, is_first = FIRST_PAUSE_S, True
        while True:
            began, failure = trio.current_time(), None
            async with self._started(number) as process:
                logger.info(LogEntry("worker-started", worker=number, pid=process.pid))
                async for line in _lines_of(process):
                    if line.startswith(FAILED_MARK):
                        failure = line.removeprefix(FAILED_MARK)
                        continue
                    if number == 1 and is_first:
                        self._lines.append(line)
                    self._note_ready(number)
                code = await process.wait()
            ended = LogEntry(
                "worker-ended",
                worker=number,
                exit=code if code >= 0 else None,
                signal=signal.Signals(-code).name if code < 0 else None,
            )
            is_first_failure = number not in self._ready and self._code is None
            if failure is not None and (number in self._ready or is_first_failure):
                click.echo(failure, err=True)
            if is_first_failure:
                if failure is None:
                    logger.error(ended)
                self._code = code if code >= 0 else SIGNALLED - code
                service.cancel()
            if number not in self._ready:
                await trio.sleep_forever()
            if trio.current_time() - began >= STEADY_S:
                pause = FIRST_PAUSE_S
            logger.warning(LogEntry(ended.event, **ended.fields, again_s=pause))
            await trio.sleep(pause)
            pause, is_first = min(2 * pause, LONGEST_RESTART_PAUSE_S), False

    def _note_ready(self, number: int) -> None:
        """Note that a worker serves. When all workers serve, print worker 1's lines, and notify the service manager."""
        was_ready = len(self._ready) == self._count
        self._ready.add(number)
        if len(self._ready) == self._count:
            for line in self._lines:
                self._announce(line)
            self._lines.clear()
            if not was_ready:
                notify(READY)

    @asynccontextmanager
    async def _started(self, number: int) -> AsyncIterator[trio.Process]:
        """Start a worker. The end of the block ends it: by SIGTERM, and after `STOP_S` seconds by SIGKILL."""
        process = await trio.lowlevel.open_process(
            self._command(number),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=self._files,
            process_group=0,  # Ctrl-C in the terminal signals only this process, which then stops the workers
            env={name: value for name, value in os.environ.items() if name != NOTIFY_VARIABLE},
        )
        try:
            yield process
        finally:
            with trio.CancelScope(shield=True):
                with suppress(ProcessLookupError):
                    process.terminate()
                with trio.move_on_after(STOP_S):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
                    await process.wait()
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        await pipe.aclose()


async def _cancel_at_signals(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    """Cancel `scope` at the first signal, and ignore further signals. Runs until it is cancelled."""
    async for number in signals:
        if not scope.cancel_called:
            logger.info(LogEntry("stopping", signal=signal.Signals(number).name))
            notify(STOPPING)
            scope.cancel()


async def _lines_of(process: trio.Process) -> AsyncIterator[str]:
    """Yield the lines of a process's standard output, without their ends."""
    assert process.stdout is not None
    rest = b""
    async for piece in process.stdout:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
