"""Bot for Memory Scramble: a trio program that uses only the game's embedding API.

    async with open_game(board) as game, trio.open_nursery() as nursery:
        nursery.start_soon(play_memory, game, "bot_Ada", "medium")

The bot sees the public changes of the game, as every player does, and plays by the same rules. On another server it
plays with the frames of docs/reference/websocket.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from scramble.games.bot import AT_ONCE, PATIENCE_S, FollowedTable, Level, Mind, Table, Turn
from scramble.games.bot_seats import BotSeats
from scramble.games.remote_bot import FrameHead, RemoteSeats, RemoteTable
from scramble.games.room import RoomGame
from scramble.memory import Game, room
from scramble.memory.bot_mind import MemoryMind
from scramble.memory.messages import Cell, Flip, Snapshot

TAKING_S: Final = 10.0  # time after the last match, in which its player may remove the pair


@asynccontextmanager
async def open_table(game: RoomGame, name: str, mind: Mind, /) -> AsyncIterator[Table]:
    """Join a game as a present player. An `OpenTable`."""
    assert isinstance(game, Game)
    assert isinstance(mind, MemoryMind)
    with game.present(name):
        yield FollowedTable(game, mind)


class _Board(msgspec.Struct, frozen=True):
    version: int
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    scores: dict[str, int]
    pairs_left: int


class _CellAt(msgspec.Struct, frozen=True):
    row: int
    column: int
    cell: Cell


class _BoardChange(msgspec.Struct, frozen=True):
    cells: tuple[_CellAt, ...] = ()
    scores: Mapping[str, int | None] = {}
    pairs_left: int | None = None


class _Outcome(msgspec.Struct, frozen=True):
    outcome: str
    id: int | None = None


class RemoteMemoryTable(RemoteTable):
    """A game of Memory Scramble on another server. The player has _score pairs."""

    mind: MemoryMind

    def __init__(self, name: str, mind: Mind) -> None:
        assert isinstance(mind, MemoryMind)
        super().__init__(mind)
        self._name: Final = name
        self._score = 0

    def show(self, head: FrameHead, text: str) -> bool:
        """Show a frame to the mind."""
        match head.type:
            case "board":
                board = msgspec.json.decode(text, type=_Board)
                self.mind.begin(
                    Snapshot(board.version, board.rows, board.columns, board.cells, board.scores, {}, board.pairs_left)
                )
                self._score = board.scores.get(self._name, self._score)
                self.begun = True
            case "restarted":
                self.mind.forget()
            case "change":
                change = msgspec.json.decode(text, type=_BoardChange)
                for at in change.cells:
                    self.mind.see(at.row, at.column, at.cell)
                self._score = change.scores.get(self._name) or self._score
                if change.pairs_left is not None:
                    self.mind.pairs_left = change.pairs_left
            case "flip":
                flip = msgspec.json.decode(text, type=_Outcome)
                if flip.outcome != "waiting":
                    self.answered(flip.id)
                return False
            case _:
                return False
        return True

    @property
    def result(self) -> str:
        """The number of pairs."""
        return "1 pair" if self._score == 1 else f"{self._score} pairs"

    async def move(self, flip: object, /) -> None:
        """Flip a card. Withdraw the flip if it waits too long for another player's card."""
        assert isinstance(flip, Flip)
        await self.ask(patience_s=PATIENCE_S, type="flip", row=flip.row, column=flip.column)


BOTS: Final = BotSeats(
    MemoryMind,
    room.begun,
    open_table,
    remote=RemoteSeats(lambda head: head.type == "board", RemoteMemoryTable),
    stay_s=TAKING_S,
)


async def play_memory(
    game: Game,
    name: str,
    level: Level = "medium",
    *,
    seed: int = 0,
    pace: float = 1.0,
    turn: Turn = AT_ONCE,
) -> None:
    """Play as the player `name` until no pair is left, or the game is closed.

    The bot keeps a card only while it waits for its `turn` and thinks about one flip. It waits at most `PATIENCE_S` for
    a card of another player. It looks at the table, and thinks about each flip, in a block of `turn`.

    Raises InvalidCommand for an invalid name, ValueError for a negative pace, and GameStopped if the game stops because
    of a bug.
    """
    await BOTS.play(game, name, level, seed=seed, pace=pace, turn=turn)
