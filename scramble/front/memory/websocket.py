"""Memory Scramble's WebSocket for the page, `/play/PLAYER`. docs/reference/websocket.md has the frames.

This module translates frames into commands and answers into frames, and knows no rule. The code that it shares with
other games is in `front.web`: `broadcast` (changes), `presence` (connected players) and `websocket` (limits, closing).

Safe under concurrency: its only state is the waiting flip of each connection, and only that connection's tasks touch
it, between two awaits. A flip has a task of its own, so that its connection continues to read while it waits. The next
frame is read once the flip is answered or parked, so that the moves of a connection are made in the order in which it
sent them. When the connection ends, all its tasks are cancelled, which withdraws a parked flip.
"""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Literal

import trio

from scramble.errors import CallerError, GameStopped, InvalidCommand
from scramble.front.memory.front import MemoryFront
from scramble.front.memory.permissions import Permissions
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.websocket import WebSocketConnection
from scramble.memory import frames
from scramble.memory.game import Game
from scramble.memory.messages import Flip, Flipped, NewGame, Replace
from scramble.memory.text import parse_card, parse_player
from scramble.memory.validation import is_player
from scramble.server.asgi import Router, Socket
from scramble.server.http.closing import CloseReason

BROWSER: Final = re.compile("[A-Za-z0-9_-]{8,64}")
"""The `browser` in a WebSocket's address: a random value that a browser's tabs share, and no other client knows."""


def add_play(router: Router, door: Door[MemoryFront]) -> None:
    """Add `/play/PLAYER`. Its connections see each other in `players`; those of another front do not.

    It needs no task of its own, and ends with the game: connections are then closed with code 1001 or 1011.
    """

    async def play(socket: Socket) -> None:
        player = socket.parts["player"]
        talk = partial(_talk, door.front(), player, socket)
        await door.serve(socket, player if is_player(player) else None, talk)

    router.socket("/play/{player}", play)


async def _talk(
    front: MemoryFront, player: str, socket: Socket, connection: WebSocketConnection, client: Client
) -> CloseReason:
    """Serve one connection until there is a reason to close it, and return that."""
    try:
        front.limits.checked_name(parse_player(player))
    except InvalidCommand as bad:
        # A page could not read the reason in a refused handshake; it can read this frame.
        await connection.send(front.error(bad))
        return CloseReason(1008, "not a player")
    browser = None if client.has_seats else _browser(socket)  # with a seat nobody else has the name
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
    """The moves that arrive over one connection."""

    # AF: the moves of _player over a connection of _client; _parked is the latest flip that had to wait, and possibly
    #     still waits.

    def __init__(
        self,
        game: Game,
        player: str,
        client: Client,
        send: Callable[[str], Awaitable[None]],
        start_soon: Callable[[Callable[[], Awaitable[None]]], None],
        permissions: Permissions = Permissions(),  # noqa: B008 - without a limit on new games it never changes
    ) -> None:
        """`send` sends the answers; flips are tasks of `start_soon`, and cancelling one withdraws it."""
        self._game: Final = game
        self._player: Final = player
        self._client: Final = client
        self._permissions: Final = permissions
        self._send: Final = send
        self._start_soon: Final = start_soon
        self._parked: _FlipUnderWay | None = None

    async def answer(self, text: str) -> None:
        """Execute a client's frame and send its outcome. For a flip that must wait, return once its client knows that.

        Raises InvalidCommand if the frame is invalid. If the game has ended, sends no answer and raises nothing: the
        end of the game's changes closes the connection.
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
        flip = _FlipUnderWay(frame, self._send)
        self._start_soon(partial(flip.run, self._game, Flip(self._player, frame.row, frame.column)))
        await flip.settled.wait()
        if flip.parked:
            self._parked = flip
            await self._send(frames.flip_frame(frame, "waiting").decode())
            flip.wait_sent.set()
        else:
            await flip.done.wait()

    async def _withdraw(self) -> None:
        if self._parked is not None:
            self._parked.scope.cancel()
            await self._parked.done.wait()  # its outcome is sent before this connection does anything else
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


class _FlipUnderWay:
    """One flip of a connection, from its frame to its final outcome."""

    # AF: the flip that _frame requests; once `settled` is set, `parked` says whether it had to wait; once `done` is
    #     set, its outcome has been sent.
    # RI: `done` implies `settled`, and if `parked` also `wait_sent`.

    def __init__(self, frame: frames.FlipFrame, send: Callable[[str], Awaitable[None]]) -> None:
        self._frame: Final = frame
        self._send: Final = send
        self.scope: Final = trio.CancelScope()  # cancelling it withdraws the flip
        self.parked = True
        self.settled: Final = trio.Event()  # set by the owner task when it parks the flip
        self.wait_sent: Final = trio.Event()  # the client has been notified that the flip waits
        self.done: Final = trio.Event()

    async def run(self, game: Game, command: Flip) -> None:
        """Ask the game, and send the outcome. An answer that crosses a cancellation of `scope` stands, and is sent."""
        outcome: Flipped | CallerError | Literal["withdrawn"] | None = "withdrawn"
        try:
            with self.scope:
                outcome = await game.ask(command, parked=self.settled)
        except CallerError as refused:
            outcome = refused
        except GameStopped:
            outcome = None
        if self.settled.is_set():
            await self.wait_sent.wait()
        else:
            self.parked = False
            self.settled.set()
        if outcome is not None:
            await self._send(frames.flip_frame(self._frame, outcome).decode())
        self.done.set()


def _browser(socket: Socket) -> str | None:
    browser = socket.query("browser") or ""
    return browser if BROWSER.fullmatch(browser) else None
