"""How many are here at once, and how fast they ask: in all, and by the address that they come from.

Safe under concurrency: counts and buckets change between two awaits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from math import ceil, inf
from typing import Final

import trio

from scramble.front.bucket import Bucket
from scramble.front.limits import CONNECTIONS_BY_ADDRESS, REQUESTS_PER_S_BY_ADDRESS, SECONDS_AT_ONCE, Limits

FULL: Final = "this server has as many connections as it can take"
FULL_BY_ADDRESS: Final = "there are as many connections from your address as this server takes"


@lru_cache(4096)
def account(host: str) -> str:
    """Whom an address belongs to, as far as one can tell: an IPv4 address, or an IPv6 network of 64 bits.

    Whoever has one IPv6 address has 2^64 of them.
    """
    if ":" not in host:
        return host
    try:
        address = IPv6Address(host.partition("%")[0])
    except AddressValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address) if address.is_loopback else f"{IPv6Address(int(address) >> 64 << 64)}/64"


def is_local(account: str) -> bool:
    """Whether an account is this machine's own."""
    return account.startswith("127.") or account == "::1"


class Crowd:
    """Who is connected at once."""

    # AF: so many connections of each account, _all together. RI: every count is positive, and they add up to _all.

    def __init__(self, most: float, most_by_address: int | None) -> None:
        """Room for `most` in all. `most_by_address` is as in `Limits`."""
        self._most: Final = most
        self._most_by_address: Final = most_by_address
        self._all = 0
        self._by_account: Final = Counter[str]()

    def refusal(self, host: str) -> str | None:
        """Why there is no room for one more from that address; None: there is."""
        if self._all >= self._most:
            return FULL
        whose = account(host)
        most = self._most_by_address
        if most is None:
            most = None if is_local(whose) else CONNECTIONS_BY_ADDRESS
        return FULL_BY_ADDRESS if most is not None and self._by_account[whose] >= most else None

    @contextmanager
    def here(self, host: str) -> Iterator[None]:
        """Count one more from that address during the block."""
        whose = account(host)
        self._all += 1
        self._by_account[whose] += 1
        try:
            yield
        finally:
            self._all -= 1
            self._by_account[whose] -= 1
            if not self._by_account[whose]:
                del self._by_account[whose]

    def __len__(self) -> int:
        return self._all

    def __str__(self) -> str:
        return f"{self._all} connections from {len(self._by_account)} addresses"


class Pace:
    """How fast each address asks."""

    # AF: the bucket of an account is in _young or else in _old, or else full. RI: no account is in both; those in _old
    #     have not been asked for since _since, those in _young not all that long before.

    def __init__(self, limits: Limits) -> None:
        self._given: Final = limits.requests_per_s is not None
        self._per_s: Final = limits.requests_per_s or REQUESTS_PER_S_BY_ADDRESS
        self._at_once: Final = limits.requests or max(1.0, SECONDS_AT_ONCE * self._per_s)
        self._young: dict[str, Bucket] = {}
        self._old: dict[str, Bucket] = {}
        self._since = -inf

    def wait_s(self, host: str) -> int:
        """Count a request from that address. 0, or if it comes too fast the whole seconds until the next may come."""
        whose = account(host)
        if not self._given and is_local(whose):
            return 0
        bucket = self._bucket(whose)
        return 0 if bucket.take() else max(1, ceil(bucket.wait_s))

    def _bucket(self, whose: str) -> Bucket:
        bucket = self._young.get(whose)
        if bucket is None:
            # In such a time any bucket fills up, so one that nobody has asked for may be forgotten.
            if trio.current_time() - self._since > self._at_once / self._per_s:
                self._young, self._old = {}, self._young
                self._since = trio.current_time()
            bucket = self._old.pop(whose, None) or Bucket(self._at_once, self._per_s)
            self._young[whose] = bucket
        return bucket

    def __str__(self) -> str:
        return f"{len(self._young) + len(self._old)} addresses lately, {self._per_s:g} requests a second each"
