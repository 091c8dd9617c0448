"""The tasks of one connection: extends hypercorn's `trio/task_group.py` by a queue that takes little memory.

hypercorn gives each application a memory channel for what it receives, of 2 kB, most of which is there for many tasks
at both ends. A WebSocket holds it as long as it is open. Not a fault, so this stays until measurements show no gain.

Safe under concurrency: a queue changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

import outcome
import trio
from hypercorn.config import Config
from hypercorn.trio.task_group import TaskGroup, _handle
from hypercorn.typing import AppWrapper, ASGIReceiveEvent, ASGISendEvent, Scope

T = TypeVar("T")


class SmallQueue(Generic[T]):
    """A queue of some items at most, for tasks that put and tasks that get: first come, first served."""

    # AF: the queue of _items, then those of _putters, whose tasks wait for room. _getters wait for items.
    # RI: _items has at most _most; _putters is empty unless it has as many; _getters is empty unless it has none.
    # Safety from exposure: items are handed on.

    __slots__ = ("_getters", "_items", "_most", "_putters")

    def __init__(self, most: int) -> None:
        """`most` is positive: nothing is handed from one task to another past the queue."""
        assert most > 0
        self._most: Final = most
        self._items: Final[list[T]] = []
        self._putters: Final[list[tuple[trio.lowlevel.Task, T]]] = []
        self._getters: Final[list[trio.lowlevel.Task]] = []

    async def put(self, item: T) -> None:
        """Put an item. Waits for room. Always a checkpoint; if this is cancelled, the item is not in the queue."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._getters:
            trio.lowlevel.reschedule(self._getters.pop(0), outcome.Value(item))
        elif len(self._items) < self._most:
            self._items.append(item)
        else:
            putter = trio.lowlevel.current_task(), item

            def abort(_: object) -> trio.lowlevel.Abort:
                self._putters.remove(putter)
                return trio.lowlevel.Abort.SUCCEEDED

            self._putters.append(putter)
            await trio.lowlevel.wait_task_rescheduled(abort)
            return
        await trio.lowlevel.cancel_shielded_checkpoint()

    async def get(self) -> T:
        """Take the next item. Waits for it. Always a checkpoint; if this is cancelled, nothing is taken."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if not self._items:
            task = trio.lowlevel.current_task()

            def abort(_: object) -> trio.lowlevel.Abort:
                self._getters.remove(task)
                return trio.lowlevel.Abort.SUCCEEDED

            self._getters.append(task)
            item: T = await trio.lowlevel.wait_task_rescheduled(abort)
            return item
        item = self._items.pop(0)
        if self._putters:
            putter, other = self._putters.pop(0)
            self._items.append(other)
            trio.lowlevel.reschedule(putter)
        await trio.lowlevel.cancel_shielded_checkpoint()
        return item

    def __str__(self) -> str:
        return f"{len(self._items) + len(self._putters)} items"


class ConnectionTasks(TaskGroup):
    """The tasks of a connection, in which an application gets what it receives from a `SmallQueue`."""

    async def spawn_app(
        self,
        app: AppWrapper,
        config: Config,
        scope: Scope,
        send: Callable[[ASGISendEvent | None], Awaitable[None]],
    ) -> Callable[[ASGIReceiveEvent], Awaitable[None]]:
        """Start the application, as hypercorn does. Does not wait."""
        queue = SmallQueue[ASGIReceiveEvent](config.max_app_queue_size)
        self.spawn(_handle, app, config, scope, queue.get, send, trio.to_thread.run_sync, trio.from_thread.run)
        return queue.put
