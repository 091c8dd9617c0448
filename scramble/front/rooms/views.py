"""Views of rooms as JSON: what the rooms API and the lobby's WebSocket say of them.

The settings of a room from which its secrets follow, such as the seed of a board, are shown only once its game is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scramble.games.room import GameResult
from scramble.rooms.protocol import BotSetting, Names, RoomRecord, Rooms, RoomState


def held_frame(held: bool) -> str:
    """Return the frame that tells a connection whether everything in the rooms is held up."""
    return msgspec.json.encode({"type": "held", "held": held}).decode()


class OpenedView(msgspec.Struct, frozen=True):
    """A room that was opened just now."""

    room: str
    game: str
    title: str
    public: bool
    state: RoomState


class ListedView(msgspec.Struct, frozen=True):
    """A room in the list of rooms. Times are in seconds since 1970."""

    room: str
    game: str
    title: str
    players: int
    watching: int
    state: RoomState
    opened: float
    bots: tuple[BotSetting, ...]  # that play once somebody does


class RoomView(ListedView, frozen=True):
    """All that everybody may know of a room. `host` is True if the client that asks has opened it."""

    public: bool
    names: Names
    settings: Mapping[str, object]
    turn_clock: float | None
    host: bool
    ended: float | None
    result: GameResult | None
    after: str | None
    successor: str | None


class ListView(msgspec.Struct, frozen=True):
    """The list of rooms, newest first."""

    rooms: list[ListedView]


def title_of(rooms: Rooms, record: RoomRecord) -> str:
    """Return the title of a room: its own, or that of its game, which this server need not have."""
    kind = rooms.kinds.get(record.kind)
    return record.title or (record.kind if kind is None else kind.title)


def opened_view(rooms: Rooms, record: RoomRecord) -> OpenedView:
    """Return the view of a room that was opened just now."""
    return OpenedView(record.name, record.kind, title_of(rooms, record), record.public, record.state)


def list_view(rooms: Rooms, records: Iterable[RoomRecord]) -> ListView:
    """Return the list of these rooms."""
    return ListView([listed_view(rooms, record) for record in records])


def listed_view(rooms: Rooms, record: RoomRecord) -> ListedView:
    """Return the view of a room in a list."""
    headcount = rooms.headcount(record.name)
    return ListedView(
        room=record.name,
        game=record.kind,
        title=title_of(rooms, record),
        players=headcount.players,
        watching=headcount.watching,
        state=record.state,
        opened=round(record.opened, 3),
        bots=record.bots,
    )


async def room_view(rooms: Rooms, record: RoomRecord, holder: str | None) -> RoomView:
    """Return the view of a room for the client whose secret has the SHA-256 `holder`.

    Raises RoomDamaged; NoSuchRoom or RoomRemoved if it goes just now.
    """
    settings = await rooms.settings(record)
    successor = None if record.successor is None else await rooms.successor(record.name)
    return RoomView(
        **msgspec.structs.asdict(listed_view(rooms, record)),
        public=record.public,
        names=record.names,
        settings=shown_settings(rooms, record, settings),
        turn_clock=record.turn_s,
        host=holder is not None and holder == record.host,
        ended=None if record.ended is None else round(record.ended, 3),
        result=record.result,
        after=record.after,
        successor=None if successor is None else successor.name,
    )


def shown_settings(rooms: Rooms, record: RoomRecord, settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return those of a room's settings that everybody may know."""
    if record.state == "ended":
        return settings
    return hide_secrets(rooms, record.kind, settings)


def hide_secrets(rooms: Rooms, kind: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings without those that tell what players are to find out; none of a game that is not installed."""
    found = rooms.kinds.get(kind)
    return (
        {} if found is None else {name: value for name, value in settings.items() if name not in found.secret_settings}
    )
