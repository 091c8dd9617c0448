"""Memory Scramble's WebSocket for the page, `/play/PLAYER`. docs/reference/websocket.md describes its frames.

This module translates frames into commands, and answers into frames. It knows no rules of the game. `front.web` has the
parts that all games share: `broadcast` (changes), `presence` (connected players) and `websocket` (limits, closing).

Safe under concurrency: the only state is the waiting flip of each connection. Only the connection's tasks use it,
between two awaits. Each flip has its own task, so that the connection can read more frames while the flip waits. The
connection reads the next frame after the flip is answered or parked. So the moves of a connection keep their order. The
end of a connection cancels its tasks, and so withdraws a parked flip.
"""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from scramble.errors import CallerError, GameStopped, InvalidCommand
from scramble.front.memory.front import MemoryFront
from scramble.front.memory.permissions import Permissions
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.moves import MoveUnderWay
from scramble.front.web.websocket import WebSocketConnection
from scramble.memory import frames
from scramble.memory.game import Game
from scramble.memory.messages import Flip, Flipped, NewGame, Replace
from scramble.memory.text import parse_card, parse_player
from scramble.memory.validation import is_player
from scramble.server.asgi import Router, Socket
from scramble.server.http.closing import CloseReason

BROWSER: Final = re.compile("[A-Za-z0-9_-]{8,64}")
"""The `browser` in a WebSocket's address: a random value that only the tabs of one browser know."""


def add_play(router: Router, door: Door[MemoryFront]) -> None:
    """Add `/play/PLAYER`. The `players` frames have the players of all connections of the front.

    The route needs no background task. The end of the game closes its connections with code 1001 or 1011.
    """

    async def play(socket: Socket) -> None:
        player = socket.parts["player"]
        talk = partial(_talk, door.front(), player, socket)
        await door.serve(socket, player if is_player(player) else None, talk)

    router.socket("/play/{player}", play)


async def _talk(
    front: MemoryFront, player: str, socket: Socket, connection: WebSocketConnection, client: Client
) -> CloseReason:
    """Serve one connection until its end. Return the reason to close it."""
    try:
        front.limits.checked_name(parse_player(player))
    except InvalidCommand as bad:
        # Send a frame: a page cannot read the reason for a refused handshake.
        await connection.send(front.error(bad))
        return CloseReason(1008, "not a player")
    browser = None if client.has_seats else _browser(socket)  # with seats, no other client has the name
    has_namesake = browser is not None and front.namesakes.arrive(player, browser)
    try:
        if has_namesake:
            await connection.send(frames.namesake_frame().decode())
        moves = Moves(front.game, player, client, connection.send, connection.start_soon, front.permissions)
        return await connection.run(partial(front.show, player=player), moves.answer, *front.beside(player, client))
    finally:
        if browser is not None:
            front.namesakes.leave(player, browser)


class Moves:
    """The moves of a player over one connection."""

    # AF: the moves of _player over a connection of _client. _parked is the latest parked flip. It may still wait.

    def __init__(
        self,
        game: Game,
        player: str,
        client: Client,
        send: Callable[[str], Awaitable[None]],
        start_soon: Callable[[Callable[[], Awaitable[None]]], None],
        permissions: Permissions = Permissions(),  # noqa: B008 - immutable without a limit of new games
    ) -> None:
        """`send` sends the answers. `start_soon` starts a task for each flip. Cancelling a task withdraws its flip."""
        self._game: Final = game
        self._player: Final = player
        self._client: Final = client
        self._permissions: Final = permissions
        self._send: Final = send
        self._start_soon: Final = start_soon
        self._parked: MoveUnderWay[Flipped] | None = None

    async def answer(self, text: str) -> None:
        """Execute a client's frame, and send the outcome. If a flip must wait, only send the frame that reports this.

        Raises InvalidCommand if the frame is invalid. If the game has ended, sends no answer and raises no error: the
        end of the game closes the connection.
        """
        match frames.decode_frame(text):
            case frames.FlipFrame() as frame:
                await self._flip(frame)
            case frames.ReplaceFrame() as frame:
                await self._replace(frame)
            case frames.NewGameFrame() as frame:
                await self._new_game(frame)
            case frames.WithdrawFrame():
                await self._withdraw()

    async def _flip(self, frame: frames.FlipFrame) -> None:
        command = Flip(self._player, frame.row, frame.column)

        async def ask(parked: trio.Event) -> Flipped:
            return await self._game.ask(command, parked=parked)

        flip = MoveUnderWay(ask, lambda outcome: frames.flip_frame(frame, outcome).decode(), self._send)
        await flip.begin(self._start_soon)
        if flip.parked:
            self._parked = flip

    async def _withdraw(self) -> None:
        if self._parked is not None:
            await self._parked.withdraw()  # its outcome is sent before the next frame is read
            self._parked = None

    async def _replace(self, frame: frames.ReplaceFrame) -> None:
        error: CallerError | None = None
        try:
            await self._permissions.require("replace", self._client)
            await self._game.ask(
                Replace(self._player, frame.old, self._permissions.limits.checked_card(parse_card(frame.new)))
            )
        except CallerError as refused:
            error = refused
        except GameStopped:
            return
        await self._send(frames.replace_frame(frame, error).decode())

    async def _new_game(self, frame: frames.NewGameFrame) -> None:
        error: CallerError | None = None
        try:
            await self._permissions.require("new", self._client)
            self._permissions.new_games.begin()
            await self._game.ask(NewGame(self._player, random.SystemRandom().getrandbits(64)))
        except CallerError as refused:
            error = refused
        except GameStopped:
            return
        await self._send(frames.new_game_frame(frame, error).decode())


def _browser(socket: Socket) -> str | None:
    browser = socket.query("browser") or ""
    return browser if BROWSER.fullmatch(browser) else None
