"""What whoever runs a server of Memory Scramble can switch off: replacing cards, and starting over, for everybody."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

from scramble.errors import CallerError

Switch: TypeAlias = Literal["replace", "new"]

WORDS: dict[Switch, str] = {
    "replace": "replacing cards is switched off on this server",
    "new": "new games are switched off on this server",
}


class SwitchedOff(CallerError):
    """What was asked for is not to be had on this server. Nothing has changed."""

    code = "switched-off"
    status = 403


def require(switch: Switch, off: Collection[Switch]) -> None:
    """Raise SwitchedOff if it is among those that are off."""
    if switch in off:
        raise SwitchedOff(WORDS[switch])
