"""A bot that joins any server by WebSocket, as a page does: a single game, or a room.

    await play_at("http://127.0.0.1:8080/g/brave-green-tiger-moon", "bot_Ada", "hard")

The first frames show the kind of the game, one of the installed games. The bot sends its own secret, like clients
without cookies. In a game with seats, this secret reserves the bot's name.
"""

from __future__ import annotations

import math
import random
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec
import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    wrap_client_stream,
)

from scramble.games.bot import Level, MakeMind, Thinking
from scramble.games.kind import GameKind
from scramble.games.remote_bot import FrameHead, NameRefused, Rejected, RemoteError, RemoteTable
from scramble.games.table import game_kinds

MAX_FRAME_BYTES: Final = 64 * 2**20  # frames of the largest boards have some MiB
CONNECT_TIMEOUT_S: Final = 20.0
CLOSE_S: Final = 1.0  # time limit for the server's answer to a closing frame
RETRIES_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Pauses before the retries after a lost connection. Together they last a minute: longer than a server's restart."""

FRAME_S: Final = 0.025  # minimum time between two frames: servers disconnect clients with more than 50 frames a second

LASTED_S: Final = 30.0  # a longer connection resets the number of failures

COME_BACK_CODES: Final = frozenset({1001, 1005, 1006, 1012, 1013})
"""Close codes after which the bot connects again: the server restarts, or the connection broke without a reason."""


NAME_TAKEN: Final = 4403


class RemoteSeat(NamedTuple):
    """The bot's seat in a game."""

    table: RemoteTable
    thinking: Thinking


