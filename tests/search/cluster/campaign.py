"""A campaign: rooms of all three games on several processes, a crowd in them, and one fault after another.

The judges work at the end. For each room, one order of the calls must explain, by the rules, all answers of all its
owners. No answer may be stale, no version may have two different views, and the final views must equal the log. The
times without answers are measured, not judged.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias, TypeVar

import httpx
import trio

from scramble.journal import Record
from scramble.memory.boardfile import format_board_file
from tests.search.cluster import memory, minesweeper
from tests.search.cluster.crossword import PLAYERS, SOURCE, CrosswordTable, Typist, judge_crossword
from tests.search.cluster.memory import HttpPlayer, MemoryTable, SocketPlayer, judge_memory
from tests.search.cluster.minesweeper import Digger, MineTable, judge_minesweeper, moved
from tests.search.cluster.table import Doors, Room, Table, rest
from tests.search.history.minesweeper import dense_field, field_file
from tests.search.history.play import lasting_board
from tests.support.cluster.fleet import Fleet
from tests.support.linearizability import Verdict
from tests.support.websocket import Cut

BETWEEN: Final = 10
"""The number of answers in each room between two faults."""

FAULT_S: Final = 120
"""Seconds for a fault: processes start again, and others notice it only after the time limits of a cluster."""


@dataclass
class Findings:
    """The verified figures of a campaign."""

    faults: int = 0
    answered: int = 0
    situations: int = 0
    silences_s: dict[str, list[float]] = field(default_factory=dict)  # by fault, for each room

    def add(self, other: Findings) -> None:
        """Add the figures of another campaign."""
        self.faults += other.faults
        self.answered += other.answered
        self.situations += other.situations
        for fault, silences_s in other.silences_s.items():
            self.silences_s.setdefault(fault, []).extend(silences_s)


Read: TypeAlias = Callable[[str], Sequence[Record]]
"""Read the log of a room. Blocks."""


class Last(NamedTuple):
    """The final board and field at all processes, and the logs that lead to them."""

    board: str
    field: str
    moves: Sequence[Record]
    digs: Sequence[Record]


class World:
    """The processes and rooms of a campaign. The faults use them."""

    def __init__(self, fleet: Fleet, tables: Sequence[Room], seed: str) -> None:
        self.fleet: Final = fleet
        self.tables: Final = tables
        self.dice: Final = random.Random(seed)

    async def more(self, answers: int = BETWEEN) -> None:
        """Wait for this number of answers in every room to requests sent from now on."""
        async with trio.open_nursery() as nursery:
            for table in self.tables:
                nursery.start_soon(table.more, answers)

    async def in_thread(self, blocking: Callable[[], object]) -> None:
        """Run a blocking function in a thread while the crowd plays."""
        await trio.to_thread.run_sync(blocking)


class Rooms:
    """One room of each game, and the crowd in them. Made by `opened`."""

    def __init__(self, names: Mapping[str, str], doors: Doors, seed: str) -> None:
        self.board = lasting_board(seed)
        self.field = dense_field(seed)
        self.memory: MemoryTable = Table(names["memory"], doors)
        self.minesweeper: MineTable = Table(names["minesweeper"], doors)
        self.crossword: CrosswordTable = Table(names["crossword"], doors)
        self.seed = seed

    @classmethod
    async def opened(cls, doors: Doors, seed: str) -> Rooms:
        """Open the rooms through any process."""
        board = lasting_board(seed)
        settings = {
            "memory": {"board": format_board_file(board.rows, board.columns, board.cards)},
            "minesweeper": {"field": field_file(dense_field(seed))},
            "crossword": {"source": SOURCE},
        }
        names: dict[str, str] = {}
        dice = random.Random(seed)
        async with httpx.AsyncClient(timeout=None) as client:
            for game, given in settings.items():
                room = {"game": game, "names": "open", "turn_clock": "off", "settings": given}
                answer = await client.post(f"http://127.0.0.1:{doors.any(dice)}/rooms", json=room)
                assert answer.status_code == 201, answer.text
                names[game] = str(answer.json()["room"])
        return cls(names, doors, seed)

    @property
    def tables(self) -> Sequence[Room]:
        return self.memory, self.minesweeper, self.crossword

    @asynccontextmanager
    async def crowded(self) -> AsyncIterator[None]:
        """Let a crowd play in the rooms during the block. At its end all players finish."""
        async with trio.open_nursery() as nursery:
            first, second = (Typist(name, self.crossword, self.seed) for name in PLAYERS)
            nursery.start_soon(first.play)
            await first.seated.wait()
            nursery.start_soon(second.play)
            for number in range(4):
                nursery.start_soon(HttpPlayer(f"http{number}", self.board, self.memory, self.seed).play)
            for number in range(3):
                nursery.start_soon(SocketPlayer(f"socket{number}", self.board, self.memory, self.seed).play)
            for number in range(4):
                nursery.start_soon(Digger(f"digger{number}", self.field, self.minesweeper, self.seed).play)
            yield
            for table in self.tables:
                table.ends = True

    async def read_back(self, read: Read) -> Last:
        """Return the final state when all processes show the same views, and the logs do not grow any longer.

        A move may still be under way for some time after its client has left.
        """
        dice = random.Random(self.seed)
        ports = self.memory.doors.ports
        while True:
            before = await trio.to_thread.run_sync(self._logs, read)
            try:
                boards = {await memory.look(self.memory, port) for port in ports}
                fields = {
                    await minesweeper.look(self.minesweeper, self.field, port) for port in self.memory.doors.ports
                }
            except Cut:
                await rest(dice)
                continue
            moves, digs = await trio.to_thread.run_sync(self._logs, read)
            if len(boards) == len(fields) == 1 and before[0] == moves and moved(before[1]) == moved(digs):
                return Last(boards.pop(), fields.pop(), moves, digs)

    def _logs(self, read: Read) -> tuple[Sequence[Record], Sequence[Record]]:
        return read(self.memory.room), read(self.minesweeper.room)

    def judge(self, last: Last) -> Sequence[Verdict]:
        """Judge all three rooms. Blocks. Raises NotExplained and NotJournalled."""
        return [
            judge_memory(self.memory, self.board, last.moves, last.board),
            judge_minesweeper(self.minesweeper, self.field, last.digs, last.field),
            judge_crossword(self.crossword),
        ]


W = TypeVar("W", bound=World)

Fault: TypeAlias = Callable[[W], Awaitable[None]]
"""Do harm, wait until every player plays again as far as possible, and repair the harm."""


async def run(
    fleet: Fleet,
    faults: Mapping[str, Fault[W]],
    seed: str,
    read: Read,
    world: Callable[[Fleet, Sequence[Room], str], W],
) -> Findings:
    """Play through all faults in their order, and judge the rooms. `read` reads the log of a room.

    Raises NotExplained and NotJournalled. Raises TooSlowError if no player plays in a room after a fault.
    """
    doors = Doors(fleet.ports)
    rooms = await Rooms.opened(doors, seed)
    found = Findings()
    here = world(fleet, rooms.tables, seed)
    async with rooms.crowded():
        await here.more()
        for name, fault in faults.items():
            began_s = trio.current_time()
            with trio.fail_after(FAULT_S):
                await fault(here)
                await here.more()
            found.faults += 1
            found.silences_s[name] = [table.silence_s(began_s) for table in rooms.tables]
    last = await rooms.read_back(read)
    for verdict in await trio.to_thread.run_sync(rooms.judge, last):
        found.situations += verdict.situations
    found.answered = sum(len(table.answered_s) for table in rooms.tables)
    return found
