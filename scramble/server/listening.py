"""Addresses to listen on: `bind` returns a listening socket, or raises an error of one line."""

from __future__ import annotations

import socket
from typing import NamedTuple

from scramble.errors import CannotListen

# The kernel closes a connection if the client acknowledges no data, or accepts no data, for this time.
STALLED_PEER_S = 30
KEEPALIVE = (  # detects a dead client within two minutes; a live client may stay idle without limit
    ("TCP_KEEPIDLE", 60),  # seconds until the first probe
    ("TCP_KEEPINTVL", 15),  # seconds between probes
    ("TCP_KEEPCNT", 4),
)
BACKLOG = 1024  # connections that may wait to be accepted: a class may open the page at the same moment


class Address(NamedTuple):
    """An address on which a server listens: the requested host and the bound port."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The root of the server, for example `http://127.0.0.1:8080/`."""
        return f"http://{self._authority}/"

    @property
    def _authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class SecureAddress(Address):
    """The address of a server with TLS."""

    @property
    def url(self) -> str:
        """The root of the server, for example `https://127.0.0.1:8080/`."""
        return f"https://{self._authority}/"


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host` and `port`, or on any free port if `port` is 0. Raises CannotListen."""
    try:
        return _bind(host, port)
    except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CannotListen(f"cannot listen on {host} port {port}: {reason}") from error


def _bind(host: str, port: int) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)  # IPv4 if there is one
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # accepted sockets inherit these options
        for option, seconds in KEEPALIVE:
            if hasattr(socket, option):
                listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_PEER_S * 1000)
        listener.bind(address)
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener
