"""The disk space of a folder of rooms: the counted files, new measurements, and refusals while it is full.

Partitions:
- used space: within the limit; above the limit; below it again
- the disk: with a reserve; without a reserve
- files of: the register; an awake room; a sleeping room; a removed room
- requests: no requests; moves; looks; new rooms
"""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.errors import DiskFull
from scramble.minesweeper.messages import Flag, Look
from scramble.rooms import RoomLimits, open_rooms
from scramble.rooms.disk_quota import RESERVE_BYTES, DiskQuota
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.protocol import RoomNameTaken, RoomOrder, SettingsFull
from tests.support.rooms.kinds import DIGGING


@pytest.fixture
def folder(tmp_path: Path) -> RoomsFolder:
    folder = RoomsFolder(tmp_path)
    folder.rooms.mkdir()
    return folder


def in_all(folder: RoomsFolder) -> int:
    return sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())


async def test_changed_files_are_measured_again_and_the_total_covers_all_files(folder: RoomsFolder) -> None:
    folder.register.write_bytes(b"1" * 100)
    folder.journal("asleep").write_bytes(b"2" * 1000)
    folder.journal("awake").write_bytes(b"3" * 10)
    (folder.path / "other").write_bytes(b"4")
    log = folder.rooms / "awake.db-wal"
    space = DiskQuota(folder, 2000, lambda _: RESERVE_BYTES)
    await space.begin()
    assert (space.used_bytes, space.full) == (1111, False)
    await space.woken("awake")
    log.write_bytes(b"5" * 500)
    await space.measure()
    assert space.used_bytes == 1111  # no change was reported
    assert space.room_left("awake")
    await space.measure()
    assert space.used_bytes == in_all(folder) == 1611
    folder.journal("awake").write_bytes(b"3" * 400)
    assert space.room_left("awake")
    await space.measure()
    assert (space.used_bytes, space.full, space.room_left("awake")) == (2001, True, False)
    with pytest.raises(DiskFull, match="no room for more games"):
        space.require_room()
    await space.woken("awake")  # again
    assert space.used_bytes == in_all(folder)
    log.unlink()
    await space.asleep("awake")
    assert (space.used_bytes, space.full) == (1501, False)
    assert str(space) == "1501 bytes used"


async def test_a_disk_without_a_reserve_is_full_until_it_has_one(folder: RoomsFolder) -> None:
    free = [RESERVE_BYTES - 1]
    space = DiskQuota(folder, None, lambda _: free[0])
    await space.begin()
    assert space.full
    free[0] += 1
    await space.measure()
    assert not space.full


async def test_measuring_goes_on_by_itself_while_there_is_no_room(
    folder: RoomsFolder, autojump_clock: MockClock
) -> None:
    free, measured = [0], trio.Event()

    def free_bytes(_: RoomsFolder) -> int:
        free[0] += RESERVE_BYTES // 2
        if free[0] > 2 * RESERVE_BYTES:
            trio.from_thread.run_sync(measured.set)
        return free[0]

    space = DiskQuota(folder, None, free_bytes)
    await space.begin()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(space.keep_measuring)
        while not measured.is_set():
            space.room_left("")  # a move
            await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert not space.full


async def test_a_full_disk_is_measured_without_moves_until_it_has_room(
    folder: RoomsFolder, autojump_clock: MockClock
) -> None:
    free = [0]
    space = DiskQuota(folder, None, lambda _: free[0])
    await space.begin()
    with pytest.raises(DiskFull):
        space.require_room()
    free[0] = RESERVE_BYTES
    async with trio.open_nursery() as nursery:
        nursery.start_soon(space.keep_measuring)
        for _ in range(1000):
            if not space.full:
                break
            await trio.sleep(1)
            await trio.testing.wait_all_tasks_blocked(0.005)  # the clock does not wait for the thread that measures
        nursery.cancel_scope.cancel()
    assert not space.full


