"""The data of a cluster's rooms in Redis, without the register: a log for each game, and long settings.

    scr:{NAME}:room, scr:{NAME}:log    the game, from the first visit to the room on (scripts.py)
    scr:{NAME}:settings                its settings as JSON, if they are too long for the register
    scr:{NAME}:deaths                  the times of recent crashes of its game, in seconds since 1970

The law: only a process that owns a room removes it, so no game is written after its removal. Settings are written once,
before the room is opened.

Safe under concurrency: the only state is the last measurement of memory, and Redis executes each command in one step.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Final

from scramble.cluster.codec import Vocabulary
from scramble.cluster.log import REDIS_FULL
from scramble.cluster.ownership import Ownership
from scramble.cluster.protocol import GameMoved, RedisLink, RedisRefused
from scramble.cluster.redis_memory import RedisMemory
from scramble.cluster.scripts import claim, owner_of, persistently, remove
from scramble.cluster.serving import Part
from scramble.errors import DiskFull, JournalError
from scramble.games.room import RoomClocks, RoomSetup
from scramble.journal import Recorder
from scramble.kernel.owner import Owner
from scramble.logs import LogEntry
from scramble.rooms.gathering.messages import GatheringCommand, GatheringEvent
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.protocol import RoomNameTaken, RoomRecord
from scramble.rooms.settings_files import damaged_settings, long_digest, long_settings, short_settings
from scramble.rooms.store import DEATHS, DEATHS_S, RunningRoom

GAME: Final = "game"
GATHERING: Final = "gathering"
"""The parts of a room."""

GATHERING_WORDS: Final = Vocabulary(GatheringCommand, GatheringEvent)

logger = logging.getLogger(__name__)


class ClusterStore:
    """The store of one cluster. Implements `RoomStore`; `RoomStore` documents the methods."""

    def __init__(
        self, link: RedisLink, claims: Ownership, memory: RedisMemory, words: Mapping[str, Vocabulary]
    ) -> None:
        """Create the store. `words` are the messages of the games, by kind of room."""
        self._link: Final = link
        self._claims: Final = claims
        self.memory: Final = memory
        self._words: Final = words

    @property
    def full(self) -> bool:
        """True if Redis has no memory for another game."""
        return not self.memory.room_left()

    def require_room(self) -> None:
        """Raise DiskFull if Redis has no memory for another game."""
        if self.full:
            raise DiskFull(REDIS_FULL)

    async def keep_settings(self, name: str, settings: bytes) -> None:
        """Write the settings of a room before it is opened. Repeated tries write them only once."""
        key = self._link.names.settings(name)
        try:
            written = await persistently(partial(self._link.call, "SET", key, settings, "NX"))
            if written is None and await persistently(partial(self._link.call, "GET", key)) != settings:
                raise RoomNameTaken("a room has this name, or had it lately")
        except RedisRefused as refused:
            raise DiskFull(REDIS_FULL) from refused

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room."""
        if long_digest(record) is None:
            return short_settings(record)
        key = self._link.names.settings(record.name)
        try:
            found = await persistently(partial(self._link.call, "GET", key))
        except RedisRefused as refused:
            raise damaged_settings(f"{key}: {refused}") from refused
        if not isinstance(found, bytes):
            raise damaged_settings(f"{key} is missing in Redis")
        return long_settings(record, found, key)

    async def has_game(self, name: str) -> bool:
        """Return True if the game has begun, or if Redis refuses the request."""
        with suppress(RedisRefused):
            return bool(await persistently(partial(self._link.call, "EXISTS", self._link.names.room(name))))
        return True

    def recorder(self, name: str) -> Recorder:
        """Return the recorder of a room's game."""
        return self._claims.recorder(name)

    def held(
        self, name: str, joined: Callable[[], AbstractContextManager[None]]
    ) -> AbstractAsyncContextManager[ClusterHold]:
        """Hold a room. Does nothing in Redis until the game is opened."""
        return nullcontext(ClusterHold(self._link, self._claims, name, joined, self._words))

    async def note_death(self, name: str) -> int:
        """Note the crash of a room's game. All processes share the count, because the room may move between crashes."""
        key, now = self._link.names.deaths(name), time.time()
        try:
            found = await persistently(partial(self._link.call, "GET", key))
            before = map(float, found.split()) if isinstance(found, bytes) else ()
            times = [*(died for died in before if died >= now - DEATHS_S), now][-DEATHS:]
            await persistently(partial(self._link.call, "SET", key, " ".join(map(repr, times)), "EX", int(DEATHS_S)))
        except RedisRefused:
            return 1
        return len(times)

    async def discard(self, name: str) -> None:
        """Delete the game and the settings of a room. If a process owns the room, it is deposed."""
        try:
            await self._discard_game(name)
            names = self._link.names
            await persistently(partial(self._link.call, "DEL", names.settings(name), names.deaths(name)))
        except (RedisRefused, JournalError) as error:
            logger.error(LogEntry("room-not-deleted", room=name, reason=str(error)))

    async def _discard_game(self, name: str) -> None:
        link = self._link
        while await persistently(partial(link.call, "EXISTS", link.names.room(name))):
            answer = await claim(link, name, await owner_of(link, name))
            if answer.won and answer.owner is not None:
                await remove(link, name, answer.owner)

    def __str__(self) -> str:
        return f"the cluster of {self._link.process}"


