"""The file of a backup of a cluster: a sequence of frames. The last frame confirms that the file is complete.

    scramble backup of a cluster, format 1     and the end of the line
    LENGTH FRAME LENGTH FRAME ...              each LENGTH has 4 bytes, the highest first; each FRAME is msgpack

    ["begin", made]                            seconds since 1970
    ["bots", secret]
    ["settings", room, JSON]                   settings that are too long for the register
    ["room", room, {field: value}]             the hash of a room, without its owner
    ["entries", [[ID, [field, value, ...]]]]   the next entries of its stream
    ["end", SHA-256]                           of all bytes before this frame

The register is the last room. docs/reference/cluster.md describes the content of rooms and streams. Reader and writer
keep only one frame in memory.

Safe under concurrency: a writer and a reader belong to one task or thread.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Self, TypeAlias

import msgspec

from scramble.journal.disk import sync_folder
from scramble.rooms.backup import BackupError

BACKUP_TITLE: Final = b"scramble backup of a cluster, format "
BACKUP_FORMAT: Final = 1
BACKUP_HEADER: Final = BACKUP_TITLE + b"%d\n" % BACKUP_FORMAT
LENGTH: Final = struct.Struct(">I")

LogRow: TypeAlias = tuple[bytes, list[bytes]]
"""An entry of a stream: its ID, then its fields and values in alternation."""


class Frame(msgspec.Struct, frozen=True, array_like=True, tag=lambda name: name.lower()):
    """The base of frames."""


class Begin(Frame, frozen=True):
    """The time of the backup."""

    made: float


class Bots(Frame, frozen=True):
    """The secret from which the bots' seats derive."""

    secret: bytes


class Settings(Frame, frozen=True):
    """The settings of a room that are too long for the register."""

    room: str
    settings: bytes


class Room(Frame, frozen=True):
    """The hash of a room. Its entries come next."""

    room: str
    fields: dict[str, bytes]


class Entries(Frame, frozen=True):
    """The next entries of the stream of the last `Room`."""

    entries: list[LogRow]


class End(Frame, frozen=True):
    """The end of a complete backup."""

    sha256: bytes


AnyFrame: TypeAlias = Begin | Bots | Settings | Room | Entries | End

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(AnyFrame).decode


class FilePosition(NamedTuple):
    """A place in a file that is being written. The writer can return to it."""

    position: int
    digest: hashlib._Hash


class BackupWriter:
    """Writes a backup. The methods block."""

    def __init__(self, path: Path) -> None:
        """Create the file, readable only for its owner. Raises FileExistsError, and other OSErrors."""
        self._path: Final = path
        self._file: Final[BinaryIO] = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        self._digest = hashlib.sha256()
        self._put(BACKUP_HEADER)

    def write(self, frame: AnyFrame) -> None:
        """Write the next frame."""
        encoded = _encode(frame)
        self._put(LENGTH.pack(len(encoded)) + encoded)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)

    def place(self) -> FilePosition:
        """Return the place of the next frame."""
        return FilePosition(self._file.tell(), self._digest.copy())

    def go_back(self, place: FilePosition) -> None:
        """Drop the frames after that place."""
        self._file.seek(place.position)
        self._file.truncate()
        self._digest = place.digest.copy()

    def end(self) -> int:
        """Write the last frame, and wait until the file survives a crash. Return its size in bytes."""
        self.write(End(self._digest.digest()))
        self._file.flush()
        os.fsync(self._file.fileno())
        sync_folder(self._path.resolve().parent)
        return self._file.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file; delete it after an error."""
        self._file.close()
        if kind is not None:
            self._path.unlink(missing_ok=True)


def read_backup(path: Path) -> Iterator[AnyFrame]:
    """Iterate over the frames of a backup. Blocks.

    Raises BackupError: the file is unreadable, is no backup of a cluster, ends too early, or has changed since the
    backup. Only the last frame confirms the content, so read a backup to its end before you use a part of it.
    """
    try:
        with path.open("rb") as file:
            yield from _frames(path, file)
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror or error}") from error


def _frames(path: Path, file: BinaryIO) -> Iterator[AnyFrame]:
    header = file.read(len(BACKUP_HEADER))
    if not header.startswith(BACKUP_TITLE):
        raise BackupError(f"{path} is no backup of a cluster")
    if header != BACKUP_HEADER:
        raise BackupError(f"{path} has another format than {BACKUP_FORMAT}, which this version of scramble knows")
    digest, size = hashlib.sha256(header), os.fstat(file.fileno()).st_size
    while True:
        head = file.read(LENGTH.size)
        length = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else size
        if length > size - file.tell():
            raise BackupError(f"{path} is not whole: its end is missing. Use another backup")
        encoded = file.read(length)
        try:
            frame = _decode(encoded)
        except ValueError as error:  # msgspec's errors are subclasses of it
            raise BackupError(f"{path} is damaged: {error}. Use another backup") from None
        if isinstance(frame, End):
            if frame.sha256 != digest.digest() or file.read(1):
                raise BackupError(f"{path} is damaged: its digest does not match. Use another backup")
            yield frame
            return
        digest.update(head)
        digest.update(encoded)
        yield frame
