"""Links to a room for other people: the room's addresses, and a QR code of one address.

If a server listens on all addresses of its machine (0.0.0.0), the links have the machine's network addresses. If other
people can use the server name in the client's request, the link with that name is first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from ipaddress import ip_address
from typing import Final

import msgspec
import segno
import trio
from quart import request
from quart.wrappers import Request

from scramble.errors import CallerError
from scramble.front.rooms.views import RoomView, room_view
from scramble.front.web.client import client_at_hand
from scramble.rooms.protocol import RoomRecord, Rooms
from scramble.server.listening import Address
from scramble.server.protection.hosts import name_of
from scramble.server.protection.origins import own_origin
from scramble.server.reach import reachable, unspecified

QUIET: Final = 4  # width of the white border in modules; scanners need a border
MOST_CODES: Final = 500  # cached codes: a code has about 10 kB, and takes about 20 ms of processor time

_one_by_one: Final = trio.CapacityLimiter(1)  # more threads are not faster, and file access needs threads


class Reach:
    """The addresses of one server, for links that other people can use."""

    # AF: a server that listens on _host (None: another program listens for the server), and has the origins _names.

    def __init__(self, host: str | None = None, names: tuple[str, ...] = ()) -> None:
        """`names` are the server's origins according to the operator, for example https://play.example.org."""
        self._host: Final = host
        self._names: Final = names

    def links(self, request: Request, path: str) -> list[str]:
        """Return the addresses of `path`: at least one, the most useful address first."""
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


class NoSuchLink(CallerError):
    """The room, or the class, has no link with the number in the request."""

    code = "no-such-link"
    status = 404

    def __init__(self, last: int) -> None:
        self.params = {"last": last}
        super().__init__(f"there are links from 0 to {last}")


def link_at(links: Sequence[str], number: str) -> str:
    """Return the link with a number, as in an address. Raises NoSuchLink."""
    if not (number.isascii() and number.isdigit() and int(number[:9]) < len(links)):
        raise NoSuchLink(len(links) - 1)
    return links[int(number)]


class SharedView(msgspec.Struct, frozen=True):
    """The links to a room for other people, the most useful link first, and the room."""

    links: list[str]
    room: RoomView


async def shared_view(rooms: Rooms, reach: Reach, record: RoomRecord) -> SharedView:
    """Return the links to a room, for the client of the current request. Waits and raises like `room_view`."""
    links = reach.links(request, f"/g/{record.name}")
    return SharedView(links, await room_view(rooms, record, client_at_hand().found()))


def is_own_alone(name: str) -> bool:
    """Return True if the name or address means the client's own machine, for example localhost."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def is_nowhere(name: str) -> bool:
    """Return True if servers can listen on the address, but clients cannot connect to it."""
    try:
        return ip_address(name).is_unspecified
    except ValueError:
        return False


async def qr_svg(link: str) -> bytes:
    """Return a QR code of the link as an SVG image, dark on white even on dark pages. Waits for a thread."""
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
    """Return a QR code of the link as a data URI. Not cached, because the link is used once. Waits for a thread."""
    return await trio.to_thread.run_sync(_qr_data, link, limiter=_one_by_one)


def _qr_data(link: str) -> str:
    return segno.make(link, error="m", micro=False).svg_data_uri(border=QUIET, light="#fff")
