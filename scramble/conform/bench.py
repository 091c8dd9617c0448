"""The part of a bench that all games share: servers that several cases use, and their files."""

from __future__ import annotations

import tempfile
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, Self, TypeVar

from scramble.conform.process import Started


@dataclass(kw_only=True)
class Open:
    """A server that answers. The games add what they know about it."""

    process: Started | None
    """The process, or None if the check has not started the server."""

    cases: int = field(default=0, init=False)
    """The number of cases that have used the server."""

    def output(self) -> str:
        """Return the last lines that the server printed."""
        return "" if self.process is None else self.process.output()


OpenT = TypeVar("OpenT", bound=Open)


class SharedServers(Generic[OpenT]):
    """Servers that cases share, each under a key. An async context manager: its end stops them."""

    # RI: the servers in _shared were opened in this order, so they are closed in the reverse order: their nurseries are
    # nested. _last is the server of the last table.

    def __init__(self, command: str | None) -> None:
        """`command` starts servers; None: a server runs already."""
        self._command: Final = command
        self._shared: Final[dict[object, tuple[OpenT, AsyncExitStack]]] = {}
        self._last: OpenT | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def __aenter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="scramble-conform-")
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def can_be_fresh(self) -> bool:
        """True if the bench starts its servers itself."""
        return self._command is not None

    def was_used(self) -> bool:
        """Return True if other cases have used the server of the last table."""
        return self._last is not None and self._last.cases > 1

    def output(self) -> str:
        """Return the last lines that the server of the last table printed."""
        return "" if self._last is None else self._last.output()

    async def ended(self) -> str:
        """Return how the server of the last table has ended by itself. Waits for a moment."""
        return "" if self._last is None or self._last.process is None else await self._last.process.ended()

    async def discard(self) -> None:
        """End the shared servers, if the bench has started them."""
        if self.can_be_fresh:
            await self._close()

    async def _close(self) -> None:
        while self._shared:
            _, (_, stack) = self._shared.popitem()
            await stack.aclose()

    def _sharing(self, key: object) -> OpenT | None:
        """Return the shared server with this key."""
        return self._shared[key][0] if key in self._shared else None

    async def _share(self, key: object, manager: AbstractAsyncContextManager[OpenT]) -> OpenT:
        """Open a server, and share it under the key."""
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(manager)
            self._shared[key] = opened, stack.pop_all()
        return opened

    def _use(self, opened: OpenT) -> OpenT:
        """Note that a case uses this server."""
        opened.cases += 1
        self._last = opened
        return opened

    def _path(self, name: str) -> Path:
        """Return the path of a file or folder for servers."""
        assert self._folder is not None, "the bench is not entered"
        return Path(self._folder.name) / name
