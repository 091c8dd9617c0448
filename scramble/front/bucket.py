"""A token bucket: so many at once, and so many a second."""

from __future__ import annotations

from math import inf
from typing import Final

import trio


class Bucket:
    """`size` tokens at most and at first, `per_s` more each second; both are above 0."""

    # AF: a bucket that at time _time held _tokens, and was full as ever before. RI: 0 <= _tokens <= _size; _per_s > 0.

    def __init__(self, size: float, per_s: float) -> None:
        self._size: Final = size
        self._per_s: Final = per_s
        self._tokens = size
        self._time = -inf

    def take(self) -> bool:
        """Take a token; False if there is none."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    @property
    def wait_s(self) -> float:
        """Seconds until there is a token to take; 0 if there is one."""
        self._fill()
        return max(0.0, (1 - self._tokens) / self._per_s)

    def _fill(self) -> None:
        now = trio.current_time()
        self._tokens = min(self._size, self._tokens + (now - self._time) * self._per_s)
        self._time = now

    def __str__(self) -> str:
        return f"{self._tokens:g} of {self._size:g} tokens, {self._per_s:g} a second"
