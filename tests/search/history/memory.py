"""Memory Scramble for the judge: answers and sights as clients see them.

Clients see less than the model knows. An HTTP answer has a version (its ETag) and a text, but not the rule of a
successful flip. The outcome of a flip over the WebSocket has the rule, but neither a version nor a text. A detail that
the client did not get is None here, and None fits every value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tests.support.history import Sight
from tests.support.memory.model import Flip, Op, Out
from tests.support.memory.tabs import Mirror

RULE = re.compile(r"\(rule (..?-?.)\)")


class Seen(NamedTuple):
    """An answer as the client saw it. `kind` is a kind of answer of the model."""

    kind: str
    rule: str | None = None
    version: int | None = None
    text: str | None = None

    def fits(self, out: Out) -> bool:
        """Say if the client would see the model's answer like this."""
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
    """The sight of a WebSocket client, in the words of `MemorySpec`."""
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
