"""All limits on clients, with their defaults. A client beyond a limit is refused, delayed or disconnected.

Each limit is an option of the serving commands. A refused client gets a reason in words: in an HTTP answer, in the
closing frame of a WebSocket, or as a line on telnet. docs/how-to/run-in-public.md has the list.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import msgspec

from scramble.errors import InvalidCommand

CONNECTIONS_BY_ADDRESS: Final = 500
"""The users of a school or a mobile network share one address; a class makes 200 connections when it opens the page."""

REQUESTS_PER_S_BY_ADDRESS: Final = 100.0
"""A process serves some thousands of requests a second; the page needs 30 requests to load, and no more later."""

SECONDS_AT_ONCE: Final = 20
"""Size of a burst of requests, as seconds of the rate: enough for a class of 60 that opens the page."""

FRAMES_PER_S_BY_ADDRESS: Final = 500.0
"""A ping costs a process 0.06 ms and a move 0.3 ms; a class of 60 fast players sends 200 frames a second."""

LINES_PER_S_BY_ADDRESS: Final = 2000.0
"""The same rate as for one connection; a class of 60 that types sends some tens of lines a second."""

BURST_S: Final = 4
"""Size of a burst of frames or lines, as seconds of the rate: when a class of 200 reconnects, each page sends a few
frames."""

SESSIONS_BY_ADDRESS: Final = 200
"""The crossword has 1,000 sessions in all. A class shares one address, and some players have the page open twice."""

MATCHES_BY_ADDRESS: Final = 20
"""Limit on matches that wait for a second player; the crossword has 400 matches in all.

In a class, a second player joins within a minute."""


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on clients. People and ordinary programs stay below the defaults. The limits protect the other clients.

    If a limit by address is None, other machines have the constant above, and this machine has no limit: proxies, tests
    and benchmarks run on it. An IPv6 address counts as its whole /64 network.
    """

    connections: int = 4000  # at once, in all; a WebSocket takes about 60 kB of memory
    connections_by_address: int | None = None  # at once
    requests_per_s: float | None = None  # by address; the handshake of a WebSocket counts as a request
    requests: float | None = None  # at once, by address; None: `requests_per_s` times SECONDS_AT_ONCE
    sessions_by_address: int | None = None  # of the crossword, at once
    matches_by_address: int | None = None  # matches of the crossword that wait for a second player, at once
    frames_per_s_by_address: float | None = None  # of all WebSockets together; faster frames are delayed
    lines_per_s_by_address: float | None = None  # of all telnet connections together; faster lines are delayed
    parked: int = 16  # concurrent watches of one player; a player has at most one waiting flip
    name_chars: int = 255  # of a player's name, because all other players get the name
    card_chars: int = 255  # of a card that replaces another card; each answer contains all face-up cards

    header_bytes: int = 16 * 1024  # a request's first line and headers; a browser sends 1 kB
    body_bytes: int = 16 * 1024  # no request needs a body
    request_s: float = 10  # for a TLS handshake, for a request's headers, and for its body
    keep_alive_s: float = 5  # for a connection without a request, even before its first request
    unread_s: float = 30  # for a client to read 64 kB of an answer
    unread_bytes: int = 64 * 1024 * 1024  # of all clients together: a class of 60 that requests 1 MB each

    frame_bytes: int = 4096  # no command of any game is longer
    frames: float = 100  # at once; a page that reconnects after a pause sends a few frames
    frames_per_s: float = 50  # a pressed key repeats 30 times a second
    bad_frames: float = 10  # at once
    bad_frames_per_s: float = 0.1  # occasional bad frames are answered with errors; a stream of them ends in a close

    lines_per_s: float = 2000  # of a telnet connection, also the size of a burst; faster lines are delayed

    def checked_name(self, name: str) -> str:
        """Return the name of a player. Raises InvalidCommand if it is too long."""
        if len(name) > self.name_chars:
            raise InvalidCommand(f"a name has at most {self.name_chars} characters on this server, not {len(name)}")
        return name

    def checked_card(self, card: str) -> str:
        """Return a new card for a replacement. Raises InvalidCommand if the card is not allowed over the network.

        Control characters (Unicode's category Cc) would reach other players' terminals. All other characters are
        allowed, even emoji with joiners.
        """
        if len(card) > self.card_chars:
            raise InvalidCommand(f"a new card has at most {self.card_chars} characters on this server, not {len(card)}")
        for character in card:
            if unicodedata.category(character) == "Cc":
                raise InvalidCommand(f"a new card has no control characters, and this one has U+{ord(character):04X}")
        return card
