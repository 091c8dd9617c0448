"""A service of workers without games, for tests of their supervisor: `python -m tests.support.workers COUNT HOW`.

Each worker answers a connection with one line: its number and its process. HOW sets other behaviour for a worker:
"2:exits" lets worker 2 print a line and end before it serves, "1:deaf" lets worker 1 ignore SIGTERM.
"""

from __future__ import annotations

import os
import signal
import socket
import sys

from scramble.cli.worker import FAILED_MARK

CANNOT_START = 3  # an exit code
SOON_S = 0.1


def work(number: int, listener: socket.socket, how: str) -> None:
    """Answer connections until killed."""
    if f"{number}:deaf" in how:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if f"{number}:exits" in how:
        print(f"{FAILED_MARK}this worker cannot start", flush=True)
        sys.exit(CANNOT_START)
    print(f"listening on {listener.getsockname()[1]}", flush=True)
    print("that is all", flush=True)
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(f"{number} {os.getpid()}\n".encode())


def supervise(count: int, how: str) -> int:
    """Run workers as `scramble serve --workers` does. Deaf workers are killed soon."""
    import trio  # the workers import nothing that takes long

    from scramble.cli import workers
    from scramble.cli.logging import logging_to_standard_error
    from scramble.cli.run import announce
    from scramble.server.listening import bind

    if "deaf" in how:
        workers.STOP_S = SOON_S  # type: ignore[misc]
    listener = bind("127.0.0.1", 0)
    files = (listener.fileno(),)

    def command(number: int) -> list[str]:
        return [sys.executable, "-m", "tests.support.workers", str(number), how, str(files[0])]

    with logging_to_standard_error("json", "info"):
        return trio.run(workers.Workers(command, count, files=files, announce=announce).run)


if __name__ == "__main__":
    number, how, *file = sys.argv[1:]
    if file:
        work(int(number), socket.socket(fileno=int(file[0])), how)
    else:
        sys.exit(supervise(int(number), how))
