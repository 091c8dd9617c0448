"""Crossword Extravaganza over telnet: the lobby and matches of the page, as text. One connection is one session.

    address = await nursery.start(partial(serve_crossword_telnet, lobby, host="127.0.0.1", port=4445))

A line that comes in, ended by LF or CRLF, is a command; what goes out is a view as text (see `screen`), all of it, in
answer to each command and whenever it changes. What this shares with the WebSocket stands in `crossword_dialogue`.

Safe under concurrency because it has no state: a connection's session is a task of its own, which asks the lobby's
owner task. Whichever way a connection ends, leaving the block of its session tells the lobby so.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import trio

from scramble.crossword import OpenLobby, SessionView
from scramble.crossword.statetable import MAX_LINE
from scramble.crossword.wire import view_text
from scramble.front import lines
from scramble.front.crossword_dialogue import HUNG_UP, LOGGED_OUT, NOT_TEXT, OVERLONG, Limits, NoLine, converse
from scramble.front.limits import Limits as ServerLimits
from scramble.front.seats import Guest
from scramble.front.server import Address
from scramble.front.tcp import Connection, serve_lines
from scramble.front.traffic import Traffic

MAX_LINE_BYTES: Final = 4 * MAX_LINE  # UTF-8

NOT_UTF8 = NoLine("That is not text in UTF-8.", NOT_TEXT)


async def play(lobby: OpenLobby, limits: Limits | None, seats: bool, connection: Connection) -> None:
    """One connection's session. Returns when the connection is to be closed."""

    async def receive() -> str | NoLine | None:
        try:
            line = await anext(connection)
        except StopAsyncIteration:
            return None
        if line is lines.OVERLONG:
            return OVERLONG
        try:
            return line.decode()
        except UnicodeDecodeError:
            return NOT_UTF8

    async def send(view: SessionView) -> None:
        connection.send(view_text(view).replace("\n", "\r\n").encode())
        await connection.drained()  # so that the next view is the latest

    ending = await converse(lobby, receive, send, limits, Guest(lobby.ask) if seats else None)
    if ending not in (LOGGED_OUT, HUNG_UP):
        connection.send(f"Closed: {ending.reason}.\r\n".encode())


async def serve_crossword_telnet(
    lobby: OpenLobby,
    *,
    host: str,
    port: int,
    limits: Limits | None = None,
    server_limits: ServerLimits | None = None,
    seats: bool = False,
    traffic: Traffic | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Let everybody who connects play in `lobby`, until cancelled; then all connections close, and the lobby goes on.

    For `nursery.start`, which hands back the `Address`; port 0 is any free one. `limits` are what one connection may
    do, `server_limits` what all may. With `seats` nobody can play here under a name that belongs to a browser.
    Connections are counted in `traffic`.

    Raises:
        CannotListen: the address cannot be bound.
    """
    session = partial(play, lobby, limits, seats)
    await serve_lines(
        session,
        host=host,
        port=port,
        cr_ends=False,
        max_line=MAX_LINE_BYTES,
        limits=server_limits,
        traffic=traffic,
        task_status=task_status,
    )
