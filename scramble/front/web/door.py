"""The door of a game. It identifies the client of each request and WebSocket, and admits or refuses the client.

    door = Door(lambda: front)                                  # every client may use every name
    door = SeatsDoor(lambda: front, lambda: seats, origins)     # a name belongs to the first client that plays under it

    answer = await door.answer(request, "alice", answer_to)     # answers a request of a text protocol
    await door.serve(socket, "alice", talk)                     # serves a WebSocket until it is closed

A door decides before the game gets the request. A page cannot read the reason for a refused WebSocket handshake, so the
door accepts the WebSocket of a refused client, and closes it with the reason.

Safe under concurrency: a door has no state; the game's owner task assigns the seats.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from hypercorn.typing import HTTPScope, WebsocketScope

from scramble.errors import CallerError, GameStopped, InvalidCommand, ScrambleError
from scramble.front.web.client import Client
from scramble.front.web.seats import CurrentSeats
from scramble.front.web.websocket import WebSocketConnection
from scramble.server.asgi import Answer, Request, Socket, refusal_answer
from scramble.server.http.closing import CloseReason, close_reason_of, end_of_game
from scramble.server.protection.limits import ServerLimits


class Served(Protocol):
    """The part of a game's front that each connection needs."""

    @property
    def limits(self) -> ServerLimits:
        """Limits of each connection."""

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""


F_co = TypeVar("F_co", bound=Served, covariant=True)

AnswerTo: TypeAlias = Callable[[Client], Awaitable[Answer]]
"""Function that answers a client's request. Raises a ScrambleError for a refusal."""

Talk: TypeAlias = Callable[[WebSocketConnection, Client], Awaitable[CloseReason]]
"""Function that serves a connection, and returns the reason to close it. Raises only GameStopped."""


class Door(Generic[F_co]):
    """The door of a game without seats: every client may use every name. All doors are subclasses."""

    def __init__(self, front: Callable[[], F_co], origins: Collection[str] = ()) -> None:
        """`front()` returns the front of the current request's game: the server's only game, or its room's game.

        Pages at `origins` may play with a cookie, and so may the server's own pages.
        """
        self.front: Final = front
        self._origins: Final = origins

    def let_in(self, client: Client, player: str | None, *, plays: bool) -> AbstractAsyncContextManager[None]:
        """Return a context manager. In its block the client may send requests as `player`.

        `player` is None for a request without a player, or for a player without a name yet. `plays`: the client plays,
        not only watches. Entering waits for the owner task, and raises a CallerError for a refused client.
        """
        del client, player, plays
        return nullcontext()

    async def answer(self, request: Request, player: str | None, answer_to: AnswerTo, *, plays: bool = True) -> Answer:
        """Return the answer of `answer_to`, or a refusal. The answer sets a cookie if the client needs a secret."""
        client = self._client(request.scope)
        try:
            async with self.let_in(client, player, plays=plays):
                answer = await answer_to(client)
        except ScrambleError as error:
            answer = refusal_answer(error)
        return answer if client.cookie is None else answer.with_header("Set-Cookie", client.cookie)

    async def serve(self, socket: Socket, player: str | None, talk: Talk, *, plays: bool = True) -> None:
        """Accept a WebSocket, call `talk`, and close the WebSocket. A disconnect cancels the call."""
        client, front = self._client(socket.scope), self.front()
        connection = WebSocketConnection(socket, front.error, front.limits)
        try:
            try:
                async with self.let_in(client, player, plays=plays):
                    await _accept(socket, client)
                    reason = await _ending(talk(connection, client))
            except CallerError as refusal:
                reason = close_reason_of(refusal)
            except GameStopped as stopped:
                reason = end_of_game(stopped)
            await _accept(socket, client)
            await connection.close(reason)
        finally:
            await connection.say_farewell()

    def _client(self, scope: HTTPScope | WebsocketScope) -> Client:
        return Client(scope, self._origins)


class SeatsDoor(Door[F_co]):
    """The door of a game with seats."""

    def __init__(self, front: Callable[[], F_co], seats: CurrentSeats, origins: Collection[str]) -> None:
        """`seats()` returns the seats of the current request's game, or None."""
        super().__init__(front, origins)
        self.seats: Final = seats

    @asynccontextmanager
    async def let_in(self, client: Client, player: str | None, *, plays: bool) -> AsyncIterator[None]:
        """Take the player's seat for the client before the block. Raises SeatTaken, BadSecret and other refusals."""
        await self._seat(client, player, plays=plays)
        yield

    async def _seat(self, client: Client, player: str | None, *, plays: bool) -> None:
        seats = self.seats()
        client.has_seats = seats is not None
        if seats is not None and player is not None:
            await seats.take(player, client, plays=plays)
        if client.scope["type"] == "websocket":
            client.take_holder()


async def _ending(talk: Awaitable[CloseReason]) -> CloseReason:
    """Return the result of `talk`. If `talk` raises a refusal, that is a bug: only the door may refuse a client."""
    try:
        return await talk
    except CallerError as error:
        raise RuntimeError("a talk has not handled a refusal") from error


async def _accept(socket: Socket, client: Client) -> None:
    if not socket.accepted:
        await socket.accept({} if client.cookie is None else {"Set-Cookie": client.cookie})
