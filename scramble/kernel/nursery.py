"""A nursery beside a block; an exception of the block is raised unchanged and not wrapped into a group."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Final

import trio


def open_side_nursery(leave: Callable[[trio.Nursery], object]) -> SideNursery:
    """Open a nursery; when the block is left, in any way, call `leave` with it, which has to end its tasks.

    Then waits for the tasks. An exception of the block is raised unchanged. An exception of a task cancels the block
    and surfaces in an exception group, as with any nursery, with the exception of the block, if any, as its context.
    `leave` must not raise.
    """
    return SideNursery(leave)


class SideNursery:
    """An asynchronous context manager with a nursery beside its block. Made by `open_side_nursery`."""

    # No generator, of which each takes half a kilobyte: a room that is awake has several of these.

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
            stopped.__context__ = error  # or it would be lost
            raise
        return False  # the nursery, which would wrap the error, has not seen it


def is_cancellation(group: BaseExceptionGroup[BaseException]) -> bool:
    """Return True if all exceptions of the group are cancellations, as they come out of nurseries.

    `trio.lowlevel.checkpoint_if_cancelled` raises a plain one in place of the group: a framework keeps the group in
    frames to which it refers, and so all of a connection in memory until a collection of garbage.
    """
    return group.split(trio.Cancelled)[1] is None


def cancel(nursery: trio.Nursery) -> None:
    """Cancel all tasks of the nursery: a `leave` for tasks that never end by themselves."""
    nursery.cancel_scope.cancel()
