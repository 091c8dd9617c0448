"""Views of rooms as JSON, for the rooms API and the lobby's WebSocket.

Secret settings of a room, for example the seed of a board, are shown only after the end of its game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scramble.games.room import GameResult
from scramble.rooms.days import number_of
from scramble.rooms.protocol import BotSetting, Names, RoomRecord, Rooms, RoomState


def held_frame(held: bool) -> str:
    """Return the frame of the outage flag: True if an outage stops all rooms."""
    return msgspec.json.encode({"type": "held", "held": held}).decode()


class OpenedView(msgspec.Struct, frozen=True):
    """A newly opened room."""

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
    bots: tuple[BotSetting, ...]  # the bots play as soon as a person plays
    size: str | None  # as in the settings; None: the settings have no size
    hosted_by: str | None  # the display name of the host; None: no host plays
    demo: bool  # the bots play also without people


class _Sized(msgspec.Struct):
    """The size in the settings of a room, of any type, because games choose it. Other settings are ignored."""

    size: object = None


class DailyOf(msgspec.Struct, frozen=True):
    """A daily challenge: its date in UTC, and its number."""

    day: str
    number: int


class RoomView(ListedView, frozen=True):
    """The public data of a room. `host` is True if the requesting client has opened the room."""

    public: bool
    names: Names
    settings: Mapping[str, object]
    turn_clock: float | None
    host: bool
    ended: float | None
    result: GameResult | None
    after: str | None
    successor: str | None
    daily: DailyOf | None  # the challenge that the host plays here; None: it is another room
    classroom: str | None  # the class whose table the room is; None: it is another room


class ListView(msgspec.Struct, frozen=True):
    """The list of rooms, newest first."""

    rooms: list[ListedView]


def title_of(rooms: Rooms, record: RoomRecord) -> str:
    """Return the title of a room: its own, or its game's title, or the name of a game that is not installed."""
    kind = rooms.kinds.get(record.kind)
    return record.title or (record.kind if kind is None else kind.title)


def opened_view(rooms: Rooms, record: RoomRecord) -> OpenedView:
    """Return the view of a newly opened room."""
    return OpenedView(record.name, record.kind, title_of(rooms, record), record.public, record.state)


def list_view(rooms: Rooms, records: Iterable[RoomRecord]) -> ListView:
    """Return the list of rooms."""
    return ListView([listed_view(rooms, record) for record in records])


def listed_view(rooms: Rooms, record: RoomRecord) -> ListedView:
    """Return the view of a room in a list."""
    headcount = rooms.headcount(record.name)
    size = msgspec.json.decode(record.settings, type=_Sized).size
    return ListedView(
        room=record.name,
        game=record.kind,
        title=title_of(rooms, record),
        players=headcount.players,
        watching=headcount.watching,
        state=record.state,
        opened=round(record.opened, 3),
        bots=record.bots,
        size=size if isinstance(size, str) else None,
        hosted_by=headcount.host,
        demo=record.demo,
    )


async def room_view(rooms: Rooms, record: RoomRecord, holder: str | None) -> RoomView:
    """Return the view of a room for a client. `holder` is the SHA-256 of the client's secret.

    Raises RoomDamaged. Raises NoSuchRoom or RoomRemoved if the room disappears during the call.
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
        classroom=record.classroom or None,
        daily=DailyOf(record.daily, number_of(record.daily)) if record.daily else None,
    )


def shown_settings(rooms: Rooms, record: RoomRecord, settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return the public settings of a room."""
    if record.state == "ended":
        return settings
    return hide_secrets(rooms, record.kind, settings)


def hide_secrets(rooms: Rooms, kind: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings without the secret settings. For a game that is not installed, return no settings."""
    found = rooms.kinds.get(kind)
    return (
        {} if found is None else {name: value for name, value in settings.items() if name not in found.secret_settings}
    )
