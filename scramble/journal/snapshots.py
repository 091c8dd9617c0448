"""Snapshots: the state of a game after one of its commands. Recovery begins at a snapshot.

A snapshot saves time. Its data follows from the commands. So recovery ignores an unsound snapshot, with a warning in
the log. It begins at the previous snapshot or at the game's beginning, and the commands lead to the same state. A
snapshot is sound if

- its digest is right; the digest covers the state, the parked requests, and the running checksum of the command, so
  the snapshot belongs to this game, and to the commands before it;
- at every thousandth command, its state has the stored digest of that command;
- the rules restore the state, and encode it to the same bytes.

A snapshot of a missing command shows that the command was committed, and is lost. Then the journal is refused.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from scramble.journal import sqlite
from scramble.journal.disk import SqlConnection
from scramble.journal.sqlite import Malformed, SnapshotRow, integer, only, real
from scramble.kernel.protocol import Ticket

TOGETHER: Final = struct.Struct("<QqdI")  # number of the command, highest ticket, time, running checksum


class StoredSnapshot(msgspec.Struct, frozen=True):
    """The state of a game after command number `seq`, as JSON, with the `time` and the `check` of that command.

    `parked` has the tickets of the parked requests, in order of arrival. `last_ticket` is the highest ticket of all
    commands so far.
    """

    seq: int
    time: float
    check: int
    last_ticket: Ticket
    parked: tuple[Ticket, ...]
    state: bytes

    def row(self, game: int) -> SnapshotRow:
        """Return the row of this snapshot for game number `game`."""
        parked = msgspec.json.encode(self.parked)
        return game, self.seq, self.last_ticket, parked.decode(), self.state.decode(), self._digest(parked)

    def _digest(self, parked: bytes) -> str:
        together = TOGETHER.pack(self.seq, self.last_ticket, self.time, self.check)
        return hashlib.sha256(together + parked + self.state).hexdigest()  # JSON shows where `parked` ends

    @classmethod
    def read(cls, row: SnapshotRow, time: float, check: int) -> StoredSnapshot:
        """Return the snapshot in the row. Raises Malformed if the digest is wrong."""
        _, seq, last_ticket, parked, state, digest = row
        try:
            tickets = msgspec.json.decode(parked, type=tuple[int, ...])
            found = cls(seq, time, check, last_ticket, tuple(map(Ticket, tickets)), state.encode())
            if found._digest(parked.encode()) == digest:
                return found
        except (ValueError, struct.error) as error:
            raise Malformed(f"the snapshot of command {seq} cannot be read: {error}") from error
        raise Malformed(f"the snapshot of command {seq} is damaged: its digest is wrong")


def newest_first(
    connection: SqlConnection, game: int, every: int, unsound: Callable[[int, str], object]
) -> Iterator[StoredSnapshot]:
    """Iterate over the snapshots of game number `game` with right digests, newest first.

    Reports the other snapshots to `unsound`, with the reason. `every` is the number of commands between two digests of
    the state.
    """
    select = "SELECT ticket, parked, state, digest FROM snapshots WHERE game = ? AND seq = ?"
    for seq in numbers(connection, game):
        try:
            time, check = only(connection.execute(sqlite.COMMAND_AT, (game, seq)))
            ticket, parked, state, digest = only(connection.execute(select, (game, seq)))
            row = (game, seq, Ticket(integer(ticket)), str(parked), str(state), str(digest))
            snapshot = StoredSnapshot.read(row, real(time), integer(check))
        except Malformed as error:
            unsound(seq, str(error))
            continue
        if seq % every == 0 and list(connection.execute(sqlite.DIGEST_AT, (game, seq))) != [
            (hashlib.sha256(snapshot.state).hexdigest(),)
        ]:
            unsound(seq, f"the snapshot of command {seq} has another digest than the commands")
            continue
        yield snapshot


def numbers(connection: SqlConnection, game: int) -> list[int]:
    """Return the numbers of the commands with snapshots, highest first; an empty list for an older format."""
    if sqlite.format_of(connection) < sqlite.SNAPSHOT_FORMAT:
        return []
    found = connection.execute("SELECT seq FROM snapshots WHERE game = ? ORDER BY seq DESC", (game,))
    return [integer(seq) for (seq,) in found]
