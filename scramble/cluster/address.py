"""Addresses of Redis or Valkey servers: URLs. They may contain a password, which is never printed.

    redis://[user][:password]@host[:port][/database]
    rediss://...[?cafile=/path/to/authority.pem]          with TLS

Safe for concurrent use: an address is immutable.
"""

from __future__ import annotations

import re
import ssl
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from scramble.errors import OperatorError

DEFAULT_PORT: Final = 6379
SCHEMES: Final = {"redis": False, "valkey": False, "rediss": True, "valkeys": True}
"""The schemes of URLs; True means TLS."""


class BadAddress(OperatorError):
    """A URL that is no address of a Redis server. The message does not repeat the URL, which may have a password."""

    code = "bad-address"


class RedisAddress(msgspec.Struct, frozen=True):
    """A Redis server, one of its databases, and this process's user. `str` is a URL without user and password.

    Without a `password`, the process does not log in. With `tls` the server must show a certificate for `host`, from an
    authority that the system trusts, or from an authority in the file `cafile`.
    """

    host: str
    port: int = DEFAULT_PORT
    database: int = 0
    user: str = "default"
    password: str | None = None
    tls: bool = False
    cafile: str | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'rediss' if self.tls else 'redis'}://{host}:{self.port}/{self.database}"

    def __repr__(self) -> str:
        return f"<{self}>"  # a traceback with values must not show the password

    def without_password(self, text: str) -> str:
        """Return `text` with stars in place of the password: some servers quote unknown commands in their errors."""
        return text.replace(self.password, "***") if self.password else text

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS settings that verify the server's certificate; None without TLS. Reads files.

        Raises BadAddress.
        """
        if not self.tls:
            return None
        try:
            return ssl.create_default_context(cafile=self.cafile)
        except ssl.SSLError:
            raise BadAddress(f"the certificates in {self.cafile} cannot be used: there are none") from None
        except OSError as error:
            raise BadAddress(f"the certificates in {self.cafile} cannot be used: {error.strerror}") from None


def parse_address(url: str) -> RedisAddress:
    """Parse a URL. Raises BadAddress, which names the mistake without quoting the URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise BadAddress("this is no URL: write redis://[user:password@]host[:port][/database]") from None
    if parts.scheme not in SCHEMES:
        raise BadAddress("the URL of a Redis server begins with redis://, or with rediss:// for TLS")
    if not host:
        raise BadAddress(
            "the URL of the Redis server has no host: write redis://[user:password@]host[:port][/database]"
        )
    if parts.fragment:
        raise BadAddress("the URL of the Redis server has a # in it: in a password, write it as %23")
    if not re.fullmatch(r"/?|/[0-9]{1,4}", parts.path):
        raise BadAddress("the path of the URL of the Redis server is the number of its database, such as /0")
    tls = SCHEMES[parts.scheme]
    cafile = options.pop("cafile", None)
    if options:
        raise BadAddress(f"the URL of the Redis server has an option {min(options)!a}: the only one is cafile")
    if cafile is not None and not tls:
        raise BadAddress("the URL of the Redis server has a cafile, which is for rediss://")
    user, password = (None if text is None else unquote(text) for text in (parts.username, parts.password))
    if user and password is None:
        raise BadAddress("the URL of the Redis server has a user and no password: write user:password@")
    database = int(parts.path[1:] or "0")
    return RedisAddress(host, port or DEFAULT_PORT, database, user or "default", password or None, tls, cafile)
