"""Interface of the owner of a game's state. The doors of the games use it; `Actor` implements it in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

import outcome

from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Command, Settable
from scramble.kernel.reply import Post
from scramble.kernel.stats import Stats

R = TypeVar("R")


@runtime_checkable
class Posting(Protocol):
    """Interface that takes requests in order, without a task for each request. `Actor` implements it.

    Without a task, a request from another process takes a third less time.
    """

    def request(
        self,
        command: Command[object],
        deliver: Callable[[outcome.Outcome[object], int], None],
        parked: Settable | None = None,
    ) -> Post:
        """Return a request for `post`; `deliver` gets its answer, and the number of the next change."""

    def post_nowait(self, request: Post) -> None:
        """Put a request into the mailbox. Raises trio.WouldBlock and GameStopped."""

    async def post(self, request: Post) -> None:
        """Put a request into the mailbox. Waits while the mailbox is full. Raises GameStopped."""

    def withdraw(self, request: Post) -> bool:
        """Withdraw a request; return False if its answer is decided. Does not wait."""

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before all queued commands, without an answer. Does not wait."""


class Owner(Protocol):
    """The task that owns a game's state. `Actor` documents the methods."""

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Execute `command` and return its answer."""

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Execute `command`; return its answer and the changes after it."""

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before all queued commands, without an answer. Does not wait."""

    def subscribe(self) -> Changes:
        """Follow the changes from now on. Does not wait."""

    async def ping(self) -> None:
        """Wait until the owner has executed and logged all commands that are queued now."""

    def stats(self) -> Stats:
        """Return the statistics of the owner. Does not wait."""

    async def aclose(self) -> None:
        """Close the game. Waits until the owner has ended."""
