"""The owner of a gathering, in the process of the room's game."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import trio

from scramble.kernel.actor import Actor, open_actor
from scramble.rooms.gathering.rules import Gathering


def open_gathering(opener: str, turn_s: float | None) -> AbstractAsyncContextManager[Actor]:
    """Open a gathering without people during the block. Its owner starts at the first arrival.

    `opener` is the holder who has opened the room; empty: no opener. `turn_s` is the room's turn clock.
    """
    return open_actor(Gathering(opener, turn_s, trio.current_time), at_once=False)
