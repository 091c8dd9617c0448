"""Bots: minds that choose moves, tables at which they play, and the one loop that lets a mind play at any table.

A mind is pure. It sees the public state and the events of its game, and returns moves:

    class DropMind(Mind):
        ...                                              # begin, follow, over, next_move

A table is a game as one player reaches it. Here it is a running game; in `scramble.games.remote_bot` it is the other
end of a WebSocket. `Table.play` looks at the game, thinks like a person, moves, and waits for news, until the mind says
that the game is over. `scramble.games.bot_seats` has what a kind of game brings for its bots.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import ClassVar, Final, Literal, Never, Protocol, TypeAlias, cast, get_args, runtime_checkable

import trio

from scramble.errors import DiskFull, GameClosed, Refusal
from scramble.games.room import RoomGame
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change, Command, Event

Level: TypeAlias = Literal["easy", "medium", "hard"]
"""How well a bot plays."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)

SECONDS: Final[Mapping[Level, tuple[float, float]]] = {"easy": (3.0, 6.0), "medium": (2.0, 4.0), "hard": (1.2, 2.4)}
"""The shortest and the longest time before a simple move: somebody who plays on a phone needs one to two seconds."""

PATIENCE_S: Final = 20.0  # for a move that waits for another player: the shortest turn clock of a room

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
"""Returns the block in which a bot thinks about one move; entering it waits until the bot may think."""

AT_ONCE: Final[Turn] = nullcontext
"""The `turn` of a bot that always may think."""


class Thinking:
    """The pauses of one bot: `pace` 1 is that of a human player, 2 half as fast, 0 as fast as the game answers."""

    def __init__(
        self,
        level: Level,
        choices: random.Random,
        pace: float,
        turn: Turn = AT_ONCE,
        seconds: Mapping[Level, tuple[float, float]] = SECONDS,
    ) -> None:
        """Make the pauses of that level; each is in a block of `turn`. Raises ValueError for a negative pace."""
        if not pace >= 0:
            raise ValueError(f"a pace is a number from 0 up, not {pace!r}")
        self.turn: Final = turn
        self._choices: Final = choices
        self._pace: Final = pace
        self._shortest, self._longest = seconds[level]

    async def think(self) -> None:
        """Wait as long as the bot thinks about one move. A checkpoint."""
        async with self.turn():
            await trio.sleep(self.pause(self._choices.uniform(self._shortest, self._longest)))

    def pause(self, seconds: float) -> float:
        """Return this bot's seconds for an action that takes a human player `seconds`."""
        return seconds * self._pace


class Mind(ABC):
    """One player's knowledge of a game, and the choice of the next move. Mutable.

    Pure: it opens no game and knows no clock, and sees only what every player sees. The classes of public states and of
    moves are those of its game.
    """

    seconds: ClassVar[Mapping[Level, tuple[float, float]]] = SECONDS
    """The shortest and the longest time before a move."""

    idea_s: ClassVar[float | None] = None
    """The time without news, in seconds, after which `have_idea` is called; None: never."""

    @abstractmethod
    def begin(self, snapshot: Never, /) -> None:
        """Look at the whole game: at first, and whenever changes were missed. What is remembered may still be true."""

    def follow(self, _events: Sequence[Event], /) -> bool:
        """Take in the events of one change; return False if the mind has to `begin` again."""
        return False

    @property
    @abstractmethod
    def over(self) -> bool:
        """True if there is nothing left to do in this game."""

    @abstractmethod
    def next_move(self) -> object:
        """Return the next move; None if there is nothing to do before somebody else moves."""

    def have_idea(self) -> bool:
        """Think of something else, after a long time without news; return False if that changes nothing."""
        return False

    @property
    def result(self) -> str:
        """The result of the player, for people, if the game is over."""
        return "the game is over"


MakeMind: TypeAlias = Callable[[str, Level, random.Random], Mind]
"""Makes the mind of a player with that name, of that level, which makes its choices so."""


class Table(ABC):
    """A game as one player reaches it, and the mind that plays it."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind

    async def play(self, thinking: Thinking) -> None:
        """Play until the mind says that the game is over.

        The bot looks at the game, and thinks about each move, in a block of the `turn` of `thinking`.
        """
        async with thinking.turn():  # what the mind knows takes memory and time
            await self.look()
        while not self.mind.over:
            await thinking.think()
            await self.catch_up()
            move = self.mind.next_move()
            if move is not None:
                await self.move(move)
            elif not self.mind.over:
                await self._wait(thinking)

    async def _wait(self, thinking: Thinking) -> None:
        """Wait for news, or until an idea comes to mind."""
        idea_s = self.mind.idea_s
        with trio.move_on_after(math.inf if idea_s is None else thinking.pause(idea_s)) as waiting:
            await self.wait()
        if waiting.cancelled_caught and not self.mind.have_idea():
            await self.wait()

    @abstractmethod
    async def look(self) -> None:
        """Show the mind the whole game. Waits until there is one."""

    @abstractmethod
    async def catch_up(self) -> None:
        """Show the mind all past changes. Does not wait for other players."""

    @abstractmethod
    async def wait(self) -> None:
        """Wait for news after the last `catch_up`, and show them to the mind. Cancellation loses nothing."""

    @abstractmethod
    async def move(self, move: object, /) -> None:
        """Make a move, wait for its outcome, and show that to the mind."""


OpenTable: TypeAlias = Callable[[RoomGame, str, Mind], AbstractAsyncContextManager[Table]]
"""Lets a player of that name join a running game, with that mind, for the length of a block."""


@runtime_checkable
class Followed(RoomGame, Protocol):
    """A running game whose public state can be followed."""

    async def follow(self) -> tuple[object, Changes]:
        """Return a snapshot of everything public, and the changes after it."""


class FollowedTable(Table):
    """A running game that shows the mind a snapshot, and then the events. Moves are commands of the game.

    Refused moves are no errors, because others have moved since the bot looked. A move that waits for another player is
    cancelled after `PATIENCE_S`. Moves and waits raise GameClosed, GameStopped, and DiskFull.
    """

    def __init__(self, game: Followed, mind: Mind) -> None:
        super().__init__(mind)
        self._game: Final = game
        self._changes: Changes | None = None

    async def look(self) -> None:
        """Show the mind a snapshot."""
        snapshot, self._changes = await self._game.follow()
        self.mind.begin(cast(Never, snapshot))

    async def catch_up(self) -> None:
        """Show the mind the changes until now."""
        assert self._changes is not None
        await self._show(self._changes.pending())

    async def wait(self) -> None:
        """Wait for the next change."""
        assert self._changes is not None
        try:
            change = await anext(self._changes)
        except StopAsyncIteration:
            raise GameClosed("the game was closed") from None
        await self._show([change])

    async def _show(self, news: Iterable[Change]) -> None:
        for change in news:
            if change.missed or not self.mind.follow(change.events):
                await self.look()
                return

    async def move(self, move: object, /) -> None:
        """Ask the game to carry out a command."""
        assert isinstance(move, Command)
        with trio.move_on_after(PATIENCE_S):
            try:
                await self._game.ask(move)
            except DiskFull:
                raise
            except Refusal:
                pass  # the changes show why
        await self.catch_up()


@asynccontextmanager
async def open_followed(game: RoomGame, _name: str, mind: Mind, /) -> AsyncIterator[Table]:
    """Let a mind play a game that has `follow`, and whose players need no more than moves. An `OpenTable`."""
    assert isinstance(game, Followed)
    yield FollowedTable(game, mind)
