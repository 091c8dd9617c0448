"""The clock of a room of Memory Scramble: each connection sees how long the cards that somebody waits for are held."""

from __future__ import annotations

from typing import Final, NoReturn

import trio

from scramble.front.web.websocket import Link
from scramble.memory.frames import clock_frame
from scramble.memory.game import Game

PAUSE_S: Final = 0.1  # between two frames to one connection


async def send_clock(game: Game, link: Link) -> NoReturn:
    """Send a `clock` frame whenever it changes which players must let go of cards, and when. Runs until cancelled."""
    due = await game.due()
    while True:
        await link.send(clock_frame(due.seconds).decode())
        await trio.sleep(PAUSE_S)
        due = await game.due(after=due.number)
