"""The common parts of the rooms of all kinds: page, seats and replay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from quart import Response
from quart_trio import QuartTrio

from scramble.errors import Refusal
from scramble.front.replay.archive import Archive
from scramble.front.replay.http import add_replay_data
from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.gathering import GatheringOf
from scramble.front.rooms.pages import RoomPage, add_refusal_page
from scramble.front.rooms.people_api import add_acts
from scramble.front.rooms.share import SharedView
from scramble.front.site import SiteConfig
from scramble.front.web.client import Client, add_secrets
from scramble.front.web.door import SeatsDoor, Served
from scramble.front.web.page_data import in_time
from scramble.games.kind import GameKind
from scramble.games.table import narrators
from scramble.rooms.gathering.refusals import HostAct
from scramble.rooms.protocol import Room, RoomRecord


class NoReplay(Refusal):
    """The game is not journaled, so it has no replay."""

    code = "no-replay"
    status = 404


class NoReplayYet(NoReplay):
    """The replay would show secrets to the players before the end of the game."""

    code = "no-replay-yet"


class AnotherRoom(Refusal):
    """The room has only one game, and the players' next game needs another room. The refusal changes nothing."""

    code = "another-room"


Shared: TypeAlias = Callable[[RoomRecord], Awaitable[SharedView]]
"""Function that returns the view of a room and its links, for the client of the current request."""


def add_room(
    app: QuartTrio,
    kind: GameKind,
    site: SiteConfig,
    gathering_of: GatheringOf,
    door: SeatsDoor[Served],
    shared: Shared,
) -> None:
    """Add the common parts to the application of all rooms of `kind`. Blocks while it reads the pages."""
    add_secrets(app, site.protection.origins)
    add_acts(app, lambda: gathering_of(visiting().room), door.seats)
    add_replay_data(app, partial(_archive, kind))
    add_refusal_page(app, NoReplay, root=lambda: f"/g/{visiting().room.record.name}")
    page, replay_page = RoomPage(site.game_page(kind.name)), RoomPage(site.game_page("replay"))

    @app.get("/screen")  # the same page; at this address it shows the view for a projector
    @app.get("/")
    async def root() -> Response:
        room, base, _ = visiting()
        found = await in_time(partial(shared, room.record))
        answers = {} if found is None else {"share": found}
        return await page.response(room.record.name, base, replay=_has_replay(kind, room.record), answers=answers)

    @app.get("/replay")
    async def replay() -> Response:
        _archive(kind)
        room, base, _ = visiting()
        return await replay_page.response(room.record.name, base, replay=True)


async def require_host(gathering_of: GatheringOf, act: HostAct, client: Client) -> None:
    """Raise NotTheHost or StandsIn unless the client may do `act` in the current room."""
    await gathering_of(visiting().room).require_host(client.take_holder(), act)


def _has_replay(kind: GameKind, record: RoomRecord) -> bool:
    """Return False if the replay would show secrets to the players before the end of the game."""
    return not kind.replay_at_end or record.state == "ended"


def _make_archive(room: Room) -> Archive | None:
    journal = room.journal
    return None if journal is None else Archive(journal.read, narrators=narrators(), one_game=True)


def _archive(kind: GameKind) -> Archive:
    """Return the recording of the current room. Raises NoReplay."""
    room = visiting().room
    if not _has_replay(kind, room.record):
        raise NoReplayYet("the replay shows the cards: it is here once the game has ended")
    archive = room.attached(_make_archive, while_visited=True)
    if archive is None:
        raise NoReplay("this game is not recorded, so it has no replay")
    return archive
