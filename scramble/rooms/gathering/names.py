"""Display names of players, for the gathering and its followers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MOST_NAMES: Final = 1000  # older names are dropped


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
