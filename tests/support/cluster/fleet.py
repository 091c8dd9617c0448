"""Processes that serve the same rooms, and what befalls them while a crowd plays.

with Fleet(3, lambda number: ("serve", "--cluster", urls[number])) as fleet:
    fleet.members[0].kill()
    fleet.members[0].start()

A member keeps its port when it is started again, as a process behind a load balancer does.
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
"""Options of all members: clocks move nothing in the games of tests, and clients are as quick as they can."""


class Member:
    """One process. Mutable."""

    def __init__(self, number: int, arguments: Sequence[str], program: Sequence[str]) -> None:
        self.number: Final = number
        self.port = 0
        self.lives: list[ServerProcess] = []
        self.runs = False  # and is not stopped by a signal
        self._arguments = arguments
        self._program = program

    @property
    def process(self) -> ServerProcess:
        """Its latest process."""
        return self.lives[-1]

    def launch(self) -> None:
        """Start it. Does not wait: see `wait_until_ready`."""
        where = ["--port", str(self.port)] if self.port else []
        environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
        arguments = [*self._arguments, *OPTIONS, *where]
        self.lives.append(ServerProcess(*arguments, program=self._program, environment=environment))

    def wait_until_ready(self) -> None:
        """Block until it listens. Raises AssertionError if it ends."""
        try:
            self.port = self.process.port
        except AssertionError as ended:
            ended.add_note(self.process.complaints)
            raise
        self.runs = True

    def start(self) -> None:
        """Start it, and block until it listens."""
        self.launch()
        self.wait_until_ready()

    def kill(self) -> None:
        """End it as a crash does."""
        self.runs = False
        self.process.kill()

    def pause(self) -> None:
        """Stop it: it keeps its memory and its connections, and does nothing."""
        self.runs = False
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on as if no time had passed."""
        self.process.send_signal(signal.SIGCONT)
        self.runs = True

    def terminate(self) -> int:
        """Ask it to end, and block until it has; its exit code."""
        self.runs = False
        return self.process.stop(signal.SIGTERM)[0]

    @property
    def log(self) -> Sequence[str]:
        """All lines that it has logged so far, over all its lives."""
        return [line for process in self.lives for line in process.complaints.splitlines()]

    @property
    def bugs(self) -> Sequence[str]:
        """The lines of its log that no fault around it excuses."""
        return [line for line in self.log if '"level":"error"' in line.replace(": ", ":") or not line.startswith("{")]

    def close(self) -> None:
        """End it, however it is."""
        for process in self.lives:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGKILL)
            process.close()


class Fleet:
    """So many processes, which have ended at the end of the block."""

    def __init__(
        self, count: int, arguments: Callable[[int], Sequence[str]], *, program: Sequence[str] = SCRAMBLE
    ) -> None:
        self.members: Final = [Member(number, arguments(number), program) for number in range(count)]

    @property
    def ports(self) -> Sequence[int]:
        """The ports of all, also of those that do not run."""
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
        """End all that still run."""
        for member in self.members:
            member.close()
