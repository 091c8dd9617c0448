"""The vocabulary of a cluster: processes, tokens of ownership, keys, channels, and the link to Redis as others use it.

Every room of a cluster has one owner at a time. Who owns it has its `Token`, whose epoch is above those of all owners
before. The epoch alone protects the log: Redis refuses an append by anybody else. The signs of life of processes only
say when another one may claim a room; a wrong claim disrupts, and is never unsafe.

`scramble.cluster.link` implements `RedisLink` with a connection to Redis, and tests implement it with a simulated one.
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
"""The name of a process in its cluster: random, and another one each time a process starts. It has no colon."""

RedisWord: TypeAlias = str | bytes | int
RedisValue: TypeAlias = "int | bytes | list[RedisValue] | dict[bytes, RedisValue] | None"
"""An answer of Redis: text is bytes."""

ALIVE_S: Final = 2.0
"""Seconds after which a process that gives no sign of life counts as dead, so that others may claim its rooms.

One whose connection is gone counts as dead earlier: see `scramble.cluster.liveness`."""

BEAT_S: Final = 0.5
"""Seconds between two signs of life: three in a row may be late."""

PASSING: Final = frozenset(
    (
        *("LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN"),  # it is starting, or something takes long
        *("MASTERDOWN", "NOMASTERLINK", "READONLY", "NOREPLICAS"),  # it changes its master, or misses its replicas
        "MISCONF",  # it could not save its data: its disk is full, for instance
    )
)
"""The kinds of refusals that pass: meanwhile everything waits."""

OF_A_REPLICA: Final = frozenset(("MASTERDOWN", "NOMASTERLINK", "READONLY"))
"""The kinds by which a server says that another one is the master. Other processes may be linked to that one."""

IN_SCRIPT: Final = re.compile("ERR Error running script .*?: -([A-Z]+) ")
"""The beginning of the error that Redis 6.2 answers when a command in a script is refused."""


class LinkLost(ScrambleError):
    """The connection to Redis broke before the answer: what was asked may or may not have happened."""

    code = "link-lost"
    status = 503


class RedisRefused(ScrambleError):
    """Redis answered with an error; `str(error)` is its line, such as "OOM command not allowed ..."."""

    code = "redis-refused"
    status = 503

    @property
    def kind(self) -> str:
        """The first word of the line, such as "OOM" or "WRONGPASS"; of an error in a script, that of the command there.

        Redis 6.2 puts a line of its own around that one.
        """
        inner = IN_SCRIPT.match(str(self))
        return inner[1] if inner else str(self).partition(" ")[0]

    @property
    def is_passing(self) -> bool:
        """True if this ends by itself, or once somebody has seen to Redis; so it is worth asking again."""
        return self.kind in PASSING

    @property
    def concerns_all(self) -> bool:
        """True if all processes of a cluster are refused alike, so that no other one serves clients better."""
        return self.kind in PASSING - OF_A_REPLICA


class Deposed(JournalFailed):
    """Another process owns the game by now: this owner must end, and answers nobody any more."""

    code = "deposed"
    stops = GameMoved


class Token(msgspec.Struct, frozen=True, order=True):
    """An ownership: `process` owned the room from epoch `epoch` on. Later owners have higher epochs."""

    epoch: int
    process: ProcessName

    def __str__(self) -> str:
        return f"{self.epoch}:{self.process}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the token that `str` made. Raises ValueError."""
        epoch, separator, process = text.partition(":")
        if not (separator and process and epoch.isascii() and epoch.isdigit()):
            raise ValueError(f"{text!a} is no token")
        return cls(int(epoch), ProcessName(process))


class KeyNames(msgspec.Struct, frozen=True):
    """The keys and channels of one cluster. Channels of Redis know no databases, so theirs is in the name."""

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
        """The times at which the game of a room has died lately."""
        return f"scr:{{{room}}}:deaths"

    def bots(self) -> str:
        """The secret of the cluster's bots."""
        return "scr:bots"

    def alive(self, process: ProcessName) -> str:
        """The sign of life of a process."""
        return f"scr:alive:{process}"

    def presence(self, process: ProcessName) -> str:
        """The channel on which a process listens, and nobody says anything, to show that it has a connection."""
        return f"scr:{self.database}:here:{process}"

    def asks(self, room: str) -> str:
        """The channel on which a room's owner hears requests."""
        return f"scr:{self.database}:{{{room}}}:ask"

    def events(self, room: str) -> str:
        """The channel on which a room's owner tells its changes."""
        return f"scr:{self.database}:{{{room}}}:ev"

    def answers(self, process: ProcessName, join: int) -> str:
        """The channel on which a process hears the answers to what it asks as the owner's caller of that number."""
        return f"scr:{self.database}:to:{process}:{join}"

    def everybody(self) -> str:
        """The channel that all processes hear."""
        return f"scr:{self.database}:all"


class RedisLink(Protocol):
    """The connection of this process to Redis, and through it to the other processes of the cluster."""

    @property
    def process(self) -> ProcessName:
        """The name of this process."""

    @property
    def names(self) -> KeyNames:
        """The names of keys and channels."""

    @property
    def is_up(self) -> bool:
        """True while there is a connection, and this process has given a sign of life lately."""

    @property
    def round_trip_s(self) -> float:
        """Seconds until Redis answered the last sign of life, or so far, if it has not answered yet."""

    @property
    def untaken_s(self) -> float:
        """Seconds since Redis took a sign of life, beyond the usual time between two of them."""

    @property
    def refusal(self) -> str:
        """What Redis said as it refused the log-in of a new connection, or the first sign of life there.

        Empty if there is a connection, or Redis has not answered.
        """

    async def call(self, *words: RedisWord) -> RedisValue:
        """Send one command and return its answer. Calls of many tasks share the connection, in order.

        Waits while there is no connection. If cancelled, the command may or may not be carried out; other calls get
        their own answers all the same. Raises RedisRefused; LinkLost if the connection breaks before the answer.
        """

    async def run(self, script: str, keys: Sequence[str], words: Sequence[RedisWord]) -> RedisValue:
        """Run a Lua script, which Redis stores by its digest. Waits and raises like `call`."""

    def publish(self, channel: str, message: bytes, unheard: Callable[[], None] | None = None) -> None:
        """Send a message to all processes that listen on a channel. Does not wait, and is lost without a connection.

        All messages for a channel of one round of the scheduler travel together, in order. `unheard` is called if
        nobody listens there; without it a message costs less, as Redis does not answer.
        """

    def listen(self, channel: str, heard: Callable[[bytes], None]) -> AbstractAsyncContextManager[None]:
        """Call `heard` with each message on a channel during the block, in order; it must not wait, nor raise.

        Messages come from the moment on in which the block begins, those of this process included. After the connection
        broke they come again once there is another one; those between are lost. Several may listen on one channel.
        """

    async def until_lost(self) -> None:
        """Wait until the connection that there is now breaks. Returns at once if there is none."""

    async def until_dead(self, process: ProcessName) -> None:
        """Wait until a process is dead: it gives no sign of life any more, or its connection is gone for good.

        One loop looks after all processes that are waited for. While there is no connection, and for `ALIVE_S` after
        that, nobody counts as dead: the signs of life of all processes have lapsed meanwhile.
        """

    async def lives(self, process: ProcessName) -> bool:
        """Return whether a process lives, as `until_dead` sees it. Waits and raises like `call`."""
