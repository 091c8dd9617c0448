"""Servers with a journal: the disk fills up or fails, or a stop signal arrives in the middle of a commit.

Each function plays with a real server process, breaks something, checks the result, and starts the server again on
the same journal. It raises AssertionError if an acknowledged command is missing.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

import trio

from scramble.journal import read_recording
from tests.support.cutting import connect, handshake, rest
from tests.support.process import ServerProcess
from tests.support.promises import Promised, Requester

PLAYERS: Final = ("p0", "p1", "p2", "p3")
BOARD: Final = "\n".join(("1x7", *PLAYERS, "early", "later", "life", ""))  # each player's card to begin with
HELD: Final = "0,6"  # the card that "holder" controls, and another player waits for
FILE_BYTES: Final = 512 * 1024  # the limit for any file; the write-ahead log is the first to reach it
MIDDLE: Final = 20  # acknowledged commands before the fault begins
DECADE_S: Final = 10 * 365 * 86400
JUMPS_S: Final = ((0, 3600, -3600), (-DECADE_S, DECADE_S, 0), (-2 * 10**9, 1))  # clock offsets for each start
PARKED: Final = 'scramble_parked_requests{kind="Flip"} 1'
BUG_CODE: Final = (1011).to_bytes(2, "big")


class Place:
    """A folder with a board and a journal, and servers that use both."""

    def __init__(self, folder: Path, journal: Path | None = None) -> None:
        self.board: Final = folder / "board.txt"
        self.board.write_text(BOARD)
        self.journal: Final = journal or folder / "game.db"
        self.serve: Final = partial(
            ServerProcess, *("memory", self.board, "--port", "0", "--journal", self.journal), lines=1
        )

    def recorded(self) -> list[str]:
        """Return the cards that the replacements in the journal have put on the board, in order."""
        commands = (record.command.decode() for record in read_recording(self.journal).records)
        return [command.split('"new":"')[1].split('"')[0] for command in commands if '"Replace"' in command]

    def card_of(self, player: str) -> str:
        """Return the player's card on the board, according to the journal."""
        cards = self.recorded() if self.journal.exists() else []
        return next((card for card in reversed(cards) if card.startswith(f"{player}-")), player)

    def assert_kept(self, promised: Promised) -> None:
        """Check that the journal has every acknowledged command, and each player's commands once and in order."""
        recorded = self.recorded()
        assert set(promised.cards) <= set(recorded)
        latest: dict[str, int] = {}
        for card in recorded:
            player, _, number = card.rpartition("-")
            assert int(number) > latest.get(player, -1)
            latest[player] = int(number)

    async def goes_on(self, promised: Promised) -> None:
        """Check that a server on the same journal takes more commands, keeps all of them, and ends without an error."""
        self.assert_kept(promised)
        before = len(promised.cards)
        with self.serve() as running:
            enough = partial(promised.enough, before + 5)
            await promised.replace_cards(running.address, "later", self.card_of("later"), enough)
            running.send_signal(signal.SIGTERM)
            assert await running.ended() == 0
        self.assert_kept(promised)
        assert len(promised.cards) == before + 5


async def hold(running: ServerProcess) -> None:
    """Let "holder" control a card."""
    async with connect(running.address) as stream:
        status, _ = await Requester(stream).ask(f"POST /flip/holder/{HELD}")
        assert status == 200


async def play_until_it_stops(
    running: ServerProcess, reason: str, fail: Callable[[], object] = lambda: None
) -> Promised:
    """Let players play until the server stops answering. Another player waits for a card, another one watches.

    Another player must already `hold` the card. `fail` is called when the waiting player and the watching player
    are connected, before the other players begin. So the command that cannot be written is a player's.

    All of them must get the answer that the game has stopped. The server must end with one line that gives the reason.
    """
    promised = Promised()
    parked: list[int] = []
    closing: list[bytes] = []

    async def wait_for_the_card() -> None:
        async with connect(running.address) as stream:
            parked.append((await Requester(stream).ask(f"POST /flip/waiter/{HELD}"))[0])

    async def look_on(*, task_status: trio.TaskStatus[None]) -> None:
        async with connect(running.address) as stream:
            await stream.send_all(handshake("/play/onlooker"))
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 101 ")
            task_status.started()
            closing.append(await rest(stream))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_the_card)
        await nursery.start(look_on)
        async with connect(running.address) as stream:
            requester = Requester(stream)
            while PARKED not in (await requester.ask("GET /metrics"))[1]:
                pass
        fail()
        for player in PLAYERS:
            nursery.start_soon(promised.replace_cards, running.address, player, player, lambda: False)
    assert await running.ended() == 1
    assert set(promised.refused) == {503}
    assert parked == [503]
    assert BUG_CODE in closing[0]
    (line,) = running.complaints.splitlines()
    assert line.startswith("Error: ")
    assert reason in line
    return promised


