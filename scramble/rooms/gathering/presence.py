"""Presence of players who are connected to other processes: they count as here, for a game in which that matters.

Safe under concurrency: one task follows the gathering and enters and leaves blocks between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Final

import trio

from scramble.errors import GameStopped
from scramble.kernel.owner import Owner
from scramble.rooms.gathering.messages import TakePlayers

PAUSE_S: Final = 0.1  # between two looks: when a class comes back, everybody arrives at once


async def keep_present(gathering: Owner, place: str, present: Callable[[str], AbstractContextManager[None]]) -> None:
    """Enter `present(player)` for each player who is connected at another place than this one, for as long.

    Runs until it is cancelled, or the gathering ends; then nobody counts any more.
    """
    changes = gathering.subscribe()
    with ExitStack() as stack:
        here: dict[str, ExitStack] = {}
        stack.callback(_close_all, here)
        with suppress(GameStopped):
            while not changes.ended:
                changes.catch_up()
                players = await gathering.ask(TakePlayers(place))
                for player in here.keys() - set(players):
                    here.pop(player).close()
                for player in players:
                    if player not in here:
                        here[player] = ExitStack()
                        here[player].enter_context(present(player))
                await trio.sleep(PAUSE_S)
                await changes.wait()


def _close_all(stacks: dict[str, ExitStack]) -> None:
    for stack in stacks.values():
        stack.close()
