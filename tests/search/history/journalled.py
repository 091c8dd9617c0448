"""Check that the commands of a journal explain the acknowledged answers, without the search of the checker.

The naive model applies the commands in the order of the journal. Every flip and every replacement with an answer needs
its own command, and the model must give the same answer to this command. A request without effect may instead have the
answer that the model gives after some command. Every look and every watch must show the board as it was after some
command. Every command must change the state.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from scramble.journal import Record
from tests.search.history.memory import Seen
from tests.search.history.players import MemoryCall, MemoryHistory
from tests.support.history import Told
from tests.support.memory.model import Change, Flip, Gone, Model, Op, Out, Relinquish, RelinquishAwaited
from tests.support.memory.spec import MemorySpec


class NotJournalled(AssertionError):
    """A client got an answer that no command of the journal explains."""


@dataclass(frozen=True)
class Journalled:
    """The number of requests in the journal, and the number of unacknowledged requests among them."""

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
    states: dict[int, list[Model]] = defaultdict(list)
    for record in (None, *records):
        if record is not None:
            before = state
            op = op_of_record(record.command)
            if isinstance(op, Gone):
                state = spec.withdraw(state, record.ticket)
            else:
                asked[record.ticket] = op
                state, answers = spec.step(state, record.ticket, op)
                outs |= {(ticket, asked[ticket]): out for ticket, out in answers.items()}
            if spec.key(state) == spec.key(before):
                raise NotJournalled(f"this has changed nothing, and should not be there: {record.command!r}")
        changed = spec.version(state) != version
        version = spec.version(state)
        states[version].append(state)
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
    # First match the calls with the most details. Calls that may have changed nothing come last.
    quiet = {id(call): _may_have_changed_nothing(call, states) for call in moves}
    explained = 0
    for call in sorted(moves, key=lambda call: (quiet[id(call)], -_detail(call))):
        told = call.told
        assert told is not None
        candidates = untaken[call.op]
        place = next((place for place, out in enumerate(candidates) if told.fits(out)), None)
        if place is not None:
            del candidates[place]
            explained += 1
        elif not quiet[id(call)]:
            raise NotJournalled(f"no command leads to this answer: {call}")
    return Journalled(len(asked), len(asked) - explained)


def _may_have_changed_nothing(call: MemoryCall, states: Mapping[int, Sequence[Model]]) -> bool:
    """Say if a request without effect could get this answer at some moment."""
    told = call.told
    if not isinstance(told, Seen) or told.kind == "flipped" or told.rule not in (None, "1-A"):
        return False
    candidates = chain.from_iterable(states.values()) if told.version is None else states.get(told.version, ())
    for state in candidates:
        if isinstance(call.op, Flip):  # a cheap test, and it usually decides
            waits = any(player == call.op.player for _, player, _ in state.waiting)
            if waits != (told.kind == "already-waiting") or not (
                waits or (call.op.row, call.op.column) not in state.card
            ):
                continue
        out = state.without_effect(call.op)
        if out is not None and told.fits(out):
            return True
    return False


def op_of_record(command: bytes) -> Op:
    """Convert a command of a journal to the model's operation."""
    match json.loads(command):
        case {"type": "Flip", "player": str(player), "row": int(row), "column": int(column)}:
            return Flip(player, row, column)
        case {"type": "Replace", "player": str(player), "old": str(old), "new": str(new)}:
            return Change(player, ((old, new),), total=False)
        case {"type": "Withdraw"}:
            return Gone()
        case {"type": "Release", "player": str(player)}:
            return Relinquish(player, keeps_last=True)
        case {"type": "ReleaseAwaited", "player": str(player)}:
            return RelinquishAwaited(player, keeps_last=True)
        case {"type": "Relinquish", "player": str(player)}:
            return Relinquish(player)
        case {"type": "RelinquishAwaited", "player": str(player)}:
            return RelinquishAwaited(player)
    raise NotJournalled(f"no command that anybody has sent: {command!r}")


def _detail(call: MemoryCall) -> int:
    told: Told[Out] | None = call.told
    return sum(detail is not None for detail in told) if isinstance(told, tuple) else 0
