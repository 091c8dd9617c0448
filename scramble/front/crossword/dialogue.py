"""Dialogue of one connection with the lobby, over any transport: lines in, views out, limits, and how it ends.

    ending = await converse(lobby, receive, send)

WebSocket and telnet share all of this, and add their formats of lines and views.

Views go out in the order of their numbers, one at a time, each when the client has taken the one before:

- the answer to every line, also to an invalid one. The next line is not received before the answer has gone out: a
  client that sends a lot and reads nothing is soon not read either;
- changes by other players: only the latest one waits. So a client that reads slowly has no backlog, sees nothing
  outdated, and delays nobody.

Beyond its limits a client gets a view with an error. If it goes on all the same, it is disconnected.

Safe under concurrency: a dialogue's three tasks (listen, follow, send) share the views that wait to be sent, and touch
them only between two awaits. The lobby may be asked from any task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeAlias

import msgspec
import trio

from scramble.crossword import Game, LobbyFull, Quota, Session, SessionEnded, SessionId, SessionView
from scramble.crossword.messages import MatchFull, MatchOver
from scramble.crossword.statetable import MAX_LINE, identity, return_of
from scramble.errors import CallerError, GameStopped, InvalidCommand
from scramble.front.identity import sentence
from scramble.kernel.token_bucket import TokenBucket
from scramble.players.seats import SeatTaken
from scramble.server.http.closing import CloseReason, end_of_game
from scramble.server.protection.by_address import account, most_of
from scramble.server.protection.limits import MATCHES_BY_ADDRESS, SESSIONS_BY_ADDRESS, ServerLimits

LOGGED_OUT = CloseReason(1000, "logged out")
HUNG_UP = CloseReason(1000, "no more lines")
TAKEN_OVER = CloseReason(4001, "the player has come back on another connection")  # 4000 up are an application's own
IDLE_CODE = 4002
REFUSED_CODE = 4000  # added to a status
TOO_MANY = CloseReason(1008, "too many commands a second")
TOO_LONG = CloseReason(1009, "lines that are longer than any command")
NOT_TEXT = CloseReason(1003, "not text")
FULL = CloseReason(1013, "the server is full")

RETURN_S = 10.0
"""Time for a player who has lost the connection to a match, and finds the server full, to send ID and token: pages do
so at once, and people paste them."""

LOBBY_VIEW_PAUSE_S = 0.1
"""Time between two changes to a client that has had too many of them: everybody who is choosing gets the list of
matches, and one player who makes and withdraws matches all the time must not keep the server busy with that."""


class DialogueLimits(msgspec.Struct, frozen=True):
    """Limits of one connection: burst sizes, and sustained rates a second."""

    commands: float = 500  # a program that fills in a whole puzzle at once has a hundred
    commands_per_s: float = 100
    faults: float = 20  # lines that are invalid or too fast: a client with a bug gets errors, then is disconnected
    faults_per_s: float = 0.2
    changes: float = 100
    changes_per_s: float = 5  # in addition to one in each PAUSE_S, which is as fast as people read


class NoLine(msgspec.Struct, frozen=True):
    """Input that is not a command line: the error for the client, and the close reason if that goes on."""

    reason: str
    ending: CloseReason


OVERLONG = NoLine(f"That is longer than any command, {MAX_LINE} characters at most.", TOO_LONG)
TOO_FAST = NoLine("That is too many commands a second. This one was not carried out.", TOO_MANY)

Receive: TypeAlias = Callable[[], Awaitable[str | NoLine | None]]
"""Return the next line, without its end; None after the last one."""

Send: TypeAlias = Callable[[SessionView], Awaitable[None]]
"""Send a view. Waits until the client has taken it, or the transport for it."""


class NamePolicy(Protocol):
    """Decision whether the person at this connection may be a player, where names are seats."""

    async def objection(self, player: str) -> str | None:
        """Return the reason against it, in words; None if there is no such reason. Raises GameStopped."""

    async def seated(self, player: str) -> bool:
        """Record that the person is that player now; False if the name has another owner by now. Raises GameStopped."""


def quota_of(host: str, limits: ServerLimits | None = None) -> Quota:
    """Return the limits in the lobby of a connection from that address."""
    limits, whose = limits or ServerLimits(), account(host)
    return Quota(
        whose,
        sessions=most_of(whose, limits.sessions_by_address, SESSIONS_BY_ADDRESS),
        waiting=most_of(whose, limits.matches_by_address, MATCHES_BY_ADDRESS),
    )


async def converse(
    lobby: Game,
    receive: Receive,
    send: Send,
    limits: DialogueLimits | None = None,
    names: NamePolicy | None = None,
    quota: Quota | None = None,
    *,
    player: str | None = None,
) -> CloseReason:
    """Hold a session of `lobby` for a connection, until there is a reason to close it, which is returned.

    `names` says which names belong to other people; without it none do. `quota` is as for `Game.session`. If the lobby
    is full, and players are missing from their matches, the connection may take the place of one of them by sending ID
    and token within `RETURN_S`. If cancelled, or after the last line, the connection counts as lost.

    In a lobby of one match a `player` that the caller knows is in the match from the first view on.
    """
    limits = limits or DialogueLimits()
    try:
        try:
            async with lobby.session(quota=quota) as session:
                refused = None if player is None else await _enter(session, player)
                if refused is not None:
                    await send(session.view.refusing(refused))
                    return CloseReason(REFUSED_CODE + refused.status, refused.code)
                return await Dialogue(session, limits, names).run(receive, send)
        except LobbyFull as full:
            await send(_turned_away(full))
            returning = await _who_returns(receive) if full.may_return and player is None else None
            if returning is None:
                return FULL
        async with lobby.session(quota=quota, returning=returning) as session:
            return await Dialogue(session, limits, names).run(receive, send)
    except LobbyFull as full:
        await send(_turned_away(full))
        return FULL
    except GameStopped as stopped:
        return end_of_game(stopped)


async def _enter(session: Session, player: str) -> CallerError | None:
    """Enter the one match as that player; return the refusal, if it is one."""
    try:
        await session.enter(player)
    except (MatchFull, MatchOver, InvalidCommand) as refused:
        return refused
    return None


async def _who_returns(receive: Receive) -> tuple[str, str] | None:
    """Return the ID and the token of the next line, None if they do not come in time."""
    with trio.move_on_after(RETURN_S):
        line = await receive()
        return return_of(line) if isinstance(line, str) else None
    return None


class Dialogue:
    """Dialogue of one session."""

    # AF: the views still to be sent are `_answer` and `_change`, unless None, the lower number first, and then, if
    #     `_ending` is not None, no more. A line is being carried out if `_asking`. `_over` is the reason to close after
    #     the lobby has ended the session, None before.
    # RI: at most one answer is under way, as the next line is not received before it is sent; `_change` is the latest.

    def __init__(self, session: Session, limits: DialogueLimits, names: NamePolicy | None) -> None:
        self._session: Final = session
        self._names: Final = names
        self._commands: Final = TokenBucket(limits.commands, limits.commands_per_s)
        self._faults: Final = TokenBucket(limits.faults, limits.faults_per_s)
        self._changes: Final = TokenBucket(limits.changes, limits.changes_per_s)
        self._answer: SessionView | None = None
        self._change: SessionView | None = None
        self._ending: CloseReason | None = None
        self._asking = False
        self._over: CloseReason | None = None
        self._due: Final = trio.lowlevel.ParkingLot()
        self._sent: Final = trio.lowlevel.ParkingLot()

    async def run(self, receive: Receive, send: Send) -> CloseReason:
        """Send the session's view, then talk until there is a reason to end, which is returned."""
        await send(self._session.view)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow)
            nursery.start_soon(self._listen, receive)
            ending = await self._send_all(send)
            nursery.cancel_scope.cancel()
        return ending

    async def _send_all(self, send: Send) -> CloseReason:
        while True:
            answer, change = self._answer, self._change
            if change is not None and (answer is None or change.number <= answer.number):
                self._change = None
                await send(change)
            elif answer is not None:
                await send(answer)
                self._answer = None
                self._sent.unpark_all()
            elif self._ending is not None:
                return self._ending
            else:
                await self._due.park()

    async def _listen(self, receive: Receive) -> None:
        while (line := await receive()) is not None:
            await self._hear(line)
        self._end(HUNG_UP)

    async def _hear(self, line: str | NoLine) -> None:
        """Carry out a line. Returns when its answer is sent."""
        heard = line if self._commands.take() else TOO_FAST
        self._asking = True
        try:
            if isinstance(heard, str):
                view = await self._say(heard)
            else:
                view = await self._session.object_to(heard.reason)
        except SessionEnded as ended:
            self._end(_end_of_session(ended))
            return
        except GameStopped as stopped:
            self._end(end_of_game(stopped))
            return
        finally:
            self._asking = False
        self._answer = view
        if view.closed:
            self._end(LOGGED_OUT)
        elif self._over is not None:
            self._end(self._over)
        elif isinstance(heard, NoLine) and not self._faults.take():
            self._end(heard.ending)
        self._due.unpark_all()
        while self._answer is not None:
            await self._sent.park()

    async def _say(self, line: str) -> SessionView:
        """Carry out a command line, unless it is the ID of another person."""
        names, player = self._names, identity(self._session.view.state, line)
        if names is None or player is None:
            return await self._session.say(line)
        objection = await names.objection(player)
        if objection is not None:
            return _taken(await self._session.object_to(objection), player)
        if self._session.is_of_one_match:  # the seat comes first: a match that has begun cannot be taken back
            if not await names.seated(player):
                objection = await names.objection(player) or sentence(player)
                return _taken(await self._session.object_to(objection), player)
            refused = await _enter(self._session, player)
            if refused is None:
                return self._session.view
            told = await self._session.object_to(str(refused))
            return msgspec.structs.replace(told, code=refused.code, params=dict(refused.params))
        view = await self._session.say(line)
        if view.player == player and not await names.seated(player):
            farewell = await self._session.say("EXIT")
            return _taken(msgspec.structs.replace(farewell, error=await names.objection(player)), player)
        return view

    async def _follow(self) -> None:
        try:
            while True:
                self._change = await self._session.next_view()
                self._due.unpark_all()
                if not self._changes.take():
                    await trio.sleep(LOBBY_VIEW_PAUSE_S)
        except SessionEnded as ended:
            self._over = _end_of_session(ended)
            if not self._asking:  # else the answer says why, or is sent before the end
                self._end(self._over)
        except GameStopped as stopped:
            self._end(end_of_game(stopped))

    def _end(self, ending: CloseReason) -> None:
        """End after all waiting views have been sent. The first reason stands."""
        self._ending = self._ending or ending
        self._due.unpark_all()

    def __str__(self) -> str:
        return f"dialogue of {self._session}"


def _taken(view: SessionView, player: str) -> SessionView:
    """Return a view that refuses the name of somebody else, with the code of that."""
    return msgspec.structs.replace(view, code=SeatTaken.code, params={"player": player})


def _end_of_session(ended: SessionEnded) -> CloseReason:
    return CloseReason(IDLE_CODE, str(ended)) if ended.why == "idle" else TAKEN_OVER


def _turned_away(full: LobbyFull) -> SessionView:
    """Make the view for a client that gets no session."""
    words = "Please come back later."
    if full.may_return:
        words += " If you have lost the connection to a match, come back now: type your ID, a space and your token."
    view = SessionView(session=SessionId(0), number=0, state="START", player=None, message=words)
    return view.refusing(full)
