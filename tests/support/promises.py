"""Clients of the text protocol that store the server's acknowledgements, for tests of faults."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import trio

from scramble.server.listening import Address
from tests.support.cutting import READ_BYTES


class Requester:
    """A client of the text protocol over one persistent connection."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._buffer = b""

    async def ask(self, line: str) -> tuple[int, str]:
        """Send a request, for example `GET /look/alice`; return status and body of the answer.

        Raises EOFError if the server closes the connection without an answer, trio.BrokenResourceError if it breaks.
        """
        await self._stream.send_all(f"{line} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return await self.answer()

    async def answer(self) -> tuple[int, str]:
        """The next answer."""
        head = await self._until(lambda data: data.find(b"\r\n\r\n") + 4 if b"\r\n\r\n" in data else None)
        length = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
        size = int(length[1]) if length else 0
        body = await self._until(lambda data: size if len(data) >= size else None)
        return int(head.split()[1]), body.decode()

    async def _until(self, complete: Callable[[bytes], int | None]) -> bytes:
        while (end := complete(self._buffer)) is None:
            data = await self._stream.receive_some(READ_BYTES)
            if not data:
                raise EOFError("no more answers")
            self._buffer += data
        taken, self._buffer = self._buffer[:end], self._buffer[end:]
        return taken


class Promised:
    """The commands that a server has acknowledged. Each one replaces the player's last card by a unique card."""

    def __init__(self) -> None:
        self.cards: list[str] = []
        self.refused: list[int] = []
        self._numbers = itertools.count()

    def enough(self, count: int) -> bool:
        """Return True if at least `count` commands are acknowledged."""
        return len(self.cards) >= count

    async def replace_cards(self, address: Address, player: str, last: str, stop: Callable[[], bool]) -> None:
        """Request one replacement after another, until `stop()`, or until the server stops answering.

        `last` is the player's card on the board.
        """
        stream = await trio.open_tcp_stream(address.host, address.port)
        async with stream:
            requester = Requester(stream)
            while not stop():
                card = f"{player}-{next(self._numbers)}"
                try:
                    status, _ = await requester.ask(f"POST /replace/{player}/{last}/{card}")
                except (EOFError, trio.BrokenResourceError):
                    return
                if status != 200:
                    self.refused.append(status)
                    return
                self.cards.append(card)
                last = card
