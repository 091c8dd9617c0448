"""All limits on clients, with their defaults: beyond them a client is refused, delayed or disconnected.

Each limit is an option of the serving commands, and beyond each a client gets a reason in words: with a status, with
the close code of a WebSocket, or as a line on telnet. docs/how-to/run-in-public.md has the list.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import msgspec

from scramble.errors import InvalidCommand

CONNECTIONS_BY_ADDRESS: Final = 500
"""A school's or a mobile network's users come from one address: a class that opens the page at once makes 200."""

REQUESTS_PER_S_BY_ADDRESS: Final = 100.0
"""A process serves some thousands of requests a second; the page needs 30 to load, and none after that."""

SECONDS_AT_ONCE: Final = 20
"""Seconds' worth of requests that may arrive at once: a class of 60 that opens the page."""

FRAMES_PER_S_BY_ADDRESS: Final = 500.0
"""A ping costs a process 0.06 ms and a move 0.3 ms; a class of 60 that all play fast sends 200 frames a second."""

LINES_PER_S_BY_ADDRESS: Final = 2000.0
"""As many as one connection may send: a class of 60 that types sends some tens a second."""

BURST_S: Final = 4
"""Seconds' worth of frames, and of lines, that may arrive at once: each page of a class of 200 that comes back sends a
handful."""

SESSIONS_BY_ADDRESS: Final = 200
"""Of the crossword's 1,000 sessions: a class is behind one address, and some have the page open twice."""

MATCHES_BY_ADDRESS: Final = 20
"""Of the crossword's 400 matches, those that wait for a second player: in a class somebody joins within a minute."""


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on clients. The defaults affect no person and no ordinary program, and stop what would harm other clients.

    A limit by address that is None is the constant above for other machines and no limit for this one, where proxies,
    tests and benchmarks run. An IPv6 address counts as its whole /64 network.
    """

    connections: int = 4000  # at once, in all; a WebSocket takes some 60 kB of memory
    connections_by_address: int | None = None  # at once
    requests_per_s: float | None = None  # by address; the handshake of a WebSocket counts as one
    requests: float | None = None  # at once, by address; None: SECONDS_AT_ONCE of them
    sessions_by_address: int | None = None  # of the crossword, at once
    matches_by_address: int | None = None  # of the crossword, that wait for a second player, at once
    frames_per_s_by_address: float | None = None  # of all WebSockets together; faster frames are delayed
    lines_per_s_by_address: float | None = None  # of all telnet connections together; faster lines are delayed
    parked: int = 16  # watches at once of one player, who has one waiting flip at most
    name_chars: int = 255  # of a player's name, which is sent to all other players
    card_chars: int = 255  # of a card that replaces another: each answer contains all cards that are face up

    header_bytes: int = 16 * 1024  # a request's first line and headers; a browser sends 1 kB
    body_bytes: int = 16 * 1024  # no request needs a body
    request_s: float = 10  # for a TLS handshake, for a request's headers, and for its body
    keep_alive_s: float = 5  # for a connection without a request, before the first one too
    unread_s: float = 30  # for a client to read 64 kB of an answer
    unread_bytes: int = 64 * 1024 * 1024  # that wait for all clients together: a class of 60 that asks for 1 MB each

    frame_bytes: int = 4096  # no command of any game is longer
    frames: float = 100  # at once; a page that reconnects after a pause sends a handful
    frames_per_s: float = 50  # a held key repeats 30 times a second
    bad_frames: float = 10  # at once
    bad_frames_per_s: float = 0.1  # a client with a bug gets error frames, one that sends nothing else is disconnected

    lines_per_s: float = 2000  # of a telnet connection, and as many at once; faster lines are delayed

    def checked_name(self, name: str) -> str:
        """Return the name of a player. Raises InvalidCommand if it is too long."""
        if len(name) > self.name_chars:
            raise InvalidCommand(f"a name has at most {self.name_chars} characters on this server, not {len(name)}")
        return name

    def checked_card(self, card: str) -> str:
        """Return a card that is to replace another. Raises InvalidCommand if it must not come over the network.

        Control characters (Unicode's category Cc) would reach other players' terminals. All other characters are
        allowed, emoji with joiners too.
        """
        if len(card) > self.card_chars:
            raise InvalidCommand(f"a new card has at most {self.card_chars} characters on this server, not {len(card)}")
        for character in card:
            if unicodedata.category(character) == "Cc":
                raise InvalidCommand(f"a new card has no control characters, and this one has U+{ord(character):04X}")
        return card
