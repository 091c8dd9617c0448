"""What the processes that serve one port know of each other. `scramble.cli.workers` starts them.

A worker is `python -m scramble.cli.worker_main NUMBER FILE ARGUMENT...`: NUMBER is its place among them, FILE the
descriptor of the socket that listens, and the ARGUMENTs are those of `scramble`.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

FAILED_MARK: Final = "\0"
"""Begins the line on standard output that is the error of a worker, for the process that started it to print."""


class Worker(NamedTuple):
    """What a command that serves needs to know of itself as a worker."""

    number: int  # from 1 on
    listener: socket.socket  # listens, and is everybody's


def worker_command(number: int, listener: socket.socket, arguments: Sequence[str]) -> Sequence[str]:
    """Return the command line of a worker, which must inherit `listener`. `arguments` are those of `scramble`."""
    return (sys.executable, "-m", "scramble.cli.worker_main", str(number), str(listener.fileno()), *arguments)
