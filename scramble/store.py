"""The tables of a journal, and all the SQL there is. Knows no game: commands and states are text to it.

    games      a game: its name in this file, its kind, when it began, its first state (JSON), and a checksum
    commands   what was done, in order: number (from 1), ticket, time (seconds since 1970), command (JSON), and a
               checksum of this and all before it, the game included
    digests    SHA-256 of the state (JSON) after every thousandth command

The format is numbered (`PRAGMA user_version`), and the file says whose it is (`PRAGMA application_id`), so that neither
another program's database nor a later format is ever written to.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from scramble.core import Ticket
from scramble.disk import Connection, Value
from scramble.errors import JournalError

APPLICATION_ID: Final = 0x53435242  # "SCRB"
FORMAT: Final = 1

DEFAULT_NAME: Final = "game"

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
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)

Row: TypeAlias = tuple[int, int, Ticket, float, str, int]
"""A row of `commands`."""


class Record(msgspec.Struct, frozen=True):
    """A command of a journal: its number, from 1; its ticket; when (seconds since 1970); and itself, as JSON.

    `check` is the checksum of this command and all before it.
    """

    seq: int
    ticket: Ticket
    time: float
    command: bytes
    check: int


class Recording(msgspec.Struct, frozen=True):
    """A game as a journal has it. `first` is the state that it began with, as JSON; `digests` are by number."""

    kind: str
    name: str
    began: float
    first: bytes
    records: tuple[Record, ...]
    digests: dict[int, str]


def is_name(name: str) -> bool:
    """Whether this can be the name of a game in a file."""
    return re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) is not None


def first_checksum(name: str, kind: str, began: float, first: bytes) -> int:
    """The checksum of a game before its first command."""
    return zlib.crc32(first, zlib.crc32(struct.pack("<d", began), zlib.crc32(f"{name} {kind}".encode())))


def checksum(before: int, ticket: Ticket, time: float, command: bytes) -> int:
    """The checksum of all commands up to this one, where `before` is that of those before it."""
    return zlib.crc32(command, zlib.crc32(struct.pack("<qd", ticket, time), before))


# --- reading -----------------------------------------------------------------------------------------


def read(connection: Connection, path: Path, name: str | None = None, after: int = 0) -> Recording:
    """The game of that name, or the only one; the records behind number `after`. Raises JournalError."""
    names = _check(connection, path, whole=after == 0)
    if not names:
        raise JournalError(f"{path}: there is no game in it")
    if name is None:
        if len(names) > 1:
            raise JournalError(f"{path}: there are several games in it; say which: {', '.join(sorted(names))}")
        (name,) = names
    if name not in names:
        raise JournalError(f"{path}: there is no game {name!a} in it, but {', '.join(sorted(names))}")
    return _read(connection, path, name, after)


def find(connection: Connection, path: Path, name: str) -> Recording | None:
    """The game of that name; None if there is none in the file. Raises JournalError if the file cannot be used."""
    return _read(connection, path, name, 0) if name in _check(connection, path) else None


def _check(connection: Connection, path: Path, *, whole: bool = True) -> frozenset[str]:
    """The names of the games in the file. Raises JournalError if it is damaged, or not a journal of this format.

    Looks at the `whole` file, or at no more than it has to.
    """
    if not any(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")):
        return frozenset()
    if _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise JournalError(f"{path} is a database, but not one of scramble's journals")
    found = _number(connection, "PRAGMA user_version")
    if found > FORMAT:
        raise JournalError(f"{path} has format {found}, which takes a newer scramble: this one knows format {FORMAT}")
    for (verdict,) in connection.execute("PRAGMA quick_check(1)") if whole else ():
        if verdict != "ok":
            raise JournalError(f"{path} is damaged: {' '.join(str(verdict).split())}")
    names: set[str] = set()
    for name, kind, began, first, check in connection.execute("SELECT name, kind, began, first, checksum FROM games"):
        if first_checksum(str(name), str(kind), _real(began), str(first).encode()) != check:
            raise JournalError(f"{path} is damaged where {name!a} begins")
        names.add(str(name))
    return frozenset(names)


def _number(connection: Connection, sql: str) -> int:
    (row,) = connection.execute(sql)
    return _integer(row[0])


def _read(connection: Connection, path: Path, name: str, after: int) -> Recording:
    connection.execute("BEGIN")  # so that all of this is of the same moment, whoever writes meanwhile
    game, kind, began, first, start = _only(
        connection.execute("SELECT id, kind, began, first, checksum FROM games WHERE name = ?", (name,))
    )
    check = _integer(start)
    if after:
        for (before,) in connection.execute("SELECT checksum FROM commands WHERE game = ? AND seq = ?", (game, after)):
            check = _integer(before)
    records: list[Record] = []
    for seq, ticket, time, command, found in connection.execute(
        "SELECT seq, ticket, time, command, checksum FROM commands WHERE game = ? AND seq > ? ORDER BY seq",
        (game, after),
    ):
        data = str(command).encode()
        check = checksum(check, Ticket(_integer(ticket)), _real(time), data)
        if seq != after + len(records) + 1 or check != found:
            raise JournalError(f"{path} is damaged at command {after + len(records) + 1} of {name!r}")
        records.append(Record(_integer(seq), Ticket(_integer(ticket)), _real(time), data, check))
    digests = connection.execute("SELECT seq, digest FROM digests WHERE game = ? AND seq > ?", (game, after))
    by_number = {_integer(seq): str(digest) for seq, digest in digests}
    connection.execute("COMMIT")
    return Recording(str(kind), name, _real(began), str(first).encode(), tuple(records), by_number)


class Malformed(Exception):
    """A value that is not of its column's type, or a row that is not where it should be."""


