"""The simulated disk: it loses only data that a real disk may lose.

Strategy. A writer makes transactions of three rows on a disk with every kind of fault, in many lives. Every committed
transaction must be there as a whole, and no transaction may be there in part. Each kind of loss must really occur:
otherwise the simulator would prove nothing.

Partitions:
- the end: a kill or a power cut, between two writes or during a write; a failing write, sync or open; a full disk
- a failed sync: the unsynced writes stay dirty, are dropped, are forgotten
- sync: with, without (then commits are lost)
- a dead process: it changes nothing
- an observer: it sees the current content, changes nothing, and has no faults
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw
import pytest

from tests.search.vopr.disk import SECTOR_BYTES, Connection, LostSync, Medium, Mount, reseed_sqlite

LIVES = 4
ROWS = 3  # per transaction


def open_database(process: Mount, *, synchronous: str = "FULL") -> Connection:
    """Open a database with one table and a write-ahead log. From then on its content is safe."""
    connection = process.connect("some.db", read_only=False)
    if connection.execute("PRAGMA journal_mode = WAL") != [("wal",)]:
        raise apsw.IOError("no write-ahead log")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("CREATE TABLE IF NOT EXISTS t (number INTEGER PRIMARY KEY, filling TEXT)")
    ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert busy == 0
    return connection


def open_database_again(medium: Medium) -> Connection:
    return medium.mount(observer=True).connect("some.db", read_only=True)


def rows_in(connection: Connection) -> int:
    """The number of rows. They must form whole transactions, in order."""
    numbers = [number for (number,) in connection.execute("SELECT number FROM t ORDER BY number")]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) % ROWS == 0
    return len(numbers)


def add(connection: Connection, number: int, rng: random.Random) -> None:
    """Add one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    rows = [(number + i, "x" * rng.randrange(200)) for i in range(ROWS)]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.execute("COMMIT")


@contextmanager
def a_medium(seed: int) -> Iterator[Medium]:
    reseed_sqlite(seed)
    medium = Medium(random.Random(seed), sector=SECTOR_BYTES[seed % 2])
    yield medium
    medium.unmount()


def torment(medium: Medium, rng: random.Random, *, synchronous: str = "FULL") -> tuple[int, int]:
    """Run some lives of a writer. Return the number of rows that it knew to be safe, and the final number of rows."""
    safe = 0
    for _ in range(LIVES):
        process = medium.mount()
        medium.fail_rate = rng.choice((0.0, 0.0, 0.02))
        medium.lost_sync = rng.choice(tuple(LostSync))
        medium.capacity = rng.choice((None, None, medium.used() + 50_000))
        medium.cut_at = medium.kill_at = None
        fatal = medium.operations + rng.randrange(1, 200)
        if rng.random() < 0.5:
            medium.cut_at = fatal
        else:
            medium.kill_at = fatal
        try:
            connection = open_database(process, synchronous=synchronous)
            found = rows_in(connection)
            if synchronous == "FULL":
                assert found >= safe
            safe = found
            for _ in range(20):
                add(connection, safe, rng)
                if process.alive:
                    safe += ROWS
            connection.close()
        except apsw.Error:
            pass
        if process.cut or rng.random() < 0.5:
            medium.cut_power()
        else:
            process.kill()
    medium.fail_rate, medium.capacity, medium.cut_at, medium.kill_at = 0.0, None, None, None
    connection = open_database(medium.mount())
    return safe, rows_in(connection)


def test_what_was_committed_survives_whatever_happens_and_nothing_is_half_there() -> None:
    for seed in range(150):
        with a_medium(seed) as medium:
            safe, found = torment(medium, random.Random(f"torment {seed}"))
            assert found >= safe, f"seed {seed}"


def test_without_sync_commits_are_lost() -> None:
    lost = 0
    for seed in range(40):
        with a_medium(seed) as medium:
            try:
                safe, found = torment(medium, random.Random(f"torment {seed}"), synchronous="OFF")
            except (apsw.CorruptError, AssertionError):  # SQLite reports the damage itself
                lost += 1
            else:
                lost += found < safe
    assert lost > 5


def test_a_kill_keeps_what_was_written_and_a_power_cut_what_was_synced() -> None:
    outcomes = set()
    for seed in range(40):
        with a_medium(seed) as medium:
            process = medium.mount()
            connection = open_database(process)
            connection.execute("PRAGMA synchronous = OFF")
            add(connection, 0, medium.rng)
            process.kill()
            assert rows_in(open_database_again(medium)) == ROWS
            medium.cut_power()
            outcomes.add(rows_in(open_database_again(medium)))
    assert outcomes == {0, ROWS}


def test_a_dead_process_changes_nothing() -> None:
    with a_medium(1) as medium:
        process = medium.mount()
        connection = open_database(process)
        add(connection, 0, medium.rng)
        before = {name: bytes(file.seen) for name, file in medium.files.items()}
        process.kill()
        add(connection, ROWS, medium.rng)
        connection.close()
        assert {name: bytes(file.seen) for name, file in medium.files.items()} == before


@pytest.mark.parametrize("lost_sync", LostSync)
def test_what_a_failed_sync_was_to_write(lost_sync: LostSync) -> None:
    found = set()
    for seed in range(30):
        with a_medium(seed) as medium:
            process = medium.mount()
            connection = open_database(process)
            medium.lost_sync = lost_sync
            medium.fail_rate = 0.3
            with pytest.raises(apsw.IOError):
                for number in range(0, 300, ROWS):
                    add(connection, number, medium.rng)
            failed = medium.failures[-1]
            medium.fail_rate = 0.0
            process.kill()
            if failed == "sync":
                dirty = any(file.unsynced for file in medium.files.values())
                stale = any(file.seen != file.platter for file in medium.files.values())
                found.add((dirty, stale))
    assert (
        found
        == {
            LostSync.DIRTY: {(True, True)},
            LostSync.DROPPED: {(False, False)},
            LostSync.FORGOTTEN: {(False, True)},
        }[lost_sync]
    )


def test_a_full_disk_takes_no_more() -> None:
    with a_medium(3) as medium:
        connection = open_database(medium.mount())
        add(connection, 0, medium.rng)
        medium.capacity = medium.used()
        with pytest.raises(apsw.FullError):
            add(connection, ROWS, medium.rng)
        medium.capacity = None
        add(connection, ROWS, medium.rng)
        assert rows_in(connection) == 2 * ROWS


def test_an_observer_sees_what_is_there_and_changes_nothing() -> None:
    with a_medium(4) as medium:
        connection = open_database(medium.mount())
        add(connection, 0, medium.rng)
        medium.fail_rate = 1.0
        operations = medium.operations
        before = {name: bytes(file.seen) for name, file in medium.files.items()}
        with closing(open_database_again(medium)) as reader:
            assert rows_in(reader) == ROWS
        assert medium.operations == operations
        assert {name: bytes(file.seen) for name, file in medium.files.items()} == before
        medium.fail_rate = 0.0
        add(connection, ROWS, medium.rng)
        assert rows_in(connection) == 2 * ROWS
