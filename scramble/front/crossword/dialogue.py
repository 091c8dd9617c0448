"""Dialogue of one connection with the lobby, over any transport. It receives lines, sends views, and enforces limits.

    ending = await converse(lobby, receive, send)

WebSocket and telnet share this module. They add their formats of lines and views.

The dialogue sends views in the order of their numbers. It sends a view after the client has accepted the view before:

- Every line gets an answer, also an invalid line. The dialogue receives the next line after it has sent the answer. So
  the server soon stops reading from a client that sends much and reads nothing.
- Other players make changes: only the latest change waits. So a slow reader has no backlog, gets no outdated views, and
  delays no other client.

A client above its limits gets a view with an error. If the client continues, the server disconnects it.

Safe under concurrency: a dialogue's three tasks (listen, follow, send) share the views that wait to be sent, and use
them only between two awaits. Any task may send commands to the lobby.
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
TAKEN_OVER = CloseReason(4001, "the player has come back on another connection")  # applications use codes from 4000
IDLE_CODE = 4002
REFUSED_CODE = 4000  # the close code of a refusal is this number plus its HTTP status
TOO_MANY = CloseReason(1008, "too many commands a second")
TOO_LONG = CloseReason(1009, "lines that are longer than any command")
NOT_TEXT = CloseReason(1003, "not text")
FULL = CloseReason(1013, "the server is full")

RETURN_S = 10.0
"""Time limit for ID and token on a full server: a player has lost the connection to a match, and comes back. Pages send
both at once, and people paste both."""

LOBBY_VIEW_PAUSE_S = 0.1
"""Pause between two changes to a client above its limit of changes. All players in the lobby get each new list of
matches, so one player could overload the server with many new and withdrawn matches."""


class DialogueLimits(msgspec.Struct, frozen=True):
    """Limits of one connection: burst sizes, and sustained rates a second."""

    commands: float = 500  # a program that fills in a whole puzzle at once sends a hundred commands
    commands_per_s: float = 100
    faults: float = 20  # lines that are invalid or too fast: a client with a bug gets errors, and then a disconnect
    faults_per_s: float = 0.2
    changes: float = 100
    changes_per_s: float = 5  # plus one change in each LOBBY_VIEW_PAUSE_S; people read more slowly


class NoLine(msgspec.Struct, frozen=True):
    """Input that is not a command line: the error for the client, and the close reason after too many errors."""

    reason: str
    ending: CloseReason


OVERLONG = NoLine(f"That line is longer than any command: a command has at most {MAX_LINE} characters.", TOO_LONG)
TOO_FAST = NoLine("That is too many commands a second. The last command was not carried out.", TOO_MANY)

Receive: TypeAlias = Callable[[], Awaitable[str | NoLine | None]]
"""Function that returns the next line, without its end; None after the last line."""

Send: TypeAlias = Callable[[SessionView], Awaitable[None]]
"""Function that sends a view. Waits until the client or the transport has accepted the view."""


class NamePolicy(Protocol):
    """Permission of the connection's client to play under a name, for games with seats."""

    async def objection(self, player: str) -> str | None:
        """Return the reason for a refusal, in words; None if the client may be `player`. Raises GameStopped."""

    async def seated(self, player: str) -> bool:
        """Record the client as `player`. Return False if another client has the name. Raises GameStopped."""


def quota_of(host: str, limits: ServerLimits | None = None) -> Quota:
    """Return the lobby's limits for a connection from the address `host`."""
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
    """Hold a session of `lobby` for a connection, until there is a reason to close it. Return the reason.

    `names` refuses the names of other people; None: all names are free. `quota` is the argument of `Game.session`. In a
    full lobby with running matches, a player who sends ID and token within `RETURN_S` replaces the earlier session.
    A cancelled call counts as a lost connection, and so does the end of the input.

    In a lobby of one match, a known `player` is in the match already in the first view.
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
    """Enter the lobby's match as `player`. Return the refusal, or None."""
    try:
        await session.enter(player)
    except (MatchFull, MatchOver, InvalidCommand) as refused:
        return refused
    return None


async def _who_returns(receive: Receive) -> tuple[str, str] | None:
    """Return the ID and the token of the next line; None if the line is invalid or late."""
    with trio.move_on_after(RETURN_S):
        line = await receive()
        return return_of(line) if isinstance(line, str) else None
    return None


class Dialogue:
    """Dialogue of one session."""

    # AF: the views to send are _answer and _change (None: no view). The view with the lower number is first. If _ending
    #     is not None, these views are the last views. _asking: the lobby is executing a line. _over is the reason to
    #     close after the lobby has ended the session. Before the end, _over is None.
    # RI: at most one answer waits, because the next line is received after the answer is sent. _change is the latest
    #     change.

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
        """Send the session's view, then execute lines until there is a reason to close. Return the reason."""
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
        """Execute a line. Wait until the answer is sent."""
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
        """Execute a command line. Refuse an ID that another client has."""
        names, player = self._names, identity(self._session.view.state, line)
        if names is None or player is None:
            return await self._session.say(line)
        objection = await names.objection(player)
        if objection is not None:
            return _taken(await self._session.object_to(objection), player)
        if self._session.is_of_one_match:  # take the seat first, because the beginning of a match cannot be undone
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
            if not self._asking:  # otherwise `_hear` ends the dialogue
                self._end(self._over)
        except GameStopped as stopped:
            self._end(end_of_game(stopped))

    def _end(self, ending: CloseReason) -> None:
        """End the dialogue after all waiting views are sent. A later reason is ignored."""
        self._ending = self._ending or ending
        self._due.unpark_all()

    def __str__(self) -> str:
        return f"dialogue of {self._session}"


def _taken(view: SessionView, player: str) -> SessionView:
    """Return a copy of the view with the refusal code and the name of a taken seat."""
    return msgspec.structs.replace(view, code=SeatTaken.code, params={"player": player})


def _end_of_session(ended: SessionEnded) -> CloseReason:
    return CloseReason(IDLE_CODE, str(ended)) if ended.why == "idle" else TAKEN_OVER


def _turned_away(full: LobbyFull) -> SessionView:
    """Make the view for a client without a session."""
    words = "Please come back later."
    if full.may_return:
        words += " If you have lost the connection to a match, come back now: type your ID, a space and your token."
    view = SessionView(session=SessionId(0), number=0, state="START", player=None, message=words)
    return view.refusing(full)
