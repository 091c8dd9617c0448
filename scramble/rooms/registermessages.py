"""The messages of the register of rooms: commands, queries, and public events.

Every time is in seconds since 1970, and comes with the command: the register has no clock.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from scramble.games.room import GameResult
from scramble.kernel.protocol import Command, Event, Query
from scramble.rooms.protocol import BotSetting, Names, RoomCounts, RoomOrder, RoomRecord

MOST_EXPELLED: Final = 256
"""Clients that are kept out of one room, the latest: far more than a host removes by hand, and 17 kB of its record."""

# --- commands ---------------------------------------------------------------------------------------


class OpenRoom(Command[RoomRecord], frozen=True, omit_defaults=True):
    """Open a room. Answered with its record.

    `after` is the room whose successor it becomes. If that one has a successor that can be entered, the answer is the
    record of that successor, and nothing changes.

    With `demo` it is a room of the demonstration, like every successor of one. Of each kind there is one to play in: if
    the latest is open, the answer is its record, and nothing changes.

    Refused with `RoomNameTaken` if a room has the name or had it lately, `RoomsFull` if there are `most` rooms already
    or their settings would have more than `most_bytes` in all, and with `NoSuchRoom` or `RoomRemoved` for `after`.
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


def order_of(opened: OpenRoom | RoomRecord) -> RoomOrder:
    """Return the order that a room was opened by."""
    return msgspec.convert(opened, RoomOrder, from_attributes=True)


class ChangeRoom(Command[RoomRecord], frozen=True):
    """The base of commands that change the record of the room `name`, and are answered with it.

    Refused with `NoSuchRoom` or `RoomRemoved`. A command that finds the record as it would make it changes nothing.
    """

    name: str


class RenameRoom(ChangeRoom, frozen=True):
    """Give a room another title."""

    title: str


class ExpelClient(ChangeRoom, frozen=True):
    """Remember that the client whose secret has the SHA-256 `holder` may not play in the room.

    Of more than `most` the one that was expelled first is forgotten; None, as in older journals: nobody is.
    """

    holder: str
    most: int | None = None


class CloseRoom(ChangeRoom, frozen=True):
    """Close a room for good, in whichever state it is."""

    gives_room = True

    at: float


class RecordResult(ChangeRoom, frozen=True):
    """End an open room with the result of its game. In a room that is not open it changes nothing: once only."""

    gives_room = True

    result: GameResult
    at: float


class MarkBroken(ChangeRoom, frozen=True):
    """Record that the game of a room fails again and again. Changes nothing in a closed room."""

    gives_room = True

    at: float


class RemoveRoom(Command[None], frozen=True):
    """Remove a room. Its name is remembered. Refused with `NoSuchRoom` or `RoomRemoved`."""

    gives_room = True

    name: str
    at: float


class VisitRoom(Command[None], frozen=True):
    """Remember that somebody was in an open room at the time `at`. No event tells of it, and no change is counted.

    Changes nothing in a room that is not open. Refused with `NoSuchRoom` or `RoomRemoved`.
    """

    name: str
    at: float


class ForgetRooms(Command[tuple[str, ...]], frozen=True):
    """Remove the rooms that ended before `before`, and forget the names of those that were removed before it.

    With `unvisited_before` also remove the rooms that are open, and that nobody has opened or visited since then.
    Answered with the names of the rooms that are removed now: those that ended, first first, then the open ones.
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
    """Answered with at most `most` rooms, newest first, of these those opened before the room `after`.

    These are the public rooms that are open or ended; with `hidden` they are all rooms. Refused with `NoSuchRoom` or
    `RoomRemoved` for `after`.
    """

    most: int
    after: str | None = None
    hidden: bool = False


class CountRooms(Query[RoomCounts], frozen=True):
    """Answered with the numbers of rooms."""


class UnenteredRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` open rooms that nobody has entered since they were opened.

    These were opened before `before`, and come in the order of opening. One of an older version may have been entered
    on its first day: only a later visit was recorded.
    """

    before: float
    most: int


class IdleRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` open rooms that nobody has used since `before`, the least recent first.

    A room was used last when it was opened or visited.
    """

    before: float
    most: int


class EndedRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of at most `most` rooms that are not open any more, the first end first."""

    most: int


class RemovedRooms(Query[tuple[str, ...]], frozen=True):
    """Answered with the names of removed rooms that are remembered."""


# --- events -----------------------------------------------------------------------------------------


class RoomEvent(Event, frozen=True):
    """The base of the events, which name the room; whoever wants its record asks for it."""

    room: str


class Opened(RoomEvent, frozen=True):
    """The room was opened."""


class Changed(RoomEvent, frozen=True):
    """The room's record has changed: its title or state, who may play in it, or its successor."""


class Removed(RoomEvent, frozen=True):
    """The room was removed."""


class LookAgain(Event, frozen=True):
    """Anything may have happened: the register has another owner now, in a cluster, and changes may be lost."""


RoomChange: TypeAlias = RenameRoom | ExpelClient | CloseRoom | RecordResult | MarkBroken
"""The commands that change one record."""
