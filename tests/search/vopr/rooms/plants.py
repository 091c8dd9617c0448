"""Planted bugs in the supervision of rooms. The simulator must find each of them.

    with PLANTS["result-forgotten"].planted():
        ...

Each bug replaces a method of the shipped code with a version that has a plausible mistake.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple
from unittest.mock import patch

import msgspec
import trio

from scramble.games.room import GameResult
from scramble.journal import recording
from scramble.rooms import records, register
from scramble.rooms.folderstore import FolderStore
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.registermessages import ChangeRoom, RecordResult
from scramble.rooms.supervision import Supervision
from tests.search.vopr import plants


class Plant(NamedTuple):
    """A bug: its description, its code, and a seed that finds it.

    A change of the shipped code or of the simulator may change this seed. Another seed then finds the bug, but later.
    """

    what: str
    planted: Callable[[], AbstractContextManager[object]]
    found_by: int


Finished = Callable[[], Awaitable[GameResult]]


def _journal_left_open() -> AbstractContextManager[object]:
    return patch.object(recording._Opened, "close", lambda self: None)


def _visitors_overlooked() -> AbstractContextManager[object]:
    async def unwanted(self: LiveRoom, sleep_after: float) -> None:
        while self._wanted and not self.leaving:
            await self._interest.park()
        await trio.sleep(sleep_after)  # a visitor may come in the meantime

    return patch.object(LiveRoom, "unwanted", unwanted)


def _departures_overlooked() -> AbstractContextManager[object]:
    @contextmanager
    def wanted(self: LiveRoom) -> Iterator[None]:
        self._wanted += 1
        self._interest.unpark_all()
        yield
        self._wanted -= 1

    return patch.object(LiveRoom, "wanted", wanted)


def _result_recorded_twice() -> AbstractContextManager[object]:
    changed, record_result = records.changed, Supervision._record_result

    def again(record: RoomRecord, command: ChangeRoom) -> RoomRecord | None:
        if isinstance(command, RecordResult) and record.state == "ended":
            return msgspec.structs.replace(record, result=command.result)
        return changed(record, command)

    async def twice(self: Supervision, room: LiveRoom, finished: Finished) -> None:
        await record_result(self, room, finished)
        await record_result(self, room, finished)

    @contextmanager
    def both() -> Iterator[None]:
        with patch.object(register, "changed", again), patch.object(Supervision, "_record_result", twice):
            yield

    return both()


def _result_forgotten() -> AbstractContextManager[object]:
    record_result = Supervision._record_result

    async def once(self: Supervision, room: LiveRoom, finished: Finished) -> None:
        with trio.move_on_after(0.001):
            await finished()
            return  # "the game was over before, so its result is recorded"
        await record_result(self, room, finished)

    return patch.object(Supervision, "_record_result", once)


def _deaths_not_counted() -> AbstractContextManager[object]:
    async def forgetful(self: FolderStore, name: str) -> int:
        return 1

    return patch.object(FolderStore, "note_death", forgetful)


def _bug_spreads() -> AbstractContextManager[object]:
    async def spread(self: Supervision, name: str, error: Exception) -> None:
        raise error

    return patch.object(Supervision, "_died", spread)


def _journals(name: str) -> Callable[[], AbstractContextManager[object]]:
    return plants.PLANTS[name].planted


PLANTS: Final = {
    "journal-left-open": Plant("the journal of a room that falls asleep stays open", _journal_left_open, 1),
    "visitors-overlooked": Plant("a room falls asleep though somebody has come", _visitors_overlooked, 1),
    "departures-overlooked": Plant("a room does not notice that all have left", _departures_overlooked, 0),
    "result-recorded-twice": Plant("a result is recorded twice", _result_recorded_twice, 1),
    "result-forgotten": Plant("a game that was over when its room woke gets no result", _result_forgotten, 2),
    "deaths-not-counted": Plant("a room that dies again and again is opened again and again", _deaths_not_counted, 0),
    "bug-spreads": Plant("the bug of one room ends the others", _bug_spreads, 0),
    "replies-before-the-commit": Plant("answers do not wait for the disk", _journals("replies-before-the-commit"), 4),
    "no-sync": Plant("commits are not synced", _journals("no-sync"), 0),
}
