"""Parts of a kind of game for its bots: `GameKind.bots`.

    BotSeats(DropMind, has_begun)                                            a game that has `follow`
    BotSeats(MemoryMind, begun, open_table, remote=RemoteSeats(...))

One loop (`scramble.games.bot`) plays all kinds of games, in rooms, in programs and on other servers.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

from scramble.errors import GameClosed
from scramble.games.bot import AT_ONCE, Level, MakeMind, Mind, OpenTable, Thinking, Turn, open_followed
from scramble.games.remote_bot import RemoteSeats
from scramble.games.room import RoomGame


@dataclass(frozen=True)
class Lessons:
    """Knowledge that only the bots of a kind have, but not the players. Both functions block."""

    option: str  # of `scramble bot`, without the dashes; its value is a file, and it may be repeated
    help: str  # help text of the option
    of_files: Callable[[Sequence[Path]], MakeMind]  # for a bot on any server, from files; raises OperatorError
    of_settings: Callable[[Mapping[str, object]], MakeMind]  # for a bot in a room with these settled settings


@dataclass(frozen=True)
class BotSeats:
    """The bots of a kind of game. Only `mind` and `begun` are required."""

    mind: MakeMind
    begun: Callable[[RoomGame], Awaitable[None]]  # waits for the first move; bots in rooms let people begin
    open_table: OpenTable = open_followed  # joins a running game
    remote: RemoteSeats | None = None  # None: `scramble bot` cannot play this kind
    lessons: Lessons | None = None
    most: int | None = None  # maximum number of bots in a room with people; None: the server's limit
    stay_s: float = 0.0  # time after the end of the game, to finish the last move

    def taught(self, files: Sequence[Path] = ()) -> MakeMind:
        """Return a function that makes minds for bots on any server. `files` are for the option of `lessons`. Blocks.

        Raises OperatorError.
        """
        return self.mind if self.lessons is None else self.lessons.of_files(files)

    async def play(
        self,
        game: RoomGame,
        name: str,
        level: Level,
        /,
        *,
        minds: MakeMind | None = None,
        settings: Mapping[str, object] | None = None,
        seed: int = 0,
        pace: float = 1.0,
        turn: Turn = AT_ONCE,
    ) -> Mind:
        """Play a running game as the player `name` until the game is over or closed; return the bot's mind.

        `minds` makes the mind. Without `minds`, the mind gets the lessons of a room with these `settings`. The bot
        looks at the game, and thinks about each move, in a block of `turn`. Raises ValueError for a negative pace,
        GameStopped if the game's owner fails, and refusals of the game that the bot cannot handle.
        """
        if minds is None and self.lessons is not None and settings is not None:
            minds = await trio.to_thread.run_sync(partial(self.lessons.of_settings, settings))
        choices = random.Random(f"{seed} {name}")
        mind = (minds or self.mind)(name, level, choices)
        thinking = Thinking(level, choices, pace, turn, mind.seconds)
        with suppress(GameClosed):
            async with self.open_table(game, name, mind) as table:
                await table.play(thinking)
        return mind
