"""One connection's dialogue with the lobby, whatever it runs over: lines in, views out, limits, and how it ends.

    ending = await converse(lobby, receive, send)

WebSocket and telnet share all of this, and add what a line and a view look like to them.

Views go out in the order of their numbers, one at a time, each when the one before has been taken:

- the answer to every line, also to what was no line, and the next line is not received before it has gone out: a client
  that asks a lot and reads nothing is soon not read either;
- what somebody else's doing has changed: of that only the latest waits. So a client that reads slowly has no backlog,
  sees nothing that is long past, and holds nobody up.

Limits are refused with words, a view with an error. Who goes on all the same is disconnected.

Safe under concurrency: a dialogue's three tasks (listen, follow, send) share what waits to be sent, and touch it only
between two awaits. What can be asked of the lobby is safe from any task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeAlias

import msgspec
import trio

from scramble.crossword import LobbyFull, OpenLobby, Session, SessionEnded, SessionId, SessionView
from scramble.crossword.statetable import MAX_LINE, identity
from scramble.errors import GameClosed, GameStopped
from scramble.front.bucket import Bucket
from scramble.front.connection import BUG, GOING_AWAY, Ending

LOGGED_OUT = Ending(1000, "logged out")
HUNG_UP = Ending(1000, "no more lines")
TAKEN_OVER = Ending(4001, "the player has come back on another connection")  # 4000 up are an application's own
TOO_MANY = Ending(1008, "too many commands a second")
TOO_LONG = Ending(1009, "lines that are longer than any command")
NOT_TEXT = Ending(1003, "not text")
FULL = Ending(1013, "the server is full")

PAUSE_S = 0.1
"""Between two changes to somebody who has had too many of them: the list of matches is told to everybody who is
choosing, and one player who makes and withdraws matches all the time must not keep the server busy with that."""


class Limits(msgspec.Struct, frozen=True):
    """What one connection may do: so many at once, and so many a second."""

    commands: float = 500  # a program that fills in a whole puzzle at once has a hundred
    commands_per_s: float = 100
    faults: float = 20  # lines that were none, or came too fast; a client with a bug is told, then sent away
    faults_per_s: float = 0.2
    changes: float = 100
    changes_per_s: float = 5  # beside one in each PAUSE_S, which is as fast as anybody reads


class NoLine(msgspec.Struct, frozen=True):
    """What came is no command line: what to tell the client, and how to end if that goes on."""

    reason: str
    ending: Ending


OVERLONG = NoLine(f"That is longer than any command, {MAX_LINE} characters at most.", TOO_LONG)
TOO_FAST = NoLine("That is too many commands a second. This one was not carried out.", TOO_MANY)

Receive: TypeAlias = Callable[[], Awaitable[str | NoLine | None]]
"""The next line, without its end; None: no more will come."""

Send: TypeAlias = Callable[[SessionView], Awaitable[None]]
"""Shows a view. Waits until the client has taken it, or as good as."""


class Doorman(Protocol):
    """Who knows whether the person at this connection may be a player, where names are seats."""

    async def objection(self, player: str) -> str | None:
        """Why not, in words; None if nothing is against it. Raises GameStopped."""

    async def seated(self, player: str) -> bool:
        """The person is that player now; False if the name has become somebody else's. Raises GameStopped."""


async def converse(
    lobby: OpenLobby, receive: Receive, send: Send, limits: Limits | None = None, doorman: Doorman | None = None
) -> Ending:
    """Be a session of `lobby` for a connection, until there is a reason to close it, which is returned.

    With a `doorman` there are players who are somebody else's. If cancelled, the connection counts as lost; as it does
    if no more lines come.
    """
    try:
        async with lobby.session() as session:
            return await Dialogue(session, limits or Limits(), doorman).run(receive, send)
    except LobbyFull as full:
        await send(_turned_away(str(full)))
        return FULL
    except GameStopped as stopped:
        return _end_of_game(stopped)


class Dialogue:
    """The dialogue of one session."""

    # AF: what is still to be sent: `_answer` and `_change`, if there are any, the lower number first, and then, if
    #     `_ending` is not None, nothing more. A line is being carried out if `_asking`. `_over`: the lobby has told the
    #     follower that the session has ended.
    # RI: at most one answer is under way, as the next line is not received before it is sent; `_change` is the latest.

    def __init__(self, session: Session, limits: Limits, doorman: Doorman | None) -> None:
        self._session: Final = session
        self._doorman: Final = doorman
        self._commands: Final = Bucket(limits.commands, limits.commands_per_s)
        self._faults: Final = Bucket(limits.faults, limits.faults_per_s)
        self._changes: Final = Bucket(limits.changes, limits.changes_per_s)
        self._answer: SessionView | None = None
        self._change: SessionView | None = None
        self._ending: Ending | None = None
        self._asking = False
        self._over = False
        self._due: Final = trio.lowlevel.ParkingLot()
        self._sent: Final = trio.lowlevel.ParkingLot()

    async def run(self, receive: Receive, send: Send) -> Ending:
        """Send what the session shows, then talk until there is a reason to end, which is returned."""
        await send(self._session.view)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow)
            nursery.start_soon(self._listen, receive)
            ending = await self._send_all(send)
            nursery.cancel_scope.cancel()
        return ending

    async def _send_all(self, send: Send) -> Ending:
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
        """Have a line carried out; its answer is sent when this returns."""
        heard = line if self._commands.take() else TOO_FAST
        self._asking = True
        try:
            if isinstance(heard, str):
                view = await self._say(heard)
            else:
                view = await self._session.object_to(heard.reason)
        except SessionEnded:
            self._end(TAKEN_OVER)
            return
        except GameStopped as stopped:
            self._end(_end_of_game(stopped))
            return
        finally:
            self._asking = False
        self._answer = view
        if view.closed:
            self._end(LOGGED_OUT)
        elif self._over:
            self._end(TAKEN_OVER)
        elif isinstance(heard, NoLine) and not self._faults.take():
            self._end(heard.ending)
        self._due.unpark_all()
        while self._answer is not None:
            await self._sent.park()

    async def _say(self, line: str) -> SessionView:
        """Have a command line carried out, unless it is the ID of somebody else."""
        doorman, player = self._doorman, identity(self._session.view.state, line)
        if doorman is None or player is None:
            return await self._session.say(line)
        objection = await doorman.objection(player)
        if objection is not None:
            return await self._session.object_to(objection)
        view = await self._session.say(line)
        if view.player == player and not await doorman.seated(player):
            farewell = await self._session.say("EXIT")
            return msgspec.structs.replace(farewell, error=await doorman.objection(player))
        return view

    async def _follow(self) -> None:
        try:
            while True:
                self._change = await self._session.next_view()
                self._due.unpark_all()
                if not self._changes.take():
                    await trio.sleep(PAUSE_S)
        except SessionEnded:
            self._over = True
            if not self._asking:  # else the answer tells why, or comes before this
                self._end(TAKEN_OVER)
        except GameStopped as stopped:
            self._end(_end_of_game(stopped))

    def _end(self, ending: Ending) -> None:
        """End when all that waits has been sent. The first reason stands."""
        self._ending = self._ending or ending
        self._due.unpark_all()

    def __str__(self) -> str:
        return f"dialogue of {self._session}"


def _end_of_game(stopped: GameStopped) -> Ending:
    return GOING_AWAY if isinstance(stopped, GameClosed) else BUG


def _turned_away(reason: str) -> SessionView:
    """What somebody is shown who gets no session."""
    return SessionView(
        session=SessionId(0), number=0, state="START", player=None, message="Please come back later.", error=reason
    )
