"""Games on a full disk: moves are refused with a reason, and players can still leave.

If the disk becomes full unexpectedly, the game keeps the applied commands and refuses new ones until the disk has room.

Partitions: Memory Scramble, Minesweeper, Crossword; a move, a look, a waiting player leaves, a player joins; the disk
has room again.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.crossword import Puzzle, open_lobby
from scramble.crossword.messages import LobbyFull
from scramble.errors import DiskFull, GameStopped
from scramble.journal import Journal, read_recording
from scramble.journal.commandlog import CLOSING_COMMANDS
from scramble.journal.disk import Files, SqlConnection
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from tests.support.crossword.driver import EXTENDED
from tests.unit.journal.test_recording import BOARD
from tests.unit.journal.test_snapshots import snapshots


class Folder:
    """A folder that the test makes full or not."""

    def __init__(self, path: Path) -> None:
        self.full = False
        self.journal = Journal(path / "game.db", room_left=lambda: not self.full)

    @property
    def commands(self) -> int:
        return len(read_recording(self.journal.path).records)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


class Small(Files):
    """A disk with a limit for the pages of a database."""

    def __init__(self) -> None:
        self.connection: SqlConnection | None = None

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        connection = super().connect(path, read_only=read_only)
        if not read_only:
            self.connection = connection
        return connection

    def limit(self, pages: int) -> None:
        assert self.connection is not None
        list(
            self.connection.execute(f"PRAGMA max_page_count = {pages}")
        )  # SQLite accepts no limit below the current number


async def test_moves_on_a_full_disk_wait_and_are_recorded_once_there_is_room(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    disk = Small()
    journal = Journal(tmp_path / "game.db", room_left=lambda: True, disk=disk)
    async with open_game(Board.parse(BOARD), journal=journal) as game:
        changes = game.changes()
        await game.new_game("ann", 0)
        disk.limit(1)
        recorded = 1

        async def play() -> None:
            nonlocal recorded
            while True:
                await game.new_game("ann", recorded)
                recorded += 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(play)
            with pytest.raises(DiskFull, match="this one was not made"):
                while True:
                    with trio.move_on_after(1), suppress(GameStopped):  # the move may be in the held batch
                        await game.look("bob")
            before = recorded
            await trio.sleep(60)
            assert recorded == before
            disk.limit(1_000_000)
            while recorded < before + 3:
                await anext(changes)
            nursery.cancel_scope.cancel()
    commands = [record.seq for record in read_recording(journal.path).records]
    assert commands == [*range(1, len(commands) + 1)]
    assert len(commands) in (recorded, recorded + 1)


async def test_a_flip_is_refused_without_a_change_and_waiting_players_can_leave(folder: Folder) -> None:
    async with open_game(Board.parse(BOARD), journal=folder.journal) as game:
        for number in range(CLOSING_COMMANDS):
            await game.new_game("ann", number)
        await game.flip("ann", 0, 0)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(game.flip, "bob", 0, 0)
            await wait_all_tasks_blocked()
            before, folder.full = await game.snapshot(), True
            with pytest.raises(DiskFull, match="nothing has changed") as full:
                await game.flip("ann", 0, 1)
            assert (full.value.code, full.value.status) == ("disk-full", 507)
            assert await game.snapshot() == before
            nursery.cancel_scope.cancel()
        assert (await game.snapshot()).waiting == {}
        folder.full = False
        await game.flip("ann", 0, 1)
        folder.full = True
    assert folder.commands == CLOSING_COMMANDS + 4
    assert snapshots(folder.journal.path) == [], "a snapshot is not worth the space"
    async with open_game(Board.parse(BOARD), journal=folder.journal) as game:  # a full disk still allows looks
        await game.look("ann")


async def test_a_dig_is_refused_and_players_can_leave(folder: Folder) -> None:
    async with open_field(Field.random(4, 4, 1), journal=folder.journal) as game:
        async with game.connect("ann") as ann:
            folder.full = True
            for move in (game.dig, game.flag):
                with pytest.raises(DiskFull):
                    await move(0, 0, ann.player)
            with pytest.raises(DiskFull):
                async with game.connect("bob"):
                    pass
        assert (await game.snapshot()).players == ()
    assert folder.commands == 2


async def test_a_line_is_refused_in_the_view_and_the_lobby_is_full_for_newcomers(folder: Folder) -> None:
    lobbies = open_lobby([Puzzle.parse(EXTENDED, id="p")], journal=folder.journal)
    async with lobbies as lobby, lobby.session() as ann:
        view = await ann.say("ann")
        folder.full = True
        refused = await ann.say('NEW m p "a match"')
        assert (refused.state, refused.matches) == (view.state, view.matches)
        assert refused.error is not None
        assert "the disk is full" in refused.error
        with pytest.raises(LobbyFull, match="the disk is full"):
            async with lobby.session():
                pass
        folder.full = False
        assert (await ann.say('NEW m p "a match"')).state == "WAIT"
