"""Rooms of all three games in one process with journal files. The process is killed, stopped and terminated under load.

Strategy: the crowd, the histories and the judges are the same as in the search over many processes. One order of each
game's rules, and the journals, must explain the views over all lives of the process.
"""

from __future__ import annotations

from pathlib import Path

import trio

from scramble.journal import read_recording
from tests.search.cluster.campaign import World, run
from tests.support.cluster.fleet import Fleet
from tests.support.figures import report


async def _kill(world: World) -> None:
    (only,) = world.fleet.members
    await world.in_thread(only.kill)
    await world.in_thread(only.start)


async def _stand_still(world: World) -> None:
    (only,) = world.fleet.members
    only.pause()
    await trio.sleep(0.2)
    only.resume()


async def _end(world: World) -> None:
    (only,) = world.fleet.members
    await world.in_thread(only.terminate)
    await world.in_thread(only.start)


def test_what_is_seen_in_rooms_over_the_lives_of_one_process_is_explained_by_their_rules(tmp_path: Path) -> None:
    faults = {"kill -9": _kill, "SIGSTOP": _stand_still, "SIGTERM": _end}
    with Fleet(1, lambda _: ("serve", "--data", str(tmp_path))) as fleet:
        found = trio.run(
            run, fleet, faults, "one", lambda room: read_recording(tmp_path / "rooms" / f"{room}.db").records, World
        )
    report("rooms", {"one process, killed, stopped and ended": f"{found.answered} answers, all explained"})
