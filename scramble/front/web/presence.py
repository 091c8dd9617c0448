"""Presence frames for all connections of a game: connected players, players who have left, and the players' hues.

    feed = PresenceFeed(game.start_soon, Presence(game.present), encode)
    beside = feed.beside("alice", client)        # alice is present as long as the connection runs

With very many players a frame has some names and the number of the other players. The names are values, not events, so
a slow connection gets only the latest frame. `{"type": "hues", "hues": {"bob": 7}}` has the players with a hue that is
not the default hue of their ID. `scramble.players.hues` assigns the hues.

Safe under concurrency: all state changes between two awaits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from time import monotonic
from typing import Final, TypeAlias

import msgspec

from scramble.front.web.client import Client
from scramble.front.web.feed import FeedSocket, Unsubscribe
from scramble.front.web.notices import Notices
from scramble.front.web.websocket import Beside
from scramble.kernel.nursery import StartSoon
from scramble.kernel.protocol import MOST_NAMED
from scramble.players.presence import Presence

STALE_S: Final = 1.0
"""The greatest age of a cached frame with times, for new connections. The times are the seconds until the release of
players' cards."""

PLAYERS: Final = "players"  # key of a value
HUES_FRAME: Final = "hues"

FreeIn: TypeAlias = Callable[[str], float | None]
"""Function that returns the seconds until the cards of a player who has left are released, or None."""

Encode: TypeAlias = Callable[[list[str], int, dict[str, float | None]], str]
"""Function that encodes a frame. The arguments are a sorted list of names, the number of the other players, and the
`FreeIn` results of the players who have left."""


class PresenceFeed(Notices):
    """The players of one game, for its connections. Mutable."""

    # AF: the players of `here`. _players makes their frame; if _players is None, only hues are sent. _frame is the
    #     encoded frame of the players; it is outdated if it is None, or after _stale_at. _put has the versions of the
    #     last sent players and hues.
    # Safety from exposure: frames are strings.

    def __init__(
        self, start_soon: StartSoon, here: Presence, encode: Encode | None = None, free_in: FreeIn = lambda _: None
    ) -> None:
        """`encode` encodes the players of `here`, with at most `MOST_NAMED` names. None: send only their hues."""
        super().__init__(start_soon)
        self.here: Final = here
        self._players: tuple[Encode, FreeIn] | None = None
        self._frame: str | None = None
        self._stale_at = math.inf
        self._put = here.version, here.hues.version
        here.follow(self._moved)
        if here.hues.other:
            self.put(HUES_FRAME)
        if encode is not None:
            self.show_players(encode, free_in)

    def show_players(self, encode: Encode, free_in: FreeIn) -> None:
        """Send the players from now on."""
        self._players = encode, free_in
        self.put(PLAYERS)

    def let_go(self) -> None:
        """Unsubscribe from the presence."""
        self.here.unfollow(self._moved)

    def beside(self, player: str | None, _client: Client, /) -> Sequence[Beside]:
        """Return a subscription: the connection gets the frames, and counts as `player` (None: as a spectator)."""
        return (partial(self._join, player),)

    def _join(self, player: str | None, link: FeedSocket) -> Unsubscribe:
        self.here.arrive(player)
        leave = self.follow(link)

        def part() -> None:
            leave()
            self.here.leave(player)

        return part

    def frame(self, key: str, name: str | None) -> str:
        """Return the current frame of the players or of the hues. It is encoded once for all connections."""
        if key == HUES_FRAME:
            return msgspec.json.encode({"type": "hues", "hues": self.here.hues.other}).decode()
        assert self._players is not None
        now = monotonic()
        if self._frame is None or now > self._stale_at:
            encode, free_in = self._players
            players = self.here.players
            named = sorted(islice(players, MOST_NAMED))
            left = {player: free_in(player) for player in self.here.left}
            self._frame = encode(named, len(players) - len(named), left)
            self._stale_at = math.inf if set(left.values()) <= {None} else now + STALE_S
        return self._frame

    def _moved(self) -> None:
        (players, hues), self._put = self._put, (self.here.version, self.here.hues.version)
        if self._players is not None and players != self.here.version:
            self._frame = None
            self.put_soon(PLAYERS)
        if hues != self.here.hues.version:
            self.put_soon(HUES_FRAME)

    def __str__(self) -> str:
        return str(self.here)
