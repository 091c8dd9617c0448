"""A worker: one of several processes that serve one port. `scramble.cli.workers` starts the workers.

The command line of a worker is `python -m scramble.cli.worker_main NUMBER FILE ARGUMENT...`. NUMBER is the number of
the worker, FILE is the descriptor of the listening socket, and each ARGUMENT is an argument of `scramble`.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

FAILED_MARK: Final = "\0"
"""First character of a line on a worker's standard output that is an error. The process that started it prints it."""


class Worker(NamedTuple):
    """The number and the socket of the current worker."""

    number: int  # from 1
    listener: socket.socket  # the listening socket; all workers share it


def worker_command(number: int, listener: socket.socket, arguments: Sequence[str]) -> Sequence[str]:
    """Return the command line of a worker, which must inherit `listener`. `arguments` are arguments of `scramble`."""
    return (sys.executable, "-m", "scramble.cli.worker_main", str(number), str(listener.fileno()), *arguments)
