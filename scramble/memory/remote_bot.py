"""A player of Memory Scramble at the other end of a WebSocket; docs/reference/websocket.md has the frames."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import msgspec
import trio

from scramble.games.bot import Level, Thinking
from scramble.games.remote_bot import FrameType, Send, as_json
from scramble.memory.bot import PATIENCE_S
from scramble.memory.bot_mind import MemoryMind
from scramble.memory.messages import Cell, Snapshot


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


class MemoryPlayer:
    """A player of Memory Scramble, as `RemotePlayer` describes it."""

    title = "Memory Scramble"

    # AF: the player has sent _asked flips, of which the latest is _answered; _score pairs are the player's.

    def __init__(self, name: str, level: Level, choices: random.Random, pace: float) -> None:
        self._name: Final = name
        self._mind: Final = MemoryMind(name, level, choices)
        self._thinking: Final = Thinking(level, choices, pace)
        self._news: Final = trio.lowlevel.ParkingLot()
        self._begun = False
        self._asked = 0
        self._answered = True
        self._score = 0

    def connected(self) -> None:
        """Begin over a new connection."""
        self._begun, self._answered = False, True

    def take(self, text: str) -> None:
        """Take in a frame."""
        match msgspec.json.decode(text, type=FrameType).type:
            case "board":
                board = msgspec.json.decode(text, type=_Board)
                self._mind.begin(
                    Snapshot(board.version, board.rows, board.columns, board.cells, board.scores, {}, board.pairs_left)
                )
                self._score = board.scores.get(self._name, self._score)
                self._begun = True
            case "restarted":
                self._mind.forget()
            case "change":
                change = msgspec.json.decode(text, type=_BoardChange)
                for at in change.cells:
                    self._mind.see(at.row, at.column, at.cell)
                self._score = change.scores.get(self._name) or self._score
                if change.pairs_left is not None:
                    self._mind.pairs_left = change.pairs_left
            case "flip":
                outcome = msgspec.json.decode(text, type=_Outcome)
                self._answered = self._answered or (outcome.id == self._asked and outcome.outcome != "waiting")
        self._news.unpark_all()

    async def play(self, send: Send) -> str:
        """Play until no pair is left."""
        while not self._begun:
            await self._news.park()
        while not self._mind.over:
            await self._thinking.think()
            place = self._mind.next_flip()
            if place is not None:
                await self._flip(send, *place)
            elif not self._mind.over:
                await self._news.park()
        return "1 pair" if self._score == 1 else f"{self._score} pairs"

    async def _flip(self, send: Send, row: int, column: int) -> None:
        self._asked += 1
        self._answered = False
        await send(as_json(type="flip", id=self._asked, row=row, column=column))
        with trio.move_on_after(PATIENCE_S) as patience:
            await self._until_answered()
        if patience.cancelled_caught:
            await send(as_json(type="withdraw"))
            await self._until_answered()

    async def _until_answered(self) -> None:
        while not self._answered:
            await self._news.park()
