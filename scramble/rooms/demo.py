"""Demonstration: a public room for each game. Only bots play in it, one game after another.

    async with open_rooms() as rooms, hosted_bots(rooms) as bots, demo_games(rooms, bots):
        ...

The rooms stay awake. People may watch, and join a game that has a free place. The next game opens in the successor of
the last room, so spectators follow. After a failed game or a closed room, the next room has no predecessor. Old rooms
are removed.

Safe under concurrency, also of several processes: all processes request the same rooms, and the register opens each
room once. If the process that ran a room has ended, another process continues the room.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
import trio

from scramble.errors import GameClosed, GameMoved, GameStopped, Refusal
from scramble.games.kind import GameKind
from scramble.games.settings import SEED_BITS
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry
from scramble.rooms.bothosts import BotHosts
from scramble.rooms.protocol import BotSetting, NoSuchRoom, RoomOrder, RoomRecord, RoomRemoved, Rooms

logger = logging.getLogger(__name__)

END_S: Final = 15.0  # between two games: spectators read the table of results
FAILED_GAME_PAUSE_S: Final = 30.0  # pause after a failure to open a game
MOVED_S: Final = 0.5  # pause after a game has moved to another process
DEMO_TITLE: Final = "Bots at play"  # in the list of open games
KEPT_GAMES: Final = 10  # ended games of each kind, kept for their replays


@dataclass(frozen=True)
class DemoGame:
    """A demonstration: the kind of game, the settings of the first game, and the bots."""

    kind: str
    settings: Mapping[str, object]
    bots: tuple[BotSetting, ...]


def games_of(kinds: Mapping[str, GameKind]) -> tuple[DemoGame, ...]:
    """Return the demonstration of each kind that has one."""
    return tuple(
        DemoGame(kind.name, kind.demo.settings, tuple(BotSetting(level) for level in kind.demo.levels))
        for kind in kinds.values()
        if kind.demo is not None
    )


@asynccontextmanager
async def demo_games(
    rooms: Rooms,
    bots: BotHosts,
    games: Sequence[DemoGame] | None = None,
    *,
    end_s: float = END_S,
    again_s: float = FAILED_GAME_PAUSE_S,
) -> AsyncIterator[None]:
    """Play demonstration games repeatedly during the block, by the `bots` of the rooms.

    `games` None: the demonstrations of all kinds. Continues rooms that an earlier process has left, or that other
    processes have opened. The next game begins `end_s` seconds after the end of a game, and `again_s` seconds after a
    failure. The rooms are open when the block begins. A failure to open a room is logged, and opening is retried.
    """
    games = games_of(rooms.kinds) if games is None else games
    first = [await _begin(rooms, game) for game in games]
    async with open_side_nursery(cancel) as nursery:
        for game, record in zip(games, first, strict=True):
            nursery.start_soon(partial(_series, rooms, game, record, end_s=end_s, again_s=again_s))
        yield


async def _begin(rooms: Rooms, game: DemoGame) -> RoomRecord | None:
    """Open the first game; return None if it cannot be opened."""
    try:
        return await _open(rooms, game)
    except (Refusal, GameStopped) as refused:
        _log(game, refused)
        return None


async def _open(rooms: Rooms, game: DemoGame, over: RoomRecord | None = None) -> RoomRecord:
    """Return the current room, or open the next one after `over`, with other cards, bombs or words."""
    settings, order = game.settings, RoomOrder(DEMO_TITLE, public=True, bots=game.bots, demo=True)
    if over is not None:
        again, before = rooms.kinds[game.kind].again, await rooms.settings(over)
        settings = await trio.to_thread.run_sync(again, before, secrets.randbits(SEED_BITS))
        order = msgspec.structs.replace(order, after=over.name)
    return await rooms.create(game.kind, settings, order)


async def _series(rooms: Rooms, game: DemoGame, record: RoomRecord | None, *, end_s: float, again_s: float) -> None:
    """Have bots play one game after another. The first game is in the room of `record`. Runs until cancelled."""
    while True:
        if record is None:
            await trio.sleep(again_s)
        try:
            if record is None:
                record = await _open(rooms, game)
            over = await _play(rooms, record.name, end_s)
            record = await _open(rooms, game, over)
            await _remove_old(rooms, record)
        except (GameMoved, GameClosed):  # if the room itself was closed, the next try notices it
            await trio.sleep(MOVED_S)
        except (Refusal, GameStopped) as refused:
            _log(game, refused)
            record = None


async def _play(rooms: Rooms, name: str, end_s: float) -> RoomRecord:
    """Keep a room awake, so that its bots play.

    Ends `end_s` seconds after the end of the game, or earlier if the room gets a successor.
    """
    async with rooms.enter(name) as room:
        record = room.record
        while record.state == "open":
            record = await room.next_record(record)
        with trio.move_on_after(end_s):
            while record.successor is None:
                record = await room.next_record(record)
    return record


async def _remove_old(rooms: Rooms, latest: RoomRecord) -> None:
    """Remove the rooms before `latest`, except the last `KEPT_GAMES`. Another process may have removed them already."""
    with suppress(NoSuchRoom, RoomRemoved):
        number, name = 0, latest.after
        while name is not None:
            number, before = number + 1, (await rooms.find(name)).after
            if number > KEPT_GAMES:
                await rooms.remove(name)
            name = before


def _log(game: DemoGame, refused: Exception) -> None:
    logger.warning(LogEntry("demo-stopped", game=game.kind, reason=str(refused)))
