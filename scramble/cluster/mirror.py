"""The changes of one part of a room that another process owns, as this process has heard them.

A mirror is a history like that of an `Actor`, so followers here are as cheap as at the owner, and one message brings a
change to all of them. The law: the changes in it are those of the owner from the beginning of the join on, in order,
without gap or overlap; or it ends. An answer says how many changes came before it, and is delivered when they are here.

Safe under concurrency: all of it happens between two awaits, in whichever task hears the messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from scramble.cluster.codec import Vocabulary
from scramble.errors import GameStopped
from scramble.kernel.changes import Changes, History

MOST_EARLY: Final = 1024
"""Messages that may come before the answer which says where the mirror begins: as many changes as a history has."""


class Mirror:
    """The history of one part, for the followers in this process. Mutable; written by the join alone."""

    # AF: `history` has the owner's changes from number _first on; None: that is not known yet, and _early are messages
    #     which came before. _due are actions to be done once the changes below a number are here.
    # RI: the numbers in _due ascend; each is above the number of the next change.

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.history: Final = History()
        self.version = 0
        self._vocabulary: Final = vocabulary
        self._first: int | None = None
        self._early: deque[tuple[int, bytes]] = deque(maxlen=MOST_EARLY)
        self._due: Final[deque[tuple[int, Callable[[], None]]]] = deque()

    def begin(self, first: int) -> bool:
        """Begin with the change of that number, unless the mirror has begun; return False if there is a gap."""
        if self._first is None:
            self._first = first
            return all(self.hear(*early) for early in self._early)
        return True

    @property
    def _next(self) -> int:
        return (self._first or 0) + self.history.published

    def hear(self, first: int, encoded: bytes) -> bool:
        """Add changes that are numbered from `first` on, some of which may be here; return False if any is missing."""
        if self._first is None:
            self._early.append((first, encoded))
            return True
        try:
            changes = self._vocabulary.decode_changes(encoded) if encoded else []
        except ValueError:
            return False  # of another version of this program: as good as none
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
        """Do something as soon as all changes below `position` are here; at once if they are. It must not raise."""
        if position <= self._next:
            action()
        else:
            self._due.append((position, action))

    def changes(self, position: int | None = None) -> Changes:
        """Return a follower from the owner's position on, which is here or never will be; None: from this moment on."""
        position = self._next if position is None else min(position, self._next)
        return Changes(self.history, position - (self._first or 0))

    def end(self, error: Callable[[], GameStopped]) -> None:
        """End the history; what is due is done, for answers are true without the changes before them."""
        while self._due:
            self._due.popleft()[1]()
        self.history.end(error)

    def __str__(self) -> str:
        return f"{self.history.published} changes, {len(self._due)} answers wait for more"
