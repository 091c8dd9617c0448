"""The embedding API: play Multiplayer Minesweeper from any trio program.

    async with open_game(Field.random(10, 10, seed=1)) as game:
        view = await game.dig(3, 1)
        print("BOOM!" if view.boom else view.text)

Any number of tasks may share one `Game`. Safe because a `Game` has no state of its own: each call is one
command to the owner task (see `scramble.kernel.actor`), which alone has the field.

Rules have no clock, so a `Game` gives its moves their times on the game's clock, if the game keeps scores: the
milliseconds for which it was open. After a restart it goes on from the time of the latest move, so times in which
nobody could play are not counted, and a change of the machine's clock changes nothing.
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

    A square is named by x, which counts columns to the right, and y, which counts rows downwards, both from 0; all
    integers are allowed, those outside the field name no square. A `player` is the number that `connect` returned, or
    None for a move of the embedding program itself. Every asynchronous method is a checkpoint, does not wait for
    other players, and raises `GameClosed` or `GameStopped` if the game ends before it answers. If cancelled, the
    command was not carried out and never will be.
    """

    # AF: the game of _actor, whose clock, if it has one, showed 0 at the time _opened of trio's clock.

    def __init__(self, actor: Owner, beside: SideTasks, now: int | None = None, *, runs_here: bool = True) -> None:
        """Use `open_game`. `now` is the time on the game's clock, None for a game that has none.

        A game that does not run here leaves it to the door where it runs to give moves their times.
        """
        self._beside: Final = beside
        self._actor: Final = actor
        self._runs_here: Final = runs_here
        self._opened: Final = None if now is None else trio.current_time() - now / 1000

    async def ask(self, command: Command[R]) -> R:
        """Send any command of `scramble.minesweeper.messages`, and return its answer. The methods below do the same.

        A move without a time gets that of the game's clock.
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
        """Dig square (x, y), with the flood that follows, in one atomic step; return the field right after that.

        The view's `.boom` is True if there was a bomb, which is then removed. Does nothing if the square is outside the
        field or not untouched. Source: DIG, steps 1 to 5.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self.ask(Dig(x, y, player))

    async def flag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Flag square (x, y); return the field right after that. Does nothing if it is outside or not untouched.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self.ask(Flag(x, y, player))

    async def deflag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Make square (x, y) untouched; return the field right after that. Does nothing unless it is flagged.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self.ask(Deflag(x, y, player))

    async def chord(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Dig all untouched squares around a dug one that has as many flags around it as its number says.

        One atomic step; does nothing if (x, y) is no such square. The view's `booms` has the bombs that exploded.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self.ask(Chord(x, y, player))

    @asynccontextmanager
    async def connect(self, name: str | None = None) -> AsyncIterator[Welcome]:
        """Connect a player for the length of a block: `async with game.connect("ann") as welcome`.

        `welcome` has the player's number, the field's size, and the number of players, this one included. On
        leaving the block, also by cancellation, the player is disconnected without waiting, so the number of players
        is always exact. `name` matches `[A-Za-z0-9_]+`; None makes a name from the number.

        Raises:
            InvalidCommand: the name is not valid; no player was connected.
        """
        welcome = await self._actor.ask(Connect(name))  # if cancelled here, it was not carried out
        try:
            yield welcome
        finally:
            self.disconnect(welcome.player)

    def disconnect(self, player: int) -> None:
        """Disconnect a player before all commands that come from now on. Does not wait, and cannot be cancelled.

        Does nothing if no such player is connected, or the game has ended.
        """
        self._actor.tell(Disconnect(player))

    async def snapshot(self) -> Snapshot:
        """Return the public state: the squares as BOARD shows them, and the players."""
        return await self._actor.ask(TakeSnapshot())

    async def standing(self) -> Standing:
        """Return the number of squares that are left to dig, and the scores if the field keeps them."""
        return await self._actor.ask(TakeStanding())

    async def finished(self) -> Standing:
        """Wait until all squares without a bomb are dug, and return the scores if the field keeps them."""
        return await self._actor.ask(AwaitEnd())

    async def follow(self) -> tuple[Snapshot, Changes]:
        """Return a snapshot and the changes after it, without a gap and without an overlap."""
        return await self._actor.follow(TakeSnapshot())

    def changes(self) -> Changes:
        """Follow the changes from now on: `async for change in game.changes()`.

        A change has the field's version and the public event of one command. Bounded: for a follower that falls
        too far behind, `change.missed` is the number of lost changes. Ends when the game is closed.
        """
        return self._actor.subscribe()

    async def ping(self) -> None:
        """Wait until all commands that are queued now are carried out, and committed if there is a journal."""
        await self._actor.ping()

    @property
    def owner(self) -> Owner:
        """The owner of the game's state."""
        return self._actor

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return what takes the requests of another process, for as long as that is in the game, which runs here.

        At its end all players of that process are disconnected.
        """
        return relayed(cast(Posting, self._actor), self.now)

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the game, until the block of `open_game` is left; then this does nothing. Does not wait.

        A bug in it ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the statistics of the game's owner. Does not wait, and works after the end of the game, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game: waiting requests get `GameClosed`. Leaving the block of `open_game` does the same."""
        await self._actor.aclose()


@asynccontextmanager
async def open_game(field: Field, *, journal: Recorder | None = None) -> AsyncIterator[Game]:
    """Start a game on a copy of `field`, so that no other code has the live state.

    With a `journal`, effects become visible only after they are logged, and a game that the journal has already
    continues instead of a new one on `field`; its players of that time are disconnected. On leaving the block the game
    is closed. An exception raised in the block is raised unchanged; a bug in the rules, or a disk that fails
    (`JournalFailed`), cancels the block and surfaces from it in an exception group.

    Raises:
        JournalError: the journal cannot be used; it has not been changed.
    """
    async with recorded(Seated(field.copy()), journal) as kept:
        del field  # which may have been made for this game alone
        left_behind = kept.rules.game.players if kept.recovered else ()
        async with open_actor(kept.rules, log=kept.log) as actor, SideTasks() as beside:
            game = Game(actor, beside, kept.rules.game.now)
            for player in left_behind:
                game.disconnect(player.id)
            yield game


@asynccontextmanager
async def join_game(owner: Owner) -> AsyncIterator[Game]:
    """Join a game that runs in another process, whose `owner` this is, for the length of a block.

    Its clock is the one there, but for the time in which an answer travels. Leaving the block closes nothing.
    """
    async with SideTasks() as beside:
        yield Game(owner, beside, await owner.ask(TakeTime()), runs_here=False)
