"""The launcher of servers as processes: starts a `scramble`, reads its output, sends it signals.

with ServerProcess("memory", "--port", "0", lines=1) as server:
    page = get(server.url)
    assert server.stop() == (0, "", "")
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final, Self, TypeVar

import trio

from scramble.server.listening import Address
from tests.support import HANG_S, PROGRAM_S
from tests.support.forge import Forked, forge_for, possible

T = TypeVar("T")

ROOT: Final = Path(__file__).parents[2]
SCRAMBLE: Final = (sys.executable, "-m", "scramble.cli")
PATIENCE_S: Final = 10  # seconds from SIGTERM to SIGKILL


class Output:
    """Text from one stream of a process. A thread reads it at once, so that a full pipe never blocks the process."""

    def __init__(self, stream: IO[str]) -> None:
        self.text = ""
        self._stream = stream
        self._ended = False
        self._read_to = 0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def line(self) -> str:
        """Take the next line. Blocks until there is one; returns "" at the end."""
        line = self.until(lambda text: re.compile(".*\n").match(text, self._read_to))
        taken = line[0] if line else self.rest()
        self._read_to += len(taken)
        return taken

    def rest(self) -> str:
        """Return all text that was not taken yet."""
        return self.text[self._read_to :]

    def until(self, find: Callable[[str], T | None]) -> T | None:
        """Wait until `find` returns a value for the text; return it. Returns None at the end of the text.

        Raises TimeoutError if nothing more comes. The first text may take as long as the start of a program.
        """
        with self._changed:
            while (found := find(self.text)) is None and not self._ended:
                if not self._changed.wait(HANG_S if self.text else PROGRAM_S):
                    raise TimeoutError(f"nothing more after {self.text!r}")
            return found

    def join(self) -> None:
        """Read to the end."""
        self._thread.join()

    def _read(self) -> None:
        with self._stream:
            for line in self._stream:
                with self._changed:
                    self.text += line
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def stand_still(process: int) -> None:
    """Send a process SIGSTOP, and block until it is stopped: it may finish a system call first."""
    os.kill(process, signal.SIGSTOP)
    while state(process) not in "TZ":
        time.sleep(0.001)


def state(process: int) -> str:
    """Return the letter of a process's state on Linux: "T" is stopped, "Z" is a zombie."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


class ServerProcess:
    """A process that ends with the block.

    `lines`: wait until the process has printed this many lines with its addresses; raises EOFError if the process ends
    before that. `file_bytes`: the size limit for files that the process writes; with a limit, coverage is not measured,
    because its data would not fit. `group`: signals also reach its child processes. If the `program` is a module for
    `python -m`, and without `group`, the process is forked after its imports if possible (tests/support/forge.py).
    """

    def __init__(
        self,
        *arguments: str | Path,
        program: Sequence[str | Path] = SCRAMBLE,
        lines: int = 0,
        folder: Path = ROOT,
        environment: Mapping[str, str] | None = None,
        file_bytes: int | None = None,
        group: bool = False,
    ) -> None:
        command = [str(word) for word in (*program, *arguments)]
        environment = os.environ if environment is None else environment
        self._process: subprocess.Popen[str] | Forked
        if tuple(program[:2]) == SCRAMBLE[:2] and not group and possible(environment):
            module, words = command[2], command[3:]
            self._process = forge_for(environment).start(module, words, environment, folder, file_bytes=file_bytes)
        else:
            if file_bytes is not None:
                limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({file_bytes},) * 2)"
                unmeasured = 'os.environ.pop("COVERAGE_PROCESS_CONFIG", None)'
                command = [sys.executable, "-c", f"{limit}; {unmeasured}; os.execv({command[0]!r}, {command!r})"]
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=group,
            )
        self._group: Final = group
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.output: Final = Output(self._process.stdout)
        self.errors: Final = Output(self._process.stderr)
        try:
            if self.output.until(lambda text: True if text.count("\n") >= lines else None) is None:
                self.wait()
                raise EOFError(f"it ended: {self.output.text}{self.complaints}")
        except BaseException:
            self.close()
            raise

    # --- output

    def line(self) -> str:
        """Take the next line of standard output. Blocks until there is one; returns "" if the process has ended."""
        return self.output.line()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the first match of `pattern` in all of the standard output. Blocks until there is one."""
        found = self.output.until(lambda text: re.search(pattern, text))
        assert found, f"it ended without printing {pattern!r}, but {self.output.text!r}"
        return found

    @property
    def complaints(self) -> str:
        """The standard error so far."""
        return self.errors.text

    @property
    def url(self) -> str:
        """The address of the page, with a slash at its end. Blocks until it is printed."""
        return self.wait_for(r"https?://\S+/")[0]

    @property
    def port(self) -> int:
        """The port of the page. Blocks until it is printed."""
        return int(self.wait_for(r"https?://[^/]+:(\d+)/")[1])

    @property
    def telnet_port(self) -> int:
        """The port for telnet. Blocks until it is printed."""
        return int(self.wait_for(r"telnet \S+ (\d+)\n")[1])

    @property
    def addresses(self) -> Sequence[Address]:
        """The addresses that were printed so far."""
        found = re.findall(r"(?:https?://|telnet )([0-9.]+)[: ]([0-9]+)", self.output.text)
        return [Address(host, int(port)) for host, port in found]

    @property
    def address(self) -> Address:
        """The first printed address."""
        return self.addresses[0]

    # --- memory and processor time

    def memory_kb(self, what: str = "VmRSS") -> int:
        """Return the memory in use, or with "VmHWM" its maximum so far. Linux only."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(rf"{what}:\s+([0-9]+) kB", status)
        assert found is not None
        return int(found[1])

    def cpu_s(self) -> float:
        """Return the processor time so far. Linux only."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # --- the end

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal if the process still runs."""
        if self._process.poll() is None:
            if self._group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def kill(self) -> None:
        """End the process like a crash, and wait until it has ended."""
        self.send_signal(signal.SIGKILL)
        self.wait(HANG_S)

    def wait(self, limit_s: float = PROGRAM_S) -> int:
        """Wait until the process has ended, and read the rest of its output; return the exit code."""
        code = self._process.wait(limit_s)
        self.output.join()
        self.errors.join()
        return code

    async def ended(self) -> int:
        """`wait` in a thread."""
        return await trio.to_thread.run_sync(self.wait, abandon_on_cancel=True)

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """End the process and wait; return the exit code, the rest of standard output, and all of standard error."""
        self.send_signal(number)
        return self.wait(HANG_S), self.output.rest(), self.complaints

    def close(self) -> None:
        """End the process if it still runs: by SIGTERM, so that its coverage is saved, then by SIGKILL if necessary."""
        self.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.send_signal(signal.SIGKILL)
        self.wait(HANG_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
