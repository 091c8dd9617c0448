"""The messages of the register of rooms: commands, queries, and public events.

All times are in seconds since 1970. They are in the commands, because the register has no clock.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from scramble.games.room import GameResult
from scramble.kernel.protocol import Command, Event, Query
from scramble.rooms.protocol import BotSetting, DailyTable, Names, RoomCounts, RoomOrder, RoomRecord

MOST_EXPELLED: Final = 256
"""Most expelled clients of one room: far more than a host removes by hand; 17 kB of the record."""

# --- commands ---------------------------------------------------------------------------------------


class OpenRoom(Command[RoomRecord], frozen=True, omit_defaults=True):
    """Open a room. Answered with its record.

    The room becomes the successor of `after`. If `after` already has a successor that can be entered, the answer is the
    record of that successor, and nothing changes.

    With `demo` the room and its successors are demonstration rooms. Each kind has one current demonstration room. If
    the latest one is open, the answer is its record, and nothing changes.

    Refused with `RoomNameTaken` if a room has the name, or a recently removed room had it. Refused with `RoomsFull` if
    there are `most` rooms already, or if the settings of all rooms would exceed `most_bytes`. Refused with `NoSuchRoom`
    or `RoomRemoved` for `after`.

    With `daily` the room is the attempt of `host` at the challenge of that date, which `BeginDay` has begun. If the
    client has a room for this attempt, the answer is its record, and nothing changes. Refused with `DayOver`,
    `AttemptGone` or `AttemptsFull`.
    """

    name: str
    kind: str
    title: str
    settings: msgspec.Raw
    at: float
    most: int
    most_bytes: int
    host: str = ""
    public: bool = False
    names: Names = "seats"
    bots: tuple[BotSetting, ...] = ()
    after: str | None = None
    turn_s: float | None = 45.0
    demo: bool = False
    daily: str = ""
    classroom: str = ""


class BeginDay(Command[int], frozen=True):
    """Begin a day of daily challenges with a seed. Answered with the seed of the day: the first one stays.

    Refused with `DayOver` for a day before the kept days.
    """

    day: str
    seed: int


def order_of(opened: OpenRoom | RoomRecord) -> RoomOrder:
    """Return the order with which a room was opened."""
    return msgspec.convert(opened, RoomOrder, from_attributes=True)


class ChangeRoom(Command[RoomRecord], frozen=True):
    """The base of commands that change the record of the room `name`. Answered with the record.

    Refused with `NoSuchRoom` or `RoomRemoved`. A command that would not alter the record changes nothing.
    """

    name: str


class RenameRoom(ChangeRoom, frozen=True):
    """Give a room another title."""

    title: str


class ExpelClient(ChangeRoom, frozen=True):
    """Note that a client may not play in the room. `holder` is the SHA-256 of the client's secret.

    Beyond `most` clients the first expelled client is forgotten. `most` None, as in older journals: no limit.
    """

    holder: str
    most: int | None = None


class CloseRoom(ChangeRoom, frozen=True):
    """Close a room permanently, in any state."""

    gives_room = True

    at: float


class RecordStart(ChangeRoom, frozen=True):
    """Record the time of a game's first move. Changes nothing in a room that has this time, or is not open."""

    at: float


class RecordResult(ChangeRoom, frozen=True):
    """End an open room with the result of its game. Changes nothing in a room that is not open.

    `called` is the display name of the best player, for the table of a daily challenge; empty: the player's ID.
    """

    gives_room = True

    result: GameResult
    at: float
    called: str = ""


class MarkBroken(ChangeRoom, frozen=True):
    """Record that the game of a room crashes repeatedly. Changes nothing in a closed room."""

    gives_room = True

    at: float


class RemoveRoom(Command[None], frozen=True):
    """Remove a room. Its name is remembered. Refused with `NoSuchRoom` or `RoomRemoved`."""

    gives_room = True

    name: str
    at: float


class VisitRoom(Command[None], frozen=True):
    """Note a visit to an open room at the time `at`. Publishes no event, and counts no change.

    Changes nothing in a room that is not open. Refused with `NoSuchRoom` or `RoomRemoved`.
    """

    name: str
    at: float


class ForgetRooms(Command[tuple[str, ...]], frozen=True):
    """Remove the rooms that ended before the time `before`. Forget the names of rooms that were removed before it.

    With `unvisited_before` also remove the open rooms that were opened and last visited before that time. Answered with
    the names of the rooms that this command has removed: first the ended rooms, earliest first, then the open rooms.
    """

    gives_room = True

    before: float
    at: float
    unvisited_before: float | None = None


# --- queries ----------------------------------------------------------------------------------------


class FindRoom(Query[RoomRecord], frozen=True):
    """Answered with the record of a room. Refused with `NoSuchRoom` or `RoomRemoved`."""

    name: str


class ListRooms(Query[tuple[RoomRecord, ...]], frozen=True):
    """Answered with at most `most` rooms, newest first; with `after`, only rooms opened before that room.

    The rooms are public, and open or ended. With `hidden` they are all rooms. Refused with `NoSuchRoom` or
    `RoomRemoved` for `after`.
    """

    most: int
    after: str | None = None
    hidden: bool = False


class CountRooms(Query[RoomCounts], frozen=True):
    """Answered with the numbers of rooms."""


class DailyTables(Query[tuple[DailyTable, ...]], frozen=True):
    """Answered with the tables of all kept days, the latest day first, with at most `most` entries each.

    `host` is the client whose attempts are noted in the tables.
    """

    host: str
    most: int


class UnenteredRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` open rooms that were opened before `before` and never entered.

    The names are in the order of opening. A room from an older version may have been entered on its first day: that
    version recorded only later visits.
    """

    before: float
    most: int


class IdleRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` open rooms without use since `before`, the least recently used first.

    A use is the opening or a visit.
    """

    before: float
    most: int


class EndedRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` rooms that are no longer open, the earliest end first."""

    most: int


class RemovedRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the remembered names of removed rooms."""


# --- events -----------------------------------------------------------------------------------------


class RoomEvent(Event, frozen=True):
    """The base of the events about one room. An event has the room's name. Followers request the record if needed."""

    room: str


class Opened(RoomEvent, frozen=True):
    """The room was opened."""


class Changed(RoomEvent, frozen=True):
    """The room's record has changed: its title, state, expelled clients, or successor."""


class Removed(RoomEvent, frozen=True):
    """The room was removed."""


class LookAgain(Event, frozen=True):
    """Unknown changes: in a cluster the register has a new owner, and events may be lost."""


RoomChange: TypeAlias = RenameRoom | ExpelClient | CloseRoom | RecordStart | RecordResult | MarkBroken
"""The commands that change one record."""
