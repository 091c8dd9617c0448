"""The door for embedding: play Multiplayer Minesweeper from any trio program.

    async with open_game(Field.random(10, 10, seed=1)) as game:
        view = await game.dig(3, 1)
        print("BOOM!" if view.boom else view.text)

Any number of tasks may share one `Game`. Safe because a `Game` holds no state of its own: each call is one
command to the owner task (see `scramble.actor`), which alone has the field.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from scramble.actor import Actor, open_actor
from scramble.core import Command
from scramble.history import Changes
from scramble.journal import Journal, recorded
from scramble.minesweeper.field import Field
from scramble.minesweeper.messages import (
    BoardView,
    Connect,
    Deflag,
    Dig,
    Disconnect,
    Flag,
    Look,
    Snapshot,
    TakeSnapshot,
    Welcome,
)
from scramble.stats import Stats

R = TypeVar("R")


class Game:
    """A running game of Multiplayer Minesweeper. Made by `open_game`.

    Squares are named by x, which counts columns to the right, and y, which counts rows downwards, both from 0; any
    integer will do, one outside the field just names no square. A `player` is the number that `connect` gave, or None:
    then the embedding program itself moves. Every method that has to be awaited is a checkpoint, does not wait for
    other players, and raises `GameClosed` or `GameStopped` if the game ends before it answers. If cancelled, the
    command was not carried out and never will be.
    """

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    async def ask(self, command: Command[R]) -> R:
        """Send any command of `scramble.minesweeper.messages`, and return its answer. All of the methods below do."""
        return await self._actor.ask(command)

    async def look(self) -> BoardView:
        """The field as everybody sees it. Changes nothing."""
        return await self._actor.ask(Look())

    async def dig(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Dig square (x, y) and all that follows from it, in one atomic step; the field right after that.

        The view's `.boom` tells whether there was a bomb; it is gone then. Does nothing if the square is outside the
        field or not untouched. Source: DIG, steps 1 to 5.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self._actor.ask(Dig(x, y, player))

    async def flag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Flag square (x, y); the field right after that. Does nothing if it is outside or not untouched.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self._actor.ask(Flag(x, y, player))

    async def deflag(self, x: int, y: int, player: int | None = None) -> BoardView:
        """Make square (x, y) untouched; the field right after that. Does nothing unless it is flagged.

        Raises:
            InvalidCommand: no such player is connected. Nothing has changed.
        """
        return await self._actor.ask(Deflag(x, y, player))

    @asynccontextmanager
    async def connect(self, name: str | None = None) -> AsyncIterator[Welcome]:
        """Be a player for the length of a block: `async with game.connect("ann") as welcome`.

        `welcome` has the player's number, the field's size, and how many players there are, this one included. On
        leaving the block, also by cancellation, `disconnect` is said without waiting, so players are always counted
        exactly. `name` matches `[A-Za-z0-9_]+`; None makes one up from the number.

        Raises:
            InvalidCommand: the name is none; nobody has been counted.
        """
        welcome = await self._actor.ask(Connect(name))  # if cancelled here, it was not carried out
        try:
            yield welcome
        finally:
            self.disconnect(welcome.player)

    def disconnect(self, player: int) -> None:
        """One player fewer, for everything that anybody asks from now on. Does not wait, and cannot be cancelled.

        Does nothing if no such player is connected, or the game has ended.
        """
        self._actor.tell(Disconnect(player))

    async def snapshot(self) -> Snapshot:
        """All that everybody may know: what BOARD shows, and the players."""
        return await self._actor.ask(TakeSnapshot())

    async def follow(self) -> tuple[Snapshot, Changes]:
        """A snapshot and what happens after it, without a gap and without an overlap."""
        return await self._actor.follow(TakeSnapshot())

    def changes(self) -> Changes:
        """Follow what happens from now on: `async for change in game.changes()`.

        A change has the field's version and the public event of one command. Bounded: a follower that falls
        too far behind is told in `change.missed` how many it lost. Ends when the game is closed.
        """
        return self._actor.subscribe()

    async def ping(self) -> None:
        """Wait until all that is queued now is carried out, and safe if there is a journal."""
        await self._actor.ping()

    def stats(self) -> Stats:
        """What the game's owner has counted so far. Asks nobody, and works when the game is over, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game: all who wait get `GameClosed`. Leaving the block of `open_game` does the same."""
        await self._actor.aclose()


@asynccontextmanager
async def open_game(field: Field, *, journal: Journal | None = None) -> AsyncIterator[Game]:
    """Start a game on a copy of `field`, so that nobody outside holds the live state.

    With a `journal` nobody is told anything that is not written down, and a game that is there already goes on instead
    of one on `field`; who was connected when it ended is not any more. On leaving the block the game is closed. An
    exception raised in the block leaves it as it is; a bug in the rules, or a disk that fails (`JournalFailed`),
    cancels the block and surfaces from it in an exception group.

    Raises:
        JournalError: the journal cannot be used; it has not been changed.
    """
    async with recorded(field.copy(), journal) as kept:
        left_behind = kept.rules.players if kept.recovered else ()
        async with open_actor(kept.seated, log=kept.log) as actor:
            game = Game(actor)
            for player in left_behind:
                game.disconnect(player.id)
            yield game
