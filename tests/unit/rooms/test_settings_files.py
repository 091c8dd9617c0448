"""Settings that are too long for the register. They are in a file, and a crash or damage may affect it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import trio

from scramble.logs import LogEntry
from scramble.minesweeper.messages import Look
from scramble.rooms import LocalRooms, open_rooms
from scramble.rooms.protocol import RoomDamaged, RoomOrder
from tests.support.rooms.kinds import DIGGING

LONG = "x" * 5000


async def only_files_of(rooms: LocalRooms, *names: str) -> None:
    """Wait until only the rooms with these names have files."""
    while await trio.to_thread.run_sync(rooms.folder.names) != set(names):
        await trio.lowlevel.checkpoint()


async def test_long_settings_are_kept_in_a_file_and_leave_the_register_small(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        for _ in range(3):
            record = await rooms.create("digging", {"note": LONG})
            assert (await rooms.settings(record))["note"] == LONG
            async with rooms.enter(record.name) as room:
                await room.game.ask(Look())
            await rooms.remove(record.name)
        kept = await rooms.create("digging", {"note": LONG})
        await only_files_of(rooms, kept.name)
        files = [rooms.folder.register, rooms.folder.register.with_name("register.db-wal")]
        assert not any(LONG.encode() in file.read_bytes() for file in files)
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        assert (await rooms.settings(await rooms.find(kept.name)))["note"] == LONG


async def test_settings_of_a_room_that_was_never_opened_are_deleted(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        first = await rooms.create("digging", {})
        successor = await rooms.create("digging", {}, RoomOrder(after=first.name))
        assert await rooms.create("digging", {"note": LONG}, RoomOrder(after=first.name)) == successor
        await only_files_of(rooms)
        (tmp_path / "rooms" / "acorn-active-actor-admire.settings").write_bytes(b"{}")  # like after a crash
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        await only_files_of(rooms)


async def test_the_name_of_a_removed_room_is_not_used_again_and_its_file_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        removed = await rooms.create("digging", {})
        await rooms.remove(removed.name)
        names = [removed.name, "acorn-active-actor-admire"]
        monkeypatch.setattr("scramble.rooms.rooms_base.new_name", lambda: names.pop(0))
        record = await rooms.create("digging", {"note": LONG})
        assert record.name == "acorn-active-actor-admire"
        await only_files_of(rooms, record.name)


async def test_damaged_settings_are_reported_by_their_room_and_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        record, other = await rooms.create("digging", {"note": LONG}), await rooms.create("digging", {"note": LONG})
        file = rooms.folder.settings(record.name)
        file.write_bytes(file.read_bytes().replace(b"x", b"y"))
        with pytest.raises(RoomDamaged):
            async with rooms.enter(record.name):
                pass
        async with rooms.enter(other.name) as room:
            await room.game.ask(Look())
    entries = [record.msg for record in caplog.records if record.levelno == logging.ERROR]
    (entry,) = [entry for entry in entries if isinstance(entry, LogEntry) and entry.event == "room-damaged"]
    assert str(file) in str(entry.fields["reason"])
