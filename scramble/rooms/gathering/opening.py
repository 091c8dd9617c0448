"""The owner of the gathering in a room that is awake here."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import trio

from scramble.kernel.actor import Actor, open_actor
from scramble.rooms.gathering.rules import Gathering


def open_gathering(opener: str, turn_s: float | None) -> AbstractAsyncContextManager[Actor]:
    """Open a gathering with nobody for the length of a block; its owner starts once somebody comes.

    The holder `opener` has opened the room, empty: nobody did; and `turn_s` is its turn clock.
    """
    return open_actor(Gathering(opener, turn_s, trio.current_time), at_once=False)
