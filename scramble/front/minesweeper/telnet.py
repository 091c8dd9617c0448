"""Multiplayer Minesweeper over telnet: the handout's protocol, between a connection's lines and the game's door.

    address = await nursery.start(partial(serve_telnet, game, host="127.0.0.1", port=4444, debug=False))

A player is a connection. It gets HELLO at once, and then one answer for each message, in order: BOARD, BOOM! or HELP.
A line that is not a message of the user-to-server grammar gets HELP. `bye`, the end of the messages of a half-closed
connection and, without `debug`, a BOOM! close the connection; messages after these are not executed.

Why the system is safe under concurrency
----------------------------------------

*One field, one owner.* Connections come and go and send messages whenever they like, each served by a task of its own,
but none of those tasks can reach the field. They send commands to the owner task's mailbox and wait for its answer
(`scramble.kernel.actor`). The owner takes commands one after another, and carries out each in one synchronous call of
`Field.apply`, in which nothing else can run, because trio switches tasks only at an `await` and there is none. So there
is one order of all commands in which each sees exactly the effects of those before it: a dig, its explosion and its
whole flood are one step, a BOARD shows the field between two steps, and there is no lock that could be forgotten,
held too long, or taken in the wrong order.

*What goes into and out of the owner is immutable*: commands and views are frozen structs of numbers and strings. A view
is rendered inside the step that it answers, so a BOARD is a picture of one moment however long it takes to arrive, and
whether a dig went off (`boom`) is decided in that step too: of two players who dig up the same bomb exactly one loses.

*Within a connection* its session's task does everything in order: read a line, ask, answer, read the next. The next
message is not read before the last has been answered, so answers keep the order of the messages, and nothing of a
player's own play overlaps with itself. That a player may dig with an old BOARD in mind is part of the game.

*Between connections* nothing is shared but the `Game`, which has no state. A slow client waits alone: answers go
into an outbox of its own, which is bounded (see `telnet.connection`), so neither the owner nor another session
ever waits for its socket.

*N is exact*, because coming and going are commands in the same order as all others. `Connect` counts the player and
answers with the number at that moment; if the connection dies before that, the command was never carried out. From then
on the session is inside `game.connect()`, whose end says `Disconnect` without waiting, and ahead of all commands that
are queued or come later. It is reached whichever way the session ends: by `bye`, BOOM!, the end of the input, a reset,
a client dropped because it does not read, a server that is being shut down. And it is reached before the connection is
closed, so a client that has seen a connection close gets a number without it.

*It cannot deadlock*: sessions wait for the owner and for their own client; the owner waits for commands only. It cannot
be starved: the mailbox is first come, first served, a full one makes senders wait, and the owner lets others run
between batches. If the owner dies of a bug, all who ask get an error at once, and the connections close.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import trio

from scramble.errors import GameStopped
from scramble.minesweeper import Game
from scramble.minesweeper.text import HELP, Bye, Help, hello, parse_message, reply
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.telnet.connection import LineConnection
from scramble.server.telnet.lines import OVERLONG
from scramble.server.telnet.server import MAX_CONNECTIONS, serve_lines
from scramble.server.traffic import Traffic

FULL_FIELD_LINE = b"There are too many players on this field. Please come back later.\r\n"


async def play(game: Game, debug: bool, connection: LineConnection) -> None:
    """Serve one player's session, from HELLO to its end. Returns when the connection is to be closed."""
    with suppress(GameStopped):  # the end of the game ends its sessions; a bug is raised by the owner
        async with game.connect() as welcome:
            connection.send(hello(welcome))
            async for line in connection:
                message = None if line is OVERLONG else parse_message(line, welcome.player)
                match message:
                    case None | Help():
                        connection.send(HELP)
                    case Bye():
                        return
                    case command:
                        view = await game.ask(command)
                        connection.send(reply(view))
                        if view.boom and not debug:
                            return


async def serve_telnet(
    game: Game,
    *,
    host: str,
    port: int,
    debug: bool = False,
    max_connections: int = MAX_CONNECTIONS,
    limits: ServerLimits | None = None,
    traffic: Traffic | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `game` over telnet until cancelled; then all connections close, and the game continues.

    For `nursery.start`, which returns the `Address`; port 0 selects any free port. With `debug` a player who digs up a
    bomb stays connected. Without `limits` the defaults apply. Connections are counted in `traffic`.
    Source: problems 1, 4 and 5 of the handout.

    Raises:
        CannotListen: the address cannot be bound.
    """
    await serve_lines(
        partial(play, game, debug),
        host=host,
        port=port,
        max_connections=max_connections,
        full=FULL_FIELD_LINE,
        limits=limits,
        traffic=traffic,
        task_status=task_status,
    )
