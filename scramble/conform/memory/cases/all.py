"""The whole catalogue, in the order in which the cases run."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.memory.cases import board, concurrent, errors, first, next_play, replace, second, watch
from scramble.conform.memory.client import MemoryTable

CASES: Final[Catalogue[MemoryTable]] = Catalogue.joined(
    board.CASES,
    first.CASES,
    second.CASES,
    next_play.CASES,
    watch.CASES,
    replace.CASES,
    errors.CASES,
    concurrent.CASES,
)
