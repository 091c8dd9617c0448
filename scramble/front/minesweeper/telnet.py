"""Multiplayer Minesweeper over telnet: the handout's protocol.

    address = await nursery.start(partial(serve_telnet, game, host="127.0.0.1", port=4444, debug=False))

Each connection is a player. It gets HELLO at once, and then one answer for each message, in order: BOARD, BOOM! or
HELP. A line that is not a message of the user-to-server grammar gets HELP. The connection closes after `bye`, at the
end of the input (half-closed connection), and, without `debug`, after BOOM!. Later messages are not executed.

Why the system is safe under concurrency
----------------------------------------

*One field, one owner.* Connections begin, end and send messages at any time. Each connection has its own task. These
tasks cannot use the field: they send commands to the owner task's mailbox, and wait for the answers
(`scramble.kernel.actor`). The owner takes commands one after another. It executes each command in one synchronous call
of `Field.apply`. No other task can run during this call: trio switches tasks only at an `await`, and the call has no
`await`. So there is one order of all commands, and each command sees exactly the effects of the earlier commands. A
dig, its explosion and its whole flood are one step. A BOARD shows the field between two steps. The system has no locks,
so a task cannot forget a lock, hold it too long, or take locks in the wrong order.

*Input and output of the owner are immutable*: commands and views are frozen structs of numbers and strings. The owner
renders a view in the step of the view's command. So a BOARD shows one moment, even if it arrives much later. The step
also decides whether a bomb explodes (`boom`): if two players dig up the same bomb, exactly one player loses.

*Within a connection* one task executes its session in order: read a line, ask, answer, read the next line. It reads the
next message only after the last answer. So answers keep the order of the messages, and a player's own moves never
overlap. A player may dig by an outdated BOARD: that is part of the game.

*Between connections* only the `Game` is shared, and it has no state. A slow client delays no other connection: answers
go into the connection's bounded outbox (see `telnet.connection`). So the owner and the other sessions never wait for
the client's socket.

*N is exact*: the owner executes `Connect` and `Disconnect` in one order with all other commands. `Connect` counts the
player, and its answer has the number at that moment. If the connection ends before, the command is not executed. After
`Connect` the session is inside `game.connect()`. The end of this block sends `Disconnect` without waiting, ahead of all
queued and later commands. Every end of the session ends the block: `bye`, BOOM!, the end of the input, a reset, the
disconnect of a client that does not read, and a shutdown of the server. The block ends before the connection closes. So
a client that has seen the close of another connection gets a number without that player.

*The system cannot deadlock*: a session waits only for the owner and for its own client, and the owner waits only for
commands. *No session starves*: the mailbox is first come, first served, a full mailbox makes senders wait, and the
owner lets other tasks run between batches. If the owner crashes, all waiting sessions get an error at once, and the
connections close.
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
    """Serve one player's session, from HELLO to its end. Returns when the connection must be closed."""
    with suppress(GameStopped):  # the end of the game ends its sessions; the owner raises bugs
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
    """Serve `game` over telnet until cancelled. Then close all connections. The game continues.

    `nursery.start` returns the `Address`. Port 0 selects any free port. With `debug` a player who digs up a bomb stays
    connected. Without `limits` the default limits apply. `traffic` counts the connections.
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
