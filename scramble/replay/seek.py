"""Replay of a recording: forwards step by step, and to any command from the nearest earlier snapshot."""

from __future__ import annotations

from typing import Final

from scramble.games.narration import Narrator, Step
from scramble.journal.recorder import Recording
from scramble.replay.games import Narrators, ReplayError, narrator_of

STEPS_PER_MARK: Final = 500
"""Commands between two snapshots. This number of commands is applied quickly, but a snapshot is as large as a game."""

BUDGET: Final = 64 * 1024 * 1024  # bytes of snapshots; beyond it every second snapshot is dropped, for huge games


class Replay:
    """State of a game after a command of a recording. Mutable; used by one task at a time."""

    # AF: the game of _recording after its first `at` commands. _snapshots has states of _narrator by the number of the
    #     last command.
    # RI: 0 <= at <= last; the keys of _snapshots are 0 and multiples of _every; _size is their total size in bytes.

    def __init__(
        self,
        recording: Recording,
        *,
        narrators: Narrators,
        every: int = STEPS_PER_MARK,
        budget: int = BUDGET,
    ) -> None:
        """Begin before the first command of the recording. `narrators` has the known games.

        Raises:
            ReplayError: the game is unknown, or its first state is invalid.
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
        """The replayed recording."""
        return self._recording

    @property
    def at(self) -> int:
        """Number of the last applied command; 0 at the beginning."""
        return self._at

    @property
    def last(self) -> int:
        """Number of the last command; 0 for a recording without commands."""
        return len(self._recording.records)

    @property
    def narrator(self) -> Narrator:
        """Narrator of the game in this state, for its picture, scores and figures. Callers must not change it."""
        return self._narrator

    def step(self) -> Step:
        """Apply and describe the next command. Requires `at` < `last`.

        Raises:
            ReplayError: the command is unreadable. Do not use the replay after this error.
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

        Applies the commands from the last snapshot up to `seq`, or from `at` if this is nearer.

        Raises:
            ValueError: the recording has no command `seq`.
            ReplayError: one of the applied commands is unreadable.
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
