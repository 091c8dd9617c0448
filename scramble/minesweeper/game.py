"""Embedding API: play Multiplayer Minesweeper from any trio program.

    async with open_game(Field.random(10, 10, seed=1)) as game:
        view = await game.dig(3, 1)
        print("BOOM!" if view.boom else view.text)

Any number of tasks may share one `Game`. This is safe because a `Game` has no state of its own. Each call is one
command to the owner task (see `scramble.kernel.actor`), and only that task has the field.

Rules have no clock. So in a game with scores, `Game` adds a time to each move. The game's clock has the number of
milliseconds for which the game was open. After a restart the clock continues from the time of the latest move. So the
time without a server does not count, and changes of the machine's clock have no effect.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Final, TypeVar, cast

import msgspec
import trio

from scramble.journal import Recorder, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import SideTasks
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command
from scramble.kernel.stats import Stats
from scramble.minesweeper.field import Field
from scramble.minesweeper.messages import (
    AwaitEnd,
    BoardView,
    Chord,
    Connect,
    Deflag,
    Dig,
    Disconnect,
    Flag,
    Look,
    Move,
    Snapshot,
    Standing,
    TakeSnapshot,
    TakeStanding,
    Welcome,
)
from scramble.minesweeper.relay import TakeTime, relayed
from scramble.players.seats import Seated

R = TypeVar("R")


class Game:
    """A running game of Multiplayer Minesweeper. Made by `open_game`.

    A square is (x, y): x counts columns to the right and y counts rows downwards, both from 0. All integers are
    allowed; moves outside the field have no effect. A `player` is the number from `connect`; None is the embedding
    program itself. Every asynchronous method is a checkpoint. Only `finished` waits for other players. Every method
    raises `GameClosed` or `GameStopped` if the game ends before the answer. After a cancellation, the command is never
    carried out.
    """

    # AF: the game of _actor. Its clock showed 0 at the time _opened of trio's clock; None: the game has no clock.

    def __init__(self, actor: Owner, beside: SideTasks, now: int | None = None, *, runs_here: bool = True) -> None:
        """Use `open_game` instead. `now` is the time on the game's clock, None for a game without a clock.

        If the game runs in another process (not `runs_here`), that process adds the times of moves.
        """
        self._beside: Final = beside
        self._actor: Final = actor
        self._runs_here: Final = runs_here
        self._opened: Final = None if now is None else trio.current_time() - now / 1000

    async def ask(self, command: Command[R]) -> R:
        """Send any command of `scramble.minesweeper.messages`, and return its answer.

        A move without a time gets the time of the game's clock.
        """
        if isinstance(command, Move) and command.at is None and self._opened is not None and self._runs_here:
            return await self._actor.ask(cast(Command[R], msgspec.structs.replace(command, at=self.now())))
        return await self._actor.ask(command)

    def now(self) -> int | None:
        """Return the time on the game's clock, in milliseconds; None in a game without scores. Does not wait."""
        return None if self._opened is None else round(1000 * (trio.current_time() - self._opened))

    async def look(self) -> BoardView:
        """Return the public view of the field. Changes nothing."""
        return await self._actor.ask(Look())

    async def dig(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Dig square (x, y) and the flood from it, in one atomic step; return the field right after the step.

        The view's `.boom` is True if the square had a bomb; the bomb is then removed. Does nothing if the square is
        outside the field or not untouched. Source: DIG, steps 1 to 5.

        Raises:
            InvalidCommand: `player` is not connected. Nothing has changed.
        """
        return await self.ask(Dig(x, y, player))

    async def flag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Flag square (x, y); return the field. Does nothing if the square is outside or not untouched.

        Raises:
            InvalidCommand: `player` is not connected. Nothing has changed.
        """
        return await self.ask(Flag(x, y, player))

    async def deflag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Make a flagged square (x, y) untouched; return the field. Does nothing to other squares.

        Raises:
            InvalidCommand: `player` is not connected. Nothing has changed.
        """
        return await self.ask(Deflag(x, y, player))

    async def chord(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Dig all untouched neighbours of a dug square, if it has as many flagged neighbours as its number.

        The chord is one atomic step. Does nothing in other cases. The view's `booms` has the exploded bombs.

        Raises:
            InvalidCommand: `player` is not connected. Nothing has changed.
        """
        return await self.ask(Chord(x, y, player))

    @asynccontextmanager
    async def connect(self, name: str | None = None) -> AsyncIterator[Welcome]:
        """Connect a player during a block: `async with game.connect("ann") as welcome`.

        `welcome` has the player's number, the field's size, and the number of players, with this player. The end of
        the block, also by cancellation, disconnects the player without waiting. So the number of players is always
        exact. `name` matches `[A-Za-z0-9_]+`; for None, the game makes a name from the number.

        Raises:
            InvalidCommand: the name is invalid; no player was connected.
        """
        welcome = await self._actor.ask(Connect(name))  # after a cancellation here, the command is not carried out
        try:
            yield welcome
        finally:
            self.disconnect(welcome.player)

    def disconnect(self, player: int) -> None:
        """Disconnect a player before all later commands. Does not wait, and cannot be cancelled.

        Does nothing if the player is not connected, or the game has ended.
        """
        self._actor.tell(Disconnect(player))

    async def snapshot(self) -> Snapshot:
        """Return the public state: the squares as in BOARD, and the players."""
        return await self._actor.ask(TakeSnapshot())

    async def standing(self) -> Standing:
        """Return the number of squares left to dig, and the scores if the game has scores."""
        return await self._actor.ask(TakeStanding())

    async def finished(self) -> Standing:
        """Wait until all squares without a bomb are dug; return the scores if the game has scores."""
        return await self._actor.ask(AwaitEnd())

    async def follow(self) -> tuple[Snapshot, Changes]:
        """Return a snapshot and the changes after the snapshot, without a gap and without an overlap."""
        return await self._actor.follow(TakeSnapshot())

    def changes(self) -> Changes:
        """Follow the changes from now on: `async for change in game.changes()`.

        A change has the field's version and the public events of one command. The buffer is bounded. After a slow
        follower has lost changes, `change.missed` is the number of lost changes. The iteration ends when the game is
        closed.
        """
        return self._actor.subscribe()

    async def ping(self) -> None:
        """Wait until all queued commands are carried out and, with a journal, stored."""
        await self._actor.ping()

    @property
    def owner(self) -> Owner:
        """The owner of the game's state."""
        return self._actor

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return a context manager for another process that joins this game. It yields the receiver of requests.

        The end of the block disconnects all players of the other process.
        """
        return relayed(cast(Posting, self._actor), self.now)

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task until the end of the `open_game` block, which cancels it. Does not wait.

        Does nothing after the block. An exception in the task ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the statistics of the game's owner. Does not wait. Works after the end of the game, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game: waiting requests get `GameClosed`. The end of the `open_game` block does the same."""
        await self._actor.aclose()


@asynccontextmanager
async def open_game(field: Field, *, journal: Recorder | None = None) -> AsyncIterator[Game]:
    """Start a game on a copy of `field`, so that no other code has the live state.

    With a `journal`, each command is stored before its effects are visible. If the journal already has a game, that
    game continues, and `field` is not used; the players in the journal are disconnected. The end of the block closes
    the game. An exception raised in the block is raised unchanged. A bug in the rules or a disk error (`JournalFailed`)
    cancels the block and is raised from it in an exception group.

    Raises:
        JournalError: the journal is unusable; it has not been changed.
    """
    async with recorded(Seated(field.copy()), journal) as kept:
        del field  # frees a field that was made only for this game
        left_behind = kept.rules.game.players if kept.recovered else ()
        async with open_actor(kept.rules, log=kept.log) as actor, SideTasks() as beside:
            game = Game(actor, beside, kept.rules.game.now)
            for player in left_behind:
                game.disconnect(player.id)
            yield game


@asynccontextmanager
async def join_game(owner: Owner) -> AsyncIterator[Game]:
    """Join, during a block, a game that runs in another process. `owner` is the remote owner of the game's state.

    The clock of the joined game is late by the network delay of one answer. The end of the block does not close the
    game.
    """
    async with SideTasks() as beside:
        yield Game(owner, beside, await owner.ask(TakeTime()), runs_here=False)
