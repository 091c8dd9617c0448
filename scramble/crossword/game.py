"""Interface for embedding: play Crossword Extravaganza from any trio program.

    async with open_lobby([Puzzle.parse_from_file("boards/crossword/kitchen.puzzle")]) as lobby:
        async with lobby.session() as ann:
            view = await ann.say("ann")                          # CHOOSE
            view = await ann.say('NEW m1 kitchen "come and play"')   # WAIT
            view = await ann.next_view()                         # PLAY, as soon as a second player joins

A session is one connection. It begins in START, and accepts the command lines of a player. It answers each line with a
view of everything that the player may see. The end of a session's block means that the connection is lost.

Any number of tasks may share one `Game` and open sessions. This is safe because all sessions and matches belong to one
owner task (see `scramble.kernel.actor`), and all methods here send commands to it. Each change of the state outside
that task (the returned views of a session, and the running timers) is complete before the next await.

The rules have no clock. The timers are started here; `scramble.crossword.expiry` handles expired timers.
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
"""Time for which a player may be missing from a match. A phone that has no network in a lift is back in this time, and
the other player still accepts the wait."""

IDLE_S = 1800.0
"""Time for which a session outside a match may do nothing: longer than a school lesson, shorter than a night."""

MATCH_IDLE_S = 7200.0
"""Time for which a match may have no move. Players need less time to think about a word."""

SESSION_TOKEN_BYTES = 16  # of randomness; 128 bits cannot be guessed

NOBODY_WAITS = math.inf


class Session:
    """One session of a lobby. Made by `Game.session`.

    One task may wait in `next_view` while another task uses `say`. They get views in the order of the changes, so no
    task gets a view older than a view that the other task already has. Every asynchronous method is a checkpoint and
    raises

        SessionEnded  the player has logged out, come back on another session, or done nothing for too long, or the
                      block of this session has ended
        GameClosed    the lobby was closed
        GameStopped   the lobby stopped because of a bug; `open_lobby` raises the bug
    """

    # AF: the session `id` of the lobby behind _actor; its latest returned view is `_view`.
    #     The owner answers in order, but trio may run the task of a later answer first. So the tasks share the numbers
    #     of received views, and wait in _order for earlier views. _unanswered is the number of lines without an answer
    #     of the owner. _answers has the numbers of received answers that are not returned yet. _coming is the number of
    #     the received next view; 0 while a task waits for this view; NOBODY_WAITS if no task waits. A timer of _clocks
    #     runs for the session until _left. If this object has asked the owner to end the session, _idle is the reason;
    #     otherwise _idle is None.

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
        """Number of the session, unique in the lobby for all time."""
        return self._view.session

    @property
    def is_of_one_match(self) -> bool:
        """True if the lobby has one match, and no choice. Does not wait."""
        return self._one_match

    @property
    def view(self) -> SessionView:
        """Latest returned view; at first the view of START. Does not wait."""
        return self._view

    async def say(self, line: str) -> SessionView:
        """Carry out a command line, and return the session's view after it. Does not wait for other players.

        A refused line raises no exception and changes nothing: the answer is a view with the reason in `.error`. The
        view after an EXIT that ends the session has `.closed` set. After a lost connection, a player comes back to a
        match with this line: the ID, a space, and the `.token` of the first view in CHOOSE. After cancellation, the
        owner may or may not have carried out the line.
        """
        if not is_text(line):  # not a command, and a journal cannot store this line
            return await self.object_to("That is not Unicode text.")
        self._begin_to_wait()
        return await self._ask(Say(self.id, line, self._clocks.now()))

    async def enter(self, player: str) -> SessionView:
        """Begin to play as `player` in a lobby of one match; return the view of WAIT, PLAY or SHOW SCORE.

        For callers that identify the player without a token. If the player already has a session, this session replaces
        it. After cancellation, the owner may or may not have carried out the command.

        Raises:
            MatchFull, MatchOver: the match has its two players, or is over; nothing has changed.
            InvalidCommand: the ID is invalid, or the lobby has many matches.
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
        """Wait until another player or a timer has changed the view; return the current view.

        Several changes since the last returned view make only one new view. Cancellation has no effect on the session.

        Raises `trio.BusyResourceError` if another task already waits here.
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
        """Restart the timer of the current state after a line of the player, or a change of state."""
        if self._left:
            return
        if self._view.state != "PLAY":
            self._clocks.stalled.stop(self)
            self._clocks.idle.start(self)
        elif self._clocks.stalled.left_s(self) is None:
            self._clocks.idle.stop(self)
            self._clocks.stalled.start(self)

    def _leave(self) -> None:
        """Stop the timers at the end of the block."""
        self._left = True
        self._clocks.idle.stop(self)
        self._clocks.stalled.stop(self)

    async def _ask_owner(self, command: Command[SessionView]) -> SessionView:
        try:
            view = await self._actor.ask(command)
            if self._one_match and view.state == "PLAY" != self._view.state:
                self._clocks.lost.restart()  # from now on, a player waits for the other player
            return self._timed(view)
        except DiskFull as full:
            return self._view.refusing(full)
        except SessionEnded as ended:
            # The lobby has forgotten the session, and does not know the reason of its end.
            if ended.why == "lost" and self._idle is not None and self._view.state != "PLAY":
                raise self._idle from ended
            raise

    def _end_idle(self) -> None:
        """End the session, because the player has done nothing for too long."""
        seconds = self._clocks.idle.seconds
        self._idle = SessionEnded("idle", phrases.idle(seconds))
        self._actor.tell(EndIdle(self.id, seconds))
        self._clocks.idle.start(self)  # a timer must run, because EndIdle has no effect in PLAY

    def _timed(self, view: SessionView) -> SessionView:
        return self._clocks.timed(view)

    def __str__(self) -> str:
        return f"session {self.id} of {self._view.player or 'nobody'}, {self._view.state}"


class Game:
    """A lobby that is open to sessions. Made by `open_lobby`."""

    # AF: the lobby behind _actor. Sessions and matches end when their timers of _clocks expire without a change in the
    #     meantime. _salt is mixed into the hashes of addresses, so that a journal does not reveal the addresses.
    # RI: a timer of _clocks.lost runs for every missing session. A timer of _clocks.idle or _clocks.stalled runs for
    #     every session in its block. No other timers run.

    def __init__(self, actor: Owner, beside: SideTasks, clocks: Clocks[Session], *, one_match: bool = False) -> None:
        self._beside: Final = beside
        self._actor: Final = actor
        self._clocks: Final = clocks
        self._one_match: Final = one_match
        self._salt: Final = secrets.token_bytes(SESSION_TOKEN_BYTES)

    @property
    def grace(self) -> float:
        """Time, in seconds, for a player to come back after losing the connection to a match."""
        return self._clocks.lost.seconds

    async def ask(self, command: Command[R]) -> R:
        """Send any command, and return its answer. Sessions send the commands of `scramble.crossword.messages`."""
        return await self._actor.ask(command)

    @asynccontextmanager
    async def session(
        self, *, quota: Quota | None = None, returning: tuple[str, str] | None = None
    ) -> AsyncIterator[Session]:
        """Open a session during a block: `async with lobby.session() as session`.

        `quota` has the address of the client, and the limits of this address; None: no limits. In a full lobby a
        session can be opened only with `returning`, the ID and the token of a player. It replaces the player's session.

        The end of the block, also by cancellation, means that the connection is lost. This takes effect without
        waiting, and before every later command. In PLAY the player may come back within the time of grace, or forfeits
        the match. In any other state the session ends, the ID is free, and a waiting match is withdrawn.

        Raises:
            LobbyFull: the lobby or the quota has its limit of sessions; or no session has the ID and the token of
                `returning`; or the disk is full.
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
        """Wait for a public view of the one match with a number above `since`; return it.

        The view has everything that both players see, but no session, player or token. Its number is valid only for
        this object. Raises InvalidCommand in a lobby of many matches.
        """
        return self._clocks.timed(await self._actor.ask(Spectate(since)))

    async def finished(self) -> Result:
        """Wait until the one match is over; return its result. Raises InvalidCommand in a lobby of many matches."""
        return await self._actor.ask(AwaitResult())

    def _lose(self, session: Session) -> None:
        session._leave()
        self._actor.tell(Disconnect(session.id, self.grace > 0, left=True, at=self._clocks.now()))
        # Only the owner knows whether the session is in PLAY now. If not, the end of the time of grace has no effect.
        if not session.view.closed:
            self._clocks.leave(session.id)

    async def ping(self) -> None:
        """Wait until all queued commands are carried out and, with a journal, stored."""
        await self._actor.ping()

    @property
    def owner(self) -> Owner:
        """The owner of the lobby's state."""
        return self._actor

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return a context manager for another process that joins this lobby. It yields the receiver of requests.

        The end of the block means that the connections of all sessions of the other process are lost.
        """
        return relayed(cast(Posting, self._actor), self._clocks, one_match=self._one_match)

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task until the end of the `open_lobby` block, which cancels it. Does not wait.

        Does nothing after the block. An exception in the task ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the statistics of the lobby's owner. Does not wait. Works after the end of the lobby, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the lobby: all waiting tasks get `GameClosed`. The end of the `open_lobby` block does the same."""
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
    """Open a lobby for matches on these puzzles; it lists them in this order.

    A player who has lost the connection to a match has `grace` seconds to come back; 0 forfeits the match at once. A
    session outside a match ends if its player does nothing for `idle` seconds. A match ends with its current points if
    no player moves for `match_idle` seconds. For `idle` and `match_idle`, 0 means never. `limits` are the largest
    numbers of sessions and matches.

    With `one_match` the lobby has only one match: the first player waits, and the match begins with the second player.
    While both players are missing, no time of grace passes. The times begin again when one player is back. With
    `one_match` and `alone`, the first player plays alone, against a clock that stops while the player is missing.

    The end of the block closes the lobby; all waiting tasks get `GameClosed`. An exception raised in the block is
    raised unchanged. A bug in the rules or a disk error (`JournalFailed`) cancels the block and is raised from it in an
    exception group.

    With a `journal`, each command is stored before it is answered. If the journal already has a lobby, that lobby
    continues, and these puzzles and limits are not used. All connections of its last process are lost: players in a
    match, and players who were already missing, have `grace` seconds from now to come back.

    Raises:
        PuzzleError: `puzzles` is empty, two puzzles have the same ID, or one match has several puzzles.
        ValueError: a time is not a number of seconds, or `alone` is set without `one_match`.
        JournalError: the journal is unusable; it has not been changed.
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
    """Open a lobby like `open_lobby`, with rules that accept a lobby's commands.

    From now on no other code may use the rules.
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
    """Join, during a block, a lobby that runs in another process. `owner` is the remote owner of the lobby's state.

    The times must equal the times of `open_lobby` in that process. Only that process measures the time of grace. The
    end of the block does not close the lobby.
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
