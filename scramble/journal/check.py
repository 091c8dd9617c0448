"""Check of a journal: verifies all its data, and changes nothing.

A check verifies the structure of the file, with its indexes (`PRAGMA integrity_check`), and each frame of SQLite's
log. For each game it verifies the beginning, the checksum of each command, the digests and snapshots of the states,
and the mark. It reads copies: SQLite may delete a log that seems to be unused, even if it opens the file read-only.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import quote

import msgspec

from scramble.errors import JournalError
from scramble.journal import recorder, sqlite
from scramble.journal.commandlog import Requests, digest_due
from scramble.journal.disk import FILES, lock_as_it_is
from scramble.journal.mark import Mark
from scramble.journal.snapshots import StoredSnapshot
from scramble.journal.wal import read_log
from scramble.kernel.protocol import Command, Durable, Ticket, Withdraw
from scramble.plaintext import one_line

Restorers: TypeAlias = Mapping[str, Callable[[bytes], Durable]]
"""By kind of game, the function that restores a game from a state. It raises ValueError for an invalid state."""


class SoundGame(NamedTuple):
    """The sound part of a game: its row, its commands, and the digests of the resulting states."""

    name: str
    kind: str
    began: float
    first: str
    start: int
    rows: Sequence[tuple[int, int, float, str, int]] = ()
    digests: Sequence[tuple[int, str]] = ()

    @property
    def mark(self) -> Mark:
        """The mark of the game after its last command."""
        return Mark(self.start, len(self.rows), self.rows[-1][-1] if self.rows else self.start)

    def has(self, mark: Mark) -> bool:
        """Return True if the game has all commands up to the mark."""
        check = self.start if mark.seq == 0 else self.rows[mark.seq - 1][-1] if mark.seq <= len(self.rows) else None
        return mark.start == self.start and mark.check == check


class CheckReport(NamedTuple):
    """The findings of a check.

    `problems` are in words. `games` has the commands that SQLite reads. `saved` also has the intact commands that
    SQLite no longer reads. `marks` has the readable marks. `claims` has the number of commands that each game should
    have, according to its rows and its mark.
    """

    problems: Sequence[str]
    games: Mapping[str, SoundGame]
    saved: Mapping[str, SoundGame]
    marks: Mapping[str, Mark]
    claims: Mapping[str, int]

    def missing(self) -> Mapping[str, int]:
        """Return the minimum number of commands that each incomplete game lacks after a repair."""
        found: dict[str, int] = {}
        for name, claim in self.claims.items():
            game, mark = self.saved.get(name), self.marks.get(name)
            if game is None or (mark is not None and mark.start != game.start):
                found[name] = max(claim, 1)
            elif len(game.rows) < claim or not (mark is None or game.has(mark)):
                found[name] = max(claim - len(game.rows), 1)
        return found


def check(path: Path, restorers: Restorers) -> CheckReport:
    """Verify all data of a journal, and change nothing. Blocks.

    Raises JournalError if the file is not a journal, or is in use.
    """
    with as_journal_error(path), closing(lock_as_it_is(path)):
        return examine(path, restorers)


@contextmanager
def as_journal_error(path: Path) -> Iterator[None]:
    """Convert errors of the file system and of SQLite in the block to JournalError."""
    try:
        yield
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise sqlite.unusable(path, error) from error


def find(path: Path) -> Sequence[str]:
    """Return the names of the log and the marks beside the file. Raises JournalError if none of the files exists."""
    beside = FILES.beside(path)
    if not FILES.exists(path) and not beside:
        raise JournalError(f"{path}: there is no such file, or nothing in it")
    return beside


def examine(path: Path, restorers: Restorers) -> CheckReport:
    """Check a journal. The caller has locked it."""
    real = Path(os.path.realpath(path))
    beside = find(path)
    names = [name.removeprefix(f"{real.name}.").removesuffix(".mark") for name in beside if name.endswith(".mark")]
    found = {name: Mark.decode(FILES.read_mark(path, name)) for name in names}
    marks = {name: mark for name, mark in found.items() if mark is not None}
    problems = [] if FILES.exists(path) else [f"{real.name} is empty or gone"]
    log_bytes = Path(f"{real}-wal").read_bytes() if f"{real.name}-wal" in beside else b""
    log = read_log(log_bytes)
    if log.damage is not None:
        behind = len(log.frames) - log.read
        problems.append(f"frame {log.damage} of its log is damaged: SQLite ignores it and {behind - 1} others")
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen.db"
        content = real.read_bytes() if FILES.exists(path) else b""
        seen.write_bytes(content)
        seen.with_name("seen.db-wal").write_bytes(log_bytes)
        claims = {name: mark.seq for name, mark in marks.items()}
        games = saved = _games_in(seen, path, restorers, problems, claims)
        if log.damage is not None or not content:
            image = Path(folder) / "image.db"
            image.write_bytes(log.applied(content))
            more = _games_in(image, path, restorers, [], claims)
            saved = games | {n: g for n, g in more.items() if n not in games or len(g.rows) > len(games[n].rows)}
    for name, mark in marks.items():
        problems += _behind(name, games.get(name), mark)
    return CheckReport(problems, games, saved, marks, claims)


def _behind(name: str, game: SoundGame | None, mark: Mark) -> Iterator[str]:
    if game is None:
        yield f"{name}: it is not there, but {mark.seq} of its commands were acknowledged"
    elif game.start != mark.start:
        yield f"{name}: it is not the game that was last played there; that game had {mark.seq} acknowledged commands"
    elif len(game.rows) < mark.seq:
        yield f"{name}: it ends at command {len(game.rows)}, but {mark.seq} were acknowledged"
    elif not game.has(mark):
        yield f"{name}: command {mark.seq} differs from the acknowledged command"


def _games_in(
    file: Path, path: Path, restorers: Restorers, problems: list[str], claims: dict[str, int]
) -> dict[str, SoundGame]:
    """Return the sound parts of all games; add to `problems` and `claims`.

    Raises JournalError if the file is not a journal.
    """
    games: dict[str, SoundGame] = {}
    with closing(sqlite3.connect(f"file:{quote(str(file))}", uri=True, isolation_level=None)) as connection:
        try:
            ((identity,),) = connection.execute("PRAGMA application_id")
            ((number,),) = connection.execute("PRAGMA user_version")
            empty = not any(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1"))
        except sqlite3.Error as error:
            problems.append(f"it cannot be read: {one_line(error)}")
            return games
        if not empty:
            sqlite.require_journal(path, identity, number)
        try:
            verdicts = [str(verdict) for (verdict,) in connection.execute("PRAGMA integrity_check(10)")]
            problems += [f"damaged: {' '.join(verdict.split())}" for verdict in verdicts if verdict != "ok"]
        except sqlite3.Error as error:
            problems.append(f"damaged: {one_line(error)}")
        counts = COUNTS if number >= sqlite.SNAPSHOT_FORMAT else COUNTS[:1]
        columns = "id, name, kind, began, first, checksum"
        for row in _rows(connection, f"SELECT {columns} FROM games", problems) if not empty else ():
            claimed = (claims.get(str(row[1]), 0), *(_number(connection, count, row[0]) for count in counts))
            claims[str(row[1])] = max(claimed)
            match row:
                case (int(game), str(name), str(kind), float(began), str(first), int(start)) if (
                    recorder.first_checksum(name, kind, began, first.encode()) == start
                ):
                    begun = SoundGame(name, kind, began, first, start)
                    games[name] = _sound(connection, game, begun, restorers, problems, number >= sqlite.SNAPSHOT_FORMAT)
                case _:
                    problems.append(f"{row[1]!a}: it is damaged where it begins")
    return games


COUNTS: Final = ("SELECT count(*) FROM commands WHERE game = ?", "SELECT max(seq) FROM snapshots WHERE game = ?")
"""Queries for the number of commands that a game should have. The second query is only for formats with snapshots."""


def _number(connection: sqlite3.Connection, sql: str, game: object) -> int:
    """Return the query's number for a game; 0 if the number is missing or unreadable."""
    for (found,) in _rows(connection, sql, [], game):
        return found if isinstance(found, int) else 0
    return 0


def _rows(connection: sqlite3.Connection, sql: str, problems: list[str], *keys: object) -> Iterator[tuple[object, ...]]:
    """Iterate over the rows up to the first unreadable row."""
    try:
        yield from connection.execute(sql, keys)
    except sqlite3.Error as error:
        problems.append(f"damaged: {one_line(error)}")


def _sound(
    connection: sqlite3.Connection,
    number: int,
    game: SoundGame,
    restorers: Restorers,
    problems: list[str],
    with_snapshots: bool,
) -> SoundGame:
    """Return `game` with the commands before its first damaged command, and the digests of the resulting states."""
    columns = "seq, ticket, time, command, checksum"
    sql = f"SELECT {columns} FROM commands WHERE game = ? ORDER BY seq"
    stored = set(_rows(connection, "SELECT seq, digest FROM digests WHERE game = ?", problems, number))
    try:
        rules = restorers[game.kind](game.first.encode())
    except (KeyError, ValueError) as error:
        problems.append(f"{game.name}: the state that it began with cannot be read: {one_line(error)}")
        return game
    columns_of_snapshots = "game, seq, ticket, parked, state, digest"
    kept = f"SELECT {columns_of_snapshots} FROM snapshots WHERE game = ?"
    snapshots = {row[1]: row for row in _rows(connection, kept, problems, number)} if with_snapshots else {}
    requests = Requests()
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(rules.commands)
    rows: list[tuple[int, int, float, str, int]] = []
    digests: list[tuple[int, str]] = []
    check = game.start
    for row in _rows(connection, sql, problems, number):
        match row:
            case (int(seq), int(ticket), float(time), str(text), int(expected)) if (
                seq == len(rows) + 1
                and (check := recorder.checksum(check, Ticket(ticket), time, text.encode())) == expected
            ):
                try:
                    command = decoder.decode(text)
                except ValueError as error:  # the checksum is right, so another version of scramble wrote the command
                    problems.append(f"{game.name}: command {seq} cannot be understood: {one_line(error)}")
                    break
            case _:
                problems.append(f"{game.name}: command {len(rows) + 1} is damaged")
                break
        requests.note(Ticket(ticket), rules.apply(Ticket(ticket), command), withdrawn=isinstance(command, Withdraw))
        rows.append((seq, ticket, time, text, expected))
        digest = digest_due(seq, rules)
        if digest is not None:
            digests.append((seq, digest))
            if digests[-1] not in stored:
                problems.append(f"{game.name}: command {seq} leads to another state than its digest says")
        if seq in snapshots:
            parked = tuple(requests.parked)
            snapshot = StoredSnapshot(seq, time, expected, requests.last_ticket, parked, rules.state())
            if snapshots.pop(seq) != snapshot.row(number):
                problems.append(f"{game.name}: the snapshot of command {seq} is not what the commands lead to")
    problems += [f"{game.name}: there is a snapshot of command {seq}, but not that command" for seq in snapshots]
    return game._replace(rows=rows, digests=digests)
