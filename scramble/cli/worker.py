"""One of several processes that serve one port: `python -m scramble.cli.worker NUMBER FILE ARGUMENT...`.

`scramble.cli.workers` starts it. NUMBER is its place among them, FILE the descriptor of the socket that listens, and
the ARGUMENTs are those of `scramble`. It ends as by SIGTERM at the end of its standard input, which is the end of the
process that started it. The error that ends it is a line after `FAILED_MARK` on its standard output.

Safe under concurrency: a thread of its own waits for that end, and only sends a signal.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from typing import Final, NamedTuple

import click

FAILED_MARK: Final = "\0"
"""Begins the line on standard output that is the error of a worker, for the process that started it to print."""


class Worker(NamedTuple):
    """What a command that serves needs to know of itself as a worker."""

    number: int  # from 1 on
    listener: socket.socket  # listens, and is everybody's


def worker_command(number: int, listener: socket.socket, arguments: Sequence[str]) -> Sequence[str]:
    """Return the command line of a worker, which must inherit `listener`. `arguments` are those of `scramble`."""
    return (sys.executable, "-m", "scramble.cli.worker", str(number), str(listener.fileno()), *arguments)


def _end_with_starter() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run the command line as a worker."""
    from scramble.cli.commands import CommandFailure
    from scramble.cli.main import main as scramble

    number, file, *arguments = sys.argv[1:]
    worker = Worker(int(number), socket.socket(fileno=int(file)))
    threading.Thread(target=_end_with_starter, daemon=True).start()
    try:
        scramble(arguments, prog_name="scramble", obj=worker, standalone_mode=False)
    except CommandFailure as error:
        click.echo(FAILED_MARK + error.line(worker.number))
        sys.exit(error.exit_code)


if __name__ == "__main__":
    from scramble.cli import worker  # as others import it: this module is `__main__`, and its classes are others

    worker.main()
