"""Replay of a recording: forwards step by step, and to any place from the nearest snapshot before it."""

from __future__ import annotations

from typing import Final

from scramble.games.narration import Narrator, Step
from scramble.journal.recorder import Recording
from scramble.replay.games import Narrators, ReplayError, narrator_of

STEPS_PER_MARK: Final = 500
"""Commands between two snapshots: applying so many takes a moment, and a snapshot is as large as a game."""

BUDGET: Final = 64 * 1024 * 1024  # bytes of snapshots; beyond it every other one is dropped: huge games must fit


class Replay:
    """State of a game after some command of a recording. Mutable; used by one task at a time."""

    # AF: the game of _recording after `at` of its commands; _snapshots lets it go back to any place up to the furthest
    #     that it has reached.
    # RI: 0 <= at <= last; _snapshots has 0, and otherwise multiples of _every only; _size is their size in bytes.

    def __init__(
        self,
        recording: Recording,
        *,
        narrators: Narrators,
        every: int = STEPS_PER_MARK,
        budget: int = BUDGET,
    ) -> None:
        """Begin before the first command of the recording. `narrators` are those of the games that are known.

        Raises:
            ReplayError: it is not of a known game, or its first state is not a state of that game.
        """
        self._recording: Final = recording
        self._narrator: Final = narrator_of(recording.kind, recording.first, narrators)
        self._every = every
        self._budget: Final = budget
        self._at = 0
        self._snapshots = {0: self._narrator.save()}
        self._size = len(self._snapshots[0])

    @property
    def recording(self) -> Recording:
        """Recording that is replayed."""
        return self._recording

    @property
    def at(self) -> int:
        """Number of the command that was applied last; 0 at the beginning."""
        return self._at

    @property
    def last(self) -> int:
        """Number of the last command; 0 for a recording without commands."""
        return len(self._recording.records)

    @property
    def narrator(self) -> Narrator:
        """Narrator of the game at this place, for its picture, scores and figures. Callers must not change it."""
        return self._narrator

    def step(self) -> Step:
        """Apply and describe the next command. There must be one: `at` < `last`.

        Raises:
            ReplayError: it cannot be read. The replay cannot be used any further.
        """
        record = self._recording.records[self._at]
        try:
            step = self._narrator.narrate(record)
        except ValueError as error:
            raise ReplayError(f"command {record.seq} cannot be read: {error}") from error
        self._at += 1
        if self._at % self._every == 0 and self._at not in self._snapshots:
            self._keep(self._narrator.save())
        return step

    def seek(self, seq: int) -> None:
        """Go to the state after command `seq`; 0 is the beginning.

        Takes at most as long as applying the commands from the last snapshot before it, or from the furthest place
        reached so far.

        Raises:
            ValueError: there is no such command.
            ReplayError: a command on the way there cannot be read.
        """
        if not 0 <= seq <= self.last:
            raise ValueError(f"there is no command {seq}: the recording has {self.last}")
        nearest = max(kept for kept in self._snapshots if kept <= seq)
        if not nearest <= self._at <= seq:
            self._narrator.resume(self._snapshots[nearest])
            self._at = nearest
        while self._at < seq:
            self.step()

    def _keep(self, snapshot: bytes) -> None:
        self._snapshots[self._at] = snapshot
        self._size += len(snapshot)
        while self._size > self._budget and len(self._snapshots) > 2:
            self._every *= 2
            for seq in [seq for seq in self._snapshots if seq % self._every]:
                self._size -= len(self._snapshots.pop(seq))
