"""A player of Crossword Extravaganza at the other end of a WebSocket; docs/reference/crossword.md has the frames."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import msgspec
import trio

from scramble.crossword import MatchView
from scramble.crossword.bot import IDEA_S, WORD_S, Entrance
from scramble.crossword.bot_mind import CrosswordMind, WordKey
from scramble.crossword.messages import MatchListing, PuzzleListing
from scramble.games.bot import Level, Thinking
from scramble.games.remote_bot import FrameType, NameRefused, Send


class _Result(msgspec.Struct, frozen=True):
    points: dict[str, int]
    winner: str | None = None


class _View(msgspec.Struct, frozen=True):
    state: str
    player: str | None = None
    message: str = ""
    error: str | None = None
    token: str | None = None
    puzzles: tuple[PuzzleListing, ...] = ()
    matches: tuple[MatchListing, ...] = ()
    match: msgspec.Raw = msgspec.Raw(b"null")
    result: _Result | None = None


class CrosswordPlayer:
    """A player of Crossword Extravaganza, as `RemotePlayer` describes it."""

    title = "Crossword Extravaganza"

    # AF: the latest of _number views is _view; with _token the player comes back to a match.

    def __init__(
        self, name: str, level: Level, choices: random.Random, pace: float, answers: Mapping[WordKey, str]
    ) -> None:
        self._name: Final = name
        self._entrance: Final = Entrance(choices)
        self._mind: Final = CrosswordMind(name, level, answers, choices)
        self._thinking: Final = Thinking(level, choices, pace, seconds=WORD_S)
        self._news: Final = trio.lowlevel.ParkingLot()
        self._view = _View("")
        self._number = 0
        self._token: str | None = None

    def connected(self) -> None:
        """Begin over a new connection."""
        self._view = _View("")

    def take(self, text: str) -> None:
        """Take in a frame."""
        if msgspec.json.decode(text, type=FrameType).state:
            self._view = msgspec.json.decode(text, type=_View)
            self._number += 1
            self._token = self._view.token or self._token
            self._news.unpark_all()

    async def play(self, send: Send) -> str:
        """Play one match to its end: the first that waits, else one that the bot makes."""
        while self._view.state != "SHOW SCORE":
            number = self._number
            match self._view.state:
                case "START":
                    if self._view.error is not None:
                        raise NameRefused(self._view.error)
                    await self._say(send, self._name if self._token is None else f"{self._name} {self._token}")
                case "CHOOSE":
                    error = self._view.error
                    await self._thinking.think()
                    if self._view.state == "CHOOSE":
                        await self._say(send, self._entrance.line(error, self._view.matches, self._view.puzzles))
                case "PLAY":
                    await self._thinking.think()
                    if self._view.state == "PLAY":
                        await self._move(send)
                case _:
                    await self._until_after(number)
        result = self._view.result
        return self._view.message if result is None else f"{result.points.get(self._name, 0)} points"

    async def _move(self, send: Send) -> None:
        line = self._mind.next_line(msgspec.json.decode(self._view.match, type=MatchView))
        number = self._number
        if line is not None:
            await self._say(send, line)
            return
        with trio.move_on_after(self._thinking.pause(IDEA_S)):
            await self._until_after(number)
            return
        if not self._mind.have_idea():
            await self._until_after(number)

    async def _say(self, send: Send, line: str) -> None:
        """Send a line, and wait for a view after it."""
        number = self._number
        await send(line)
        await self._until_after(number)

    async def _until_after(self, number: int) -> None:
        while self._number == number:
            await self._news.park()
