"""Bot for Minesweeper: a trio program that uses only the game's embedding API.

    async with open_game(Field.random(10, 10)) as game, trio.open_nursery() as nursery:
        nursery.start_soon(play_minesweeper, game, "bot_Ada", "medium")

The bot sees the public changes of the field, as every player does. If the field has a start, the bot digs the start
first. After a boom it waits until the end of the pause. On another server it plays with the frames of
docs/reference/minesweeper-websocket.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import trio

from scramble.games.bot import AT_ONCE, FollowedTable, Level, Mind, Table, Turn
from scramble.games.bot_seats import BotSeats
from scramble.games.remote_bot import FrameHead, RemoteSeats, RemoteTable, Send, as_json
from scramble.games.room import RoomGame
from scramble.minesweeper import Game, room
from scramble.minesweeper.bot_mind import SweeperMind, SweeperMove
from scramble.minesweeper.messages import Place, Run, Snapshot


class MinesweeperTable(FollowedTable):
    """A running game with the bot as a connected player."""

    def __init__(self, game: Game, player: int, mind: SweeperMind) -> None:
        super().__init__(game, mind)
        self._moves: Final = {"dig": game.dig, "flag": game.flag}
        self._player: Final = player

    async def move(self, move: object, /) -> None:
        """Make a move. After a boom, wait until the end of the pause."""
        assert isinstance(move, SweeperMove)
        view = await self._moves[move.does](move.x, move.y, self._player)
        if view.pause_ms:
            await trio.sleep(view.pause_ms / 1000)
        await self.catch_up()


@asynccontextmanager
async def open_table(game: RoomGame, name: str, mind: Mind, /) -> AsyncIterator[Table]:
    """Connect to a game. An `OpenTable`."""
    assert isinstance(game, Game)
    assert isinstance(mind, SweeperMind)
    async with game.connect(name) as welcome:
        yield MinesweeperTable(game, welcome.player, mind)


class _Field(msgspec.Struct, frozen=True):
    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    left: int | None = None
    start: Place | None = None


class _FieldEvent(msgspec.Struct, frozen=True):
    event: str = msgspec.field(name="is")
    runs: tuple[Run, ...] = ()


class _FieldChange(msgspec.Struct, frozen=True):
    version: int
    events: tuple[_FieldEvent, ...]


class _Answer(msgspec.Struct, frozen=True):
    id: int | None = None
    version: int = 0
    lost: bool = False
    pause: int = 0


class RemoteMinesweeperTable(RemoteTable):
    """A game of Minesweeper on another server."""

    # AF: the mind has the field of the version _version; -1: no field yet. _answer is the latest answer; the field
    #     shows its effect from the version of the answer on. The player has dug _booms bombs.

    mind: SweeperMind

    def __init__(self, _name: str, mind: Mind) -> None:
        assert isinstance(mind, SweeperMind)
        super().__init__(mind)
        self._version = -1
        self._answer = _Answer()
        self._booms = 0

    def connected(self, send: Send) -> None:
        """Begin again on a new connection."""
        super().connected(send)
        self._version = -1

    def show(self, head: FrameHead, text: str) -> bool:
        """Show a frame to the mind."""
        match head.type:
            case "field":
                field = msgspec.json.decode(text, type=_Field)
                self._version, self.begun = field.version, True
                self.mind.begin(Snapshot(field.version, field.columns, field.rows, field.lines, ()), field.start)
                if field.left == 0:
                    self.mind.finish()
                return True
            case "change":
                change = msgspec.json.decode(text, type=_FieldChange)
                if not self.begun or change.version <= self._version:
                    return False
                self._version = change.version
                for event in change.events:
                    self.mind.see(event.runs)
                    if event.event == "ended":
                        self.mind.finish()
                return True
            case "done" | "boom" | "error":
                self._answer = msgspec.json.decode(text, type=_Answer)
                self._booms += head.type == "boom"
                self.answered(self._answer.id)
        return False

    @property
    def result(self) -> str:
        """The number of bombs dug."""
        return "1 bomb dug" if self._booms == 1 else f"{self._booms} bombs dug"

    async def move(self, move: object, /) -> None:
        """Make a move. After a boom, wait until the end of the pause. Rejoin if the player has lost."""
        assert isinstance(move, SweeperMove)
        await self.ask(type=move.does, x=move.x, y=move.y)
        answer = self._answer
        if answer.lost:
            self.begun, self._version = False, -1
            await self.send(as_json(type="rejoin"))
        if answer.pause:
            await trio.sleep(answer.pause / 1000)
        await self.until(lambda: self.begun and self._version >= answer.version)


BOTS: Final = BotSeats(
    lambda _name, level, choices: SweeperMind(level, choices),
    room.begun,
    open_table,
    remote=RemoteSeats(lambda head: head.type == "field", RemoteMinesweeperTable),
)


async def play_minesweeper(
    game: Game,
    name: str,
    level: Level = "medium",
    *,
    seed: int = 0,
    pace: float = 1.0,
    turn: Turn = AT_ONCE,
) -> None:
    """Play as a player with this `name` until all squares without a bomb are dug, or the game is closed.

    The bot looks at the field, and thinks about each move, in a block of `turn`. Raises InvalidCommand for an invalid
    name, ValueError for a negative pace, and GameStopped if the game stops because of a bug.
    """
    await BOTS.play(game, name, level, seed=seed, pace=pace, turn=turn)
