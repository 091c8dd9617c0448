"""The turn clock of a Memory Scramble room. All connections see the times when players must relinquish cards."""

from __future__ import annotations

from typing import Final

from scramble.front.web.asked import Asked
from scramble.memory.frames import clock_frame
from scramble.memory.game import Game


class TurnClock(Asked[int]):
    """The times when players must relinquish cards, and the connections that follow these times."""

    # AF: an `Asked`. A version is the `number` of a `DueRelease`.

    def __init__(self, game: Game) -> None:
        super().__init__(game.start_soon, "clock", game.changes, version=-1)
        self._game: Final = game

    async def ask(self) -> tuple[int, str]:
        """Return the version of the current times, and their frame. Raises GameStopped."""
        due = await self._game.due()
        return due.number, clock_frame(due.seconds).decode()

    async def work(self) -> None:
        """Renew the frame after each change of the players or their times."""
        while True:
            await self._game.due(after=self.version)
            await self.renew()
