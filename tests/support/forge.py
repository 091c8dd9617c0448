"""Fast starts of servers: a process that has imported a server's modules forks one process for each server.

    forge = Forge(os.environ)
    process = forge.start("scramble.cli", ("memory", "--port", "0"), os.environ, folder)  # our child process

The tests start hundreds of servers, and imports take 80 % of the processor time of a start. A forked server is a
process of its own. It continues like `python -m scramble.cli` after the imports, or like another program that uses
these modules. Some servers start without the forge,
because their imports matter: servers of an installed wheel, and all servers while coverage is measured. So `make
coverage` runs all of these tests with real starts.

A server becomes a child of the tests' process as follows. The forge forks a helper process. The helper forks the
server, and ends at once. During a start the tests' process tells Linux to give it the orphans among its descendants. So
waiting for a server, and reading its state, work as for other child processes.

Thread-safe: a lock allows one start at a time. The forge has a single thread, so it may fork. It ends with the tests'
process, because then the other end of its socket is closed.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, ClassVar, Final

READ_AT_THE_START: Final = ("LD_", "LANG", "LC_", "TZ", "PYTHON")
"""Prefixes of variables that only a newly started process reads. If their values differ from ours, no fork is used."""

MOST_BYTES: Final = 1 << 17  # the limit of a request: arguments and environment
PR_SET_CHILD_SUBREAPER: Final = 36  # linux/prctl.h


class Forked:
    """A child process from the forge, with the interface of subprocess.Popen. Thread-safe."""

    def __init__(self, pid: int, stdout: IO[str], stderr: IO[str]) -> None:
        self.pid: Final = pid
        self.stdout: Final = stdout
        self.stderr: Final = stderr
        self._code: int | None = None
        self._lock: Final = threading.Lock()
        self._file: Final = os.pidfd_open(pid)  # readable once the process has ended
        weakref.finalize(self, os.close, self._file)

    def poll(self) -> int | None:
        """Return the exit code; None if the process runs. Does not wait."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the exit code, -N if signal N ended it. Raises subprocess.TimeoutExpired."""
        ended = select.poll()
        ended.register(self._file, select.POLLIN)
        if not ended.poll(None if timeout is None else timeout * 1000):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        with self._lock:
            if self._code is None:
                self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return self._code

    def send_signal(self, number: signal.Signals) -> None:
        """Send the process a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Forge:
    """A process with the given environment that forks servers."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lock: Final = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process: Final = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forge", str(theirs.fileno())],
                cwd=Path(__file__).parents[2],
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.close)

    def start(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        file_bytes: int | None = None,
    ) -> Forked:
        """Start a process that runs `python -m module` with these arguments. Raises EOFError if the forge ended.

        `folder`: its working directory. `file_bytes`: the size limit for files that the process writes.
        """
        order = json.dumps((module, list(arguments), dict(environment), str(folder), file_bytes)).encode()
        read_output, output = os.pipe()
        read_errors, errors = os.pipe()
        try:
            with self._lock:
                take_in_orphans(True)
                try:
                    socket.send_fds(self._socket, [order], [output, errors])
                    pid = self._socket.recv(100)
                finally:
                    take_in_orphans(False)
        finally:
            os.close(output)
            os.close(errors)
        if not pid:
            raise EOFError("the forge has ended")
        return Forked(int(pid), open(read_output, encoding="utf-8"), open(read_errors, encoding="utf-8"))

    def close(self) -> None:
        """End the forge. Forked servers continue."""
        self._socket.close()
        self._process.wait()


def take_in_orphans(wanted: bool) -> None:
    """Start or stop adopting descendants whose parent has ended. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


@cache
def _possible() -> bool:
    try:
        take_in_orphans(False)
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return "COVERAGE_PROCESS_CONFIG" not in os.environ


def _read_at_the_start(environment: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_THE_START)}


def possible(environment: Mapping[str, str]) -> bool:
    """Return True if a fork equals a real start: on Linux, without coverage, with our values of READ_AT_THE_START."""
    return _possible() and _read_at_the_start(environment) == _read_at_the_start(os.environ)


_forges: Final[dict[str | None, Forge]] = {}
_lock: Final = threading.Lock()


def forge_for(environment: Mapping[str, str]) -> Forge:
    """Return the forge for servers with or without representation checks. The modules read that setting at import."""
    kind = environment.get("SCRAMBLE_CHECK_REP")
    with _lock:
        if kind not in _forges:
            _forges[kind] = Forge(environment)
        return _forges[kind]


def serve(requests: socket.socket) -> Sequence[str]:
    """In the forge: fork a process for each request, until the last.

    In a forked process: return its module and its arguments.
    """
    while True:
        try:
            order, files, _, _ = socket.recv_fds(requests, MOST_BYTES, 2)
        except KeyboardInterrupt:  # Ctrl-C ends the tests
            os._exit(0)
        if not order:
            os._exit(0)
        answer, tell = os.pipe()
        between = os.fork()
        if between == 0:
            pid = os.fork()
            if pid != 0:
                os.write(tell, str(pid).encode())
                os._exit(0)
            for number, file in enumerate(files, start=1):  # standard output and standard error
                os.dup2(file, number)
            for file in (*files, answer, tell):
                os.close(file)
            requests.close()
            break
        for file in (*files, tell):
            os.close(file)
        os.waitpid(between, 0)  # now the server is a child of the requesting process
        requests.send(os.read(answer, 100))
        os.close(answer)
    module, arguments, environment, folder, file_bytes = json.loads(order)
    os.chdir(folder)
    if file_bytes is not None:
        import resource  # missing on some systems

        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    os.environ.clear()
    os.environ.update(environment)
    return [module, *arguments]


class Reseeded(random.Random):
    """A random generator of a module, such as trio's for the order of tasks. It must be seeded again after a fork."""

    made: ClassVar[list[random.Random]] = []

    def __init__(self) -> None:
        super().__init__()
        self.made.append(self)


def import_modules() -> None:
    """In the forge: import the modules of all commands, games and clusters.

    Then exempt their objects from garbage collection: a collection would copy their memory in each forked process,
    which takes four times as long as the rest of a short command.
    """
    before = random.Random
    random.Random = Reseeded  # type: ignore[misc, assignment]
    from scramble.cli.main import COMMANDS

    for module in ("games", "clustered", *(command.place.partition(":")[0] for command in COMMANDS.values())):
        importlib.import_module(f"scramble.cli.{module}")
    random.Random = before  # type: ignore[misc]
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    import_modules()
    sys.argv = list(serve(socket.socket(fileno=int(sys.argv[1]))))
    for generator in Reseeded.made:
        generator.seed()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
