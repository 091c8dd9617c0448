"""A supervisor of one game: it starts the owner task again after a bug.

    async with open_supervised(Auction, journal=Journal("auction.db")) as game:
        price = await game.ask(Bid("ann", 10))

A bug in the rules ends the owner task. All unanswered requests get `GameStopped`, and the log gets the traceback. The
supervisor then opens the game again, from its journal: the command with the bug is not recorded, so it does not stop
the game a second time. Later requests wait meanwhile. If the game dies repeatedly, the supervisor gives up.

Safe under concurrency: the supervisor's task replaces the owner between two awaits.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar, cast, overload

import trio

from scramble.errors import JournalFailed, leaves
from scramble.journal.recorder import Recorder
from scramble.journal.recording import recorded
from scramble.kernel.actor import MAILBOX_SIZE, Actor, check_mailbox_size, open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import open_side_nursery
from scramble.kernel.protocol import Command, Durable, OnCommand, Rules, Settable
from scramble.kernel.stats import Stats
from scramble.logs import LogEntry

R = TypeVar("R")

logger = logging.getLogger(__name__)


class Supervised:
    """Handle to a supervised game; any number of tasks may share it. Made by `open_supervised`. Implements `Owner`."""

    # AF: the game of the owner _actor. While the owner is started again, _actor has ended. _deaths owners have died.
    #     After _closing is set, no further owner starts. _changed is set, and replaced, when _actor is replaced or no
    #     further owner starts.

    def __init__(self) -> None:
        """Use `open_supervised` instead."""
        self._deaths = 0
        self._actor: Actor
        self._is_over = False
        self._closing: Final = trio.Event()
        self._ended: Final = trio.Event()
        self._changed = trio.Event()

    @property
    def deaths(self) -> int:
        """The number of owners that have died so far."""
        return self._deaths

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Execute `command` and return its answer, like `Actor.ask`. Waits while the owner is started again.

        Raises GameStopped if the owner dies before the answer: then the command may or may not have happened. Raises
        it also if no further owner starts, and GameClosed after the end of the game: then the command has no effect.
        A call that is cancelled during a restart has no effect either.
        """
        return await (await self._owner()).ask(command, parked=parked)

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Execute `command`; return its answer and the changes after it. The changes end when the owner dies."""
        return await (await self._owner()).follow(command, parked=parked)

    async def send(self, command: Command[object]) -> None:
        """Queue `command`, and do not wait for its answer, like `Actor.send`. Waits like `ask`."""
        await (await self._owner()).send(command)

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before all queued commands, like `Actor.tell`. Ignored while the owner starts again."""
        self._actor.tell(command)

    async def ping(self) -> None:
        """Wait until the owner has executed and logged all commands that are queued now. Waits like `ask`."""
        await (await self._owner()).ping()

    async def inspect(self, function: Callable[[Any], R]) -> R:
        """Return `function(rules)`, for tests, like `Actor.inspect`. Waits like `ask`."""
        return await (await self._owner()).inspect(function)

    def subscribe(self) -> Changes:
        """Follow the changes of the present owner from now on. They end with GameStopped when it dies.

        While the owner is started again, the changes have ended already: `follow` waits for the next owner.
        """
        return self._actor.subscribe()

    def stats(self) -> Stats:
        """Return the statistics of the present owner. Its counts begin when it starts."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game, like `Actor.aclose`."""
        self._closing.set()
        await self._ended.wait()

    async def _owner(self) -> Actor:
        while self._actor.has_ended and not self._is_over:
            await self._changed.wait()
        return self._actor

    # --- for the supervisor ---

    async def _run(
        self,
        open_game: Callable[[], AbstractAsyncContextManager[Actor]],
        max_deaths: int,
        within_s: float,
        *,
        task_status: trio.TaskStatus[None],
    ) -> None:
        """Open the game, again after each death, until it is closed. Raises the last bug after too many deaths."""
        died_at: Final = deque[float](maxlen=max_deaths)
        try:
            while True:
                try:
                    async with open_game() as self._actor:
                        task_status.started()
                        task_status = trio.TASK_STATUS_IGNORED
                        self._change()
                        await self._closing.wait()
                    return
                except BaseExceptionGroup as group:
                    bugs = group.subgroup(Exception)
                    if bugs is None:
                        raise
                    self._deaths += 1
                    died_at.append(trio.current_time())
                    _log(self._deaths, bugs)
                    is_too_often = len(died_at) == max_deaths and died_at[-1] - died_at[0] <= within_s
                    is_cancelled = trio.current_effective_deadline() == -math.inf
                    if is_too_often or (self._closing.is_set() and not is_cancelled):
                        raise
                    if is_cancelled:
                        await trio.lowlevel.checkpoint()  # raises Cancelled without the bug
        finally:
            self._is_over = True
            self._change()
            self._ended.set()

    def _close(self) -> None:
        self._closing.set()

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


