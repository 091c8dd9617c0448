"""A nursery beside a block whose own exception leaves the block as it is, and not wrapped into a group."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def open_side_nursery(leave: Callable[[trio.Nursery], object]) -> AsyncIterator[trio.Nursery]:
    """A nursery that `leave` is to bring to its end: it is called with it when the block is left, in whatever way.

    Then waits for the tasks. An exception of the block is raised as it is. What a task raises cancels the block and
    surfaces in an exception group, as with any nursery, with the block's own exception as its context if there is one.
    """
    failure: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except Exception as error:  # not to be judged here, only to leave the nursery unwrapped
                failure = error
            finally:
                leave(nursery)
    except BaseException as stopped:
        stopped.__context__ = failure or stopped.__context__  # or nobody would ever see it
        raise
    if failure is not None:
        raise failure


def cancel(nursery: trio.Nursery) -> None:
    """How to leave a nursery whose tasks run for ever."""
    nursery.cancel_scope.cancel()
