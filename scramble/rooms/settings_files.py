"""Long settings of rooms: boards, fields and puzzles from clients. They are in files beside the journals.

The register keeps all its records in memory, and each OpenRoom command in its journal forever. So it gets only short
settings. Long settings are written to a file before the room is opened, and the register gets the digest of the file.
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
"""Most bytes of a room's settings in the register: enough for all choices from lists, and for small boards."""


class _InFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The register's form of long settings: the SHA-256 of the file."""

    sha256: str


def shortened(settings: Mapping[str, object]) -> tuple[msgspec.Raw, bytes | None]:
    """Return settings in the register's form, and the bytes for the file if the settings are long."""
    encoded = msgspec.json.encode(settings)
    if len(encoded) <= MOST_SHORT:
        return msgspec.Raw(encoded), None
    return msgspec.Raw(msgspec.json.encode(_InFile(hashlib.sha256(encoded).hexdigest()))), encoded


def write_settings(folder: RoomsFolder, name: str, settings: bytes) -> None:
    """Write the settings file of a room before it is opened, and wait until the file survives a crash. Blocks.

    Raises FileExistsError if another room has that name, and other OSErrors; a failure leaves no file.
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
    """Return the whole settings of a room. Blocks for long settings. Raises RoomDamaged if their file is unusable."""
    if long_digest(record) is None:
        return short_settings(record)
    path = folder.settings(record.name)
    try:
        settings = path.read_bytes()
    except OSError as error:
        raise damaged_settings(f"{path}: {error.strerror or error}") from error
    return long_settings(record, settings, str(path))


def long_digest(record: RoomRecord) -> str | None:
    """Return the SHA-256 of the long settings of a room; None if the settings are short."""
    try:
        return msgspec.json.decode(record.settings, type=_InFile).sha256
    except msgspec.ValidationError:
        return None


def short_settings(record: RoomRecord) -> dict[str, object]:
    """Return the short settings of a room, from its record."""
    return msgspec.json.decode(record.settings, type=dict[str, object])


def long_settings(record: RoomRecord, settings: bytes, place: str) -> dict[str, object]:
    """Decode the long settings of a room from `place`. Raises RoomDamaged if their digest does not match."""
    if hashlib.sha256(settings).hexdigest() != long_digest(record):
        raise damaged_settings(f"{place} is damaged: its digest differs from the digest in the register")
    return msgspec.json.decode(settings, type=dict[str, object])


def damaged_settings(reason: str) -> RoomDamaged:
    """Return the refusal of a room with unusable settings. The cause of the refusal has the reason, for operators."""
    damaged = RoomDamaged("the settings of this room cannot be read; the log of the server says why")
    damaged.__cause__ = JournalError(reason)
    return damaged
