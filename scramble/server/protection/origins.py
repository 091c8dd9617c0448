"""Origins of pages: they identify the page that sends a request, and the server checks the page's permission.

    own_origin(scope)                   "https://play.example.org", from the request's Host and scheme
    is_foreign(scope, origins)          True if the request comes from a page of another server, not of `origins`

Browsers send the origin of the page as `Origin` with every WebSocket, and with every request except GET and HEAD;
programs send no `Origin`. `Sec-Fetch-Site` cannot replace `Origin`: browsers send that header only to HTTPS and to
localhost. SameSite cookies cannot replace it, either: another port, or another host of the same domain, counts as the
same site.

Source: RFC 6454; Fetch standard, 3.2 (`Origin` header).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hypercorn.typing import Scope

from scramble.errors import CallerError
from scramble.server.protection.hosts import parse_origin


class FromElsewhere(CallerError):
    """A page of another server has sent this request through a user's browser. Nothing has changed."""

    code = "from-elsewhere"
    status = 403


class NotJson(CallerError):
    """The request's Content-Type is not JSON. Nothing has changed."""

    code = "not-json"
    status = 415

    def __init__(self) -> None:
        super().__init__("send JSON, as application/json")


FOREIGN_ORIGIN: Final = "pages from {} may not play here: this server takes WebSockets from {} only"


def header(scope: Scope, wanted: bytes) -> bytes | None:
    """Return the last value of a header; None if the header is missing."""
    value = None
    if scope["type"] != "lifespan":
        for name, content in scope["headers"]:
            if name == wanted:
                value = content
    return value


def own_origin(scope: Scope) -> str | None:
    """Return the origin of the server's own pages, as the client sees it; None if the request has no valid Host."""
    host = header(scope, b"host")
    if host is None or scope["type"] == "lifespan":
        return None
    scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
    try:
        return parse_origin(f"{scheme}://{host.decode('latin1')}")
    except ValueError:
        return None


def page_origin(scope: Scope) -> str | None:
    """Return the `Origin` header of the request; None if no page makes the request."""
    value = header(scope, b"origin")
    return None if value is None else value.decode("ascii", "replace")


def is_foreign(scope: Scope, origins: Collection[str]) -> bool:
    """Return True if a page makes the request, and the page's origin is neither the server's own nor in `origins`."""
    text = page_origin(scope)
    if text is None or text in origins:
        return False
    own = own_origin(scope)
    try:
        return own is None or parse_origin(text) != own
    except ValueError:
        return True  # for example "null"


def require_own_page(scope: Scope, origins: Collection[str]) -> None:
    """Raise FromElsewhere if the request comes from a foreign page, see `is_foreign`."""
    if is_foreign(scope, origins):
        raise FromElsewhere("pages of other origins may not do that on this server")


def is_json(scope: Scope) -> bool:
    """Return True if the Content-Type of the request is JSON."""
    return (header(scope, b"content-type") or b"").partition(b";")[0].strip().lower() == b"application/json"


def foreign_words(scope: Scope, origins: Collection[str], *, seats: bool) -> str | None:
    """Return the reason to refuse the page that opens this WebSocket; None for an allowed page, or without a page.

    With `origins`, pages of these origins are allowed. With seats, the server's own pages are allowed, too: a seat
    belongs to a browser. Without both, all pages are allowed.
    """
    text = page_origin(scope)
    if text is None or not (origins or seats):
        return None
    if text in origins or (seats and not is_foreign(scope, origins)):
        return None
    allowed = {*origins, own_origin(scope) or "its own pages"} if seats else origins
    return FOREIGN_ORIGIN.format(text, " and ".join(sorted(allowed)))