def _only(rows: Iterable[Sequence[Value]]) -> Sequence[Value]:
    """The row of a game. If an index is damaged, what is there may not be found."""
    found = list(rows)
    if len(found) != 1:
        raise Malformed(f"{len(found)} rows of a game where there should be one")
    return found[0]


def _integer(value: Value) -> int:
    if not isinstance(value, int):
        raise Malformed(f"{value!a} where there should be a whole number")
    return value


def _real(value: Value) -> float:
    if not isinstance(value, float):
        raise Malformed(f"{value!a} where there should be a number")
    return value


# --- writing -----------------------------------------------------------------------------------------


def begin(
    connection: Connection, path: Path, name: str, kind: str, first: bytes, now: float, found: Recording | None
) -> tuple[int, int]:
    """Make ready to write the game that was `found`, or a new one. Raises JournalError.

    Returns its number in the file, and its checksum before the first command.
    """
    ((mode,),) = connection.execute("PRAGMA journal_mode = WAL")
    if mode != "wal":
        raise JournalError(
            f"{path} is on a disk that cannot keep a journal (SQLite's write-ahead log does not work there)"
        )
    connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk before it returns
    # What a process has written whose sync then failed may be in the system's memory only, which takes it for written.
    # It was read from there just now, and is to be built on: so it is written anew, to another place.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not any(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")):
            for statement in SCHEMA:
                connection.execute(statement)
        if found is None:
            connection.execute(
                "INSERT INTO games (name, kind, began, first, checksum) VALUES (?, ?, ?, ?, ?)",
                (name, kind, now, first.decode(), first_checksum(name, kind, now, first)),
            )
        game, check, last = _only(
            connection.execute(
                "SELECT id, checksum, (SELECT coalesce(max(seq), 0) FROM commands WHERE game = id) FROM games"
                " WHERE name = ?",
                (name,),
            )
        )
        if last != (0 if found is None else len(found.records)):
            raise JournalError(f"{path}: another process has played {name!r} just now")
        # Whether the file can be written shows now. And the sync that comes with it makes safe what was read, and will
        # be shown, though a process may have died between writing and syncing it.
        connection.execute("UPDATE games SET name = name WHERE id = ?", (game,))
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # there is one already, and it says more
            connection.execute("ROLLBACK")
        raise
    return _integer(game), _integer(check)


def append(connection: Connection, rows: Iterable[Row], digests: Iterable[tuple[int, int, str]]) -> None:
    """Write commands and digests in one transaction. Blocks until they are safe; raises the connection's errors."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO digests VALUES (?, ?, ?)", digests)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # there is one already, and it says more
            connection.execute("ROLLBACK")
        raise
