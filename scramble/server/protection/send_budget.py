"""Limit on the unread bytes of all clients together, and the choice of the client to drop beyond the limit.

The server sends one answer, or one frame of a WebSocket, at a time to a connection, and reads nothing more from it
until the client has read the data. But an answer can be large (a board of long cards has megabytes), and there are many
connections. So the unread bytes of all connections together are limited. Beyond the limit, one client is dropped. The
server chooses the address with the most unread bytes, and at this address the client that has read nothing for the
longest time. Clients at other addresses, and clients that read, stay.

The answer of a dropped client stays in memory until the garbage collector runs, although the request has ended: the
exceptions that end the request form a reference cycle. The serving commands let the collector run seldom. So it runs
here as soon as the dropped clients' bytes reach the limit.

Safe under concurrency: counts change between two awaits.
"""

from __future__ import annotations

import gc
from typing import Final, Protocol

TOO_MUCH_UNREAD: Final = "has read nothing for the longest time, and too many bytes wait for all clients"


class Reader(Protocol):
    """A connection to which the server sends."""

    @property
    def account(self) -> str:
        """The address or network whose limits apply to the connection."""

    def drop(self) -> None:
        """Disconnect the client. Does not wait."""


class Unread:
    """Counts the unread bytes of all clients."""

    # AF: _by_account has, by account, the unread bytes of each reader; the first reader of an account has read nothing
    #     for the longest time. _all is the sum. Disconnected and dropped clients have left _left_behind bytes unread
    #     since the last run of the garbage collector.
    # RI: every number is positive, and no account is empty; _all <= _most if there are several readers.

    def __init__(self, most: int) -> None:
        """`most` is in bytes; a single reader may have more."""
        self._most: Final = most
        self._all = 0
        self._left_behind = 0
        self._by_account: Final[dict[str, dict[Reader, int]]] = {}

    def add(self, reader: Reader, size: int) -> None:
        """Add unread bytes of `reader`. Beyond the limit, drop clients, perhaps also `reader`."""
        readers = self._by_account.setdefault(reader.account, {})
        readers[reader] = readers.get(reader, 0) + size
        self._all += size
        while self._all > self._most and (len(self._by_account) > 1 or len(readers) > 1):
            readers = max(self._by_account.values(), key=lambda readers: sum(readers.values()))
            longest = next(iter(readers))
            self._forget(longest)
            longest.drop()

    def taken(self, reader: Reader, size: int) -> None:
        """Subtract bytes that `reader` has read. Does nothing if it has been dropped."""
        left = self._forget(reader) - size
        if left > 0:
            self._by_account.setdefault(reader.account, {})[reader] = left
            self._all += left

    def left_behind(self, reader: Reader, size: int) -> None:
        """Subtract bytes that `reader` will never read, because it has disconnected or was dropped."""
        self.taken(reader, size)
        self._left_behind += size
        if self._left_behind > self._most:
            self._left_behind = 0
            gc.collect()

    def _forget(self, reader: Reader) -> int:
        readers = self._by_account.get(reader.account, {})
        size = readers.pop(reader, 0)
        self._all -= size
        if not readers:
            self._by_account.pop(reader.account, None)
        return size

    def __str__(self) -> str:
        return f"{self._all} of {self._most} bytes wait, for {sum(map(len, self._by_account.values()))} connections"
