"""One connection to Redis, from its handshake to its end: commands, their answers, and messages on channels.

    async with open_connection(address, heard) as connection:
        assert await connection.call("SET", "name", "value") == b"OK"

The law: answers come in the order of the commands. Every sent command has an entry in a queue. The entry takes the
answer, even if its caller was cancelled; so the other callers get their own answers. When the connection breaks, all
entries in the queue get LinkLost at once. Later callers get LinkLost, too. A connection never recovers:
`scramble.cluster.link` opens a new connection.

All commands of one round of the scheduler are sent together, in a hook of trio that runs before trio waits. A sending
task would take one round more, a tenth of the cost of a command. Messages for one channel in one round are joined into
one PUBLISH, as a msgpack array; the reader splits them. The reader parses with hiredis, a library in C. It calls the
listeners directly: one task step per message would be too slow.

Redis answers a message only if its sender needs to know the number of listeners, because each answer would wake this
process once more. `CLIENT REPLY SKIP` before each other message suppresses the answer. If Redis refuses SKIP, its error
arrives in place of a suppressed answer. The connection then ends before an answer reaches the wrong caller. With SKIP,
a Redis before 7.0.10 would also drop messages from other processes. So an old Redis answers all messages, and the
connection ignores the answers.

Safe under concurrency: state changes only between two awaits of one scheduler. One task reads. If the socket does not
accept all data at once, another task writes the rest, and nothing else is sent meanwhile.
"""

from __future__ import annotations

import os
import re
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, Protocol, TypeAlias, cast

import hiredis
import msgspec
import outcome
import trio

from scramble.cluster.address import RedisAddress
from scramble.cluster.protocol import LinkLost, RedisRefused, RedisValue, RedisWord
from scramble.errors import ScrambleError
from scramble.kernel.nursery import cancel, open_side_nursery

READ_BYTES: Final = 65536
NO_REDIS: Final = "the server at the address of Redis does not speak its protocol"
A_CLUSTER: Final = "is a node of a Redis Cluster, which cannot be used: use one server, with replicas if you like"
UNKNOWN_HELLO: Final = "unknown command `HELLO`"  # from a server before version 6
KEEPS_PUSHES: Final = (7, 0, 10)
"""The first version of Redis whose `CLIENT REPLY SKIP` suppresses only answers, and no messages from other processes.

A Valkey that is compatible with Redis 7.2 reports version 7.2; a later Valkey reports 8 or higher."""

REFUSES_ANY: Final = frozenset(("BUSY", "NOAUTH"))
"""The kinds of errors that any command may cause. Other errors name their command; for `SKIP` that is CLIENT."""
NAMES_CLIENT: Final = re.compile(r"['`]client\b|client help", re.IGNORECASE)

NOT_YET: Final = object()
"""The parser's result while an answer is incomplete. None would be ambiguous, because Redis may answer None."""

DIRECT: Final = os.name == "posix"
"""True: read and write sockets by their file descriptors. Trio's way costs two more rounds of the scheduler."""

Heard: TypeAlias = Callable[[str, list[bytes]], object]
"""Called with a channel and the messages that arrived together on it. It must not wait."""

_messages: Final = msgspec.msgpack.Decoder(list[bytes])


def _packed(*words: RedisWord) -> bytes:
    return cast(bytes, hiredis.pack_command(cast(tuple[RedisWord], words)))  # of any length, despite its type stub


SKIP: Final = _packed("CLIENT", "REPLY", "SKIP")


class CannotConnect(ScrambleError):
    """No usable server at this address. The text has the reason: no answer, a refusal, or an unknown protocol.

    `passing`: the reason is temporary, because the server is down or starting. `refusal` is the server's error, if it
    answered.
    """

    code = "cannot-connect"
    status = 503

    def __init__(self, reason: str, *, passing: bool, refusal: str = "") -> None:
        self.passing: Final = passing
        self.refusal: Final = refusal
        super().__init__(reason)


class _Taker(Protocol):
    """One entry in the queue for answers."""

    def take(self, answer: outcome.Outcome[RedisValue]) -> None:
        """Take the answer, or the error of the command or the connection. Does not wait."""


