"""Interface for embedding: play Crossword Extravaganza from any trio program.

    async with open_lobby([Puzzle.parse_from_file("boards/crossword/kitchen.puzzle")]) as lobby:
        async with lobby.session() as ann:
            view = await ann.say("ann")                          # CHOOSE
            view = await ann.say('NEW m1 kitchen "come and play"')   # WAIT
            view = await ann.next_view()                         # PLAY, as soon as somebody joins

A session stands for a connection: it begins in START, takes the command lines that a player would type, and answers
each with a view of everything that the player may see. Leaving the block of a session means that the connection is
lost.

Any number of tasks may share one `Game` and open sessions. Safe because all sessions and matches belong to one
owner task (see `scramble.kernel.actor`), and everything here is a command to it. The state outside of it (the views
that a session has returned, and the running timers) changes only between two awaits.

The rules have no clock. The timers are started here, and `scramble.crossword.expiry` says what happens as they expire.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import Final, TypeVar, cast

import msgspec
import trio

from scramble.crossword import phrases
from scramble.crossword.expiry import end_stalled_matches, end_the_idle, end_the_lost, take_over
from scramble.crossword.limits import LobbyLimits
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import (
    AwaitResult,
    Disconnect,
    EndIdle,
    Enter,
    Follow,
    LobbyFull,
    Look,
    Object,
    OpenSession,
    Quota,
    Result,
    ReturnSession,
    Say,
    SessionEnded,
    SessionId,
    SessionView,
    Spectate,
)
from scramble.crossword.puzzle import Puzzle, is_text
from scramble.crossword.relay import relayed
from scramble.crossword.session_timers import Clocks, RemoteClocks
from scramble.errors import DiskFull
from scramble.journal import Recorder, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import SideTasks
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command, CommandLog, Recordable
from scramble.kernel.stats import Stats
from scramble.players.seats import Seated

R = TypeVar("R")

MATCH_GRACE_S = 30.0
"""Time for which a player may be missing from a match: enough to leave a lift, and short enough for the other player
to wait."""

IDLE_S = 1800.0
"""Time for which a session outside a match may do nothing: longer than a lesson, shorter than a night."""

MATCH_IDLE_S = 7200.0
"""Time for which a match may go on without a move: longer than anybody thinks about a word."""

SESSION_TOKEN_BYTES = 16  # of randomness; 128 bits cannot be guessed

NOBODY_WAITS = math.inf


class Session:
    """One session of a lobby. Made by `Game.session`.

    One task may wait in `next_view` while another one uses `say`: they get views in the order in which these came
    about, so that neither gets a view that is already outdated for the other. Every method that is awaited is a
    checkpoint and raises

        SessionEnded  the player has logged out, come back on another session, or done nothing for too long, or the
                      block of this session was left
        GameClosed    the lobby was closed
        GameStopped   the lobby stopped because of a bug, which surfaces where it was opened
    """

    # AF: the session `id` of the lobby behind _actor, whose latest returned view is `_view`.
    #     The owner answers in order, but trio may run a later answer's task first. So tasks share what is coming, and
    #     wait in _order for the views before their own: _unanswered lines are with the owner; _answers has the numbers
    #     of answers that have come and were not returned; _coming is that of the next view if it has come, 0 if a task
    #     waits for it, NOBODY_WAITS otherwise. A timer of _clocks runs for the session until _left. _idle is the reason
    #     with which this object has asked the owner to end the session, None otherwise.

    def __init__(self, actor: Owner, first: SessionView, clocks: Clocks[Session], one_match: bool) -> None:
        self._actor: Final = actor
        self._clocks: Final = clocks
        self._one_match: Final = one_match
        self._view = self._timed(first)
        self._unanswered = 0
        self._answers: Final[list[int]] = []
        self._coming: float = NOBODY_WAITS
        self._left = False
        self._idle: SessionEnded | None = None
        self._order: Final = trio.lowlevel.ParkingLot()

    @property
    def id(self) -> SessionId:
        """Number of the session, which no other session of the lobby ever has."""
        return self._view.session

    @property
    def is_of_one_match(self) -> bool:
        """Whether the lobby has one match, and no choice. Asks nobody."""
        return self._one_match

    @property
    def view(self) -> SessionView:
        """Latest view that was returned; at first that of START. Asks nobody."""
        return self._view

    async def say(self, line: str) -> SessionView:
        """Carry out a command line, and return the session's view after it. Does not wait for other players.

        A line that cannot be carried out raises no exception: the answer is a view whose `.error` is the reason, and
        nothing has changed. The view after an EXIT that ends the session is `.closed`. A player comes back to a match
        after a lost connection by saying the ID, a space, and the `.token` of the first view in CHOOSE. If cancelled,
        the line was not carried out, or it was and the answer is lost.
        """
        if not is_text(line):  # a journal cannot hold it, and it cannot be any command
            return await self.object_to("That is not Unicode text.")
        self._begin_to_wait()
        return await self._ask(Say(self.id, line, self._clocks.now()))

    async def enter(self, player: str) -> SessionView:
        """Begin to play as `player` in a lobby of one match, and return the view of WAIT or PLAY, or of its score.

        For a caller that knows the player without a token: this session takes the place of the one that the player
        has. If cancelled, nothing was done, or it was and the answer is lost.

        Raises:
            MatchFull, MatchOver: the match has its two players, or is over; nothing has changed.
            InvalidCommand: nobody can have that ID, or it is a lobby of many matches.
        """
        self._begin_to_wait()
        return await self._ask(Enter(self.id, player, self._clocks.now()))

    async def object_to(self, reason: str) -> SessionView:
        """Return the session's view with this `.error`: for front ends that received an invalid line."""
        return await self._ask(Object(self.id, reason))

    async def look(self) -> SessionView:
        """Return the session's current view. Changes nothing, and does not wait for other players."""
        view = await self._ask_owner(Look(self.id))
        self._hand_out(view)
        return view

    async def next_view(self) -> SessionView:
        """Wait until another player or a timer has changed the view returned last, and return the new one.

        It is the view of that moment: changes for which nobody waited are not returned one by one. If cancelled,
        nothing has happened.

        Raises `trio.BusyResourceError` if another task waits here already.
        """
        if self._coming != NOBODY_WAITS:
            raise trio.BusyResourceError("another task waits for the next view of this session")
        try:
            while True:
                self._coming = 0
                view = await self._ask_owner(Follow(self.id, self._view.number))
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
            view = await self._ask_owner(command)
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
        before = self._view
        if view.number >= before.number:
            self._view = view
            if before.state != view.state:
                self._begin_to_wait()
            elif view.state == "PLAY" and self._clocks.has_moved(before, view) and not self._left:
                self._clocks.stalled.start(self)
        self._order.unpark_all()

    def _begin_to_wait(self) -> None:
        """Restart the timer of the current state: the player has done something, or has changed state."""
        if self._left:
            return
        if self._view.state != "PLAY":
            self._clocks.stalled.stop(self)
            self._clocks.idle.start(self)
        elif self._clocks.stalled.left_s(self) is None:
            self._clocks.idle.stop(self)
            self._clocks.stalled.start(self)

    def _leave(self) -> None:
        """Stop the timers: the block is left."""
        self._left = True
        self._clocks.idle.stop(self)
        self._clocks.stalled.stop(self)

    async def _ask_owner(self, command: Command[SessionView]) -> SessionView:
        try:
            view = await self._actor.ask(command)
            if self._one_match and view.state == "PLAY" != self._view.state:
                self._clocks.lost.restart()  # from now on somebody waits for the other player
            return self._timed(view)
        except DiskFull as full:
            return self._view.refusing(full)
        except SessionEnded as ended:
            # The lobby has forgotten the session, and cannot say why it has ended.
            if ended.why == "lost" and self._idle is not None and self._view.state != "PLAY":
                raise self._idle from ended
            raise

    def _end_idle(self) -> None:
        """End the session, because the player has done nothing for too long."""
        seconds = self._clocks.idle.seconds
        self._idle = SessionEnded("idle", phrases.idle(seconds))
        self._actor.tell(EndIdle(self.id, seconds))
        self._clocks.idle.start(self)  # in case it is in PLAY by now

    def _timed(self, view: SessionView) -> SessionView:
        return self._clocks.timed(view)

    def __str__(self) -> str:
        return f"session {self.id} of {self._view.player or 'nobody'}, {self._view.state}"


