"""The door for embedding: play Memory Scramble from any trio program.

    async with open_game(Board.parse_from_file("boards/memory/perfect.txt")) as game:
        text = await game.look("alice")

Any number of tasks may share one `Game`. Safe because a `Game` holds no state of its own: each call is one
command to the owner task (see `scramble.actor`), which alone has the board, and who is there is counted in
`scramble.attendance`, between two awaits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Final, TypeVar

import trio

from scramble.actor import Actor, open_actor
from scramble.attendance import Attendance, open_attendance
from scramble.core import Command
from scramble.errors import InvalidCommand
from scramble.history import Changes
from scramble.journal import Journal, recorded
from scramble.memory.board import Board
from scramble.memory.boardfile import is_card, is_player
from scramble.memory.messages import (
    CardsMissing,
    CommitMap,
    FaceUp,
    Flip,
    ListCards,
    Look,
    NewGame,
    Relinquish,
    Replace,
    Snapshot,
    TakeSnapshot,
    Watch,
)
from scramble.stats import Stats

R = TypeVar("R")

_ACTS: Final = (Flip, Look, Watch, Replace, CommitMap, NewGame)
"""What a player does: all commands that a player gives."""


class Game:
    """A running game of Memory Scramble. Made by `open_game`.

    A player is an ID matching `[A-Za-z0-9_]+`. Board texts are BOARD_STATEs of the handout, from the side of the player
    who asks. Every method raises `InvalidCommand` for what is malformed or out of range, with nothing changed;
    `GameClosed` or `GameStopped` if the game ends before it answers. Every method is a checkpoint.
    """

    def __init__(self, actor: Actor, attendance: Attendance | None = None) -> None:
        self._actor = actor
        self._attendance = attendance

    async def ask(self, command: Command[R], *, parked: trio.Event | None = None) -> R:
        """Send any command of `scramble.memory.messages` and return its answer: what the methods below are made of.

        `parked` is set if the command has to wait for other players, as soon as that is known.
        """
        player = command.player if self._attendance is not None and isinstance(command, _ACTS) else None
        if self._attendance is None or not is_player(player):
            return await self._actor.ask(command, parked=parked)
        with self._attendance.present(player):
            if isinstance(command, Flip):
                self._attendance.suspect(player)
            return await self._actor.ask(command, parked=parked)

    def present(self, player: str) -> AbstractContextManager[None]:
        """During the block `player` counts as there: for a connection, or whatever else shows that somebody is.

        That matters to nobody but `release_idle` of `open_game`, and each request counts by itself, while it lasts.
        """
        if self._attendance is None or not is_player(player):
            return nullcontext()
        return self._attendance.present(player)

    async def look(self, player: str) -> str:
        """The board as it is now. No move, changes nothing, does not wait for other players."""
        return (await self.ask(Look(player))).text

    async def flip(self, player: str, row: int, column: int) -> str:
        """Turn over a first or second card by the rules 1-A to 3-B; the board right after that.

        Waits as long as another player controls the first card (1-D). If cancelled while it waits, the player
        no longer waits and never gets the card; cancelled later, the flip stands.

        Raises:
            FlipFailed: by rule 1-A, 2-A or 2-B; has `.rule`, `.reason` and the board in `.view`.
            AlreadyWaiting: this player's previous flip still waits. Nothing has changed.
            GameRestarted: somebody started a new game while this flip waited.
        """
        return (await self.ask(Flip(player, row, column))).text

    async def watch(self, player: str, since: int | None = None) -> str:
        """The board right after the next change: a card turned up or down, removed, or replaced by a different one.

        Waits for that change; with `since`, only if the board has not changed since that version. If cancelled,
        nothing has happened.
        """
        return (await self.ask(Watch(player, since))).text

    async def replace(self, player: str, old: str, new: str) -> str:
        """Replace every card equal to `old` by `new`, in one step; the board right after that."""
        return (await self.ask(Replace(player, old, new))).text

    async def map(self, player: str, f: Callable[[str], Awaitable[str]]) -> str:
        """Replace every card by `await f(card)`, all in one atomic step; the board right after that.

        `f` is called in the caller's task, once per distinct card, and may take its time: the game goes on meanwhile.
        Cards that come up while it does (another map ran) are computed too. Face and control stay as they are.
        If `f` raises, or the call is cancelled, nothing has changed.

        Raises:
            InvalidCommand: `f` returned something that is not a card; nothing has changed.
            Exception: whatever `f` raises.
        """
        mapping: dict[str, str] = {}
        with self.present(player):
            missing = await self.ask(ListCards())
            while True:
                for card in missing:
                    mapping[card] = _checked(card, await f(card))
                answer = await self.ask(CommitMap(player, mapping.copy()))
                if not isinstance(answer, CardsMissing):
                    return answer.text
                missing = answer.cards

    async def new_game(self, player: str, seed: int) -> str:
        """Start over with the cards the game began with, shuffled by `seed`. Waiting flips get `GameRestarted`."""
        return (await self.ask(NewGame(player, seed))).text

    async def snapshot(self) -> Snapshot:
        """All that everybody may know: cells, scores, who waits where. To be followed up by `changes`."""
        return await self.ask(TakeSnapshot())

    def changes(self) -> Changes:
        """Follow what happens from now on: `async for change in game.changes()`.

        A change has the board's version and the public events of one command. Bounded: a follower that falls
        too far behind is told in `change.missed` how many it lost. Ends when the game is closed.
        """
        return self._actor.subscribe()

    async def follow(self) -> tuple[Snapshot, Changes]:
        """`snapshot` and `changes` that fit together: without a gap, and without an overlap."""
        return await self._actor.follow(TakeSnapshot())

    async def ping(self) -> None:
        """Wait until all that is queued now is carried out, and safe if there is a journal."""
        await self._actor.ping()

    def stats(self) -> Stats:
        """What the game's owner has counted so far. Asks nobody, and works when the game is over, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game: all who wait get `GameClosed`. Leaving the block of `open_game` does the same."""
        await self._actor.aclose()


