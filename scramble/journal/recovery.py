"""Recovery of a game: apply the later commands to a snapshot or to the first state. Works with every kind of log.

Safe under concurrency: a recovery belongs to the task or thread that reads the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

import msgspec

from scramble.errors import JournalError
from scramble.journal.commandlog import Requests, digest_due
from scramble.journal.recorder import Record
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.protocol import Command, Durable, Ticket, Withdraw
from scramble.plaintext import one_line

D = TypeVar("D", bound=Durable)

UNREADABLE: Final = "is damaged, or was written by another version of scramble: use that version, or restore a backup"


class Recovery(Generic[D]):
    """A game during recovery: its rules, its requests, and the snapshot or the record of its last command."""

    def __init__(self, rules: D, snapshot: StoredSnapshot | None = None) -> None:
        """Begin with the rules in the state of a snapshot, or in the first state."""
        self.rules = rules
        self.snapshot_at: Final = snapshot.seq if snapshot else 0
        self.requests: Final = Requests(snapshot.parked, snapshot.last_ticket) if snapshot else Requests()
        self.last: Record | StoredSnapshot | None = snapshot

    def apply(self, ticket: Ticket, command: Command[object]) -> None:
        """Apply the next command."""
        outcomes = self.rules.apply(ticket, command)
        self.requests.note(ticket, outcomes, withdrawn=isinstance(command, Withdraw))


def from_snapshot(rules: D, snapshot: StoredSnapshot) -> Recovery[D]:
    """Return the game after the command of a snapshot.

    Raises ValueError, or a subclass from msgspec, if these rules do not restore that state.
    """
    restored = rules.restore(snapshot.state)
    if restored.state() != snapshot.state:
        raise ValueError("this version of scramble restores another state from this snapshot")
    return Recovery(restored, snapshot)


def replay(
    records: Iterable[Record],
    digests: Mapping[int, str],
    recovered: Recovery[D],
    place: object,
    pause: Callable[[], object] = lambda: None,
) -> Recovery[D]:
    """Apply the records after the recovered snapshot. Raises JournalError if a digest differs.

    Calls `pause` after every hundred commands. Error messages name `place` as the location of the game.
    """
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(recovered.rules.commands)
    for record in records:
        if record.seq <= recovered.snapshot_at:
            continue
        with decoding(place):
            command = decoder.decode(record.command)
        recovered.apply(record.ticket, command)
        recovered.last = record
        digest = digest_due(record.seq, recovered.rules)
        if digest is not None and digest != digests.get(record.seq):
            raise JournalError(f"{place} {UNREADABLE} (command {record.seq} leads to another state than before)")
        if record.seq % 100 == 0:
            pause()
    return recovered


@contextmanager
def decoding(place: object) -> Iterator[None]:
    """Convert a ValueError of the block to JournalError: a state or command of the game is invalid."""
    try:
        yield
    except ValueError as error:  # includes msgspec's errors
        raise JournalError(f"{place} {UNREADABLE} ({one_line(error)})") from error
