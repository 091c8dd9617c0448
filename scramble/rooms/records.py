"""Functions of a room's record: its times, and its changes by commands of the register."""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.rooms.protocol import RoomRecord, RoomState
from scramble.rooms.registermessages import (
    ChangeRoom,
    CloseRoom,
    ExpelClient,
    MarkBroken,
    RecordResult,
    RecordStart,
    RenameRoom,
)

LISTED: Final[frozenset[RoomState]] = frozenset({"open", "ended"})
"""The states of rooms that can be entered. Public rooms in these states are listed."""


def last_seen(record: RoomRecord) -> float:
    """Return the latest recorded time of a visit, or the time of opening."""
    return record.opened if record.visited is None else max(record.opened, record.visited)


def idle_since(record: RoomRecord) -> float | None:
    """Return the time of the last visit or the opening; None if the room is not open."""
    return last_seen(record) if record.state == "open" else None


def unentered_since(record: RoomRecord) -> float | None:
    """Return the time of the opening; None if the room was visited, or is not open."""
    return record.opened if record.state == "open" and record.visited is None else None


def changed(record: RoomRecord, command: ChangeRoom) -> RoomRecord | None:
    """Return the record after the command, without counting the change; None if the command changes nothing."""
    replace = msgspec.structs.replace
    ended = record.ended
    match command:
        case RenameRoom() if command.title != record.title:
            return replace(record, title=command.title)
        case ExpelClient() if command.holder not in record.expelled:
            expelled = (*record.expelled, command.holder)
            return replace(record, expelled=expelled if command.most is None else expelled[-command.most :])
        case CloseRoom() if record.state != "closed":
            return replace(record, state="closed", ended=command.at if ended is None else ended)
        case RecordStart() if record.state == "open" and record.started is None:
            return replace(record, started=command.at)
        case RecordResult() if record.state == "open":
            return replace(record, state="ended", ended=command.at, result=command.result)
        case MarkBroken() if record.state in LISTED:
            return replace(record, state="broken", ended=command.at if ended is None else ended)
        case RenameRoom() | ExpelClient() | CloseRoom() | RecordStart() | RecordResult() | MarkBroken():
            return None
        case _:
            raise TypeError(f"not a change of a room: {command!r}")
