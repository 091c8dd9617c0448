"""Host names of a server: the check of the `Host` header.

    hosts = HostNames(("play.example.org",))
    hosts.knows("play.example.org:8080")            # True

A browser treats pages of one host name as pages of one owner. The owner of evil.example can serve a page from there and
then change the name's address to this machine (DNS rebinding). The browser then treats the page and this server as one
origin, and the page may read all answers, from inside the network. But the browser still sends evil.example in `Host`.
So `middleware` accepts only names of this server, and addresses, because addresses need no name server.

Source: RFC 9110, 4.3.3 and 15.5.20 (421 Misdirected Request).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from functools import cache, lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from scramble.errors import CallerError

PORTS: Final = {"http": 80, "https": 443}
MOST_HOST: Final = 300
"""Maximum characters of a host name (at most 253, RFC 1035) with scheme and port. Parsing a longer text takes time."""

SHOWN: Final = 100  # characters of a name in the words of a refusal
KEPT_HOSTS: Final = 1000  # cached parse results

NO_NAME: Final = re.compile(r"[/?#@\\\s]")
"""Characters that are not in a host or port: the URL parser would split the text at them."""


class UnknownHost(CallerError):
    """The `Host` of the request is not a name of this server. Nothing has changed."""

    code = "unknown-host"
    status = 421

    def __init__(self, host: str) -> None:
        host = host[:SHOWN]
        self.params = {"host": host}
        super().__init__(
            f"this is not for pages of {host}: ask by an address, or start the server with --host-name"
            " if that name is its own"
        )


class HostNames:
    """The host names of one server. Immutable."""

    # AF: the server with the names in _names, and all its addresses.
    # RI: each name is in lower case and has no dot at its end.

    def __init__(self, names: Iterable[str] = ()) -> None:
        """The server has the names of this machine, and `names` in the form of `parse_host_name`."""
        self._names: Final = frozenset({"localhost", *own_names(), *names})

    def knows(self, host: str | None) -> bool:
        """Return True if this `Host` means this server, or is missing: then the client is not a browser."""
        if not host:
            return True
        name = None if len(host) > MOST_HOST else name_of(host)
        if name is None:
            return False
        return is_address(name) or name in self._names or name.endswith(".localhost")

    def __str__(self) -> str:
        return " ".join(sorted(self._names))


@cache
def own_names() -> frozenset[str]:
    """Return the names of this machine, with its multicast DNS name. Asks no name server."""
    name = socket.gethostname().lower().rstrip(".")
    first = name.partition(".")[0]
    return frozenset({name, first, f"{first}.local"}) if first else frozenset()


@lru_cache(KEPT_HOSTS)
def name_of(host: str) -> str | None:
    """Return the name or address in a `Host` header, without its port; None if the header is malformed."""
    if len(host) > MOST_HOST or NO_NAME.search(host):
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises ValueError if it is invalid
    except ValueError:
        return None
    return (parts.hostname or "").rstrip(".") or None


@lru_cache(KEPT_HOSTS)
def is_address(name: str) -> bool:
    """Return True if the text is an IP address, not a name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def parse_host_name(text: str) -> str:
    """Return a host name like play.example.org, without scheme and port. Raises ValueError if it is invalid."""
    text = text.strip()
    name = name_of(text)
    if name is None or ":" in text:
        raise ValueError(f"{text!r} is not a host name such as play.example.org")
    try:
        return name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        raise ValueError(f"{text!r} is not a host name such as play.example.org") from None


def name_of_origin(origin: str) -> str | None:
    """Return the name or address in an origin."""
    return urlsplit(origin).hostname


def parse_origin(text: str) -> str:
    """Return an origin, for example `https://play.example.org`, in the form of browsers. Raises ValueError."""
    if len(text) > MOST_HOST:
        raise ValueError(f"a text of {len(text)} characters is not an origin such as https://play.example.org")
    parts = urlsplit(text.strip())
    try:
        port = parts.port
    except ValueError:
        port = -1
    if (
        parts.scheme not in PORTS
        or not parts.hostname
        or port == -1
        or parts.path not in ("", "/")
        or any((parts.query, parts.fragment, parts.username))
    ):
        raise ValueError(f"{text!r} is not an origin such as https://play.example.org or http://192.168.1.5:8080")
    host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode()
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" if port in (None, PORTS[parts.scheme]) else f"{parts.scheme}://{host}:{port}"
