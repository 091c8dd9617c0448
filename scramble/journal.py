"""The journal: every command that can change a game, written to an SQLite database before anybody sees what it did.

    async with recorded(board, Journal("game.db")) as kept, open_actor(kept.seated, log=kept.log) as actor:
        ...

Since rules are pure, a game is its first state and its commands in order; so that is all that is kept, and going on
after a crash is applying the commands again. What is promised:

- An answer that anybody has seen survives the death of the process, and of the machine as far as its disk keeps the
  promise of `fsync`: the owner task releases nothing before `Log.commit` has returned, and that is one transaction in a
  write-ahead log with `synchronous=FULL`. Nothing is ever half there.
- The state that comes out is the one that was: every thousand commands a digest of the state is kept and compared, and
  a running checksum ties every command to all before it.
- Requests that the dead process had parked are withdrawn, as if their callers had gone; and they have. So nobody who
  is no longer there can win a card. The withdrawals are commands like others, and written down.
- A journal that cannot be used is an error in words, and is not changed.

Safe under concurrency: the log belongs to the owner task, which waits while a worker thread writes; a lock keeps other
processes from the same game, and different games in one file have rows of their own.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec
import trio

from scramble import store
from scramble.core import Answered, Command, Durable, Log, Outcome, Refused, Ticket, Withdraw
from scramble.disk import FILES, Connection, Disk, Lock
from scramble.errors import InvalidCommand, JournalError, JournalFailed
from scramble.logs import Entry
from scramble.seats import Seated
from scramble.store import Record, Recording

__all__ = ["Journal", "JournalError", "JournalFailed", "Kept", "Record", "Recording", "read_recording", "recorded"]

D = TypeVar("D", bound=Durable)

logger = logging.getLogger(__name__)

DIGEST_EVERY: Final = 1000
"""Commands from one digest of the state to the next: making one costs as much as looking at the whole game."""


class Journal:
    """Where a game is kept: a file, and a name for the game, since several may share a file. Immutable."""

    def __init__(
        self, path: str | Path, name: str = store.DEFAULT_NAME, *, same_start: bool = False, disk: Disk = FILES
    ) -> None:
        """The file need not exist yet. Touches nothing.

        With `same_start` a game that is there already must have begun as the one that is to be played; otherwise it
        goes on whatever it began with. `disk` is for tests.

        Raises:
            JournalError: the name is none: letters, digits, `_` and `-`, at most 64 of them.
        """
        if not store.is_name(name):
            raise JournalError(f"{name!a} is no name for a game: use letters, digits, _ and -, at most 64 of them")
        self.path: Final = Path(path)
        self.name: Final = name
        self.same_start: Final = same_start
        self.disk: Final = disk

    def __str__(self) -> str:
        return f"{self.path} ({self.name})"


class Kept(NamedTuple, Generic[D]):
    """A game to be played: `seated` and the `log` are to be given to its owner; None if it is kept nowhere.

    `commands` were found in the journal and are part of the state; `recovered` is whether the game was there at all.
    """

    seated: Seated[D]
    log: Log | None = None
    commands: int = 0
    recovered: bool = False

    @property
    def rules(self) -> D:
        """The game itself, which its owner has from now on."""
        return self.seated.rules


@asynccontextmanager
async def recorded(rules: D, journal: Journal | None) -> AsyncIterator[Kept[D]]:
    """Keep a game in a journal for the length of a block: one that begins as `rules`, or the one that is there already.

    Waits while the journal is read and all its commands are applied, in a worker thread. Without a journal the game is
    kept nowhere. If cancelled, the journal is closed all the same.

    Raises:
        JournalError: it cannot be used: another game's, of a newer format, damaged, used by another process, not to be
            read or written. It has not been changed.
    """
    seated = Seated(rules)
    if journal is None:
        yield Kept(seated)
        return
    disk = journal.disk
    opened = await disk.run(partial(_open, seated, journal))
    kept = opened.kept
    if kept.recovered:
        logger.info(Entry("journal-recovered", game=rules.kind, commands=kept.commands, version=kept.rules.version))
    try:
        yield opened.kept
    finally:
        with trio.CancelScope(shield=True):  # closing is short, and nothing else may have the file before it is done
            await disk.run(opened.close)


def read_recording(path: str | Path, name: str | None = None, *, after: int = 0, disk: Disk = FILES) -> Recording:
    """Read a game from a journal without changing the file, also while another process plays it. Blocks.

    Without a `name` it is the only game of the file. `after` leaves out the records up to that one.

    Raises:
        JournalError: there is no such game, or the file is damaged, of a newer format, or cannot be read.
    """
    path = Path(path)
    with _explained(path, disk):
        if not disk.exists(path):
            raise JournalError(f"{path}: there is no such file, or nothing in it")
        with closing(disk.connect(path, read_only=True)) as connection:
            return store.read(connection, path, name, after)


# --- recovery ----------------------------------------------------------------------------------------


class _Opened(NamedTuple, Generic[D]):
    kept: Kept[D]
    connection: Connection
    lock: Lock

    def close(self) -> None:
        """Give the file back."""
        self.connection.close()
        self.lock.close()


def _open(rules: Seated[D], journal: Journal) -> _Opened[D]:
    """Read the journal, apply what it holds, and only then open it for writing."""
    path, disk = journal.path, journal.disk
    with _explained(path, disk):
        found: Recording | None = None
        if disk.exists(path):
            with closing(disk.connect(path, read_only=True)) as connection:
                found = store.find(connection, path, journal.name)
        if found is not None:
            _require_same_game(found, rules, journal)
            state = _replay(found, rules, path)
        else:
            state = _State(rules)
        lock = disk.lock(path, journal.name)
        try:
            connection = disk.connect(path, read_only=False)
            try:
                game, check = store.begin(connection, path, journal.name, rules.kind, rules.state(), disk.now(), found)
                log = _WriteAhead(connection, journal, game, check, state, found)
                for ticket in state.parked:
                    _, withdrawal = log.prepare(Withdraw())
                    state.rules.apply(ticket, Withdraw())
                    log.add(ticket, withdrawal)
                log.write()
            except BaseException:
                connection.close()
                raise
        except BaseException:
            lock.close()
            raise
    commands = 0 if found is None else len(found.records)
    return _Opened(Kept(state.rules, log, commands, found is not None), connection, lock)


class _State(Generic[D]):
    """A game in the course of its recovery: its rules, the requests that wait, and the highest ticket so far."""

    def __init__(self, rules: Seated[D]) -> None:
        self.rules = rules
        self.parked: dict[Ticket, None] = {}
        self.last_ticket = Ticket(-1)

    def apply(self, ticket: Ticket, command: Command[object]) -> None:
        """One more command of the journal."""
        self.last_ticket = max(self.last_ticket, ticket)
        if isinstance(command, Withdraw):
            self.parked.pop(ticket, None)
        else:
            self.parked[ticket] = None
        outcomes: Sequence[Outcome] = self.rules.apply(ticket, command)
        for outcome in outcomes:
            if isinstance(outcome, Answered | Refused):
                self.parked.pop(outcome.ticket, None)


def _require_same_game(found: Recording, rules: Durable, journal: Journal) -> None:
    if found.kind != rules.kind:
        raise JournalError(f"{journal.path}: {found.name!r} is a game of {found.kind}, not of {rules.kind}")
    if journal.same_start and found.first != rules.state():
        raise JournalError(f"{journal.path}: {found.name!r} is a game of {found.kind} that began with something else")


def _replay(found: Recording, rules: Seated[D], path: Path) -> _State[D]:
    """The game after all commands of the journal. Raises JournalError if they do not lead to what they should."""
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(rules.commands)
    with _understood(path):
        state = _State(rules.restore(found.first))
    for record in found.records:
        with _understood(path):
            command = decoder.decode(record.command)
        state.apply(record.ticket, command)
        if record.seq % DIGEST_EVERY == 0 and found.digests.get(record.seq) != _digest(state.rules):
            raise JournalError(
                f"{path}: command {record.seq} leads to another state than it did:"
                " the file is damaged, or was written by a version of scramble that had other rules"
            )
    return state


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:  # msgspec's are such
        raise JournalError(
            f"{path} is damaged, or was written by another version of scramble: {_one_line(error)}"
        ) from error


def _digest(rules: Durable) -> str:
    return hashlib.sha256(rules.state()).hexdigest()


class _WriteAhead:
    """The `Log` of one game. Used by its owner task, and while that waits, by the thread that writes."""

    # AF: the commands of _game up to number _seq, which all came before _ticket; the last of them are in _rows and
    #     _digests, to be written; _check is the checksum of all, _time the latest time.
    # RI: the rows have consecutive numbers, of which the last is _seq.

    def __init__(
        self, connection: Connection, journal: Journal, game: int, check: int, state: _State[D], found: Recording | None
    ) -> None:
        last = found.records[-1] if found is not None and found.records else None
        self._connection: Final = connection
        self._path: Final = journal.path
        self._disk: Final = journal.disk
        self._game: Final = game
        self._rules: Final[Durable] = state.rules
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(state.rules.commands)
        self._seq = last.seq if last else 0
        self._check = last.check if last else check
        self._time = last.time if last else 0.0
        self.first_ticket: Final = Ticket(state.last_ticket + 1)
        self._rows: list[store.Row] = []
        self._digests: list[tuple[int, int, str]] = []

    def prepare(self, command: Command[object], /) -> tuple[Command[object], bytes]:
        """The command as it will be read back, so that what is applied now is what will be applied then."""
        try:
            prepared = msgspec.json.encode(command)
            return self._decoder.decode(prepared), prepared
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            # An embedding program may give what is not of the right types, or text that is not Unicode.
            raise InvalidCommand(f"not a command that can be written down: {error}") from error

    def add(self, ticket: Ticket, prepared: bytes, /) -> None:
        self._seq += 1
        self._time = max(self._time, self._disk.now())  # clocks are set back, histories are not
        self._check = store.checksum(self._check, ticket, self._time, prepared)
        self._rows.append((self._game, self._seq, ticket, self._time, prepared.decode(), self._check))
        if self._seq % DIGEST_EVERY == 0:
            self._digests.append((self._game, self._seq, _digest(self._rules)))

    async def commit(self) -> None:
        if self._rows:
            await self._disk.run(self.write)

    def write(self) -> None:
        """Write what was added, in one transaction. Blocks. Raises JournalFailed."""
        rows, self._rows = self._rows, []
        digests, self._digests = self._digests, []
        if rows:
            try:
                store.append(self._connection, rows, digests)
            except self._disk.errors as error:
                raise JournalFailed(f"its journal cannot be written: {_one_line(error)}", self._path) from error
            if not self._disk.exists(self._path):  # what is written to a deleted file is written to nowhere
                raise JournalFailed("its journal is gone: somebody has moved or deleted it", self._path)

    def __str__(self) -> str:
        return f"journal of {self._seq} commands, {len(self._rows)} of them to be written"


@contextmanager
def _explained(path: Path, disk: Disk) -> Iterator[None]:
    """Within the block whatever a disk or a file has to object is raised as `JournalError`."""
    try:
        yield
    except JournalFailed as error:
        raise JournalError(f"{path}: {error}") from error
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from error
    except disk.errors as error:
        raise JournalError(f"{path}: {_one_line(error)}") from error
    except (store.Malformed, UnicodeDecodeError) as error:
        raise JournalError(f"{path} is damaged: {error}") from error


def _one_line(error: Exception) -> str:
    """What it says; SQLite quotes damaged schemas as they are."""
    return " ".join(str(error).split())
