"""Rooms of a cluster, as commands for its operator reach them: by a link of their own, for as long as one takes.

These commands claim no room: what a process owns stays with it.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import trio

from scramble.cluster.address import Address
from scramble.cluster.link import open_link
from scramble.cluster.log import read_log
from scramble.cluster.protocol import LinkLost
from scramble.errors import JournalError
from scramble.journal import Recording

READ_S: Final = 60.0  # for the whole game: a link waits for a Redis that is away for ever


def read_room(address: Address, room: str, *, after: int = 0) -> Recording:
    """Return the game of a room, of whose commands only those after number `after`; its owner may play on.

    Blocks, in any thread but that of a trio program. Raises CannotLink, and JournalError if there is no such room, or
    if it cannot be read.
    """
    return trio.run(partial(_read, address, room, after))


async def _read(address: Address, room: str, after: int) -> Recording:
    with trio.move_on_after(READ_S):
        async with open_link(address) as link:
            try:
                return await read_log(link, room, after=after)
            except LinkLost as lost:
                raise JournalError(f"room {room} cannot be read: {lost}") from None
    raise JournalError(f"room {room} cannot be read: Redis has not answered for {READ_S:g} s")
