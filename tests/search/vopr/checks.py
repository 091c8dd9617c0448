"""The checks of a run, for all games.

1. At every step: the rules check their own representation (`SCRAMBLE_CHECK_REP`), and the server may only end in ways
   that are foreseen (`World`): anything else that leaves it is a bug.
2. Durability, at every start after a crash and at the end: what anybody has been told must follow from the journal, in
   an order in which nothing comes before what had been told before it was asked. And the part of the journal that has
   been told of must still be there, word for word.
3. Liveness: once faults have stopped every request is answered in simulated time (`Arena.play` and `settle`).
4. Nobody is answered that the game has stopped (503) unless it was stopped, or its disk failed.

Each game adds a judge of its own, which feeds the commands of the journal to the naive model of its rules.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from scramble.journal import Record
from scramble.kernel.protocol import Ticket, Withdraw


class Wrong(AssertionError):
    """A check has failed."""


class Told:
    """Up to which record of the journal somebody had been told by when."""

    # AF: by the moment _floor[i][0] somebody had been told what record _floor[i][1] did. RI: both ascend.

    def __init__(self) -> None:
        self._floor: Final[list[tuple[int, int]]] = [(-1, 0)]

    @property
    def record(self) -> int:
        """The last record that anybody has been told of, as far as is known; 0 if none."""
        return self._floor[-1][1]

    def before(self, moment: int) -> int:
        """The last record that anybody had been told of before that moment: what is asked then comes after it."""
        return max(record for when, record in self._floor if when < moment)

    def note(self, moment: int, record: int) -> None:
        """At that moment somebody was answered with what this record did."""
        if record > self.record:
            self._floor.append((max(moment, self._floor[-1][0]), record))


class Model(Protocol):
    """A naive model of a game with what each record of the journal does to it."""

    def reset(self) -> None:
        """Go back to the first state."""

    def apply(self, number: int, record: Record) -> None:
        """Carry out the next record; the first is number 1. Raises Wrong if it cannot be."""


class Replay:
    """The journal, as it was last read, and a model that has gone through all of it."""

    def __init__(self, model: Model) -> None:
        self._model: Final = model
        self.records: tuple[Record, ...] = ()
        model.reset()

    @property
    def length(self) -> int:
        return len(self.records)

    def go_to(self, records: tuple[Record, ...], keep: int) -> None:
        """Take in the journal as it is now, of which the first `keep` records must be what they were.

        What came after them may be gone: nobody had been told of it.
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
    """Records are numbered without a gap, times do not decrease, and no ticket is given twice."""
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
    """Whether this is the withdrawal of an earlier request."""
    return record.command == _WITHDRAWAL
