"""Views of the daily challenges as JSON: their tables, and a client's own attempts.

A client is known by its secret, so a person with several browsers has several attempts. The tables of today name no
rooms of other clients, because their replays show the cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from scramble.rooms.days import number_of
from scramble.rooms.protocol import DailyEntry, DailyTable, NoSuchRoom, RoomRecord, RoomRemoved, Rooms
from scramble.rooms.records import LISTED

BEST: Final = 10
"""Number of entries of a table that a page shows. The client's own entry may follow."""

Attempt: TypeAlias = Literal["new", "playing", "ended"]
"""The state of a client's attempt. An attempt in a room that was closed or removed has ended."""


class EntryView(msgspec.Struct, frozen=True):
    """An entry of a table. `figures` are the other counts of the player's result."""

    place: int
    name: str
    points: int
    seconds: float
    figures: dict[str, int]
    mine: bool
    room: str | None  # the room with the replay; None: it is removed, or the day is not over and the room not mine


class ChallengeView(msgspec.Struct, frozen=True):
    """The challenge of one game: today's table, and the best entry of the latest earlier day."""

    game: str
    attempt: Attempt
    room: str | None
    players: int
    table: list[EntryView]
    before: EntryView | None


class DailyView(msgspec.Struct, frozen=True):
    """The challenges of `day`, a date in UTC. The next ones begin with the next date."""

    day: str
    number: int
    games: list[ChallengeView]


async def daily_view(rooms: Rooms, host: str) -> DailyView:
    """Return the challenges of today, as the client `host` sees them. The order is the order of the kinds."""
    day = rooms.today()
    tables = await rooms.daily_tables(host, BEST)
    kinds = [kind for kind, found in rooms.kinds.items() if found.daily is not None]
    return DailyView(day, number_of(day), [await _challenge(rooms, kind, day, tables) for kind in kinds])


async def _challenge(rooms: Rooms, kind: str, day: str, tables: Sequence[DailyTable]) -> ChallengeView:
    mine = [table for table in tables if table.kind == kind]
    today = next((table for table in mine if table.day == day), DailyTable(day, kind, 0))
    before = next((table for table in mine if table.day < day and table.entries), None)
    shown = list(enumerate(today.entries, 1))
    if today.place is not None and today.entry is not None and today.place > len(shown):
        shown.append((today.place, today.entry))
    record = None if today.room is None else await _found(rooms, today.room)
    return ChallengeView(
        game=kind,
        attempt="new" if today.room is None else "playing" if record and record.state == "open" else "ended",
        room=None if record is None else record.name,
        players=today.attempts,
        table=[
            _entry(place, entry, place == today.place, today.room if place == today.place and record else None)
            for place, entry in shown
        ],
        before=None if before is None else await _best(rooms, before),
    )


async def _best(rooms: Rooms, table: DailyTable) -> EntryView:
    best = table.entries[0]
    return _entry(1, best, table.place == 1, best.room if await _found(rooms, best.room) else None)


def _entry(place: int, entry: DailyEntry, mine: bool, room: str | None) -> EntryView:
    return EntryView(place, entry.name, entry.points, entry.seconds, entry.figures, mine, room)


async def _found(rooms: Rooms, name: str) -> RoomRecord | None:
    """Return the record of a room that can be entered; None for another room."""
    try:
        record = await rooms.find(name)
    except (NoSuchRoom, RoomRemoved):
        return None
    return record if record.state in LISTED else None
