"""Addresses at which other machines reach a server, from the addresses of this machine.

Partitions: the server listens on one address, by number or name; on all of IPv4, of IPv6; with TLS. The machine is in
a network or not.
"""

from __future__ import annotations

from functools import partial

import pytest
import trio

from scramble.server import reach
from scramble.server.http.server import serve_app
from scramble.server.listening import Address, SecureAddress
from scramble.server.reach import is_for_others, reachable
from tests.support.asking import hello, rest


@pytest.mark.parametrize("host", ["127.0.0.1", "192.168.1.5", "::1", "localhost", "game.example.org"])
def test_a_server_on_one_address_is_reached_there(host: str) -> None:
    assert reachable(Address(host, 8080)) == [Address(host, 8080)]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "0", "0:0::0"])
def test_a_server_on_all_addresses_is_reached_at_each_that_others_can_connect_to(host: str) -> None:
    places = reachable(SecureAddress(host, 8443))
    assert places
    assert len(set(places)) == len(places)
    for place in places:
        assert place.port == 8443
        assert place.url.startswith("https://")
        assert place.host not in ("0.0.0.0", "::", "0")
    if ":" not in host:
        assert all(":" not in place.host for place in places)


@pytest.mark.parametrize(("host", "loopback"), [("0.0.0.0", "127.0.0.1"), ("::", "::1")])
def test_a_machine_in_no_network_has_the_loopback_address(
    host: str, loopback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "TOWARDS", dict.fromkeys(reach.TOWARDS, ("127.0.0.1", "::1", "not an address")))
    assert reachable(Address(host, 80)) == [Address(loopback, 80)]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("192.168.1.5", True),
        ("203.0.113.9", True),
        ("fd00::7", True),
        ("2001:db8::7", True),
        ("127.0.0.1", False),
        ("::1", False),
        ("169.254.3.4", False),
        ("fe80::1", False),
        ("0.0.0.0", False),
    ],
)
def test_addresses_of_this_machine_and_of_one_link_are_not_for_others(host: str, expected: bool) -> None:
    assert is_for_others(host) is expected


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_somebody_can_connect_to_all_of_them(host: str) -> None:
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, hello, host=host, port=0))
        for place in reachable(address):
            async with await trio.open_tcp_stream(place.host, place.port) as stream:
                name = place.url.removeprefix("http://").strip("/")
                await stream.send_all(f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
                assert (await rest(stream)).startswith("HTTP/1.1 200 ")
        nursery.cancel_scope.cancel()
