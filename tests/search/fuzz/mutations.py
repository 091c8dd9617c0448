"""Mangled inputs, made from valid inputs and a seed: almost valid, so that parsers process a large part of them.

Pure: the same random source and examples always make the same input.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

PIECES: Final[tuple[bytes, ...]] = (
    *(bytes((byte,)) for byte in (0, 7, 8, 9, 10, 11, 12, 13, 27, 28, 31, 32, 34, 37, 39, 43, 44, 45, 47, 92, 127)),
    *(bytes((byte,)) for byte in (0x80, 0x85, 0xA0, 0xC0, 0xE2, 0xED, 0xF0, 0xF4, 0xFE, 0xFF)),
    *(b"\r\n", b"\r\0", b"\n\r", b"\r\r\n", b"\n\n", b"\x1b[2J", b"\x1b]0;x\x07"),
    *(b"\xff\xf4", b"\xff\xff", b"\xff\xfa\x18", b"\xff\xf0", b"\xff\xfb\x01", b"\xff\xfd\x0a", b"\xff\xfe\xff"),
    *(b"\xc0\x80", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xef\xbf\xbf"),  # not UTF-8
    *("\N{LINE SEPARATOR}\N{RIGHT-TO-LEFT OVERRIDE}\N{ZERO WIDTH NO-BREAK SPACE}\N{NO-BREAK SPACE}".encode(),),
    *("\N{NEXT LINE}\N{IDEOGRAPHIC SPACE}\N{COMBINING ACUTE ACCENT}\N{UNICORN FACE}é٣".encode(),),
    *(b"%", b"%2", b"%00", b"%0A", b"%2F", b"%2f..", b"%25", b"%C3%A9", b"%ED%A0%80", b"%FF", b"%u0041", b"?", b"#"),
    *(b"-1", b"-0", b"+1", b"00", b"0x10", b"1.5", b"1e999", b"NaN", b"Infinity", b"9007199254740993"),
    *(b"9223372036854775808", b"18446744073709551616", b"9" * 40, b"9" * 400, b"0" * 400 + b"1"),
    *(b'"', b"\\", b'\\"', b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"{", b"}", b"[", b"]", b":", b"null", b"true"),
    *(b"[" * 600, b'{"a":' * 300, b'"type":', b'"id":', b"{}", b"/*", b"//", b"..", b"x", b"X", b" ", b"  "),
)
LONGEST: Final = 20_000  # bytes; longer than any limit of the project


class Mutator:
    """A maker of inputs. Mutable: every input advances the random source."""

    # AF: the infinite sequence of the next inputs from _rng.

    def __init__(self, rng: random.Random) -> None:
        self._rng: Final = rng
        self._ways: Final[Sequence[Callable[[bytearray], None]]] = (
            self._flip,
            self._overwrite,
            self._insert,
            self._insert,
            self._delete,
            self._repeat,
            self._move,
            self._truncate,
            self._change_number,
        )

    def mangled(self, examples: Sequence[bytes]) -> bytes:
        """One of the examples, or two of them joined, mangled a few times. Sometimes unchanged, or pure noise."""
        rng = self._rng
        if rng.random() < 0.02:
            return rng.randbytes(rng.randrange(64))
        data = bytearray(rng.choice(examples))
        if rng.random() < 0.15:
            other = rng.choice(examples)
            data[rng.randint(0, len(data)) :] = other[rng.randint(0, len(other)) :]
        while rng.random() < 0.7:
            rng.choice(self._ways)(data)
        return bytes(data[:LONGEST])

    def text(self, examples: Sequence[bytes]) -> str:
        """The same as text.

        Invalid UTF-8 is replaced in half of the cases. In the other half it becomes lone surrogates.
        """
        return self.mangled(examples).decode("utf-8", self._rng.choice(("replace", "surrogateescape")))

    def pieces(self, data: bytes) -> list[bytes]:
        """The same bytes in pieces, as a network might deliver them."""
        pieces, start = [], 0
        while start < len(data):
            end = start + self._rng.choice((1, 1, 2, 3, 7, 50, 4096))
            pieces.append(data[start:end])
            start = end
        return pieces

    def _at(self, data: bytearray) -> int:
        return self._rng.randint(0, len(data))

    def _span(self, data: bytearray) -> slice:
        start = self._at(data)
        return slice(start, start + self._rng.choice((1, 1, 2, 4, 8, 32)))

    def _flip(self, data: bytearray) -> None:
        if data:
            data[self._rng.randrange(len(data))] ^= 1 << self._rng.randrange(8)

    def _overwrite(self, data: bytearray) -> None:
        data[self._span(data)] = self._rng.choice(PIECES)

    def _insert(self, data: bytearray) -> None:
        at = self._at(data)
        data[at:at] = self._rng.choice(PIECES)

    def _delete(self, data: bytearray) -> None:
        del data[self._span(data)]

    def _repeat(self, data: bytearray) -> None:
        span = self._span(data)
        data[span] = data[span] * self._rng.choice((2, 2, 3, 10, 300))

    def _move(self, data: bytearray) -> None:
        span = self._span(data)
        taken = data[span]
        del data[span]
        at = self._at(data)
        data[at:at] = taken

    def _truncate(self, data: bytearray) -> None:
        del data[self._at(data) :]

    def _change_number(self, data: bytearray) -> None:
        digits = [at for at, byte in enumerate(data[:400]) if 48 <= byte <= 57]
        if digits:
            at = self._rng.choice(digits)
            data[at : at + 1] = str(self._rng.choice((0, 1, 2, 3, 9, 10, 255, 2**31, 2**53, 2**63, 2**64))).encode()
