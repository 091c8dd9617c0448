"""The mark of a game: a small file beside its journal that records the game's last command.

SQLite stops reading a write-ahead log at the first frame with a wrong checksum, without an error. So a flipped bit
would silently remove all later commands. The mark is outside of the log. It has the game's own checksum (of its name,
kind, beginning and first state), the number of the last command, and the running checksum up to that command. If a
journal has fewer commands, or another command with that number, it is refused.

The mark is written after each commit and before the answers are sent, without a sync of its own:

- It may be too low: the process died between the commit and the mark, or the power failed before the system wrote it.
- It may be missing or incomplete after a power failure. Its own checksum detects that, and the mark is then ignored.
- It is never too high: the commit was synced before the mark was written.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple, Self


class Mark(NamedTuple):
    """The position of a game: the game's own checksum, the number of its last command (0: no command), and `check`.

    `check` is the running checksum up to the last command.
    """

    start: int
    seq: int
    check: int

    def encode(self) -> bytes:
        """Return one line of exactly 60 characters. It overwrites the last mark; most disks write it in one piece."""
        text = f"scramble-mark 1 {self.start:08x} {self.seq:016x} {self.check:08x}".encode()
        return b"%s %08x\n" % (text, zlib.crc32(text))

    @classmethod
    def decode(cls, data: bytes) -> Self | None:
        """Return the mark in `data`; None if the mark is missing or incomplete."""
        match = re.fullmatch(rb"(scramble-mark 1 ([0-9a-f]{8}) ([0-9a-f]{16}) ([0-9a-f]{8})) ([0-9a-f]{8})\n", data)
        if match is None or zlib.crc32(match[1]) != int(match[5], 16):
            return None
        return cls(int(match[2], 16), int(match[3], 16), int(match[4], 16))
