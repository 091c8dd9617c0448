"""The cost of recording every move before its answer. The unit is wall time: it includes the wait for the disk."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from hashlib import sha256
from itertools import cycle
from pathlib import Path

import trio
from msgspec.json import encode

from scramble.journal import Journal, read_recording
from scramble.journal.commandlog import DIGEST_EVERY, STATE_BYTES
from scramble.journal.disk import FILES
from scramble.journal.mark import Mark
from scramble.journal.recorder import checksum
from scramble.journal.snapshots import StoredSnapshot
from scramble.journal.sqlite import CommandRow, append, begin
from scramble.kernel.protocol import Ticket
from scramble.memory import Board, FlipFailed, open_game
from scramble.memory.boardfile import format_board_file
from scramble.memory.messages import Flip
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.minesweeper.messages import Flag
from scramble.players.seats import Seated
from tests.bench.figure import Figure, alternate

ROUND_S = 1.0
ROUNDS = 3
COMMITS = 300
COMMIT_ROUNDS = 9  # short rounds, because a disk's speed changes every second


def board() -> Board:
    """Return a board without pairs, so that it never becomes empty."""
    return Board.parse(format_board_file(20, 20, [f"card{n}" for n in range(400)]))


def moves_per_second(players: int, folder: Path | None) -> float:
    """Return the rate of answered flips of this many players. A player makes the next flip after the answer."""
    choose = random.Random(players)
    flips = [[Flip(f"p{n}", choose.randrange(20), choose.randrange(20)) for _ in range(500)] for n in range(players)]

    async def main() -> float:
        journal = None if folder is None else Journal(Path(tempfile.mkdtemp(dir=folder)) / "game.db")
        async with open_game(board(), journal=journal) as game:
            count = 0

            async def play(number: int) -> None:
                nonlocal count
                for flip in cycle(flips[number]):
                    with suppress(FlipFailed):
                        await game.ask(flip)
                    count += 1

            async with trio.open_nursery() as nursery:
                for number in range(players):
                    nursery.start_soon(play, number)
                await trio.sleep(ROUND_S / 5)
                before, began = count, time.perf_counter()
                await trio.sleep(ROUND_S)
                rate = (count - before) / (time.perf_counter() - began)
                nursery.cancel_scope.cancel()
        return rate

    return trio.run(main)


def seconds_per_commit(moves: int, folder: Path) -> float:
    """Return the time to commit this many moves in one transaction, with the switch to the worker thread."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "commits.db"

    async def main() -> float:
        connection = FILES.connect(path, read_only=False)
        game, check = begin(connection, path, "game", "memory", board().state(), 0.0, None)
        command, seq = b'{"type":"Flip","player":"player12","row":12,"column":7}', 0
        began = time.perf_counter()
        for _ in range(COMMITS):
            rows: list[CommandRow] = []
            for _ in range(moves):
                seq += 1
                check = checksum(check, Ticket(seq), 0.5, command)
                rows.append((game, seq, Ticket(seq), 0.5, command.decode(), check))
            await FILES.run(partial(append, connection, rows, ()))
        took = time.perf_counter() - began
        connection.close()
        return took / COMMITS

    return trio.run(main)


def seconds_per_mark(folder: Path) -> float:
    """Return the time of the work after each commit: checking the files, and writing the mark."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "marks.db"
    with (
        closing(FILES.connect(path, read_only=False)) as connection,
        closing(FILES.open_mark(path, "game")) as mark,
    ):
        _, check = begin(connection, path, "game", "memory", board().state(), 0.0, None)
        guard = FILES.guard(path)
        began = time.perf_counter()
        for seq in range(COMMITS):
            if guard.missing() is None:
                mark.write(Mark(check, seq, check).encode())
        return (time.perf_counter() - began) / COMMITS


def seconds_per_sync(folder: Path) -> float:
    """Return the disk's time to append and sync one page."""
    with tempfile.TemporaryFile(dir=folder) as file:
        page = bytes(4096)
        began = time.perf_counter()
        for _ in range(COMMITS):
            os.write(file.fileno(), page)
            os.fdatasync(file.fileno())
        return (time.perf_counter() - began) / COMMITS


