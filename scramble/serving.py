"""What all commands that serve a game have in common, as one value: `serving_options` makes it, `app` uses it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scramble.logs import Format, Level


@dataclass(frozen=True)
class Serving:
    """How a game is served, whichever game it is. Each field is an option of the same name; the defaults are theirs."""

    host: str = "127.0.0.1"  # the address to listen on
    journal: Path | None = None  # the file that keeps the game; None: it is gone when the server ends
    journal_name: str = "game"  # which of the games in that file
    metrics: Literal["on", "off"] | int = "on"  # numbers for Prometheus: on the game's own port, nowhere, on this port
    log_format: Format = "text"  # of what is told on standard error
    log_level: Level | None = None  # the least that is told there; None: see `logging_to_standard_error`
