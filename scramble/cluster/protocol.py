"""The vocabulary of a cluster: processes, ownership tokens, keys, channels, and the interface of the link to Redis.

Each room of a cluster has one owner at a time. The owner holds the room's `Token`; its epoch is above the epochs of all
earlier owners. The epoch alone protects the log: Redis refuses an append by any other process. Heartbeats of processes
only say when another process may claim a room. A wrong claim disrupts the room, but is never unsafe.

`scramble.cluster.link` implements `RedisLink` with a connection to Redis. Tests implement it with a simulated Redis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, NewType, Protocol, Self, TypeAlias

import msgspec

from scramble.errors import GameMoved, JournalFailed, ScrambleError

__all__ = [
    "ALIVE_S",
    "BEAT_S",
    "Deposed",
    "GameMoved",
    "KeyNames",
    "LinkLost",
    "ProcessName",
    "RedisLink",
    "RedisRefused",
    "RedisValue",
    "RedisWord",
    "Token",
]

ProcessName = NewType("ProcessName", str)
"""The name of a process in its cluster: random, and new at each start of the process. It has no colon."""

RedisWord: TypeAlias = str | bytes | int
RedisValue: TypeAlias = "int | bytes | list[RedisValue] | dict[bytes, RedisValue] | None"
"""An answer of Redis: text is bytes."""

ALIVE_S: Final = 2.0
"""Seconds without a heartbeat after which a process counts as dead, and other processes may claim its rooms.

A process with a broken connection counts as dead earlier: see `scramble.cluster.liveness`."""

BEAT_S: Final = 0.5
"""Seconds between two heartbeats: three in a row may be late."""

PASSING: Final = frozenset(
    (
        *("LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN"),  # it is starting, or busy for long
        *("MASTERDOWN", "NOMASTERLINK", "READONLY", "NOREPLICAS"),  # it changes its master, or lacks its replicas
        "MISCONF",  # it could not save its data: its disk is full, for instance
    )
)
"""The kinds of temporary refusals. All work waits meanwhile."""

OF_A_REPLICA: Final = frozenset(("MASTERDOWN", "NOMASTERLINK", "READONLY"))
"""The kinds of refusals by a server that is not the master. Other processes may be connected to the master."""

IN_SCRIPT: Final = re.compile("ERR Error running script .*?: -([A-Z]+) ")
"""The beginning of Redis 6.2's error about a refused command in a script."""


class LinkLost(ScrambleError):
    """The connection to Redis broke before the answer. The command may or may not have been executed."""

    code = "link-lost"
    status = 503


class RedisRefused(ScrambleError):
    """Redis answered with an error; `str(error)` is the error line, such as "OOM command not allowed ..."."""

    code = "redis-refused"
    status = 503

    @property
    def kind(self) -> str:
        """The first word of the error, such as "OOM" or "WRONGPASS".

        For an error in a script it is the first word of the refused command's error. Redis 6.2 puts that error into an
        error of the script.
        """
        inner = IN_SCRIPT.match(str(self))
        return inner[1] if inner else str(self).partition(" ")[0]

    @property
    def is_passing(self) -> bool:
        """True if the refusal is temporary: it ends by itself, or after a repair of Redis. A retry is useful."""
        return self.kind in PASSING

    @property
    def concerns_all(self) -> bool:
        """True if Redis refuses all processes of a cluster in the same way: no other process serves clients better."""
        return self.kind in PASSING - OF_A_REPLICA


class Deposed(JournalFailed):
    """Another process owns the game now. This owner must end, and must not answer any more requests."""

    code = "deposed"
    stops = GameMoved


class Token(msgspec.Struct, frozen=True, order=True):
    """An ownership: `process` has owned the room since epoch `epoch`. Later owners have higher epochs."""

    epoch: int
    process: ProcessName

    def __str__(self) -> str:
        return f"{self.epoch}:{self.process}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text that `str` made. Raises ValueError."""
        epoch, separator, process = text.partition(":")
        if not (separator and process and epoch.isascii() and epoch.isdigit()):
            raise ValueError(f"{text!a} is no token")
        return cls(int(epoch), ProcessName(process))


