"""Settings of the whole process of a server: signals, garbage collection, open files.

Embedded games do not use this module, because their process belongs to the embedding program.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from scramble.logs import LogEntry

GC_THRESHOLD = 20_000
"""Number of new objects between two collections of young objects. With hundreds of sockets the default of 700 causes
the slowest deliveries of every broadcast.

Garbage in cycles takes memory until the next collection. Old garbage takes memory almost permanently: old objects are
hardly ever collected, because a collection takes 0.3 ms for each awake room. So rooms and connections break their
cycles when they end, and a server's memory stays constant (tests/bench/memory.py).
"""

OPEN_FILES = 16_384  # each connection is a file; the usual limit of 1,024 files is below the limit of connections
SHUTDOWN_S = 0.8  # time limit for the tasks; the whole shutdown then takes less than a second

HANDOVER_S = 2.0
"""Time limit for a process of a cluster to relinquish its rooms. Other processes wait as long for a dead process."""

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
NOTIFY_VARIABLE: Final = "NOTIFY_SOCKET"
"""The environment variable with the address of the service manager's socket, which systemd sets for `Type=notify`."""

logger = logging.getLogger(__name__)


def notify(state: str) -> None:
    """Send a state, such as `READY=1`, to the service manager. Does nothing without a service manager.

    The protocol is sd_notify(3). Does not raise: players do not need the service manager.
    """
    address = os.environ.get(NOTIFY_VARIABLE, "")
    if address[:1] not in ("/", "@"):
        return
    if address.startswith("@"):  # an abstract socket of Linux
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(state.encode(), address)
    except OSError as error:
        logger.warning(LogEntry("not-notified", state=state, reason=error.strerror or str(error)))


@asynccontextmanager
async def shutdown_signal(within_s: float = SHUTDOWN_S) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Handle SIGINT and SIGTERM during the block; yield a function that waits for one of them.

    After the signal the process exits within `within_s` seconds, even if tasks still run. The reason: hypercorn shields
    its sends from cancellation, so a client that does not read could delay the exit without a limit.
    """
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:

        async def signalled() -> None:
            number = await anext(aiter(signals))
            logger.info(LogEntry("stopping", signal=signal.Signals(number).name))
            notify(STOPPING)
            timer = threading.Timer(within_s, _exit)
            timer.daemon = True
            timer.start()

        yield signalled


def _exit() -> None:
    sys.stdout.flush()
    os._exit(0)


def tune_process() -> None:
    """Tune the process for many connections: rare garbage collections, a high limit of open files.

    Call it when the server listens: objects that already exist are never collected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 50, 50)
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
