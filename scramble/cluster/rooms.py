"""The rooms of a cluster of processes. `open_cluster_rooms` opens them; `ClusterRooms` implements `Rooms`.

    async with open_link(parse_address("redis://localhost")) as link, open_cluster_rooms(link) as rooms:
        record = await rooms.create("memory", {"size": "4x4"})
        async with rooms.enter(record.name) as room:      # its game runs here, or in another process
            await room.game.ask(...)

The law: all processes serve all rooms. One of the processes owns each awake room. The owner runs the bots and clocks
and records the result; the other processes join. A process that ends gives up its rooms, and another process claims a
room when it needs the room.

Safe under concurrency for the reasons in `scramble.rooms.rooms_base`: the register holds the records, the supervision
holds the presence in rooms, and Redis holds the ownership.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, NoReturn
from weakref import WeakSet

import msgspec
import trio

from scramble.cluster.codec import vocabulary_of
from scramble.cluster.headcounts import Headcounts
from scramble.cluster.ownership import Ownership, open_claims
from scramble.cluster.protocol import GameMoved, RedisLink, RedisRefused
from scramble.cluster.redis_memory import watch_memory
from scramble.cluster.register import REGISTER, ClusterRegister
from scramble.cluster.scripts import persistently
from scramble.cluster.store import ClusterStore
from scramble.games.kind import GameKind
from scramble.games.table import game_kinds
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.problems import Problem
from scramble.rooms.bothosts import BOT_SECRET_BYTES
from scramble.rooms.names import is_room_name
from scramble.rooms.protocol import Figure, Headcount, NoSuchRoom, RoomCounts, RoomRemoved
from scramble.rooms.registermessages import CountRooms, FindRoom
from scramble.rooms.room_changes import Movements
from scramble.rooms.rooms_base import RegisteredRooms, RoomLimits
from scramble.rooms.supervision import Supervision

COUNT_S: Final = 2.0
"""Seconds for which a health check waits for the register, so that the check answers before its client gives up."""

BLIP_S: Final = 0.5
"""Maximum of seconds without a link that are not reported as an outage. Players only see that their moves wait."""

AWAY_S: Final = 10.0
"""Seconds without an answer of Redis after which a process is not ready. A balancer then tries other processes.

