"""Records of a game, and the interface of their storage. `Journal` implements the interface; doors use it."""

from __future__ import annotations

import struct
import zlib
from contextlib import AbstractAsyncContextManager
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec

from scramble.kernel.protocol import CommandLog, Durable, Ticket

D = TypeVar("D", bound=Durable)


class Record(msgspec.Struct, frozen=True):
    """A command of a journal: its number, from 1; its ticket; its time (seconds since 1970); and its JSON.

    `check` is the checksum of this command and all earlier commands.
    """

    seq: int
    ticket: Ticket
    time: float
    command: bytes
    check: int


class Recording(msgspec.Struct, frozen=True):
    """A game in a journal. `first` is its first state, as JSON; `digests` are by command number."""

    kind: str
    name: str
    began: float
    first: bytes
    records: tuple[Record, ...]
    digests: dict[int, str]


def first_checksum(name: str, kind: str, began: float, first: bytes) -> int:
    """Return the checksum of a game before its first command."""
    return zlib.crc32(first, zlib.crc32(struct.pack("<d", began), zlib.crc32(f"{name} {kind}".encode())))


def checksum(before: int, ticket: Ticket, time: float, command: bytes) -> int:
    """Return the checksum of all commands up to this one; `before` is the checksum before this command."""
    return zlib.crc32(command, zlib.crc32(struct.pack("<qd", ticket, time), before))


class Kept(NamedTuple, Generic[D]):
    """An opened game: the `rules` and the `log` for `open_actor`. Without a journal the log is None.

    `commands` is the number of recovered commands; `recovered` is True if the journal had the game.
    """

    rules: D
    log: CommandLog | None = None
    commands: int = 0
    recovered: bool = False


class Recorder(Protocol):
    """The storage of one game's commands."""

    def recorded(self, rules: D, /) -> AbstractAsyncContextManager[Kept[D]]:
        """Record a game during the block: the stored game if it exists, else the new game `rules`.

        Waits while the stored game is read. If cancelled meanwhile, the storage has not changed. Raises JournalError if
        the storage cannot be used. The storage has not changed in this case, either.
        """

    def read(self, *, after: int = 0) -> Recording:
        """Return the game with its commands after number `after`. Blocks: call it in a worker thread of trio.

        Changes nothing. The game may run. Raises JournalError if the game cannot be read.
        """
