"""Any sequence of commands to the register of rooms, compared to a naive model that scans all rooms each time.

Testing strategy. Hypothesis opens rooms under few names, so that names are in use, removed and free again. It changes
rooms, removes rooms and forgets old rooms, at times that also go back. After every command:

- the answer, or the refusal, is the model's;
- every room equals the model's room. The lists, with and without hidden rooms, from each room on, equal the model's
  lists;
- events name exactly the changed rooms, and `revision` grows exactly if the state has changed;
- a register restored from the state has the same state. Sometimes the test continues with the restored register.
"""

from __future__ import annotations

from typing import TypeVar, cast

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from scramble.errors import CallerError
from scramble.games.room import GameResult
from scramble.kernel.protocol import Answered, Command, Refused, Ticket
from scramble.rooms.protocol import NoSuchRoom, RoomNameTaken, RoomRecord, RoomRemoved, RoomsFull
from scramble.rooms.register import Register
from scramble.rooms.registermessages import (
    ChangeRoom,
    CloseRoom,
    CountRooms,
    ExpelClient,
    FindRoom,
    ForgetRooms,
    ListRooms,
    MarkBroken,
    OpenRoom,
    RecordResult,
    RemovedRooms,
    RemoveRoom,
    RenameRoom,
    RoomEvent,
    VisitRoom,
)
from tests.support.examples import examples
from tests.support.revisions import applied
from tests.support.rooms.model import Model, Room

R = TypeVar("R")

NAMES = "abcdef"
REFUSALS: dict[str, type[CallerError]] = {
    "none": NoSuchRoom,
    "removed": RoomRemoved,
    "taken": RoomNameTaken,
    "full": RoomsFull,
}

names = st.sampled_from(NAMES)
times = st.integers(0, 20).map(float)
results = st.sampled_from([GameResult({"ann": 2}, ("ann",)), GameResult({})])


def as_room(record: RoomRecord) -> Room:
    return Room(
        record.name,
        record.public,
        record.title,
        len(bytes(record.settings)),
        record.after,
        record.successor,
        record.state,
        record.ended,
        record.result,
        record.expelled,
        record.demo,
    )


