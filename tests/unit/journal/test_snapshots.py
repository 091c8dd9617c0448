"""Snapshots in journals: games continue from them with the same result as from all commands.

Partitions:
- a snapshot is written: with a digest; when the game is closed; not after few commands, after a bug, or after a failed
  write
- the state is: small; large, with fewer snapshots
- waiting requests at the snapshot: some; no request
- the game continues from: the latest snapshot; the snapshot before; its beginning
- a snapshot is: sound; damaged in any column; of a missing command; of a state that is restored as another state
- commands before it are: sound; damaged, in a file that is small enough to be verified whole, and in a larger one
- an opening is cancelled: during the reading; while it applies commands
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest
import trio
from click.testing import CliRunner
from trio.testing import wait_all_tasks_blocked

from scramble.cli.main import main
from scramble.errors import GameClosed, GameStopped
from scramble.journal import Journal, JournalError, commandlog, read_recording, recorded, sqlite
from scramble.journal.disk import Files, SqlConnection
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.actor import LOGGED_BATCH_SIZE, open_actor
from scramble.kernel.protocol import Command, Outcome, Ticket
from scramble.memory import Board, open_game
from scramble.memory.messages import NewGame
from tests.unit.journal.test_lost import mark_of
from tests.unit.journal.test_recording import BOARD, change, fingerprint, play


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "game.db"


DIGEST_EVERY, CLOSING_COMMANDS = 100, 10  # in these tests, so that short games have snapshots


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write digests and snapshots often."""
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", DIGEST_EVERY)
    monkeypatch.setattr(commandlog, "CLOSING_COMMANDS", CLOSING_COMMANDS)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file count as too large to be verified whole."""
    monkeypatch.setattr(sqlite, "WHOLE_BYTES", 0)


async def shuffle(file: Path, times: int) -> str:
    """Restart the game `times` times. Each time flip a card and close the game. Return the last board."""
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game, trio.open_nursery() as nursery:
        for number in range(times):
            nursery.start_soon(game.new_game, "ann", number)
    return await play(file, ("ann", 0, 0))


def snapshots(file: Path) -> list[int]:
    with closing(sqlite3.connect(file)) as database:
        return [seq for (seq,) in database.execute("SELECT seq FROM snapshots ORDER BY seq")]


# --- writing ------------------------------------------------------------------------------------------


async def test_a_journal_keeps_the_last_two_snapshots_and_all_commands(file: Path) -> None:
    await play(file, *[("ann", 0, number % 2) for number in range(CLOSING_COMMANDS - 1)])
    assert snapshots(file) == []
    await play(file, ("ann", 0, CLOSING_COMMANDS % 2))
    assert snapshots(file) == [CLOSING_COMMANDS]
    await shuffle(file, 2 * DIGEST_EVERY)
    assert snapshots(file) == [2 * DIGEST_EVERY, 2 * DIGEST_EVERY + CLOSING_COMMANDS]
    assert len(read_recording(file).records) == 2 * DIGEST_EVERY + CLOSING_COMMANDS + 1


async def test_a_large_state_has_snapshots_less_often(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size, every = len(Board.parse(BOARD).state()), LOGGED_BATCH_SIZE + 1  # at most one digest in a batch
    monkeypatch.setattr(commandlog, "CLOSING_COMMANDS", 10**9)
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", every)
    monkeypatch.setattr(commandlog, "STATE_BYTES", size / every)  # later states are larger: version and player
    await shuffle(file, 3 * every)
    assert snapshots(file) == [2 * every]


async def test_after_a_bug_no_snapshot_is_written(file: Path) -> None:
    class Buggy(Board):
        def apply(self, ticket: Ticket, command: Command[object], /) -> list[Outcome]:
            outcomes = super().apply(ticket, command)
            if isinstance(command, NewGame) and command.player == "eve":
                raise ZeroDivisionError
            return outcomes

    with pytest.raises(ExceptionGroup):
        async with recorded(Buggy.parse(BOARD), Journal(file)) as kept:
            with suppress(GameStopped):
                async with open_actor(kept.rules, log=kept.log) as actor:
                    for number in range(CLOSING_COMMANDS):
                        await actor.ask(NewGame("ann", number))
                    await actor.ask(NewGame("eve", 1))
    assert len(read_recording(file).records) == CLOSING_COMMANDS
    assert snapshots(file) == []


class Refusing(Files):
    """A disk on which no snapshot can be written."""

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        connection = super().connect(path, read_only=read_only)
        assert isinstance(connection, sqlite3.Connection)
        connection.set_authorizer(
            lambda action, table, *_: int((action, table) == (sqlite3.SQLITE_INSERT, "snapshots"))
        )
        return connection


async def test_a_game_closes_well_if_its_last_snapshot_cannot_be_written(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file, disk=Refusing())) as game:
        for number in range(CLOSING_COMMANDS):
            await game.new_game("ann", number)
    assert "snapshot-not-written game=memory" in caplog.text
    assert snapshots(file) == []
    await play(file)


# --- continuing a game -----------------------------------------------------------------------------------------


async def test_a_game_continues_from_a_snapshot_despite_earlier_damage_which_a_check_finds(
    file: Path, large: None
) -> None:
    before = await shuffle(file, DIGEST_EVERY + 5)
    change(file, "UPDATE commands SET ticket = 9 WHERE seq = 5")
    assert await play(file) == before
    with pytest.raises(JournalError, match="damaged at command 5"):
        read_recording(file)
    result = CliRunner().invoke(main, ["journal", "check", str(file)])
    assert result.exit_code == 1
    assert "command 5 is damaged" in result.output


async def test_all_commands_of_a_small_file_are_verified(file: Path) -> None:
    await shuffle(file, DIGEST_EVERY + 5)
    change(file, "UPDATE commands SET ticket = 9 WHERE seq = 5")
    with pytest.raises(JournalError, match="damaged at command 5"):
        await play(file)


@pytest.mark.parametrize("whole", [0, 1 << 30])
async def test_a_damaged_command_after_a_snapshot_is_refused(
    file: Path, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "WHOLE_BYTES", whole)
    await shuffle(file, DIGEST_EVERY + 5)
    change(file, f"UPDATE commands SET time = time + 1 WHERE seq = {DIGEST_EVERY + 2}")
    with pytest.raises(JournalError, match=f"damaged at command {DIGEST_EVERY + 2}"):
        await play(file)


async def test_requests_that_waited_at_a_snapshot_are_withdrawn_and_no_ticket_is_reused(
    file: Path, large: None
) -> None:
    async def wait() -> None:
        with pytest.raises(GameClosed):
            await game.flip("bob", 0, 0)

    async with trio.open_nursery() as nursery, open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        for number in range(CLOSING_COMMANDS):
            await game.new_game("ann", number)
        await game.flip("ann", 0, 0)
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
    last = len(read_recording(file).records)
    assert snapshots(file) == [last]
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        assert (await game.snapshot()).waiting == {}
        await game.flip("ann", 0, 1)
    waited, withdrawn, after = read_recording(file).records[-3:]
    assert (withdrawn.ticket, withdrawn.command) == (waited.ticket, b'{"type":"Withdraw"}')
    assert after.ticket > waited.ticket


DAMAGE = (
    "state = replace(state, 'A', 'C')",
    "state = '{'",
    "parked = '[7]'",
    "parked = 'x'",
    "ticket = ticket + 1",
    "digest = 'x'",
    "seq = seq - 1",
)


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_snapshot_is_ignored_with_a_warning_and_the_commands_lead_to_the_same_state(
    file: Path, damage: str, large: None, caplog: pytest.LogCaptureFixture
) -> None:
    before = await shuffle(file, DIGEST_EVERY + CLOSING_COMMANDS)
    for damaged in (
        DIGEST_EVERY + CLOSING_COMMANDS,
        0,
    ):  # damage the latest snapshot, then all snapshots: the game continues from its start
        caplog.clear()
        change(file, f"UPDATE snapshots SET {damage} WHERE seq >= {damaged}")
        assert await play(file) == before
        assert "snapshot-ignored game=memory" in caplog.text
        caplog.clear()
        assert await play(file) == before  # a sound snapshot has been written
        assert caplog.text == ""
        assert len(snapshots(file)) == (2 if damaged else 1)


async def test_a_snapshot_that_is_restored_as_another_state_is_ignored(
    file: Path, large: None, caplog: pytest.LogCaptureFixture
) -> None:
    before = await shuffle(file, CLOSING_COMMANDS)
    (seq,) = snapshots(file)
    record = read_recording(file).records[seq - 1]
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        ((state, ticket),) = database.execute("SELECT state, ticket FROM snapshots")
        for other in (state.replace(":", ": ", 1), state.replace("version", "edition")):
            database.execute("DELETE FROM snapshots")
            row = StoredSnapshot(seq, record.time, record.check, ticket, (), other.encode()).row(1)
            database.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)", row)
            assert await play(file) == before
    assert "this version of scramble restores another state" in caplog.text
    assert caplog.text.count("snapshot-ignored") == 2


async def test_a_journal_that_ends_before_its_snapshot_is_refused(file: Path, large: None) -> None:
    await shuffle(file, CLOSING_COMMANDS)
    mark_of(file).unlink()
    change(file, f"DELETE FROM commands WHERE seq > {CLOSING_COMMANDS - 1}")
    with pytest.raises(JournalError, match=f"ends at command {CLOSING_COMMANDS - 1}, but has a snapshot"):
        await play(file)


# --- cancelling ---------------------------------------------------------------------------------------


class Impatient(Files):
    """A disk that cancels an opening at pause number `pauses`, while commands are read or applied."""

    def __init__(self, scope: trio.CancelScope, pauses: int) -> None:
        self._scope = scope
        self._pauses = pauses

    def check_cancelled(self) -> None:
        self._pauses -= 1
        if self._pauses == 0:
            trio.from_thread.run_sync(self._scope.cancel)
        super().check_cancelled()


MANY: Final = 1005  # commands: an opening looks several times whether it is cancelled


@pytest.mark.parametrize("pauses", [1, 2, 4])
async def test_an_opening_that_is_cancelled_ends_and_changes_nothing(file: Path, pauses: int) -> None:
    before = await shuffle(file, MANY)
    change(file, "DELETE FROM snapshots")
    files = fingerprint(file.parent)
    opened = False
    with trio.CancelScope() as scope:
        async with recorded(Board.parse(BOARD), Journal(file, disk=Impatient(scope, pauses))):
            opened = True
    assert scope.cancelled_caught
    assert not opened
    assert fingerprint(file.parent) == files
    assert await play(file) == before
