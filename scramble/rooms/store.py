"""The place that keeps what rooms have beside their records: games and long settings. A folder is one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Final, NamedTuple, Protocol

from scramble.games.room import OpenedRoom, RoomClocks, RoomSetup
from scramble.journal import Recorder
from scramble.kernel.owner import Owner
from scramble.rooms.protocol import RoomRecord

DEATHS: Final = 3
DEATHS_S: Final = 60.0
"""A room whose game dies that often in so many seconds is marked broken."""


class RunningRoom(NamedTuple):
    """A game that was opened, and the gathering beside it, at which this process is called `place`."""

    opened: OpenedRoom
    gathering: Owner
    place: str = ""
    owner: Owner | None = None  # of the game, as this process reaches it; None: not known

    @property
    def ended(self) -> bool:
        """True if the game's owner has ended, or is out of reach. Does not wait."""
        return self.owner is not None and self.owner.subscribe().ended


class Hold(Protocol):
    """A hold on one room, in which this process opens its game: only a room that there is has anything to open."""

    @property
    def runs_here(self) -> bool:
        """True if the game runs in this process; False if it is another one's. To be asked once it is open."""

    def open(
        self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord
    ) -> AbstractAsyncContextManager[RunningRoom]:
        """Open the game for the length of a block, from what is recorded of it, and the gathering beside it.

        Raises JournalError if that cannot be used, and GameMoved, during the block too, if another process has the
        game, or nobody can say who has it.
        """


class RoomStore(Protocol):
    """The place of all rooms. Its methods are safe under concurrency."""

    @property
    def full(self) -> bool:
        """True if there is no room for more, so that moves are refused. Does not wait."""

    def require_room(self) -> None:
        """Raise DiskFull if there is no room for another game. Does not wait."""

    async def keep_settings(self, name: str, settings: bytes) -> None:
        """Keep the long settings of a room that is about to be opened. Waits until nothing can lose them.

        Raises RoomNameTaken if another room with that name has some, and DiskFull.
        """

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room. Raises RoomDamaged if they cannot be read."""

    async def has_game(self, name: str) -> bool:
        """Return True if somebody has entered the room since it was opened, so that there is a game."""

    def recorder(self, name: str) -> Recorder:
        """Return the place of a room's game, for its replay; there need not be a game yet. Does not wait."""

    def held(self, name: str, joined: Callable[[], AbstractContextManager[None]]) -> AbstractAsyncContextManager[Hold]:
        """Hold a room during the block: from before its record is read until its game is closed.

        `joined` keeps the room awake: for another process that has joined it.

        So a room that is closed or removed meanwhile is found to be held, or its holder finds that out.
        """

    async def note_death(self, name: str) -> int:
        """Note that the game of a room has died of a bug; return how often it has in the last `DEATHS_S` seconds."""

    async def discard(self, name: str) -> None:
        """Delete all that is kept of a room, which nobody may hold. Failures are logged."""
