"""The tables of a journal, and all SQL statements. Independent of the game: commands and states are text here.

    games      a game: its name in this file, its kind, its time of beginning, its first state (JSON), and a checksum
    commands   the commands of a game in order: number (from 1), ticket, time (seconds since 1970), command (JSON), and
               a checksum of the game, this command and all earlier commands
    digests    SHA-256 of the state (JSON) after every thousandth command
    snapshots  the state (JSON) after a command: the command's number, the highest ticket so far, the tickets of the
               parked requests (JSON), the state, and a digest; at most two snapshots for a game, see `snapshots`

The file has a format number (`PRAGMA user_version`) and an application ID (`PRAGMA application_id`). So scramble never
writes to a database of another program or of a later format. The formats:

    1          the first format
    2          the same tables, but a first state may have fields that the rules of format 1 do not know, so an older
               scramble must not continue the game
    3          with snapshots

Files of the formats 1 and 2 are readable. The transaction that opens such a file for writing converts it to format 3.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from scramble.errors import JournalError
from scramble.journal import recorder
from scramble.journal.disk import SqlConnection, SqlValue
from scramble.journal.mark import Mark
from scramble.journal.recorder import Record, Recording
from scramble.kernel.protocol import Ticket
from scramble.plaintext import one_line

APPLICATION_ID: Final = 0x53435242  # "SCRB"
JOURNAL_FORMAT: Final = 3
SNAPSHOT_FORMAT: Final = 3  # the first format with snapshots

WHOLE_BYTES: Final = 1 << 20
"""The maximum size of a file that each opening verifies completely. Verification takes about 20 ms at most."""

DEFAULT_NAME: Final = "game"

SNAPSHOTS: Final = """CREATE TABLE snapshots (
        game INTEGER NOT NULL REFERENCES games (id),
        seq INTEGER NOT NULL,
        ticket INTEGER NOT NULL,
        parked TEXT NOT NULL,
        state TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (game, seq)
    ) STRICT"""

SCHEMA: Final = (
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        began REAL NOT NULL,
        first TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE commands (
        game INTEGER NOT NULL REFERENCES games (id),
        seq INTEGER NOT NULL,
        ticket INTEGER NOT NULL,
        time REAL NOT NULL,
        command TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (game, seq)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE digests (
        game INTEGER NOT NULL REFERENCES games (id),
        seq INTEGER NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (game, seq)
    ) STRICT, WITHOUT ROWID""",
    SNAPSHOTS,
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {JOURNAL_FORMAT}",
)

CommandRow: TypeAlias = tuple[int, int, Ticket, float, str, int]
"""A row of `commands`."""

SnapshotRow: TypeAlias = tuple[int, int, Ticket, str, str, str]
"""A row of `snapshots`."""

COMMAND_AT: Final = "SELECT time, checksum FROM commands WHERE game = ? AND seq = ?"
DIGEST_AT: Final = "SELECT digest FROM digests WHERE game = ? AND seq = ?"

MarkOf: TypeAlias = Callable[[str], Mark | None]
"""Function that returns the mark of the game with the given name; None if the game has no readable mark."""

REPAIR: Final = "Restore a backup, or run `scramble journal repair` to continue from the sound part"
"""The advice for a damaged file, or a file with missing commands."""

DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
"""SQLite's primary error codes for a damaged page, a file of another type, and a missing table or column."""


def is_name(name: str) -> bool:
    """Return True if a game in a file can have this name."""
    return re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) is not None


