"""Front of one running small game, and its WebSocket `/play/PLAYER`: commands in, the public state and events out.

This module translates frames into commands and answers into frames, and knows no rule. `front.web` has all that it
shares with other games: changes (`broadcast`), connected players (`presence`), limits and closing (`websocket`).

Safe under concurrency: its only state is the moves under way of each connection, and only that connection's tasks
touch them, between two awaits. A move has a task of its own, so that its connection continues to read while it waits.
The next frame is read once the move is answered or parked, so that the moves of a connection are made in the order in
which it sent them. When the connection ends, all its tasks are cancelled, which withdraws its parked moves.
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
    """One game, its broadcast, and the limits of its players. Connections of two fronts share nothing."""

    # AF: the front of `game`, whose players send frames that `decoder` reads. `broadcast` and `beside` are those of its
    #     connections, and `waiting` counts the moves under way of each player.

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
        """`beside` is what each connection has beside the game; None: the players who are here."""
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
        """Have a connection follow the game."""
        return self.broadcast.follower(link)

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return frames.error_frame(bad)

    def __str__(self) -> str:
        return str(self.broadcast)


def make_bare_app(door: Door[PlainFront]) -> QuartTrio:
    """Make an ASGI application with the WebSocket of the game, and without the common parts of a site."""
    app = quart_app()
    add_play(router_of(app), door)
    add_refusals(app)
    return app


def add_play(router: Router, door: Door[PlainFront]) -> None:
    """Add `/play/PLAYER`. It needs no task of its own; connections are closed when the game ends."""

    async def play(socket: Socket) -> None:
        player = socket.parts["player"]
        await door.serve(socket, player if is_player(player) else None, partial(_talk, door.front(), player))

    router.socket("/play/{player}", play)


async def _talk(front: PlainFront, player: str, connection: WebSocketConnection, client: Client) -> CloseReason:
    """Serve one connection until there is a reason to close it, and return that."""
    try:
        if not is_player(front.limits.checked_name(player)):
            raise InvalidCommand("a player's name has letters A to Z, digits and underscores only")
    except InvalidCommand as bad:
        # A page could not read the reason in a refused handshake; it can read this frame.
        await connection.send(front.error(bad))
        return NOT_A_PLAYER
    moves = Moves(front, player, connection.send, connection.start_soon)
    return await connection.run(front.show, moves.answer, *front.beside(player, client))


class Moves:
    """The moves that arrive over one connection."""

    # AF: the moves of _player over a connection; _parked has moves that had to wait, by their numbers. They may
    #     still wait.

    def __init__(
        self,
        front: PlainFront,
        player: str,
        send: Callable[[str], Awaitable[None]],
        start_soon: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        """`send` sends the answers; moves are tasks of `start_soon`, and cancelling one withdraws it."""
        self._front: Final = front
        self._player: Final = player
        self._send: Final = send
        self._start_soon: Final = start_soon
        self._parked: dict[int | None, MoveUnderWay[frames.Answer]] = {}

    async def answer(self, text: str) -> None:
        """Execute a client's frame and send its outcome. For a move that must wait, return once its client knows that.

        Raises InvalidCommand if the frame is invalid. If the game has ended, sends no answer and raises nothing: the
        end of the game's changes closes the connection.
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
