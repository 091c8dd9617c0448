"""Cache of the seats of one running game. A seat gives a name to one client. `scramble.players.seats` has all seats.

The first request that plays as a player takes the player's seat for its client (see `client`). A request that only
watches takes no seat, and may name any player with a free seat.

Safe under concurrency: the game's owner task assigns the seats. The cache saves a query for each request. It has only
permanent seats: a permanent seat changes only when its player gives it to another client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from scramble.front.identity import Ask
from scramble.front.web.client import Client
from scramble.players.names import BotsName, is_bots_name, skeleton_of
from scramble.players.seats import ClaimSeat, FindSeat, SeatTaken, seat_taken_words

MAX_KNOWN: Final = 100_000  # cached seats


class Seats:
    """The seats of one running game, with a cache of the permanent seats."""

    # AF: the seats of the owner; `ask` sends commands to the owner. _known is the cache: the holders of permanent
    #     seats, by player. `forget` was called _forgotten times. If _is_kept, each change of a permanent seat calls
    #     `forget`.

    def __init__(self, ask: Ask, *, lookalikes: bool = False, keeping: Callable[[], None] = lambda: None) -> None:
        """With `lookalikes` a name that looks like the display name of another seat counts as taken.

        `keeping` is called before a holder is cached. From then on, the caller must call `forget` after each change.
        """
        self.ask: Final = ask
        self._keeping: Final = keeping
        self.lookalikes: Final = lookalikes
        self._known: Final[dict[str, str]] = {}
        self._forgotten = 0
        self._is_kept = False

    async def take(self, player: str, client: Client, *, plays: bool = True) -> None:
        """Take the seat of `player` for the client. Without `plays`, take no free seat. Waits for the owner task.

        Raises SeatTaken if another client has the seat, BotsName, BadSecret, FromElsewhere or NotJson.
        """
        found, taken = client.found(), await self.holder_of(player)
        if taken is None and not plays:
            return
        client.require_own_page()
        if taken is not None and taken != found:
            raise SeatTaken(seat_taken_words(player), player)
        if taken is None and self.lookalikes and not client.bearer and is_bots_name(player):
            raise BotsName  # only a program with a bearer token may be a bot
        holder = client.take_holder()
        if taken is None:
            skeleton = skeleton_of(player) if self.lookalikes else ""
            await self.ask(ClaimSeat(player, holder, skeleton=skeleton))

    def forget(self, player: str) -> None:
        """Remove a changed seat from the cache. The next request queries the owner."""
        self._forgotten += 1
        self._known.pop(player, None)

    async def holder_of(self, player: str) -> str | None:
        """Return the holder of the seat, or None. The query to the owner is not journaled, unlike a claim."""
        if player in self._known:
            return self._known[player]
        forgotten, is_kept = self._forgotten, self._is_kept
        seat = await self.ask(FindSeat(player))
        if seat is not None and seat.permanent:
            self._keeping()
            self._is_kept = True
            is_latest = is_kept and forgotten == self._forgotten  # otherwise the seat may have changed after the answer
            if is_latest and len(self._known) < MAX_KNOWN:
                self._known[player] = seat.holder
        return None if seat is None else seat.holder

    def __str__(self) -> str:
        return f"{len(self._known)} permanent seats in the cache"


CurrentSeats: TypeAlias = Callable[[], Seats | None]
"""Function that returns the seats of the current request's game; None for a game without seats."""
