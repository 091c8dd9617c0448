"""Processes that serve the same rooms, with faults while a crowd plays.

with Fleet(3, lambda number: ("serve", "--cluster", urls[number])) as fleet:
    fleet.members[0].kill()
    fleet.members[0].start()

A restarted member keeps its port, like a process behind a load balancer.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, Self

from tests.support.process import SCRAMBLE, ServerProcess

OPTIONS: Final = (
    *("--port", "0", "--turn-clock", "off", "--frames-per-s", "100000"),
    *("--log-format", "json", "--log-level", "info"),
)
"""Options of all members: no turn clock in the games, and a rate limit that no client reaches."""


class Member:
    """One process. Mutable."""

    def __init__(self, number: int, arguments: Sequence[str], program: Sequence[str]) -> None:
        self.number: Final = number
        self.port = 0
        self.lives: list[ServerProcess] = []
        self.runs = False  # True if it runs and is not stopped by a signal
        self._arguments = arguments
        self._program = program

    @property
    def process(self) -> ServerProcess:
        """The latest process of the member."""
        return self.lives[-1]

    def launch(self) -> None:
        """Start the process. Does not wait: see `wait_until_ready`."""
        where = ["--port", str(self.port)] if self.port else []
        environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
        arguments = [*self._arguments, *OPTIONS, *where]
        self.lives.append(ServerProcess(*arguments, program=self._program, environment=environment))

    def wait_until_ready(self) -> None:
        """Block until the process listens. Raises AssertionError if it ends."""
        try:
            self.port = self.process.port
        except AssertionError as ended:
            ended.add_note(self.process.complaints)
            raise
        self.runs = True

    def start(self) -> None:
        """Start the process, and block until it listens."""
        self.launch()
        self.wait_until_ready()

    def kill(self) -> None:
        """End the process like a crash."""
        self.runs = False
        self.process.kill()

    def pause(self) -> None:
        """Pause the process: it keeps its memory and its connections, and does nothing."""
        self.runs = False
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the paused process continue."""
        self.process.send_signal(signal.SIGCONT)
        self.runs = True

    def terminate(self) -> int:
        """Ask the process to end, and block until it has ended; return its exit code."""
        self.runs = False
        return self.process.stop(signal.SIGTERM)[0]

    @property
    def log(self) -> Sequence[str]:
        """All log lines so far, from all starts of the member."""
        return [line for process in self.lives for line in process.complaints.splitlines()]

    @property
    def bugs(self) -> Sequence[str]:
        """The log lines that the injected faults do not explain."""
        return [line for line in self.log if '"level":"error"' in line.replace(": ", ":") or not line.startswith("{")]

    def close(self) -> None:
        """End the process in any state."""
        for process in self.lives:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGKILL)
            process.close()


class Fleet:
    """`count` processes that end with the block."""

    def __init__(
        self, count: int, arguments: Callable[[int], Sequence[str]], *, program: Sequence[str] = SCRAMBLE
    ) -> None:
        self.members: Final = [Member(number, arguments(number), program) for number in range(count)]

    @property
    def ports(self) -> Sequence[int]:
        """The ports of all members, running or not."""
        return [member.port for member in self.members]

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(self.close)
            for member in self.members:
                member.launch()
            for member in self.members:
                member.wait_until_ready()
            stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all running members."""
        for member in self.members:
            member.close()
