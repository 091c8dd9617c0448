"""The whole catalogue, in the order in which the cases run."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.minesweeper.cases import (
    board,
    boom,
    clients,
    concurrent,
    dig,
    flag,
    hello,
    helps,
    messages,
    options,
)
from scramble.conform.minesweeper.table import MineTable

CASES: Final[Catalogue[MineTable]] = Catalogue.joined(
    hello.CASES,
    board.CASES,
    dig.CASES,
    boom.CASES,
    flag.CASES,
    helps.CASES,
    messages.CASES,
    options.CASES,
    clients.CASES,
    concurrent.CASES,
)
