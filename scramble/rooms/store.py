"""The interface of a store for the rooms' games and long settings, for instance in a folder."""

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
"""A room is marked broken if its game crashes `DEATHS` times within `DEATHS_S` seconds."""


class RunningRoom(NamedTuple):
    """A running game, and the gathering beside it. `place` is the name of this process in the gathering."""

    opened: OpenedRoom
    gathering: Owner
    place: str = ""
    owner: Owner | None = None  # the game's owner, or this process's link to it; None: unknown

    @property
    def ended(self) -> bool:
        """True if the game's owner has ended, or is unreachable. Does not wait."""
        return self.owner is not None and self.owner.subscribe().ended


class Hold(Protocol):
    """A hold on one room. This process uses it to open the room's game, after it has read the room's record."""

    @property
    def runs_here(self) -> bool:
        """True if the game runs in this process; False if in another one. Valid once the game is open."""

    def open(
        self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord
    ) -> AbstractAsyncContextManager[RunningRoom]:
        """Open the recorded game, and the gathering beside it, during the block.

        Raises JournalError if the recorded game is unusable. Raises GameMoved if another process has the game, or if
        the game's owner is unknown. The block may raise GameMoved, too.
        """


class RoomStore(Protocol):
    """The store of all rooms. Its methods are safe under concurrency."""

    @property
    def full(self) -> bool:
        """True if no space is left, so that moves are refused. Does not wait."""

    def require_room(self) -> None:
        """Raise DiskFull if there is no space for another game. Does not wait."""

    async def keep_settings(self, name: str, settings: bytes) -> None:
        """Store the long settings of a room before the room is opened. Waits until they survive a crash.

        Raises RoomNameTaken if another room with that name has settings, or DiskFull.
        """

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room. Raises RoomDamaged if they cannot be read."""

    async def has_game(self, name: str) -> bool:
        """Return True if the room has a game: the first visit creates it."""

    def recorder(self, name: str) -> Recorder:
        """Return the recorder of a room's game, for its replay. The game need not exist yet. Does not wait."""

    def held(self, name: str, joined: Callable[[], AbstractContextManager[None]]) -> AbstractAsyncContextManager[Hold]:
        """Hold a room during the block. The hold begins before the record is read, and ends after the game is closed.

        So if another task closes or removes the room meanwhile, either that task finds the hold, or the holder reads
        the new record. `joined` makes a context manager that keeps the room awake for another process in the room.
        """

    async def note_death(self, name: str) -> int:
        """Note a crash of a room's game; return the number of its crashes in the last `DEATHS_S` seconds."""

    async def discard(self, name: str) -> None:
        """Delete all data of a room that is not held. Failures are logged."""
