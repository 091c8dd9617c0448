"""The grammar of the server's messages, and a connection that is read line by line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

import trio

from scramble.conform.cases import Broken
from scramble.conform.transcript import shortened

READ_BYTES: Final = 65_536
MOST_BYTES: Final = 4_000_000
"""The longest line that is read."""

HELLO: Final = re.compile(
    r"Welcome to Minesweeper\. Board: (-?[0-9]+) columns by (-?[0-9]+) rows\. "
    r"Players: (-?[0-9]+) including you\. Type 'help' for help\."
)
BOOM: Final = "BOOM!"
SQUARES: Final = frozenset("-F 12345678")
MESSAGE: Final = re.compile(rb"look|help|bye|(dig|flag|deflag) -?[0-9]+ -?[0-9]+")

Wanted = Literal["BOARD", "BOARD or BOOM", "HELP"]


@dataclass(frozen=True)
class Hello:
    """The values of a HELLO message."""

    columns: int
    rows: int
    players: int


@dataclass(frozen=True)
class Reply:
    """A message of the server. The lines of a BOARD have one character for each square."""

    kind: Literal["BOARD", "BOOM", "HELP"]
    lines: tuple[str, ...]

    def told(self) -> str:
        """Return the message for people, as it came."""
        return "\n".join(" ".join(line) if self.kind == "BOARD" else line for line in self.lines)


def parse_hello(line: str) -> Hello:
    """Parse a HELLO message without its newline. Raises Broken."""
    found = HELLO.fullmatch(line)
    if found is None:
        raise Broken(f"the first line is not HELLO. Came: {shortened(line, 120)!r}")
    columns, rows, players = (_number(text) for text in found.groups())
    if columns < 1 or rows < 1:
        raise Broken(f"HELLO has {columns} columns and {rows} rows")
    return Hello(columns, rows, players)


def _number(text: str) -> int:
    return int(text) if len(text) <= 10 else -1


def is_row(line: str, columns: int) -> bool:
    """Return True if the line is a row of a BOARD of this field."""
    return len(line) == 2 * columns - 1 and SQUARES.issuperset(line[::2]) and not line[1::2].strip(" ")


def parse_row(line: str, number: int, columns: int) -> str:
    """Return the characters of the squares in a row of BOARD. Raises Broken with the deviation from the grammar."""
    if is_row(line, columns):
        return line[::2]
    where = f"row {number} of BOARD"
    if line == "":
        raise Broken(f"{where} is an empty line: each message of the server ends with one NEWLINE")
    if is_row(line.removesuffix(" "), columns):
        raise Broken(f"{where} ends with a space after its last square. Came: {shortened(line, 80)!r}")
    if is_row(line, (len(line) + 1) // 2):
        raise Broken(f"{where} has {(len(line) + 1) // 2} squares, but HELLO said {columns} columns")
    raise Broken(
        f"{where} must be {columns} squares -, F, 1 to 8 or a space, with one space between two of them. "
        f"Came: {shortened(line, 80)!r}"
    )


def difference(shown: Sequence[str], wanted: Sequence[str]) -> str:
    """Return the first difference of two BOARDs of the same size in words, and the number of differences."""
    found = [
        (x, y, char, must)
        for y, (line, right) in enumerate(zip(shown, wanted, strict=True))
        for x, (char, must) in enumerate(zip(line, right, strict=True))
        if char != must
    ]
    x, y, char, must = found[0]
    more = f" ({len(found) - 1} more squares differ)" if len(found) > 1 else ""
    return f"x={x}, y={y} is {char!r}, but must be {must!r}{more}. Came: row {y} {shortened(' '.join(shown[y]), 100)!r}"


class Wire:
    """A connection. Lines end with any NEWLINE of the grammar; a line is complete at its first character."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream: Final = stream
        self._buffer = bytearray()
        self._drops_newline = False  # the last line ended with "\r": a "\n" now belongs to it
        self._has_ended = False

    async def send(self, data: bytes) -> None:
        """Send data. It waits while the server does not read. Raises Broken if the connection is lost."""
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Broken("the server has closed the connection") from None

    async def line(self) -> str | None:
        """Return the next line without its newline, or None at the end of the connection."""
        begin = 0
        while True:
            if self._drops_newline and self._buffer:
                self._drops_newline = False
                if self._buffer[0] == ord("\n"):
                    del self._buffer[0]
            end = min((place for char in (b"\n", b"\r") if (place := self._buffer.find(char, begin)) >= 0), default=-1)
            if end >= 0:
                self._drops_newline = self._buffer[end] == ord("\r")
                line = self._buffer[:end].decode(errors="replace")
                del self._buffer[: end + 1]
                return line
            begin = len(self._buffer)
            if begin > MOST_BYTES:
                raise Broken(f"the server sent a line of more than {MOST_BYTES} bytes")
            if not await self._more():
                return None

    async def rest(self) -> str:
        """Return everything that comes until the end of the connection, without the NEWLINE of the last message."""
        while await self._more():
            if len(self._buffer) > MOST_BYTES:
                raise Broken(f"the server sent more than {MOST_BYTES} bytes")
        data = bytes(self._buffer)
        return (data.removeprefix(b"\n") if self._drops_newline else data).decode(errors="replace")

    @property
    def unread(self) -> str:
        """The beginning of a line that has not ended."""
        return self._buffer.decode(errors="replace")

    async def _more(self) -> bool:
        if self._has_ended:
            return False
        try:
            data = await self._stream.receive_some(READ_BYTES)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""  # a reset ends the connection, too
        self._buffer += data
        self._has_ended = not data
        return bool(data)

    async def close(self) -> None:
        """Close the connection at once."""
        await trio.aclose_forcefully(self._stream)


def sent_as_text(data: bytes) -> str:
    """Return sent data for people."""
    text = data.decode("utf-8", "backslashreplace").replace("\r", "\\r").replace("\n", "\\n").replace("\0", "\\0")
    return shortened(text, 80)


LONGEST_RUN: Final = 100


def shell_line(data: bytes, host: str, port: int) -> str:
    """Return the shell command that sends the data, and waits a second for the answer."""
    parts = [""]
    for byte, run in groupby(data):
        char, count = chr(byte), len(list(run))
        if count > LONGEST_RUN and char.isascii() and char.isalnum():
            parts += [f"head -c {count} /dev/zero | tr '\\0' {char}", ""]
        else:
            plain = char.isascii() and char.isprintable() and char not in "\\%"
            parts[-1] += (char if plain else _escaped(byte)) * count
    commands = [
        part if number % 2 else f"printf {shlex.quote(part)}" for number, part in enumerate(parts) if part or number % 2
    ]
    return f"({'; '.join([*commands, 'sleep 1'])}) | nc {host} {port}"


def _escaped(byte: int) -> str:
    return {0x0A: "\\n", 0x0D: "\\r", 0x25: "%%", 0x5C: "\\\\"}.get(byte, f"\\{byte:03o}")
