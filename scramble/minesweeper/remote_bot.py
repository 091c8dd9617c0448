"""A player of Minesweeper at the other end of a WebSocket; docs/reference/minesweeper-websocket.md has the frames."""

from __future__ import annotations

import random
from typing import Final

import msgspec
import trio

from scramble.games.bot import Level, Thinking
from scramble.games.remote_bot import FrameType, Send, as_json
from scramble.minesweeper.bot_mind import SweeperMind
from scramble.minesweeper.messages import Place, Run, Snapshot


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


class MinesweeperPlayer:
    """A player of Minesweeper, as `RemotePlayer` describes it."""

    title = "Minesweeper"

    # AF: the player has sent _asked moves, and has the field of _version; the latest answer is for _answer.id, and the
    #     field shows it from _answer.version on. The player has dug _booms bombs.

    def __init__(self, name: str, level: Level, choices: random.Random, pace: float) -> None:
        self._mind: Final = SweeperMind(level, choices)
        self._thinking: Final = Thinking(level, choices, pace)
        self._news: Final = trio.lowlevel.ParkingLot()
        self._version: int | None = None
        self._asked = 0
        self._answer = _Answer()
        self._booms = 0

    def connected(self) -> None:
        """Begin over a new connection."""
        self._version, self._answer = None, _Answer()

    def take(self, text: str) -> None:
        """Take in a frame."""
        match msgspec.json.decode(text, type=FrameType).type:
            case "field":
                field = msgspec.json.decode(text, type=_Field)
                self._version = field.version
                self._mind.begin(Snapshot(field.version, field.columns, field.rows, field.lines, ()), field.start)
                if field.left == 0:
                    self._mind.finish()
            case "change":
                change = msgspec.json.decode(text, type=_FieldChange)
                if self._version is not None and change.version > self._version:
                    self._version = change.version
                    for event in change.events:
                        self._mind.see(event.runs)
                        if event.event == "ended":
                            self._mind.finish()
            case "done" | "boom" | "error" as kind:
                self._answer = msgspec.json.decode(text, type=_Answer)
                self._booms += kind == "boom"
        self._news.unpark_all()

    async def play(self, send: Send) -> str:
        """Play until all squares without a bomb are dug; a bot that has lost rejoins."""
        await self._until_version(0)
        while not self._mind.over:
            await self._thinking.think()
            move = self._mind.next_move()
            if move is not None:
                self._asked += 1
                await send(as_json(type=move.does, id=self._asked, x=move.x, y=move.y))
                while self._answer.id != self._asked:
                    await self._news.park()
                if self._answer.lost:
                    self._version = None
                    await send(as_json(type="rejoin"))
                if self._answer.pause:
                    await trio.sleep(self._answer.pause / 1000)
                await self._until_version(self._answer.version)
            elif not self._mind.over:
                await self._news.park()
        return "1 bomb dug" if self._booms == 1 else f"{self._booms} bombs dug"

    async def _until_version(self, version: int) -> None:
        while self._version is None or self._version < version:
            await self._news.park()
