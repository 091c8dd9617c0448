"""The folder of a server's rooms, and the lock on it.

register.db       the journal of the register
rooms/NAME.db     the journal of a room's game; created at the first visit to the room
rooms/NAME.settings  the room's settings, if they are too long for the register
server-lock       locked by the server that uses the folder
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from scramble.errors import JournalError, OperatorError
from scramble.journal.disk import FILES
from scramble.journal.sqlite import DEFAULT_NAME
from scramble.rooms.names import is_room_name


class FolderError(OperatorError):
    """A folder that is unusable for rooms: another server uses it, or it cannot be read or written."""

    code = "bad-folder"


class RoomsFolder:
    """A folder with rooms. Its methods block."""

    def __init__(self, path: Path) -> None:
        """Set the path of the folder. Does not access the disk."""
        self.path: Final = path
        self.register: Final = path / "register.db"
        self.rooms: Final = path / "rooms"

    def journal(self, name: str) -> Path:
        """Return the file of a room's journal. The file may be missing."""
        return self.rooms / f"{name}.db"

    def settings(self, name: str) -> Path:
        """Return the file of a room's long settings."""
        return self.rooms / f"{name}.settings"

    def sync_rooms(self) -> None:
        """Sync the directory `rooms`, so that its list of files survives a crash, if the system supports that."""
        if sys.platform != "win32":
            place = os.open(self.rooms, os.O_RDONLY)
            try:
                os.fsync(place)
            finally:
                os.close(place)

    def names(self) -> frozenset[str]:
        """Return the names of the rooms with a file here."""
        return frozenset(
            name for name in (entry.partition(".")[0] for entry in os.listdir(self.rooms)) if is_room_name(name)
        )

    def discard(self, name: str) -> None:
        """Delete the files of a room that is not open. The journal is deleted last."""
        for path in reversed(self._files_of(name)):
            path.unlink(missing_ok=True)

    def size(self, name: str | None = None) -> int:
        """Return the bytes in the files of a room. The empty name is the register; None is the whole folder."""
        if name is None:
            return sum(_bytes_in(path) for place in (self.path, self.rooms) for path in place.iterdir())
        return sum(map(_bytes_in, self._files_of(name) if name else _files_of(self.register)))

    def settings_size(self, name: str | None = None) -> int:
        """Return the size in bytes of a room's settings file, or of all settings files."""
        return sum(map(_bytes_in, self.rooms.glob("*.settings") if name is None else [self.settings(name)]))

    def _files_of(self, name: str) -> list[Path]:
        return [*_files_of(self.journal(name)), self.settings(name)]

    def __str__(self) -> str:
        return str(self.path)


def _files_of(journal: Path) -> list[Path]:
    """Return the file of a journal, and the names of the other files that `scramble.journal` may create for it."""
    mark = f".{DEFAULT_NAME}.mark"
    return [journal.with_name(journal.name + suffix) for suffix in ("", "-wal", "-shm", "-journal", "-lock", mark)]


def _bytes_in(path: Path) -> int:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


@contextmanager
def open_folder(path: Path | None) -> Iterator[RoomsFolder]:
    """Create the folder if it does not exist, and lock it during the block. Blocks.

    With `path` None it is a temporary folder, and is deleted at the end.

    Raises:
        FolderError: another server uses the folder, or it cannot be created, locked or written.
    """
    with ExitStack() as stack:
        if path is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scramble-")))
        folder = RoomsFolder(path)
        try:
            # Private: the register has hashes of secrets, and the journals have the moves of all players.
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.rooms.mkdir(mode=0o700, exist_ok=True)
            lock = FILES.lock(path / "server")
        except JournalError:
            raise FolderError(f"{path}: another server has its rooms there") from None
        except OSError as error:
            raise FolderError(f"{path} cannot keep rooms: {error.strerror or error}") from error
        with closing(lock):
            yield folder
