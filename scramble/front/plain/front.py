"""Front of one running small game, and its WebSocket `/play/PLAYER`.

A client sends commands, and receives the public state and events. This module translates frames into commands, and
answers into frames. It knows no rules. `front.web` has the parts that all games share: changes (`broadcast`), connected
players (`presence`), limits and closing (`websocket`).

Safe under concurrency: the only state is the unfinished moves of each connection. Only that connection's tasks use
them, between two awaits. Each move has its own task, so that the connection can read more frames while the move waits.
The connection reads the next frame after the move is answered or parked. So the game executes the moves of a connection
in the order of their frames. The end of a connection cancels its tasks, and so withdraws its parked moves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand
from scramble.front.plain import frames
from scramble.front.web.broadcast import Broadcast
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.moves import MoveUnderWay
from scramble.front.web.presence import PresenceFeed
from scramble.front.web.websocket import BesideOf, WebSocketConnection
from scramble.games.plain import PlainGame
from scramble.players.names import is_player
from scramble.players.presence import Presence
from scramble.server.asgi import Router, Socket, quart_app, router_of
from scramble.server.http.closing import CloseReason
from scramble.server.http.errors import add_refusals
from scramble.server.protection.by_player import PlayerConcurrencyLimit
from scramble.server.protection.limits import ServerLimits
from scramble.server.traffic import Traffic

NOT_A_PLAYER: Final = CloseReason(1008, "not a player")


class PlainFront:
    """One game, its broadcast, and the limits of its players. Connections of two fronts share no state."""

    # AF: the front of `game`. `decoder` decodes the players' frames, `broadcast` sends the game's changes to the
    #     connections, `beside` makes the connections' other feeds, and `waiting` counts each player's unfinished moves.

    def __init__(
        self,
        kind: str,
        game: PlainGame[object],
        decoder: frames.MoveDecoder,
        limits: ServerLimits,
        *,
        traffic: Traffic | None = None,
        beside: BesideOf | None = None,
    ) -> None:
        """`beside` makes the other feeds of each connection; None: only the feed of connected players."""
        self.game: Final = game
        self.decoder: Final = decoder
        self.limits: Final = limits
        if beside is None:
            beside = PresenceFeed(game.start_soon, Presence(), frames.players_frame).beside
        self.beside: Final = beside
        self.waiting: Final = PlayerConcurrencyLimit(limits.parked)
        self.broadcast: Final[Broadcast[object]] = Broadcast(
            game, snapshot=partial(frames.state_frame, kind), change=frames.change_frame, traffic=traffic
        )

    def show(self, link: FeedSocket) -> Follower:
        """Make a follower: `link` gets the game's changes."""
        return self.broadcast.follower(link)

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return frames.error_frame(bad)

    def __str__(self) -> str:
        return str(self.broadcast)


def make_bare_app(door: Door[PlainFront]) -> QuartTrio:
    """Make an ASGI application with the WebSocket of the game, but without the common parts of a site."""
    app = quart_app()
    add_play(router_of(app), door)
    add_refusals(app)
    return app


def add_play(router: Router, door: Door[PlainFront]) -> None:
    """Add `/play/PLAYER`. It needs no background task. The end of the game closes its connections."""

    async def play(socket: Socket) -> None:
        player = socket.parts["player"]
        await door.serve(socket, player if is_player(player) else None, partial(_talk, door.front(), player))

    router.socket("/play/{player}", play)


async def _talk(front: PlainFront, player: str, connection: WebSocketConnection, client: Client) -> CloseReason:
    """Serve one connection until its end. Return the reason to close it."""
    try:
        if not is_player(front.limits.checked_name(player)):
            raise InvalidCommand("a player's name has letters A to Z, digits and underscores only")
    except InvalidCommand as bad:
        # Send a frame: a page cannot read the reason for a refused handshake.
        await connection.send(front.error(bad))
        return NOT_A_PLAYER
    moves = Moves(front, player, connection.send, connection.start_soon)
    return await connection.run(front.show, moves.answer, *front.beside(player, client))


class Moves:
    """The moves of a player over one connection."""

    # AF: the moves of _player over a connection; _parked has moves that had to wait, by their numbers. They may
    #     still wait.

    def __init__(
        self,
        front: PlainFront,
        player: str,
        send: Callable[[str], Awaitable[None]],
        start_soon: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        """`send` sends the answers. `start_soon` starts a task for each move. Cancelling a task withdraws its move."""
        self._front: Final = front
        self._player: Final = player
        self._send: Final = send
        self._start_soon: Final = start_soon
        self._parked: dict[int | None, MoveUnderWay[frames.Answer]] = {}

    async def answer(self, text: str) -> None:
        """Execute a client's frame and send the outcome. If the move must wait, only send the `waits` frame.

        Raises InvalidCommand if the frame is invalid. If the game has ended, sends no answer and raises no error: the
        end of the game closes the connection.
        """
        frame = self._front.decoder.decode(text, self._player)
        if isinstance(frame, frames.WithdrawFrame):
            if (parked := self._parked.get(frame.id)) is not None:
                await parked.withdraw()  # its outcome is sent before this connection does anything else
            return
        await self._move(frame)

    async def _move(self, frame: frames.MoveFrame) -> None:
        front = self._front

        async def ask(parked: trio.Event) -> frames.Answer:
            with front.waiting.place(self._player):
                return frames.Answer(await front.game.ask(frame.command, parked=parked))

        move = MoveUnderWay(ask, partial(frames.outcome_frame, frame.id), self._send)
        await move.begin(self._start_soon)
        if move.parked:
            self._parked = {number: move for number, move in self._parked.items() if not move.is_over}
            self._parked[frame.id] = move
