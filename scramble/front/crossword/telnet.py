"""Crossword Extravaganza over telnet, with the lobby and the matches of the page. One connection is one session.

    address = await nursery.start(partial(serve_crossword_telnet, lobby, host="127.0.0.1", port=4445))

A line from the client is a command. It ends with LF or CRLF. The server sends the whole view as text (see
`scramble.crossword.text`) after each command and each change. This module shares `scramble.front.crossword.dialogue`
with the WebSocket.

Safe under concurrency because it has no state: each connection's session is a separate task that sends commands to the
lobby's owner task. Every end of a connection also ends the block of its session, and so notifies the lobby.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import trio

from scramble.crossword import Game, SessionView
from scramble.crossword.statetable import MAX_LINE
from scramble.crossword.text import view_text
from scramble.front.crossword.dialogue import (
    HUNG_UP,
    LOGGED_OUT,
    NOT_TEXT,
    OVERLONG,
    DialogueLimits,
    NoLine,
    converse,
    quota_of,
)
from scramble.front.identity import AnonymousPlayer
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.telnet import lines
from scramble.server.telnet.connection import LineConnection
from scramble.server.telnet.server import serve_lines
from scramble.server.traffic import Traffic

MAX_LINE_BYTES: Final = 4 * MAX_LINE  # UTF-8

NOT_UTF8 = NoLine("That is not text in UTF-8.", NOT_TEXT)


async def play(
    lobby: Game,
    limits: DialogueLimits | None,
    seats: bool,
    server_limits: ServerLimits | None,
    connection: LineConnection,
) -> None:
    """Hold the session of one connection. Returns when the connection must be closed."""

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
        await connection.drained()  # wait, so that the next view is the latest view

    names = AnonymousPlayer(lobby.ask) if seats else None
    ending = await converse(lobby, receive, send, limits, names, quota_of(connection.host, server_limits))
    if ending not in (LOGGED_OUT, HUNG_UP):
        connection.send(f"Closed: {ending.reason}.\r\n".encode())


async def serve_crossword_telnet(
    lobby: Game,
    *,
    host: str,
    port: int,
    limits: DialogueLimits | None = None,
    server_limits: ServerLimits | None = None,
    seats: bool = False,
    traffic: Traffic | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `lobby` to telnet clients until cancelled. Then close all connections. The lobby continues.

    `nursery.start` returns the `Address`. Port 0 selects any free port. `limits` are the limits of one connection, and
    `server_limits` are the limits of all connections together. With `seats`, telnet users cannot play under the name of
    a browser's seat. `traffic` counts the connections.

    Raises:
        CannotListen: the address cannot be bound.
    """
    session = partial(play, lobby, limits, seats, server_limits)
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
