"""A recording to move about in: forwards step by step, and to any place by way of the nearest snapshot before it."""

from __future__ import annotations

from typing import Final

from scramble.replay.games import ReplayError, teller_of
from scramble.replay.telling import Step, Teller
from scramble.store import Recording

EVERY: Final = 500
"""Commands from one snapshot to the next: applying so many takes a moment, and a snapshot is as large as a game."""

BUDGET: Final = 64 * 1024 * 1024  # bytes of snapshots; then every other one is dropped, so that huge games can be told


class Replay:
    """A game as it was after some command of a recording. Mutable; used by one task at a time."""

    # AF: the game of _recording as it was after `at` commands of it; _snapshots lets it go back to any place that it
    #     has been at or beyond.
    # RI: 0 <= at <= last; _snapshots has 0, and otherwise multiples of _every only; _size is their size in bytes.

    def __init__(self, recording: Recording, *, every: int = EVERY, budget: int = BUDGET) -> None:
        """At the beginning of the recording, before its first command.

        Raises:
            ReplayError: it is of no game that is known here, or its first state is none of that game.
        """
        self._recording: Final = recording
        self._teller: Final = teller_of(recording.kind, recording.first)
        self._every = every
        self._budget: Final = budget
        self._at = 0
        self._snapshots = {0: self._teller.save()}
        self._size = len(self._snapshots[0])

    @property
    def recording(self) -> Recording:
        """What is replayed."""
        return self._recording

    @property
    def at(self) -> int:
        """The number of the command that was told last; 0 at the beginning."""
        return self._at

    @property
    def last(self) -> int:
        """The number of the last command; 0 if there is none."""
        return len(self._recording.records)

    @property
    def teller(self) -> Teller:
        """The game as it is here: its picture, its scores, who has done what. To be looked at only."""
        return self._teller

    def step(self) -> Step:
        """Tell the next command. There must be one: `at` < `last`.

        Raises:
            ReplayError: it cannot be read. The replay is of no use then.
        """
        record = self._recording.records[self._at]
        try:
            step = self._teller.tell(record)
        except ValueError as error:
            raise ReplayError(f"command {record.seq} cannot be read: {error}") from error
        self._at += 1
        if self._at % self._every == 0 and self._at not in self._snapshots:
            self._keep(self._teller.save())
        return step

    def seek(self, seq: int) -> None:
        """Go to the game as it was after command `seq`; 0 is the beginning.

        Takes at most as long as telling the commands since the last snapshot before it, or since where this has ever
        been.

        Raises:
            ValueError: there is no such command.
            ReplayError: one on the way there cannot be read.
        """
        if not 0 <= seq <= self.last:
            raise ValueError(f"there is no command {seq}: the recording has {self.last}")
        nearest = max(kept for kept in self._snapshots if kept <= seq)
        if not nearest <= self._at <= seq:
            self._teller.resume(self._snapshots[nearest])
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
