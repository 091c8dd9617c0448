"""Links to a room: the addresses by which others reach it, and a QR code of one of them.

A server that listens on all addresses of its machine (0.0.0.0) is reached by those that the machine has in its
networks. The name by which the client itself reached the server comes first, if others can use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from ipaddress import ip_address
from typing import Final

import segno
import trio
from quart.wrappers import Request

from scramble.server.listening import Address
from scramble.server.protection.hosts import name_of
from scramble.server.protection.origins import own_origin
from scramble.server.reach import reachable, unspecified

QUIET: Final = 4  # modules of white around the code, which scanners need
MOST_CODES: Final = 500  # kept, of some 10 kB each: a code takes some 20 ms of a processor

_one_by_one: Final = trio.CapacityLimiter(1)  # threads do not draw faster together, and files need them, too


class Reach:
    """The addresses of one server, for links that others can use."""

    # AF: a server that listens on _host, None: another program listens for it, and is at the origins _names.

    def __init__(self, host: str | None = None, names: tuple[str, ...] = ()) -> None:
        """`names` are the origins, such as https://play.example.org, at which the operator says that it is."""
        self._host: Final = host
        self._names: Final = names

    def links(self, request: Request, path: str) -> list[str]:
        """Return the addresses of `path`, at least one, the most useful first."""
        return [f"{origin}{path}" for origin in dict.fromkeys(self._origins(request))]

    def _origins(self, request: Request) -> Iterator[str]:
        used = own_origin(request.scope)
        name = name_of(request.headers.get("Host", ""))
        if used is not None and name is not None and not is_own_alone(name):
            yield used
            yield from self._names
            return
        yield from self._names
        server = request.scope.get("server")
        port = server[1] if server else None
        if self._host is not None and port is not None and unspecified(self._host):
            for place in reachable(Address(self._host, port)):
                yield f"{request.scheme}://{place.url.partition('://')[2].rstrip('/')}"
        elif used is not None and name is not None and not is_nowhere(name):
            yield used
        elif server is not None and port is not None:
            yield f"{request.scheme}://{Address(server[0], port).url.partition('://')[2].rstrip('/')}"

    def __str__(self) -> str:
        return f"{self._host}: {' '.join(self._names)}"


def is_own_alone(name: str) -> bool:
    """True if the name, or address, leads each machine to itself."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def is_nowhere(name: str) -> bool:
    """True if this is an address to listen on, and not to connect to."""
    try:
        return ip_address(name).is_unspecified
    except ValueError:
        return False


async def qr_svg(link: str) -> bytes:
    """Return a QR code of the link as an SVG image, dark on white also where the page is dark. Waits for a thread."""
    return await trio.to_thread.run_sync(_qr_svg, link, limiter=_one_by_one)


@lru_cache(MOST_CODES)
def _qr_svg(link: str) -> bytes:
    image = BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(
        image, kind="svg", border=QUIET, light="#fff", omitsize=True, xmldecl=False, svgclass=None, lineclass=None
    )
    return image.getvalue()


async def qr_data(link: str) -> str:
    """Return such a code as the address of an image that is in the address. For a link that is asked for once."""
    return await trio.to_thread.run_sync(_qr_data, link, limiter=_one_by_one)


def _qr_data(link: str) -> str:
    return segno.make(link, error="m", micro=False).svg_data_uri(border=QUIET, light="#fff")