class RegisterAgainstModel(RuleBasedStateMachine):
    """The register and its model."""

    @initialize(most=st.integers(1, 5), most_bytes=st.sampled_from([4, 100]))
    def begin(self, most: int, most_bytes: int) -> None:
        self.register = Register()
        self.model = Model(most=most, most_bytes=most_bytes)

    def ask(self, command: Command[R]) -> R | type[CallerError]:
        """Apply a command; return its answer, or the type of its refusal."""
        before = {name: self.found(name) for name in NAMES}
        *events, last = applied(self.register, Ticket(1), cast(Command[object], command))
        changed = {name for name in NAMES if self.found(name) != before[name]}
        told = [event.room for event in events if isinstance(event, RoomEvent)]
        assert len(told) == len(events)
        # A removed room that is forgotten now has another answer, but no event follows.
        gone = {name for name in changed if before[name] is RoomRemoved and self.found(name) is NoSuchRoom}
        assert sorted(told) == sorted(changed - gone)
        assert isinstance(last, Answered | Refused)
        return type(last.error) if isinstance(last, Refused) else cast(R, last.value)

    def found(self, name: str) -> Room | type[CallerError]:
        (answer,) = self.register.apply(Ticket(2), FindRoom(name))
        if isinstance(answer, Refused):
            return type(answer.error)
        assert isinstance(answer, Answered)
        return as_room(cast(RoomRecord, answer.value))

    @rule(
        name=names, public=st.booleans(), size=st.integers(1, 3), after=st.none() | names, demo=st.booleans(), at=times
    )
    def open(self, name: str, public: bool, size: int, after: str | None, demo: bool, at: float) -> None:
        command = OpenRoom(
            name,
            "memory",
            "title",
            msgspec.Raw(b"7" * size),
            at,
            self.model.most,
            self.model.most_bytes,
            public=public,
            after=after,
            demo=demo,
        )
        answer = self.ask(command)
        self.model, expected = self.model.open(Room(name, public, "title", size, after, demo=demo, seen=at))
        if isinstance(expected, str):
            assert answer is REFUSALS[expected]
        else:
            assert isinstance(answer, RoomRecord)
            assert as_room(answer) == expected

    def change(self, command: ChangeRoom, room: Room | None) -> None:
        """Apply a command that changes an existing room to `room`."""
        answer = self.ask(command)
        if room is None:
            assert answer is REFUSALS[str(self.model.find(command.name))]
        else:
            assert isinstance(answer, RoomRecord)
            assert as_room(answer) == room
            self.model = self.model.with_room(room)

    def there(self, name: str) -> Room | None:
        found = self.model.find(name)
        return found if isinstance(found, Room) else None

    @rule(name=names, title=st.sampled_from(["title", "other"]))
    def rename(self, name: str, title: str) -> None:
        room = self.there(name)
        self.change(RenameRoom(name, title), room and self.model.rename(room, title))

    @rule(name=names, holder=st.sampled_from(["x", "y", "z"]), most=st.sampled_from([None, 1, 2]))
    def expel(self, name: str, holder: str, most: int | None) -> None:
        room = self.there(name)
        self.change(ExpelClient(name, holder, most), room and self.model.expel(room, holder, most))

    @rule(name=names, at=times)
    def close(self, name: str, at: float) -> None:
        room = self.there(name)
        self.change(CloseRoom(name, at), room and self.model.close(room, at))

    @rule(name=names, result=results, at=times)
    def finish(self, name: str, result: GameResult, at: float) -> None:
        room = self.there(name)
        self.change(RecordResult(name, result, at), room and self.model.finish(room, result, at))

    @rule(name=names, at=times)
    def break_down(self, name: str, at: float) -> None:
        room = self.there(name)
        self.change(MarkBroken(name, at), room and self.model.break_down(room, at))

    @rule(name=names, at=times)
    def visit(self, name: str, at: float) -> None:
        answer, room = self.ask(VisitRoom(name, at)), self.there(name)
        if room is None:
            assert answer is REFUSALS[str(self.model.find(name))]
        else:
            assert answer is None
            self.model = self.model.with_room(self.model.visit(room, at))

    @rule(name=names, at=times)
    def remove(self, name: str, at: float) -> None:
        answer = self.ask(RemoveRoom(name, at))
        if self.there(name) is None:
            assert answer is REFUSALS[str(self.model.find(name))]
        else:
            assert answer is None
            self.model = self.model.remove(name, at)

    @rule(before=times, at=times, unvisited=st.none() | times)
    def forget(self, before: float, at: float, unvisited: float | None) -> None:
        answer = self.ask(ForgetRooms(before, at, unvisited))
        self.model, removed = self.model.forget(before, at, unvisited)
        assert answer == removed

    @rule()
    def restart(self) -> None:
        state = self.register.state()
        self.register = self.register.restore(state)
        assert self.register.state() == state

    @invariant()
    def everything_is_found_and_listed_as_in_the_model(self) -> None:
        for name in NAMES:
            expected = self.model.find(name)
            assert self.found(name) == (REFUSALS[expected] if isinstance(expected, str) else expected)
        for hidden in (False, True):
            for most, after in ((100, None), (1, None), *((100, name) for name in NAMES)):
                answer = self.ask(ListRooms(most, after, hidden))
                listed = self.model.list(most, after, hidden)
                if isinstance(listed, str):
                    assert answer is REFUSALS[listed]
                else:
                    assert not isinstance(answer, type)
                    assert tuple(record.name for record in answer) == listed
        counts = self.ask(CountRooms())
        assert not isinstance(counts, type)
        states = [room.state for room in self.model.rooms]
        assert (counts.open, counts.ended) == (states.count("open"), states.count("ended"))
        assert (counts.closed, counts.broken) == (states.count("closed"), states.count("broken"))
        assert (counts.removed, counts.bytes) == (len(self.model.removed), sum(room.size for room in self.model.rooms))
        assert sorted(cast("tuple[str, ...]", self.ask(RemovedRooms()))) == sorted(dict(self.model.removed))


TestRegister = RegisterAgainstModel.TestCase
TestRegister.settings = settings(max_examples=examples(40), stateful_step_count=40)