def unusable(path: Path, error: Exception) -> JournalError:
    """Return the error for an operator whose file SQLite cannot use."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF in DAMAGE:  # the lowest byte of an extended code is the primary code
        return JournalError(f"{path} is damaged, or is not a journal of scramble: {one_line(error)}. {REPAIR}")
    return JournalError(f"{path}: {one_line(error)}")


# --- reading -----------------------------------------------------------------------------------------


class Found(NamedTuple):
    """A game in a file: its number in the file and its data, without its commands.

    `last` is the number of the last command. `start` is the checksum before the first command.
    """

    game: int
    name: str
    kind: str
    began: float
    first: bytes
    start: int
    last: int


def read(connection: SqlConnection, path: Path, mark_of: MarkOf, name: str | None = None, after: int = 0) -> Recording:
    """Return the game with the name, or the only game, with its records after number `after`. Raises JournalError.

    With `after` above 0, reads only these records, and does not verify the rest of the file or the mark.
    """
    names = names_of(connection, path, whole=after == 0)
    if not names:
        raise JournalError(f"{path}: there is no game in it")
    if name is None:
        if len(names) > 1:
            raise JournalError(f"{path}: there are several games in it; say which: {', '.join(sorted(names))}")
        (name,) = names
    if name not in names:
        raise JournalError(f"{path}: there is no game {name!a} in it, but {', '.join(sorted(names))}")
    mark = None if after else mark_of(name)  # read before the log, so that the log has the mark's command
    with one_moment(connection):
        found = _find(connection, path, mark, name)
        check = found.start
        if after:
            for _, before in connection.execute(COMMAND_AT, (found.game, after)):
                check = integer(before)
        return read_commands(connection, path, found, after, check)


def find(connection: SqlConnection, path: Path, mark_of: MarkOf, name: str, *, whole: bool) -> Found | None:
    """Return the game with the name; None if the file does not have it. Raises JournalError if the file is unusable.

    Verifies the structure of the `whole` file, or only the table of games. Raises JournalError if an acknowledged
    command is missing.
    """
    mark = mark_of(name)
    if name in names_of(connection, path, whole=whole):
        return _find(connection, path, mark, name)
    if mark is not None:
        raise JournalError(
            f"{path}: game {name!r} is missing: this is an older copy or another file, or its log is missing. {REPAIR}"
        )
    return None


def is_small(connection: SqlConnection) -> bool:
    """Return True if the file is small enough to verify it completely at each opening."""
    return number(connection, "PRAGMA page_count") * number(connection, "PRAGMA page_size") <= WHOLE_BYTES


def verify_structure(connection: SqlConnection, path: Path) -> None:
    """Read all pages of the file. Raises JournalError if its structure is damaged."""
    for (verdict,) in connection.execute("PRAGMA quick_check(1)"):
        if verdict != "ok":
            raise JournalError(f"{path} is damaged: {' '.join(str(verdict).split())}. {REPAIR}")


def format_of(connection: SqlConnection) -> int:
    """Return the format of the file."""
    return number(connection, "PRAGMA user_version")


def require_journal(path: Path, application: int, form: int) -> None:
    """Raise JournalError unless a database with this application ID and this format is a readable journal."""
    if application != APPLICATION_ID:
        raise JournalError(f"{path} is a database of another program, not a journal of scramble: choose another file")
    if form > JOURNAL_FORMAT:
        raise JournalError(
            f"{path} has format {form}, but this version of scramble reads formats up to {JOURNAL_FORMAT}:"
            " install a newer version"
        )


def names_of(connection: SqlConnection, path: Path, *, whole: bool = True) -> frozenset[str]:
    """Return the names of the games in the file.

    Verifies the `whole` file, or only the table of games. Raises JournalError if the file is damaged, or is no journal
    of a known format.
    """
    if not any(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")):
        return frozenset()
    require_journal(path, number(connection, "PRAGMA application_id"), format_of(connection))
    if whole:
        verify_structure(connection, path)
    names: set[str] = set()
    for name, kind, began, first, check in connection.execute("SELECT name, kind, began, first, checksum FROM games"):
        if recorder.first_checksum(str(name), str(kind), real(began), str(first).encode()) != check:
            raise JournalError(f"{path} is damaged where {name!a} begins. {REPAIR}")
        names.add(str(name))
    return frozenset(names)


def number(connection: SqlConnection, sql: str, *parameters: SqlValue) -> int:
    """Return the only value of the only row of a result."""
    return integer(only(connection.execute(sql, parameters))[0])


@contextmanager
def one_moment(connection: SqlConnection) -> Iterator[None]:
    """Make all reads of the block see the same version of the file, even while another process writes."""
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")  # after an error the connection is only closed


def _find(connection: SqlConnection, path: Path, mark: Mark | None, name: str) -> Found:
    last = "SELECT coalesce(max(seq), 0) FROM commands WHERE game = id"
    columns = f"id, kind, began, first, checksum, ({last})"
    game, kind, began, first, start, end = only(
        connection.execute(f"SELECT {columns} FROM games WHERE name = ?", (name,))
    )
    began_with = str(first).encode()
    found = Found(integer(game), name, str(kind), real(began), began_with, integer(start), integer(end))
    if mark is not None:
        _require_marked(connection, path, found, mark)
    return found


def read_commands(
    connection: SqlConnection,
    path: Path,
    found: Found,
    after: int,
    check: int,
    pause: Callable[[], object] = lambda: None,
) -> Recording:
    """Return the game with its verified records after number `after`. `check` is the checksum up to that number.

    Calls `pause` every thousand records. Raises JournalError if a record is damaged or missing.
    """
    records: list[Record] = []
    columns = "seq, ticket, time, command, checksum"
    for seq, ticket, time, command, expected in connection.execute(
        f"SELECT {columns} FROM commands WHERE game = ? AND seq > ? ORDER BY seq", (found.game, after)
    ):
        data = str(command).encode()
        check = recorder.checksum(check, Ticket(integer(ticket)), real(time), data)
        if seq != after + len(records) + 1 or check != expected:
            at = after + len(records) + 1
            raise JournalError(f"{path} is damaged at command {at} of {found.name!r}. {REPAIR}")
        records.append(Record(integer(seq), Ticket(integer(ticket)), real(time), data, check))
        if len(records) % 1000 == 0:
            pause()
    digests = connection.execute("SELECT seq, digest FROM digests WHERE game = ? AND seq > ?", (found.game, after))
    by_number = {integer(seq): str(digest) for seq, digest in digests}
    return Recording(found.kind, found.name, found.began, found.first, tuple(records), by_number)


def _require_marked(connection: SqlConnection, path: Path, game: Found, mark: Mark) -> None:
    """Raise JournalError unless the game has all commands up to the mark."""
    name = game.name
    if game.start != mark.start:
        raise JournalError(f"{path}: {name!r} is not the game that was last played there. {REPAIR}")
    if mark.seq == 0:
        return
    found = [check for _, check in connection.execute(COMMAND_AT, (game.game, mark.seq))]
    if not found:
        raise JournalError(
            f"{path}: {name!r} ends at command {game.last}, but {mark.seq} were acknowledged: its log is damaged, or"
            f" this is an older copy. {REPAIR}"
        )
    if found != [mark.check]:
        raise JournalError(f"{path}: command {mark.seq} of {name!r} differs from the acknowledged command. {REPAIR}")


class Malformed(Exception):
    """A value has another type than its column, a table lacks a row, or a snapshot is damaged."""


def only(rows: Iterable[Sequence[SqlValue]]) -> Sequence[SqlValue]:
    """Return the only row of a game. Raises Malformed for another number of rows: an index may be damaged."""
    found = list(rows)
    if len(found) != 1:
        raise Malformed(f"{len(found)} rows of a game where there should be one")
    return found[0]


def integer(value: SqlValue) -> int:
    """Return a value of a column of whole numbers. Raises Malformed for another type."""
    if not isinstance(value, int):
        raise Malformed(f"{value!a} where there should be a whole number")
    return value


def real(value: SqlValue) -> float:
    """Return a value of a column of numbers. Raises Malformed for another type."""
    if not isinstance(value, float):
        raise Malformed(f"{value!a} where there should be a number")
    return value


# --- writing -----------------------------------------------------------------------------------------


def begin(
    connection: SqlConnection, path: Path, name: str, kind: str, first: bytes, now: float, last: int | None
) -> tuple[int, int]:
    """Prepare the file for writing. `last` is the number of commands that recovery found; None for a new game.

    Returns the number of the game in the file, and its checksum before the first command. Raises JournalError.
    """
    ((mode,),) = connection.execute("PRAGMA journal_mode = WAL")
    if mode != "wal":
        raise JournalError(
            f"{path} is on a disk that cannot keep a journal, because SQLite's write-ahead log does not work there:"
            " choose a local disk"
        )
    connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk before it returns
    # If the sync of an earlier process failed, its data may be only in the system's cache, marked as written. Recovery
    # has just read this data, and the game continues from it. So write the data again, to another place.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not any(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")):
            for statement in SCHEMA:
                connection.execute(statement)
        elif (before := format_of(connection)) < JOURNAL_FORMAT:
            if before < SNAPSHOT_FORMAT:
                connection.execute(SNAPSHOTS)
            connection.execute(f"PRAGMA user_version = {JOURNAL_FORMAT}")  # part of the transaction
        select = (
            "SELECT id, checksum, (SELECT coalesce(max(seq), 0) FROM commands WHERE game = id) FROM games"
            " WHERE name = ?"
        )
        there = list(connection.execute(select, (name,)))
        if last is None and not there:
            connection.execute(
                "INSERT INTO games (name, kind, began, first, checksum) VALUES (?, ?, ?, ?, ?)",
                (name, kind, now, first.decode(), recorder.first_checksum(name, kind, now, first)),
            )
            there = list(connection.execute(select, (name,)))
        elif [found for *_, found in there] != [last]:
            raise JournalError(f"{path}: another process has just changed {name!r}: try again")
        game, check, _ = only(there)
        # This write tests that the file is writable. Its sync also secures the data that recovery has read:
        # a process may have died between writing and syncing that data.
        connection.execute("UPDATE games SET name = name WHERE id = ?", (game,))
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # the first error says more
            connection.execute("ROLLBACK")
        raise
    return integer(game), integer(check)


def append(
    connection: SqlConnection,
    rows: Iterable[CommandRow],
    digests: Sequence[tuple[int, int, str]],
    snapshot: SnapshotRow | None = None,
    keep: int = 0,
) -> None:
    """Write commands, digests and a snapshot in one transaction. Blocks until the data is synced.

    With a snapshot, deletes the older snapshots, except the snapshot of command `keep`. Raises the connection's errors.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", rows)
        if digests:
            connection.executemany("INSERT INTO digests VALUES (?, ?, ?)", digests)
        if snapshot is not None:
            game, seq, *_ = snapshot
            connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?)", snapshot)
            connection.execute("DELETE FROM snapshots WHERE game = ? AND seq NOT IN (?, ?)", (game, seq, keep))
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # the first error says more
            connection.execute("ROLLBACK")
        raise
