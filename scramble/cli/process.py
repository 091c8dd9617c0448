"""Settings of the whole process of a server: signals, garbage collection, open files.

The embedded library uses none of this: the process then belongs to the program that embeds the library.
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
"""New objects between two collections of young ones. With hundreds of sockets the default of 700 determines the slowest
deliveries of every broadcast. Garbage in cycles takes memory until then, and for ever if it has grown old: of old
objects there is hardly ever a collection, which takes 0.3 ms for each room that is awake. So rooms and connections
break their cycles as they go, and a server's memory stays flat (tests/bench/memory.py).
"""

OPEN_FILES = 16_384  # each connection is a file, and the usual limit of 1,024 is below the line server's connections
SHUTDOWN_S = 0.8  # the whole shutdown then takes less than a second
HANDOVER_S = 2.0  # that of a process of a cluster, which gives up its rooms: of a dead one others wait as long for them

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
NOTIFY_VARIABLE: Final = "NOTIFY_SOCKET"
"""The environment variable with the address of the service manager's socket, which systemd sets for `Type=notify`."""

logger = logging.getLogger(__name__)


def notify(state: str) -> None:
    """Send a state, such as `READY=1`, to the service manager, if there is one that waits for it.

    The protocol is that of sd_notify(3). Does not raise: a service manager that is gone changes nothing for players.
    """
    address = os.environ.get(NOTIFY_VARIABLE, "")
    if address[:1] not in ("/", "@"):
        return
    if address.startswith("@"):  # an abstract socket, of Linux
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(state.encode(), address)
    except OSError as error:
        logger.warning(LogEntry("not-notified", state=state, reason=error.strerror or str(error)))


@asynccontextmanager
async def shutdown_signal(within_s: float = SHUTDOWN_S) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Handle SIGINT and SIGTERM during the block; yield a function that waits for one of them.

    After the signal the process exits within `within_s` seconds, whatever still runs: hypercorn shields its sends from
    cancellation, so a client that has stopped reading could delay the exit for any time.
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

    To be called once the server listens: objects that exist by then are never collected.
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
