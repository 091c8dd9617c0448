"""Long settings of rooms: boards, fields and puzzles that people bring stay in files beside the journals.

The register keeps all its records in memory, and each command that has opened a room in its journal for ever. So it
gets only settings that are short; for others it gets the digest of a file, which is written before the room is opened.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from scramble.errors import JournalError
from scramble.journal.disk import PRIVATE
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.protocol import RoomDamaged, RoomRecord

MOST_SHORT = 1024
"""Bytes of settings that a register keeps itself: all that are chosen from lists, and small boards."""


class _InFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the register has of long settings: the SHA-256 of the file."""

    sha256: str


def shortened(settings: Mapping[str, object]) -> tuple[msgspec.Raw, bytes | None]:
    """Return settings as the register gets them, and the bytes for the file if they are long."""
    encoded = msgspec.json.encode(settings)
    if len(encoded) <= MOST_SHORT:
        return msgspec.Raw(encoded), None
    return msgspec.Raw(msgspec.json.encode(_InFile(hashlib.sha256(encoded).hexdigest()))), encoded


def write_settings(folder: RoomsFolder, name: str, settings: bytes) -> None:
    """Write the file of a room that will be opened, and wait until no crash can lose it. Blocks.

    Raises FileExistsError if another room has that name, and other OSErrors; leaves no part of a file.
    """
    path = folder.settings(name)
    file = os.open(path, PRIVATE | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as written:
            written.write(settings)
            written.flush()
            os.fsync(written.fileno())
        folder.sync_rooms()
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def read_settings(folder: RoomsFolder, record: RoomRecord) -> dict[str, object]:
    """Return the whole settings of a room. Blocks if they are long. Raises RoomDamaged if their file cannot be used."""
    if long_digest(record) is None:
        return short_settings(record)
    path = folder.settings(record.name)
    try:
        settings = path.read_bytes()
    except OSError as error:
        raise damaged_settings(f"{path}: {error.strerror or error}") from error
    return long_settings(record, settings, str(path))


def long_digest(record: RoomRecord) -> str | None:
    """Return the SHA-256 of the settings of a room, if they are long; None if the record has them."""
    try:
        return msgspec.json.decode(record.settings, type=_InFile).sha256
    except msgspec.ValidationError:
        return None


def short_settings(record: RoomRecord) -> dict[str, object]:
    """Return the settings of a room that its record has."""
    return msgspec.json.decode(record.settings, type=dict[str, object])


def long_settings(record: RoomRecord, settings: bytes, place: str) -> dict[str, object]:
    """Return the long settings of a room as they were found in a place. Raises RoomDamaged if they are other ones."""
    if hashlib.sha256(settings).hexdigest() != long_digest(record):
        raise damaged_settings(f"{place} is damaged: its digest differs from the digest in the register")
    return msgspec.json.decode(settings, type=dict[str, object])


def damaged_settings(reason: str) -> RoomDamaged:
    """Return the refusal of a room whose settings cannot be used, for that reason, which is the operator's."""
    damaged = RoomDamaged("the settings of this room cannot be read; the log of the server says why")
    damaged.__cause__ = JournalError(reason)
    return damaged
