"""Bots: a mind chooses the moves of a player, a table connects a mind to a game, and one loop plays at all tables.

A mind is pure. It sees the public state and the events of its game, and returns moves:

    class DropMind(Mind):
        ...                                              # begin, follow, over, next_move

A table gives one player access to a game. The tables in this module use a running game. The tables in
`scramble.games.remote_bot` use a WebSocket. `Table.play` looks at the game, pauses like a person, moves, and waits for
news, until the mind reports the end of the game. `scramble.games.bot_seats` has the parts of a kind of game for bots.
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
"""The shortest and the longest time before a simple move. A person on a phone needs one to two seconds."""

PATIENCE_S: Final = 20.0  # time limit for a move that waits for another player, like the shortest turn clock of a room

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
"""Function that returns a context manager: a bot thinks about one move in its block. Entering the block may wait."""

AT_ONCE: Final[Turn] = nullcontext
"""The `turn` of a bot that may always think."""


class Thinking:
    """The pauses of one bot. With `pace` 1 it pauses like a human player, with 2 twice as long, with 0 not at all."""

    def __init__(
        self,
        level: Level,
        choices: random.Random,
        pace: float,
        turn: Turn = AT_ONCE,
        seconds: Mapping[Level, tuple[float, float]] = SECONDS,
    ) -> None:
        """Make the pauses of a level. Each pause is in a block of `turn`. Raises ValueError for a negative pace."""
        if not pace >= 0:
            raise ValueError(f"a pace is a number from 0 up, not {pace!r}")
        self.turn: Final = turn
        self._choices: Final = choices
        self._pace: Final = pace
        self._shortest, self._longest = seconds[level]

    async def think(self) -> None:
        """Wait for the time that the bot needs for one move. A checkpoint."""
        async with self.turn():
            await trio.sleep(self.pause(self._choices.uniform(self._shortest, self._longest)))

    def pause(self, seconds: float) -> float:
        """Return this bot's time for an action for which a human player needs `seconds`."""
        return seconds * self._pace


class Mind(ABC):
    """One player's knowledge of a game, and the choice of the next move. Mutable.

    Pure: a mind opens no game, knows no clock, and sees only public information. The game defines the classes of public
    states and of moves.
    """

    seconds: ClassVar[Mapping[Level, tuple[float, float]]] = SECONDS
    """The shortest and the longest time before a move."""

    idea_s: ClassVar[float | None] = None
    """The time without news, in seconds, after which `have_idea` is called; None: never."""

    @abstractmethod
    def begin(self, snapshot: Never, /) -> None:
        """Learn the public state of the game, at first and after missed changes. Old knowledge may still be true."""

    def follow(self, _events: Sequence[Event], /) -> bool:
        """Learn the events of one change; return False if the mind must `begin` again."""
        return False

    @property
    @abstractmethod
    def over(self) -> bool:
        """True if the player will not move again in this game."""

    @abstractmethod
    def next_move(self) -> object:
        """Return the next move; None if another player has to move first."""

    def have_idea(self) -> bool:
        """Look for another move after a long time without news; return False if there is no other move."""
        return False

    @property
    def result(self) -> str:
        """The result of the player, for people, if the game is over."""
        return "the game is over"


MakeMind: TypeAlias = Callable[[str, Level, random.Random], Mind]
"""Function that makes the mind of a player from the player's name, the level, and a source of random choices."""


class Table(ABC):
    """One player's access to a game, and the mind that plays the game."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind

    async def play(self, thinking: Thinking) -> None:
        """Play until the mind reports the end of the game.

        The bot looks at the game, and thinks about each move, in a block of the `turn` of `thinking`.
        """
        async with thinking.turn():  # learning the whole game takes memory and time
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
        """Wait for news. If there is no news for `idea_s` seconds, ask the mind for another move."""
        idea_s = self.mind.idea_s
        with trio.move_on_after(math.inf if idea_s is None else thinking.pause(idea_s)) as waiting:
            await self.wait()
        if waiting.cancelled_caught and not self.mind.have_idea():
            await self.wait()

    @abstractmethod
    async def look(self) -> None:
        """Show the whole game to the mind. Waits until the game exists."""

    @abstractmethod
    async def catch_up(self) -> None:
        """Show all past changes to the mind. Does not wait for other players."""

    @abstractmethod
    async def wait(self) -> None:
        """Wait for news after the last `catch_up`, and show the news to the mind. Cancellation loses no news."""

    @abstractmethod
    async def move(self, move: object, /) -> None:
        """Make a move, wait for its outcome, and show the outcome to the mind."""


OpenTable: TypeAlias = Callable[[RoomGame, str, Mind], AbstractAsyncContextManager[Table]]
"""Function that returns a context manager: in its block, the player with this name and mind plays a running game."""


@runtime_checkable
class Followed(RoomGame, Protocol):
    """A running game that reports its public state and its changes."""

    async def follow(self) -> tuple[object, Changes]:
        """Return a snapshot of the public state, and the later changes."""


class FollowedTable(Table):
    """A table at a running game. The mind sees a snapshot and the later events. Moves are commands of the game.

    Refused moves are not errors, because other players may have moved since the bot looked. A move that waits for
    another player is cancelled after `PATIENCE_S`. Moves and waits raise GameClosed, GameStopped, and DiskFull.
    """

    def __init__(self, game: Followed, mind: Mind) -> None:
        super().__init__(mind)
        self._game: Final = game
        self._changes: Changes | None = None

    async def look(self) -> None:
        """Show a snapshot to the mind."""
        snapshot, self._changes = await self._game.follow()
        self.mind.begin(cast(Never, snapshot))

    async def catch_up(self) -> None:
        """Show the changes up to now to the mind."""
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
        """Ask the game to execute a command."""
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
    """Let a mind play a game with a method `follow`. Its players only make moves. An `OpenTable`."""
    assert isinstance(game, Followed)
    yield FollowedTable(game, mind)
