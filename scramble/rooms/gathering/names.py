"""Display names of players, as the gathering and all who follow it keep them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MOST_NAMES: Final = 1000  # the latest


def note_names(known: dict[str, str], names: Mapping[str, str], *, early: bool = False) -> None:
    """Add display names by players to those that are `known`, which has none that is its player's ID.

    The `early` ones are older, and replace no other name.
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
