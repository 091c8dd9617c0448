"""Entry of this process to a room: it becomes the owner of the room, or joins the process that owns the room.

    async with ownership.entered(room, openable) as entered:
        entered.opened              # the result of `openable.own` or `openable.join`
        entered.runs_here           # True: this process owns the room

The law: this process claims a room without an owner or with a dead owner. It joins any other room. It owns a room only
while it opens, plays and closes the game. At the end it gives up the room, so that another process may claim the room
at once. If Redis does not confirm the release in time, a background task repeats it. A live owner is notified when
another process claims its room. A process that was paused or disconnected may miss the notification. So it asks Redis
about each of its rooms afterwards.

Safe under concurrency: state changes between two awaits. One task of the process at a time enters a room.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from functools import partial
from types import TracebackType
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec
import trio

from scramble.cluster.calling import joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.log import REDIS_FULL, ClusterRecorder, read_log
from scramble.cluster.protocol import ALIVE_S, BEAT_S, Deposed, GameMoved, LinkLost, RedisLink, RedisRefused, Token
from scramble.cluster.scripts import Beginning, claim, owner_of, persistently, release
from scramble.cluster.serving import Part, serving
from scramble.errors import DiskFull, GameStopped, JournalError, leaves
from scramble.journal import Kept, Recorder, Recording
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Durable
from scramble.logs import LogEntry

T = TypeVar("T")
D = TypeVar("D", bound=Durable)

CLAIM_TIMEOUT_S: Final = 8.0
"""Seconds for which a visitor of a room waits for the owner.

They cover the lifetime of a dead owner's heartbeat, the same time again after an outage of Redis (no process may claim
the room earlier), and time to read the room's log."""

FIRST_CLAIM_PAUSE_S: Final = 0.02
LONGEST_CLAIM_PAUSE_S: Final = 0.25
"""Seconds between two tries to enter: the first pause and the longest pause. Each pause is twice the last pause."""

RELEASE_S: Final = 0.4
"""Seconds for which a closing room waits for Redis to confirm the release. After that a background task waits."""

UNCONFIRMED_S: Final = ALIVE_S - 2 * BEAT_S
"""Seconds without an answer of Redis after which this process asks whether it still owns its rooms."""

logger = logging.getLogger(__name__)


class Openable(Protocol[T]):
    """A way to open a room: as its owner, or as a process that joins it."""

    @property
    def vocabularies(self) -> Mapping[str, Vocabulary]:
        """The messages of the room's parts."""

    @property
    def keeps_all(self) -> bool:
        """True if all commands stay in the log, so that the game can be replayed."""

    def own(self, recorder: Recorder, /) -> AbstractAsyncContextManager[T]:
        """Run the recorded game during the block."""

    def parts(self, opened: T, /) -> Mapping[str, Part]:
        """Return the parts of a room in this process that other processes can reach."""

    def join(self, owners: Mapping[str, Owner], /) -> AbstractAsyncContextManager[T]:
        """Play in the room during the block. Another process owns its parts."""

    def wanted(self) -> AbstractContextManager[None]:
        """Keep a room in this process awake during the block, because another process has joined it."""


class EnteredPart(NamedTuple, Generic[T]):
    """An entered room. `runs_here`: this process owns it."""

    opened: T
    runs_here: bool


class ClaimCounts(msgspec.Struct):
    """Counts since the start of the process."""

    claimed: int = 0  # rooms without an owner
    taken_over: int = 0  # from dead processes
    deposed: int = 0  # by processes that took this one for dead
    joined: int = 0


class _Owned(NamedTuple):
    token: Token
    scope: trio.CancelScope  # around all tasks of the room