def _checked(card: str, new: object) -> str:
    if not isinstance(new, str) or not is_card(new):
        raise InvalidCommand(f"a map must make cards, but it made {new!r} of {card!r}")
    return new


@asynccontextmanager
async def open_game(
    board: Board, *, journal: Journal | None = None, release_idle: float | None = None
) -> AsyncIterator[Game]:
    """Start a game on a copy of `board`, so that nobody outside holds the live state.

    With a `journal` nobody is told anything that is not written down, and a game that is there already goes on instead
    of one on `board`. On leaving the block the game is closed, and whoever still waits gets `GameClosed`. An exception
    raised in the block leaves it as it is; a bug in the rules, or a disk that fails (`JournalFailed`), cancels the
    block and surfaces from it in an exception group.

    With `release_idle` players relinquish the cards they control, a matched pair included, after so many seconds in
    which they have asked for nothing and nobody was `Game.present` for them. A request counts until it is answered.
    Whoever controls cards as the game opens is away from then on.

    Raises:
        ValueError: `release_idle` is not above 0.
        JournalError: the journal cannot be used; it has not been changed.
    """
    if release_idle is not None and not release_idle > 0:
        raise ValueError(f"release_idle is a number of seconds above 0, not {release_idle!r}")
    async with recorded(board.copy(), journal) as kept, open_actor(kept.seated, log=kept.log) as actor:
        if release_idle is None:
            yield Game(actor)
            return
        async with open_attendance(release_idle, lambda player: actor.tell(Relinquish(player))) as attendance:
            game = Game(actor, attendance)
            for cell in (await game.snapshot()).cells:
                if isinstance(cell, FaceUp) and cell.by is not None:
                    attendance.suspect(cell.by)
            yield game
