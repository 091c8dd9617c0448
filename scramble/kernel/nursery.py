"""A nursery beside a block; an exception of the block is raised unchanged and not wrapped into a group."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def open_side_nursery(leave: Callable[[trio.Nursery], object]) -> AsyncIterator[trio.Nursery]:
    """Open a nursery; when the block is left, in any way, call `leave` with it, which has to end its tasks.

    Then waits for the tasks. An exception of the block is raised unchanged. An exception of a task cancels the block
    and surfaces in an exception group, as with any nursery, with the exception of the block, if any, as its context.
    """
    failure: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except Exception as error:  # re-raised below, outside the nursery, which would wrap it
                failure = error
            finally:
                leave(nursery)
    except BaseException as stopped:
        stopped.__context__ = failure or stopped.__context__  # or it would be lost
        raise
    if failure is not None:
        raise failure


def cancel(nursery: trio.Nursery) -> None:
    """Cancel all tasks of the nursery: a `leave` for tasks that never end by themselves."""
    nursery.cancel_scope.cancel()
