"""Multiplayer Minesweeper in the browser: the page, and its WebSocket `/play/NAME`. Telnet may serve the same field.

    address = await nursery.start(partial(serve_minesweeper_http, game, port=8080))

This module translates frames into commands, and answers into frames. It knows only one rule of the game: without
`debug` a player who digs up a bomb leaves the game. Telnet then closes the connection. Here the connection stays open
and shows the field, but the server refuses moves until the client sends `rejoin`. A rejoin corresponds to a new telnet
connection. In a room the rules of the game let the player continue after a pause. docs/reference describes the frames.

Safe under concurrency: tasks use the field only through `Game` (`scramble.front.minesweeper.telnet` explains why this
is safe). The state of a connection is the number of its player. The task that answers the client's frames changes this
number between two awaits. The task that sends the game's changes only reads it. The connection answers frames one after
another. So it refuses a move after a fatal dig, even if the move arrives immediately after the dig.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from quart import Response, jsonify
from quart_trio import QuartTrio

from scramble.errors import DiskFull, GameStopped, InvalidCommand
from scramble.front.minesweeper.front import MinesweeperFront
from scramble.front.site import SiteConfig, add_site, serve_site, site_door
from scramble.front.web.broadcast import Viewer
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.websocket import WebSocketConnection
from scramble.minesweeper import Game, Snapshot, frames
from scramble.minesweeper.connected import is_name
from scramble.minesweeper.messages import Connect
from scramble.server.asgi import Router, Socket, quart_app, router_of
from scramble.server.http.closing import CloseReason
from scramble.server.http.errors import NOT_KEPT, add_refusals
from scramble.server.listening import Address

FULL_FIELD_CLOSE = CloseReason(1013, "the disk is full")
NOT_A_PLAYER = CloseReason(1008, "not a player")


class HasNotLost(InvalidCommand):
    """Refusal of a `rejoin`: the player is still in the game."""

    code = "has-not-lost"

    def __init__(self) -> None:
        super().__init__("you have not lost: there is nothing to rejoin")


def make_minesweeper_app(
    game: Game,
    *,
    debug: bool = False,
    telnet_port: int | None = None,
    site: SiteConfig | None = None,
) -> QuartTrio:
    """Make an ASGI application with the page of a running game. Several applications may serve one game.

    With `debug` a player who digs up a bomb continues to play. The page shows `telnet_port`, the telnet port of the
    same game. `site` is the same argument as in `serve_http` of Memory Scramble.

    Quart functions such as `before_request` do not run for WebSockets. To guard WebSockets, wrap `asgi_app`.
    """
    site = site or SiteConfig()
    front = MinesweeperFront(
        game, debug=debug, telnet_port=telnet_port, limits=site.protection.limits, traffic=site.traffic
    )
    app = make_bare_app(site_door(front, game, site))
    add_site(app, "minesweeper", game, site)
    return app


def make_bare_app(door: Door[MinesweeperFront]) -> QuartTrio:
    """Make an ASGI application with the WebSocket of the game, but without the common parts of a site."""
    app = quart_app()
    add_field(router_of(app), door)
    add_refusals(app)

    @app.get("/server")
    async def server() -> Response:
        front = door.front()
        response = jsonify(debug=front.debug, telnet=front.telnet_port)
        response.headers.update(NOT_KEPT)
        return response

    return app


async def serve_minesweeper_http(
    game: Game,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    debug: bool = False,
    telnet_port: int | None = None,
    site: SiteConfig | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the page of a running game: `address = await nursery.start(serve_minesweeper_http, game)`.

    Runs until it is cancelled, or until `stop()` returns. The game continues. `port=0` selects any free port.
    `make_minesweeper_app` explains the other arguments.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = site or SiteConfig()
    app = make_minesweeper_app(game, debug=debug, telnet_port=telnet_port, site=site)
    await serve_site(app, site, host=host, port=port, stop=stop, task_status=task_status)


def add_field(router: Router, door: Door[MinesweeperFront]) -> None:
    """Add `/play/NAME`. The route needs no background task. The end of the game closes its connections."""

    async def play(socket: Socket) -> None:
        name = socket.parts["name"]
        await door.serve(socket, name if is_name(name) else None, partial(_talk, door.front(), name))

    router.socket("/play/{name}", play)


async def _talk(front: MinesweeperFront, name: str, connection: WebSocketConnection, client: Client) -> CloseReason:
    """Serve one connection until its end. Return the reason to close it."""
    player = PlayerConnection(front, name, connection.send)
    try:
        await player.join()
    except InvalidCommand as bad:
        # Send a frame: a page cannot read the reason for a refused handshake.
        await connection.send(front.error(bad))
        return NOT_A_PLAYER
    except DiskFull as full:
        await connection.send(frames.error_frame(str(full), code=full.code))
        return FULL_FIELD_CLOSE
    try:
        # `player.close` is a subscription's end: so the latest viewer leaves before the connection's nursery ends.
        return await connection.run(player.show, player.answer, lambda _: player.close, *front.beside(name, client))
    finally:
        player.close()


class PlayerConnection:
    """A connection and its player. The player is in the game until a bomb explodes."""

    # AF: the connection of the player _name. _player is the player's number in the game; None: the player has lost.
    #     _viewer sends the game over _link. After a rejoin a task of _link begins another viewer.
    # RI: if _player is not None and the game runs, the game has this player.

    def __init__(
        self,
        front: MinesweeperFront,
        name: str,
        send: Callable[[str], Awaitable[None]],
    ) -> None:
        self._front: Final = front
        self._game: Final = front.game
        self._name: Final = name
        self._send: Final = send
        self._player: int | None = None
        self._link: FeedSocket | None = None
        self._viewer: Viewer[Snapshot] | None = None

    def __str__(self) -> str:
        return f"{self._name}, {'lost' if self._player is None else f'player {self._player}'}"

    async def join(self) -> None:
        """Join the game as a player. The next frame is a snapshot. A cancelled call has no effect.

        Raises InvalidCommand if the name is invalid or too long, GameStopped if the game is over, or DiskFull.
        """
        self._player = (await self._game.ask(Connect(self._front.limits.checked_name(self._name)))).player
        if self._link is not None and self._viewer is not None:
            self._viewer.leave()  # otherwise the client might get changes of the snapshot before the snapshot
            self._link.start_soon(self.show(self._link).begin)

    def show(self, link: FeedSocket) -> Follower:
        """Return a new follower of the game for the connection. It begins with a snapshot."""
        self._link = link
        self._viewer = self._front.broadcast.follower(link, finish=self._finish)
        return self._viewer

    def close(self) -> None:
        """Leave the game permanently, and drop the viewer: they form a reference cycle. Does not wait."""
        self.leave()
        if self._viewer is not None:
            self._viewer.leave()
            self._viewer = None

    def leave(self) -> None:
        """Leave the game if the player is in it. Does not wait."""
        if self._player is not None:
            self._game.disconnect(self._player)
            self._player = None

    async def answer(self, text: str) -> None:
        """Execute a client's frame, and send its outcome.

        Raises InvalidCommand if the frame is invalid. If the game has ended, sends no answer and raises no error: the
        end of the game closes the connection.
        """
        try:
            match frames.decode(text):
                case frames.Rejoin():
                    await self._rejoin()
                case frames.MoveFrame() as move:
                    await self._move(move)
        except GameStopped:
            pass

    async def _rejoin(self) -> None:
        if self._player is not None:
            raise HasNotLost
        try:
            await self.join()  # the answer is a snapshot frame, in order with the change frames
        except DiskFull as full:
            await self._send(frames.error_frame(str(full), code=full.code))

    async def _move(self, move: frames.MoveFrame) -> None:
        if self._player is None:
            # A valid frame: the client may have sent this move before it received the loss.
            await self._send(frames.error_frame("you have lost: rejoin before you move again", move.id, "has-lost"))
            return
        try:
            view = await self._game.ask(move.command(self._player))
        except DiskFull as full:
            await self._send(frames.error_frame(str(full), move.id, full.code))
            return
        if not view.boom:
            await self._send(frames.done_frame(move.id, view))
            return
        if not self._front.plays_on:
            self.leave()
        await self._send(frames.boom_frame(move, view, lost=not self._front.plays_on))

    def _finish(self, start: str, snapshot: Snapshot) -> str:
        return self._front.field_frame(start, snapshot, self._player)
