"""Seats of one running game: which client each name belongs to, cached. `scramble.players.seats` keeps them.

The first request that plays as a player takes that seat for its client (see `client`). A request that only looks takes
no seat, and may name any player whose seat is free.

Safe under concurrency: the game's owner task assigns the seats. The seats cached here, so that not every request asks
the owner, are those that are kept for good, and change only if they are handed over.
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
    """The seats of one running game, of which those that are known to be kept for good are cached."""

    # AF: the seats that the owner behind `ask` assigns; _known has the holders of some that change only with `forget`,
    #     which was called _forgotten times. If _is_kept, `forget` is called when a seat changes.

    def __init__(self, ask: Ask, *, lookalikes: bool = False, keeping: Callable[[], None] = lambda: None) -> None:
        """With `lookalikes` a name that looks like the display name of another seat counts as taken.

        `keeping` is called before holders are cached: from then on `forget` has to be called.
        """
        self.ask: Final = ask
        self._keeping: Final = keeping
        self.lookalikes: Final = lookalikes
        self._known: Final[dict[str, str]] = {}
        self._forgotten = 0
        self._is_kept = False

    async def take(self, player: str, client: Client, *, plays: bool = True) -> None:
        """Take the seat of `player` for the client; one that only looks needs none. Waits for the owner task.

        Raises SeatTaken if another client has it, BotsName, BadSecret, FromElsewhere or NotJson.
        """
        found, taken = client.found(), await self.holder_of(player)
        if taken is None and not plays:
            return
        client.require_own_page()
        if taken is not None and taken != found:
            raise SeatTaken(seat_taken_words(player), player)
        if taken is None and self.lookalikes and not client.bearer and is_bots_name(player):
            raise BotsName  # a program that brings a secret may be a bot
        holder = client.take_holder()
        if taken is None:
            skeleton = skeleton_of(player) if self.lookalikes else ""
            await self.ask(ClaimSeat(player, holder, skeleton=skeleton))

    def forget(self, player: str) -> None:
        """Ask the owner again for the holder of that seat, which has changed."""
        self._forgotten += 1
        self._known.pop(player, None)

    async def holder_of(self, player: str) -> str | None:
        """Return the holder of the seat, if any. Asks by a query, which unlike a claim is not written to a journal."""
        if player in self._known:
            return self._known[player]
        forgotten, is_kept = self._forgotten, self._is_kept
        seat = await self.ask(FindSeat(player))
        if seat is not None and seat.permanent:
            self._keeping()
            self._is_kept = True
            is_latest = is_kept and forgotten == self._forgotten  # else a seat may have changed since the answer
            if is_latest and len(self._known) < MAX_KNOWN:
                self._known[player] = seat.holder
        return None if seat is None else seat.holder

    def __str__(self) -> str:
        return f"{len(self._known)} seats are known to be kept for good"


CurrentSeats: TypeAlias = Callable[[], Seats | None]
"""Returns the seats of the game that the request at hand is for; None if in that game names belong to everybody."""
