"""Options for the limits: each sets one field of `ServerLimits`, and has the default of this field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import click
import msgspec

from scramble.front.options import SECONDS, Values, number_of
from scramble.front.sections import Section, SectionedOption
from scramble.server.protection.limits import (
    CONNECTIONS_BY_ADDRESS,
    FRAMES_PER_S_BY_ADDRESS,
    LINES_PER_S_BY_ADDRESS,
    MATCHES_BY_ADDRESS,
    REQUESTS_PER_S_BY_ADDRESS,
    SECONDS_AT_ONCE,
    SESSIONS_BY_ADDRESS,
    ServerLimits,
)

AT_LEAST_1 = click.IntRange(1)
REQUESTS, FRAMES, LINES = (number_of(unit, lambda n: n > 0, "above 0") for unit in ("requests", "frames", "lines"))
HEADER_BYTES = click.IntRange(256, 1024 * 1024)
BODY_BYTES_RANGE = click.IntRange(0, 1024 * 1024)
UNREAD_BYTES = click.IntRange(64 * 1024)
FRAME_BYTES = click.IntRange(64, 1024 * 1024)


class Limit(NamedTuple):
    """The option of one limit."""

    name: str  # of the option
    field: str  # of `ServerLimits`
    type: Callable[[str], float] | click.IntRange
    help: str
    default: str | None = None  # in words, if the field's default is None
    hosted: bool = True  # also under another ASGI server; False for connections, because that server limits them


LIMITS = (
    Limit("--max-connections", "connections", AT_LEAST_1, "Concurrent connections.", hosted=False),
    Limit(
        "--max-connections-by-address",
        "connections_by_address",
        AT_LEAST_1,
        "Concurrent connections from one address.",
        f"{CONNECTIONS_BY_ADDRESS}; from this machine, any number",
    ),
    Limit(
        "--requests-per-s",
        "requests_per_s",
        REQUESTS,
        "Requests per second from one address.",
        f"{REQUESTS_PER_S_BY_ADDRESS:g}; from this machine, any number",
    ),
    Limit(
        "--requests-at-once",
        "requests",
        AT_LEAST_1,
        "Requests in a burst above that rate.",
        f"{SECONDS_AT_ONCE} times --requests-per-s",
    ),
    Limit(
        "--max-sessions-by-address",
        "sessions_by_address",
        AT_LEAST_1,
        "Concurrent crossword sessions from one address.",
        f"{SESSIONS_BY_ADDRESS}; from this machine, any number",
    ),
    Limit(
        "--max-matches-by-address",
        "matches_by_address",
        AT_LEAST_1,
        "Crossword matches that wait for a second player, from one address.",
        f"{MATCHES_BY_ADDRESS}; from this machine, any number",
    ),
    Limit("--max-waiting", "parked", AT_LEAST_1, "Watches of one player that wait at the same time."),
    Limit("--max-name-chars", "name_chars", AT_LEAST_1, "Characters of a player's name."),
    Limit("--max-card-chars", "card_chars", AT_LEAST_1, "Characters of a replacement card."),
    Limit("--max-header-bytes", "header_bytes", HEADER_BYTES, "Bytes of a request's line and headers.", hosted=False),
    Limit("--max-body-bytes", "body_bytes", BODY_BYTES_RANGE, "Bytes of a request's body."),
    Limit("--max-frame-bytes", "frame_bytes", FRAME_BYTES, "Bytes of a WebSocket's frame."),
    Limit("--frames-per-s", "frames_per_s", FRAMES, "Frames per second from one WebSocket."),
    Limit(
        "--frames-per-s-by-address",
        "frames_per_s_by_address",
        FRAMES,
        "Frames per second from one address, over all its WebSockets; further frames wait.",
        f"{FRAMES_PER_S_BY_ADDRESS:g}; from this machine, any number",
    ),
    Limit(
        "--lines-per-s",
        "lines_per_s",
        LINES,
        "Lines per second from one telnet connection; further lines wait.",
        hosted=False,
    ),
    Limit(
        "--lines-per-s-by-address",
        "lines_per_s_by_address",
        LINES,
        "Lines per second from one address, over all its telnet connections; further lines wait.",
        f"{LINES_PER_S_BY_ADDRESS:g}; from this machine, any number",
    ),
    Limit("--request-timeout", "request_s", SECONDS, "Time to send a request's headers, its body, or a TLS handshake."),
    Limit(
        "--keep-alive",
        "keep_alive_s",
        SECONDS,
        "Time for which a connection may stay open without a request.",
        hosted=False,
    ),
    Limit("--read-timeout", "unread_s", SECONDS, "Time in which a client must read 64 KiB of output.", hosted=False),
    Limit(
        "--max-unread-bytes",
        "unread_bytes",
        UNREAD_BYTES,
        "Bytes of output that clients have not read, in all.",
        hosted=False,
    ),
)

DEFAULTS = ServerLimits()


def _option(limit: Limit) -> SectionedOption:
    return SectionedOption(
        [limit.name],
        type=limit.type,
        metavar="N" if isinstance(limit.type, click.IntRange) else None,
        default=getattr(DEFAULTS, limit.field),
        show_default=limit.default or True,
        help=limit.help,
        section=Section.LIMITS,
        hosted=limit.hosted,
    )


LIMIT_OPTIONS: Final = tuple(map(_option, LIMITS))


def limits_of(values: Values) -> ServerLimits:
    """Return the limits from the values of these options. Missing values get their defaults."""
    fields = {str(option.name): limit.field for option, limit in zip(LIMIT_OPTIONS, LIMITS, strict=True)}
    return msgspec.convert({field: values[name] for name, field in fields.items() if name in values}, ServerLimits)
