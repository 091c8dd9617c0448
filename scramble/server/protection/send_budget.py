"""A bound on the bytes that wait for all clients together, and the choice of the client to drop beyond it.

A connection is sent one answer, or one frame of a WebSocket, at a time, and nothing more is read from it until the
client has read that. But an answer can be large, as a look at a board of long cards has megabytes, and there are many
connections. So the bytes that wait are bounded for all of them together. Beyond the bound one client is dropped: of the
address for which the most bytes wait, the client that has read nothing for the longest time. Clients at other
addresses, and clients that read, stay.

After a client is dropped its answer stays in memory, although the request has ended, until the garbage collector runs:
the exceptions that end the request refer to each other. The serving commands let the collector run seldom, so it is
run here whenever as many bytes have been left behind as may wait.

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
        """The address or network that the connection is counted for."""

    def drop(self) -> None:
        """Disconnect the client. Does not wait."""


class Unread:
    """Counts the bytes that wait for clients to read them."""

    # AF: _by_account has, by account, the bytes that wait for each reader; the first reader of an account has read
    #     nothing for the longest time. _all is the sum. _left_behind bytes will never be read, since the garbage
    #     collector ran last.
    # RI: every number is positive, no account is empty; _all <= _most, unless there is only one reader.

    def __init__(self, most: int) -> None:
        """`most` is in bytes; a single reader may have more."""
        self._most: Final = most
        self._all = 0
        self._left_behind = 0
        self._by_account: Final[dict[str, dict[Reader, int]]] = {}

    def add(self, reader: Reader, size: int) -> None:
        """Add bytes that wait for `reader`. Beyond the bound, drops clients, perhaps this one."""
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
