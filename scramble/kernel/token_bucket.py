"""A token bucket: limits the rate of events, and the size of a burst."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

import trio


class TokenBucket:
    """A bucket that begins with `size` tokens and gains `per_s` tokens each second up to `size`. Both are above 0."""

    # AF: at the time _time of the clock _now, the bucket had _tokens. A negative number is a debt.
    # RI: _tokens <= _size; _per_s > 0.

    def __init__(self, size: float, per_s: float, now: Callable[[], float] = trio.current_time) -> None:
        """Create a full bucket. `now` returns the time in seconds."""
        self._size: Final = size
        self._per_s: Final = per_s
        self._now: Final = now
        self._tokens = size
        self._time = -inf

    def take(self) -> bool:
        """Take a token and return True. Return False, and take nothing, if there is less than one token."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def owe(self, tokens: int) -> None:
        """Take `tokens` even if the bucket has fewer; `take` fails until the bucket has gained the missing tokens."""
        self._fill()
        self._tokens -= tokens

    @property
    def wait_s(self) -> float:
        """Seconds until `take` succeeds; 0 if it succeeds now."""
        self._fill()
        return max(0.0, (1 - self._tokens) / self._per_s)

    @property
    def is_full(self) -> bool:
        """True if the bucket has `size` tokens, like a new bucket."""
        self._fill()
        return self._tokens >= self._size

    def _fill(self) -> None:
        now = self._now()
        self._tokens = min(self._size, self._tokens + (now - self._time) * self._per_s)
        self._time = now

    def __str__(self) -> str:
        return f"{self._tokens:g} of {self._size:g} tokens, {self._per_s:g} a second"
