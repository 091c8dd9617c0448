"""Parser for SQLite's write-ahead log: finds the last frame that SQLite reads, and the intact frames after it.

A log is a header and frames. Each frame has the number of a page, the page, the salts of the header, and a checksum.
The checksum continues the checksum of the previous frame. The last frame of a transaction also has the size of the
database in pages. SQLite reads up to the last transaction before the first unsound frame, and ignores the rest
without an error. But each frame stores its own checksum, so a frame after a damaged frame can still be verified.
Source: https://www.sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

WAL_HEADER: Final = struct.Struct(">8I")  # magic, version, page size, checkpoint, two salts, two checksums
FRAME: Final = struct.Struct(">6I")  # page, pages after the commit or 0, two salts, two checksums
WAL_MAGIC: Final = 0x377F0682  # if its last bit is set, the checksums are over big-endian numbers
USUAL_PAGE: Final = 4096  # bytes


class WalFrame(NamedTuple):
    """A written page: its number, from 1, and its content.

    `commit` is the database's page count if the frame ends a transaction, else 0. `intact` is True if the checksum is
    right. `sound` is True if SQLite also accepts the frame's salts and the log's header.
    """

    page: int
    content: bytes
    commit: int
    intact: bool
    sound: bool


class WriteAheadLog(NamedTuple):
    """The frames of a log since its last restart, without older frames."""

    frames: tuple[WalFrame, ...]
    page_bytes: int

    @property
    def read(self) -> int:
        """The number of frames that SQLite reads."""
        stop = next((n for n, frame in enumerate(self.frames) if not frame.sound), len(self.frames))
        return max((n + 1 for n in range(stop) if self.frames[n].commit), default=0)

    @property
    def damage(self) -> int | None:
        """The number, from 1, of the first damaged frame; None if no frame is damaged.

        An unsound frame in the last transaction is not damage: the process or the machine may have died while it
        wrote this transaction. An unsound frame in an earlier transaction is damage: SQLite completes a transaction
        before it begins the next one.
        """
        bad = next((n for n, frame in enumerate(self.frames) if not frame.sound), None)
        if bad is None:
            return None
        end = next((n for n in range(bad, len(self.frames)) if self.frames[n].commit), None)
        return None if end is None or end + 1 == len(self.frames) else bad + 1

    def applied(self, database: bytes) -> bytes:
        """Return the database after all transactions; damaged pages keep their old content."""
        last = max((n + 1 for n, frame in enumerate(self.frames) if frame.commit and frame.intact), default=0)
        pages = {frame.page: frame.content for frame in self.frames[:last] if frame.intact}
        size = self.frames[last - 1].commit * self.page_bytes if last else len(database)
        image = bytearray(database[:size].ljust(size, b"\0"))
        for number, content in pages.items():
            if number * self.page_bytes <= size:
                image[(number - 1) * self.page_bytes : number * self.page_bytes] = content
        return bytes(image)


def read_log(data: bytes) -> WriteAheadLog:
    """Parse a log. Empty `data` gives a log without frames. A log with a damaged header is parsed, too."""
    if len(data) < WAL_HEADER.size + FRAME.size:
        return WriteAheadLog((), USUAL_PAGE)
    magic, _, page_bytes, _, *salts, first, second = WAL_HEADER.unpack_from(data)
    order = ">" if magic == WAL_MAGIC | 1 else "<"
    readable = magic in (WAL_MAGIC, WAL_MAGIC | 1) and _checksum(data[: WAL_HEADER.size - 8], order, 0, 0) == (
        first,
        second,
    )
    if not readable:  # the first frame has the same salts
        page_bytes = USUAL_PAGE
        salts = list(FRAME.unpack_from(data, WAL_HEADER.size)[2:4])
    frames: list[WalFrame] = []
    count = 0  # frames since the last restart of the log
    for at in range(WAL_HEADER.size, len(data) - FRAME.size - page_bytes + 1, FRAME.size + page_bytes):
        page, commit, *rest = FRAME.unpack_from(data, at)
        content = data[at + FRAME.size : at + FRAME.size + page_bytes]
        intact = _checksum(data[at : at + 8] + content, order, first, second) == (rest[2], rest[3])
        frames.append(WalFrame(page, content, commit, intact, readable and intact and rest[:2] == salts))
        if rest[:2] == salts:
            count = len(frames)
        first, second = rest[2], rest[3]
    return WriteAheadLog(tuple(frames[:count]), page_bytes)


def _checksum(data: bytes, order: str, first: int, second: int) -> tuple[int, int]:
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
