"""A naive model of the register: a list of rooms in the order of their opening. Every answer searches the list.

Pure and immutable, so that the linearizability checker can try steps in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from scramble.games.room import GameResult

State = Literal["open", "ended", "closed", "broken"]
Missing = Literal["none", "removed"]


@dataclass(frozen=True)
class Room:
    """One room of the model."""

    name: str
    public: bool = False
    title: str = ""
    size: int = 0
    after: str | None = None
    successor: str | None = None
    state: State = "open"
    ended: float | None = None
    result: GameResult | None = None
    expelled: tuple[str, ...] = ()
    demo: bool = False
    seen: float = field(default=0.0, compare=False)  # not in any answer

    @property
    def enterable(self) -> bool:
        return self.state in ("open", "ended")


@dataclass(frozen=True)
class Model:
    """All rooms, oldest first, and the remembered names of removed rooms, with the times of their removals."""

    rooms: tuple[Room, ...] = ()
    removed: tuple[tuple[str, float], ...] = ()
    most: int = field(default=4, kw_only=True)
    most_bytes: int = field(default=20, kw_only=True)
    most_removed: int = field(default=100_000, kw_only=True)

    def find(self, name: str) -> Room | Missing:
        for room in self.rooms:
            if room.name == name:
                return room
        return "removed" if name in dict(self.removed) else "none"

    def open(self, room: Room) -> tuple[Model, Room | Missing | Literal["taken", "full"]]:
        before = None if room.after is None else self.find(room.after)
        if isinstance(before, str):
            return self, before
        if before is not None and before.successor is not None:
            successor = self.find(before.successor)
            if isinstance(successor, Room) and successor.enterable:
                return self, successor
        demos = [other for other in self.rooms if other.demo]
        if room.demo and demos and demos[-1].state == "open":
            return self, demos[-1]
        if self.find(room.name) != "none":
            return self, "taken"
        if len(self.rooms) >= self.most or sum(other.size for other in self.rooms) + room.size > self.most_bytes:
            return self, "full"
        if before is None:
            return replace(self, rooms=(*self.rooms, room)), room
        room = replace(room, demo=room.demo or before.demo)
        opened = replace(self, rooms=(*self.rooms, room))
        return opened.with_room(replace(before, successor=room.name)), room

    def with_room(self, changed: Room) -> Model:
        return replace(self, rooms=tuple(changed if room.name == changed.name else room for room in self.rooms))

    def rename(self, room: Room, title: str) -> Room:
        return replace(room, title=title)

    def expel(self, room: Room, holder: str, most: int | None) -> Room:
        if holder in room.expelled:
            return room
        expelled = [*room.expelled, holder]
        while most is not None and len(expelled) > most:
            expelled.pop(0)
        return replace(room, expelled=tuple(expelled))

    def close(self, room: Room, at: float) -> Room:
        return self._end(room, "closed", at)

    def finish(self, room: Room, result: GameResult, at: float) -> Room:
        return replace(self._end(room, "ended", at), result=result) if room.state == "open" else room

    def break_down(self, room: Room, at: float) -> Room:
        return self._end(room, "broken", at) if room.enterable else room

    def visit(self, room: Room, at: float) -> Room:
        return replace(room, seen=max(room.seen, at)) if room.state == "open" else room

    def _end(self, room: Room, state: State, at: float) -> Room:
        return replace(room, state=state, ended=at if room.ended is None else room.ended)

    def remove(self, name: str, at: float) -> Model:
        rest = tuple(room for room in self.rooms if room.name != name)
        removed = (*self.removed, (name, at))
        if len(removed) > self.most_removed:
            first = min(removed, key=lambda entry: (entry[1], entry[0]))
            removed = tuple(entry for entry in removed if entry != first)
        return replace(self, rooms=rest, removed=removed)

    def forget(self, before: float, at: float, unvisited: float | None) -> tuple[Model, tuple[str, ...]]:
        remembered = replace(self, removed=tuple(entry for entry in self.removed if entry[1] >= before))
        over = [(room.ended, place, room.name) for place, room in enumerate(self.rooms) if room.ended is not None]
        names = tuple(name for ended, _, name in sorted(over) if ended < before)
        still = [(room.seen, place, room.name) for place, room in enumerate(self.rooms) if room.state == "open"]
        if unvisited is not None:
            names += tuple(name for seen, _, name in sorted(still) if seen < unvisited)
        for name in names:
            remembered = remembered.remove(name, at)
        return remembered, names

    def list(self, most: int, after: str | None, hidden: bool) -> tuple[str, ...] | Missing:
        rooms = self.rooms
        if after is not None:
            found = self.find(after)
            if isinstance(found, str):
                return found
            rooms = rooms[: rooms.index(found)]
        shown = [room.name for room in rooms if hidden or (room.public and room.enterable)]
        return tuple(reversed(shown))[:most]
