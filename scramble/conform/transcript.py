"""Everything that the clients of a case sent and got, in order of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import trio

LONGEST: Final = 2000
"""The number of characters of an answer that a report shows."""


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return the text, or its beginning and the number of left out characters."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest} more characters)"


@dataclass
class Exchange:
    """A request of one client, and its answer. Times are in seconds since the case began."""

    client: str
    sent: str
    again: str
    """The shell command that sends the same."""

    began_s: float
    came: str | None = None
    """The answer, or None while there is no answer."""

    ended_s: float | None = None
    is_wrong: bool = False
    """True for the request whose answer breaks the claim."""


@dataclass
class Transcript:
    """The exchanges of one case."""

    exchanges: list[Exchange] = field(default_factory=list)
    _began: float | None = None

    def _now_s(self) -> float:
        if self._began is None:
            self._began = trio.current_time()
        return trio.current_time() - self._began

    def begin(self, client: str, sent: str, again: str) -> Exchange:
        """Note that a client sends something now."""
        exchange = Exchange(client, sent, again, self._now_s())
        self.exchanges.append(exchange)
        return exchange

    def end(self, exchange: Exchange, came: str) -> None:
        """Note that the answer has come now."""
        exchange.came = shortened(came)
        exchange.ended_s = self._now_s()

    def wrong(self) -> Exchange | None:
        """Return the exchange that breaks the claim: the marked one, or else the last one."""
        marked = (exchange for exchange in self.exchanges if exchange.is_wrong)
        return next(marked, self.exchanges[-1] if self.exchanges else None)
