"""The embedding API of a small game, and its rooms.

    async with open_game(Race(Track()), Look(), result_of) as game:
        await game.ask(Run("ann"))
        track = await game.look()

Any number of tasks may share one `PlainGame`. This is safe because it has no mutable state. Each call is one command
to the owner task (see `scramble.kernel.actor`), and only that task has the rules.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Final, Generic, TypeVar, cast

import trio

from scramble.errors import GameClosed
from scramble.games.room import Elsewhere, GameResult, OpenedRoom, RoomClocks, RoomGame, RoomSetup
from scramble.journal import Recorder, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import SideTasks
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command, Durable, Query
from scramble.kernel.stats import Stats
from scramble.players.seats import Seated

R = TypeVar("R")
V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)


class PlainGame(Generic[V_co]):
    """A running game with a public state of the type V_co. `open_game` makes it.

    Every asynchronous method is a checkpoint, and raises `GameClosed` or `GameStopped` if the game ends before the
    answer.
    """

    def __init__(
        self, owner: Owner, beside: SideTasks, look: Query[V_co], result_of: Callable[[V_co], GameResult | None]
    ) -> None:
        """Use `open_game` instead."""
        self.owner: Final = owner
        self._beside: Final = beside
        self._look: Final = look
        self.result_of: Final = result_of

    async def ask(self, command: Command[R], *, parked: trio.Event | None = None) -> R:
        """Send a command, and return its answer. Raises the refusal. Sets `parked` as soon as the command must wait.

        If the call is cancelled while the command waits, the command is withdrawn.
        """
        return await self.owner.ask(command, parked=parked)

    async def look(self) -> V_co:
        """Return the public state."""
        return await self.owner.ask(self._look)

    async def follow(self) -> tuple[V_co, Changes]:
        """Return the public state and the changes after it, without a gap and without an overlap."""
        return await self.owner.follow(self._look)

    def changes(self) -> Changes:
        """Follow the changes from now on: `async for change in game.changes()`."""
        return self.owner.subscribe()

    async def finished(self) -> GameResult:
        """Wait until the game is over, and return its result. Raises GameClosed if the game is closed earlier."""
        while True:
            state, changes = await self.follow()
            result = self.result_of(state)
            if result is not None:
                return result
            await next_change(changes)

    async def ping(self) -> None:
        """Wait until all currently queued commands are executed and, with a journal, committed."""
        await self.owner.ping()

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return a context manager for another process that joins this game. It yields the receiver of its requests."""
        return nullcontext(cast(Posting, self.owner))

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Start a task. The end of the game's block cancels the task. Does not wait.

        Does nothing after the end of the block. An exception in the task ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the statistics of the game's owner. Does not wait. Works after the end of the game, too."""
        return self.owner.stats()

    async def aclose(self) -> None:
        """Close the game: waiting requests get `GameClosed`. The end of the game's block does the same."""
        await self.owner.aclose()


@asynccontextmanager
async def open_game(
    rules: Durable, look: Query[V], result_of: Callable[[V], GameResult | None], *, journal: Recorder | None = None
) -> AsyncIterator[PlainGame[V]]:
    """Start a game on a copy of `rules`, so that no other code has the live state.

    `look` is the query for the public state. `result_of` returns the result of a game in a public state, None if the
    game is not over. While a task waits for the result, `result_of` is called after each change.

    With a `journal`, effects become visible only after they are logged. If the journal already has a game, that game
    continues, and `rules` are not used. The end of the block closes the game. An exception raised in the block is
    raised unchanged. A bug in the rules or a disk error (`JournalFailed`) cancels the block and is raised from it in an
    exception group.

    Raises:
        JournalError: the journal is unusable; it has not been changed.
    """
    async with (
        recorded(Seated(rules.restore(rules.state())), journal) as kept,
        open_actor(kept.rules, log=kept.log) as actor,
        SideTasks() as beside,
    ):
        yield PlainGame(actor, beside, look, result_of)


@asynccontextmanager
async def join_game(
    owner: Owner, look: Query[V], result_of: Callable[[V], GameResult | None]
) -> AsyncIterator[PlainGame[V]]:
    """Join, during a block, a game that runs in another process. `owner` is the remote owner of the game's state.

    The end of the block does not close the game.
    """
    async with SideTasks() as beside:
        yield PlainGame(owner, beside, look, result_of)


def plain_room(rules: Durable, look: Query[V], result_of: Callable[[V], GameResult | None]) -> RoomSetup:
    """Return the setup of a room: a game that begins with `rules`. The arguments are those of `open_game`."""

    @asynccontextmanager
    async def open_room(journal: Recorder | None, _clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        async with open_game(rules, look, result_of, journal=journal) as game:
            yield OpenedRoom(game, game.finished, Elsewhere(game.owner, game.elsewhere))

    @asynccontextmanager
    async def join_room(owner: Owner, _clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        async with join_game(owner, look, result_of) as game:
            yield OpenedRoom(game, game.finished)

    return RoomSetup(open_room, join_room)


async def has_begun(game: RoomGame) -> None:
    """Wait for the first move, which is the first change of the game. Raises GameClosed and GameStopped."""
    assert isinstance(game, PlainGame)
    changes = game.changes()
    if game.stats().version == 0:
        await next_change(changes)


async def next_change(changes: Changes) -> None:
    """Wait for a change. Raises GameClosed if the game is closed, and GameStopped."""
    try:
        await anext(changes)
    except StopAsyncIteration:
        raise GameClosed("the game was closed") from None
