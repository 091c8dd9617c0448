"""A real server process, to be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import trio

ROOT = Path(__file__).parent.parent.parent
SCRAMBLE = (sys.executable, "-m", "scramble.cli")


class Server:
    """One life of a server: a process that has said where it listens. Made by `serving`."""

    def __init__(self, process: subprocess.Popen[str], ports: Sequence[int]) -> None:
        self._process = process
        self.host = "127.0.0.1"
        self.ports = ports

    @property
    def port(self) -> int:
        """The one that it named first."""
        return self.ports[0]

    def kill(self) -> None:
        """SIGKILL, at once. Does not wait."""
        self._process.kill()

    def terminate(self) -> None:
        """SIGTERM."""
        self._process.terminate()

    async def died(self) -> int:
        """Wait until the process is gone; its return code."""
        return await trio.to_thread.run_sync(self._process.wait)


@contextmanager
def serving(*arguments: str, program: Sequence[str] = SCRAMBLE, lines: int = 1) -> Iterator[Server]:
    """Start a server, and wait for so many lines that end in a port or a URL; the process is gone after the block.

    Its rules do not check their representation, as when people play. Raises RuntimeError, with what the process had to
    say, if it does not get that far.
    """
    environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
    with subprocess.Popen(
        [*program, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            said = [process.stdout.readline() for _ in range(lines)]
            if not all(said):
                raise RuntimeError(f"no server: {process.stderr.read()}")
            yield Server(process, [int(line.rstrip("/\n").replace(":", " ").split()[-1]) for line in said])
        finally:
            process.kill()
