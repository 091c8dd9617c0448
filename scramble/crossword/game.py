"""The door for embedding: play Crossword Extravaganza from any trio program.

    async with open_lobby([Puzzle.parse_from_file("boards/crossword/kitchen.puzzle")]) as lobby:
        async with lobby.session() as ann:
            view = await ann.say("ann")                          # CHOOSE
            view = await ann.say('NEW m1 kitchen "come and play"')   # WAIT
            view = await ann.next_view()                         # PLAY, as soon as somebody joins

A session is what a connection is to a front end: it begins in START, hears the command lines that a player would type,
and answers each with a view of everything that the player may see. Leaving the block of a session is losing the
connection.

Any number of tasks may share one `OpenLobby` and open sessions. Safe because all sessions and matches belong to one
owner task (see `scramble.actor`), and all that happens here are commands to it. What stands beside it, which views a
session has handed out and which sessions may still come back, changes only between two awaits.
"""

from __future__ import annotations

import math
import secrets
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import trio

from scramble.actor import Actor, open_actor
from scramble.core import Command, Log, Rules
from scramble.crossword.lobby import Lobby
from scramble.crossword.lobbystate import Limits
from scramble.crossword.messages import (
    Disconnect,
    ExpireGrace,
    Follow,
    Look,
    Object,
    OpenSession,
    Say,
    SessionId,
    SessionView,
)
from scramble.crossword.puzzle import Puzzle, is_text
from scramble.journal import Journal, recorded
from scramble.nurseries import cancel, open_side_nursery
from scramble.stats import Stats

R = TypeVar("R")

GRACE_S = 30.0
"""How long a player may be missing from a match: time to walk out of a lift, and for the other player to wait."""

TOKEN_BYTES = 16  # of randomness; nobody guesses 128 bits

NOBODY_WAITS = math.inf


class Session:
    """One session of a lobby. Made by `OpenLobby.session`.

    One task may wait in `next_view` while another one uses `say`: what they get, they get in the order in which it
    happened, so that the one never shows what is past already for the other. Every method that is awaited is a
    checkpoint and raises

        SessionEnded  the player has logged out, or come back on another session, or this one's block was left
        GameClosed    the lobby was closed
        GameStopped   the lobby died of a bug, which surfaces where it was opened
    """

    # AF: the session `id` of the lobby behind _actor, of which the latest view handed out is `_view`.
    #     The owner answers in order, but trio may run a later answer's task first. So tasks tell each other what is
    #     coming, and wait in _order for what belongs before their own: _unanswered lines are with the owner; _answers
    #     are the numbers of answers that have come and were not handed out; _coming is that of the next view if it
    #     has come, 0 if a task waits for it, NOBODY_WAITS if none does.

    def __init__(self, actor: Actor, first: SessionView) -> None:
        self._actor: Final = actor
        self._view = first
        self._unanswered = 0
        self._answers: Final[list[int]] = []
        self._coming: float = NOBODY_WAITS
        self._order: Final = trio.lowlevel.ParkingLot()

    @property
    def id(self) -> SessionId:
        """Its number, which no other session of the lobby ever has."""
        return self._view.session

    @property
    def view(self) -> SessionView:
        """The latest view that was handed out; at first that of START. Asks nobody."""
        return self._view

    async def say(self, line: str) -> SessionView:
        """Have a command line carried out; what the session then shows. Does not wait for other players.

        A line that cannot be carried out is no exception: it is answered by a view whose `.error` says why, and
        nothing has changed. The view after an EXIT that ends the session is `.closed`. A player comes back to a match
        after a lost connection by saying the ID, a space, and the `.token` of the first view in CHOOSE. If cancelled,
        the line was not carried out, or it was and the answer is lost.
        """
        if not is_text(line):  # it cannot be written down in a journal, nor be any command
            return await self.object_to("That is not Unicode text.")
        return await self._ask(Say(self.id, line))

    async def object_to(self, reason: str) -> SessionView:
        """For front ends, to whom came what is no command line: what the session shows, with this `.error`."""
        return await self._ask(Object(self.id, reason))

    async def look(self) -> SessionView:
        """What the session shows now. Changes nothing, and does not wait for other players."""
        view = await self._actor.ask(Look(self.id))
        self._hand_out(view)
        return view

    async def next_view(self) -> SessionView:
        """What the session shows as soon as somebody else's doing has changed it since the view handed out last.

        Waits for that. It is the view of then: changes that nobody waited for are not handed out one by one. If
        cancelled, nothing has happened.

        Raises `trio.BusyResourceError` if another task waits here already.
        """
        if self._coming != NOBODY_WAITS:
            raise trio.BusyResourceError("another task waits for the next view of this session")
        try:
            while True:
                self._coming = 0
                view = await self._actor.ask(Follow(self.id, self._view.number))
                self._coming = view.number
                self._order.unpark_all()
                while self._unanswered or any(answer < view.number for answer in self._answers):
                    await self._order.park()
                if view.number > self._view.number:
                    self._hand_out(view)
                    return view
        finally:
            self._coming = NOBODY_WAITS
            self._order.unpark_all()

    async def _ask(self, command: Command[SessionView]) -> SessionView:
        self._unanswered += 1
        try:
            view = await self._actor.ask(command)
        finally:
            self._unanswered -= 1
            self._order.unpark_all()
        shown_before = view.number if view.error is not None else view.number - 1
        self._answers.append(view.number)
        try:
            while self._view.number < shown_before and self._coming <= view.number:
                await self._order.park()
        finally:
            self._answers.remove(view.number)
            self._hand_out(view)
        return view

    def _hand_out(self, view: SessionView) -> None:
        if view.number >= self._view.number:
            self._view = view
        self._order.unpark_all()

    def __str__(self) -> str:
        return f"session {self.id} of {self._view.player or 'nobody'}, {self._view.state}"


