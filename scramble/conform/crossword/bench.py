"""Servers for the cases of Crossword Extravaganza: started for the check, or one that runs already.

A server reads its puzzles when it starts, so each case names its folder of puzzle files. Cases with the same folder
share a server: each case takes player and match IDs that no case has used. A server that runs already has one folder:
the cases with other folders are skipped.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from scramble.conform.bench import Open, SharedServers
from scramble.conform.cases import Broken, CannotRun, Case, Skipped
from scramble.conform.crossword.client import CrosswordTable, Known, Player, Server
from scramble.conform.crossword.folders import FOLDERS, write_folder
from scramble.conform.process import Started, filled, free_port, is_listening, started
from scramble.errors import leaves

RUNNING: Final = "running"
"""The key of a server that runs already, whatever the folder of a case."""

PLAIN: Final = "plain"
"""The folder of a case that names none."""

PROBE_S: Final = 10.0
"""A fresh server may need longer for its first answer."""


@dataclass(kw_only=True)
class CrosswordServer(Open):
    """A server that listens, with the puzzles of a folder."""

    server: Server


class CrosswordBench(SharedServers[CrosswordServer]):
    """The servers of one run."""

    def __init__(
        self,
        *,
        command: str | None,
        address: tuple[str, int] | None,
        puzzles: Path | None,
        wire: bool,
        seed: int,
        patience_s: float,
    ) -> None:
        """`command` starts servers; or `address` has a server that runs already, with the folder `puzzles`.

        `wire`: the server must speak our telnet wire. Raises CannotRun if a file of the check is not in `puzzles`.
        """
        super().__init__(command)
        self._address: Final = address
        self._wire: Final = wire
        self._seed: Final = seed
        self._patience_s: Final = patience_s
        self._has_started = False
        self._known: Final = Known()
        self._folders: Final = frozenset(FOLDERS) if command is not None else _folders_in(puzzles, wire=wire)

    @asynccontextmanager
    async def table(self, case: Case[CrosswordTable], *, fresh: bool) -> AsyncIterator[CrosswordTable]:
        """Prepare a server for the case. Raises Skipped, CannotRun, and Broken if a folder stops the server."""
        folder = case.needs.get("folder", PLAIN)
        if folder not in self._folders:
            raise Skipped("this case needs a server with a folder of its own: use --start")
        opened = self._use(await self._shared_with(folder, fresh=fresh))
        async with trio.open_nursery() as nursery:
            table = CrosswordTable(opened.server, self._seed, nursery)
            try:
                yield table
            finally:
                table.hang_up()
                nursery.cancel_scope.cancel()

    async def _shared_with(self, folder: str, *, fresh: bool) -> CrosswordServer:
        """Return the shared server with this folder, or a fresh one."""
        key = folder if self.can_be_fresh else RUNNING
        shared = self._sharing(key)
        if self.can_be_fresh and (fresh or shared is None or not shared.server.is_alive()):
            await self._close()
            shared = None
        if shared is None:
            self._last = None
            shared = await self._share(key, self._opened(folder))
        return shared

    @asynccontextmanager
    async def _opened(self, folder: str) -> AsyncIterator[CrosswordServer]:
        async with AsyncExitStack() as stack:
            if self._command is None:
                assert self._address is not None
                host, port = self._address
                if not await is_listening(host, port):
                    raise CannotRun(f"no server accepts connections on {host}:{port}")
                server = Server(host, port, self._patience_s, lambda: True, self._known)
                opened = CrosswordServer(server=server, process=None)
            else:
                process = await self._start(folder, stack)

                def is_alive() -> bool:
                    return not process.has_failed

                server = Server(process.host, process.port, self._patience_s, is_alive, self._known)
                opened = CrosswordServer(server=server, process=process)
            if self._wire and not self._has_started:
                await self._probe(opened)
            self._has_started = True
            yield opened

    async def _start(self, folder: str, stack: AsyncExitStack) -> Started:
        """Start a server. Raises CannotRun if it does not start, Broken if only the files of this folder stop it."""
        assert self._command is not None
        port = free_port()
        path = self._path(folder)
        write_folder(folder, path)
        values = {"port": str(port), "puzzles": str(path)}
        words = filled(self._command, values, frozenset(values))
        failed = ""
        try:
            return await stack.enter_async_context(started(words, port))
        except* CannotRun as errors:
            if folder == PLAIN:
                raise
            failed = str(leaves(errors)[0])
        if not self._has_started:
            async with AsyncExitStack() as plain:
                await self._start(PLAIN, plain)
        more = [file for file in FOLDERS[folder] if file not in FOLDERS[PLAIN]]
        files = ", ".join(more) if len(more) < 4 else f"{len(more)} more files"
        raise Broken(f"with {files} in its folder the server does not start: {failed}")

    async def _probe(self, opened: CrosswordServer) -> None:
        """Wait for the first screen of our wire. Raises CannotRun if another wire is spoken."""
        received, wrong = await self._greeting(opened, self._patience_s)
        if wrong and not received and self._patience_s < PROBE_S:
            _, wrong = await self._greeting(opened, PROBE_S)
        if wrong:
            printed = opened.output().strip()
            raise CannotRun(
                f"{wrong}. Without --wire scramble only the cases run that need no wire."
                + (f"\nThe server printed:\n{printed}" if printed else "")
            )

    async def _greeting(self, opened: CrosswordServer, seconds: float) -> tuple[bool, str]:
        """Connect once. Return whether bytes have come, and what is wrong with them; empty if it is our wire."""
        server = Server(opened.server.host, opened.server.port, seconds, opened.server.is_alive)
        async with trio.open_nursery() as nursery:
            table = CrosswordTable(server, self._seed, nursery)
            player = Player(table, "probe")
            wrong = ""
            try:
                await player.connect()
            except Broken as broken:
                wrong = str(broken)
            received = player.has_heard
            table.hang_up()
            nursery.cancel_scope.cancel()
        return received, wrong


def _folders_in(puzzles: Path | None, *, wire: bool) -> frozenset[str]:
    """Return the names of the check's folders whose files are all in `puzzles`. Blocks."""
    if puzzles is None:
        return frozenset() if wire else frozenset([PLAIN])

    def has(file: str, text: str) -> bool:
        try:
            return (puzzles / file).read_bytes() == text.encode()
        except OSError:
            return False

    found = frozenset(name for name, files in FOLDERS.items() if all(has(file, text) for file, text in files.items()))
    if wire and PLAIN not in found:
        raise CannotRun(f"{puzzles} lacks {', '.join(FOLDERS[PLAIN])} of this check: write them by --write-puzzles")
    return found | {PLAIN}
