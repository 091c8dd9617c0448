"""The place where a game is recorded, as the doors of the games use it. `Journal` is one, a file."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Generic, NamedTuple, Protocol, TypeVar

from scramble.journal.sqlite import Recording
from scramble.kernel.protocol import CommandLog, Durable

D = TypeVar("D", bound=Durable)


class Kept(NamedTuple, Generic[D]):
    """A game to be played: the `rules` and the `log` for `open_actor`. Without a journal the log is None.

    `commands` were read from the journal and are part of the state; `recovered` is True if the journal had the game.
    """

    rules: D
    log: CommandLog | None = None
    commands: int = 0
    recovered: bool = False


class Recorder(Protocol):
    """A place that keeps the commands of one game."""

    def recorded(self, rules: D, /) -> AbstractAsyncContextManager[Kept[D]]:
        """Record a game during the block: the one that the place has, if it has one; else a new one, `rules`.

        Waits while that game is read. If cancelled then, the place has not changed. Raises JournalError if the place
        cannot be used; then it has not changed either.
        """

    def read(self, *, after: int = 0) -> Recording:
        """Return the game, of whose commands only those after number `after`. Blocks: for a worker thread of trio.

        Changes nothing, and works while the game is played. Raises JournalError if it cannot be read.
        """
