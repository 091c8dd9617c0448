"""The link of a process to Redis: successive connections, heartbeats, and the listeners of channels.

    async with open_link(parse_address("redis://localhost")) as link:
        await link.call("SET", "name", "value")

The law: during the block the link has a connection, or opens a connection. When the connection breaks, all waiting
calls raise LinkLost. With the next connection, listeners receive messages again. A connection also counts as broken
after `SILENT_S` without an answer: the heartbeat of this process has expired, other processes may have claimed its
rooms, and so a new connection loses nothing more. `scramble.cluster.liveness` decides when a process counts as dead.

Safe under concurrency: state changes only between two awaits of one scheduler.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

import trio

from scramble.cluster.address import RedisAddress
from scramble.cluster.connection import CannotConnect, Connection, open_connection
from scramble.cluster.liveness import Lives
from scramble.cluster.protocol import (
    ALIVE_S,
    BEAT_S,
    KeyNames,
    LinkLost,
    ProcessName,
    RedisRefused,
    RedisValue,
    RedisWord,
)
from scramble.cluster.scripts import BEAT, persistently
from scramble.errors import OperatorError
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry

SILENT_S: Final = ALIVE_S + BEAT_S  # without an answer: then this process already counts as dead
LINK_CONNECT_TIMEOUT_S: Final = (
    3.0  # for a connection and the log-in: a hanging server accepts connections, and does not answer
)
FIRST_CONNECT_PAUSE_S: Final = 0.02  # before the next connection attempt; doubled each time
LONGEST_CONNECT_PAUSE_S: Final = 0.25  # far below ALIVE_S: after an outage, no process counts as dead too early

logger = logging.getLogger(__name__)


class CannotLink(OperatorError):
    """The Redis server of a cluster is unusable: it does not answer, refuses access, or is unsuitable."""

    code = "cannot-link"


class RedisLink:
    """Implements the protocol `RedisLink` with a Redis server. Made by `open_link`."""

    # AF: _connection is the current connection, or None. When the connection changes, _changed is set and replaced.
    #     _listeners are the callbacks by channel. Redis executed the last heartbeat after _beat_at. The last answer of
    #     Redis came after _asked_at. Redis refuses new connections with the words _refusal, if they are not empty.
    # RI: every channel in _listeners has a listener. _connection has subscribed to these channels, or is subscribing.

    def __init__(self, address: RedisAddress, process: ProcessName) -> None:
        self._address: Final = address
        self._process: Final = process
        self._names: Final = KeyNames(address.database)
        self._connection: Connection | None = None
        self._changed = trio.Event()
        self._listeners: Final[dict[str, list[Callable[[bytes], None]]]] = {}
        self._digests: Final[dict[str, str]] = {}
        self._beat_at = self._asked_at = -ALIVE_S
        self._lives: Final = Lives(self._names, self.run, lambda: self._beat_at)
        self._round_trip_s = 0.0
        self._refusal = ""

    @property
    def process(self) -> ProcessName:
        """The name of this process."""
        return self._process

    @property
    def names(self) -> KeyNames:
        """The names of keys and channels."""
        return self._names

    @property
    def address(self) -> RedisAddress:
        """The address of Redis; its text has no password."""
        return self._address

    @property
    def is_up(self) -> bool:
        """True while there is a connection, and the last heartbeat is recent."""
        connected = self._connection is not None and not self._connection.is_lost
        return connected and trio.current_time() < self._beat_at + ALIVE_S

    @property
    def round_trip_s(self) -> float:
        """Seconds from the last heartbeat to its answer. Without an answer: to now."""
        return max(self._round_trip_s, trio.current_time() - self._asked_at - BEAT_S)

    @property
    def untaken_s(self) -> float:
        """Seconds since Redis accepted a heartbeat, beyond the usual time between two heartbeats."""
        return trio.current_time() - self._beat_at - BEAT_S

    @property
    def refusal(self) -> str:
        """The error of Redis as it refused a connection; see `RedisLink.refusal`."""
        return self._refusal

    async def call(self, *words: RedisWord) -> RedisValue:
        """Send one command and return its answer; see `RedisLink.call`."""
        return await (await self._connected()).call(*words)

    async def run(self, script: str, keys: Sequence[str], words: Sequence[RedisWord]) -> RedisValue:
        """Run a Lua script; see `RedisLink.run`. Sends the script itself only if Redis does not know its digest."""
        digest = self._digests.get(script)
        if digest is None:
            digest = self._digests[script] = hashlib.sha1(script.encode()).hexdigest()
        connection = await self._connected()
        try:
            return await connection.call("EVALSHA", digest, len(keys), *keys, *words)
        except RedisRefused as refused:
            if refused.kind != "NOSCRIPT":
                raise
        return await connection.call("EVAL", script, len(keys), *keys, *words)  # the first try has executed nothing

    def publish(self, channel: str, message: bytes, unheard: Callable[[], None] | None = None) -> None:
        """Send a message to all processes that listen on a channel; see `RedisLink.publish`."""
        if self._connection is not None:
            self._connection.publish(channel, message, unheard)

    @asynccontextmanager
    async def listen(self, channel: str, heard: Callable[[bytes], None]) -> AsyncIterator[None]:
        """Call `heard` with each message on a channel during the block; see `RedisLink.listen`.

        Waits until Redis has confirmed the subscription, through outages and temporary refusals, too. Messages may
        arrive during the wait. Raises RedisRefused.
        """
        listeners = self._listeners.setdefault(channel, [])
        listeners.append(heard)
        try:
            await persistently(partial(self.call, "SUBSCRIBE", channel))
            yield
        finally:
            listeners.remove(heard)
            if not listeners and self._listeners.get(channel) is listeners:
                del self._listeners[channel]
                if self._connection is not None:
                    self._connection.send("UNSUBSCRIBE", channel)

    async def until_lost(self) -> None:
        """Wait until the current connection breaks. Returns at once without a connection."""
        if self._connection is not None:
            await self._connection.until_lost()

    async def until_dead(self, process: ProcessName) -> None:
        """Wait until a process is dead; see `RedisLink.until_dead`."""
        await self._lives.until_dead(process)

    async def lives(self, process: ProcessName) -> bool:
        """Return True if a process lives; see `RedisLink.lives`. If the process may be dead, waits for certainty."""
        return await self._lives.lives(process)

    # --- the tasks of the link ---

    async def _connected(self) -> Connection:
        while (connection := self._connection) is None or connection.is_lost:
            await self._changed.wait()
        return connection

    def _change(self, connection: Connection | None) -> None:
        self._connection = connection
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    def _note_refusal(self, refusal: str) -> None:
        """Note the reason why Redis refused a new connection. Empty: Redis did not answer."""
        self._refusal = refusal
        if refusal:
            self._asked_at = trio.current_time()

    async def _keep_linked(
        self, tls: ssl.SSLContext | None, patient: bool, *, task_status: trio.TaskStatus[None]
    ) -> None:
        """Open one connection after another, forever.

        Raises CannotLink if the first connection fails. If `patient`, raises it only for a permanent reason.
        """
        wait_s, linked_before, awaited = FIRST_CONNECT_PAUSE_S, False, False

        def linked() -> None:
            nonlocal wait_s, linked_before
            wait_s = FIRST_CONNECT_PAUSE_S
            if linked_before or awaited:
                logger.info(LogEntry("linked", redis=str(self._address)))
            if not linked_before:
                linked_before = True
                task_status.started()

        while True:
            try:
                reason = await self._link_once(tls, linked)
                logger.warning(LogEntry("link-lost", redis=str(self._address), reason=reason))
            except CannotConnect as error:
                self._note_refusal(error.refusal)
                if not linked_before and not (patient and error.passing):
                    raise CannotLink(str(error)) from None
                if linked_before or awaited:
                    logger.debug(LogEntry("link-not-yet", redis=str(self._address), reason=str(error)))
                else:
                    awaited = True
                    logger.warning(LogEntry("redis-awaited", redis=str(self._address), reason=str(error)))
            await trio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_CONNECT_PAUSE_S)

    async def _link_once(self, tls: ssl.SSLContext | None, linked: Callable[[], object]) -> str:
        """Open a connection, call `linked`, and return why the connection broke. Raises CannotConnect."""
        without_tls = ", or not with TLS" if tls else ""
        late = CannotConnect(
            f"{self._address} does not answer within {LINK_CONNECT_TIMEOUT_S:g} s{without_tls}", passing=True
        )
        with trio.CancelScope() as limit:
            limit.deadline = trio.current_time() + LINK_CONNECT_TIMEOUT_S
            async with open_connection(self._address, tls, self._heard, name=f"scramble-{self._process}") as connection:
                try:
                    await self._begin(connection, limit)
                except LinkLost as lost:
                    raise CannotConnect(str(lost), passing=True) from None
                limit.deadline = float("inf")
                self._lives.begin()
                self._change(connection)
                linked()
                try:
                    return await connection.until_lost()
                finally:
                    self._change(None)
        raise late

    async def _begin(self, connection: Connection, limit: trio.CancelScope) -> None:
        """Send a heartbeat, and subscribe to all channels. Raises CannotConnect and LinkLost.

        Redis may take long to load its files. Meanwhile the deadline of `limit` is postponed.
        """
        loading = False
        while True:
            try:
                await self._beat(connection)
                break
            except RedisRefused as refused:
                if refused.kind != "LOADING":
                    passing = refused.concerns_all  # a replica stays a replica: the link needs another address
                    raise CannotConnect(f"{self._address}: {refused}", passing=passing, refusal=str(refused)) from None
                self._note_refusal(str(refused))
                if not loading:
                    loading = True
                    logger.warning(LogEntry("redis-loading", redis=str(self._address)))
            await trio.sleep(FIRST_CONNECT_PAUSE_S)
            limit.deadline = trio.current_time() + LINK_CONNECT_TIMEOUT_S
        connection.send("SUBSCRIBE", self._names.presence(self._process))  # first: other processes wait for it
        subscribed: set[str] = set()
        while missing := self._listeners.keys() - subscribed:
            *others, last = missing
            for channel in others:
                connection.send("SUBSCRIBE", channel)
            try:
                await connection.call("SUBSCRIBE", last)
            except RedisRefused as refused:
                raise CannotConnect(f"{self._address}: {refused}", passing=False) from None
            subscribed |= missing
        for channel in subscribed - self._listeners.keys():
            connection.send("UNSUBSCRIBE", channel)

    async def _beat(self, connection: Connection) -> None:
        """Send a heartbeat. Raises RedisRefused and LinkLost."""
        began = trio.current_time()
        key, lapses_ms = self._names.alive(self._process), int(ALIVE_S * 1000)
        try:
            await connection.call("SET", key, 1, "PX", lapses_ms)
        except RedisRefused as refused:
            if refused.kind != "OOM":
                raise
            await connection.call("EVAL", BEAT, 1, key, lapses_ms)
        self._refusal = ""
        self._lives.answered(began)
        self._beat_at = self._asked_at = began
        self._round_trip_s = trio.current_time() - began

    async def _say_goodbye(self) -> None:
        """Delete the heartbeat, if there is a connection."""
        if self._connection is not None:
            with trio.move_on_after(BEAT_S, shield=True), suppress(LinkLost, RedisRefused):
                await self._connection.call("DEL", self._names.alive(self._process))

    async def _keep_alive(self) -> None:
        """Send a heartbeat every `BEAT_S`, and cut a connection if Redis is silent."""
        while True:
            await trio.sleep_until(max(trio.current_time(), self._beat_at + BEAT_S))
            connection = await self._connected()
            with trio.move_on_after(SILENT_S) as limit:
                try:
                    await self._beat(connection)
                except LinkLost:
                    pass
                except RedisRefused as refused:
                    connection.cut(f"Redis refuses the heartbeat: {refused}")
            if limit.cancelled_caught:
                connection.cut(f"Redis was silent for {SILENT_S:g} s")

    def _heard(self, channel: str, messages: list[bytes]) -> None:
        for heard in tuple(self._listeners.get(channel, ())):
            for message in messages:
                heard(message)


@asynccontextmanager
async def open_link(address: RedisAddress, *, patient: bool = False) -> AsyncIterator[RedisLink]:
    """Link this process to Redis during the block, under a new name. Other processes know it as alive.

    Waits for the first connection; if `patient`, also during an outage or a start of Redis. At the end of the block
    the process counts as dead at once, so it must give up its rooms before the end. A cancelled block still deletes the
    heartbeat, and waits for that at most `BEAT_S`.

    Raises:
        BadAddress: the certificates of the address are unusable.
        CannotLink: Redis does not answer (unless `patient`), refuses this process, or is no Redis.
    """
    tls = address.tls_context()
    link = RedisLink(address, ProcessName(secrets.token_hex(6)))
    async with open_side_nursery(cancel) as nursery:
        await nursery.start(link._keep_linked, tls, patient)
        nursery.start_soon(link._keep_alive)
        nursery.start_soon(link._lives.watch)
        try:
            yield link
        finally:
            await link._say_goodbye()
