"""What is wrong with a server, as its health and its metrics report it: a code for programs, words for people.

    Problem("redis-full", "Redis is full: moves are refused until it has room")

A problem that is `down` leaves this process unable to serve anybody, whatever other processes do: a load balancer
should send clients to another one. All others are degradations: something is refused, or waits, and the rest works.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec

Code: TypeAlias = Literal[
    "stopping",  # the server has been told to end
    "game-stopped",  # the owner task of the game, or of the register of rooms, has ended
    "not-answering",  # it has not carried out a command in time
    "disk-full",  # moves are refused: the disk, or what may be used of it, is full
    "redis-full",  # moves are refused: Redis has no memory left
    "redis-refuses",  # Redis answers that it takes nothing
    "redis-away",  # Redis does not answer, or cannot be reached
    "register-away",  # no process of the cluster is known to have the register of rooms
]

CODES: Final[tuple[Code, ...]] = get_args(Code)


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong. `down`: this process can serve nobody because of it."""

    code: Code
    words: str
    down: bool = False
