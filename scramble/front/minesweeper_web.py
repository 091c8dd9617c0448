"""Multiplayer Minesweeper in the browser: the page, and its WebSocket `/play/NAME` on the field that telnet plays on.

    address = await nursery.start(partial(serve_minesweeper_http, game, port=8080))

This module translates frames into commands and answers into frames, and knows no rule; docs/reference has the frames.
The one thing that it decides is what telnet decides by hanging up: without `debug` a player who digs up a bomb is no
player any more. The connection stays and goes on showing the field, but moves are refused until it says `rejoin`, which
is what it is to telnet to connect again.

Safe under concurrency: the field is reached through the game's door only (see `minesweeper_telnet` for why that is
enough). A connection's own state, which player it is, changes between two awaits in the task that answers its frames;
the task that sends it the game's changes only reads it. Frames are answered one after another, so a move behind a fatal
dig finds its player lost already, however fast it came.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import trio
from quart import Response, jsonify, websocket
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio

from scramble.errors import GameStopped, InvalidCommand
from scramble.front.answers import NOT_KEPT
from scramble.front.around import Around, add_around
from scramble.front.connection import Connection, Ending
from scramble.front.inbox import receive_frame
from scramble.front.limits import Limits
from scramble.front.live import Feed, Frames
from scramble.front.pages import add_refusals
from scramble.front.seats import accept, ending_of
from scramble.front.server import Address, serve_app
from scramble.front.traffic import Traffic
from scramble.minesweeper import Game, Snapshot, frames
from scramble.minesweeper.field import is_name
from scramble.minesweeper.messages import Connect

NOT_A_PLAYER = Ending(1008, "not a player")


def make_minesweeper_app(
    game: Game,
    *,
    debug: bool = False,
    telnet_port: int | None = None,
    around: Around | None = None,
) -> QuartTrio:
    """An ASGI application with the page of a running game; any number may serve one game.

    With `debug` a player who digs up a bomb plays on. `telnet_port` is where the same game is served to telnet: the
    page tells its readers. `around` is as for `serve_http` of Memory Scramble.
    """
    around = around or Around()
    app = QuartTrio("scramble", static_folder=None)
    add_field(app, game, debug=debug, limits=around.protection.limits, traffic=around.traffic)
    add_refusals(app)
    add_around(app, "minesweeper", game, around, _player_of)

    @app.get("/server")
    async def server() -> Response:
        response = jsonify(debug=debug, telnet=telnet_port)
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
    around: Around | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the page of a running game: `address = await nursery.start(serve_minesweeper_http, game)`.

    Runs until cancelled, or until `stop()` returns; the game goes on without it. `port=0` is any free port. The other
    arguments are as for `make_minesweeper_app`.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    around = around or Around()
    app = make_minesweeper_app(game, debug=debug, telnet_port=telnet_port, around=around)
    await serve_app(
        app,
        host=host,
        port=port,
        protection=around.protection,
        traffic=around.traffic,
        stop=stop,
        task_status=task_status,
    )


def _player_of(request: Request | Websocket) -> str | None:
    """The player whom the path names, if it names one."""
    name = (request.view_args or {}).get("name")
    return name if name and is_name(name) else None


def add_field(
    app: QuartTrio, game: Game, *, debug: bool, limits: Limits | None = None, traffic: Traffic | None = None
) -> None:
    """Add `/play/NAME` to `app`. It needs no task of its own; connections are closed when the game ends.

    Those that fall behind are counted in `traffic`.
    """
    # A whole field tells each connection who it is, so there is none that all could share.
    feed: Feed[Snapshot] = Feed(game, whole=lambda _: "", change=frames.change_frame, traffic=traffic)

    @app.websocket("/play/<name>")
    async def play(name: str) -> None:
        connection = Connection(receive_frame, websocket.send, websocket.close, _error, limits)
        refused = await accept()
        try:
            if refused is not None:
                await connection.close(ending_of(refused))
                return
            await connection.close(await _play(Seat(game, name, feed, connection.send, debug=debug), connection))
        finally:
            await connection.say_farewell()


async def _play(seat: Seat, connection: Connection) -> Ending:
    """Serve one connection until there is a reason to close it."""
    try:
        await seat.sit_down()
    except InvalidCommand as bad:
        # A refused handshake would say why as well, but a page cannot see that; this it can.
        await connection.send(_error(bad))
        return NOT_A_PLAYER
    except GameStopped:
        pass  # the frames end at once, and know how
    try:
        return await connection.run(seat, seat.answer)
    finally:
        seat.stand_up()


class Seat(AsyncIterator[str]):
    """One connection's place in the game, taken by a player or lost to a bomb; and the frames that it is sent.

    Iterated by one task, answering in another.
    """

    # AF: the place of a connection called _name; player number _player sits there, or, if that is None, nobody.
    #     _frames is what the connection has been sent so far; None: it is due to be sent everything.
    # RI: a _player that is not None is connected to the game, until the game ends.

    def __init__(
        self, game: Game, name: str, feed: Feed[Snapshot], send: Callable[[str], Awaitable[None]], *, debug: bool
    ) -> None:
        self._game: Final = game
        self._name: Final = name
        self._feed: Final = feed
        self._send: Final = send
        self._debug: Final = debug
        self._player: int | None = None
        self._frames: Frames[Snapshot] | None = None
        self._waiting = trio.CancelScope()  # for the next frame

    def __str__(self) -> str:
        return f"{self._name}, {'lost' if self._player is None else f'player {self._player}'}"

    async def sit_down(self) -> None:
        """Become a player; if cancelled, that has not happened. The next frame shows everything.

        Raises InvalidCommand if the name is none, GameStopped if the game is over.
        """
        self._player = (await self._game.ask(Connect(self._name))).player
        self._frames = None
        self._waiting.cancel()  # what it waits for may be in the new frame already

    def stand_up(self) -> None:
        """Be a player no more. Does not wait; standing up twice is standing up once."""
        if self._player is not None:
            self._game.disconnect(self._player)
            self._player = None

    async def __anext__(self) -> str:
        """The next frame for this connection: a whole one first and after a rejoin, then changes."""
        while True:
            if self._frames is None:
                self._frames = self._feed.frames(whole=self._whole)
            source = self._frames
            with trio.CancelScope() as self._waiting:
                frame = await anext(source)
                if self._frames is source:
                    return frame

    async def answer(self, text: str) -> None:
        """Do what a client's frame says, and send what becomes of it.

        Raises InvalidCommand if the frame makes no sense. A game that has ended is not reported here: nobody is
        answered any more, and the connection hears of it from the game's changes.
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
            raise InvalidCommand("you have not lost: there is nothing to rejoin")
        await self.sit_down()  # answered by the whole field, in the right place among the changes

    async def _move(self, move: frames.MoveFrame) -> None:
        if self._player is None:
            # No bad frame: whoever loses may well have sent the next move already.
            await self._send(frames.error_frame("you have lost: rejoin before you move again", move.id))
            return
        view = await self._game.ask(move.command(self._player))
        if not view.boom or not isinstance(move, frames.DigFrame):
            await self._send(frames.done_frame(move.id, view.version))
            return
        if not self._debug:
            self.stand_up()
        await self._send(frames.boom_frame(move, view.version, lost=not self._debug))

    def _whole(self, snapshot: Snapshot) -> str:
        return frames.field_frame(snapshot, self._player)


def _error(bad: InvalidCommand) -> str:
    return frames.error_frame(str(bad), bad.id if isinstance(bad, frames.BadFrame) else None)
