"""What clients may do before they are refused, made to wait or cut off: all the numbers, in one place.

Each is an option of the serving commands (`scramble.serving_options`), and each is answered in words: by a status, a
WebSocket's close code, or a line on telnet. docs/how-to/run-in-public.md says which.
"""

from __future__ import annotations

from typing import Final

import msgspec

CONNECTIONS_BY_ADDRESS: Final = 500
"""A school's or a mobile network's users come from one address: a class that opens the page at once makes 200."""

REQUESTS_PER_S_BY_ADDRESS: Final = 100.0
"""A process serves some 2,000 requests a second; the page takes 30 to load, and then none."""

SECONDS_AT_ONCE: Final = 20
"""So many seconds' worth of requests may come all at once: a class of 60 that opens the page."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What clients may do. The defaults leave people and their programs alone, and stop what would harm the others.

    What holds by address is None unless it is set: then it is the number above for other machines, and there is no
    limit for this one, where proxies, tests and benchmarks run. An IPv6 address stands for its whole /64 network.
    """

    connections: int = 4000  # at once, in all; a WebSocket takes some 60 kB
    connections_by_address: int | None = None  # at once
    requests_per_s: float | None = None  # by address; the handshake of a WebSocket is one
    requests: float | None = None  # at once, by address; None: SECONDS_AT_ONCE of them
    parked: int = 16  # watches at once of one player, who has one flip at most that waits

    header_bytes: int = 16 * 1024  # a request's line and headers; a browser sends 1 kB
    body_bytes: int = 16 * 1024  # no request needs one
    request_s: float = 10  # for a TLS handshake, for a request's headers, and for its body
    keep_alive_s: float = 5  # how long a connection stays without a request, before the first one too
    unread_s: float = 30  # how long a client may take for 64 kB of what it is sent

    frame_bytes: int = 4096  # no command of any game is longer
    frames: float = 100  # at once; a page that comes back after a pause has a handful
    frames_per_s: float = 50  # a held key repeats 30 times a second
    bad_frames: float = 10  # at once
    bad_frames_per_s: float = 0.1  # a client with a bug is told, one that is all bugs is sent away

    lines_per_s: float = 2000  # of a telnet connection, and as many at once; what comes faster has to wait
