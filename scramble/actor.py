"""The owner task: one trio task that exclusively owns a game's rules and answers everybody who asks.

    async with open_actor(rules) as actor:
        answer = await actor.ask(command)

`ask` puts the command and a one-shot reply channel into the mailbox and waits for the reply. The owner
takes commands out of the mailbox one after another, lets the rules `apply` each of them, and sends the
replies that follow: perhaps to this caller, perhaps to others who have been waiting, perhaps to nobody
yet. A reply that is still owed is *parked*: it costs a dictionary entry, and no scheduling, until the
rules name its ticket.

Why this is safe under concurrency: `rules` is reached only in the owner task, and `Rules.apply` is a plain
function, without an await, so every command is atomic and no lock is needed anywhere. Everything that
callers share with the owner (the mailbox, a reply's state, the lists of who has left and what they told)
changes only between two awaits of a single-threaded scheduler. The kernel's promises, each proved by a
test of its name:

1. The state is reached only inside the owner's synchronous `apply`.
2. Commands are applied in the order in which the mailbox took them.
3. Every request is answered exactly once; if the owner is gone, by `GameStopped`.
4. A full mailbox makes callers wait; it never drops a command.
5. A caller cancelled before the owner took its command leaves no trace. A caller cancelled while parked is
   reported to the rules by `Withdraw`, ahead of all commands still queued, so none of those can answer it.
   An answer already decided when the cancellation arrives stands: if it is still to be written down, the caller waits
   for that and gets it. What a caller has to `tell` as it leaves is heard ahead of all that is queued, too.
6. A command costs the same however many requests are parked; after a batch of them others get their turn.
7. What a refusal changes is the rules' business; the kernel adds nothing.
8. With a log, nobody sees what a command did before that command is written down: answers, refusals and changes are
   held back until the log has committed the batch. One commit serves all the commands that were queued, so batches
   grow with the load. If it fails the game stops, and all who have not been answered get `GameStopped`.
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias, TypeVar, cast

import outcome
import trio

from scramble.core import Answered, Change, Command, Event, Log, Outcome, Ping, Query, Refused, Rules, Ticket, Withdraw
from scramble.errors import GameClosed, GameStopped, InvalidCommand, JournalFailed
from scramble.history import Changes, History
from scramble.logs import Entry
from scramble.nurseries import open_side_nursery
from scramble.reply import Reply, ReplyState
from scramble.stats import Stats, Tally

R = TypeVar("R")

MAILBOX_SIZE = 256
"""Commands that may queue before callers have to wait: several batches, so that the owner never runs dry."""

BATCH_SIZE = 64
"""Commands applied before other tasks get a turn: long enough to spread the cost of a switch, and at a few
microseconds a command short enough that nobody notices."""

LOGGED_BATCH_SIZE = 512
"""The same with a log. A commit takes as long as a hundred commands or more, and others get their turn meanwhile."""

logger = logging.getLogger(__name__)


_Due: TypeAlias = Change | tuple[Reply[object], outcome.Outcome[object] | None]


class Actor:
    """The handle to an owner task: any number of tasks may share it. Made by `open_actor`."""

    # AF: the game whose state is _rules, owing an answer to every reply in _parked, with the commands in _inbox still
    #     to come, but before them a Withdraw of each request in _withdrawn and then the commands in _farewells; at
    #     _version, as far as anybody knows, with everything public that happened so far in _history. What the commands
    #     since the last commit to _log have led to is in _due, in order, and nobody has been told: changes, replies
    #     with their answers, and replies without one whose callers are to be told that they are parked. _tally counts
    #     all of this, and _unwritten the commands that await the next commit.
    # RI: every reply in _parked is TAKEN and stored under its ticket, and not in _withdrawn; a reply in _due that has
    #     an answer is DECIDED; _stopped is None as long as the owner lives.
    # Safety from exposure: nothing hands out _rules; answers and changes are immutable messages.

    def __init__(self, rules: Rules, mailbox_size: int, log: Log | None) -> None:
        self._rules: Final = rules
        self._log: Final = log
        self._mailbox, self._inbox = trio.open_memory_channel[Reply[object] | None](mailbox_size)
        self._tickets = cast(Iterator[Ticket], itertools.count(0 if log is None else log.first_ticket))
        self._parked: dict[Ticket, Reply[object]] = {}
        self._withdrawn: Final[deque[Reply[object]]] = deque()
        self._farewells: Final[deque[tuple[Ticket, Command[object]]]] = deque()
        self._due: list[_Due] = []
        self._history: Final = History()
        self._version = rules.version
        self._tally: Final = Tally()
        self._unwritten = 0
        self._stopped: tuple[type[GameStopped], str, BaseException | None] | None = None
        self._done: Final = trio.Event()

    # for everybody

    async def ask(self, command: Command[R], *, parked: trio.Event | None = None) -> R:
        """Have `command` carried out and return its answer.

        Waits while the mailbox is full, and then until the rules answer, which for some commands is
        another player's doing, and with a log until that is written down. If cancelled before the owner took the
        command, nothing has happened; if cancelled while parked, the request is withdrawn, and cannot be granted any
        more; if cancelled when the answer is only being written down, it comes all the same. Always a checkpoint.

        `parked` is set once the owner has taken the command without answering it: from then on the answer depends
        on others. It is not set for a command that is answered at once, or never taken.

        Raises:
            CallerError: the command was refused (this command's documentation says what then has changed).
            GameClosed: the game was closed before it answered.
            GameStopped: the owner died of a bug, now or earlier; the bug itself surfaces where the game was opened.
        """
        return await self._request(Reply(next(self._tickets), command, parked))

    async def follow(self, command: Command[R]) -> tuple[R, Changes]:
        """`ask`, and follow what happens after the answer.

        Whatever the answer shows is not among the changes, and whatever it does not show is: a snapshot and the
        changes that come with it fit together without a gap and without an overlap. Waits, raises and is cancelled
        like `ask`.
        """
        changes = self.subscribe()  # the owner moves it on to where the answer stands
        return await self._request(Reply(next(self._tickets), command, None, changes)), changes

    async def _request(self, reply: Reply[R]) -> R:
        envelope = cast(Reply[object], reply)
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
        return await reply.receive(self._abandon)

    def tell(self, command: Command[object]) -> None:
        """Have `command` carried out ahead of all that is queued: what a caller has to say as it leaves.

        Does not wait and is no checkpoint, so it works in a task that is being cancelled, where `ask` would need a
        shield. Nobody gets the answer; a closed game takes no notice. Nothing holds up a caller who tells too much,
        so this is only for what is said at most once for something that was asked before.
        """
        if self._stopped is None:
            reply = Reply(next(self._tickets), command)
            reply.state = ReplyState.TAKEN
            self._parked[reply.ticket] = reply
            self._farewells.append((reply.ticket, command))
            self._wake_up()

    def subscribe(self) -> Changes:
        """Follow what happens from this moment on. Does not wait; nothing needs to be closed."""
        return Changes(self._history)

    async def ping(self) -> None:
        """Wait until the owner has carried out, and written down, all that is queued now. Changes nothing.

        Raises GameClosed or GameStopped like `ask`. Whoever wants to know whether the game lives sets a time limit.
        """
        await self.ask(Ping())

    def stats(self) -> Stats:
        """What the owner has counted so far. Asks nobody, so it works in a game that hangs or is gone, too.

        Takes time in proportion to the requests that are parked.
        """
        return self._tally.stats(
            parked=(reply.command for reply in self._parked.values()),
            queued=self._inbox.statistics().current_buffer_used,
            followers=self._history.followers,
            missed=self._history.missed,
            version=self._version,
            stopped=None if self._stopped is None else self._stopped[1],
        )

    async def aclose(self) -> None:
        """Close the game: what is queued is still carried out, then all parked requests get `GameClosed`.

        Waits until the owner has ended. Closing twice is fine. If cancelled, the game closes all the same.
        """
        self._mailbox.close()
        await self._done.wait()

    # for the owner task

    async def _own(self) -> None:
        """Be the owner: apply commands until the mailbox is closed."""
        error: type[GameStopped] = GameClosed
        reason, cause = "the game was closed", cast(BaseException | None, None)
        batch_size = BATCH_SIZE if self._log is None else LOGGED_BATCH_SIZE
        try:
            async for reply in self._inbox:
                self._hear_farewells()
                self._take(reply)
                size = 1
                while size < batch_size:
                    try:
                        reply = self._inbox.receive_nowait()
                    except (trio.WouldBlock, trio.EndOfChannel):
                        break
                    self._take(reply)
                    size += 1
                self._tally.batches.observe(size)
                if self._log is not None:
                    await self._commit(self._log)
                self._release()
        except JournalFailed as failure:
            error, reason, cause = GameStopped, f"the game stopped: {failure}", failure
            raise
        except Exception as bug:
            error, reason, cause = GameStopped, f"the game stopped because of a bug: {bug!r}", bug
            if self._log is None:
                self._release()  # what came before it stands
            raise
        finally:
            self._stop(error, reason, cause)

    def _take(self, reply: Reply[object] | None) -> None:
        if reply is None or reply.state is ReplyState.ABANDONED:
            return  # a mere wake-up; or cancelled before the owner took it: it never happened
        reply.state = ReplyState.TAKEN
        self._parked[reply.ticket] = reply
        self._carry_out(reply.ticket, reply.command)
        if reply.parked is not None and reply.state is ReplyState.TAKEN:
            self._due.append((reply, None))

    async def _commit(self, log: Log) -> None:
        began = trio.current_time()
        await log.commit()
        if self._unwritten:
            self._tally.commits.observe(trio.current_time() - began)
            self._tally.journalled += self._unwritten
            self._unwritten = 0

    def _hear_farewells(self) -> None:
        # Withdrawals first, though others may have told something before: it must not answer those who have gone.
        while self._withdrawn:
            reply = self._withdrawn.popleft()
            if isinstance(reply.command, Query):
                self._conclude(self._rules.apply(reply.ticket, Withdraw()))
            else:
                self._carry_out(reply.ticket, Withdraw())
        while self._farewells:
            self._carry_out(*self._farewells.popleft())

    def _carry_out(self, ticket: Ticket, command: Command[object]) -> None:
        """Apply one command, and have it written down if it can have changed anything."""
        log = self._log
        if log is None or isinstance(command, Query):
            pinged = command.__class__ is Ping
            self._conclude((Answered(ticket, None),) if pinged else self._rules.apply(ticket, command))
            return
        try:
            command, prepared = log.prepare(command)
        except InvalidCommand as error:
            self._conclude((Refused(ticket, error),))
            return
        outcomes = self._rules.apply(ticket, command)
        if not _is_invalid(outcomes):
            log.add(ticket, prepared)
            self._unwritten += 1
        self._conclude(outcomes)

    def _conclude(self, outcomes: Sequence[Outcome]) -> None:
        """Note what follows from a step, to be released."""
        events: list[Event] = []
        answers: list[tuple[Reply[object], outcome.Outcome[object]]] = []
        for item in outcomes:
            if isinstance(item, Answered):
                answers.append((self._parked.pop(item.ticket), outcome.Value(item.value)))
            elif isinstance(item, Refused):
                answers.append((self._parked.pop(item.ticket), outcome.Error(item.error)))
            else:
                events.append(item)
        if events:
            self._due.append(Change(self._rules.version, tuple(events)))
        for reply, _ in answers:
            reply.state = ReplyState.DECIDED
        self._due += answers

    def _release(self) -> None:
        """Tell everybody concerned what the batch has led to."""
        tally = self._tally
        for item in self._due:
            if isinstance(item, Change):
                self._history.publish(item)
                continue
            reply, answer = item
            if answer is not None:
                if not isinstance(answer, outcome.Error):
                    tally.answered[reply.command.__class__] += 1
                elif isinstance(answer.error, InvalidCommand):
                    tally.invalid[reply.command.__class__] += 1
                else:
                    tally.refused[reply.command.__class__] += 1
                if reply.changes is not None:
                    reply.changes.catch_up()
                reply.send(answer)
            elif reply.parked is not None and reply.state is ReplyState.TAKEN:
                reply.parked.set()
        self._due.clear()
        self._version = self._rules.version
        self._history.announce()

    def _stop(self, error: type[GameStopped], reason: str, cause: BaseException | None) -> None:
        """Answer everybody who is parked, queued, or waiting to be queued: nobody waits for a dead task."""
        self._stopped = (error, reason, cause)
        if cause is not None:
            game = str(getattr(self._rules, "kind", type(self._rules).__name__))  # durable rules have a name
            logger.error(Entry("game-stopped", game=game, reason=reason))
        while True:  # a closed channel would drop its buffer and leave those callers hanging
            try:
                reply = self._inbox.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                break
            if reply is not None and reply.state is ReplyState.QUEUED:
                self._parked[reply.ticket] = reply
        self._inbox.close()
        decided = [item[0] for item in self._due if not isinstance(item, Change)]
        for reply in (*self._parked.values(), *decided):
            if reply.state in (ReplyState.TAKEN, ReplyState.DECIDED, ReplyState.QUEUED):
                self._tally.stopped[reply.command.__class__] += 1
                reply.send(outcome.Error(self._stop_error()))
        self._parked.clear()
        self._due.clear()
        self._history.end(self._stop_error)
        self._done.set()

    def _stop_error(self) -> GameStopped:
        if self._stopped is None:
            return GameClosed("the game was closed")  # the mailbox is closed, the owner is finishing what is queued
        error, reason, cause = self._stopped
        stopped = error(reason)
        stopped.__cause__ = cause
        return stopped

    # for cancelled callers

    def _abandon(self, reply: Reply[R]) -> None:
        if reply.state is ReplyState.TAKEN:
            # Parked. The owner must know before it applies anything else, or the departed could still win.
            del self._parked[reply.ticket]
            self._withdrawn.append(cast(Reply[object], reply))
            self._wake_up()
        self._tally.withdrawn[reply.command.__class__] += 1
        reply.state = ReplyState.ABANDONED

    def _wake_up(self) -> None:
        # A full mailbox needs no wake-up call, its owner is awake; nor does a closed one, it forgets everybody.
        with suppress(trio.WouldBlock, trio.ClosedResourceError):
            self._mailbox.send_nowait(None)


def _is_invalid(outcomes: Sequence[Outcome]) -> bool:
    """Whether this is the refusal of a command that has changed nothing at all."""
    return len(outcomes) == 1 and isinstance(outcomes[0], Refused) and type(outcomes[0].error) is InvalidCommand


@asynccontextmanager
async def open_actor(rules: Rules, *, log: Log | None = None, mailbox_size: int = MAILBOX_SIZE) -> AsyncIterator[Actor]:
    """Start an owner task for `rules`, which nobody else may touch from now on.

    With a `log`, every command that can change anything is written there before anybody sees what it did; see
    `scramble.journal`. On leaving the block the game is closed: see `Actor.aclose`. An exception raised in the block
    leaves it as it is; a bug in the rules, or a log that fails, cancels the block and surfaces from it in an exception
    group, with the block's own exception as its context if there is one, too.
    """
    actor = Actor(rules, mailbox_size, log)
    async with open_side_nursery(lambda _: actor._mailbox.close()) as nursery:
        nursery.start_soon(actor._own, name=f"owner of {type(rules).__name__}")
        yield actor