@overload
def open_supervised(
    make_rules: Callable[[], Rules],
    *,
    max_deaths: int = 3,
    within_s: float = 60.0,
    mailbox_size: int = MAILBOX_SIZE,
    on_command: OnCommand | None = None,
) -> AbstractAsyncContextManager[Supervised]: ...


@overload
def open_supervised(
    make_rules: Callable[[], Durable],
    *,
    journal: Recorder | None,
    max_deaths: int = 3,
    within_s: float = 60.0,
    mailbox_size: int = MAILBOX_SIZE,
    on_command: OnCommand | None = None,
) -> AbstractAsyncContextManager[Supervised]: ...


@asynccontextmanager
async def open_supervised(
    make_rules: Callable[[], Rules],
    *,
    journal: Recorder | None = None,
    max_deaths: int = 3,
    within_s: float = 60.0,
    mailbox_size: int = MAILBOX_SIZE,
    on_command: OnCommand | None = None,
) -> AsyncIterator[Supervised]:
    """Start an owner task for the rules that `make_rules` returns, and start it again whenever it dies.

    With a `journal`, each owner continues the recorded game; `make_rules` is then only the beginning of a new game.
    Without a journal, each owner begins with new rules, and the state of the dead owner is lost.

    An owner dies of a bug in its rules, or of a failing disk. After `max_deaths` deaths within `within_s` seconds the
    supervisor gives up: it cancels the block, and the block raises the last error in nested exception groups, for
    `except*`. With `max_deaths` 1 it never starts an owner again. `mailbox_size` and `on_command` are as in
    `open_actor`. The end of the block closes the game; if the owner dies then, the block raises the error. An exception
    of the block is raised unchanged. If the block is cancelled, a death in this moment is only logged.

    Raises:
        ValueError: `max_deaths` is not a whole number from 1, `within_s` is not above 0, or `mailbox_size` is invalid.
        JournalError: the journal is unusable. After a death it is raised in an exception group, and cancels the block.
    """
    if not isinstance(max_deaths, int) or max_deaths < 1:
        raise ValueError(f"max_deaths is a whole number from 1, not {max_deaths!r}")
    if not within_s > 0:  # also if it is not a number
        raise ValueError(f"within_s is above 0, not {within_s!r}")
    check_mailbox_size(mailbox_size)

    @asynccontextmanager
    async def open_game() -> AsyncIterator[Actor]:
        rules = cast(Durable, make_rules())  # the overloads accept a journal only with Durable rules
        async with (
            recorded(rules, journal) as kept,
            open_actor(kept.rules, log=kept.log, mailbox_size=mailbox_size, on_command=on_command) as actor,
        ):
            yield actor

    supervised = Supervised()
    async with open_side_nursery(lambda _: supervised._close()) as nursery:
        await nursery.start(partial(supervised._run, open_game, max_deaths, within_s))
        yield supervised


def _log(deaths: int, error: ExceptionGroup[Exception]) -> None:
    """Log a death, with a traceback unless the disk failed."""
    failures = leaves(error)
    is_disk = all(isinstance(failure, JournalFailed) for failure in failures)
    logger.error(
        LogEntry("game-died", deaths=deaths, reason="; ".join(map(str, failures))), exc_info=None if is_disk else error
    )