async def test_a_full_folder_refuses_moves_and_new_rooms_and_no_room_dies(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING, limits=RoomLimits(data_bytes=200_000)) as rooms:
        first = (await rooms.create("digging", {})).name
        name = (await rooms.create("digging", {}, RoomOrder(after=first))).name
        async with rooms.enter(name) as room:
            await room.game.ask(Flag(0, 0))
            filler = tmp_path / "rooms" / "acorn-acorn-acorn-acorn.db"
            filler.write_bytes(b"0" * 300_000)
        assert not rooms.full  # a sleeping room's file is counted only when the folder is opened
    async with open_rooms(tmp_path, kinds=DIGGING, limits=RoomLimits(data_bytes=200_000)) as rooms:
        assert rooms.full
        with pytest.raises(DiskFull):
            await rooms.create("digging", {})
        assert await rooms.create("digging", {}, RoomOrder(after=first)) == await rooms.find(
            name
        )  # this room already exists
        async with rooms.enter(name) as room:
            with pytest.raises(DiskFull):
                await room.game.ask(Flag(1, 1))
            assert (await room.game.ask(Look())).text.startswith("F - - -\n- -")
        await rooms.close(name)  # a full disk does not refuse acts that free space
        await rooms.remove(name)


async def test_a_disk_that_cannot_be_measured_counts_as_full_as_before(folder: RoomsFolder) -> None:
    fails = False

    def free_bytes(_: RoomsFolder) -> int:
        if fails:
            raise OSError(5, "Input/output error")
        return RESERVE_BYTES

    space = DiskQuota(folder, None, free_bytes)
    await space.begin()
    fails = True
    await space.measure()
    assert not space.full


async def test_settings_files_count_from_their_writing_to_their_deletion(
    tmp_path: Path,
) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING, limits=RoomLimits(data_bytes=500_000)) as rooms:
        await rooms.space.measure()
        opened = []
        with pytest.raises(DiskFull):
            while True:
                opened.append((await rooms.create("digging", {"note": "x" * 50_000})).name)
        await rooms.space.measure()
        assert rooms.space.used_bytes == in_all(rooms.folder) <= 500_000
        assert len(opened) > 5
        for name in opened:
            await rooms.remove(name)
        await rooms.space.measure()
        assert rooms.space.used_bytes == in_all(rooms.folder) > 0
        await rooms.create("digging", {"note": "x" * 50_000})


async def test_a_settings_file_that_is_not_written_does_not_count(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        record = await rooms.create("digging", {"note": "x" * 50_000})
        await rooms.space.measure()
        before = rooms.space.used_bytes
        with pytest.raises(RoomNameTaken):
            await rooms.store.keep_settings(record.name, b"x" * 50_000)
        assert rooms.space.used_bytes == before == in_all(rooms.folder)


async def test_the_registers_commands_count_and_a_full_folder_refuses_titles_but_no_removal(
    tmp_path: Path,
) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING, limits=RoomLimits(data_bytes=300_000)) as rooms:
        name = (await rooms.create("digging", {})).name
        with pytest.raises(DiskFull):
            for number in range(2000):
                await rooms.rename(name, f"title {number}")
                await rooms.space.measure()
        assert rooms.space.used_bytes == in_all(rooms.folder)
        await rooms.remove(name)


async def test_monitoring_has_the_used_and_the_allowed_space(tmp_path: Path) -> None:
    async with open_rooms(tmp_path, kinds=DIGGING, limits=RoomLimits(data_bytes=200_000)) as rooms:
        figures = {figure.name: figure.value for figure in rooms.figures()}
    assert figures["data_limit_bytes"] == 200_000
    assert 0 < figures["data_used_bytes"] < 200_000
    async with open_rooms(tmp_path, kinds=DIGGING) as rooms:
        figures = {figure.name: figure.value for figure in rooms.figures()}
    assert figures["data_limit_bytes"] > figures["data_used_bytes"]  # the limit is the space of the disk


async def test_files_of_settings_have_a_limit_of_their_own_which_removals_and_restarts_keep(tmp_path: Path) -> None:
    limits = RoomLimits(boards_bytes=120_000)
    async with open_rooms(tmp_path, kinds=DIGGING, limits=limits) as rooms:
        first, _ = [await rooms.create("digging", {"note": "x" * 50_000}) for _ in range(2)]
        with pytest.raises(SettingsFull):
            await rooms.create("digging", {"note": "x" * 50_000})
        await rooms.create("digging", {})
        await rooms.remove(first.name)
        await rooms.create("digging", {"note": "x" * 50_000})
    async with open_rooms(tmp_path, kinds=DIGGING, limits=limits) as rooms:
        with pytest.raises(SettingsFull):
            await rooms.create("digging", {"note": "x" * 50_000})
