"""What all commands that serve a game have in common, as one value: `serving_options` makes it, `app` uses it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from scramble.front.guard import Protection
from scramble.front.limits import Limits
from scramble.front.tls import server_context
from scramble.logs import Format, Level


@dataclass(frozen=True)
class Serving:
    """How a game is served, whichever game it is. Each field is an option of the same name; the defaults are theirs."""

    host: str = "127.0.0.1"  # the address to listen on
    journal: Path | None = None  # the file that keeps the game; None: it is gone when the server ends
    journal_name: str = "game"  # which of the games in that file
    metrics: Literal["on", "off"] | int = "on"  # numbers for Prometheus: on the game's own port, nowhere, on this port
    limits: Limits = field(default_factory=Limits)  # an option each
    seats: bool = False  # whether a player's name belongs to whoever took it first
    origin: tuple[str, ...] = ()  # whose pages may open the WebSocket; none: all may
    certfile: Path | None = None  # the certificate for HTTPS, in PEM; None: plain HTTP
    keyfile: Path | None = None  # its key; None: in the same file
    behind_proxy: bool = False  # clients are whom a trusted proxy names
    log_format: Format = "text"  # of what is told on standard error
    log_level: Level | None = None  # the least that is told there; None: see `logging_to_standard_error`

    def protection(self) -> Protection:
        """What of this concerns safety, for the front ends. Raises BadCertificate."""
        tls = None if self.certfile is None else server_context(self.certfile, self.keyfile)
        return Protection(
            limits=self.limits, origins=self.origin, seats=self.seats, behind_proxy=self.behind_proxy, tls=tls
        )
