"""A text front end on simulated connections. It runs the front end's own `serve_...` function without real listeners.

    async with on_simulated_lines(minesweeper_telnet, partial(serve_telnet, game)) as handle:
        await handle(end)      # the server's side of one connection

So the front end itself makes its sessions and splits its lines.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from types import ModuleType
from unittest.mock import patch

import trio

from scramble.server.listening import Address
from scramble.server.telnet.connection import LineConnection, LineSession
from scramble.server.telnet.lines import MAX_LINE_BYTES
from tests.search.vopr.network import WireEnd
from tests.search.vopr.world import Handle


@asynccontextmanager
async def on_simulated_lines(module: ModuleType, serve: Callable[..., Awaitable[None]]) -> AsyncIterator[Handle]:
    """Run `serve(host=..., port=...)` of that module on simulated connections until the block ends."""
    connections: list[Callable[[WireEnd], LineConnection]] = []
    sessions: list[LineSession] = []

    async def serve_lines(
        session: LineSession,
        *,
        cr_ends: bool = True,
        max_line: int = MAX_LINE_BYTES,
        task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
        **_: object,
    ) -> None:
        connections.append(partial(LineConnection, cr_ends=cr_ends, max_line=max_line))
        sessions.append(session)
        task_status.started(Address("simulated", 0))
        await trio.sleep_forever()

    async def handle(end: WireEnd) -> None:
        await connections[0](end).run(sessions[0])

    async with trio.open_nursery() as nursery:
        with patch.object(module, "serve_lines", serve_lines):
            await nursery.start(partial(serve, host="simulated", port=0))
        yield handle
        nursery.cancel_scope.cancel()
