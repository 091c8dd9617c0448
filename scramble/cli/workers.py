"""Several processes that serve one port as one service: `scramble serve --workers N`.

This process listens, and serves nothing. It starts N workers, which inherit the listening socket and accept from it,
and keeps that many running: one that dies is started again. SIGINT or SIGTERM ends all of them, and the service ends
when they have.

Why a socket that all inherit, and not one for each by SO_REUSEPORT: with one for each, the kernel deals connections out
when they arrive, so those that wait in the queue of a worker that dies are reset, and those of a worker that stands
still wait with it. The queue of the one socket is everybody's. It is there before the first worker is, and while the
last one is being started again, so nobody is refused; who is free takes the next. The price: connections are not dealt
out evenly, since a worker that wakes takes all that wait.

Workers start side by side. The first line on a worker's standard output shows that it serves. This process repeats the
lines of worker 1, the addresses, once all workers serve, and notifies the service manager. A worker that ends before it
has ever served prints the reason after `FAILED_MARK`. This process prints it once, because the same fault mostly
stops all workers, and the service ends with the worker's exit code. A worker that has served is started again, whatever
its exit code: the fault may have passed. Each worker has a pipe as standard input, whose other end this process alone
holds, so the worker ends if this process is killed.

Safe under concurrency: each worker has one task; what they share changes between two awaits.
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

FIRST_PAUSE_S: Final = 0.1  # before a worker that died is started again
LONGEST_RESTART_PAUSE_S: Final = 10.0  # pauses double up to this: to start takes a second of processor time
STEADY_S: Final = 60.0  # a worker that has run for so long gets the first pause again
SIGNALLED: Final = 128  # plus the signal's number: the exit code by which shells report a program that a signal ended
STOP_S: Final = HANDOVER_S + 2  # after which workers that have not ended are killed; they end within `HANDOVER_S`

logger = logging.getLogger(__name__)


def run_workers(count: int, host: str, port: int, arguments: Sequence[str]) -> int:
    """Serve a port by `count` processes until SIGINT or SIGTERM, and return the exit code. Blocks.

    Each runs `scramble` with the `arguments`. Raises CannotListen, and click.UsageError where processes cannot inherit
    a socket.
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
    """The workers of a service, by number from 1 on."""

    # AF: _count processes, each of which runs _command(number) with the files _files; those in _ready have once served.
    #     _lines are to be said by _announce as soon as all have. The service ends with the exit code _code; None
    #     until a worker could not start.

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        count: int,
        *,
        files: Sequence[int],
        announce: Callable[[str], None],
    ) -> None:
        """Start none yet. `command` makes the command line of a worker from its number; it inherits `files`."""
        self._command: Final = command
        self._count: Final = count
        self._files: Final = tuple(files)
        self._announce: Final = announce
        self._ready: Final = set[int]()
        self._lines: Final = list[str]()
        self._code: int | None = None

    async def run(self) -> int:
        """Run the workers until SIGINT or SIGTERM, and return the exit code of the service once all have ended.

        Returns early if one cannot start. If cancelled, the workers get SIGTERM, and the call waits for their end.
        """
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            # Until the last worker has ended: a signal that nobody takes would end this process as it stops receiving.
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
        """Note that a worker serves. Once all do, say what worker 1 has said, and notify the service manager."""
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
        """Start a process, which has ended at the end of the block: by SIGTERM, if that does not help by SIGKILL."""
        process = await trio.lowlevel.open_process(
            self._command(number),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=self._files,
            process_group=0,  # Ctrl-C in the terminal is for this process, which tells the workers
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
    """Cancel at the first signal, and take those that follow. Runs until it is cancelled."""
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
