"""Presence: the names of the players who are connected, and of those who have left, for every connection.

Of very many players it has some names and the number of the others. Names are a state and not a history, so a
connection that was too slow for some of its changes gets the latest one only.

Safe under concurrency: the counts change between two awaits.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice
from time import monotonic
from typing import Final, TypeAlias

from scramble.front.web.notices import Notices
from scramble.kernel.nursery import StartSoon
from scramble.kernel.protocol import MOST_NAMED

MOST_LEFT: Final = 50
"""Players who have left and are still named, the last ones: they may hold cards for which others wait."""

STALE_S: Final = 1.0
"""The greatest age of a frame with the times after which cards are released, for a connection that is opened later."""

Attend: TypeAlias = Callable[[str | None], AbstractContextManager[None]]
"""Counts a connection of that player, or of a spectator (None), during a block."""


PLAYERS: Final = "players"  # the key of the value


class Presence(Notices):
    """The set of players with at least one connection; several connections of one player count once."""

    # AF: the players in _browsers are connected, from each browser with as many connections as are counted there (None:
    #     from an unknown browser); those in _elsewhere are at other processes, and so are _others; those in _left were,
    #     the last that left at the end. _frame encodes all of this, unless it is None or the time is after _stale_at.
    #     That is the only value, and always there.
    # RI: every count is positive, and no counter is empty; no player in _left is in _browsers or _elsewhere; _left has
    #     at most MOST_LEFT.
    # Safety from exposure: frames are strings.

    def __init__(
        self,
        start_soon: StartSoon,
        encode: Callable[[list[str], int, dict[str, float | None]], str],
        free_in: Callable[[str], float | None] = lambda _: None,
    ) -> None:
        """`encode` makes a frame of a sorted list of names, the number of the others, and the players who have left.

        There are `MOST_NAMED` names at most. Each player who has left comes with the result of `free_in`: the seconds
        after which the player's cards are released, or None.
        """
        super().__init__(start_soon)
        self._encode: Final = encode
        self._free_in: Final = free_in
        self._browsers: Final[dict[str, Counter[str | None]]] = {}
        self._elsewhere: tuple[str, ...] = ()
        self._others = 0
        self._left: Final[OrderedDict[str, None]] = OrderedDict()
        self._frame: str | None = None
        self._stale_at = math.inf
        self.put(PLAYERS)

    def here(self, player: str, browser: str | None = None) -> AbstractContextManager[bool]:
        """Count one more connection of `player` during the block, from that browser, if it is known.

        The value is True if another known browser has a connection of this player, too.
        """
        return _Here(self, player, browser)

    def arrive(self, player: str, browser: str | None) -> bool:
        """Count one more connection of `player`. True if another known browser has one, too."""
        if player not in self._browsers:
            self._browsers[player] = Counter()
            self._left.pop(player, None)
            self._tell()
        browsers = self._browsers[player]
        browsers[browser] += 1
        return browser is not None and not browsers.keys() <= {browser, None}

    def depart(self, player: str, browser: str | None) -> None:
        """Count one connection less of `player`."""
        browsers = self._browsers[player]
        browsers[browser] -= 1
        if not browsers[browser]:
            del browsers[browser]
        if not browsers:
            del self._browsers[player]
            self._leave(player)
            self._tell()

    def put_elsewhere(self, players: tuple[str, ...], others: int) -> None:
        """Have these players count as here, who are connected at other processes, and as many `others`."""
        if (players, others) == (self._elsewhere, self._others):
            return
        before = self._elsewhere
        self._elsewhere, self._others = players, others
        for player in players:
            self._left.pop(player, None)
        for player in before:
            if player not in self._browsers:
                self._leave(player)
        self._tell()

    def _leave(self, player: str) -> None:
        """Note that a player has no connection any more at this process, or at others."""
        if player not in self._elsewhere:
            self._left[player] = None
            if len(self._left) > MOST_LEFT:
                self._left.popitem(last=False)

    def frame(self, key: str = PLAYERS, name: str | None = None) -> str:
        """Return the frame of the present names, those connected longest first to be named; encoded once for all."""
        now = monotonic()
        if self._frame is None or now > self._stale_at:
            here = dict.fromkeys((*self._browsers, *self._elsewhere))
            named = sorted(islice(here, MOST_NAMED))
            left = {player: self._free_in(player) for player in self._left}
            self._frame = self._encode(named, len(here) - len(named) + self._others, left)
            self._stale_at = math.inf if set(left.values()) <= {None} else now + STALE_S
        return self._frame

    def _tell(self) -> None:
        self._frame = None
        self.put_soon(PLAYERS)

    def __str__(self) -> str:
        return f"here: {', '.join(sorted(self._browsers)) or 'nobody'}"


class _Here(AbstractContextManager[bool]):
    """One connection that is counted: a generator in its place would take three times the memory, for each."""

    __slots__ = ("_browser", "_player", "_presence")

    def __init__(self, presence: Presence, player: str, browser: str | None) -> None:
        self._presence: Final = presence
        self._player: Final = player
        self._browser: Final = browser

    def __enter__(self) -> bool:
        return self._presence.arrive(self._player, self._browser)

    def __exit__(self, *_: object) -> None:
        self._presence.depart(self._player, self._browser)