class Game:
    """A lobby that is open to sessions. Made by `open_lobby`."""

    # AF: the lobby behind _actor, in which sessions and matches end when their timers of _clocks expire (unless
    #     something has happened meanwhile). _salt is mixed into the hashes of addresses, so that a journal does not
    #     reveal them.
    # RI: a timer of _clocks.lost runs for every missing session, and one of the others for every session whose block
    #     has not been left, and for no other session.

    def __init__(self, actor: Owner, beside: SideTasks, clocks: Clocks[Session], *, one_match: bool = False) -> None:
        self._beside: Final = beside
        self._actor: Final = actor
        self._clocks: Final = clocks
        self._one_match: Final = one_match
        self._salt: Final = secrets.token_bytes(SESSION_TOKEN_BYTES)

    @property
    def grace(self) -> float:
        """Time to come back, in seconds, for a player who has lost the connection to a match."""
        return self._clocks.lost.seconds

    async def ask(self, command: Command[R]) -> R:
        """Send any command, and return its answer. Sessions send those of `scramble.crossword.messages`."""
        return await self._actor.ask(command)

    @asynccontextmanager
    async def session(
        self, *, quota: Quota | None = None, returning: tuple[str, str] | None = None
    ) -> AsyncIterator[Session]:
        """Open a session for the length of a block: `async with lobby.session() as session`.

        `quota` has the address that it comes from, and the limits of that address; without it there are none. In a full
        lobby a session can be opened only by `returning` with the ID and the token of a player, whose place it takes.

        Leaving the block, also by cancellation, means that the connection is lost. It takes effect without waiting, and
        before every later command: in PLAY the player may come back within the time of grace, or forfeits the match;
        in any other state the session ends, the ID is free, and a match that waits is withdrawn.

        Raises:
            LobbyFull: there are as many sessions as the lobby allows, in all or for the quota; or no session has that
                ID and that token; or the disk is full.
        """
        token = secrets.token_urlsafe(SESSION_TOKEN_BYTES)
        quota = quota or Quota()
        if quota.account:
            account = hashlib.blake2b(quota.account.encode(), key=self._salt, digest_size=8).hexdigest()
            quota = msgspec.structs.replace(quota, account=account)
        opening = OpenSession(token, quota) if returning is None else ReturnSession(token, *returning, quota)
        try:
            session = Session(self._actor, await self._actor.ask(opening), self._clocks, self._one_match)
        except DiskFull as full:
            raise LobbyFull(str(full)) from full
        session._begin_to_wait()
        try:
            yield session
        finally:
            self._lose(session)

    async def spectate(self, since: int = -1) -> SessionView:
        """Wait for a view of the one match, as everybody may see it, whose number is above `since`; return it.

        It has everything that both players see, and no session, player or token. The numbers are those of this object.
        Raises InvalidCommand in a lobby of many matches.
        """
        return self._clocks.timed(await self._actor.ask(Spectate(since)))

    async def finished(self) -> Result:
        """Wait until the one match is over, and return its result. Raises InvalidCommand in a lobby of many matches."""
        return await self._actor.ask(AwaitResult())

    def _lose(self, session: Session) -> None:
        session._leave()
        self._actor.tell(Disconnect(session.id, self.grace > 0, left=True, at=self._clocks.now()))
        # Only the owner knows whether it is in PLAY by now. If not, the end of the time of grace has no effect.
        if not session.view.closed:
            self._clocks.leave(session.id)

    async def ping(self) -> None:
        """Wait until all queued commands are carried out, and stored if there is a journal."""
        await self._actor.ping()

    @property
    def owner(self) -> Owner:
        """The owner of the lobby's state."""
        return self._actor

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return what takes the requests of another process, for as long as that is in the lobby, which runs here.

        At its end all sessions of that process are lost.
        """
        return relayed(cast(Posting, self._actor), self._clocks, one_match=self._one_match)

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the game, until the block of `open_lobby` is left; then this does nothing. Does not wait.

        A bug in it ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the counters of the lobby's owner. Asks nobody, and works after the end of the lobby, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the lobby: all waiting tasks get `GameClosed`. Leaving the block of `open_lobby` does the same."""
        await self._actor.aclose()


