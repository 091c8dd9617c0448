"""Backup of a folder of rooms. A server may use the folder meanwhile. To restore, copy the backup to the folder's path.

The register is copied first. So each room in the copied register has all moves that were acknowledged before the backup
began. Rooms that are opened during the backup are not in it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scramble.errors import JournalError, OperatorError
from scramble.journal.backup import back_up
from scramble.journal.disk import PRIVATE
from scramble.rooms.bothosts import SECRET_FILE
from scramble.rooms.folder import RoomsFolder


class BackupError(OperatorError):
    """A failed backup."""

    code = "no-backup"


class Backup(NamedTuple):
    """The result of a backup."""

    rooms: int  # number of rooms with copied games; other rooms had no move yet
    problems: tuple[str, ...]  # sentences about the games that could not be copied


def back_up_rooms(path: Path, to: Path) -> Backup:
    """Copy the rooms in the folder `path` to the folder `to`, which must be missing or empty. Blocks.

    Each copy is verified. A damaged journal of a room is a problem in the result, and does not stop the backup.

    Raises BackupError, or JournalError if the register cannot be copied.
    """
    folder, copy = RoomsFolder(path), RoomsFolder(to)
    if not folder.register.is_file():
        raise BackupError(f"there are no rooms in {path}")
    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(to.iterdir()):
            raise BackupError(f"{to} is not empty: a backup goes to a folder of its own")
        copy.rooms.mkdir(mode=0o700)
        back_up(folder.register, copy.register)
        with suppress(FileNotFoundError):
            secret = (folder.path / SECRET_FILE).read_bytes()  # without it the bots lose their seats
            with os.fdopen(os.open(copy.path / SECRET_FILE, PRIVATE | os.O_EXCL, 0o600), "wb") as file:
                file.write(secret)
        names = sorted(folder.names())
    except OSError as error:
        raise BackupError(f"{path} cannot be copied to {to}: {error.strerror or error}") from error
    copied, problems = 0, list[str]()
    for name in names:
        try:
            with suppress(FileNotFoundError):  # few rooms have long settings
                shutil.copyfile(folder.settings(name), copy.settings(name))
            back_up(folder.journal(name), copy.journal(name))
            copied += 1
        except JournalError as error:
            if folder.journal(name).exists():  # else the room was removed just now
                problems.append(str(error))
        except OSError as error:
            problems.append(f"{folder.settings(name)}: {error.strerror or error}")
    return Backup(copied, tuple(problems))
