"""Real server processes for tests of faults, and clients that remember what they were promised."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Final

import trio

from scramble.front.server import Address
from tests.faults.cutting import READ_BYTES

ROOT: Final = Path(__file__).parent.parent.parent
SCRAMBLE: Final = (sys.executable, "-m", "scramble.cli")


class Server:
    """A server process. `addresses` are where it has said that it listens."""

    def __init__(self, process: trio.Process, complaints: Path) -> None:
        self.process: Final = process
        self.addresses: Sequence[Address] = ()
        self._complaints: Final = complaints

    async def listens(self, lines: int) -> None:
        """Wait until it has announced itself by so many lines. Raises EOFError if it does not."""
        assert self.process.stdout is not None
        text = b""
        while text.count(b"\n") < lines:
            data = await self.process.stdout.receive_some()
            if not data:
                raise EOFError(f"it ended: {self.complaints}")
            text += data
        found = re.findall(r"(?:http://|telnet )([0-9.]+)[: ]([0-9]+)", text.decode())
        self.addresses = [Address(host, int(port)) for host, port in found]

    @property
    def address(self) -> Address:
        """Where it listens first of all."""
        return self.addresses[0]

    @property
    def complaints(self) -> str:
        """What it has written to its standard error so far."""
        return self._complaints.read_text()

    def memory_kb(self, what: str = "VmRSS") -> int:
        """How much memory it has in use, or ("VmHWM") has had at most. Linux."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"{what}:\s+([0-9]+) kB", status)
        assert found is not None
        return int(found[1])

    def cpu_s(self) -> float:
        """How much processor time it has taken. Linux."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def server(
    *arguments: str,
    complaints: Path,
    lines: int = 1,
    environment: Mapping[str, str] | None = None,
    file_bytes: int | None = None,
) -> AsyncIterator[Server]:
    """A `scramble` that has announced itself by so many lines; killed at the end of the block, if it still lives.

    Its standard error goes to the file `complaints`. No file that it writes can grow beyond `file_bytes`.
    """
    command = [*SCRAMBLE, *arguments]
    if file_bytes is not None:
        limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({file_bytes},) * 2)"
        command = [sys.executable, "-c", f"{limit}; os.execv(sys.executable, {command!r})"]
    async with trio.open_nursery() as nursery:
        with complaints.open("w") as errors:
            run = partial(trio.run_process, command, cwd=ROOT, env=environment, stdout=PIPE, stderr=errors, check=False)
            process: trio.Process = await nursery.start(run)
        try:
            running = Server(process, complaints)
            await running.listens(lines)
            yield running
        finally:
            nursery.cancel_scope.cancel()


async def ended(process: trio.Process) -> int:
    """Wait for the end of a process that ends by itself; its exit code."""
    return await process.wait()


class Requester:
    """A client of the text protocol over one connection that stays open."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._buffer = b""

    async def ask(self, line: str) -> tuple[int, str]:
        """Status and body of the answer to a request, `GET /look/alice` for example.

        Raises EOFError if the server closes the connection without one, trio.BrokenResourceError if it breaks.
        """
        await self._stream.send_all(f"{line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return await self.answer()

    async def answer(self) -> tuple[int, str]:
        """The next answer."""
        head = await self._until(lambda data: data.find(b"\r\n\r\n") + 4 if b"\r\n\r\n" in data else None)
        length = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
        size = int(length[1]) if length else 0
        body = await self._until(lambda data: size if len(data) >= size else None)
        return int(head.split()[1]), body.decode()

    async def _until(self, complete: Callable[[bytes], int | None]) -> bytes:
        while (end := complete(self._buffer)) is None:
            data = await self._stream.receive_some(READ_BYTES)
            if not data:
                raise EOFError("no more answers")
            self._buffer += data
        taken, self._buffer = self._buffer[:end], self._buffer[end:]
        return taken


class Promised:
    """What a server has acknowledged: commands of which each is told from all others by a card of its own."""

    def __init__(self) -> None:
        self.cards: list[str] = []
        self.refused: list[int] = []

    def enough(self, count: int) -> bool:
        """Whether so many commands are acknowledged."""
        return len(self.cards) >= count

    async def replace_cards(self, address: Address, player: str, stop: Callable[[], bool]) -> None:
        """Ask for one replacement after another, until `stop()`, or until the server has no more answers."""
        stream = await trio.open_tcp_stream(address.host, address.port)
        async with stream:
            requester = Requester(stream)
            while not stop():
                card = f"{player}-{len(self.cards)}"
                try:
                    status, _ = await requester.ask(f"POST /replace/{player}/{card}-old/{card}-new")
                except (EOFError, trio.BrokenResourceError):
                    return
                if status != 200:
                    self.refused.append(status)
                    return
                self.cards.append(card)
