"""Do a journal's commands explain what was acknowledged? A judge beside the checker, with no search in it.

The commands are applied to the naive model in the order of the journal. Then every flip and replacement that was
answered must have a command of its own that the model gives that answer, and every look and watch must show the board
as it was after one of the commands.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scramble.journal import Record
from tests.history.calls import Told
from tests.history.memory import Change, Flip, Gone, MemorySpec, Op, Out
from tests.history.players import MemoryCall, MemoryHistory


class NotJournalled(AssertionError):
    """Somebody was told what the journal does not know of."""


@dataclass(frozen=True)
class Journalled:
    """How many requests the journal has, and how many of them nobody was told of."""

    requests: int
    untold: int


def explain_by(records: Sequence[Record], history: MemoryHistory, spec: MemorySpec) -> Journalled:
    """Raises NotJournalled."""
    asked: dict[int, Op] = {}
    outs: dict[tuple[int, Op], Out] = {}
    open_questions: dict[int | None, list[MemoryCall]] = defaultdict(list)
    moves: list[MemoryCall] = []
    for call in history.calls:
        if call.told is None:
            continue
        if spec.changes_nothing(call.op):
            open_questions[call.told.version].append(call)
        else:
            moves.append(call)

    state = spec.start()
    version = -1
    for record in (None, *records):
        if record is not None:
            op = op_of_record(record.command)
            if isinstance(op, Gone):
                state = spec.withdraw(state, record.ticket)
            else:
                asked[record.ticket] = op
                state, answers = spec.step(state, record.ticket, op)
                outs |= {(ticket, asked[ticket]): out for ticket, out in answers.items()}
        changed = spec.version(state) != version
        version = spec.version(state)
        open_questions[version] = [
            call
            for call in open_questions[version]
            if call.told is None or (out := spec.answer(state, call.op, changed)) is None or not call.told.fits(out)
        ]
    for calls in open_questions.values():
        if calls:
            raise NotJournalled(f"the board never looked like that: {calls[0]}")

    untaken: dict[Op, list[Out]] = defaultdict(list)
    for (_, op), out in outs.items():
        untaken[op].append(out)
    for call in sorted(moves, key=_detail, reverse=True):  # those who were told little take what the others leave
        told = call.told
        assert told is not None
        candidates = untaken[call.op]
        place = next((place for place, out in enumerate(candidates) if told.fits(out)), None)
        if place is None:
            raise NotJournalled(f"no command leads to this answer: {call}")
        del candidates[place]
    return Journalled(len(asked), len(asked) - len(moves))


def op_of_record(command: bytes) -> Op:
    """A command of a journal in the model's words."""
    match json.loads(command):
        case {"type": "Flip", "player": str(player), "row": int(row), "column": int(column)}:
            return Flip(player, row, column)
        case {"type": "Replace", "player": str(player), "old": str(old), "new": str(new)}:
            return Change(player, ((old, new),), total=False)
        case {"type": "Withdraw"}:
            return Gone()
    raise NotJournalled(f"no command that anybody has sent: {command!r}")


def _detail(call: MemoryCall) -> int:
    told: Told[Out] | None = call.told
    return sum(detail is not None for detail in told) if isinstance(told, tuple) else 0