class OpenLobby:
    """A lobby that is open to sessions. Made by `open_lobby`."""

    # AF: the lobby behind _actor, in which the sessions of _lost, whose connections were lost, end at those times
    #     (unless their players have come back), soonest first.
    # RI: _lost is in order of time.

    def __init__(self, actor: Actor, grace: float) -> None:
        self._actor: Final = actor
        self._grace: Final = grace
        self._lost: Final[deque[tuple[float, SessionId]]] = deque()
        self._newly_lost: Final = trio.lowlevel.ParkingLot()

    @property
    def grace(self) -> float:
        """Seconds that a player who has lost the connection to a match has to come back."""
        return self._grace

    async def ask(self, command: Command[R]) -> R:
        """Send any command, and return its answer. Sessions send all those of `scramble.crossword.messages`."""
        return await self._actor.ask(command)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """A session for the length of a block: `async with lobby.session() as session`.

        Leaving the block, also by cancellation, is a lost connection. It takes effect without waiting, and before
        anything that anybody asks from then on: in PLAY the player may come back within the time of grace, or forfeits
        the match; in any other state the session ends, the ID is free, and a match that waits is withdrawn.

        Raises:
            LobbyFull: there are as many sessions as the lobby allows.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        session = Session(self._actor, await self._actor.ask(OpenSession(token)))
        try:
            yield session
        finally:
            self._lose(session)

    def _lose(self, session: Session) -> None:
        self._actor.tell(Disconnect(session.id, may_return=self._grace > 0))
        # Only the owner knows whether it is in PLAY by now. If not, the time of grace ends for nobody.
        if self._grace > 0 and not session.view.closed:
            self._give_grace(session.id)

    def _take_over(self, present: Sequence[SessionId], missing: Sequence[SessionId]) -> None:
        """Of a lobby that another process has left behind, the sessions that were connected then, and those missing."""
        for session in present:
            self._actor.tell(Disconnect(session, may_return=self._grace > 0))
        for session in (*missing, *present):
            if self._grace > 0:
                self._give_grace(session)
            else:
                self._actor.tell(ExpireGrace(session))

    def _give_grace(self, session: SessionId) -> None:
        self._lost.append((trio.current_time() + self._grace, session))
        self._newly_lost.unpark_all()

    async def _end_the_lost(self) -> None:
        """End each lost session when its time of grace is over. Runs until cancelled."""
        while True:
            while not self._lost:
                await self._newly_lost.park()
            deadline, session = self._lost.popleft()
            await trio.sleep_until(deadline)
            self._actor.tell(ExpireGrace(session))

    async def ping(self) -> None:
        """Wait until all that is queued now is carried out, and safe if there is a journal."""
        await self._actor.ping()

    def stats(self) -> Stats:
        """What the lobby's owner has counted so far. Asks nobody, and works when the lobby is over, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the lobby: all who wait get `GameClosed`. Leaving the block of `open_lobby` does the same."""
        await self._actor.aclose()


@asynccontextmanager
async def open_lobby(
    puzzles: Sequence[Puzzle],
    *,
    grace: float = GRACE_S,
    limits: Limits | None = None,
    journal: Journal | None = None,
) -> AsyncIterator[OpenLobby]:
    """Open a lobby in which matches can be played on these puzzles; they are listed in this order.

    A player who has lost the connection to a match has `grace` seconds to come back; 0 forfeits the match at once.
    `limits` is how many sessions and matches there may be. On leaving the block the lobby is closed, and whoever
    still waits gets `GameClosed`. An exception raised in the block leaves it as it is; a bug in the rules, or a disk
    that fails (`JournalFailed`), cancels the block and surfaces from it in an exception group.

    With a `journal` nobody is told anything that is not written down, and a lobby that is there already goes on instead
    of one with these puzzles and limits. All who were connected when it ended have lost the connection: so players in
    a match can come back, and have `grace` seconds from now, as have those who were missing already.

    Raises:
        PuzzleError: there is no puzzle, or two have the same ID.
        ValueError: `grace` is no number of seconds.
        JournalError: the journal cannot be used; it has not been changed.
    """
    _require_seconds(grace)
    async with recorded(Lobby(puzzles, limits), journal) as kept:
        present, missing = (kept.rules.present, kept.rules.missing) if kept.recovered else ((), ())
        async with open_rules(kept.seated, grace=grace, log=kept.log) as lobby:
            lobby._take_over(present, missing)
            yield lobby


@asynccontextmanager
async def open_rules(rules: Rules, *, grace: float, log: Log | None = None) -> AsyncIterator[OpenLobby]:
    """The same, for rules that understand a lobby's commands; nobody else may touch them from now on."""
    _require_seconds(grace)
    async with open_actor(rules, log=log) as actor:
        lobby = OpenLobby(actor, grace)
        async with open_side_nursery(cancel) as nursery:
            nursery.start_soon(lobby._end_the_lost)
            yield lobby


def _require_seconds(grace: float) -> None:
    if not 0 <= grace < math.inf:
        raise ValueError(f"the time of grace must be a number of seconds from 0 up, not {grace!r}")
