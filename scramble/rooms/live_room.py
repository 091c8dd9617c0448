"""An awake room: the state that its visitors and its supervisor share.

Safe under concurrency: the supervising task and the visitors' tasks share a `LiveRoom`, and change it only between two
awaits.
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
"""Objects for visitors are dropped after this number of seconds without visitors. A client with rare requests may cause
new objects at each request. This is acceptable: making them takes less time than a request."""


@runtime_checkable
class LetsGo(Protocol):
    """A value attached to a room with `while_visited`. The room calls `let_go` when it drops the value."""

    def let_go(self) -> None:
        """Drop the references to this value: a reference cycle would keep it in memory. The room no longer uses it."""


class LiveRoom:
    """A room from its first visitor's arrival until its game is closed. Implements `Room`."""

    # AF: the room `name`. `_wanted` counts the leases that keep the room awake: requests, connections, and other
    #     processes that have joined the room. `_following` knows the people in it. Its game runs after `begin`.
    #     `leaving`: the game will be closed, and the room cannot be entered. `_failure` makes the error for visitors,
    #     once the game has crashed or cannot run.
    # RI: `ready` is set once the game runs, or `_failure` is set. `gone` is set once all parts of the room are closed.

    def __init__(self, name: str, journal: Recorder | None, moved: Callable[[str], None]) -> None:
        """Create a room that is about to wake. `moved` is called with its name when its headcount changes."""
        self.name: Final = name
        self.journal: Final = journal
        self.ready: Final = trio.Event()
        self.gone: Final = trio.Event()
        self.leaving = False
        self.runs_here = False
        self.visited = 0.0  # the last recorded visit
        self.memory = 0  # bytes for the game; 0 until known
        self._moved: Final = moved
        self._wanted = 0
        self._interest: Final = trio.lowlevel.ParkingLot()  # the supervisor waits for a change of _wanted or leaving
        self._record: RoomRecord | None = None
        self._running: RunningRoom | None = None
        self._beside: trio.Nursery | None = None
        self._failure: Callable[[], Exception] | None = None
        self._news: Final = trio.lowlevel.ParkingLot()
        self._following: Following | None = None
        self._headcount: Headcount | None = Headcount()  # at the last call of `moved`
        self._attached: Final[dict[object, object]] = {}
        self._served: Final[dict[object, object]] = {}
        self._serving: Final[set[trio.CancelScope]] = set()

    # --- for visitors ---

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
        """The name of this process in the gathering."""
        return self._run.place

    @property
    def _run(self) -> RunningRoom:
        assert self._running is not None, "visitors get the room once it is ready"
        return self._running

    @property
    def following(self) -> Following:
        """The gathering, as far as this process knows it. Read-only."""
        assert self._following is not None, "visitors get the room once it is ready"
        return self._following

    @property
    def here(self) -> Presence:
        """The people in the room, on all processes, as far as this process knows them. Read-only."""
        return self.following.presence

    async def known(self) -> Presence:
        """Return the people here, once this process knows everybody."""
        await self.following.loaded()
        return self.here

    def attend(
        self,
        player: str | None,
        holder: str | None = None,
        account: str = "",
        begin: Callable[[], None] | None = None,
    ) -> Stay:
        """Begin a stay for a connection of `player`, or of a spectator (None). It lasts until its `end` is called."""
        return Stay(self.gathering, self.start_soon, Attend(self.place, holder, player, account), begin)

    @property
    def headcount(self) -> Headcount | None:
        """The number of people in the room, and the host; None if this process does not know them."""
        following = self._following
        if following is None or not following.is_loaded:
            return None
        player = following.state.host_player if following.state is not None and self.here.people > 0 else None
        host = None if player is None else following.names.get(player, player)
        return Headcount(self.here.people, self.here.watching, host)

    async def release(self, player: str) -> None:
        """Release everything that a player holds."""
        release = self._run.opened.release
        if release is not None:
            await release(player)

    def attached(self, make: Callable[[Room], T], /, *, while_visited: bool = False) -> T:
        """Return the result of `make(room)`, cached while the room is awake, or only `while_visited`."""
        attached = self._served if while_visited else self._attached
        if self._is_over:
            return make(self)
        if make not in attached:
            attached[make] = make(self)
        return cast(T, attached[make])

    def start_soon(self, work: Callable[[], Awaitable[None]], /) -> None:
        """Run `work` in a task beside the game. The task is cancelled after some time without visitors."""
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
        """Drop all objects for visitors, and cancel their tasks, because there are no visitors."""
        served = tuple(self._served.values())
        self._served.clear()
        for scope in self._serving:
            scope.cancel()
        for one in served:
            if isinstance(one, LetsGo):
                one.let_go()

    async def next_record(self, seen: RoomRecord) -> RoomRecord:
        """Wait until the record is later than `seen`, and return it."""
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
        """True if the room can no longer be entered. The supervisor may not have noticed the game's end yet."""
        return self.leaving or (self._running is not None and self._running.ended)

    @property
    def idle(self) -> bool:
        """True if nothing keeps the room awake."""
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
        """Wait until the game runs. Raises the error that prevents it."""
        await self.ready.wait()
        if self._failure is not None:
            raise self._failure()

    def put(self, record: RoomRecord) -> None:
        """Replace the record if `record` is newer. Notify the gathering of newly expelled clients."""
        before = self._record
        if before is not None and record.changes <= before.changes:
            return
        self._record = record
        self._news.unpark_all()
        if self.runs_here and before is not None and before.expelled != record.expelled:
            expelled = tuple(holder for holder in record.expelled if holder not in before.expelled)
            self._run.gathering.tell(NoteExpelled(expelled))

    def leave(self) -> None:
        """Request the end of the game, even with visitors. The room can no longer be entered."""
        self.leaving = True
        self._interest.unpark_all()
        self._news.unpark_all()

    # --- for the supervisor ---

    def begin(self, running: RunningRoom, beside: trio.Nursery, *, runs_here: bool) -> Following:
        """Admit the visitors. Tasks beside the game run in `beside`. Returns the block that follows the gathering."""
        presence = Presence(running.opened.present)
        presence.follow(self._tell_headcount)
        self._following = Following(
            running.gathering, presence, beside.start_soon, at_home=runs_here, renamed=self._tell_headcount
        )
        self.runs_here = runs_here
        self._running, self._beside = running, beside
        self.ready.set()
        self._moved(self.name)
        return self._following

    def _tell_headcount(self) -> None:
        if self.headcount != self._headcount:  # bots do not change the headcount
            self._headcount = self.headcount
            self._moved(self.name)

    def fail(self, error: Callable[[], Exception]) -> None:
        """Raise this error in all tasks that wait to enter or wait for a record."""
        self._failure = error
        self.leave()
        self.ready.set()

    def end(self) -> None:
        """Note that all parts of the room are closed."""
        self.leave()
        if not self.ready.is_set():
            self.fail(lambda: GameStopped("the server is closing"))
        self.gone.set()
        self._moved(self.name)
        self._let_go_if_over()

    def _let_go_if_over(self) -> None:
        """Drop all attached values once the room is closed and without visitors: they and the room form a cycle.

        A cycle stays in memory until a garbage collection, which is rare in a server.
        """
        if self._is_over:
            self._stop_serving()
            self._attached.clear()

    @property
    def _is_over(self) -> bool:
        return self.gone.is_set() and not self._wanted

    async def unwanted(self, sleep_after: float) -> None:
        """Wait until `leaving` is set. Set it once the room was unwanted for `sleep_after` seconds.

        Objects for visitors are dropped after the first `ALONE_S` of these seconds.
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
        """Wait until that time, and return True. Return False earlier if the room is wanted, or `leaving` is set."""
        with trio.move_on_at(time) as patience:
            await self._interest.park()
        return patience.cancelled_caught and not self._wanted

    def __str__(self) -> str:
        return f"{self.name}, {'leaving' if self.leaving else 'awake'}, kept awake by {self._wanted}"
