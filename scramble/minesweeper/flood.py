"""Bytes of squares, and the flood of a dig: step 4 of DIG in the handout.

A square is one byte for its state and its count. So in every state, a count changes if 1 or -1 is added to the byte.
One `translate` makes a whole row visible, and one regular expression finds the squares where a flood continues. All
bytes of a field are in reading order, with EDGE between the rows and around the field.

One dig may open a million squares, so the flood works on spans of a row. In a narrow field the rows are short, so the
flood works on spans of a column. A field of one column opens as fast as a field of one row.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

UNTOUCHED_CODES: Final = b"abcdefghi"  # with 0 to 8 neighbours with a bomb
FLAGGED_CODES: Final = b"ABCDEFGHI"
DUG: Final = b"012345678"
EDGE: Final = b"#"  # not a square; it is around the field, so that every square has eight neighbours

TO_DUG: Final = bytes.maketrans(UNTOUCHED_CODES, DUG)

NARROW: Final = 32
"""Largest number of columns for a flood by columns, in a field with more rows than columns. A scan of all rows of the
flood then puts the opened squares into reading order. In a narrow field, the time of this scan is still proportional to
the number of opened squares."""

_CLEAR: Final = UNTOUCHED_CODES[:1]
_OPENABLE: Final = re.compile(rb"a+|[b-i]+")  # consecutive untouched squares, without or with bombs around them
_MARKED: Final = re.compile(rb"\x01+")
_FIRST_LOOK: Final = 64  # squares

Span: TypeAlias = tuple[int, int]
"""A range of squares, numbered in reading order: the first square, and the square after the last. It may continue in
the next row."""


def flood(cells: bytearray, i: int, columns: int) -> list[Span]:
    """Dig the squares of step 4 for the dug square at index i without bombs around it; return the dug squares.

    `cells` has EDGE above, below, at both ends, and one EDGE between rows. No square is in two spans of the result.
    """
    stride = columns + 1
    origin = stride + 1
    rows = len(cells) // stride - 2
    if columns >= rows or columns > NARROW:
        spans = _spans(cells, i, 1, stride)
        firsts = [start - origin - (start - origin) // stride for start, _ in spans]
        return [(first, first + count) for first, (_, count) in zip(firsts, spans, strict=True)]
    return _in_reading_order(_spans(cells, i, stride, 1), origin, columns)


def _spans(cells: bytearray, i: int, along: int, across: int) -> list[tuple[int, int]]:
    """Flood line by line; return (start, count) of the opened spans.

    The squares of a line are `along` apart. The next line is `across` further.

    `pending` has spans of dug squares without bombs around them. The flood digs all untouched squares next to a pending
    span. If a dug square has no bombs around it, it becomes pending, together with all consecutive squares of this kind
    before and after it in its line, because the flood reaches these squares, too. No square is pending twice, so the
    work is linear in the number of opened squares.
    """
    opened: list[tuple[int, int]] = []
    pending = [(i, 1)]
    while pending:
        start, count = pending.pop()
        for shift in (-across, 0, across):
            first = start + shift - along
            around = cells[first : first + (count + 1) * along + 1 : along]
            if not around.lstrip(EDGE):  # faster than the regular expression for a field of one line
                continue
            for found in _OPENABLE.finditer(around):
                left, right = first + found.start() * along, first + found.end() * along
                if cells[left] == _CLEAR[0]:
                    left -= _clear_squares(cells, left - along, -along) * along
                    right += _clear_squares(cells, right, along) * along
                    pending.append((left, (right - left) // along))
                cells[left:right:along] = cells[left:right:along].translate(TO_DUG)
                opened.append((left, (right - left) // along))
    return opened


def _clear_squares(cells: bytearray, i: int, step: int) -> int:
    """Return the number of consecutive untouched squares without bombs around them, at i, i + `step` and so on."""
    count, look = 0, _FIRST_LOOK
    while True:
        at = i + count * step
        some = cells[at : max(at + look * step, 0) : step]  # index 0 is EDGE
        clear = len(some) - len(some.lstrip(_CLEAR))
        count += clear
        if clear < look:
            return count
        look *= 2


def _in_reading_order(spans: list[tuple[int, int]], origin: int, columns: int) -> list[Span]:
    """Convert spans of columns to spans in reading order of the same squares."""
    stride = columns + 1
    places = [(*divmod(start - origin, stride), count) for start, count in spans]
    top = min((row for row, *_ in places), default=0)
    bottom = max((row + count for row, _, count in places), default=0)
    marks = bytearray((bottom - top) * columns)
    for row, column, count in places:
        first = (row - top) * columns + column
        marks[first : first + count * columns : columns] = b"\x01" * count
    offset = top * columns
    return [(offset + found.start(), offset + found.end()) for found in _MARKED.finditer(marks)]
