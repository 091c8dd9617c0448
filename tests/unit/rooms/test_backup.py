"""The backup of a folder of rooms: a server that opens the copy has all rooms, as they were.

Partitions:
- a room: played, never entered; with short settings, with long settings (in a file of their own)
- the copy's folder: missing; not empty
- the folder: of rooms; of something else
tests/system/cli/test_rooms.py makes a backup beside a running server.
tests/unit/journal/test_backup.py copies journals.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scramble.minesweeper.messages import Flag, Look
from scramble.rooms import open_rooms
from scramble.rooms.backup import Backup, BackupError, back_up_rooms
from scramble.rooms.folder import RoomsFolder
from tests.support.rooms.kinds import DIGGING


async def test_a_copy_has_all_rooms_with_their_settings_and_moves(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    ordered: list[dict[str, object]] = [
        {"size": 4},
        {"size": 5, "note": "x" * 50_000},
        {"size": 6, "note": "y" * 50_000},
    ]
    async with open_rooms(tmp_path / "rooms", kinds=DIGGING) as rooms:
        names = [(await rooms.create("digging", settings)).name for settings in ordered]
        for name in names[:2]:
            async with rooms.enter(name) as room:
                await room.game.ask(Flag(1, 0))
        assert back_up_rooms(rooms.folder.path, copy) == Backup(2, ())
    async with open_rooms(copy, kinds=DIGGING) as rooms:
        assert {record.name for record in await rooms.list(hidden=True)} == set(names)
        for name, settings in zip(names, ordered, strict=True):
            found = await rooms.settings(await rooms.find(name))
            assert {key: found[key] for key in settings} == settings
            async with rooms.enter(name) as room:
                lines = (await room.game.ask(Look())).text.splitlines()
                assert (len(lines), lines[0].count("F")) == (settings["size"], int(name in names[:2]))


def test_a_folder_without_rooms_and_a_folder_that_is_not_empty_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="there are no rooms in"):
        back_up_rooms(tmp_path, tmp_path / "copy")
    RoomsFolder(tmp_path).register.touch()
    with pytest.raises(BackupError, match="is not empty"):
        back_up_rooms(tmp_path, tmp_path)
