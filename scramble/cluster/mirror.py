"""A mirror: the changes of one part of another process's room, as this process has received them.

A mirror has a history like an `Actor`'s. So followers here are as cheap as followers at the owner, and one message
brings a change to all of them. The law: a mirror has the owner's changes from the beginning of the join on, in order,
without gap or overlap. After a gap the mirror ends. An answer has the number of earlier changes. It is delivered
when all earlier changes have arrived.

Safe under concurrency: everything happens between two awaits, in the task that receives the messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from scramble.cluster.codec import Vocabulary
from scramble.errors import GameStopped
from scramble.kernel.changes import Changes, History

MOST_EARLY: Final = 1024
"""Maximum of stored messages that arrive before `RoomEntered`: as many as a history has changes."""


class Mirror:
    """The history of one part, for the followers in this process. Mutable; only the join writes it."""

    # AF: `history` has the owner's changes from number _first on. _first is None before `begin`; _early are the
    #     messages from that time. _due has numbers and actions. An action runs once all changes below its number have
    #     arrived.
    # RI: the numbers in _due ascend; each is above the number of the next change.

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.history: Final = History()
        self.version = 0
        self._vocabulary: Final = vocabulary
        self._first: int | None = None
        self._early: deque[tuple[int, bytes]] = deque(maxlen=MOST_EARLY)
        self._due: Final[deque[tuple[int, Callable[[], None]]]] = deque()

    def begin(self, first: int) -> bool:
        """Begin with the change numbered `first`, unless the mirror has begun. Return False if there is a gap."""
        if self._first is None:
            self._first = first
            return all(self.hear(*early) for early in self._early)
        return True

    @property
    def _next(self) -> int:
        return (self._first or 0) + self.history.published

    def hear(self, first: int, encoded: bytes) -> bool:
        """Add changes numbered from `first` on; skip known changes. Return False if a change is missing."""
        if self._first is None:
            self._early.append((first, encoded))
            return True
        try:
            changes = self._vocabulary.decode_changes(encoded) if encoded else []
        except ValueError:
            return False  # an unreadable change, from another version of this program, counts as missing
        if first + len(changes) < self._first:
            return True
        if first > self._next:
            return False
        for change in changes[self._next - first :]:
            self.history.publish(change)
            self.version = change.version
        while self._due and self._due[0][0] <= self._next:
            self._due.popleft()[1]()
        self.history.announce()
        return True

    def when_at(self, position: int, action: Callable[[], None]) -> None:
        """Call `action` once all changes below `position` have arrived; perhaps at once. `action` must not raise."""
        if position <= self._next:
            action()
        else:
            self._due.append((position, action))

    def changes(self, position: int | None = None) -> Changes:
        """Return a follower from the owner's `position` on; from now on if `position` is None or will never arrive."""
        position = self._next if position is None else min(position, self._next)
        return Changes(self.history, position - (self._first or 0))

    def end(self, error: Callable[[], GameStopped]) -> None:
        """End the history. Run all due actions first: the answers are valid even without the missing changes."""
        while self._due:
            self._due.popleft()[1]()
        self.history.end(error)

    def __str__(self) -> str:
        return f"{self.history.published} changes, {len(self._due)} answers wait for more"
