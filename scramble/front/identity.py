"""Identity of players at a front end. It decides the names under which a client may play, with or without a secret."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Protocol, TypeVar

from scramble.kernel.protocol import Command
from scramble.players.seats import ClaimSeat, FindSeat, SeatTaken, seat_taken_words

R = TypeVar("R")


class Ask(Protocol):
    """A function that sends a command to the game, for example `Game.ask`. It raises the errors of `Game.ask`."""

    async def __call__(self, command: Command[R], /) -> R:
        """Wait for the answer, and return it."""


class AnonymousPlayer:
    """A client without a secret, for example a telnet user. It may play under any name that is not a seat."""

    def __init__(self, ask: Ask) -> None:
        self._ask: Final = ask

    async def objection(self, player: str) -> str | None:
        """Return the reason for a refusal if the name is a seat; None if the client may be `player`."""
        return None if await self._ask(FindSeat(player)) is None else sentence(player)

    async def seated(self, player: str) -> bool:
        """Return True if the name is not a seat. Takes no seat: the name is free again after the client disconnects."""
        return await self.objection(player) is None


class KnownPlayer:
    """A WebSocket client with a secret, for games in which a player connects first and then gives a name."""

    def __init__(self, ask: Ask, holder: str) -> None:
        self._ask: Final = ask
        self._holder: Final = holder

    async def objection(self, player: str) -> str | None:
        """Return the reason for a refusal if another client has the seat; None if the client may be `player`."""
        seat = await self._ask(FindSeat(player))
        return None if seat is None or seat.holder == self._holder else sentence(player)

    async def seated(self, player: str) -> bool:
        """Take the seat if it is free, and the game has free seats. Return True if no other client has the seat."""
        with suppress(SeatTaken):
            if await self._ask(FindSeat(player)) is None:
                await self._ask(ClaimSeat(player, self._holder))
        return await self.objection(player) is None


def sentence(player: str) -> str:
    """Return a message for people: the name is another player's seat."""
    words = seat_taken_words(player)
    return f"{words[0].upper()}{words[1:]}."