class KeyNames(msgspec.Struct, frozen=True):
    """The keys and channels of one cluster. Redis channels ignore databases, so channel names include the database."""

    database: int = 0

    def room(self, room: str) -> str:
        """The hash of a room: kind, first state, owner, epoch, number of the last command, snapshots."""
        return f"scr:{{{room}}}:room"

    def log(self, room: str) -> str:
        """The stream of a room's commands, one entry for each batch."""
        return f"scr:{{{room}}}:log"

    def settings(self, room: str) -> str:
        """The settings of a room, if they are too long for the register."""
        return f"scr:{{{room}}}:settings"

    def deaths(self, room: str) -> str:
        """The times of the recent crashes of a room's game."""
        return f"scr:{{{room}}}:deaths"

    def bots(self) -> str:
        """The secret of the cluster's bots."""
        return "scr:bots"

    def alive(self, process: ProcessName) -> str:
        """The heartbeat of a process."""
        return f"scr:alive:{process}"

    def presence(self, process: ProcessName) -> str:
        """The channel to which a process subscribes to show that it has a connection. It has no messages."""
        return f"scr:{self.database}:here:{process}"

    def asks(self, room: str) -> str:
        """The channel on which a room's owner receives requests."""
        return f"scr:{self.database}:{{{room}}}:ask"

    def events(self, room: str) -> str:
        """The channel on which a room's owner publishes its changes."""
        return f"scr:{self.database}:{{{room}}}:ev"

    def answers(self, process: ProcessName, join: int) -> str:
        """The channel on which a process receives the answers to its requests in its join with number `join`."""
        return f"scr:{self.database}:to:{process}:{join}"

    def everybody(self) -> str:
        """The channel to which all processes subscribe."""
        return f"scr:{self.database}:all"


class RedisLink(Protocol):
    """The connection of this process to Redis, and through Redis to the other processes of the cluster."""

    @property
    def process(self) -> ProcessName:
        """The name of this process."""

    @property
    def names(self) -> KeyNames:
        """The names of keys and channels."""

    @property
    def is_up(self) -> bool:
        """True while there is a connection, and the last heartbeat is recent."""

    @property
    def round_trip_s(self) -> float:
        """Seconds from the last heartbeat to its answer. Without an answer: to now."""

    @property
    def untaken_s(self) -> float:
        """Seconds since Redis accepted a heartbeat, beyond the usual time between two heartbeats."""

    @property
    def refusal(self) -> str:
        """The error of Redis as it refused the log-in of a new connection, or the connection's first heartbeat.

        Empty if there is a connection, or Redis has not answered.
        """

    async def call(self, *words: RedisWord) -> RedisValue:
        """Send one command and return its answer. Calls of many tasks share the connection, in order.

        Waits while there is no connection. After a cancellation the command may or may not be executed; other calls
        still get their own answers. Raises RedisRefused; LinkLost if the connection breaks before the answer.
        """

    async def run(self, script: str, keys: Sequence[str], words: Sequence[RedisWord]) -> RedisValue:
        """Run a Lua script. Redis stores scripts by their digests. Waits and raises like `call`."""

    def publish(self, channel: str, message: bytes, unheard: Callable[[], None] | None = None) -> None:
        """Send a message to all processes that listen on a channel. Does not wait.

        Without a connection the message is lost. All messages for a channel from one round of the scheduler are sent
        together, in order. `unheard` is called if the channel has no listener. Without `unheard` a message costs less,
        because Redis does not answer.
        """

    def listen(self, channel: str, heard: Callable[[bytes], None]) -> AbstractAsyncContextManager[None]:
        """Call `heard` with each message on a channel during the block, in order. `heard` must not wait, nor raise.

        Messages arrive from the beginning of the block on, messages from this process included. Messages during an
        interruption of the connection are lost. A channel may have several listeners.
        """

    async def until_lost(self) -> None:
        """Wait until the current connection breaks. Returns at once without a connection."""

    async def until_dead(self, process: ProcessName) -> None:
        """Wait until a process is dead: its heartbeats have stopped, or its connection is permanently lost.

        One loop checks all processes for all waiters. Without a connection, and for `ALIVE_S` after it returns, no
        process counts as dead: the heartbeats of all processes may have expired meanwhile.
        """

    async def lives(self, process: ProcessName) -> bool:
        """Return True if a process lives, by the criteria of `until_dead`. Waits and raises like `call`."""