class Ownership:
    """The rooms of a cluster that this process owns or has joined. Made by `open_claims`."""

    # AF: this process owns the rooms in _owned. _joined counts the joined rooms, and `counts` has the events so far.
    #     Both leave out the rooms in _uncounted, because these rooms have no players. _checks counts the started checks
    #     of all owned rooms. Tasks in _nursery complete late releases.

    def __init__(
        self, link: RedisLink, nursery: trio.Nursery, room_left: Callable[[], bool], uncounted: Collection[str]
    ) -> None:
        self._link: Final = link
        self._nursery: Final = nursery
        self._room_left: Final = room_left
        self._uncounted: Final = frozenset(uncounted)
        self._owned: Final[dict[str, _Owned]] = {}
        self._checks = 0
        self._joined = 0
        self.counts: Final = ClaimCounts()

    @property
    def owned(self) -> int:
        """The number of rooms that this process owns."""
        return len(self._owned.keys() - self._uncounted)

    @property
    def joined(self) -> int:
        """The number of rooms that this process has joined."""
        return self._joined

    def recorder(self, room: str) -> Recorder:
        """Return the recorder of a room's game, to read the game."""
        return _Claiming(self, room, None)

    def entered(self, room: str, openable: Openable[T]) -> AbstractAsyncContextManager[EnteredPart[T]]:
        """Own a room during the block, or join the process that owns it.

        Waits for an owner, `CLAIM_TIMEOUT_S` at most, and raises GameMoved after that. The block raises GameMoved as
        soon as the room has another owner, or its owner is unreachable. Raises GameStopped if a joined game has
        crashed; JournalError if the log is unusable; DiskFull if Redis has no memory for it.
        """
        return _Entering(partial(self._enter, room, openable))

    async def _enter(
        self, room: str, openable: Openable[T]
    ) -> tuple[EnteredPart[T], AbstractAsyncContextManager[EnteredPart[T]]]:
        """Return an entered room, and its open context manager."""
        until, pause = trio.current_time() + CLAIM_TIMEOUT_S, FIRST_CLAIM_PAUSE_S
        while True:
            try:
                way = await self._way_in(room, openable, until)
                return await way.__aenter__(), way
            except GameMoved:
                if trio.current_time() + pause >= until:
                    raise
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_CLAIM_PAUSE_S)

    async def _way_in(
        self, room: str, openable: Openable[T], until: float
    ) -> AbstractAsyncContextManager[EnteredPart[T]]:
        link = self._link
        with trio.CancelScope() as limit:
            limit.deadline = until
            try:
                owner = await owner_of(link, room)
            except RedisRefused as refused:
                raise JournalError(f"the owner of room {room} is unknown: {refused}") from refused
            if owner is None or owner.process == link.process:
                return self._owning(room, owner, openable)
            if not await persistently(partial(link.lives, owner.process)):
                return self._owning(room, owner, openable)
            if await self._is_hosted(room):
                return self._joining(room, owner, openable)
        raise GameMoved("the game moves to another process, or begins there: try again")

    async def _is_hosted(self, room: str) -> bool:
        """Return True if a room's owner listens. An owner that reads the log or gives up the room does not listen."""
        answer = await persistently(partial(self._link.call, "PUBSUB", "NUMSUB", self._link.names.asks(room)))
        _, listeners = msgspec.convert(answer, tuple[bytes, int])
        return listeners > 0

    @asynccontextmanager
    async def _owning(self, room: str, seen: Token | None, openable: Openable[T]) -> AsyncIterator[EnteredPart[T]]:
        recorder, checks = _Claiming(self, room, seen, keeps_all=openable.keeps_all), self._checks
        try:
            with _in_one_word(), trio.CancelScope() as scope:
                async with openable.own(recorder) as opened:
                    token = recorder.token
                    assert token is not None, "it was recorded"
                    owned = self._owned[room] = _Owned(token, scope)
                    async with serving(self._link, room, token, openable.parts(opened), joined=openable.wanted):
                        if checks != self._checks:  # perhaps the room was claimed before this process listened
                            with suppress(RedisRefused):
                                await self._check(room, owned)
                            await trio.lowlevel.checkpoint_if_cancelled()
                        yield EnteredPart(opened, runs_here=True)
            if scope.cancelled_caught:
                raise GameMoved("another process owns the game now")
        except GameMoved as moved:
            if room in self._owned:
                self.counts.deposed += self._counts(room)
                logger.warning(LogEntry("room-deposed", room=room, reason=str(moved)))
            raise
        finally:
            self._owned.pop(room, None)

    @asynccontextmanager
    async def _joining(self, room: str, owner: Token, openable: Openable[T]) -> AsyncIterator[EnteredPart[T]]:
        with _in_one_word():
            async with (
                joining(self._link, room, owner, openable.vocabularies) as joined,
                openable.join(joined.owners) as opened,
                open_side_nursery(cancel) as nursery,
            ):

                async def until_moved() -> None:
                    raise await joined.until_moved()

                nursery.start_soon(until_moved)
                self._joined += self._counts(room)
                self.counts.joined += self._counts(room)
                try:
                    yield EnteredPart(opened, runs_here=False)
                finally:
                    self._joined -= self._counts(room)

    def _counts(self, room: str) -> int:
        return int(room not in self._uncounted)

    # --- ownership ---

    async def claim(self, room: str, seen: Token | None, beginning: Beginning) -> Token:
        """Claim a room. Raises GameMoved if another process was faster, and DiskFull."""
        try:
            answer = await claim(self._link, room, seen, beginning)
        except trio.Cancelled:
            self._nursery.start_soon(self._give_up_all, room)
            raise
        except RedisRefused as refused:
            if refused.kind == "OOM":
                raise DiskFull(REDIS_FULL) from refused
            raise JournalError(f"room {room} cannot be claimed: {refused}") from refused
        if not answer.won or answer.owner is None:
            raise GameMoved("another process has the game now")
        if seen is None or seen.process == self._link.process:
            self.counts.claimed += self._counts(room)
            logger.info(LogEntry("room-claimed", room=room, epoch=answer.owner.epoch))
        else:
            self.counts.taken_over += self._counts(room)
            logger.warning(LogEntry("room-taken-over", room=room, epoch=answer.owner.epoch, dead=seen.process))
        return answer.owner

    async def give_up(self, room: str, token: Token) -> None:
        """Give up a room, in `RELEASE_S` at most; then a background task continues. Cannot be cancelled."""
        with trio.move_on_after(RELEASE_S, shield=True):
            await self._release(room, token)
            return
        self._nursery.start_soon(self._release, room, token)

    async def _release(self, room: str, token: Token) -> None:
        try:
            await release(self._link, room, token)
        except RedisRefused as refused:
            logger.warning(LogEntry("room-not-released", room=room, reason=str(refused)))

    async def _give_up_all(self, room: str) -> None:
        """Give up a room if this process owns it."""
        try:
            owner = await owner_of(self._link, room)
        except (RedisRefused, JournalError):
            return
        if owner is not None and owner.process == self._link.process and room not in self._owned:
            await self._release(room, owner)

    async def watch(self) -> None:
        """Give up rooms that another process has claimed during a pause or a disconnection. Runs until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._check_after_silence)
            nursery.start_soon(self._check_after_loss)

    async def _check_after_silence(self) -> None:
        answered = trio.current_time()
        while True:
            await trio.sleep(BEAT_S)
            try:
                await self._link.call("PING")
                now = trio.current_time()
                if now > answered + UNCONFIRMED_S + BEAT_S:
                    await self._check_owned()
                answered = now
            except (LinkLost, RedisRefused):
                continue

    async def _check_after_loss(self) -> None:
        """Check all rooms after each loss of the connection. Later claims are notified over the new connection."""
        while True:
            await self._link.until_lost()
            try:
                await self._link.call("PING")  # waits for the next connection
                await self._check_owned()
            except (LinkLost, RedisRefused):
                continue

    async def _check_owned(self) -> None:
        self._checks += 1
        for room, owned in list(self._owned.items()):
            await self._check(room, owned)

    async def _check(self, room: str, owned: _Owned) -> None:
        owner = await persistently(partial(owner_of, self._link, room))
        if owner != owned.token and self._owned.get(room) is owned:
            owned.scope.cancel()

    def __str__(self) -> str:
        return f"{self._link.process} owns {self.owned} rooms, and is in {self._joined} others"


class _Entering(AbstractAsyncContextManager[EnteredPart[T]]):
    """The block of `Ownership.entered`. Its end closes the context manager that `_enter` has opened."""

    __slots__ = ("_enter", "_way")

    def __init__(
        self, enter: Callable[[], Awaitable[tuple[EnteredPart[T], AbstractAsyncContextManager[EnteredPart[T]]]]]
    ) -> None:
        self._enter: Final = enter
        self._way: AbstractAsyncContextManager[EnteredPart[T]] | None = None

    async def __aenter__(self) -> EnteredPart[T]:
        entered, self._way = await self._enter()
        return entered

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._way is not None
        return await self._way.__aexit__(kind, error, trace)


class _Claiming:
    """The recorder of a room's game, with the claim of the room at its start. Implements `Recorder`."""

    # AF: the recorder of _room. _seen was the last known owner. `token` is set once this process has claimed the room.

    def __init__(self, claims: Ownership, room: str, seen: Token | None, *, keeps_all: bool = True) -> None:
        self._claims: Final = claims
        self._room: Final = room
        self._seen: Final = seen
        self._keeps_all: Final = keeps_all
        self.token: Token | None = None

    @asynccontextmanager
    async def recorded(self, rules: D, /) -> AsyncIterator[Kept[D]]:
        """Claim the room, record its game during the block, and give up the room. Raises like `ClusterRecorder`."""
        claims, room = self._claims, self._room
        first = await trio.to_thread.run_sync(rules.state)
        token = self.token = await claims.claim(room, self._seen, Beginning(rules.kind, first, time.time()))
        try:
            recorder = ClusterRecorder(claims._link, room, token, claims._room_left, keeps_all=self._keeps_all)
            async with recorder.recorded(rules) as kept:
                del rules, first  # free the first state during the game
                yield kept
        finally:
            await claims.give_up(room, token)

    def read(self, *, after: int = 0) -> Recording:
        """Return the game, only with the commands after number `after`. Blocks: call it in a worker thread of trio."""
        return trio.from_thread.run(partial(read_log, self._claims._link, self._room, after=after))

    def __str__(self) -> str:
        return f"room {self._room} in Redis"


