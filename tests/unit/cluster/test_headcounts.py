"""The headcounts of other processes' rooms, on simulated links and an autojump clock.

Partitions: people come and leave while the processes are linked, and during an outage. test_rooms.py tests headcounts
of real rooms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import trio
from trio.testing import MockClock

from scramble.cluster.headcounts import NOBODY, TELL_S, Headcounts
from scramble.cluster.liveness import ABSENT_S
from scramble.rooms.protocol import Headcount
from tests.support.cluster.simulated import Network


class Process:
    """A process with its rooms, and with the headcounts of the other processes' rooms."""

    def __init__(self, name: str, network: Network, nursery: trio.Nursery) -> None:
        self.link: Final = network.link(name)
        self.headcounts: Final = Headcounts(self.link, nursery, self._owned, lambda _: None)
        self._rooms: Final[dict[str, Headcount]] = {}
        nursery.start_soon(self.headcounts.keep)

    def _owned(self, name: str | None) -> Mapping[str, Headcount]:
        return {room: count for room, count in self._rooms.items() if name in (None, room)}

    def has(self, room: str, players: int) -> None:
        """Change the number of players in a room of this process."""
        self._rooms[room] = Headcount(players, 0)
        self.headcounts.note(room)


async def test_people_who_come_or_leave_during_an_outage_are_known_to_other_processes_after_it(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    network = Network(nursery)
    alice, bob = (Process(name, network, nursery) for name in ("alice", "bob"))
    rooms = ("left", "entered", "unchanged")
    alice.has("left", 2)
    alice.has("unchanged", 3)
    await trio.sleep(2 * TELL_S)
    assert [bob.headcounts.of(room).players for room in rooms] == [2, 0, 3]
    alice.link.cut()
    alice.has("left", 0)
    alice.has("entered", 1)
    await trio.sleep(ABSENT_S / 2)
    assert bob.headcounts.of("left").players == 2
    alice.link.connect()
    await trio.sleep(2 * TELL_S)
    assert [bob.headcounts.of(room).players for room in rooms] == [0, 1, 3]
    assert bob.headcounts.of("left") == NOBODY
    nursery.cancel_scope.cancel()
