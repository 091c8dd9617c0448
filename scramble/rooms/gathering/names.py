"""Display names and avatars of players, for the gathering and its followers. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

MOST_NAMES: Final = 1000  # older names are dropped

AVATARS: Final = 40
"""The drawings of the pages (client/shared/avatarart.js)."""


def note_names(known: dict[str, str], names: Mapping[str, str], *, early: bool = False) -> None:
    """Add display names by player to the `known` ones. A name that equals the player's ID is not stored.

    The `early` names are older, so they replace no known name.
    """
    if early:
        names = {**names, **known}
        known.clear()
    for player, name in names.items():
        known.pop(player, None)
        if name != player:
            known[player] = name
        if len(known) > MOST_NAMES:
            del known[next(iter(known))]


def note_avatar(known: dict[str, int], player: str, wish: int, is_here: Callable[[str], bool]) -> bool:
    """Give a player the avatar `wish`, or the next free avatar. Return True if the player's avatar has changed.

    The `known` avatars by player are all different. If no avatar is free, the player gets the avatar of the player who
    chose an avatar first and is not here; the player gets none if all these players are here.
    """
    before = known.pop(player, None)
    if len(known) == AVATARS:
        gone = next((one for one in known if not is_here(one)), None)
        if gone is None:
            return False
        del known[gone]
    taken = set(known.values())
    known[player] = next(one for nth in range(AVATARS) if (one := (wish + nth) % AVATARS) not in taken)
    return known[player] != before
