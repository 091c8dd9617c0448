"""Servers for the cases of Minesweeper: started for the check, or one that runs already.

Cases share a server with a field of equal tiles, or the server of the user with its field. Each case plays on a tile
that no case has used. If the tiles are used up, or after a failure, the next case gets a fresh server. A case may need
a server with a field, options or debug mode of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import trio

from scramble.conform.bench import Open, SharedServers
from scramble.conform.cases import Broken, CannotRun, Case, Silent, Skipped
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.fieldfile import TILED, FieldFile, field_of, tiles
from scramble.conform.minesweeper.ground import Ground, Server
from scramble.conform.minesweeper.table import Findings, MineTable
from scramble.conform.minesweeper.wire import Hello
from scramble.conform.process import Started, filled, free_port, is_listening, started
from scramble.conform.transcript import Transcript
from scramble.errors import leaves

OPTIONS: Final = "this case needs a server with options of its own: use --start with {args}"
PROBE_S: Final = 10.0
"""A fresh server may need longer for its first answer."""

REFUSED_STARTS: Final = 3
"""A server that must not serve is watched for so many times the time of a usual start."""

NEWLINES: Final = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


class Mute(CannotRun):
    """The server listens, but sends nothing."""


@dataclass(kw_only=True)
class MineServer(Open):
    """A server that answers, with its field."""

    server: Server
    ground: Ground
    debug: bool | None
    others: int = 0


class MineBench(SharedServers[MineServer]):
    """The servers of one run."""

    def __init__(
        self,
        *,
        command: str | None,
        address: tuple[str, int] | None,
        field: FieldFile | None,
        debug: bool | None,
        seed: int,
        patience_s: float,
    ) -> None:
        """`command` starts servers; or `address` has a server that runs already.

        `field` and `debug`: what is known about a server that runs already, or whose command has no {args}.
        """
        super().__init__(command)
        self._address: Final = address
        self._has_options: Final = command is not None and "{args}" in command
        self._field: Final = field
        self._debug: Final = debug
        self._seed: Final = seed
        self._patience_s: Final = patience_s
        self._start_s = 0.0
        self._has_started = False
        self._findings: Final = Findings()

    @asynccontextmanager
    async def table(self, case: Case[MineTable], *, fresh: bool) -> AsyncIterator[MineTable]:
        """Prepare a server for the case. Raises Skipped, Broken for a server that shows no board, and CannotRun."""
        debug = None if "debug" not in case.needs else case.needs["debug"] == "yes"
        async with AsyncExitStack() as stack:
            if case.needs.keys() & {"field", "args"}:
                server = await stack.enter_async_context(self._own(case, debug))
            else:
                server = await self._shared_with(debug, int(case.needs.get("tiles", 1)), fresh=fresh)
            self._use(server)
            if not self._has_options:
                await self._see(server)
            table = MineTable(
                server.server,
                server.ground,
                self._patience_s,
                seed=self._seed,
                debug=server.debug,
                others=server.others,
                case=case.name,
                findings=self._findings,
                launcher=self if self._has_options else None,
            )
            try:
                yield table
            finally:
                with trio.CancelScope(shield=True):
                    await table.close()

    @asynccontextmanager
    async def _own(self, case: Case[MineTable], debug: bool | None) -> AsyncIterator[MineServer]:
        """Start a server with the field or the options of the case."""
        if not self._has_options:
            raise Skipped(OPTIONS)
        args = case.needs.get("args", "")
        field: FieldFile | None = None
        if "field" in case.needs:
            field = field_of(case.needs["field"])
            path = self._write(field.text(NEWLINES[case.needs.get("newline", "lf")]).encode())
            args = f"{args} --file {shlex.quote(path)}".strip()
        async with self._entered(args, field, bool(debug)) as server:
            yield server

    @asynccontextmanager
    async def _entered(self, args: str, field: FieldFile | None, debug: bool | None) -> AsyncIterator[MineServer]:
        """Start a server. Raises Broken if the server starts only without these options, and CannotRun."""
        async with AsyncExitStack() as stack:
            server: MineServer | None = None
            error: BaseException | None = None
            try:
                server = await stack.enter_async_context(self._opened(args, field, debug))
            except* CannotRun as errors:
                error = leaves(errors)[0]
            if server is not None:
                yield server
                return
            assert error is not None
            if not isinstance(error, Mute) and self._has_options and (args or debug) and await self._starts():
                raise Broken(f"with the options {args!r} {error}")
            raise error

    async def _starts(self) -> bool:
        """Return True if the server starts without options."""
        if not self._has_started:
            try:
                async with self._opened("", None, None):
                    pass
            except* CannotRun:
                pass
        return self._has_started

    async def _shared_with(self, debug: bool | None, tiles_needed: int, *, fresh: bool) -> MineServer:
        """Return the shared server in this mode, or a fresh one if it has fewer unused tiles."""
        if not self._has_options and debug is not None:
            if self._debug is None:
                raise Skipped("it is not known if the server runs in debug mode: use --debug or --no-debug")
            if self._debug is not debug:
                raise Skipped(f"this case needs a server {'in' if debug else 'without'} debug mode")
        mode = bool(debug) if self._has_options else self._debug
        shared = self._sharing(mode)
        if shared is not None and self.can_be_fresh:
            ground = shared.ground
            used_up = ground.left < tiles_needed if ground.has_tiles else ground.file is not None
            if fresh or used_up:
                await self._close()
                shared = None
        if shared is None:
            args, field = "", self._field
            if self._has_options:
                field = TILED
                args = f"--file {shlex.quote(self._write(TILED.text().encode()))}"
            shared = await self._share(mode, self._entered(args, field, mode))
        return shared

    def _write(self, content: bytes) -> str:
        path = self._path(f"field-{free_port()}.txt")
        path.write_bytes(content)
        return str(path)

    @asynccontextmanager
    async def _opened(self, args: str, field: FieldFile | None, debug: bool | None) -> AsyncIterator[MineServer]:
        async with AsyncExitStack() as stack:
            process: Started | None = None
            if self._command is None:
                assert self._address is not None
                server = Server(*self._address)
            else:
                port = free_port()
                if self._has_options and debug:
                    args = f"--debug {args}".strip()
                began_s = trio.current_time()
                process = await stack.enter_async_context(started(self._words(port, args), port))
                server = Server(process.host, port)
                self._start_s = max(self._start_s, trio.current_time() - began_s)
            opened = MineServer(server=server, ground=Ground(1, 1, None), process=process, debug=debug)
            await self._probe(opened, field)
            self._has_started = True
            yield opened

    def _words(self, port: int, args: str) -> list[str]:
        assert self._command is not None
        return filled(self._command, {"port": str(port), "args": args}, frozenset({"port"}))

    async def _probe(self, opened: MineServer, field: FieldFile | None) -> None:
        """Wait for the first line of the server. Raises CannotRun if it is silent, or its field is another one."""
        server = opened.server

        def wrong(what: str) -> CannotRun:
            printed = opened.output().strip()
            where = f"telnet {server.host} {server.port}: {what}"
            return CannotRun(where + (f"\nThe server printed:\n{printed}" if printed else ""))

        columns, rows = (1, 1) if field is None else (field.columns, field.rows)
        try:
            hello = await self._hello(server) or Hello(columns, rows, 1)
        except Silent as silent:
            raise Mute(str(wrong(f"the server does not answer: {silent}"))) from None
        except Broken as broken:
            if not await is_listening(server.host, server.port):
                raise wrong(str(broken)) from None
        else:
            if self._command is None:
                opened.others = hello.players - 1
            if field is None:
                columns, rows = hello.columns, hello.rows
            elif not self._has_options and (hello.columns, hello.rows) != (columns, rows):
                size = f"{hello.columns} columns by {hello.rows} rows"
                raise wrong(f"the server's field has {size}, but --board has {columns} columns by {rows} rows")
        opened.ground = Ground(columns, rows, field, tiles() if field is TILED else ())

    async def _hello(self, server: Server) -> Hello | None:
        """Return HELLO of a server that may have just started: its first one may come later than others.

        Return None if the server sends something, but no HELLO: a case reports it. Raises Silent if it sends nothing.
        """
        for has_waited in (False, True):
            try:
                player = await Player.connect("probe", server, Transcript(), self._patience_s)
            except Silent:
                if not has_waited and not await self._answers(server):
                    raise
            else:
                await player.leave()
                return player.hello
        return None

    async def _answers(self, server: Server) -> bool:
        """Return True if the server sends anything, with HELLO or without it."""
        with trio.move_on_after(max(self._patience_s, PROBE_S)):
            return await _sends(server, b"look\n")
        return False

    async def _see(self, opened: MineServer) -> None:
        """Look at a field that earlier cases or other users may have changed. Raises Broken."""
        player = await Player.connect("probe", opened.server, Transcript(), self._patience_s)
        try:
            opened.ground.see((await player.ask("look")).lines)
        finally:
            await player.leave()

    # --- servers of a case

    async def serves(self, args: str, file: bytes | None = None) -> bool:
        """Start a server with options, and return True if it sends something to a client (see `Launcher`)."""
        if file is not None:
            args = args.replace("{file}", shlex.quote(self._write(file)))
        port, is_serving = free_port(), False
        with trio.move_on_after(REFUSED_STARTS * self._start_s + 1):
            try:
                async with started(self._words(port, args), port) as process:
                    is_serving = await _sends(Server(process.host, port))
            except* CannotRun:
                pass  # it has ended
        return is_serving


async def _sends(server: Server, message: bytes = b"") -> bool:
    """Return True if the server sends something to a new client. It waits until the caller cancels it."""
    try:
        async with await trio.open_tcp_stream(server.host, server.port) as stream:
            if message:
                await stream.send_all(message)
            return bool(await stream.receive_some(1))
    except (OSError, trio.BrokenResourceError):
        return False
