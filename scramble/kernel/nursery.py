"""Side tasks of a block. An exception of the block is raised unchanged, and not in a group."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final, TypeAlias

import trio

StartSoon: TypeAlias = Callable[[Callable[[], Awaitable[None]]], None]
"""Function that runs a task beside a block until the block ends. Later calls do nothing. Does not wait."""


def open_side_nursery(leave: Callable[[trio.Nursery], object]) -> SideNursery:
    """Open a nursery. At every end of the block, call `leave(nursery)`, which must end the tasks. Then wait for them.

    An exception of the block is raised unchanged. An exception of a task cancels the block and is raised in an
    exception group, as with any nursery. If the block also raises an exception, this exception is the context of the
    group. `leave` must not raise.
    """
    return SideNursery(leave)


class SideNursery:
    """An asynchronous context manager with a nursery beside its block. Made by `open_side_nursery`."""

    # Not a generator: a generator takes half a kilobyte, and an active room has several side nurseries.

    __slots__ = ("_leave", "_manager", "_nursery")

    def __init__(self, leave: Callable[[trio.Nursery], object]) -> None:
        self._leave: Final = leave
        self._manager: Final = trio.open_nursery()
        self._nursery: trio.Nursery | None = None

    async def __aenter__(self) -> trio.Nursery:
        self._nursery = await self._manager.__aenter__()
        return self._nursery

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        assert self._nursery is not None
        self._leave(self._nursery)
        if not isinstance(error, Exception):
            return bool(await self._manager.__aexit__(kind, error, trace))
        try:
            await self._manager.__aexit__(None, None, None)
        except BaseException as stopped:
            stopped.__context__ = error  # otherwise the error would be lost
            raise
        return False  # the nursery has not seen the error, so it has not put it into a group


class SideTasks:
    """Side tasks of a block, for callers that may outlive the block: `async with SideTasks() as beside`."""

    # AF: the tasks run in _nursery; it is None before and after the block.

    __slots__ = ("_nursery", "_opened")

    def __init__(self) -> None:
        self._opened: Final = open_side_nursery(cancel)
        self._nursery: trio.Nursery | None = None

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task; the end of the block cancels it. Does nothing outside of the block. Does not wait.

        An exception of the task cancels the block, and the block raises it in an exception group.
        """
        if self._nursery is not None:
            self._nursery.start_soon(work)

    async def __aenter__(self) -> SideTasks:
        self._nursery = await self._opened.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._nursery = None
        return await self._opened.__aexit__(kind, error, trace)


def cancel(nursery: trio.Nursery) -> None:
    """Cancel all tasks of the nursery: the `leave` function for tasks that never end by themselves."""
    nursery.cancel_scope.cancel()
