"""The owner task: one trio task that exclusively owns the rules of a game and answers all requests.

    async with open_actor(rules) as actor:
        answer = await actor.ask(command)

`ask` puts the command and a one-shot reply channel into the mailbox and waits for the reply. The owner takes commands
out of the mailbox one after another, and calls the rules' `apply` for each command. Then it sends the resulting
replies to the caller or to other waiting callers. A request without an answer is *parked*: it takes a dictionary entry,
and no scheduling, until the rules name its ticket.

Safe under concurrency: only the owner task uses `rules`, and `Rules.apply` is a plain function without an
await, so every command is atomic and needs no lock. Callers share the mailbox, the state of a reply, and the
queues of withdrawn tickets and urgent commands with the owner. This shared state changes only between two
awaits of a single-threaded scheduler.

ARCHITECTURE.md lists the eight promises of the owner. tests/unit/kernel tests each promise under its number.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import Any, Final, TypeAlias, TypeVar, cast, overload

import outcome
import trio

from scramble.errors import CallerError, GameClosed, GameMoved, GameStopped, JournalFailed
from scramble.kernel.changes import Changes, History
from scramble.kernel.nursery import open_side_nursery
from scramble.kernel.outbox import Outbox
from scramble.kernel.protocol import (
    Answered,
    Command,
    CommandLog,
    Inspect,
    OnCommand,
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
from scramble.kernel.reply import ABANDONED, ANSWERED, DECIDED, QUEUED, TAKEN, Post, Reply
from scramble.kernel.stats import CommandCounts, Stats
from scramble.logs import LastLogEntry, LogEntry

R = TypeVar("R")

MAILBOX_SIZE = 256
"""Maximum number of queued commands before callers must wait: four usual batches, so the owner always has work."""

BATCH_SIZE = 64
"""Commands applied before other tasks run. A batch needs one task switch; a command takes a few microseconds."""

LOGGED_BATCH_SIZE = 512
"""Batch size with a log: a commit takes as long as a hundred commands or more, and other tasks run meanwhile."""

logger = logging.getLogger(__name__)

_Stop: TypeAlias = tuple[type[GameStopped], str, BaseException | None]
"""After the end of a game: the class of the errors for callers, the reason in words, and the cause."""


class Actor:
    """Handle to an owner task; any number of tasks may share it. Made by `open_actor`."""

    # AF: the game with the state _rules. The owner must still apply, in this order: a Withdraw of each request in
    #     _withdrawn (its ticket, and the time of the withdrawal), the commands in _urgent, the commands in _inbox. The
    #     public version is _version, and _history has all published changes. _outbox has the parked requests, and the
    #     effects that are not visible yet. _counts has the statistics, and _unwritten counts the commands for the next
    #     commit to _log. While _begin is set, the owner task is not started, and there is no mailbox.
    # RI: no ticket of _withdrawn is in _outbox.parked. _stopped is None until the owner ends.
    # Safety from exposure: no method returns _rules; answers and changes are immutable messages.

    def __init__(self, rules: Rules, mailbox_size: int, log: CommandLog | None, on_command: OnCommand | None) -> None:
        self._rules: Final = rules
        self._log: Final = log
        self._on_command: Final = on_command
        self._mailbox_size: Final = mailbox_size
        self._mailbox: trio.MemorySendChannel[Reply[object] | None]
        self._inbox: trio.MemoryReceiveChannel[Reply[object] | None]
        self._tickets = cast(Iterator[Ticket], itertools.count(0 if log is None else log.first_ticket))
        self._withdrawn: list[tuple[Ticket, float]] = []
        self._urgent: list[Reply[object]] = []
        self._history: Final = History()
        self._version = rules.version
        self._counts: Final = CommandCounts()
        self._outbox: Final = Outbox(self._history, self._counts, holds=log is not None)
        self._unwritten = 0
        self._stopped: _Stop | None = None
        self._done: trio.Event | None = None  # set only if a task waits for the end
        self._begin: Callable[[], object] | None = None  # starts the owner task; None if it was started

    # --- for callers ---

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Execute `command` and return its answer.

        Waits while the mailbox is full, and then until the rules answer. For some commands the answer depends on
        other players. With a log, also waits until the command is logged. If cancelled before the owner takes the
        command, the command has no effect. If cancelled while parked, the request is withdrawn and can no longer be
        granted. If cancelled after the answer was decided, `ask` still returns the answer. Always a checkpoint.

        If the owner has applied the command without an answer, it sets `parked`: the answer depends on later commands.
        `parked` is not set for a command that is answered at once or never taken.

        Raises:
            CallerError: the command was refused (the documentation of the command lists the effects of a refusal).
            GameClosed: the game was closed before the answer.
            GameStopped: a bug or the log stopped the owner, now or earlier; `open_actor` raises the cause.
        """
        return await self._request(Reply(next(self._tickets), command, parked))

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Execute `command` like `ask`; return its answer and the changes after it.

        The changes begin exactly after the command: between a snapshot and its changes there is no gap and no overlap.
        Waiting, errors, cancellation and `parked` are as in `ask`.
        """
        changes = self.subscribe()  # the owner moves `changes` to the position of the answer
        return await self._request(Reply(next(self._tickets), command, parked, changes)), changes

    async def _request(self, reply: Reply[R]) -> R:
        envelope = cast("Reply[object]", reply)  # in quotes: otherwise each command would create the type again
        try:
            self.post_nowait(envelope)
        except trio.WouldBlock:
            await self.post(envelope)
        except GameStopped:
            await trio.lowlevel.checkpoint()
            raise
        try:
            return await reply.receive(self._abandon)
        finally:
            if reply.state is ANSWERED and not reply.was_parked and not isinstance(reply.command, Query):
                self._counts.moves.observe(trio.current_time() - reply.began)

    async def send(self, command: Command[object]) -> None:
        """Queue `command` like `ask`, and do not wait for its answer. The answer, or the refusal, is discarded.

        Waits while the mailbox is full, so a fast sender waits for the owner. A command without an answer stays parked
        until the rules answer it. If cancelled while the mailbox is full, the command has no effect. Always a
        checkpoint. Raises GameClosed and GameStopped like `ask` if the game has ended; a command that is queued when
        the game stops is lost.
        """
        await self.post(Reply(next(self._tickets), command))

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before all queued commands, without an answer: for a caller that is leaving.

        Does not wait and is no checkpoint. So it works in a cancelled task, where `ask` would need a shield. The answer
        is discarded; a closed game ignores the command. There is no back-pressure. So use it only for clean-up commands
        with at most one `tell` for each earlier request. All other callers use `send`.
        """
        if self._stopped is None:
            reply = Reply(next(self._tickets), command)
            reply.state = TAKEN
            self._outbox.parked[reply.ticket] = reply
            self._urgent.append(reply)
            self._wake_up()

    def request(
        self,
        command: Command[object],
        deliver: Callable[[outcome.Outcome[object], int], None],
        parked: Settable | None = None,
    ) -> Post:
        """Return a request for `post`: for a caller that is not a task of this process.

        `deliver` gets the value or the error that `ask` would return or raise, and the number of the next change.
        """
        return Post(next(self._tickets), command, parked, self._history, deliver)

    def post_nowait(self, request: Reply[object]) -> None:
        """Put a request into the mailbox. Raises trio.WouldBlock if the mailbox is full, and GameStopped like `ask`."""
        if self._begin is not None:
            self._begin()
        try:
            self._mailbox.send_nowait(request)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            raise self._stop_error() from None

    async def post(self, request: Reply[object]) -> None:
        """Put a request into the mailbox. Waits while the mailbox is full. Raises GameStopped like `ask`."""
        if self._begin is not None:
            self._begin()
        try:
            await self._mailbox.send(request)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            raise self._stop_error() from None

    def withdraw(self, request: Post) -> bool:
        """Withdraw a request, like a cancelled `ask`. Return False if its answer is already decided or delivered.

        Does not wait. Also withdraws a request that waits for space in the mailbox, or that was never posted.
        """
        if request.state in (QUEUED, TAKEN):
            self._abandon(request)
        return request.state is ABANDONED

    def subscribe(self) -> Changes:
        """Follow the changes from now on. Does not wait. The caller need not close the result."""
        return Changes(self._history)

    async def ping(self) -> None:
        """Wait until the owner has executed and logged all commands that are queued now. Changes nothing.

        Raises GameClosed or GameStopped like `ask`. With a time limit, this is a health check of the owner.
        """
        await self.ask(Ping())

    async def inspect(self, function: Callable[[Any], R]) -> R:
        """Return `function(rules)`, for tests: the owner calls it after all commands that are queued now.

        `function` must not change the rules, and must not return a part of them that can change. It must not wait. Its
        exception is raised here, and the game goes on. Waiting and other errors are as in `ping`.
        """
        result: outcome.Value[R] | outcome.Error = await self.ask(Inspect(function))
        return result.unwrap()

    def stats(self) -> Stats:
        """Return the statistics of the owner. Works even if the owner hangs or has ended, because it does not wait.

        Takes time in proportion to the number of parked requests.
        """
        return self._counts.stats(
            parked=(reply.command for reply in self._outbox.parked.values()),
            queued=0 if self._begin is not None else self._inbox.statistics().current_buffer_used,
            followers=self._history.followers,
            missed=self._history.missed,
            version=self._version,
            stopped=None if self._stopped is None else self._stopped[1],
        )

    @property
    def has_ended(self) -> bool:
        """True if the owner has ended: all further requests raise GameClosed or GameStopped."""
        return self._stopped is not None

    async def aclose(self) -> None:
        """Close the game: the owner still executes queued commands; then all parked requests get `GameClosed`.

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
            self._begin()  # the started owner task ends at once, and notifies all followers
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
                reply = None  # otherwise the reply, and its caller's task, stay in memory until the next request
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
                self._release()  # the commands before the bug remain valid
            raise
        finally:
            self._stop(error, reason, cause)

    def _take(self, reply: Reply[object] | None) -> None:
        if reply is None or reply.state is ABANDONED:
            return  # None only wakes the owner; the caller of an abandoned request was cancelled
        reply.state = TAKEN
        self._outbox.parked[reply.ticket] = reply
        self._carry_out(reply.ticket, reply.command, reply.began)
        if reply.state is TAKEN:
            reply.was_parked = True
            if reply.parked is not None:
                self._outbox.put_parked(reply)

    async def _commit(self, log: CommandLog) -> None:
        began = trio.current_time()
        await self._outbox.commit(log, self._inbox)
        if self._unwritten:
            self._counts.commits.observe(trio.current_time() - began)
            self._counts.journalled += self._unwritten
            self._unwritten = 0

    def _apply_urgent(self) -> None:
        # Withdrawals precede even older urgent commands: an urgent command must not answer a caller that has left.
        if self._withdrawn:
            withdrawn, self._withdrawn = self._withdrawn, []
            for ticket, began in withdrawn:
                self._carry_out(ticket, Withdraw(), began, urgent=True)
        if self._urgent:
            urgent, self._urgent = self._urgent, []
            for reply in urgent:
                self._carry_out(reply.ticket, reply.command, reply.began, urgent=True)

    def _carry_out(self, ticket: Ticket, command: Command[object], began: float, *, urgent: bool = False) -> None:
        """Apply one command, and show its outcomes. `began`: the time at which it was requested."""
        queued_s = 0.0 if self._on_command is None else trio.current_time() - began
        outcomes = self._apply(ticket, command, urgent)
        self._outbox.put(outcomes, self._rules.version)
        if self._on_command is not None:
            self._on_command(ticket, command, outcomes, queued_s)

    def _apply(self, ticket: Ticket, command: Command[object], urgent: bool) -> Sequence[Outcome]:
        """Apply one command; log it if it has changed the state. Return its outcomes."""
        if isinstance(command, Ping):
            return (Answered(ticket, None),)
        if isinstance(command, Inspect):
            return (Answered(ticket, outcome.capture(command.function, self._rules)),)
        log = self._log
        if log is None or isinstance(command, Query):
            return self._rules.apply(ticket, command)
        try:
            command, prepared = log.prepare(command, urgent=urgent)
        except CallerError as error:
            return (Refused(ticket, error),)
        rules = cast(Recordable, self._rules)  # `open_actor` accepts a log only with Recordable rules
        before = rules.revision
        outcomes = rules.apply(ticket, command)
        if rules.revision != before:
            log.add(ticket, prepared, outcomes)
            self._unwritten += 1
        return outcomes

    def _release(self) -> None:
        """Make the effects of all commands so far visible."""
        self._version = self._rules.version
        self._outbox.release()

    def _stop(self, error: type[GameStopped], reason: str, cause: BaseException | None) -> None:
        """Send an error to all requests without an answer: parked, queued, waiting to be queued, or not yet logged."""
        self._stopped = (error, reason, cause)
        if cause is not None and error is not GameMoved:
            game = str(getattr(self._rules, "kind", type(self._rules).__name__))  # only durable rules have a kind
            entry = LastLogEntry if isinstance(cause, JournalFailed) else LogEntry
            logger.error(entry("game-stopped", game=game, reason=reason))
        while True:  # closing the channel would drop its buffer, and the queued callers would wait forever
            try:
                reply = self._inbox.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                break
            if reply is not None and reply.state is QUEUED:
                self._outbox.parked[reply.ticket] = reply
        self._inbox.close()
        for reply in self._outbox.drop():
            if reply.state in (TAKEN, DECIDED, QUEUED):
                self._counts.stopped[reply.command.__class__] += 1
                reply.send(outcome.Error(self._stop_error()))
        self._history.end(partial(_error_of, self._stopped))  # a method would keep the whole game in memory
        if self._done is not None:
            self._done.set()

    def _stop_error(self) -> GameStopped:
        if self._stopped is None:
            return GameClosed("the game was closed")  # the mailbox is closed; the owner finishes the queued commands
        return _error_of(self._stopped)

    # --- for cancelled callers ---

    def _abandon(self, reply: Reply[R]) -> None:
        if reply.state is TAKEN:
            # Parked. Notify the owner before it applies the next command. Otherwise a player who left could still win.
            del self._outbox.parked[reply.ticket]
            self._withdrawn.append((reply.ticket, trio.current_time()))
            self._wake_up()
        self._counts.withdrawn[reply.command.__class__] += 1
        reply.state = ABANDONED

    def _wake_up(self) -> None:
        # A full mailbox needs no wake-up: the owner is awake. With a closed mailbox, the owner answers all requests.
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
    rules: Rules, *, mailbox_size: int = MAILBOX_SIZE, at_once: bool = True, on_command: OnCommand | None = None
) -> AbstractAsyncContextManager[Actor]: ...


@overload
def open_actor(
    rules: Recordable,
    *,
    log: CommandLog | None,
    mailbox_size: int = MAILBOX_SIZE,
    on_command: OnCommand | None = None,
) -> AbstractAsyncContextManager[Actor]: ...


def open_actor(
    rules: Rules,
    *,
    log: CommandLog | None = None,
    mailbox_size: int = MAILBOX_SIZE,
    at_once: bool = True,
    on_command: OnCommand | None = None,
) -> AbstractAsyncContextManager[Actor]:
    """Start an owner task for `rules`. No other code may use `rules` from now on.

    With a `log`, every command that changes the state is logged before its effects become visible; see
    `scramble.journal`. The end of the block closes the game: see `Actor.aclose`. An exception of the block is raised
    unchanged. A bug in the rules, or a failing log, cancels the block, and the block raises it in an exception group.
    If the block also raises an exception, this exception is the context of the group.

    Without `at_once`, the owner task starts at the first request. This saves memory if no request comes.

    `on_command(ticket, command, outcomes, queued_s)` is called after each command, in the owner's task: for traces. The
    outcomes may answer earlier tickets. `queued_s` is the number of seconds from the request to its execution. With a
    log, the command is not logged yet. The function must not wait; if it raises, the game ends as with a bug in the
    rules. A command whose `apply` raises is not reported.

    Raises ValueError at once if `mailbox_size`, the number of queued commands before callers must wait, is negative.
    """
    check_mailbox_size(mailbox_size)
    return _OpenActor(Actor(rules, mailbox_size, log, on_command), at_once=at_once)


def check_mailbox_size(size: int) -> None:
    """Raise ValueError unless `size` is a whole number from 0."""
    if not isinstance(size, int) or size < 0:
        raise ValueError(f"mailbox_size is a whole number from 0, not {size!r}")


class _OpenActor(AbstractAsyncContextManager[Actor]):
    """Context manager for the lifetime of an owner task; an object takes less memory than a generator."""

    __slots__ = ("_actor", "_at_once", "_beside")

    def __init__(self, actor: Actor, *, at_once: bool) -> None:
        self._actor: Final = actor
        self._at_once: Final = at_once
        self._beside: Final = open_side_nursery(lambda _: actor._close())  # a method would form a reference cycle

    async def __aenter__(self) -> Actor:
        nursery = await self._beside.__aenter__()
        if self._at_once:
            self._begin(nursery)
        else:
            begin = partial(self._begin, nursery)
            self._actor._begin = partial(copy_context().run, begin)  # not in the context of the first request
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
