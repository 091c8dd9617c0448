"""The tests' own connection to Redis, to read its data. It shares no code with `scramble.cluster`.

    with Console(redis.port) as console:
        console.call("HGET", "scr:{room}:room", "owner")

Its calls block. Not thread-safe.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from typing import Final, Self, TypeAlias, cast

import hiredis
import msgspec

from scramble.journal import Record
from scramble.kernel.protocol import Ticket
from tests.support import HANG_S

Answer: TypeAlias = "bytes | int | list[Answer] | None"

ROWS: Final = msgspec.msgpack.Decoder(list[tuple[int, float, bytes]])
"""The commands of a batch: ticket, time and JSON of each."""


class Console:
    """One connection, to database 0."""

    def __init__(self, port: int) -> None:
        """Connect to that port of this machine."""
        self._socket: Final = socket.create_connection(("127.0.0.1", port), HANG_S)
        self._reader: Final = hiredis.Reader()

    def call(self, *words: str | int) -> Answer:
        """Execute a command; return its answer. Raises hiredis.ReplyError."""
        parts = [str(word).encode() for word in words]
        self._socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        while (answer := self._reader.gets()) is False:
            chunk = self._socket.recv(65536)
            if not chunk:
                raise EOFError("Redis has closed the connection")
            self._reader.feed(chunk)
        if isinstance(answer, hiredis.ReplyError):
            raise answer
        return cast(Answer, answer)

    def owner(self, room: str) -> tuple[int, str]:
        """Return the epoch and the process of a room's current or last owner; (0, "") if it had no owner."""
        owner = self.call("HGET", f"scr:{{{room}}}:room", "owner")
        if not isinstance(owner, bytes):
            return 0, ""
        epoch, _, process = owner.decode().partition(":")
        return int(epoch or 0), process

    def log(self, room: str) -> Sequence[Record]:
        """Return all commands of a room, in the order of its log. Raises AssertionError if their numbers have a gap."""
        return list(self._records(room))

    def _records(self, room: str) -> Iterator[Record]:
        entries = self.call("XRANGE", f"scr:{{{room}}}:log", "-", "+")
        seq = 0
        for entry in cast(list[list[Answer]], entries):
            number = int(cast(bytes, entry[0]).partition(b"-")[0])
            fields = cast(list[bytes], entry[1])
            for ticket, at, command in ROWS.decode(fields[fields.index(b"c") + 1]):
                seq += 1
                yield Record(seq, Ticket(ticket), at, command, 0)
            assert number == seq, f"entry {number} of {room} ends with command {seq}"

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