class ClusterHold:
    """A hold on a room of a cluster. The room's game runs in this or another process. Implements `Hold`."""

    def __init__(
        self,
        link: RedisLink,
        claims: Ownership,
        name: str,
        wanted: Callable[[], AbstractContextManager[None]],
        words: Mapping[str, Vocabulary],
    ) -> None:
        """Hold the room of that name."""
        self._link: Final = link
        self._claims: Final = claims
        self._name: Final = name
        self._wanted: Final = wanted
        self._words: Final = words
        self.runs_here = False

    @asynccontextmanager
    async def open(self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord) -> AsyncIterator[RunningRoom]:
        """Own the room, or join the process that owns it, during the block."""
        place = self._link.process
        openable = _OpenableRoom(setup, clocks, record, self._words[record.kind], place, self._wanted)
        async with self._claims.entered(self._name, openable) as entered:
            self.runs_here = entered.runs_here
            yield entered.opened


class _OpenableRoom:
    """Opens a room with known settings. Implements `Openable`."""

    keeps_all: Final = True

    def __init__(
        self,
        setup: RoomSetup,
        clocks: RoomClocks,
        record: RoomRecord,
        words: Vocabulary,
        place: str,
        wanted: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._setup: Final = setup
        self._clocks: Final = clocks
        self._record: Final = record
        self._place: Final = place
        self.wanted: Final = wanted
        self.vocabularies: Final[Mapping[str, Vocabulary]] = {GAME: words, GATHERING: GATHERING_WORDS}

    @asynccontextmanager
    async def own(self, recorder: Recorder, /) -> AsyncIterator[RunningRoom]:
        """Run the game from its log, and a gathering without people."""
        record = self._record
        async with (
            self._setup.open(recorder, self._clocks) as opened,
            open_gathering(record.host, record.turn_s) as gathering,
        ):
            elsewhere = opened.elsewhere
            yield RunningRoom(opened, gathering, self._place, None if elsewhere is None else elsewhere.owner)

    def parts(self, opened: RunningRoom, /) -> Mapping[str, Part]:
        """Return the game and the gathering."""
        parts = {GATHERING: Part(opened.gathering, GATHERING_WORDS)}
        elsewhere = opened.opened.elsewhere
        if elsewhere is not None:
            parts[GAME] = Part(elsewhere.owner, self.vocabularies[GAME], elsewhere.caller)
        return parts

    @asynccontextmanager
    async def join(self, owners: Mapping[str, Owner], /) -> AsyncIterator[RunningRoom]:
        """Join the game of another process."""
        if self._setup.join is None:
            raise GameMoved("this game runs in another process, and cannot be joined")
        async with self._setup.join(owners[GAME], self._clocks) as opened:
            yield RunningRoom(opened, owners[GATHERING], self._place, owners[GAME])
