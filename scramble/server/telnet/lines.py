"""Splits a stream of bytes into lines, however the bytes arrive. Pure, knows no sockets.

A line ends at LF or CR LF, and at CR NUL, which a telnet client that sends each character as it is typed sends for the
Enter key (RFC 854). With `cr_ends` it ends at a lone CR as well, and then *at once*: a client that ends lines by CR
must not wait for its answer until the next line shows that no LF follows. A LF or NUL that follows belongs to the CR,
even if it arrives much later.

A line of more than `max_line` bytes, without its end, is discarded as it arrives and reported once, at its end. So the
splitter never holds more than one line.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, TypeAlias

MAX_LINE_BYTES: Final = 1024  # bytes; only a game in which players write descriptions needs as many


class Overlong(Enum):
    """The report in place of a line that was too long."""

    OVERLONG = "overlong"


OVERLONG: Final = Overlong.OVERLONG

TelnetLine: TypeAlias = bytes | Overlong
"""A line without its end, not decoded; or the report of one that was too long."""

_ANY_END = re.compile(rb"\r[\n\0]?|\n")
_LF_OR_CRLF = re.compile(rb"\r[\n\0]|\n")


class LineSplitter:
    """Receives the bytes of one connection and returns lines.

    Mutable; belongs to one connection, not for several tasks at once.
    """

    # AF: a stream read up to a point inside the line that begins with _begun, or, if _dropping, inside one that is
    #     already too long. If _after_cr, the last byte read was a CR, and a LF or NUL that belongs to it may follow.
    # RI: len(_begun) <= _max_line; _begun is empty if _dropping; if _after_cr and _cr_ends, _begun is empty
    # Safety from exposure: the bytearray stays inside; lines are immutable.

    def __init__(self, *, cr_ends: bool, max_line: int = MAX_LINE_BYTES) -> None:
        self._cr_ends = cr_ends
        self._max_line = max_line
        self._begun = bytearray()
        self._dropping = False
        self._after_cr = False

    def receive(self, data: bytes) -> list[TelnetLine]:
        """Return the lines that end in the next `data` of the stream, in order.

        The lines of all calls together do not depend on how the stream is split over calls.
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
