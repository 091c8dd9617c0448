"""Addresses for other machines to reach a server that listens on all addresses of this machine.

    for reached in reachable(address):
        print(reached.url)

`0.0.0.0` and `::` are addresses to listen on, not to connect to: other machines need the address of this machine in
their network. The system's routes have this address for each destination; the lookup sends nothing.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Final

from scramble.server.listening import Address

TOWARDS: Final = {
    # Destinations for a lookup of routes; no packet is sent to these addresses. The first address is for documentation,
    # so its route is the default route. The other addresses are in private networks, and this machine may be in one.
    socket.AF_INET: ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254"),
    socket.AF_INET6: ("2001:db8::1", "fd00::1"),
}
DISCARD: Final = 9  # a port number for connect(); nothing is sent to it


def reachable(address: Address) -> list[Address]:
    """Return the addresses to connect to, at least one; all addresses of this machine if the server listens on all.

    A machine without a network has only the loopback address. Sends nothing, and asks no name server.
    """
    families = unspecified(address.host)
    if not families:
        return [address]
    hosts = [host for family in families for host in own_addresses(family)]
    loopback = "127.0.0.1" if families[0] == socket.AF_INET else "::1"
    return [address._replace(host=host) for host in hosts or [loopback]]


def unspecified(host: str) -> tuple[socket.AddressFamily, ...]:
    """Return the address families for which a server on `host` listens on all addresses; empty for one address."""
    if not host.strip("0."):  # sockets read 0, and an empty host, as 0.0.0.0
        return (socket.AF_INET,)
    try:
        if not ip_address(host).is_unspecified:
            return ()
    except ValueError:
        return ()
    with socket.socket(socket.AF_INET6) as probe:
        alone = probe.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    return (socket.AF_INET6,) if alone else (socket.AF_INET6, socket.AF_INET)


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the addresses of this machine, without loopback and link-local addresses.

    The address of the default route is first.
    """
    found: dict[str, None] = {}
    for destination in TOWARDS[family]:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((destination, DISCARD))
                host = str(probe.getsockname()[0])
        except OSError:  # no route, or no such family
            continue
        if is_for_others(host):
            found[host] = None
    return list(found)


def is_for_others(host: str) -> bool:
    """Return True if other machines in the same networks can reach this machine by the address."""
    address = ip_address(host)
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)
