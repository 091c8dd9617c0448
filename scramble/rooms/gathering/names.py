"""Display names of players, as the gathering and its followers keep them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MOST_NAMES: Final = 1000  # the latest names are kept


def note_names(known: dict[str, str], names: Mapping[str, str], *, early: bool = False) -> None:
    """Add display names by player to the `known` ones. A name that equals the player's ID is not stored.

    The `early` names are older, and replace no known name.
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
