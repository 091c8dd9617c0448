"""What a process that only serves settles for itself: signals, garbage collection, open files.

None of this is for the embedded library: it changes the whole process, and that belongs to the program around it.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

from scramble.logs import Entry

GC_THRESHOLD = 20_000
"""Objects from one collection to the next. With hundreds of sockets the default of 700 makes the tail of every
broadcast; and as a move leaves some garbage in cycles, memory grows by so many of them, 8 MB, before it stays flat."""

OPEN_FILES = 16_384  # a connection is a file, and the usual limit of 1,024 is less than the line server's connections
LEAVE_S = 0.8  # all of shutdown fits into a second

logger = logging.getLogger(__name__)


@asynccontextmanager
async def told_to_stop() -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Within the block SIGINT and SIGTERM do not kill; the function it gives waits for one of them.

    Once one has come the process leaves within `LEAVE_S`, in whatever state: hypercorn shields its sends from
    cancellation, so a client that has stopped reading could hold the exit for as long as it likes.
    """
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:

        async def told() -> None:
            number = await anext(aiter(signals))
            logger.info(Entry("stopping", signal=signal.Signals(number).name))
            timer = threading.Timer(LEAVE_S, _leave)
            timer.daemon = True
            timer.start()

        yield told


def _leave() -> None:
    sys.stdout.flush()
    os._exit(0)


def settle_in() -> None:
    """To be called once everything listens: what is there now stays, collections are rare, connections may be many."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 50, 50)
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
