"""The whole catalogue, in the order in which the cases run.

The cases with the edition `scramble` speak our telnet wire; the others run against each server that listens.
"""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.crossword.cases import (
    challenging,
    choose,
    concurrent,
    ending,
    folder,
    lines,
    puzzles,
    server,
    start,
    trying,
)
from scramble.conform.crossword.client import CrosswordTable

CASES: Final[Catalogue[CrosswordTable]] = Catalogue.joined(
    server.CASES,
    start.CASES,
    choose.CASES,
    trying.CASES,
    challenging.CASES,
    ending.CASES,
    lines.CASES,
    puzzles.CASES,
    folder.CASES,
    concurrent.CASES,
)
