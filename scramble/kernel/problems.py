"""Problems of a server, for its health report and its metrics. A problem has a code for programs and words for people.

    Problem("redis-full", "Redis is full: moves are refused until it has room")

A problem with `down` means that this process can serve no client: a load balancer should send clients to another
process. With all other problems, some requests are refused or wait, and the rest works.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec

Code: TypeAlias = Literal[
    "stopping",  # the server is shutting down
    "game-stopped",  # the owner task of the game, or of the register of rooms, has ended
    "not-answering",  # the owner task has not answered a health check in time
    "disk-full",  # moves are refused: the disk, or the server's share of the disk, is full
    "redis-full",  # moves are refused: Redis has no memory left
    "redis-refuses",  # Redis answers, but refuses writes
    "redis-away",  # Redis does not answer, or cannot be reached
    "register-away",  # no known process of the cluster has the register of rooms
]

CODES: Final[tuple[Code, ...]] = get_args(Code)


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One problem of the server. `down`: this process can serve no client."""

    code: Code
    words: str
    down: bool = False
