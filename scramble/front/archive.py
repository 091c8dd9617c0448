"""A recording for any number of pages: read from its journal when somebody first asks, and again as it grows.

    archive = Archive(Path("game.db"))
    overview = await archive.overview()      # gzipped JSON, see scramble.replay.reel
    piece = await archive.piece(1200)

Telling a long game takes seconds, and a game that is being played must not wait for it. So it is done in a worker
thread, in slices that last no longer than a page likes to wait for news, and the thread lets go of the interpreter
after every few commands. Nobody who does not ask costs anything: there is no task in the background.

Safe under concurrency: one task at a time, behind a lock, works on the reel. Pieces that are full never change.
"""

from __future__ import annotations

import math
import time
from collections import deque
from pathlib import Path
from typing import Final

import trio

from scramble.journal import read_recording
from scramble.replay.reel import EVERY, Reel
from scramble.store import Record

SLICE_S: Final = 0.25  # of telling, before a page is told how far it is
GENTLE: Final = 4  # commands between two moments at which other threads may go on; together they take some 0.2 ms
REREAD_S: Final = 1.0  # how often the journal is looked at for more


class Archive:
    """One game of a journal, in pieces for pages. Made without looking at the file."""

    # AF: the game called _name in the file _path (None: the only one there), as far as it is in _reel (None: nobody has
    #     asked yet); _queue are commands that were read and not told yet; the file was last read at _read.
    #     _overview is the one made last, and what it was made of.

    def __init__(
        self,
        path: Path,
        name: str | None = None,
        *,
        every: int = EVERY,
        slice_s: float = SLICE_S,
        reread_s: float = REREAD_S,
    ) -> None:
        """The game called `name`, or the only one. The other arguments are for tests."""
        self._path: Final = path
        self._name: Final = name
        self._every: Final = every
        self._slice_s: Final = slice_s
        self._reread_s: Final = reread_s
        self._lock: Final = trio.Lock()
        self._reel: Reel | None = None
        self._queue: deque[Record] = deque()
        self._read = -math.inf
        self._overview: tuple[tuple[int, bool], bytes] | None = None

    def __str__(self) -> str:
        return f"{self._path}{'' if self._name is None else f' ({self._name})'}"

    async def overview(self) -> bytes:
        """The overview as gzipped JSON, of as much as is ready; looks whether there is more. Waits for a slice of it.

        Raises:
            JournalError: the journal cannot be read.
            ReplayError: what it holds cannot be told.
        """
        async with self._lock:
            return await trio.to_thread.run_sync(self._advance, trio.current_time())

    async def piece(self, seq: int) -> bytes | None:
        """The piece with the command after number `seq`, as gzipped JSON; None if that is not ready. See `overview`."""
        reel = self._reel
        if reel is None:
            return None
        full = reel.full_piece(seq)  # no need to wait for the slice that is being told
        if full is not None:
            return full
        async with self._lock:
            return await trio.to_thread.run_sync(reel.piece, seq) if seq <= reel.told else None

    def _advance(self, now: float) -> bytes:
        """Read and tell for the length of a slice. Blocks."""
        if self._reel is None:
            recording = read_recording(self._path, self._name)
            self._reel = Reel(recording.kind, recording.name, recording.began, recording.first, every=self._every)
            self._queue.extend(recording.records)
            self._read = now
        elif not self._queue and now - self._read >= self._reread_s:
            self._queue.extend(read_recording(self._path, self._name, after=self._reel.told).records)
            self._read = now
        until = time.monotonic() + self._slice_s
        while self._queue:
            for _ in range(min(GENTLE, len(self._queue))):
                self._reel.add(self._queue[0])
                self._queue.popleft()  # only now: a command that cannot be told is not passed over
            time.sleep(0)  # lets go of the interpreter
            if time.monotonic() >= until:
                break
        made_of = self._reel.told, bool(self._queue)
        if self._overview is None or self._overview[0] != made_of:
            self._overview = made_of, self._reel.overview(reading=bool(self._queue))
        return self._overview[1]
