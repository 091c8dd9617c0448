"""Splitter of a byte stream into lines, independent of the pieces in which the bytes arrive. Pure: without sockets.

A line ends at LF, CR LF or CR NUL. A telnet client in character mode sends CR NUL for the Enter key (RFC 854). With
`cr_ends`, a line also ends at a lone CR, and it ends *at once*: a client that ends lines with CR must not wait for its
answer until its next line. A LF or NUL after the CR belongs to the CR, even if it arrives much later.

If a line has more than `max_line` bytes without its end, the bytes are discarded as they arrive, and the line is
reported once, at its end. So the splitter never stores more than one line.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, TypeAlias

MAX_LINE_BYTES: Final = 1024  # only a game with texts by players needs lines of this length


class Overlong(Enum):
    """The report in place of a line that was too long."""

    OVERLONG = "overlong"


OVERLONG: Final = Overlong.OVERLONG

TelnetLine: TypeAlias = bytes | Overlong
"""A line without its end, not decoded; or the report of a line that was too long."""

_ANY_END = re.compile(rb"\r[\n\0]?|\n")
_LF_OR_CRLF = re.compile(rb"\r[\n\0]|\n")


class LineSplitter:
    """Receives the bytes of one connection and returns lines.

    Mutable; belongs to one connection, not for several tasks at once.
    """

    # AF: a stream; _begun is the begin of the current line. If _dropping, the current line is already too long. If
    #     _after_cr, the last byte was a CR, and its LF or NUL may follow.
    # RI: len(_begun) <= _max_line; _begun is empty if _dropping; if _after_cr and _cr_ends, _begun is empty.
    # Safety from exposure: the bytearray stays inside; lines are immutable.

    def __init__(self, *, cr_ends: bool, max_line: int = MAX_LINE_BYTES) -> None:
        self._cr_ends = cr_ends
        self._max_line = max_line
        self._begun = bytearray()
        self._dropping = False
        self._after_cr = False

    def receive(self, data: bytes) -> list[TelnetLine]:
        """Return the lines that end in the next `data` of the stream, in order.

        The resulting lines do not depend on the division of the stream into calls.
        """
        if not data:
            return []
        if self._after_cr:
            if not self._cr_ends:
                data = b"\r" + data
            elif data[0] in b"\n\0":
                data = data[1:]
        self._after_cr = data.endswith(b"\r")
        if self._after_cr and not self._cr_ends:
            data = data[:-1]
        *ended, begun = (_ANY_END if self._cr_ends else _LF_OR_CRLF).split(data)
        lines: list[TelnetLine] = []
        for piece in ended:
            self._add(piece)
            lines.append(OVERLONG if self._dropping else bytes(self._begun))
            self._begun.clear()
            self._dropping = False
        self._add(begun)
        return lines

    def _add(self, piece: bytes) -> None:
        if self._dropping or len(self._begun) + len(piece) > self._max_line:
            self._dropping = True
            self._begun.clear()
        else:
            self._begun += piece

    def __str__(self) -> str:
        held = "an overlong line" if self._dropping else f"{len(self._begun)} bytes"
        return f"line splitter holding {held}"
