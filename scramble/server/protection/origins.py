"""Origins of pages: which page makes a request, and whether it may.

    own_origin(scope)                   "https://play.example.org", by the request's Host and scheme
    is_foreign(scope, origins)          True if a page makes the request that is neither the server's own nor of origins

Browsers send the origin of the page as `Origin` with every WebSocket, and with every request but GET and HEAD; programs
send none. `Sec-Fetch-Site` does not replace it: browsers send that only to HTTPS and to localhost. Nor do cookies that
are SameSite: another port, and another host of the same domain, is the same site.

Source: RFC 6454; Fetch standard, 3.2 (`Origin` header).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hypercorn.typing import Scope

from scramble.errors import CallerError
from scramble.server.protection.hosts import parse_origin


class FromElsewhere(CallerError):
    """A page of another server makes the browser ask for its user. Nothing has changed."""

    code = "from-elsewhere"
    status = 403


class NotJson(CallerError):
    """The body of the request says that it is something else than JSON. Nothing has changed."""

    code = "not-json"
    status = 415

    def __init__(self) -> None:
        super().__init__("send JSON, as application/json")


FOREIGN_ORIGIN: Final = "pages from {} may not play here: this server takes WebSockets from {} only"


def header(scope: Scope, wanted: bytes) -> bytes | None:
    """Return the value of a header, the last one if there are several; None if there is none."""
    value = None
    if scope["type"] != "lifespan":
        for name, content in scope["headers"]:
            if name == wanted:
                value = content
    return value


def own_origin(scope: Scope) -> str | None:
    """Return the origin of the server's own pages as its client sees it; None if the request has no valid Host."""
    host = header(scope, b"host")
    if host is None or scope["type"] == "lifespan":
        return None
    scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
    try:
        return parse_origin(f"{scheme}://{host.decode('latin1')}")
    except ValueError:
        return None


def page_origin(scope: Scope) -> str | None:
    """Return the origin of the page that makes the request, as it says; None if no page does."""
    value = header(scope, b"origin")
    return None if value is None else value.decode("ascii", "replace")


def is_foreign(scope: Scope, origins: Collection[str]) -> bool:
    """True if a page makes the request that is neither the server's own nor of one of these origins."""
    text = page_origin(scope)
    if text is None or text in origins:
        return False
    own = own_origin(scope)
    try:
        return own is None or parse_origin(text) != own
    except ValueError:
        return True  # such as "null"


def require_own_page(scope: Scope, origins: Collection[str]) -> None:
    """Raise FromElsewhere if another page than the server's own, or one of these origins, makes the request."""
    if is_foreign(scope, origins):
        raise FromElsewhere("pages of other origins may not do that on this server")


def is_json(scope: Scope) -> bool:
    """True if the request says that its body is JSON."""
    return (header(scope, b"content-type") or b"").partition(b";")[0].strip().lower() == b"application/json"


def foreign_words(scope: Scope, origins: Collection[str], *, seats: bool) -> str | None:
    """Return the reason why the page that opens this WebSocket is refused; None if it is not, or if there is no page.

    With `origins`, pages of those may open it; with seats, which belong to a browser, also the server's own pages.
    Without both, all pages may.
    """
    text = page_origin(scope)
    if text is None or not (origins or seats):
        return None
    if text in origins or (seats and not is_foreign(scope, origins)):
        return None
    allowed = {*origins, own_origin(scope) or "its own pages"} if seats else origins
    return FOREIGN_ORIGIN.format(text, " and ".join(sorted(allowed)))
