"""Main program of a worker, one of several processes that serve one port. `scramble.cli.worker` has its command line.

If the process that started the worker ends, the worker's standard input ends. The worker then ends as after SIGTERM. If
an error ends the worker, it prints a line with `FAILED_MARK` and the error on its standard output.

Safe under concurrency: a separate thread waits for the end of the standard input, and only sends a signal.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

import click

from scramble.cli.commands import CommandFailure
from scramble.cli.main import main as scramble
from scramble.cli.worker import FAILED_MARK, Worker


def _end_with_starter() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run the command line as a worker."""
    number, file, *arguments = sys.argv[1:]
    worker = Worker(int(number), socket.socket(fileno=int(file)))
    threading.Thread(target=_end_with_starter, daemon=True).start()
    try:
        scramble(arguments, prog_name="scramble", obj=worker, standalone_mode=False)
    except CommandFailure as error:
        click.echo(FAILED_MARK + error.line(worker.number))
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