@contextmanager
def _in_one_word() -> Iterator[None]:
    """Raise one GameStopped for the end of an ownership or a join. Many tasks raise it, in exception groups."""
    try:
        yield
    except (Deposed, LinkLost) as moved:
        raise GameMoved(str(moved)) from moved
    except BaseExceptionGroup as group:
        ends, rest = group.split((GameStopped, Deposed, LinkLost))
        if ends is None:
            raise
        if rest is not None:  # a bug, or a cancellation because the process is closing
            raise rest from None
        first = leaves(ends)[0]
        if isinstance(first, GameStopped):
            raise first from None
        raise GameMoved(str(first)) from None


@asynccontextmanager
async def open_claims(
    link: RedisLink, room_left: Callable[[], bool] = lambda: True, uncounted: Collection[str] = ()
) -> AsyncIterator[Ownership]:
    """Let this process enter rooms during the block. It must leave all rooms before the end of the block.

    `room_left` returns False while Redis has no memory for more commands. `uncounted` are rooms without players. If
    Redis is down at the end, some rooms may stay unreleased; soon they count as rooms of a dead process.
    """
    async with open_side_nursery(cancel) as nursery:
        claims = Ownership(link, nursery, room_left, uncounted)
        nursery.start_soon(claims.watch)
        yield claims
