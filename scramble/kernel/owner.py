"""The owner of a game's state, as the doors of the games use it. `Actor` is one, in this process."""

from __future__ import annotations

from typing import Protocol, TypeVar

from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Command, Settable
from scramble.kernel.stats import Stats

R = TypeVar("R")


class Owner(Protocol):
    """The task that owns a game's state. The methods are those of `Actor`, which documents them."""

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Carry out `command` and return its answer."""

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Carry out `command`; return its answer and the changes after it."""

    def tell(self, command: Command[object]) -> None:
        """Carry out `command` ahead of all queued commands, without an answer. Does not wait."""

    def subscribe(self) -> Changes:
        """Follow the changes from this moment on. Does not wait."""

    async def ping(self) -> None:
        """Wait until all commands that are queued now are carried out, and logged."""

    def stats(self) -> Stats:
        """Return the statistics of the owner. Does not wait."""

    async def aclose(self) -> None:
        """Close the game. Waits until the owner has ended."""