class RemoteBot:
    """One bot in the game at one address."""

    def __init__(
        self,
        url: str,
        name: str,
        level: Level,
        *,
        minds: Mapping[str, MakeMind],
        seed: int,
        pace: float,
        announce: Callable[[str], None],
        tls: ssl.SSLContext | None,
    ) -> None:
        """Make a bot. `announce` gets lines for people; `play_at` explains the other arguments."""
        self._url: Final = url
        self._paths: Final = (f"play/{quote(name, safe='')}", "play")
        self._name: Final = name
        self._level: Final[Level] = level
        self._minds: Final = minds
        self._seed: Final = seed
        self._pace: Final = pace
        self._announce: Final = announce
        self._tls: Final = tls
        self._secret: Final = secrets.token_urlsafe(32)
        self._seat: RemoteSeat | None = None
        self._result: str | None = None
        self._next_at = -math.inf  # when the next frame may be sent

    async def run(self) -> str:
        """Play until the game is over; return the result as text. Raises RemoteError."""
        failures = 0
        while True:
            began = trio.current_time()
            try:
                await self._connect()
            except Rejected:
                raise
            except RemoteError:
                if self._seat is None or failures == len(RETRIES_S):
                    raise
            if self._result is not None:
                return self._result
            if trio.current_time() > began + LASTED_S:
                failures = 0
            if failures == len(RETRIES_S):
                raise RemoteError(f"{self._url}: the connection is lost again and again")
            self._announce("connection lost; trying again")
            await trio.sleep(RETRIES_S[failures])
            failures += 1

    async def _connect(self) -> None:
        """Play over one connection until the connection ends. Raises RemoteError if the bot must not connect again."""
        for path in self._paths:
            try:
                async with open_socket(websocket_url(self._url, path), self._secret, self._tls) as connection:
                    await self._play_over(connection)
                    return
            except ConnectionRejected as rejected:
                if rejected.status_code == 404 and path != self._paths[-1]:
                    continue
                raise Rejected(self._rejected(rejected)) from None

    async def _play_over(self, connection: WebSocketConnection) -> None:
        """Play until the game is over or the connection ends. Raises RemoteError if the bot must not connect again."""
        failure: RemoteError | None = None

        async def send(text: str) -> None:
            await trio.sleep_until(self._next_at)
            self._next_at = trio.current_time() + FRAME_S
            try:
                await connection.send_message(text)
            except ConnectionClosed:
                await trio.sleep_forever()  # the reader gets the reason, and cancels this task

        async def play(seat: RemoteSeat) -> None:
            nonlocal failure
            try:
                await seat.table.play(seat.thinking)
                self._result = seat.table.result
            except RemoteError as refused:
                failure = refused
            nursery.cancel_scope.cancel()

        seat: RemoteSeat | None = None
        async with trio.open_nursery() as nursery:
            while True:
                try:
                    frame = await connection.get_message()
                except ConnectionClosed as closed:
                    failure = self._reason_of(closed)
                    break
                text = frame if isinstance(frame, str) else frame.decode("utf-8", "replace")
                try:
                    if seat is None:
                        seat = self._seat_at(text)
                        if seat is None:
                            continue
                        seat.table.connected(send)
                        nursery.start_soon(play, seat)
                    seat.table.take(text)
                except RemoteError as useless:  # raised after the nursery, which would put it into a group
                    failure = useless
                    break
                except msgspec.MsgspecError as error:
                    failure = Rejected(f"{self._url}: the server sends an unknown frame: {error}")
                    break
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    def _seat_at(self, text: str) -> RemoteSeat | None:
        """Return the seat in the game of the server that sends this frame. All connections have the same seat.

        Returns None if several games may send the frame. Raises RemoteError if no game sends it.
        """
        kind = kind_of(text)
        if kind is not None and self._seat is None:
            self._seat = self._seat_in(kind)
            self._announce(f"{self._name} plays {kind.title} at {self._url}")
        return None if kind is None else self._seat

    def _seat_in(self, kind: GameKind) -> RemoteSeat:
        assert kind.bots is not None
        assert kind.bots.remote is not None
        choices = random.Random(f"{self._seed} {self._name}")
        mind = self._minds[kind.name](self._name, self._level, choices)
        thinking = Thinking(self._level, choices, self._pace, seconds=mind.seconds)
        return RemoteSeat(kind.bots.remote.table(self._name, mind), thinking)

    def _reason_of(self, closed: ConnectionClosed) -> RemoteError | None:
        """Return the reason why the server rejects this bot; None if the bot may connect again."""
        reason = closed.reason
        if reason is None or reason.code in COME_BACK_CODES:
            return None
        if reason.code == NAME_TAKEN:
            return NameRefused(f"{self._url}: the name {self._name} belongs to somebody else there")
        words = f": {reason.reason.replace('-', ' ')}" if reason.reason else ""  # a refusal's code in rooms
        return Rejected(f"{self._url}: the server has closed the connection with code {reason.code}{words}")

    def _rejected(self, rejected: ConnectionRejected) -> str:
        body = (rejected.body or b"").decode("utf-8", "replace").strip().partition("\n")[0]
        body = body or f"the server answers with status {rejected.status_code}"
        hint = "; rooms have addresses such as http://HOST:PORT/g/NAME" if rejected.status_code == 404 else ""
        return f"{self._url}: {body}{hint}"