@asynccontextmanager
async def open_lobby(
    puzzles: Sequence[Puzzle],
    *,
    grace: float = MATCH_GRACE_S,
    idle: float = IDLE_S,
    match_idle: float = MATCH_IDLE_S,
    limits: LobbyLimits | None = None,
    journal: Recorder | None = None,
    one_match: bool = False,
    alone: bool = False,
) -> AsyncIterator[Game]:
    """Open a lobby in which matches can be played on these puzzles; they are listed in this order.

    A player who has lost the connection to a match has `grace` seconds to come back; 0 forfeits the match at once. A
    session outside a match ends when its player does nothing for `idle` seconds, and a match when nobody moves for
    `match_idle` seconds, with the points as they stand; 0 means never. `limits` are the largest numbers of sessions and
    matches. With `one_match` there is nothing to choose: the first player waits, the second one begins the only match;
    and while both are missing the time of grace of neither passes: it begins anew once one of them is back. With
    `alone`, too, the first player plays it alone, against a clock that stands still while the player is missing.

    On leaving the block the lobby is closed, and all waiting tasks get `GameClosed`. An exception raised in the block
    is raised unchanged; a bug in the rules, or a disk that fails (`JournalFailed`), cancels the block and is raised
    from it in an exception group.

    With a `journal` nothing is answered before it is stored, and a lobby that is already in the journal continues
    instead of one with these puzzles and limits. All connections of its last process are lost: so players in a match
    can come back, and have `grace` seconds from now, like those who were missing already.

    Raises:
        PuzzleError: there is no puzzle, two have the same ID, or there are several for one match.
        ValueError: one of the times is not a number of seconds, or there are many matches to play `alone`.
        JournalError: the journal cannot be used; it has not been changed.
    """
    _require_seconds(grace, idle, match_idle)
    async with recorded(Seated(Lobby(puzzles, limits, one_match=one_match, alone=alone)), journal) as kept:
        lobby_rules = kept.rules.game
        present, missing = (lobby_rules.present, lobby_rules.missing) if kept.recovered else ((), ())
        times = {"grace": grace, "idle": idle, "match_idle": match_idle}
        one_match, alone = lobby_rules.is_of_one_match, lobby_rules.is_alone
        opened = open_rules(kept.rules, **times, log=kept.log, one_match=one_match, alone=alone)
        async with opened as lobby:
            take_over(lobby.owner, lobby._clocks, present, missing)
            yield lobby


