"""Four in a row on the network: `scramble fourinarow`, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from fourinarow.kind import FOURINAROW, SIZES
from fourinarow.rules import Drop
from scramble.front.plain import plain_front

FOURINAROW_FRONT: Final = plain_front(
    FOURINAROW,
    Drop,
    help="Serve Four in a row to two players and any number of spectators.",
    pages=Path(__file__).parent / "client",
    params=(click.Option(["--size"], type=click.Choice(SIZES), help="Rows x columns of the board."),),
)
