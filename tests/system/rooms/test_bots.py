"""Bots in rooms, over real sockets.

Strategy:
- people see the bot among the players, by a display name with "bot"; in Memory Scramble and in Minesweeper
- seat: no client can play as the bot
- removed by the host: the bot leaves
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import trio

from scramble.games.table import game_kinds
from scramble.minesweeper.kind import minesweeper_kind
from scramble.players.seats import hash_of
from scramble.rooms.bothosts import hosted_bots
from scramble.rooms.protocol import BotSetting, RoomOrder
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Frame, Tab

PACE = 0.01
KINDS = {**game_kinds(), "minesweeper": minesweeper_kind(pause_ms=200)}  # the bot digs bombs at random


@asynccontextmanager
async def room_with_bot(kind: str, settings: dict[str, object]) -> AsyncIterator[tuple[ServedRooms, str, Tab]]:
    """Yield a server, and a room with a bot that Ann has opened; Ann has a tab in it."""
    async with (
        serving_rooms(kinds=KINDS) as served,
        hosted_bots(served.rooms, pace=PACE),
        trio.open_nursery() as nursery,
    ):
        record = await served.rooms.create(kind, settings, RoomOrder(host=hash_of(ANN), bots=(BotSetting("easy"),)))
        ann = Tab(await served.socket(f"/g/{record.name}/play/ann", ANN))
        nursery.start_soon(ann.read_all)
        yield served, record.name, ann
        nursery.cancel_scope.cancel()


def latest(tab: Tab, kind: str) -> Frame:
    """Return the latest frame of that type; an empty frame before the first."""
    return next((frame for frame in reversed(tab.frames) if frame["type"] == kind), {})


def names_of(tab: Tab) -> dict[str, str]:
    """Return the display names in the company."""
    return cast(dict[str, str], latest(tab, "company").get("names", {}))


async def test_a_bot_is_among_the_players_until_the_host_removes_it_and_nobody_plays_as_the_bot() -> None:
    async with room_with_bot("memory", {"size": "10x10"}) as (served, room, ann):
        await ann.until(lambda: any(name.startswith("bot ") for name in names_of(ann).values()))
        ((bot, name),) = names_of(ann).items()
        assert name == bot.replace("_", " ")
        await ann.until(lambda: latest(ann, "players").get("players") == ["ann", bot])
        assert (await served.get(f"/g/{room}/flip/ann/0,0", ANN)).status_code == 200  # the bot waits for the first move
        await ann.until(lambda: any(bot in cast(Frame, frame.get("scores", {})) for frame in ann.frames))
        assert (await served.get(f"/g/{room}/flip/{bot}/0,0", BOB)).status_code == 403
        removed = await served.client.post(f"/g/{room}/remove", headers=bearer(ANN), json={"player": bot})
        assert removed.is_success
        await ann.until(lambda: latest(ann, "players").get("players") == ["ann"])


async def test_a_bot_digs_a_field_to_its_end_beside_a_player() -> None:
    async with room_with_bot("minesweeper", {"preset": "beginner"}) as (served, room, ann):
        await ann.until(lambda: bool(names_of(ann)))
        (bot,) = names_of(ann)
        await ann.say({"type": "dig", "id": 1, "x": 0, "y": 0})  # the bot waits for the first dig
        await ann.until(lambda: latest(ann, "company").get("state") == "ended")
        record = await served.rooms.find(room)
        assert record.result is not None
        assert record.result.scores.keys() == {"ann", bot}