@asynccontextmanager
async def open_socket(url: str, secret: str, tls: ssl.SSLContext | None) -> AsyncIterator[WebSocketConnection]:
    """Open a WebSocket during a block.

    Raises ConnectionRejected if the server refuses it, and RemoteError if there is no connection.
    """
    parts = urlsplit(url)
    assert parts.hostname is not None
    port = parts.port or (443 if parts.scheme == "wss" else 80)
    resource = urlunsplit(("", "", parts.path, parts.query, ""))
    with _reaching(url):
        stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]
        if parts.scheme == "ws":
            stream = await trio.open_tcp_stream(parts.hostname, port)
        else:
            stream = await trio.open_ssl_over_tcp_stream(
                parts.hostname, port, https_compatible=True, ssl_context=tls or ssl.create_default_context()
            )
    failure: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                with trio.fail_after(CONNECT_TIMEOUT_S):
                    connection = await wrap_client_stream(
                        nursery,
                        stream,
                        parts.netloc.rpartition("@")[2],
                        resource,
                        extra_headers=[(b"authorization", b"Bearer " + secret.encode())],
                        max_message_size=MAX_FRAME_BYTES,
                    )
                yield connection
                with trio.move_on_after(CLOSE_S):
                    await connection.aclose()
            except Exception as error:  # raised below, without a group
                failure = error
            nursery.cancel_scope.cancel()
    except* HandshakeError as group:  # raised in a task of the library
        failure = group.exceptions[0]
    finally:
        await trio.aclose_forcefully(stream)  # the library does not close it after a refusal
    if failure is not None:
        with _reaching(url):
            raise failure


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    """Limit the time of the block, and raise RemoteError if the block cannot connect."""
    try:
        with trio.fail_after(CONNECT_TIMEOUT_S):
            yield
    except ConnectionRejected:
        raise
    except (HandshakeError, OSError, trio.BrokenResourceError, trio.TooSlowError, ConnectionClosed) as error:
        raise RemoteError(f"{urlsplit(url).netloc}: no connection: {_words_of(error)}") from None


def _words_of(error: BaseException) -> str:
    """Return the innermost reason of an error as text. For a host with several addresses, use the first error."""
    if isinstance(error, BaseExceptionGroup):
        return _words_of(error.exceptions[0])
    inner = error.__cause__ or error.__context__
    if inner is not None:
        return _words_of(inner)
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def websocket_url(url: str, path: str) -> str:
    """Return the address of the WebSocket at `path` below the page `url`. Raises RemoteError for an invalid address."""
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname:
        raise Rejected(f"{url!r} is not the address of a game, such as http://127.0.0.1:8080/")
    return urlunsplit((scheme, parts.netloc, f"{parts.path.rstrip('/')}/{path}", "", ""))


def kind_of(frame: str) -> GameKind | None:
    """Return the kind of game of a server that sends this frame; None if several kinds may send it.

    Raises RemoteError if no game sends it.
    """
    try:
        head = msgspec.json.decode(frame, type=FrameHead)
    except msgspec.MsgspecError:
        raise Rejected("this server does not have a known game") from None
    for kind in game_kinds().values():
        if kind.bots is not None and kind.bots.remote is not None and kind.bots.remote.sends(head):
            return kind
    return None


def taught_minds(files: Mapping[str, Sequence[Path]] = MappingProxyType({})) -> dict[str, MakeMind]:
    """Return a function that makes the minds of bots, for each kind of game.

    `files` has the values of options of `scramble bot`, by the option's name. Blocks. Raises OperatorError for an
    unusable file.
    """
    return {
        name: kind.bots.taught(files.get(kind.bots.lessons.option, ()) if kind.bots.lessons else ())
        for name, kind in game_kinds().items()
        if kind.bots is not None
    }


async def play_at(
    url: str,
    name: str,
    level: Level = "medium",
    *,
    minds: Mapping[str, MakeMind] | None = None,
    seed: int = 0,
    pace: float = 1.0,
    announce: Callable[[str], None] = lambda _: None,
    tls: ssl.SSLContext | None = None,
) -> str:
    """Join the game at the page `url` as the player `name`, play to the end, and return the result.

    Connects again after a lost connection. `minds` has functions that make the bot's mind, by the name of the kind. The
    default is `taught_minds`. `announce` gets lines about the progress. The default of `tls` verifies certificates.

    Raises:
        NameRefused: another player has the name.
        RemoteError: the address has no game, the server does not answer, or the server rejects the bot.
        ValueError: the pace is negative.
    """
    if minds is None:
        minds = await trio.to_thread.run_sync(taught_minds)
    return await RemoteBot(url, name, level, minds=minds, seed=seed, pace=pace, announce=announce, tls=tls).run()
