"""Limits by client address: the number of connections, and the rates of requests and frames.

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

from scramble.kernel.token_bucket import TokenBucket
from scramble.server.protection.limits import (
    BURST_S,
    CONNECTIONS_BY_ADDRESS,
    REQUESTS_PER_S_BY_ADDRESS,
    SECONDS_AT_ONCE,
    ServerLimits,
)

SERVER_FULL: Final = "this server takes no more connections"
ADDRESS_FULL: Final = "this server takes no more connections from your address"


@lru_cache(4096)
def account(host: str) -> str:
    """Return the account of an address: the IPv4 address itself, or the /64 network of an IPv6 address.

    A client with one IPv6 address usually has all 2^64 addresses of its network.
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


def site_of(account: str) -> str:
    """Return the /48 network of an IPv6 account, the usual size for one customer; for IPv4 the address itself."""
    network = account.removesuffix("/64")
    return account if network == account else f"{IPv6Address(int(IPv6Address(network)) >> 80 << 80)}/48"


def is_local(account: str) -> bool:
    """Return True if the account is this machine."""
    return account.startswith("127.") or account == "::1"


def most_of(account: str, given: int | None, usual: int) -> int | None:
    """Return the given limit of an account; without it, the usual limit, or None (no limit) for this machine."""
    return given if given is not None or is_local(account) else usual


class ConnectionCounter:
    """Counts the open connections, in all and by account."""

    # AF: _by_account has the number of open connections of each account; _all is their sum.
    # RI: every count is positive.

    def __init__(self, most: float, most_by_address: int | None) -> None:
        """Allow `most` connections in all. `most_by_address` is as in `ServerLimits`."""
        self._most: Final = most
        self._most_by_address: Final = most_by_address
        self._all = 0
        self._by_account: Final = Counter[str]()

    def refusal(self, host: str) -> str | None:
        """Return the reason to refuse one more connection from `host`; None if there is room."""
        if self._all >= self._most:
            return SERVER_FULL
        whose = account(host)
        most = most_of(whose, self._most_by_address, CONNECTIONS_BY_ADDRESS)
        return ADDRESS_FULL if most is not None and self._by_account[whose] >= most else None

    @contextmanager
    def counted(self, host: str) -> Iterator[None]:
        """Count one more connection from `host` during the block."""
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


class _Buckets:
    """A token bucket for each account."""

    # AF: the bucket of an account is in _young or in _old; if it is in neither, it is full.
    # RI: no account is in both. Buckets in _old have not been used since _since.

    def __init__(self, per_s: float, at_once: float, *, given: bool) -> None:
        """Each bucket begins with `at_once` tokens. This machine's accounts have a limit only if it was `given`."""
        self._given: Final = given
        self._per_s: Final = per_s
        self._at_once: Final = at_once
        self._young: dict[str, TokenBucket] = {}
        self._old: dict[str, TokenBucket] = {}
        self._since = -inf

    def find(self, host: str) -> TokenBucket | None:
        """Return the bucket of an address; None if the address has no limit."""
        whose = account(host)
        if not self._given and is_local(whose):
            return None
        bucket = self._young.get(whose)
        if bucket is None:
            # After this time every bucket is full again, so unused buckets can be discarded.
            if trio.current_time() - self._since > self._at_once / self._per_s:
                self._young, self._old = {}, self._young
                self._since = trio.current_time()
            bucket = self._old.pop(whose, None) or TokenBucket(self._at_once, self._per_s)
            self._young[whose] = bucket
        return bucket

    def __str__(self) -> str:
        return f"{len(self._young) + len(self._old)} addresses lately, {self._per_s:g}"


class RateLimiter:
    """Limits the requests, or the connections, per second of each account."""

    # AF: a limit on requests; each token in an account's bucket permits one request.

    def __init__(self, limits: ServerLimits, *, times: int = 1) -> None:
        """Allow `times` the rate and burst of requests in `limits`."""
        per_s = limits.requests_per_s or REQUESTS_PER_S_BY_ADDRESS
        at_once = limits.requests or max(1.0, SECONDS_AT_ONCE * per_s)
        self._buckets: Final = _Buckets(times * per_s, times * at_once, given=limits.requests_per_s is not None)

    def wait_s(self, host: str) -> int:
        """Count a request from `host`. Return 0 if it is within the limit, else the whole seconds to wait.

        A request over the limit takes no token. This machine's own addresses have a limit only if it is set.
        """
        bucket = self._buckets.find(host)
        return 0 if bucket is None or bucket.take() else max(1, ceil(bucket.wait_s))

    def __str__(self) -> str:
        return f"{self._buckets} requests a second each"


class Pace:
    """Delays the input of an account if the rate of all its connections together is too high. Refuses nothing.

    The server does not read a delayed connection, so the client soon cannot send. Each connection waits for its own
    token, so all connections of an account get the same share.
    """

    # AF: a limit on frames or lines; if an account sends too fast, its bucket owes a token for each waiting frame or
    #     line.

    def __init__(self, given_per_s: float | None, usual_per_s: float, *, at_once: float | None = None) -> None:
        """Allow the given rate, else the usual rate. The burst is `at_once`, or the input of `BURST_S` seconds."""
        per_s = given_per_s or usual_per_s
        size = max(1.0, BURST_S * per_s) if at_once is None else at_once
        self._buckets: Final = _Buckets(per_s, size, given=given_per_s is not None)

    def spend(self, host: str, count: int = 1) -> float:
        """Count `count` frames or lines from `host`. Return the seconds to wait before handling them, usually 0."""
        bucket = self._buckets.find(host)
        if bucket is None:
            return 0
        wait_s = bucket.wait_s
        bucket.owe(count)
        return wait_s

    def afford(self, host: str, count: int) -> float:
        """Count `count` frames or lines from `host`, and return 0.

        If the bucket owes tokens, count nothing, and return the seconds to wait.
        """
        bucket = self._buckets.find(host)
        if bucket is None or bucket.wait_s:
            return 0 if bucket is None else bucket.wait_s
        bucket.owe(count)
        return 0

    def __str__(self) -> str:
        return f"{self._buckets} a second each"
