"""Servers that `scramble conform` starts itself, from a command of the user, and their end.

The command runs in its own session. At the end the whole process group gets SIGTERM, and after `END_S` SIGKILL, so that
no server outlives the check, even if the command is `npm start` or a shell script.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import socket
import string
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

import trio

from scramble.conform.cases import CannotRun

START_S: Final = 60.0
"""A server must listen after this time. `npm start` may compile first."""

END_S: Final = 2.0
"""The time of a server between SIGTERM and SIGKILL."""

NOTICE_S: Final = 0.3
"""A connection may break a moment before the end of its server is noticed."""

FAREWELL_S: Final = 1.0
"""The check waits so long for the server to end a connection that the check has ended."""

KEPT_LINES: Final = 20
POLL_S: Final = 0.02
HOST: Final = "localhost"
HOSTS: Final = (HOST, "::1")
"""Some machines know `localhost` only as 127.0.0.1, but a server may listen only on IPv6."""


def free_port() -> int:
    """Return a TCP port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def filled(command: str, values: Mapping[str, str], required: frozenset[str]) -> list[str]:
    """Return the words of a command with its `{names}` replaced. The words of `args` become several words.

    Raises CannotRun if the command is not a command, lacks a required name or has an unknown one.
    """
    try:
        words = shlex.split(command)
        names = {name for word in words for _, name, _, _ in string.Formatter().parse(word) if name is not None}
    except ValueError as error:
        raise CannotRun(f"--start {command!r}: {error}") from None
    for name in sorted(required - names):
        raise CannotRun(f"--start {command!r} has no {{{name}}}")
    for name in sorted(names - values.keys()):
        known = ", ".join(f"{{{key}}}" for key in values)
        raise CannotRun(f"--start {command!r} has {{{name}}}: this check replaces {known}")
    found: list[str] = []
    for word in words:
        found.extend(shlex.split(values["args"]) if word == "{args}" else [word.format_map(values)])
    if not found:
        raise CannotRun("--start has no command")
    return found


class Started:
    """A running server process: it ends with the block of `started`."""

    def __init__(self, process: trio.Process, port: int) -> None:
        self.port: Final = port
        self.host = HOST
        """The name or address at which the server listens."""

        self._process: Final = process
        self._lines: Final[deque[str]] = deque(maxlen=KEPT_LINES)
        self._own_end: tuple[int | None] | None = None
        """The exit code before the block ended the command."""

    @property
    def has_ended(self) -> bool:
        """True if the command has ended by itself."""
        return self._process.poll() is not None

    @property
    def has_failed(self) -> bool:
        """True if the command has ended with an error. A command that ends without one may have left a server."""
        return bool(self._process.poll())

    async def ended(self) -> str:
        """Return how the command has ended by itself, in words, or nothing while it runs. Waits for a moment."""
        if self._own_end is None:
            with trio.move_on_after(NOTICE_S):
                await self._process.wait()
        code = self._process.poll() if self._own_end is None else self._own_end[0]
        return "" if code is None else f"The server ended with exit code {code}."

    def output(self) -> str:
        """Return the last lines that the server printed."""
        return "\n".join(self._lines)

    def _stop(self) -> None:
        self._own_end = (self._process.poll(),)

    async def _read(self) -> None:
        assert self._process.stdout is not None
        rest = ""
        async for data in self._process.stdout:
            *lines, rest = (rest + data.decode(errors="replace"))[-10_000:].split("\n")
            self._lines.extend(line.rstrip("\r") for line in lines)
        if rest:
            self._lines.append(rest)


async def is_listening(host: str, port: int) -> bool:
    """Return True if a server accepts connections there.

    The connection is ended in order: a server that greets its clients would get a reset otherwise.
    """
    try:
        stream = await trio.open_tcp_stream(host, port)
    except OSError:
        return False
    async with stream:
        with trio.move_on_after(FAREWELL_S), suppress(trio.BrokenResourceError):
            await stream.send_eof()
            async for _ in stream:
                pass
    return True


@asynccontextmanager
async def started(words: list[str], port: int) -> AsyncIterator[Started]:
    """Start a server, wait until it listens on the port, and end it at the end of the block.

    Raises CannotRun with the server's last lines if the command does not exist, ends, or does not listen in time.
    """
    try:
        process = await trio.lowlevel.open_process(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno == errno.ENOENT else str(error)
        raise CannotRun(f"{shlex.join(words)}: {reason}") from None
    server = Started(process, port)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server._read)
        try:
            await _listening(server, words)
            yield server
        finally:
            server._stop()
            with trio.CancelScope(shield=True):
                await _end(process)
            nursery.cancel_scope.cancel()


async def _listening(server: Started, words: list[str]) -> None:
    with trio.move_on_after(START_S):
        while True:
            for server.host in HOSTS:
                if await is_listening(server.host, server.port):
                    if server.has_failed:  # then another program listens there
                        break
                    return
            if server.has_ended:
                await trio.sleep(POLL_S)  # the last lines
                raise CannotRun(_about(server, words, await server.ended()))
            await trio.sleep(POLL_S)
    raise CannotRun(_about(server, words, f"The server did not listen on port {server.port} within {START_S:g} s."))


def _about(server: Started, words: list[str], what: str) -> str:
    printed = server.output().strip()
    return f"{what} Command: {shlex.join(words)}. " + (f"It printed:\n{printed}" if printed else "It printed nothing.")


async def _end(process: trio.Process) -> None:
    _signal(process.pid, signal.SIGTERM)
    with trio.move_on_after(END_S):
        await process.wait()
    _signal(process.pid, signal.SIGKILL)  # also for children that outlive the command
    await process.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS denies signals to a group that has ended
        os.killpg(group, number)
