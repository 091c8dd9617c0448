"""Two servers of the same rooms in one trio loop, joined by a simulated Redis, for tests of people at both servers.

    async with two_servers() as (first, second):
        ...                                     # the first server in a room runs the game, and the other server joins

Unlike real servers they have no log in Redis and no claims: the register is one actor in memory, and rooms have no
journals.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from typing import Final, cast
from weakref import WeakSet

import msgspec
import trio

from scramble.cluster.calling import joining
from scramble.cluster.codec import vocabulary_of
from scramble.cluster.protocol import Token
from scramble.cluster.serving import Part, serving
from scramble.front.rooms.app import rooms_site
from scramble.front.site import SiteConfig
from scramble.games.room import RoomClocks, RoomSetup
from scramble.games.table import game_kinds
from scramble.journal import Recorder
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.rooms.gathering.messages import GatheringCommand, GatheringEvent
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.local import LocalRooms
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.register import Register
from scramble.rooms.room_changes import Movements
from scramble.rooms.rooms_base import RegisteredRooms, RoomLimits
from scramble.rooms.store import Hold, RunningRoom
from scramble.rooms.supervision import Supervision
from tests.support.cluster.simulated import Network, SimulatedLink
from tests.support.rooms.served import ServedRooms, served

GATHERING: Final = vocabulary_of(GatheringCommand, GatheringEvent)
GAMES: Final = {name: vocabulary_of(kind.requests, kind.events) for name, kind in game_kinds().items()}


class _Hold:
    """A hold on a room: it runs the room, or joins the process that runs it."""

    def __init__(
        self,
        name: str,
        link: SimulatedLink,
        owners: dict[str, Token],
        wanted: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.runs_here = name not in owners
        self._wanted: Final = wanted
        self._name: Final = name
        self._link: Final = link
        self._owners: Final = owners

    @asynccontextmanager
    async def open(self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord) -> AsyncIterator[RunningRoom]:
        name, place = self._name, self._link.process
        async with AsyncExitStack() as stack:
            if not self.runs_here:
                both = {"game": GAMES[record.kind], "gathering": GATHERING}
                joined = await stack.enter_async_context(joining(self._link, name, self._owners[name], both))
                assert setup.join is not None
                opened = await stack.enter_async_context(setup.join(joined.owners["game"], clocks))
                yield RunningRoom(opened, joined.owners["gathering"], place)
                return
            opened = await stack.enter_async_context(setup.open(None, clocks))
            gathering = await stack.enter_async_context(open_gathering(record.host, record.turn_s))
            elsewhere = opened.elsewhere
            assert elsewhere is not None
            parts = {
                "game": Part(elsewhere.owner, GAMES[record.kind], elsewhere.caller),
                "gathering": Part(gathering, GATHERING),
            }
            token = Token(1, place)
            await stack.enter_async_context(serving(self._link, name, token, parts, joined=self._wanted))
            self._owners[name] = token
            stack.callback(self._owners.pop, name)
            yield RunningRoom(opened, gathering, place)


class _Store:
    """A store without storage: its rooms are open until the servers end. Implements `RoomStore`."""

    full = False

    def __init__(self, link: SimulatedLink, owners: dict[str, Token]) -> None:
        self._link: Final = link
        self._owners: Final = owners

    def require_room(self) -> None:
        pass

    async def keep_settings(self, name: str, settings: bytes) -> None:
        raise AssertionError("no test has long settings")

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        await trio.lowlevel.checkpoint()
        return msgspec.json.decode(record.settings, type=dict[str, object])

    async def has_game(self, name: str) -> bool:
        await trio.lowlevel.checkpoint()
        return True

    def recorder(self, name: str) -> Recorder:
        return cast(Recorder, None)  # as in rooms without a journal

    @asynccontextmanager
    async def held(self, name: str, wanted: Callable[[], AbstractContextManager[None]]) -> AsyncIterator[Hold]:
        await trio.lowlevel.checkpoint()
        yield _Hold(name, self._link, self._owners, wanted)

    async def note_death(self, name: str) -> int:
        await trio.lowlevel.checkpoint()
        return 1

    async def discard(self, name: str) -> None:
        pass


@asynccontextmanager
async def _server(
    link: SimulatedLink, register: Owner, owners: dict[str, Token], away_s: float
) -> AsyncIterator[ServedRooms]:
    """Serve the rooms of the register in the process of that link."""
    site, movements = rooms_site(SiteConfig()), WeakSet[Movements]()

    def moved(name: str) -> None:
        for follower in movements:
            follower.add(name)

    async with open_side_nursery(cancel) as process:
        store = _Store(link, owners)
        supervision = Supervision(
            store,
            register,
            process,
            game_kinds(),
            most_bytes=10**9,
            most=10,
            sleep_after=60.0,
            away_s=away_s,
            now=time.time,
            moved=moved,
        )
        process.start_soon(supervision.follow_register)
        rooms = RegisteredRooms(store, register, supervision, game_kinds(), RoomLimits(), movements, time.time)
        async with served(cast(LocalRooms, rooms), site, process) as server:
            yield server


@asynccontextmanager
async def two_servers(*, away_s: float = 20.0) -> AsyncIterator[tuple[ServedRooms, ServedRooms]]:
    """Serve the same rooms by two servers until the end of the block."""
    owners: dict[str, Token] = {}
    async with trio.open_nursery() as nursery:
        network = Network(nursery)
        async with (
            open_actor(Register()) as register,
            _server(network.link("first"), register, owners, away_s) as first,
            _server(network.link("second"), register, owners, away_s) as second,
        ):
            yield first, second
        nursery.cancel_scope.cancel()
