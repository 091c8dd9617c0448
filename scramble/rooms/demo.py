"""Demonstration: a public room of each game in which bots play, without anybody else, one game after another.

    async with open_rooms() as rooms, hosted_bots(rooms) as bots, demo_games(rooms, bots):
        ...

The rooms stay awake. People may watch, and join where there is a place. The next game is the successor of the one
before, so who watches goes along; a room whose game failed, or that was closed, is followed by one without a
predecessor. Rooms of games long over are removed.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from scramble.errors import GameStopped, Refusal
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry
from scramble.rooms.bothosts import BotHosts
from scramble.rooms.protocol import BotSetting, NoSuchRoom, RoomRecord, RoomRemoved, Rooms

logger = logging.getLogger(__name__)

END_S: Final = 15.0  # between two games: who watches reads the table at the end
AGAIN_S: Final = 30.0  # until another try, after a game could not be opened
TITLE: Final = "Bots at play"  # in the list of open games
KEPT: Final = 10  # games of each kind that are over, for their replays


@dataclass(frozen=True)
class DemoGame:
    """One of the games: its kind, the settings of the first, and the bots."""

    kind: str
    settings: Mapping[str, object]
    bots: tuple[BotSetting, ...]


DEMO_GAMES: Final = (
    DemoGame("memory", {"size": "6x6"}, (BotSetting("easy"), BotSetting("medium"), BotSetting("hard"))),
    DemoGame("minesweeper", {"preset": "intermediate"}, (BotSetting("medium"), BotSetting("hard"))),
    DemoGame("crossword", {"puzzle": "kitchen"}, (BotSetting("medium"), BotSetting("hard"))),
)
"""What `scramble serve --demo` opens."""


@asynccontextmanager
async def demo_games(
    rooms: Rooms,
    bots: BotHosts,
    games: Sequence[DemoGame] = DEMO_GAMES,
    *,
    end_s: float = END_S,
    again_s: float = AGAIN_S,
) -> AsyncIterator[None]:
    """Open these games, and have them played again and again during the block.

    The next game begins `end_s` seconds after each end, and `again_s` seconds after one that failed. The rooms are
    open when the block begins. Raises BadSettings, RoomsFull or DiskFull if one cannot be opened then.
    """
    first = [await _open(rooms, game) for game in games]
    async with open_side_nursery(cancel) as nursery:
        for game, record in zip(games, first, strict=True):
            nursery.start_soon(partial(_series, rooms, bots, game, record, end_s=end_s, again_s=again_s))
        yield


async def _open(rooms: Rooms, game: DemoGame, after: RoomRecord | None = None) -> RoomRecord:
    """Open the next game: the successor of `after`, with other cards, bombs or words."""
    settings = game.settings
    if after is not None:
        again, before = rooms.kinds[game.kind].again, await rooms.settings(after)
        settings = await trio.to_thread.run_sync(again, before, secrets.randbits(31))
    return await rooms.create(
        game.kind, settings, title=TITLE, public=True, bots=game.bots, after=None if after is None else after.name
    )


async def _series(
    rooms: Rooms, bots: BotHosts, game: DemoGame, record: RoomRecord, *, end_s: float, again_s: float
) -> None:
    """Have one game after another played. Runs until cancelled."""
    over: deque[str] = deque()
    while True:
        try:
            await _play(rooms, bots, record.name, end_s)
            after = await rooms.find(record.name)
            record = await _open(rooms, game, after if after.state == "ended" else None)
            over.append(after.name)
            if len(over) > KEPT:
                with suppress(NoSuchRoom, RoomRemoved):
                    await rooms.remove(over.popleft())
        except (Refusal, GameStopped) as refused:
            logger.warning(LogEntry("demo-stopped", game=game.kind, reason=str(refused)))
            await trio.sleep(again_s)
            with suppress(Refusal, GameStopped):
                record = await _go_on(rooms, game, record.name)


async def _go_on(rooms: Rooms, game: DemoGame, name: str) -> RoomRecord:
    """Return the room again, if its game can go on, or open another one."""
    with suppress(NoSuchRoom, RoomRemoved):
        record = await rooms.find(name)
        if record.state == "open":
            return record
    return await _open(rooms, game)


async def _play(rooms: Rooms, bots: BotHosts, name: str, end_s: float) -> None:
    """Keep a room awake, and its bots at play, until some time after its end."""
    async with rooms.enter(name) as room:
        with bots.playing_alone(name):
            while room.record.state == "open":
                await room.next_record(room.record)
        await trio.sleep(end_s)
