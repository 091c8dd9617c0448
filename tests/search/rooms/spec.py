"""The specification of rooms for the linearizability judge: the answers that visitors may get in a sequential order.

Sleep, wake and the end of the process are no calls. No answer may differ from the answer of a room that is always
awake.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.support.linearizability import Unversioned

Square = tuple[int, int]


class Visit(NamedTuple):
    """A call: the action, the number of the room and, for moves, the square."""

    act: str  # look, flag, deflag; find, list, close, remove, again
    room: int
    at: Square = (0, 0)


class Place(NamedTuple):
    """A room of the model."""

    state: str = "open"  # or closed, removed
    flags: frozenset[Square] = frozenset()
    successor: bool = False


Places = tuple[Place, ...]
Answer = str | tuple[object, ...]


class Seen(NamedTuple):
    """A visitor's answer.

    If a game closed during the visit, the visitor cannot tell if its room was closed or removed.
    """

    answer: Answer

    @property
    def version(self) -> int | None:
        return None

    def fits(self, out: Answer) -> bool:
        return self.answer == out or (self.answer == "gone" and out in ("closed", "removed"))


class RoomsSpec(Unversioned[Places, Answer]):
    """A number of public rooms, opened one after another."""

    def __init__(self, rooms: int) -> None:
        self._rooms = rooms

    def start(self) -> Places:
        return (Place(),) * self._rooms

    def changes_nothing(self, op: object) -> bool:
        return isinstance(op, Visit) and op.act in ("look", "find", "list")

    def answer(self, state: Places, op: object, changed: bool) -> Answer:
        assert isinstance(op, Visit)
        place = state[op.room]
        if op.act == "list":
            return tuple(number for number in reversed(range(len(state))) if state[number].state == "open")
        if place.state == "removed":
            return "removed"
        if op.act == "find":
            return (place.state, place.successor)
        return "closed" if place.state == "closed" else tuple(sorted(place.flags))

    def step(self, state: Places, ticket: int, op: Visit) -> tuple[Places, Mapping[int, Answer]]:
        place, answer = self._act(state[op.room], op)
        return (*state[: op.room], place, *state[op.room + 1 :]), {ticket: answer}

    def _act(self, place: Place, op: Visit) -> tuple[Place, Answer]:
        if place.state == "removed":
            return place, "removed"
        match op.act:
            case "close":
                return place._replace(state="closed"), "done"
            case "remove":
                return place._replace(state="removed"), "done"
            case "again":
                return place._replace(successor=True), "successor"
        if place.state == "closed":
            return place, "closed"
        flags = place.flags | {op.at} if op.act == "flag" else place.flags - {op.at}
        return place._replace(flags=flags), tuple(sorted(flags))

    def key(self, state: Places) -> Places:
        return state
