"""Memory Scramble for the judge: the naive model as a specification, and answers as clients see them.

Clients see less than the model says. An HTTP answer has a version (its ETag) and a text, but not by which rule a flip
succeeded; the outcome of a flip over the WebSocket has the rule and neither version nor text. What they were not told
is None here, and fits anything.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from tests.front.tabs import Mirror
from tests.history.calls import Sight
from tests.memory.model import Change, Flip, Gone, Look, Model, Op, Out, Restart, Watch

RULE = re.compile(r"\(rule (..?-?.)\)")


class Seen(NamedTuple):
    """An answer, as far as the client saw it. `kind` is one of the model's."""

    kind: str
    rule: str | None = None
    version: int | None = None
    text: str | None = None

    def fits(self, out: Out) -> bool:
        """Whether the model's answer would have looked like this."""
        return (
            self.kind == out.kind
            and (self.version is None or self.version == out.version)
            and (self.rule is None or self.rule == out.rule)
            and (self.text is None or self.text == out.text)
        )


def seen_over_http(op: Op, status: int, etag: str | None, body: str) -> Seen:
    """The answer to a request of the text protocol, edition 2025."""
    version = None if etag is None else int(etag.strip('"'))
    if status == 200:
        return Seen("flipped" if isinstance(op, Flip) else "view", None, version, body)
    if status == 400:
        return Seen("invalid")
    assert status == 409, f"{op} was answered {status} {body}"
    rule = RULE.search(body)
    if rule is not None:
        return Seen("failed", rule[1], version)
    return Seen("restarted" if "new game" in body else "already-waiting")


def seen_over_websocket(frame: Mapping[str, object]) -> Seen | None:
    """The answer in a `flip` or `replace` frame; None if the flip was withdrawn."""
    match frame:
        case {"type": "replace", "outcome": "ok"}:
            return Seen("view")
        case {"type": "flip", "outcome": "ok", "rule": str(rule)}:
            return Seen("flipped", rule)
        case {"type": "flip", "outcome": "failed", "rule": str(rule)}:
            return Seen("failed", rule)
        case {"type": "flip", "outcome": "withdrawn"}:
            return None
        case {"outcome": "refused", "reason": str(reason)}:
            return Seen("already-waiting" if "waiting" in reason else "invalid")
    raise AssertionError(f"no answer of the reference: {frame}")


def sight_of_mirror(mirror: Mirror) -> Sight:
    """What a WebSocket client sees, in the words of `MemorySpec`."""
    faces, controlled = [], []
    for cell in mirror.cells:
        match cell:
            case {"is": "none", "by": str(by)}:
                faces.append(f"none, by {by}")
            case {"is": "down"}:
                faces.append("down")
            case {"is": "up", "card": str(card), "by": by}:
                faces.append(f"up {card}")
                if by is not None:
                    controlled.append((len(faces) - 1, by))
            case _:
                raise AssertionError(f"no cell of the reference: {cell}")
    scores = tuple(sorted(mirror.scores.items()))
    waiting = tuple(sorted((player, *spot) for player, spot in mirror.waiting.items()))
    shown = tuple(faces)
    return Sight(mirror.version, shown, (shown, tuple(controlled), scores, waiting, mirror.pairs_left))


class MemorySpec:
    """The naive model as a specification: a state is a Model that nobody changes."""

    def __init__(self, rows: int, columns: int, cards: tuple[str, ...]) -> None:
        self._start = Model(rows, columns, cards)

    def start(self) -> Model:
        return self._start

    def restart(self, state: Model) -> Model:
        """With a journal: all as it was, but that nobody waits."""
        for ticket, _, _ in state.waiting:
            state = self.withdraw(state, ticket)
        return state

    def step(self, state: Model, ticket: int, op: Op) -> tuple[Model, Mapping[int, Out]]:
        after = state.copy()
        return after, after.apply(ticket, op)

    def withdraw(self, state: Model, ticket: int) -> Model:
        after = state.copy()
        answers = after.apply(ticket, Gone())
        assert not answers
        return after

    def parked(self, state: Model) -> Sequence[int]:
        return [ticket for ticket, _, _ in state.waiting]

    def may_leap(self, state: Model, op: Op) -> bool:
        return isinstance(op, Flip) and (op.row, op.column) in state.control

    def changes_nothing(self, op: Op) -> bool:
        return isinstance(op, Look | Watch)

    def answer(self, state: Model, op: Op, changed: bool) -> Out | None:
        assert isinstance(op, Look | Watch)
        if isinstance(op, Watch) and not changed and (op.since is None or op.since >= state.version):
            return None
        return Out("view", "", state.version, state.text(op.player))

    def version(self, state: Model) -> int:
        return state.version

    def faces(self, state: Model) -> Hashable:
        return tuple(
            f"none, by {state.taken[place]}"
            if place not in state.card
            else f"up {state.card[place]}"
            if place in state.up
            else "down"
            for place in state.places()
        )

    def everything(self, state: Model) -> Hashable:
        controlled = tuple(
            (number, state.control[place]) for number, place in enumerate(state.places()) if place in state.control
        )
        scores = tuple(sorted(state.scores.items()))
        waiting = tuple(sorted((player, *place) for _, player, place in state.waiting))
        return self.faces(state), controlled, scores, waiting, state.pairs_left()

    def key(self, state: Model) -> Hashable:
        return state.state()


__all__ = ["Change", "Flip", "Gone", "Look", "MemorySpec", "Op", "Out", "Restart", "Seen", "Watch"]