class _Caller:
    """A task that waits for an answer, until it is cancelled."""

    __slots__ = ("_task",)

    def __init__(self) -> None:
        self._task: trio.lowlevel.Task | None = None

    def take(self, answer: outcome.Outcome[RedisValue]) -> None:
        if self._task is not None:
            trio.lowlevel.reschedule(self._task, answer)

    async def answer(self) -> RedisValue:
        def abort(_: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            self._task = None
            return trio.lowlevel.Abort.SUCCEEDED

        self._task = trio.lowlevel.current_task()
        return cast(RedisValue, await trio.lowlevel.wait_task_rescheduled(abort))


class _Nobody:
    """Ignores the answer."""

    __slots__ = ()

    def take(self, answer: outcome.Outcome[RedisValue]) -> None:
        pass


class _Publisher:
    """The messages of one round for one channel, and the callbacks for messages without a listener."""

    __slots__ = ("messages", "unheard")

    def __init__(self) -> None:
        self.messages: Final[list[bytes]] = []
        self.unheard: Final[list[Callable[[], None]]] = []

    def take(self, answer: outcome.Outcome[RedisValue]) -> None:
        if isinstance(answer, outcome.Value) and answer.value == 0:
            for unheard in self.unheard:
                unheard()


NOBODY: Final = _Nobody()
UNANSWERED: Final = _Nobody()
"""The queue entry for one or more messages that Redis does not answer."""


class Connection:
    """A connection to Redis. Made by `open_connection`."""

    # AF: _rest, the packed commands in _commands and the messages in _published are still to be sent, in this order.
    #     _waiting takes, in order, the answers to the sent but unanswered commands, then to _commands. The writing task
    #     is sending _rest. _lost is the reason why the connection broke; None while it works.
    # RI: if _lost, _commands, _published and _waiting are empty.

    def __init__(self, stream: trio.abc.Stream, heard: Heard) -> None:
        self._stream: Final = stream
        self._socket: Final = stream.socket.fileno() if DIRECT and isinstance(stream, trio.SocketStream) else None
        self._heard: Final = heard
        self._commands: list[bytes] = []
        self._published: dict[str, _Publisher] = {}
        self._rest = b""
        self._waiting: Final[deque[_Taker]] = deque()
        self._trio: Final = trio.lowlevel.current_trio_token()
        self._work: Final = trio.lowlevel.ParkingLot()
        self._lost: str | None = None
        self._end: Final = trio.Event()
        self._may_skip = False  # set at the log-in
        self._replies: Final = hiredis.Reader(
            protocolError=_ProtocolBroken, replyError=RedisRefused, notEnoughData=NOT_YET
        )

    async def call(self, *words: RedisWord) -> RedisValue:
        """Send one command and return its answer. After a cancellation Redis may have executed it.

        A call that is already cancelled at its start sends nothing. A SUBSCRIBE or UNSUBSCRIBE must name one channel.
        Raises RedisRefused, and LinkLost.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._lost is not None:
            await trio.lowlevel.cancel_shielded_checkpoint()
            raise LinkLost(self._lost)
        caller = _Caller()
        self._send(words, caller)
        return await caller.answer()

    def send(self, *words: RedisWord) -> None:
        """Send one command without waiting for its answer. Does nothing once the connection is lost."""
        if self._lost is None:
            self._send(words, NOBODY)

    def publish(self, channel: str, message: bytes, unheard: Callable[[], None] | None = None) -> None:
        """Publish a message, joined with others of this round on this channel; see `RedisLink.publish`.

        Without `unheard` Redis does not answer, if its version can do so without losses.
        """
        if self._lost is not None:
            return
        publisher = self._published.get(channel)
        if publisher is None:
            publisher = self._published[channel] = _Publisher()
            self._wake()
        publisher.messages.append(message)
        if unheard is not None:
            publisher.unheard.append(unheard)

    @property
    def is_lost(self) -> bool:
        """True once the connection is broken."""
        return self._lost is not None

    def cut(self, reason: str) -> None:
        """End the connection: all waiting callers get LinkLost with that reason. Does not wait; may be called again."""
        if self._lost is None:
            self._lost = reason
            waiting = [*self._waiting]
            self._waiting.clear()
            self._commands.clear()
            self._published.clear()
            self._end.set()
            for taker in waiting:
                taker.take(outcome.Error(LinkLost(reason)))

    async def until_lost(self) -> str:
        """Wait until the connection breaks, and return the reason."""
        await self._end.wait()
        return str(self._lost)

    def _send(self, words: tuple[RedisWord, ...], taker: _Taker) -> None:
        self._commands.append(_packed(*words))
        self._waiting.append(taker)
        self._wake()

    def _wake(self) -> None:
        if self._socket is None:
            self._work.unpark()

    def _publish(self, channel: str, publisher: _Publisher) -> None:
        command = _packed("PUBLISH", channel, msgspec.msgpack.encode(publisher.messages))
        if publisher.unheard or not self._may_skip:
            self._waiting.append(publisher)
        else:
            self._commands.append(SKIP)
            if not (self._waiting and self._waiting[-1] is UNANSWERED):
                self._waiting.append(UNANSWERED)
        self._commands.append(command)

    def _take_commands(self) -> bytes:
        if self._published:
            published, self._published = self._published, {}
            for channel, publisher in published.items():
                self._publish(channel, publisher)
        commands, self._commands = self._commands, []
        return b"".join(commands)

    def flush(self) -> None:
        """Write this round's data to the socket. The writer sends the rest that the socket does not accept."""
        if self._socket is not None and (self._commands or self._published) and not self._rest:
            self._rest = self._take_commands()
            with suppress(OSError):  # the writer gets the same error, and handles it
                self._rest = self._rest[os.write(self._socket, self._rest) :]
            if self._rest:
                self._trio.run_sync_soon(self._work.unpark)  # not directly: no task may wake when trio is about to wait

    # --- the two tasks ---

    async def _write(self) -> None:
        """Send the rest that `flush` leaves."""
        try:
            while True:
                while not self._rest:
                    if self._socket is None and (self._commands or self._published):
                        self._rest = self._take_commands()
                    else:
                        await self._work.park()
                await self._stream.send_all(self._rest)
                self._rest = b""
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self.cut(f"the connection to Redis broke: {_reason(error)}")

    async def _read(self) -> None:
        """Read answers and messages, and pass them on."""
        replies = self._replies
        try:
            while data := await self._receive_some():
                replies.feed(data)
                while (answer := cast(object, replies.gets())) is not NOT_YET:
                    if isinstance(answer, hiredis.PushNotification):
                        self._pushed(answer)
                    elif isinstance(answer, RedisRefused):
                        self._take(outcome.Error(answer))
                    else:
                        self._take(outcome.Value(cast(RedisValue, answer)))
            self.cut("Redis closed the connection")
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self.cut(f"the connection to Redis broke: {_reason(error)}")
        except _ProtocolBroken:
            self.cut(NO_REDIS)

    async def _receive_some(self) -> bytes:
        while self._socket is not None:
            await trio.lowlevel.wait_readable(self._socket)
            try:
                return os.read(self._socket, READ_BYTES)
            except BlockingIOError:
                continue
        return bytes(await self._stream.receive_some(READ_BYTES))

    def _take(self, answer: outcome.Outcome[RedisValue]) -> None:
        """Give an answer to the first entry in the queue."""
        waiting = self._waiting
        if waiting and waiting[0] is UNANSWERED:
            if isinstance(answer, outcome.Error) and _may_refuse_silence(answer.error):
                self.cut(f"Redis may have refused CLIENT REPLY SKIP: {answer.error}")
                return
            waiting.popleft()
        if waiting:
            waiting.popleft().take(answer)
        elif self._lost is None:
            self.cut(NO_REDIS)

    def _pushed(self, push: list[bytes]) -> None:
        kind, *rest = push
        if kind == b"message":
            channel, data = rest
            try:
                messages = _messages.decode(data)
            except msgspec.DecodeError:
                return  # from another program on this channel
            self._heard(channel.decode(), messages)
        elif kind in (b"subscribe", b"unsubscribe"):
            self._take(outcome.Value(None))  # the answer to the command, in the order of all answers


def _may_refuse_silence(error: BaseException) -> bool:
    """Return True if an error may be a refusal of `SKIP`; otherwise `SKIP` has no answer."""
    assert isinstance(error, RedisRefused)
    return error.kind in REFUSES_ANY or (error.kind in ("ERR", "NOPERM") and bool(NAMES_CLIENT.search(str(error))))


class _BeforeWaiting(trio.abc.Instrument):
    """Calls a function at the end of each round of the scheduler. It must neither raise nor wake a task."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Final = act

    def before_io_wait(self, timeout: float) -> None:
        self._act()


class _ProtocolBroken(Exception):
    """The peer does not speak the protocol of Redis."""


@asynccontextmanager
async def open_connection(
    address: RedisAddress, tls: ssl.SSLContext | None, heard: Heard, *, name: str
) -> AsyncIterator[Connection]:
    """Connect to Redis, log in under a `name` that operators can see, and select the database.

    Waits for the server, without a limit. Raises CannotConnect. At the end of the block all waiting callers get
    LinkLost.
    """
    stream = await _connect(address, tls)
    connection = Connection(stream, heard)
    flushing = _BeforeWaiting(connection.flush)

    def leave(nursery: trio.Nursery) -> None:
        connection.cut("this process has closed its connection to Redis")
        cancel(nursery)

    trio.lowlevel.add_instrument(flushing)
    try:
        async with open_side_nursery(leave) as nursery:
            nursery.start_soon(connection._write, name="writer of Redis")
            nursery.start_soon(connection._read, name="reader of Redis")
            await _log_in(connection, address, name)
            yield connection
    finally:
        trio.lowlevel.remove_instrument(flushing)  # before the system reuses the file descriptor
        await trio.aclose_forcefully(stream)


async def _connect(address: RedisAddress, tls: ssl.SSLContext | None) -> trio.abc.Stream:
    try:
        stream = await trio.open_tcp_stream(address.host, address.port)
    except OSError as error:
        raise CannotConnect(f"nothing answers at {address}: {_reason(error)}", passing=True) from None
    if tls is None:
        return stream
    encrypted = trio.SSLStream(stream, tls, server_hostname=address.host, https_compatible=True)
    try:
        await encrypted.do_handshake()
    except BaseException as error:
        await trio.aclose_forcefully(stream)
        if isinstance(error, trio.BrokenResourceError):
            if isinstance(error.__cause__, ssl.SSLCertVerificationError):
                why = error.__cause__.verify_message.rstrip(".")
                raise CannotConnect(f"the certificate of {address} is not trusted: {why}", passing=False) from None
            untrusted = isinstance(error.__cause__, ssl.SSLError)
            raise CannotConnect(f"no TLS with {address}: {_reason(error)}", passing=not untrusted) from None
        raise
    return encrypted


async def _log_in(connection: Connection, address: RedisAddress, name: str) -> None:
    credentials = ("AUTH", address.user, address.password) if address.password is not None else ()
    try:
        about = await connection.call("HELLO", 3, *credentials, "SETNAME", name)
        if isinstance(about, dict):
            if about.get(b"mode") == b"cluster":
                raise CannotConnect(f"{address} {A_CLUSTER}", passing=False)
            connection._may_skip = _version(about.get(b"version")) >= KEEPS_PUSHES
        await connection.call("SELECT", address.database)
    except RedisRefused as refused:
        if UNKNOWN_HELLO in str(refused):
            raise CannotConnect(
                f"{address} is too old: a cluster needs Redis 6.2 or later, or Valkey", passing=False
            ) from None
        said = address.without_password(str(refused))
        raise CannotConnect(_refusal(address, refused), passing=refused.is_passing, refusal=said) from None
    except LinkLost as lost:
        hint = "" if address.tls else "; if it wants TLS, write rediss://"
        # Another program, or a Redis that requires TLS, closes the connection at the log-in: no retry helps.
        raise CannotConnect(f"{address} refuses the log-in: {lost}{hint}", passing=False) from None


def _version(said: RedisValue) -> tuple[int, ...]:
    """Return the version in the answer to HELLO, such as "7.0.15", as numbers; an empty tuple if it is no text."""
    return tuple(map(int, re.findall(rb"\d+", said))) if isinstance(said, bytes) else ()


def _refusal(address: RedisAddress, refused: RedisRefused) -> str:
    """Explain why Redis refuses access: the error texts of Redis describe only its commands."""
    if refused.kind == "NOAUTH":
        return f"{address} wants a password: write [user]:password@ before the host"
    if refused.kind == "WRONGPASS":
        return f"{address} knows no such user with this password"
    if "DB index" in str(refused):
        return f"{address} has no database {address.database}"
    return f"{address} refuses the log-in: {address.without_password(str(refused))}"


def _reason(error: BaseException) -> str:
    """Explain why a connection broke. Trio hides the system's error behind its own."""
    cause = error.__cause__ or error.__context__
    if isinstance(error, OSError) and isinstance(cause, BaseExceptionGroup):
        error = cause.exceptions[0]  # each address of a host was tried
    elif isinstance(error, trio.BrokenResourceError) and isinstance(cause, OSError):
        error = cause
    if isinstance(error, ssl.SSLError) or not isinstance(error, OSError) or error.errno is None:
        return str(error) or type(error).__name__
    return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)  # below 0: a failed host lookup
