"""A cluster of processes in one trio loop: links that are joined by a simulated Redis, and their faults.

    network = Network(nursery)
    alice, bob = network.link("alice"), network.link("bob")

Each link is a connection to one server, so messages have the same order as with Redis: all listeners get the messages
of one link in order, after any delay. A link can be delayed (`delay`), stopped for a while (`stop`, like a process at
SIGSTOP), and cut (`cut`: messages in transit are lost, and both ends notice). `twice` duplicates messages. `lose` loses
some messages without a cut, which real Redis never does.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import trio

from scramble.cluster.liveness import ABSENT_S
from scramble.cluster.protocol import ALIVE_S, KeyNames, LinkLost, ProcessName, RedisValue, RedisWord


class SimulatedLink:
    """Implements `scramble.cluster.protocol.RedisLink`."""

    def __init__(self, network: Network, process: ProcessName, nursery: trio.Nursery) -> None:
        self.process: Final = process
        self.names: Final = KeyNames()
        self.is_up = True
        self.round_trip_s = 0.0
        self.untaken_s = 0.0
        self.refusal = ""
        self.delay: Callable[[], float] = lambda: 0.0
        """Seconds for the next messages to the server, and from the server; called for each round of messages."""
        self.lose: Callable[[str, bytes], bool] = lambda channel, message: False
        self.twice: Callable[[str, bytes], bool] = lambda channel, message: False
        self.published = 0
        self._network: Final = network
        self._listeners: Final[defaultdict[str, list[Callable[[bytes], None]]]] = defaultdict(list)
        self._up: Final[deque[tuple[str, bytes, Callable[[], None] | None]]] = deque()
        self._down: Final[deque[tuple[str, bytes]]] = deque()
        self._changed: Final = trio.lowlevel.ParkingLot()
        self._lost = trio.Event()
        self._stopped = False
        self._deaf = False
        nursery.start_soon(self._send)
        nursery.start_soon(self._receive)

    # --- the protocol ---

    async def call(self, *words: RedisWord) -> RedisValue:
        await trio.lowlevel.checkpoint()
        while not self.is_up or self._stopped:
            await self._changed.park()
        assert words == ("PING",), "the simulated Redis has no keys"
        return b"PONG"

    async def run(self, script: str, keys: Sequence[str], words: Sequence[RedisWord]) -> RedisValue:
        raise AssertionError("the simulated Redis runs no scripts")

    def publish(self, channel: str, message: bytes, unheard: Callable[[], None] | None = None) -> None:
        if self.is_up and not self.lose(channel, message):
            self.published += 1
            self._up.append((channel, message, unheard))
            if self.twice(channel, message):
                self._up.append((channel, message, None))
            self._changed.unpark_all()

    @asynccontextmanager
    async def listen(self, channel: str, heard: Callable[[bytes], None]) -> AsyncIterator[None]:
        self._listeners[channel].append(heard)
        try:
            await trio.lowlevel.checkpoint()
            yield
        finally:
            self._listeners[channel].remove(heard)

    async def until_lost(self) -> None:
        await trio.lowlevel.checkpoint()
        if self.is_up:
            await self._lost.wait()

    async def until_dead(self, process: ProcessName) -> None:
        await self._network.until_dead(process)

    async def lives(self, process: ProcessName) -> bool:
        await trio.lowlevel.checkpoint()
        if not self.is_up:
            raise LinkLost("the link was cut")
        return self._network.lives(process)

    # --- faults ---

    def cut(self) -> None:
        """Break the connection; messages in transit are lost."""
        self.is_up = False
        self._up.clear()
        self._down.clear()
        self._lost.set()
        self._network.silent(self.process, ABSENT_S)

    def connect(self) -> None:
        """Connect again."""
        self.is_up = True
        self.round_trip_s = 0.0
        self._lost = trio.Event()
        self._network.heard(self.process)
        self._changed.unpark_all()

    def stop(self) -> None:
        """Hold messages back in both directions, without a loss."""
        self._stopped = True
        self._network.silent(self.process, ALIVE_S)

    def resume(self) -> None:
        """Pass the held messages on."""
        self._stopped = False
        self._network.heard(self.process)
        self._changed.unpark_all()

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """Drop all messages to this link during the block, as if it had no listeners."""
        self._deaf = True
        yield
        self._deaf = False

    # --- the connection ---

    async def _send(self) -> None:
        while True:
            if not self._up or self._stopped:
                await self._changed.park()
                continue
            await trio.lowlevel.checkpoint()  # the messages of one scheduler round are sent together
            await _pause(self.delay())
            while self._up and not self._stopped:
                channel, message, unheard = self._up.popleft()
                if not self._network.deliver(channel, message) and unheard is not None:
                    unheard()

    async def _receive(self) -> None:
        while True:
            if not self._down or self._stopped:
                await self._changed.park()
                continue
            await trio.lowlevel.checkpoint()
            await _pause(self.delay())
            while self._down and not self._stopped:
                channel, message = self._down.popleft()
                for heard in tuple(self._listeners[channel]):
                    heard(message)

    def hears(self, channel: str, message: bytes) -> bool:
        """Take a message from the server if the link has a listener."""
        if not self.is_up or self._deaf or not self._listeners[channel]:
            return False
        self._down.append((channel, message))
        self._changed.unpark_all()
        return True


async def _pause(seconds: float) -> None:
    if seconds:
        await trio.sleep(seconds)


class Network:
    """All links, and the server between them."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery: Final = nursery
        self._links: Final[dict[ProcessName, SimulatedLink]] = {}
        self._dead_from: Final[dict[ProcessName, float]] = {}
        self._changed: Final = trio.lowlevel.ParkingLot()

    def link(self, process: str) -> SimulatedLink:
        """Start a process of that name, and return its link."""
        name = ProcessName(process)
        link = self._links[name] = SimulatedLink(self, name, self._nursery)
        return link

    def get(self, process: str) -> SimulatedLink:
        """Return the link of that process."""
        return self._links[ProcessName(process)]

    def forget(self, process: ProcessName) -> None:
        """Let the lease of a process expire before the next check."""
        self._dead_from[process] = 0.0

    def deliver(self, channel: str, message: bytes) -> int:
        """Deliver a message to all listeners; return their number."""
        return sum(link.hears(channel, message) for link in tuple(self._links.values()))

    def silent(self, process: ProcessName, seconds: float) -> None:
        """Let a process count as dead after at most `seconds`."""
        dead_from = trio.current_time() + seconds
        self._dead_from[process] = min(dead_from, self._dead_from.get(process, dead_from))
        self._changed.unpark_all()

    def heard(self, process: ProcessName) -> None:
        self._dead_from.pop(process, None)
        self._changed.unpark_all()

    def lives(self, process: ProcessName) -> bool:
        dead_from = self._dead_from.get(process)
        return process in self._links and (dead_from is None or trio.current_time() < dead_from)

    async def until_dead(self, process: ProcessName) -> None:
        await trio.lowlevel.checkpoint()
        while self.lives(process):
            dead_from = self._dead_from.get(process)
            if dead_from is None:
                await self._changed.park()
            else:
                await trio.sleep_until(dead_from)
