"""The checks of a run, for all games.

1. At every step: the rules check their own representation (`SCRAMBLE_CHECK_REP`), and the server may only end in the
expected ways (`World`). Every other error of the server is a bug.
2. Durability, at every start after a crash and at the end: the journal must explain every answer to a client. The
effect of a request must come after every record that a client knew before the request. The known part of the journal
must not change.
3. Liveness: when the faults have stopped, every request is answered in simulated time (`Arena.play` and `settle`).
4. A client gets the answer that the game has stopped (503) only if the game was stopped, or its disk failed.

Each game adds its own judge. The judge applies the commands of the journal to the naive model of the game's rules.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from scramble.journal import Record
from scramble.kernel.protocol import Ticket, Withdraw


class Wrong(AssertionError):
    """A check has failed."""


class Told:
    """The latest record that clients knew at each moment."""

    # AF: at the moment _floor[i][0] a client knew the effect of record _floor[i][1]. RI: both columns ascend.

    def __init__(self) -> None:
        self._floor: Final[list[tuple[int, int]]] = [(-1, 0)]

    @property
    def record(self) -> int:
        """The last record that a client surely knows; 0 if no client knows any record."""
        return self._floor[-1][1]

    def before(self, moment: int) -> int:
        """The last record that a client knew before that moment.

        A request at that moment takes effect after this record.
        """
        return max(record for when, record in self._floor if when < moment)

    def note(self, moment: int, record: int) -> None:
        """Note that at this moment a client got the effect of this record as an answer."""
        if record > self.record:
            self._floor.append((max(moment, self._floor[-1][0]), record))


class Model(Protocol):
    """A naive model of a game. It applies the records of the journal."""

    def reset(self) -> None:
        """Go back to the first state."""

    def apply(self, number: int, record: Record) -> None:
        """Apply the next record. The first record has number 1. Raises Wrong if the model cannot apply it."""


class Replay:
    """The latest state of the journal, and a model that has applied all its records."""

    def __init__(self, model: Model) -> None:
        self._model: Final = model
        self.records: tuple[Record, ...] = ()
        model.reset()

    @property
    def length(self) -> int:
        return len(self.records)

    def go_to(self, records: tuple[Record, ...], keep: int) -> None:
        """Read the current journal. Its first `keep` records must be unchanged.

        Later records may be lost: no client knew them.
        """
        same = 0
        for old, new in zip(self.records, records, strict=False):
            if (old.ticket, old.command) != (new.ticket, new.command):
                break
            same += 1
        if same < keep:
            raise Wrong(f"somebody was told of command {keep}, but only {same} of them are still in the journal")
        if same < self.length:
            self._model.reset()
            same = 0
        self.records = records
        _require_order(records)
        for number in range(same + 1, len(records) + 1):
            self._model.apply(number, records[number - 1])


def _require_order(records: tuple[Record, ...]) -> None:
    """Check that the numbers have no gap, times do not decrease, and no ticket occurs twice."""
    tickets: set[Ticket] = set()
    time = 0.0
    for number, record in enumerate(records, start=1):
        if record.seq != number or record.time < time:
            raise Wrong(f"record {number} is out of order: {record}")
        time = record.time
        if is_withdrawal(record):
            continue
        if record.ticket in tickets:
            raise Wrong(f"ticket {record.ticket} was given twice")
        tickets.add(record.ticket)


_WITHDRAWAL: Final = msgspec.json.encode(Withdraw())


def is_withdrawal(record: Record) -> bool:
    """Say if the record is the withdrawal of an earlier request."""
    return record.command == _WITHDRAWAL
