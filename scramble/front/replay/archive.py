"""A recording for any number of pages. The archive reads the journal at the first request, and again when it grows.

    archive = Archive(Journal("game.db").read, narrators=narrators())
    overview = await archive.overview()      # gzipped JSON, see scramble.replay.reel
    piece = await archive.piece(1200)

The preparation of a long game takes seconds, and running games must not wait for it. So a worker thread prepares the
game in slices. A slice is short, so a page can wait for it. The thread releases the interpreter after every few
commands. There is no background task: without requests, the archive does no work.

Safe under concurrency: one task at a time works on the reel, behind a lock. Full pieces never change.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Final, Protocol

import trio

from scramble.journal import Record, Recording
from scramble.replay.games import Narrators
from scramble.replay.reel import STEPS_PER_PIECE, Reel

SLICE_S: Final = 0.25  # work for one answer; the answer has the length of the ready part
GENTLE: Final = 4  # commands between two releases of the interpreter; they take about 0.2 ms
REREAD_S: Final = 1.0  # the shortest time between two reads of the journal


class Read(Protocol):
    """Function that reads a game, for example `Recorder.read`. Blocks."""

    def __call__(self, *, after: int = ...) -> Recording:
        """Return the game, with only the commands after number `after`."""


class Archive:
    """One recorded game, in pieces for pages. The constructor does not read the game."""

    # AF: the game that _reading returns. _reel has its ready part (None: before the first request). _queue has the
    #     commands that were read but are not in _reel yet. The journal was last read at _read. If _over, the last
    #     command in _reel has ended the game; later commands are not part of the recording. _overview has the latest
    #     overview with its input values.

    def __init__(
        self,
        read: Read,
        *,
        narrators: Narrators,
        one_game: bool = False,
        every: int = STEPS_PER_PIECE,
        slice_s: float = SLICE_S,
        reread_s: float = REREAD_S,
    ) -> None:
        """Read the game with `read`, in a worker thread.

        `narrators` are the narrators of all known games. A recording of `one_game` ends with the command that ends the
        game; later commands are ignored. The other arguments are for tests.
        """
        self._reading: Final = read
        self._narrators: Final = narrators
        self._one_game: Final = one_game
        self._every: Final = every
        self._slice_s: Final = slice_s
        self._reread_s: Final = reread_s
        self._lock: Final = trio.Lock()
        self._reel: Reel | None = None
        self._queue: deque[Record] = deque()
        self._read = -math.inf
        self._over = False
        self._overview: tuple[tuple[int, bool], bytes] | None = None

    def __str__(self) -> str:
        return "nothing read yet" if self._reel is None else f"{self._reel.length} commands of a game"

    async def overview(self) -> bytes:
        """Work for one slice, and return the overview of the ready part, as gzipped JSON. Waits for the slice.

        Raises:
            JournalError: the journal cannot be read.
            ReplayError: the contents of the journal cannot be replayed.
        """
        async with self._lock:
            return await trio.to_thread.run_sync(self._advance, trio.current_time())

    async def piece(self, seq: int) -> bytes | None:
        """Return the piece with the command after number `seq`, as gzipped JSON; None if the piece is not ready.

        Waits for the current slice, unless the piece is full.
        """
        reel = self._reel
        if reel is None:
            return None
        full = reel.full_piece(seq)  # a full piece does not change, so do not wait for the current slice
        if full is not None:
            return full
        async with self._lock:
            return await trio.to_thread.run_sync(reel.piece, seq) if seq <= reel.length else None

    def _advance(self, now: float) -> bytes:
        """Read commands, and add commands to the reel for the time of a slice. Return the overview. Blocks."""
        if self._reel is None:
            recording = self._reading()
            self._reel = Reel(
                recording.kind,
                recording.name,
                recording.began,
                recording.first,
                narrators=self._narrators,
                every=self._every,
            )
            self._queue.extend(recording.records)
            self._read = now
        elif not self._queue and not self._over and now - self._read >= self._reread_s:
            self._queue.extend(self._reading(after=self._reel.length).records)
            self._read = now
        until = time.monotonic() + self._slice_s
        while self._queue:
            for _ in range(min(GENTLE, len(self._queue))):
                step = self._reel.add(self._queue[0])
                self._queue.popleft()  # only after `add`, so that no invalid command is skipped
                if self._one_game and step.over:
                    self._over = True
                    self._queue.clear()
                    break
            time.sleep(0)  # releases the interpreter
            if time.monotonic() >= until:
                break
        made_of = self._reel.length, bool(self._queue)
        if self._overview is None or self._overview[0] != made_of:
            self._overview = made_of, self._reel.overview(reading=bool(self._queue))
        return self._overview[1]