async def full_disk(place: Place, reason: str, free: Callable[[], object], file_bytes: int | None = None) -> int:
    """Play until the journal has no space; `free` space and continue. Return the number of earlier acknowledgements.

    With `file_bytes` the disk is not full, but the file may not grow beyond that size.
    """
    with place.serve(file_bytes=file_bytes) as running:
        await hold(running)
        promised = await play_until_it_stops(running, reason)
    acknowledged = len(promised.cards)
    free()
    await place.goes_on(promised)
    return acknowledged


async def failing_fsync(place: Place, shim: Path) -> None:
    """Play for a while, then let every fsync of the server fail; after that, no command is acknowledged."""
    failing = place.journal.parent / "failing"
    with place.serve(environment=os.environ | {"LD_PRELOAD": str(shim), "FAIL_FSYNC": str(failing)}) as running:
        await hold(running)
        early = Promised()
        await early.replace_cards(running.address, "early", "early", partial(early.enough, MIDDLE))
        assert (await play_until_it_stops(running, "disk I/O error", failing.touch)).cards == []
    await place.goes_on(early)


async def clock_jumps(place: Place, shim: Path) -> None:
    """Set the clock ahead and back, during the game and between starts. Players notice nothing; no time goes back."""
    clock = trio.Path(place.journal.parent / "clock")
    promised = Promised()
    environment = os.environ | {"LD_PRELOAD": str(shim), "CLOCK_OFFSET": str(clock)}
    for life in JUMPS_S:
        await clock.write_text(f"{life[0]}")
        with place.serve(environment=environment) as running:
            for offset in life:
                await clock.write_text(f"{offset}")
                target = len(promised.cards) + 10
                enough = partial(promised.enough, target)
                await promised.replace_cards(running.address, "life", place.card_of("life"), enough)
                assert len(promised.cards) == target
            running.send_signal(signal.SIGTERM)
            assert await running.ended() == 0
            assert running.complaints == ""
    place.assert_kept(promised)
    times = [record.time for record in read_recording(place.journal).records]
    assert times == sorted(times)
    assert times[-1] - times[0] > DECADE_S / 2  # the journal has the times of the clock that was ahead


async def told_to_stop(place: Place, seed: int, rounds: int) -> dict[str, str]:
    """Stop a server several times while its players play, at moments that the seed chooses; return figures."""
    rng = random.Random(seed)
    promised = Promised()
    leaving: list[float] = []
    for _ in range(rounds):
        target = len(promised.cards) + rng.randrange(80)
        told: list[float] = []
        with place.serve() as running:

            def tell(running: ServerProcess = running, target: int = target, told: list[float] = told) -> bool:
                if len(promised.cards) >= target and not told:
                    told.append(monotonic())
                    running.send_signal(signal.SIGTERM)
                return False

            async with trio.open_nursery() as nursery:
                for player in PLAYERS:
                    nursery.start_soon(promised.replace_cards, running.address, player, place.card_of(player), tell)
            assert await running.ended() == 0
            leaving.append(monotonic() - told[0])
            assert running.complaints == ""
        place.assert_kept(promised)
    assert set(promised.refused) <= {503}
    await place.goes_on(promised)
    return {
        "SIGTERMs under load": f"{rounds} from seed {seed}, the slowest took {max(leaving):.2f} s",
        "acknowledged before a SIGTERM, all kept": f"{len(promised.cards):,}",
    }
