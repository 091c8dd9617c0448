"""The bytes that squares are, and the flood of a dig: step 4 of DIG in the handout.

A square is one byte: its state and its count together, so that a count changes by one in every state, one `translate`
makes a whole row visible, and one regular expression finds where a flood continues. All bytes of a field stand in
reading order, with EDGE between its rows and around it.

A million squares may follow from one dig, so the flood works on spans: of a row, or in a narrow field, whose rows are
short, of a column. A field of one column opens as fast as one of one row.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

UNTOUCHED_CODES: Final = b"abcdefghi"  # with 0 to 8 neighbours that have a bomb
FLAGGED_CODES: Final = b"ABCDEFGHI"
DUG: Final = b"012345678"
EDGE: Final = b"#"  # not a square: surrounds the field, so that every square has eight neighbours

TO_DUG: Final = bytes.maketrans(UNTOUCHED_CODES, DUG)

NARROW: Final = 32
"""Columns up to which a higher field is flooded by columns. What that opens is then looked up in all squares of the
rows that it reaches, so that a flood still takes time in proportion to the squares that it opens."""

_CLEAR: Final = UNTOUCHED_CODES[:1]
_OPENABLE: Final = re.compile(rb"a+|[b-i]+")  # neighbouring untouched squares: without bombs around them, or with
_MARKED: Final = re.compile(rb"\x01+")
_FIRST_LOOK: Final = 64  # squares

Span: TypeAlias = tuple[int, int]
"""A range of squares, which are numbered in reading order: the first one, and the one after the last. It may go on in
the next row."""


def flood(cells: bytearray, i: int, columns: int) -> list[Span]:
    """Dig all that step 4 digs for the square at index i, which is dug and has no bomb around it; return these squares.

    `cells` has an edge above, below, at both ends, and of one byte between rows. No square is in two of the spans.
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
    """Flood by lines, whose squares are `along` apart, and `across` from the next line; return (start, count) of spans.

    `pending` has spans of squares that are dug and have no bomb around them. All untouched squares next to such a span
    are dug; those of them without bombs around them become pending, together with all such squares before and behind
    them in their line, which the flood reaches anyway. No square is pending twice, so the work is linear in the opened
    squares.
    """
    opened: list[tuple[int, int]] = []
    pending = [(i, 1)]
    while pending:
        start, count = pending.pop()
        for shift in (-across, 0, across):
            first = start + shift - along
            around = cells[first : first + (count + 1) * along + 1 : along]
            if not around.lstrip(EDGE):  # faster than the expression, for a field of one line
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
    """Return how many squares from index i on, each a `step` further, are untouched without bombs around them."""
    count, look = 0, _FIRST_LOOK
    while True:
        at = i + count * step
        some = cells[at : max(at + look * step, 0) : step]  # there is an edge at index 0
        clear = len(some) - len(some.lstrip(_CLEAR))
        count += clear
        if clear < look:
            return count
        look *= 2


def _in_reading_order(spans: list[tuple[int, int]], origin: int, columns: int) -> list[Span]:
    """Return the same squares as these spans of columns."""
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
