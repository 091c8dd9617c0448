"""Permissions of Memory Scramble's players. The operator can switch off replacements and new games, or limit games."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

import trio

from scramble.errors import CallerError
from scramble.front.web.client import Client
from scramble.server.protection.limits import ServerLimits

Switch: TypeAlias = Literal["replace", "new"]

REFUSAL_WORDS: dict[Switch, str] = {
    "replace": "replacing cards is switched off on this server",
    "new": "new games are switched off on this server",
}


class SwitchedOff(CallerError):
    """The operator has switched off the requested move. The refusal changes nothing."""

    code = "switched-off"
    status = 403

    def __init__(self, switch: Switch) -> None:
        self.params = {"move": switch}
        super().__init__(REFUSAL_WORDS[switch])


class TooSoon(CallerError):
    """A new game is requested too soon after the last new game. The refusal changes nothing.

    A new game is possible after `wait_s` whole seconds.
    """

    code = "too-soon"
    status = 429

    def __init__(self, wait_s: int, every_s: float) -> None:
        self.wait_s = wait_s
        self.params = {"wait_s": wait_s}
        seconds = "1 second" if wait_s == 1 else f"{wait_s} seconds"
        super().__init__(f"the next new game is possible in {seconds}: there is at most one every {every_s:g} seconds")


class NewGameLimiter:
    """A rate limiter: at most one new game in `every_s` seconds. The first period begins with this object.

    Safe under concurrency: it checks and counts between two awaits.
    """

    # AF: the next new game is possible at the time _next of trio's clock. If _every is None, there is no limit.

    def __init__(self, every_s: float | None = None) -> None:
        """Set the limit; None: no limit. A limit needs a running trio loop."""
        self._every: Final = every_s
        self._next = -math.inf if every_s is None else trio.current_time() + every_s

    def begin(self) -> None:
        """Count a new game before it begins. Raises TooSoon."""
        if self._every is not None:
            now = trio.current_time()
            if now < self._next:
                raise TooSoon(math.ceil(self._next - now), self._every)
            self._next = now + self._every


PermissionCheck: TypeAlias = Callable[[Client], Awaitable[None]]
"""Function that raises a CallerError if the client has no permission."""


class Permissions(NamedTuple):
    """The permissions of a game's players. All connections of the game share them."""

    off: Collection[Switch] = ()
    limits: ServerLimits = ServerLimits()
    new_games: NewGameLimiter = NewGameLimiter()
    refusal: Callable[[Switch], CallerError] = SwitchedOff  # makes the refusal of moves in `off`
    checks: Mapping[Switch, PermissionCheck] = {}  # checks of other moves

    def require_on(self, switch: Switch) -> None:
        """Raise SwitchedOff, or another CallerError, if the move is switched off."""
        if switch in self.off:
            raise self.refusal(switch)

    async def require(self, switch: Switch, client: Client) -> None:
        """Raise SwitchedOff, or another CallerError, if the client may not make the move."""
        self.require_on(switch)
        if switch in self.checks:
            await self.checks[switch](client)
