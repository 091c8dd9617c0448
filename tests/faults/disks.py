"""Servers with a journal whose disk fills up or fails, or that are told to stop in the middle of a commit.

Each function here plays with a real server process, breaks something, sees what must follow, and starts the server
again on the same journal. It raises AssertionError if anything that was acknowledged is missing.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

import trio

from scramble.journal import read_recording
from tests.faults.cutting import connect, handshake, rest
from tests.faults.servers import Promised, Requester, Server, ended, server

BOARD: Final = "2x2\nA\nB\nA\nB\n"
PLAYERS: Final = 4
FILE_BYTES: Final = 512 * 1024  # of any file; the write-ahead log is the first to get there
MIDDLE: Final = 20  # acknowledged commands, after which things begin to go wrong
DECADE_S: Final = 10 * 365 * 86400
JUMPS_S: Final = ((0, 3600, -3600), (-DECADE_S, DECADE_S, 0), (-2 * 10**9, 1))  # of the clock, in each life of a server
BUG_CODE: Final = (1011).to_bytes(2, "big")


class Place:
    """A folder with a board, for a journal somewhere; and servers of the two."""

    def __init__(self, folder: Path, journal: Path | None = None) -> None:
        self.board: Final = folder / "board.txt"
        self.board.write_text(BOARD)
        self.journal: Final = journal or folder / "game.db"
        self.complaints: Final = folder / "complaints"
        self.serve: Final[Callable[..., AbstractAsyncContextManager[Server]]] = partial(
            server,
            *("memory", str(self.board), "--port", "0", "--journal", str(self.journal)),
            complaints=self.complaints,
        )

    def recorded(self) -> list[str]:
        """The cards of all replacements in the journal, in their order."""
        commands = (record.command.decode() for record in read_recording(self.journal).records)
        return [command.split('"old":"')[1].split("-old")[0] for command in commands if '"Replace"' in command]

    def assert_kept(self, promised: Promised) -> None:
        """Everything acknowledged is in the journal, each player's commands once and in their order."""
        recorded = self.recorded()
        assert set(promised.cards) <= set(recorded)
        latest: dict[str, int] = {}
        for card in recorded:
            player, _, number = card.rpartition("-")
            assert int(number) > latest.get(player, -1)
            latest[player] = int(number)

    async def goes_on(self, promised: Promised) -> None:
        """A server on the same journal takes more commands, keeps what was promised, and ends well."""
        self.assert_kept(promised)
        before = len(promised.cards)
        async with self.serve() as running:
            await promised.replace_cards(running.address, "later", partial(promised.enough, before + 5))
            running.process.send_signal(signal.SIGTERM)
            assert await ended(running.process) == 0
        self.assert_kept(promised)
        assert len(promised.cards) == before + 5


async def play_until_it_stops(running: Server, reason: str) -> Promised:
    """Players who go on until a server has no more answers, beside one who watches and one on a WebSocket.

    They all must be told that the game has stopped, and the server must end, in one line that gives the reason.
    """
    promised = Promised()
    parked: list[int] = []
    closing: list[bytes] = []

    async def watch() -> None:
        async with connect(running.address) as stream:
            parked.append((await Requester(stream).ask("GET /watch/watcher"))[0])

    async def look_on() -> None:
        async with connect(running.address) as stream:
            await stream.send_all(handshake("/play/onlooker"))
            closing.append(await rest(stream))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        nursery.start_soon(look_on)
        for number in range(PLAYERS):
            nursery.start_soon(promised.replace_cards, running.address, f"p{number}", lambda: False)
    assert await ended(running.process) == 1
    assert set(promised.refused) == {503}
    assert parked == [503]
    assert BUG_CODE in closing[0]
    *logged, line = running.complaints.splitlines()
    assert line.startswith("Error: ")
    assert reason in line
    assert all(" error game-stopped " in event for event in logged)
    return promised


async def full_disk(place: Place, reason: str, free: Callable[[], object], file_bytes: int | None = None) -> int:
    """Play until there is no room for the journal, `free` some, and go on; how many commands were acknowledged before.

    With `file_bytes` it is not the disk that is full, but the file may not grow beyond that.
    """
    async with place.serve(file_bytes=file_bytes) as running:
        promised = await play_until_it_stops(running, reason)
    acknowledged = len(promised.cards)
    free()
    await place.goes_on(promised)
    return acknowledged


async def failing_fsync(place: Place, shim: Path) -> None:
    """Play for a while, then have every fsync of the server fail; nothing is acknowledged from then on."""
    failing = place.journal.parent / "failing"
    async with place.serve(environment=os.environ | {"LD_PRELOAD": str(shim), "FAIL_FSYNC": str(failing)}) as running:
        early = Promised()
        await early.replace_cards(running.address, "early", partial(early.enough, MIDDLE))
        failing.touch()
        assert (await play_until_it_stops(running, "disk I/O error")).cards == []
    await place.goes_on(early)


async def clock_jumps(place: Place, shim: Path) -> None:
    """Set the clock ahead and back while players play, and between two lives: nobody notices, and no time goes back."""
    clock = trio.Path(place.journal.parent / "clock")
    promised = Promised()
    environment = os.environ | {"LD_PRELOAD": str(shim), "CLOCK_OFFSET": str(clock)}
    for number, life in enumerate(JUMPS_S):
        await clock.write_text(f"{life[0]}")
        async with place.serve(environment=environment) as running:
            for offset in life:
                await clock.write_text(f"{offset}")
                target = len(promised.cards) + 10
                await promised.replace_cards(running.address, f"life{number}", partial(promised.enough, target))
                assert len(promised.cards) == target
            running.process.send_signal(signal.SIGTERM)
            assert await ended(running.process) == 0
            assert running.complaints == ""
    place.assert_kept(promised)
    times = [record.time for record in read_recording(place.journal).records]
    assert times == sorted(times)
    assert times[-1] - times[0] > DECADE_S / 2  # the clock was believed where it was ahead


async def told_to_stop(place: Place, seed: int, rounds: int) -> dict[str, str]:
    """Tell a server to stop while its players play, again and again at moments that the seed chooses; figures."""
    rng = random.Random(seed)
    promised = Promised()
    leaving: list[float] = []
    for number in range(rounds):
        target = len(promised.cards) + rng.randrange(80)
        told: list[float] = []
        async with place.serve() as running:

            def tell(running: Server = running, target: int = target, told: list[float] = told) -> bool:
                if len(promised.cards) >= target and not told:
                    told.append(monotonic())
                    running.process.send_signal(signal.SIGTERM)
                return False

            async with trio.open_nursery() as nursery:
                for player in range(PLAYERS):
                    nursery.start_soon(promised.replace_cards, running.address, f"r{number}p{player}", tell)
            assert await ended(running.process) == 0
            leaving.append(monotonic() - told[0])
            assert running.complaints == ""
        place.assert_kept(promised)
    assert set(promised.refused) <= {503}
    await place.goes_on(promised)
    return {
        "SIGTERMs under load": f"{rounds} from seed {seed}, the slowest took {max(leaving):.2f} s",
        "acknowledged before a SIGTERM, all kept": f"{len(promised.cards):,}",
    }
