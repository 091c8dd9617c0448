"""The owner task: one trio task that exclusively owns the rules of a game and answers all requests.

    async with open_actor(rules) as actor:
        answer = await actor.ask(command)

`ask` puts the command and a one-shot reply channel into the mailbox and waits for the reply. The owner
takes commands out of the mailbox one after another, lets the rules `apply` each of them, and sends the
replies that follow: to this caller, to other callers that were waiting, or to none yet. A request without
an answer is *parked*: it costs a dictionary entry, and no scheduling, until the rules name its ticket.

Safe under concurrency: only the owner task reaches `rules`, and `Rules.apply` is a plain function without an
await, so every command is atomic and no lock is needed anywhere. Everything that callers share with the owner
(the mailbox, a reply's state, the queues of withdrawn tickets and urgent commands) changes only between two
awaits of a single-threaded scheduler.

ARCHITECTURE.md has the eight promises that the owner keeps; tests/unit/kernel proves each under its number.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Final, TypeAlias, TypeVar, cast, overload

import outcome
import trio

from scramble.errors import CallerError, GameClosed, GameMoved, GameStopped, InvalidCommand, JournalFailed
from scramble.kernel.changes import Changes, History
from scramble.kernel.holding import Effect, commit
from scramble.kernel.nursery import open_side_nursery
from scramble.kernel.protocol import (
    Answered,
    Change,
    Command,
    CommandLog,
    Event,
    Outcome,
    Ping,
    Query,
    Recordable,
    Refused,
    Rules,
    Settable,
    Ticket,
    Withdraw,
)
from scramble.kernel.reply import ABANDONED, ANSWERED, DECIDED, QUEUED, TAKEN, Given, Post, Reply
from scramble.kernel.stats import CommandCounts, Stats
from scramble.logs import LastLogEntry, LogEntry

R = TypeVar("R")

MAILBOX_SIZE = 256
"""Commands that may queue before callers have to wait: several batches, so that the owner always has work."""

BATCH_SIZE = 64
"""Commands applied before others get a turn: these spread the cost of a task switch, and take few microseconds each."""

LOGGED_BATCH_SIZE = 512
"""Commands in a batch with a log: a commit takes as long as a hundred commands or more, and lets other tasks run."""

logger = logging.getLogger(__name__)

_Stop: TypeAlias = tuple[type[GameStopped], str, BaseException | None]
"""The class of the errors after the end of a game, its reason in words, and its cause."""


class Actor:
    """Handle to an owner task; any number of tasks may share it. Made by `open_actor`."""

    # AF: the game whose state is _rules, owing an answer to every reply in _parked. The commands in _inbox are still
    #     to be applied, but before them a Withdraw of each request in _withdrawn and then the commands in _urgent. The
    #     public version is _version, and _history has all published changes. The effects of the commands since the
    #     last commit to _log are in _outbox, in order, and not yet visible to anybody; without a log, only whom to
    #     notify of being parked. _counts counts all of this, and _unwritten the commands that the next commit writes.
    #     While there is a _begin, the owner task is still to be started, and there is no mailbox.
    # RI: every reply in _parked is TAKEN and stored under its ticket, which is not in _withdrawn; a reply in _outbox
    #     that has an answer is DECIDED; _stopped is None until the owner ends.
    # Safety from exposure: no method returns _rules; answers and changes are immutable messages.

    def __init__(self, rules: Rules, mailbox_size: int, log: CommandLog | None) -> None:
        self._rules: Final = rules
        self._log: Final = log
        self._mailbox_size: Final = mailbox_size
        self._mailbox: trio.MemorySendChannel[Reply[object] | None]
        self._inbox: trio.MemoryReceiveChannel[Reply[object] | None]
        self._tickets = cast(Iterator[Ticket], itertools.count(0 if log is None else log.first_ticket))
        self._parked: dict[Ticket, Reply[object]] = {}
        self._withdrawn: list[Ticket] = []
        self._urgent: list[tuple[Ticket, Command[object]]] = []
        self._outbox: list[Effect] = []
        self._history: Final = History()
        self._version = rules.version
        self._counts: Final = CommandCounts()
        self._unwritten = 0
        self._stopped: _Stop | None = None
        self._done: trio.Event | None = None  # if somebody waits for the end
        self._begin: Callable[[], object] | None = None  # starts the owner task, which waits for the first request

    # --- for callers ---

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Carry out `command` and return its answer.

        Waits while the mailbox is full, and then until the rules answer, which for some commands depends on
        other players, and with a log until the command is logged. If cancelled before the owner took the
        command, nothing has happened; if cancelled while parked, the request is withdrawn and can no longer be
        granted; if cancelled after the answer was decided, it still returns the answer. Always a checkpoint.

        `parked` is set once the owner has taken the command without answering it: from then on the answer depends
        on other commands. It is not set for a command that is answered at once or never taken.

        Raises:
            CallerError: the command was refused (the documentation of the command says what that changes).
            GameClosed: the game was closed before it answered.
            GameStopped: the owner died of a bug, now or earlier; the bug itself surfaces where the game was opened.
        """
        return await self._request(Reply(next(self._tickets), command, parked))

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Carry out `command` like `ask`; return its answer and the changes after it.

        The changes begin exactly where the answer ends: a snapshot and the changes that come with it have neither
        a gap nor an overlap. Waits, raises and is cancelled like `ask`; `parked` is as there.
        """
        changes = self.subscribe()  # the owner moves it to the position of the answer
        return await self._request(Reply(next(self._tickets), command, parked, changes)), changes

    async def _request(self, reply: Reply[R]) -> R:
        envelope = cast("Reply[object]", reply)  # in quotes, so that the type is not made for each command
        began = trio.current_time()
        if self._begin is not None:
            self._begin()
        try:
            self._mailbox.send_nowait(envelope)
        except trio.WouldBlock:
            try:
                await self._mailbox.send(envelope)
            except (trio.ClosedResourceError, trio.BrokenResourceError):
                raise self._stop_error() from None
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            await trio.lowlevel.checkpoint()
            raise self._stop_error() from None
        try:
            return await reply.receive(self._abandon)
        finally:
            if reply.state is ANSWERED and not reply.was_parked and not isinstance(reply.command, Query):
                self._counts.moves.observe(trio.current_time() - began)

    def tell(self, command: Command[object]) -> None:
        """Carry out `command` ahead of all queued commands, without an answer: for a caller that is leaving.

        Does not wait and is no checkpoint, so it works in a task that is being cancelled, where `ask` would need a
        shield. The answer is discarded; a closed game ignores the command. There is no back-pressure, so use it only
        for a command that follows at most once from an earlier request.
        """
        if self._stopped is None:
            reply = Reply(next(self._tickets), command)
            reply.state = TAKEN
            self._parked[reply.ticket] = reply
            self._urgent.append((reply.ticket, command))
            self._wake_up()

    def request(
        self,
        command: Command[object],
        deliver: Callable[[outcome.Outcome[object], int], None],
        parked: Settable | None = None,
    ) -> Post:
        """Return a request for `post`, of a caller that is no task here: whoever carries requests of others.

        `deliver` gets what `ask` would return or raise, and the number of the next change after it.
        """
        return Post(next(self._tickets), command, parked, self._history, deliver)

    def post_nowait(self, request: Post) -> None:
        """Put a request into the mailbox. Raises trio.WouldBlock if that is full; GameStopped like `ask`."""
        if self._begin is not None:
            self._begin()
        try:
            self._mailbox.send_nowait(request)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            raise self._stop_error() from None

    async def post(self, request: Post) -> None:
        """Put a request into the mailbox. Waits while that is full. Raises GameStopped like `ask`."""
        if self._begin is not None:
            self._begin()
        try:
            await self._mailbox.send(request)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            raise self._stop_error() from None

    def withdraw(self, request: Post) -> bool:
        """Withdraw a request, as cancelling `ask` does; return False if its answer is decided: it comes, or has come.

        Does not wait. A request that waits for room in the mailbox, or never gets there, is withdrawn as well.
        """
        if request.state in (QUEUED, TAKEN):
            self._abandon(request)
        return request.state is ABANDONED

    def subscribe(self) -> Changes:
        """Follow the changes from this moment on. Does not wait; nothing needs to be closed."""
        return Changes(self._history)

    async def ping(self) -> None:
        """Wait until the owner has carried out, and logged, all commands that are queued now. Changes nothing.

        Raises GameClosed or GameStopped like `ask`. Set a time limit to find out whether the owner still answers.
        """
        await self.ask(Ping())

    def stats(self) -> Stats:
        """Return the statistics of the owner. Does not wait for the owner, so it works if it hangs or has ended, too.

        Takes time in proportion to the number of parked requests.
        """
        return self._counts.stats(
            parked=(reply.command for reply in self._parked.values()),
            queued=0 if self._begin is not None else self._inbox.statistics().current_buffer_used,
            followers=self._history.followers,
            missed=self._history.missed,
            version=self._version,
            stopped=None if self._stopped is None else self._stopped[1],
        )

    async def aclose(self) -> None:
        """Close the game: queued commands are still carried out, then all parked requests get `GameClosed`.

        Waits until the owner has ended. May be called again. If cancelled, the game still closes.
        """
        self._close()
        if self._stopped is None:
            self._done = self._done or trio.Event()
            await self._done.wait()
        else:
            await trio.lowlevel.checkpoint()

    def _close(self) -> None:
        if self._begin is not None:
            self._begin()  # it ends at once, and tells all who follow
        self._mailbox.close()

    # --- for the owner task ---

    async def _run(self) -> None:
        """Apply commands until the mailbox is closed."""
        error: type[GameStopped] = GameClosed
        reason, cause = "the game was closed", cast(BaseException | None, None)
        batch_size = BATCH_SIZE if self._log is None else LOGGED_BATCH_SIZE
        try:
            async for reply in self._inbox:
                self._apply_urgent()
                self._take(reply)
                size = 1
                while size < batch_size:
                    try:
                        reply = self._inbox.receive_nowait()
                    except (trio.WouldBlock, trio.EndOfChannel):
                        break
                    self._take(reply)
                    size += 1
                reply = None  # or it would be kept until the next one comes, with the task of its caller
                self._counts.batches.observe(size)
                if self._log is not None:
                    await self._commit(self._log)
                self._release()
            if self._log is not None:
                self._log.finish()
        except JournalFailed as failure:
            error, reason, cause = failure.stops, f"the game stopped: {failure}", failure
            raise
        except Exception as bug:
            error, reason, cause = GameStopped, f"the game stopped because of a bug: {bug!r}", bug
            if self._log is None:
                self._release()  # the commands before the bug stand
            raise
        finally:
            self._stop(error, reason, cause)

    def _take(self, reply: Reply[object] | None) -> None:
        if reply is None or reply.state is ABANDONED:
            return  # a wake-up; or cancelled before the owner took it: it never happened
        reply.state = TAKEN
        self._parked[reply.ticket] = reply
        self._carry_out(reply.ticket, reply.command)
        if reply.state is TAKEN:
            reply.was_parked = True
            if reply.parked is not None:
                self._outbox.append((reply, None))

    async def _commit(self, log: CommandLog) -> None:
        began = trio.current_time()
        await commit(log, self._inbox, self._outbox, self._send)
        if self._unwritten:
            self._counts.commits.observe(trio.current_time() - began)
            self._counts.journalled += self._unwritten
            self._unwritten = 0

    def _apply_urgent(self) -> None:
        # Withdrawals first, even those that came later: an urgent command must not answer a caller that has left.
        if self._withdrawn:
            withdrawn, self._withdrawn = self._withdrawn, []
            for ticket in withdrawn:
                self._carry_out(ticket, Withdraw(), urgent=True)
        if self._urgent:
            urgent, self._urgent = self._urgent, []
            for ticket, command in urgent:
                self._carry_out(ticket, command, urgent=True)

    def _carry_out(self, ticket: Ticket, command: Command[object], *, urgent: bool = False) -> None:
        """Apply one command, and log it if it has changed the state."""
        log = self._log
        if log is None or isinstance(command, Query):
            pinged = command.__class__ is Ping
            self._show((Answered(ticket, None),) if pinged else self._rules.apply(ticket, command))
            return
        try:
            command, prepared = log.prepare(command, urgent=urgent)
        except CallerError as error:
            self._show((Refused(ticket, error),))
            return
        rules = cast(Recordable, self._rules)  # `open_actor` accepts a log only with these
        before = rules.revision
        outcomes = rules.apply(ticket, command)
        if rules.revision != before:
            log.add(ticket, prepared, outcomes)
            self._unwritten += 1
        self._show(outcomes)

    def _show(self, outcomes: Sequence[Outcome]) -> None:
        """Publish the change of a step and send its replies; with a log put them into the outbox, for the commit."""
        events: list[Event] = []
        answers: list[tuple[Reply[object], Given]] = []
        for item in outcomes:
            if type(item) is Answered or type(item) is Refused:
                answers.append((self._parked.pop(item.ticket), Given(item)))
            else:
                events.append(item)
        change = Change(self._rules.version, tuple(events)) if events else None
        if self._log is None:
            if change is not None:
                self._history.publish(change)
            for reply, answer in answers:
                self._send(reply, answer)
            return
        if change is not None:
            self._outbox.append(change)
        for reply, _ in answers:
            reply.state = DECIDED
        self._outbox += answers

    def _release(self) -> None:
        """Publish the changes and send the replies that were held back for the commit; notify who waits for these."""
        for item in self._outbox:
            if type(item) is Change:
                self._history.publish(item)
                continue
            reply, answer = item
            if answer is not None:
                self._send(reply, answer)
            elif reply.parked is not None and reply.state is TAKEN:
                reply.parked.set()
        self._outbox.clear()
        self._version = self._rules.version
        self._history.announce()

    def _send(self, reply: Reply[object], answer: Given) -> None:
        counts = self._counts
        if type(answer.item) is Answered:
            counts.answered[reply.command.__class__] += 1
        elif isinstance(answer.item.error, InvalidCommand):
            counts.invalid[reply.command.__class__] += 1
        else:
            counts.refused[reply.command.__class__] += 1
        if reply.changes is not None:
            reply.changes.catch_up()
        reply.send(answer)

    def _stop(self, error: type[GameStopped], reason: str, cause: BaseException | None) -> None:
        """Answer all requests that are parked, queued, or waiting to be queued: no caller waits for a dead task."""
        self._stopped = (error, reason, cause)
        if cause is not None and error is not GameMoved:
            game = str(getattr(self._rules, "kind", type(self._rules).__name__))  # durable rules have a kind
            entry = LastLogEntry if isinstance(cause, JournalFailed) else LogEntry
            logger.error(entry("game-stopped", game=game, reason=reason))
        while True:  # a closed channel would drop its buffer and leave those callers hanging
            try:
                reply = self._inbox.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                break
            if reply is not None and reply.state is QUEUED:
                self._parked[reply.ticket] = reply
        self._inbox.close()
        decided = [item[0] for item in self._outbox if not isinstance(item, Change)]
        for reply in (*self._parked.values(), *decided):
            if reply.state in (TAKEN, DECIDED, QUEUED):
                self._counts.stopped[reply.command.__class__] += 1
                reply.send(outcome.Error(self._stop_error()))
        self._parked.clear()
        self._outbox.clear()
        self._history.end(partial(_error_of, self._stopped))  # a method would refer to all of the game
        if self._done is not None:
            self._done.set()

    def _stop_error(self) -> GameStopped:
        if self._stopped is None:
            return GameClosed("the game was closed")  # the mailbox is closed, the owner is finishing what is queued
        return _error_of(self._stopped)

    # --- for cancelled callers ---

    def _abandon(self, reply: Reply[R]) -> None:
        if reply.state is TAKEN:
            # Parked. The owner must know before it applies anything else, or a player who has left could still win.
            del self._parked[reply.ticket]
            self._withdrawn.append(reply.ticket)
            self._wake_up()
        self._counts.withdrawn[reply.command.__class__] += 1
        reply.state = ABANDONED

    def _wake_up(self) -> None:
        # A full mailbox needs no wake-up, its owner is awake; nor does a closed one, it answers all requests anyway.
        if self._begin is not None:
            self._begin()
        with suppress(trio.WouldBlock, trio.ClosedResourceError):
            self._mailbox.send_nowait(None)


def _error_of(stop: _Stop) -> GameStopped:
    error, reason, cause = stop
    stopped = error(reason)
    stopped.__cause__ = cause
    return stopped


@overload
def open_actor(
    rules: Rules, *, mailbox_size: int = MAILBOX_SIZE, at_once: bool = True
) -> AbstractAsyncContextManager[Actor]: ...


@overload
def open_actor(
    rules: Recordable, *, log: CommandLog | None, mailbox_size: int = MAILBOX_SIZE
) -> AbstractAsyncContextManager[Actor]: ...


def open_actor(
    rules: Rules, *, log: CommandLog | None = None, mailbox_size: int = MAILBOX_SIZE, at_once: bool = True
) -> AbstractAsyncContextManager[Actor]:
    """Start an owner task for `rules`, which no other code may touch from then on.

    With a `log`, every command that changes the state is logged before its effects become visible; see
    `scramble.journal`. On leaving the block the game is closed: see `Actor.aclose`. An exception raised in the block
    is raised unchanged; a bug in the rules, or a log that fails, cancels the block and surfaces from it in an exception
    group, with the exception of the block, if there is one, as its context.

    Unless `at_once`, the owner task starts with the first request: for an owner that may never get one.
    """
    return _OpenActor(Actor(rules, mailbox_size, log), at_once=at_once)


class _OpenActor(AbstractAsyncContextManager[Actor]):
    """The block during which an owner task runs; an object takes less memory than a generator, and lives as long."""

    __slots__ = ("_actor", "_at_once", "_beside")

    def __init__(self, actor: Actor, *, at_once: bool) -> None:
        self._actor: Final = actor
        self._at_once: Final = at_once
        self._beside: Final = open_side_nursery(lambda _: actor._close())  # no method: nothing is to refer to itself

    async def __aenter__(self) -> Actor:
        nursery = await self._beside.__aenter__()
        if self._at_once:
            self._begin(nursery)
        else:
            begin = partial(self._begin, nursery)
            self._actor._begin = partial(copy_context().run, begin)  # not in the context of whoever asks first
        return self._actor

    def _begin(self, nursery: trio.Nursery) -> None:
        actor = self._actor
        actor._begin = None
        actor._mailbox, actor._inbox = trio.open_memory_channel[Reply[object] | None](actor._mailbox_size)
        nursery.start_soon(actor._run, name=f"owner of {type(actor._rules).__name__}")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return await self._beside.__aexit__(kind, error, trace)