@asynccontextmanager
async def open_rules(
    rules: Recordable,
    *,
    grace: float,
    idle: float = IDLE_S,
    match_idle: float = MATCH_IDLE_S,
    log: CommandLog | None = None,
    one_match: bool = False,
    alone: bool = False,
) -> AsyncIterator[Game]:
    """Open a lobby as `open_lobby` does, with rules that take a lobby's commands.

    No other code may use the rules from now on.
    """
    _require_seconds(grace, idle, match_idle)
    async with open_actor(rules, log=log) as actor, SideTasks() as beside:
        clocks = Clocks[Session](grace, idle, match_idle, alone=alone)
        beside.start_soon(partial(end_the_lost, actor, clocks, one_match=one_match))
        beside.start_soon(partial(end_the_idle, clocks, Session._end_idle))
        beside.start_soon(partial(end_stalled_matches, actor, clocks))
        yield Game(actor, beside, clocks, one_match=one_match)


@asynccontextmanager
async def join_lobby(
    owner: Owner, *, grace: float, match_idle: float = MATCH_IDLE_S, one_match: bool = False
) -> AsyncIterator[Game]:
    """Join a lobby that runs in another process, whose `owner` this is, for the length of a block.

    The times are those with which it was opened there; the time of grace passes only there. Leaving the block closes
    nothing.
    """
    _require_seconds(grace, match_idle)
    clocks = RemoteClocks[Session](grace, 0, match_idle)
    async with SideTasks() as beside:
        beside.start_soon(partial(end_stalled_matches, owner, clocks))
        yield Game(owner, beside, clocks, one_match=one_match)


def _require_seconds(*times: float) -> None:
    for time in times:
        if not 0 <= time < math.inf:
            raise ValueError(f"a time (grace, idle, match_idle) must be a number of seconds from 0 up, not {time!r}")
