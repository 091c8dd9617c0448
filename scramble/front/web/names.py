"""Display names at the front end. A client types a name, and gets a seat with a player's ID.

The server refuses a name that looks like a taken name, and offers another name. The client that has the name keeps its
seat and ID. Safe under concurrency: the game's owner task assigns the seats. If another client takes the name or the ID
during the search, the search begins again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from scramble.front.identity import Ask
from scramble.players.names import (
    BotsName,
    is_bots_name,
    numbered_name,
    numbered_player,
    parse_display_name,
    player_of,
    skeleton_of,
)
from scramble.players.seats import ClaimSeat, FindName, FindSeat, NameTaken, SeatTaken

FEW: Final = 10  # numbers below FEW are tried one after another


class NamedPlayer(msgspec.Struct, frozen=True):
    """A player with a seat: the ID for moves, and the display name."""

    player: str
    name: str


async def claim_name(ask: Ask, text: str, holder: str) -> NamedPlayer:
    """Return the player of `holder` with this name. Takes a seat for a new player.

    Waits for the owner task. Raises InvalidCommand for an invalid name, and BotsName for a name with the word "bot".
    Raises NameTaken with an offer if another holder has the name, and SeatTaken if there are no free seats.
    """
    name = parse_display_name(text)
    skeleton = skeleton_of(name)
    while True:
        found = await ask(FindName(skeleton))
        if (found is None or found.holder != holder) and is_bots_name(name):
            raise BotsName
        if found is not None and found.holder != holder:
            raise NameTaken(name, await _free_name(ask, name))
        player = await _free_player(ask, player_of(name)) if found is None else found.player
        try:
            await ask(ClaimSeat(player, holder, name, skeleton))
        except NameTaken:
            continue  # another client has just taken it
        except SeatTaken:
            if await ask(FindSeat(player)) is None:
                raise  # there are no free seats
            continue
        return NamedPlayer(player, name if found is None else found.name)


async def _free_name(ask: Ask, name: str) -> str:
    async def is_free(number: int) -> bool:
        return await ask(FindName(skeleton_of(numbered_name(name, number)))) is None

    return numbered_name(name, await _free_number(is_free))


async def _free_player(ask: Ask, player: str) -> str:
    async def is_free(number: int) -> bool:
        return await ask(FindSeat(numbered_player(player, number))) is None

    if await ask(FindSeat(player)) is None:
        return player
    return numbered_player(player, await _free_number(is_free))


async def _free_number(is_free: Callable[[int], Awaitable[bool]]) -> int:
    """Return a free number of at least 2. A number below `FEW` is the smallest free number.

    If there is no free number below `FEW`, doubling and then bisection find a free number in few queries. The number
    before the result is taken.
    """
    for number in range(2, FEW):
        if await is_free(number):
            return number
    taken, free = FEW - 1, 2 * FEW
    while not await is_free(free):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if await is_free(middle):
            free = middle
        else:
            taken = middle
    return free
