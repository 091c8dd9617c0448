"""The interface of a store: it keeps the rooms' data beside the records, games and long settings, as in a folder."""

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
    """An opened game, and the gathering beside it. `place` is the name of this process in the gathering."""

    opened: OpenedRoom
    gathering: Owner
    place: str = ""
    owner: Owner | None = None  # of the game, as this process reaches it; None: unknown

    @property
    def ended(self) -> bool:
        """True if the game's owner has ended, or is unreachable. Does not wait."""
        return self.owner is not None and self.owner.subscribe().ended


class Hold(Protocol):
    """A hold on one room. This process opens the room's game through it, once it knows that the room exists."""

    @property
    def runs_here(self) -> bool:
        """True if the game runs in this process; False if in another one. Valid once the game is open."""

    def open(
        self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord
    ) -> AbstractAsyncContextManager[RunningRoom]:
        """Open the recorded game, and the gathering beside it, during the block.

        Raises JournalError if the record is unusable. Raises GameMoved, from the block, too, if another process has the
        game, or its owner is unknown.
        """


class RoomStore(Protocol):
    """The store of all rooms. Its methods are safe under concurrency."""

    @property
    def full(self) -> bool:
        """True if there is no space for more, so that moves are refused. Does not wait."""

    def require_room(self) -> None:
        """Raise DiskFull if there is no space for another game. Does not wait."""

    async def keep_settings(self, name: str, settings: bytes) -> None:
        """Store the long settings of a room before it is opened. Waits until they survive a crash.

        Raises RoomNameTaken if there are settings of another room with that name, and DiskFull.
        """

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room. Raises RoomDamaged if they cannot be read."""

    async def has_game(self, name: str) -> bool:
        """Return True if the room was entered since it was opened, so that there is a game."""

    def recorder(self, name: str) -> Recorder:
        """Return the recorder of a room's game, for its replay. The game need not exist yet. Does not wait."""

    def held(self, name: str, joined: Callable[[], AbstractContextManager[None]]) -> AbstractAsyncContextManager[Hold]:
        """Hold a room during the block: from before its record is read until its game is closed.

        `joined` is a context manager for another process that has joined the room. It keeps the room awake.

        So if the room is closed or removed meanwhile, either the caller finds the hold, or the holder notices it.
        """

    async def note_death(self, name: str) -> int:
        """Note a crash of a room's game; return the number of its crashes in the last `DEATHS_S` seconds."""

    async def discard(self, name: str) -> None:
        """Delete all data of a room, which must not be held. Failures are logged."""
