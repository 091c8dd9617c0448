"""Connections and rates by address, on a clock that only the test advances.

Partitions:
- the owner of an address: IPv4; IPv6, in the same network or another; IPv4 in IPv6; with a zone; this machine's own;
  an invalid address
- connections: below the total limit, at it; by address: with a configured limit or not, for this machine or others;
  after clients have left
- rate: a burst, then one request for each token; other addresses; configured or not, for this machine or others; an
  address is forgotten only if its bucket is full again
- the rate of frames: a burst, then each connection waits for its own token; other addresses; this machine
- a bucket: full, empty, filling; its text
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from trio.testing import MockClock

from scramble.kernel.token_bucket import TokenBucket
from scramble.server.protection.by_address import (
    ADDRESS_FULL,
    SERVER_FULL,
    ConnectionCounter,
    Pace,
    RateLimiter,
    account,
    is_local,
)
from scramble.server.protection.limits import (
    BURST_S,
    CONNECTIONS_BY_ADDRESS,
    REQUESTS_PER_S_BY_ADDRESS,
    SECONDS_AT_ONCE,
    ServerLimits,
)

ALICE, BOB, HERE = "192.0.2.1", "192.0.2.2", "127.0.0.1"


@pytest.mark.parametrize(
    ("host", "whose"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("somebody", "somebody"),
        ("some:body", "some:body"),
        ("", ""),
    ],
)
def test_an_ipv4_address_counts_alone_and_an_ipv6_address_by_its_network(host: str, whose: str) -> None:
    assert account(host) == whose


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), (ALICE, False), ("", False)]
)
def test_only_loopback_addresses_are_this_machines_own(host: str, local: bool) -> None:
    assert is_local(account(host)) is local


def test_there_is_room_until_all_places_are_taken_and_again_when_one_is_left() -> None:
    counter = ConnectionCounter(2, None)
    with counter.counted(ALICE):
        with counter.counted(BOB):
            assert counter.refusal("192.0.2.3") == SERVER_FULL
            assert (len(counter), str(counter)) == (2, "2 connections from 2 addresses")
        assert counter.refusal("192.0.2.3") is None
    assert str(counter) == "0 connections from 0 addresses"


def test_each_address_has_a_limited_number_of_places_of_its_own() -> None:
    counter = ConnectionCounter(9, 1)
    with counter.counted("2001:db8::1"):
        assert counter.refusal("2001:db8::2") == ADDRESS_FULL
        assert counter.refusal("2001:db8:0:1::1") is None
    assert counter.refusal("2001:db8::2") is None


def test_a_configured_limit_by_address_holds_for_this_machine_as_well() -> None:
    counter = ConnectionCounter(9, 1)
    with counter.counted(HERE):
        assert counter.refusal(HERE) == ADDRESS_FULL


def test_the_usual_limit_by_address_is_for_others_only() -> None:
    counter = ConnectionCounter(9999, None)
    with ExitStack() as stack:
        for host in (ALICE, HERE):
            for _ in range(CONNECTIONS_BY_ADDRESS):
                stack.enter_context(counter.counted(host))
        assert counter.refusal(ALICE) == ADDRESS_FULL
        assert counter.refusal(HERE) is None


async def test_a_burst_of_requests_is_allowed_and_then_one_for_each_token(mock_clock: MockClock) -> None:
    pace = RateLimiter(ServerLimits(requests_per_s=0.25, requests=2))
    assert [pace.wait_s(ALICE) for _ in range(3)] == [0, 0, 4]
    assert pace.wait_s(BOB) == 0
    mock_clock.jump(3)
    assert pace.wait_s(ALICE) == 1
    mock_clock.jump(1)
    assert [pace.wait_s(ALICE), pace.wait_s(ALICE)] == [0, 4]


async def test_without_a_configured_limit_only_this_machine_has_no_rate_limit(
    mock_clock: MockClock,
) -> None:
    pace = RateLimiter(ServerLimits())
    at_once = int(SECONDS_AT_ONCE * REQUESTS_PER_S_BY_ADDRESS)
    assert not any(pace.wait_s(HERE) for _ in range(2 * at_once))
    assert not any(pace.wait_s(ALICE) for _ in range(at_once))
    assert pace.wait_s(ALICE) == 1


async def test_a_configured_rate_holds_for_this_machine_as_well(mock_clock: MockClock) -> None:
    pace = RateLimiter(ServerLimits(requests_per_s=1, requests=1))
    assert [pace.wait_s(HERE), pace.wait_s(HERE)] == [0, 1]


async def test_an_address_is_forgotten_only_when_that_makes_no_difference(mock_clock: MockClock) -> None:
    pace = RateLimiter(ServerLimits(requests_per_s=1, requests=10))
    pace.wait_s(BOB)
    mock_clock.jump(9)
    assert not any(pace.wait_s(ALICE) for _ in range(10))
    for _ in range(4):
        mock_clock.jump(2)
        pace.wait_s(BOB)
        pace.wait_s("192.0.2.3")  # other addresses come and go, and are forgotten
        assert [pace.wait_s(ALICE) for _ in range(3)] == [0, 0, 1]
    for host in ("192.0.2.4", "192.0.2.5"):
        mock_clock.jump(30)
        pace.wait_s(host)
    assert str(pace) == "2 addresses lately, 1 requests a second each"


async def test_each_frame_above_a_burst_waits_for_a_token_of_its_own(mock_clock: MockClock) -> None:
    pace = Pace(None, 2.0)
    assert [pace.spend(ALICE) for _ in range(int(2 * BURST_S))] == [0] * int(2 * BURST_S)
    assert [pace.spend(ALICE) for _ in range(3)] == [0.5, 1, 1.5]
    assert pace.spend(BOB) == 0
    mock_clock.jump(1)
    assert pace.spend(ALICE, 4) == 1
    assert pace.spend(ALICE) == 3
    assert str(pace) == "2 addresses lately, 2 a second each"


async def test_without_a_configured_limit_frames_of_this_machine_never_wait(mock_clock: MockClock) -> None:
    assert not any(Pace(None, 1.0).spend(HERE) for _ in range(100))
    given = Pace(1.0, 100.0)
    assert [given.spend(HERE) for _ in range(BURST_S + 1)] == [0] * BURST_S + [1]


async def test_a_bucket_is_full_at_first_and_never_holds_more(mock_clock: MockClock) -> None:
    bucket = TokenBucket(2, 1)
    mock_clock.jump(100)
    assert (bucket.take(), bucket.take(), bucket.take()) == (True, True, False)
    mock_clock.jump(0.5)
    assert (bucket.take(), bucket.wait_s) == (False, 0.5)
    mock_clock.jump(0.5)
    assert (bucket.wait_s, bucket.take()) == (0, True)
    assert str(bucket) == "0 of 2 tokens, 1 a second"