A pause, a restart and a failover of Redis end sooner (a failover takes 5 s until a replica is promoted, and a few more
until the processes find it). They concern all processes in the same way: a balancer would find no better process, and
would disconnect spectators.
"""

SCAN_COUNT: Final = 1000  # keys that Redis scans in one step


class ClusterRooms(RegisteredRooms):
    """The rooms of a cluster in one of its processes. Made by `open_cluster_rooms`."""

    # AF: the rooms; the process enters a room through _claims, and _headcounts has the headcounts of other processes'
    #     rooms. The rooms in _unopened had only settings at the last search of Redis.

    def __init__(
        self,
        link: RedisLink,
        claims: Ownership,
        headcounts: Headcounts,
        store: ClusterStore,
        register: ClusterRegister,
        supervision: Supervision,
        kinds: Mapping[str, GameKind],
        limits: RoomLimits,
        movements: WeakSet[Movements],
        now: Callable[[], float],
    ) -> None:
        """Use `open_cluster_rooms`."""
        super().__init__(store, register, supervision, kinds, limits, movements, now)
        self.link: Final = link
        self._claims: Final = claims
        self._headcounts: Final = headcounts
        self._cluster_register: Final = register
        self._memory: Final = store.memory
        self._unopened: frozenset[str] = frozenset()

    def headcount(self, name: str) -> Headcount:
        """Return the headcount of a room, on all processes. A player with several tabs counts once."""
        return self._supervision.headcount(name) or self._headcounts.of(name)

    async def counts(self) -> RoomCounts:
        """Return the numbers of rooms.

        Raises GameMoved: at once if this process is not linked to the others; after `COUNT_S` if the register does not
        answer.
        """
        if not self.link.is_up:
            raise GameMoved("there is no connection to Redis, and so to the other processes")
        return await self._cluster_register.ask(CountRooms(), within=COUNT_S)

    def problems(self) -> Sequence[Problem]:
        """Return the problems that this process knows. A hanging process does not know of its own problem."""
        problems = list(super().problems())
        if self.link.refusal:
            words = f"Redis refuses this process, which waits: {self.link.refusal}"
            alone = not RedisRefused(self.link.refusal).concerns_all
            problems.append(Problem("redis-refuses", words, down=alone and self.link.untaken_s > AWAY_S))
        elif not self.link.is_up:
            silent_s = self.link.round_trip_s
            words = f"Redis has not answered this process for {silent_s:.0f} s: moves wait"
            problems.append(Problem("redis-away", words, down=silent_s > AWAY_S))
        elif not self._cluster_register.has_owner:
            words = "the register of rooms is being taken over: rooms can neither be opened nor entered for a moment"
            problems.append(Problem("register-away", words))
        if self.full:
            problems.append(Problem("redis-full", "Redis is full: moves are refused until it has room"))
        return problems

    def figures(self) -> Sequence[Figure]:
        """Return the metrics of this process in its cluster."""
        counts, memory = self._claims.counts, self._memory
        return (
            *super().figures(),
            Figure("cluster_redis_used_bytes", "Memory that Redis uses.", memory.used_bytes),
            Figure("cluster_redis_limit_bytes", "The maxmemory of Redis; 0 without one.", memory.most_bytes or 0),
            Figure("cluster_linked", "1 while this process is linked to Redis.", float(self.link.is_up)),
            Figure("cluster_owners", "Rooms that this process owns.", self._claims.owned),
            Figure("cluster_joined", "Rooms of other processes that this one has joined.", self._claims.joined),
            Figure("cluster_claims", "Rooms without an owner that were claimed.", counts.claimed, counter=True),
            Figure("cluster_takeovers", "Rooms taken over from dead processes.", counts.taken_over, counter=True),
            Figure("cluster_depositions", "Rooms lost to other processes.", counts.deposed, counter=True),
            Figure("cluster_joins", "Joins of rooms of other processes.", counts.joined, counter=True),
            Figure(
                "cluster_remote_requests",
                "Requests of this process to games of other processes.",
                self._supervision.requests_elsewhere(),
                counter=True,
            ),
            Figure(
                "cluster_rooms_lost",
                "Rooms that this process knew, and Redis has lost.",
                self._cluster_register.rooms_lost,
                counter=True,
            ),
            Figure("cluster_redis_seconds", "Seconds until Redis answers.", self.link.round_trip_s),
        )

    async def follow_link(self) -> NoReturn:
        """Set the outage flag while there is no link to Redis, and clear it afterwards."""
        look = partial(self.link.call, "EXISTS", self.link.names.alive(self.link.process))
        while True:
            await self.link.until_lost()
            with trio.move_on_after(BLIP_S) as blip, suppress(RedisRefused):  # Redis has answered
                await persistently(look)
            if blip.cancelled_caught:
                self.outage.put(True)
                with suppress(RedisRefused):
                    await persistently(look)
                self.outage.put(False)

    async def forget(self, keep_s: float) -> None:
        """Remove old rooms and the data of orphaned rooms, if this process owns the register."""
        if self._cluster_register.runs_here:
            await super().forget(keep_s)
            await self._discard_orphans()

    async def _discard_orphans(self) -> None:
        """Delete the data that dead processes have left: games of removed rooms, settings of rooms that never opened.

        A process writes a room's settings just before it opens the room. So settings are deleted only if the register
        does not know the room in two successive searches. A game that the register never knew stays.
        """
        removed, unopened = set[str](), set[str]()
        for name in await self._names_in_redis():
            try:
                await self._register.ask(FindRoom(name))
            except RoomRemoved:
                removed.add(name)
            except NoSuchRoom:
                if not await persistently(partial(self.link.call, "EXISTS", self.link.names.room(name))):
                    unopened.add(name)
        await self.discard(removed | (unopened & self._unopened))
        self._unopened = frozenset(unopened - self._unopened)

    async def _names_in_redis(self) -> set[str]:
        """Return the names of the rooms that have a key in Redis."""
        names = set[str]()
        cursor: bytes = b"0"
        while True:
            answer = await persistently(
                partial(self.link.call, "SCAN", cursor, "MATCH", "scr:{*}:*", "COUNT", SCAN_COUNT)
            )
            cursor, keys = msgspec.convert(answer, tuple[bytes, list[bytes]])
            names.update(key.decode(errors="replace").partition("{")[2].partition("}")[0] for key in keys)
            if cursor == b"0":
                return {name for name in names if is_room_name(name)}

    def __str__(self) -> str:
        return f"the rooms of a cluster: {self._claims}"


@asynccontextmanager
async def open_cluster_rooms(
    link: RedisLink,
    *,
    kinds: Mapping[str, GameKind] | None = None,
    limits: RoomLimits = RoomLimits(),  # noqa: B008  immutable
    sleep_after: float = 60.0,
    keep_s: float = 30 * 86400.0,
    away_s: float = 20.0,
    now: Callable[[], float] = time.time,
) -> AsyncIterator[ClusterRooms]:
    """Open the rooms of the cluster of this process's link.

    Args:
        link: the link of this process; it must stay open until the rooms are closed.
        kinds: the games that can be played in rooms, by name, the same in all processes. None: all installed games.
        limits: `rooms` and `settings_bytes` apply to the cluster, `awake` to this process. Redis limits the data.
        sleep_after: the seconds after which an empty room of this process falls asleep.
        keep_s: the seconds for which a room is kept after the game's end. If the game does not end, the time begins
            at the last visit, with an error of at most an hour. After the removal the name is remembered for `keep_s`.
        away_s: the seconds after which the holdings of a departed player are free.
        now: returns the time of day, in seconds since 1970.

    Waits until a process owns the register of rooms; it may be this process. Raises GameMoved if that takes too long,
    and JournalError if the record of the register is unusable.

    At the end of the block all rooms that this process owns are closed and given up. Other processes may continue them
    at once.
    """
    movements: WeakSet[Movements] = WeakSet()
    kinds = game_kinds() if kinds is None else kinds
    words = {name: vocabulary_of(kind.requests, kind.events) for name, kind in kinds.items()}

    def moved(name: str) -> None:
        for follower in movements:
            follower.add(name)

    def moved_here(name: str) -> None:
        headcounts.note(name)
        moved(name)

    def owned(name: str | None) -> Mapping[str, Headcount]:
        found = supervision.awake() if name is None else [supervision.find(name)]
        return {room.name: room.headcount or Headcount() for room in found if room is not None and room.runs_here}

    async with (
        watch_memory(link) as memory,
        open_claims(link, memory.room_left, {REGISTER}) as claims,
        open_side_nursery(cancel) as nursery,
    ):
        headcounts = Headcounts(link, nursery, owned, moved)
        register = ClusterRegister(claims, link)
        store = ClusterStore(link, claims, memory, words)
        supervision = Supervision(
            store,
            register,
            nursery,
            kinds,
            most=limits.awake,
            most_bytes=limits.awake_bytes,
            sleep_after=sleep_after,
            away_s=away_s,
            now=now,
            moved=moved_here,
        )
        rooms = ClusterRooms(link, claims, headcounts, store, register, supervision, kinds, limits, movements, now)
        await nursery.start(register.keep)
        nursery.start_soon(supervision.follow_register)
        nursery.start_soon(headcounts.keep)
        nursery.start_soon(rooms.follow_link)
        nursery.start_soon(rooms.sweep, keep_s)
        yield rooms
        await supervision.close_all()


async def secret_of_bots(link: RedisLink) -> bytes:
    """Return the secret of the cluster's bots; create it if there is none. The bots' seats depend on it."""
    key = link.names.bots()
    look = partial(link.call, "GET", key)
    found = await persistently(look)
    if found is None:
        await persistently(partial(link.call, "SET", key, secrets.token_bytes(BOT_SECRET_BYTES), "NX"))
        found = await persistently(look)
    return msgspec.convert(found, bytes)
