"""The options of the limits: each is a field of `front.limits.Limits`, and has that field's default."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import click

from scramble.front.limits import CONNECTIONS_BY_ADDRESS, REQUESTS_PER_S_BY_ADDRESS, SECONDS_AT_ONCE, Limits
from scramble.options import SECONDS, number_of

AT_LEAST_1 = click.IntRange(1)
REQUESTS, FRAMES, LINES = (number_of(unit, lambda n: n > 0, "above 0") for unit in ("requests", "frames", "lines"))
HEADER_BYTES = click.IntRange(256, 1024 * 1024)
BODY_BYTES = click.IntRange(0, 1024 * 1024)
FRAME_BYTES = click.IntRange(64, 1024 * 1024)

Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]
"""What adds an option to a command's function."""

PREFIX = "limit_"  # of the name by which click passes on what was given


class Limit(NamedTuple):
    """An option."""

    name: str
    field: str
    type: Callable[[str], float] | click.IntRange
    help: str
    unless_given: str | None = None  # in words, where the default is none


LIMITS = (
    Limit("--max-connections", "connections", AT_LEAST_1, "Connections at once, in all."),
    Limit(
        "--max-connections-by-address",
        "connections_by_address",
        AT_LEAST_1,
        "Connections at once from one address.",
        f"{CONNECTIONS_BY_ADDRESS}; from this machine, any number",
    ),
    Limit(
        "--requests-per-s",
        "requests_per_s",
        REQUESTS,
        "Requests a second from one address.",
        f"{REQUESTS_PER_S_BY_ADDRESS:g}; from this machine, any number",
    ),
    Limit(
        "--requests-at-once",
        "requests",
        AT_LEAST_1,
        "Requests that may come from one address faster than that.",
        f"{SECONDS_AT_ONCE} times as many as a second",
    ),
    Limit("--max-waiting", "parked", AT_LEAST_1, "Requests of one player that may wait at once."),
    Limit("--max-header-bytes", "header_bytes", HEADER_BYTES, "The longest line and headers of a request."),
    Limit("--max-body-bytes", "body_bytes", BODY_BYTES, "The longest body of a request."),
    Limit("--max-frame-bytes", "frame_bytes", FRAME_BYTES, "The longest frame of a WebSocket."),
    Limit("--frames-per-s", "frames_per_s", FRAMES, "Frames a second from one WebSocket."),
    Limit("--lines-per-s", "lines_per_s", LINES, "Lines a second from one telnet connection; others wait."),
    Limit("--request-timeout", "request_s", SECONDS, "Time to send a request, or to shake hands over TLS."),
    Limit("--keep-alive", "keep_alive_s", SECONDS, "Time for which a connection may stay without a request."),
    Limit("--read-timeout", "unread_s", SECONDS, "Time in which a client has to take what it is sent."),
)

DEFAULTS = Limits()


def _option(limit: Limit) -> Option:
    return click.option(
        limit.name,
        PREFIX + limit.field,
        type=limit.type,
        metavar="N" if isinstance(limit.type, click.IntRange) else None,
        default=getattr(DEFAULTS, limit.field),
        show_default=limit.unless_given or True,
        help=limit.help,
    )


LIMIT_OPTIONS = tuple(map(_option, LIMITS))


def take_limits(values: dict[str, object]) -> Limits:
    """Take what was given for these options out of `values`."""
    make: Callable[..., Limits] = Limits  # the options have seen to the types
    return make(**{limit.field: values.pop(PREFIX + limit.field) for limit in LIMITS})