def seconds_to_recover(folder: Path, moves: int) -> float:
    """Return the time to open a journal with this many moves."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "game.db"

    async def main() -> float:
        async with open_game(board(), journal=Journal(path)) as game, trio.open_nursery() as nursery:

            async def play(number: int) -> None:
                for turn in range(moves // 100):
                    with suppress(FlipFailed):
                        await game.flip(f"p{number}", turn % 20, (turn * 7 + number) % 20)

            for number in range(100):
                nursery.start_soon(play, number)
            await trio.sleep(5)
            nursery.cancel_scope.cancel()
        count = len(read_recording(path).records)
        began = time.perf_counter()
        async with open_game(board(), journal=Journal(path)):
            return (time.perf_counter() - began) / count

    return trio.run(main)


def seconds_to_open(folder: Path, commands: int, after: int) -> tuple[float, float]:
    """Return the time to open a journal, and the time to read a snapshot.

    The journal has `commands` commands, and `after` of them come after its snapshot. The commands before the snapshot
    are only rows: recovery does not apply them.
    """
    path = Path(tempfile.mkdtemp(dir=folder)) / "game.db"
    rules = Seated(board())
    flips = [Flip("player12", 0, column) for column in range(2)]  # they alternate, and never find a pair
    encoded = [encode(flip) for flip in flips]
    with closing(FILES.connect(path, read_only=False)) as connection:
        game, check = begin(connection, path, "game", "memory", rules.state(), 0.0, None)
        rows: list[CommandRow] = []
        digests: list[tuple[int, int, str]] = []
        for seq in range(1, commands + 1):
            command = encoded[seq % 2]
            check = checksum(check, Ticket(seq), 0.5, command)
            rows.append((game, seq, Ticket(seq), 0.5, command.decode(), check))
            if seq > commands - after:
                rules.apply(Ticket(seq), flips[seq % 2])
            if seq == commands - after:
                snapshot = StoredSnapshot(seq, 0.5, check, Ticket(seq), (), rules.state())
            if seq % DIGEST_EVERY == 0:
                digests.append((game, seq, sha256(rules.state()).hexdigest()))
        append(connection, rows, digests, snapshot.row(game))

    async def main() -> float:
        began = time.perf_counter()
        async with open_game(board(), journal=Journal(path)):
            return time.perf_counter() - began

    took = trio.run(main)
    began = time.perf_counter()
    assert rules.restore(snapshot.state).state() == snapshot.state
    return took, time.perf_counter() - began


def seconds_to_open_flags(folder: Path, flags: int, after: int) -> float:
    """Return the time to open a journal of Minesweeper with 1000x1000 squares.

    The journal has `flags` commands that set flags, and `after` of them come after its snapshot. With this many squares
    the next snapshot is due after 3,919 commands, and is written with the next digest.
    """
    path = Path(tempfile.mkdtemp(dir=folder)) / "field.db"
    field = Field.laid_out(1000, 1000, 150_000, seed=1)
    rules = Seated(field.copy())
    with closing(FILES.connect(path, read_only=False)) as connection:
        game, check = begin(connection, path, "game", rules.kind, rules.state(), 0.0, None)
        rows: list[CommandRow] = []
        digests: list[tuple[int, int, str]] = []
        for seq in range(1, flags + 1):
            flag = Flag(seq % 1000, seq // 1000)
            rules.apply(Ticket(seq), flag)
            command = encode(flag)
            check = checksum(check, Ticket(seq), 0.5, command)
            rows.append((game, seq, Ticket(seq), 0.5, command.decode(), check))
            if seq == flags - after:
                snapshot = StoredSnapshot(seq, 0.5, check, Ticket(seq), (), rules.state())
            if seq % DIGEST_EVERY == 0:
                digests.append((game, seq, sha256(rules.state()).hexdigest()))
        append(connection, rows, digests, snapshot.row(game))

    async def main() -> float:
        began = time.process_time()
        async with open_field(field, journal=Journal(path)):
            return time.process_time() - began

    return trio.run(main)


def seconds_to_snapshot() -> tuple[float, float]:
    """Return the time to encode a board of 10,000 cards, and the time to apply the commands between two snapshots.

    The second time assumes that each command takes as long as a flip.
    """
    large = Board.parse(format_board_file(100, 100, [f"card{n}" for n in range(10_000)]))
    began = time.perf_counter()
    state = large.state()
    took = time.perf_counter() - began
    commands = max(DIGEST_EVERY, len(state) // STATE_BYTES)
    began = time.perf_counter()
    for number in range(commands):
        large.apply(Ticket(number), Flip(f"p{number % 100}", number % 100, number // 100 % 100))
    return took, time.perf_counter() - began


def journal() -> Iterator[Figure]:
    """Compare moves with and without a journal, and a commit with a sync of the disk. Measure recovery by move."""
    with tempfile.TemporaryDirectory(prefix="bench", dir=os.environ.get("BENCH_DISK")) as name:
        folder = Path(name)
        for players in (1, 16, 128):
            with_it, without, ratio = alternate(
                ROUNDS, partial(moves_per_second, players, folder), partial(moves_per_second, players, None)
            )
            what = f"moves by {players} player{'s' if players > 1 else ''} with a journal; limit: without a journal"
            yield Figure(what, f"{with_it:,.0f}/s", f"{without:,.0f}/s", ratio)
        for moves in (1, 128):
            commit, sync, ratio = alternate(
                COMMIT_ROUNDS, partial(seconds_per_commit, moves, folder), partial(seconds_per_sync, folder)
            )
            what = f"committing {moves} move{'s' if moves > 1 else ''}; limit: writing a page and fdatasync"
            yield Figure(
                what, f"{1000 * commit:.2f} ms", f"{1000 * sync:.2f} ms", ratio, at_most=2 if moves == 1 else None
            )
        mark, commit, ratio = alternate(
            ROUNDS, partial(seconds_per_mark, folder), partial(seconds_per_commit, 1, folder)
        )
        yield Figure("writing the mark; limit: the commit", f"{1e6 * mark:.0f} µs", f"{1e6 * commit:.0f} µs", ratio)
        each = seconds_to_recover(folder, 20_000)
        yield Figure("recovery of one move", f"{1e6 * each:.0f} µs", "", each)
        opened, read = seconds_to_open(folder, 10**6, DIGEST_EVERY - 1)
        what = "opening 10^6 commands, with 999 of them after the snapshot; limit: reading the snapshot"
        yield Figure(what, f"{1000 * opened:.0f} ms", f"{1000 * read:.1f} ms", opened / read)
        flags = seconds_to_open_flags(folder, 10_000, 3999)
        what = "CPU for opening 10,000 flags on 1000x1000 squares, with 3,999 of them after the snapshot"
        yield Figure(what, f"{flags:.2f} s", "1 s", flags, at_most=1)
        snapshot, applied = seconds_to_snapshot()
        what = "encoding a snapshot of 10,000 cards; limit: the commands between two snapshots"
        yield Figure(what, f"{1000 * snapshot:.1f} ms", f"{1000 * applied:.0f} ms", snapshot / applied)
