"""A room that is awake: what its visitors and its supervisor share of it.

Safe under concurrency: the supervising task and those of the visitors share an `LiveRoom`, and change it only between
two awaits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar, cast, runtime_checkable

import trio

from scramble.errors import GameClosed, GameStopped
from scramble.games.room import RoomGame
from scramble.journal import Recorder
from scramble.kernel.owner import Owner
from scramble.players.presence import Presence
from scramble.rooms.gathering.following import Following
from scramble.rooms.gathering.messages import Attend
from scramble.rooms.gathering.stay import Stay
from scramble.rooms.gathering.stewardmessages import NoteExpelled
from scramble.rooms.protocol import Headcount, Room, RoomRecord
from scramble.rooms.store import RunningRoom

T = TypeVar("T")

ALONE_S: Final = 10.0
"""Seconds after which what is there for visitors goes if there are none: making it again takes less than a request, so
a client that asks seldom may pay for it each time."""


@runtime_checkable
class LetsGo(Protocol):
    """A value attached to a room that is to know when it goes."""

    def let_go(self) -> None:
        """Let go of what refers to it: what refers to each other stays in memory for long. Nobody uses it any more."""


class LiveRoom:
    """A room from the moment in which a visitor wakes it until its game is closed. Implements `Room`."""

    # AF: the room `name`, which `_wanted` leases keep awake: of requests, connections, and other processes that have
    #     joined it. `_following` knows who is in it. Its game runs from `begin` on. `leaving`: the game will be closed,
    #     and nobody may enter any more. `_failure` makes the error that its visitors get, once it is known that it
    #     cannot run, or has died.
    # RI: `ready` is set as soon as the game runs, or `_failure` is set; `gone` when everything of it is closed.

    def __init__(self, name: str, journal: Recorder | None, moved: Callable[[str], None]) -> None:
        """Make a room that is about to wake. `moved` is called with its name whenever its headcount changes."""
        self.name: Final = name
        self.journal: Final = journal
        self.ready: Final = trio.Event()
        self.gone: Final = trio.Event()
        self.leaving = False
        self.runs_here = False
        self.visited = 0.0  # the last visit that is recorded
        self.memory = 0  # that its game is to have, in bytes; 0 until it is known
        self._moved: Final = moved
        self._wanted = 0
        self._interest: Final = trio.lowlevel.ParkingLot()  # the supervisor waits for a change of _wanted or leaving
        self._record: RoomRecord | None = None
        self._running: RunningRoom | None = None
        self._beside: trio.Nursery | None = None
        self._failure: Callable[[], Exception] | None = None
        self._news: Final = trio.lowlevel.ParkingLot()
        self._following: Following | None = None
        self._headcount: Headcount | None = Headcount()  # that was told last
        self._attached: Final[dict[object, object]] = {}
        self._served: Final[dict[object, object]] = {}
        self._serving: Final[set[trio.CancelScope]] = set()

    # --- for those who are in it ---

    @property
    def record(self) -> RoomRecord:
        """The latest record of the room."""
        assert self._record is not None, "visitors get the room once it is ready"
        return self._record

    @property
    def game(self) -> RoomGame:
        """The running game."""
        return self._run.opened.game

    @property
    def gathering(self) -> Owner:
        """The owner of the gathering in the room."""
        return self._run.gathering

    @property
    def place(self) -> str:
        """The word for this process at the gathering."""
        return self._run.place

    @property
    def _run(self) -> RunningRoom:
        assert self._running is not None, "visitors get the room once it is ready"
        return self._running

    @property
    def following(self) -> Following:
        """The gathering, as far as this process knows it. Not to be changed."""
        assert self._following is not None, "visitors get the room once it is ready"
        return self._following

    @property
    def here(self) -> Presence:
        """The people in the room, on all processes, as far as this one knows. Not to be changed."""
        return self.following.presence

    async def known(self) -> Presence:
        """Return who is here, once this process knows everybody."""
        await self.following.loaded()
        return self.here

    def attend(
        self,
        player: str | None,
        holder: str | None = None,
        account: str = "",
        begin: Callable[[], None] | None = None,
    ) -> Stay:
        """Be in the room until the stay ends, by a connection of `player`, or None of somebody who watches."""
        return Stay(self.gathering, self.start_soon, Attend(self.place, holder, player, account), begin)

    @property
    def headcount(self) -> Headcount | None:
        """How many people are in the room; None if this process does not know it."""
        if self._following is None or not self._following.is_loaded:
            return None
        return Headcount(self.here.people, self.here.watching)

    async def release(self, player: str) -> None:
        """Free what a player holds who is to hold nothing any more."""
        release = self._run.opened.release
        if release is not None:
            await release(player)

    def attached(self, make: Callable[[Room], T], /, *, while_visited: bool = False) -> T:
        """Return what `make(room)` returned when it was first asked for since the room woke, or was left alone."""
        attached = self._served if while_visited else self._attached
        if self._is_over:
            return make(self)
        if make not in attached:
            attached[make] = make(self)
        return cast(T, attached[make])

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the game, cancelled once the room is left alone, or falls asleep."""
        if not self.leaving and self._beside is not None:
            self._beside.start_soon(self._serve, work)

    async def _serve(self, work: Callable[[], Awaitable[None]]) -> None:
        with trio.CancelScope() as scope:
            self._serving.add(scope)
            try:
                await work()
            finally:
                self._serving.remove(scope)

    def _stop_serving(self) -> None:
        """Let go of all that is there for visitors, of whom there are none."""
        served = tuple(self._served.values())
        self._served.clear()
        for scope in self._serving:
            scope.cancel()
        for one in served:
            if isinstance(one, LetsGo):
                one.let_go()

    async def next_record(self, seen: RoomRecord) -> RoomRecord:
        """Wait until the record is a later one than `seen`, and return it."""
        await trio.lowlevel.checkpoint()
        while self.record.changes <= seen.changes:
            if self.leaving:
                raise GameClosed("the room sleeps, or was closed") if self._failure is None else self._failure()
            await self._news.park()
        return self.record

    # --- for the rooms ---

    @property
    def runs(self) -> bool:
        """True if the game runs and may be entered."""
        return self.ready.is_set() and not self.leaving

    @property
    def ends(self) -> bool:
        """True if nobody may enter any more, though the supervisor may not know yet that the game has ended."""
        return self.leaving or (self._running is not None and self._running.ended)

    @property
    def idle(self) -> bool:
        """True if nobody keeps the room awake."""
        return not self._wanted

    @contextmanager
    def wanted(self) -> Iterator[None]:
        """Keep the room awake during the block."""
        self._wanted += 1
        self._interest.unpark_all()
        try:
            yield
        finally:
            self._wanted -= 1
            self._interest.unpark_all()
            self._let_go_if_over()

    async def wait_until_ready(self) -> None:
        """Wait until the game runs. Raises the error why it does not."""
        await self.ready.wait()
        if self._failure is not None:
            raise self._failure()

    def put(self, record: RoomRecord) -> None:
        """Take over a record, unless it is an older one, and have the gathering know whom it keeps out now."""
        before = self._record
        if before is not None and record.changes <= before.changes:
            return
        self._record = record
        self._news.unpark_all()
        if self.runs_here and before is not None and before.expelled != record.expelled:
            expelled = tuple(holder for holder in record.expelled if holder not in before.expelled)
            self._run.gathering.tell(NoteExpelled(expelled))

    def leave(self) -> None:
        """Have the game closed, though there may be visitors. Nobody can enter any more."""
        self.leaving = True
        self._interest.unpark_all()
        self._news.unpark_all()

    # --- for the supervisor ---

    def begin(self, running: RunningRoom, beside: trio.Nursery, *, runs_here: bool) -> Following:
        """Let the visitors in; tasks beside the game run in that nursery. Returns a block in which people are known."""
        presence = Presence(running.opened.present)
        presence.follow(self._tell_headcount)
        self._following = Following(running.gathering, presence, beside.start_soon, at_home=runs_here)
        self.runs_here = runs_here
        self._running, self._beside = running, beside
        self.ready.set()
        self._moved(self.name)
        return self._following

    def _tell_headcount(self) -> None:
        if self.headcount != self._headcount:  # a bot does not count
            self._headcount = self.headcount
            self._moved(self.name)

    def fail(self, error: Callable[[], Exception]) -> None:
        """Give all who are waiting to enter, and those who wait for a record, that error."""
        self._failure = error
        self.leave()
        self.ready.set()

    def end(self) -> None:
        """Record that everything of the room is closed."""
        self.leave()
        if not self.ready.is_set():
            self.fail(lambda: GameStopped("the server is closing"))
        self.gone.set()
        self._moved(self.name)
        self._let_go_if_over()

    def _let_go_if_over(self) -> None:
        """Let go of what is attached once all is closed and everybody has left: it refers to the room, and to itself.

        Objects in such a circle stay in memory until a collection of garbage, which in a server hardly ever comes.
        """
        if self._is_over:
            self._stop_serving()
            self._attached.clear()

    @property
    def _is_over(self) -> bool:
        return self.gone.is_set() and not self._wanted

    async def unwanted(self, sleep_after: float) -> None:
        """Wait until nobody has wanted the room for `sleep_after` seconds, or it has to go.

        What is attached to it while it is visited goes after `ALONE_S` of these.
        """
        while not self.leaving:
            if self._wanted:
                await self._interest.park()
                continue
            since = trio.current_time()
            if await self._is_alone_until(since + min(ALONE_S, sleep_after)):
                self._stop_serving()
                self.leaving = await self._is_alone_until(since + sleep_after) or self.leaving

    async def _is_alone_until(self, time: float) -> bool:
        """Wait until that time, and return True; False as soon as somebody wants the room, or it has to go."""
        with trio.move_on_at(time) as patience:
            await self._interest.park()
        return patience.cancelled_caught and not self._wanted

    def __str__(self) -> str:
        return f"{self.name}, {'leaving' if self.leaving else 'awake'}, kept awake by {self._wanted}"
