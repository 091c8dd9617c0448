"""The owner of a game's state in another process, as the doors of the games use it: the second `Owner` beside `Actor`.

It keeps what an actor promises, and fails in one more way: the owner may move to another process, or be out of reach.
Then all that is asked here, or followed, ends with `GameMoved`, and whoever enters the room again finds its owner.

Safe under concurrency: see `scramble.cluster.calls` and `scramble.cluster.mirror`, to which everything is passed on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import trio

from scramble.cluster.calls import Calls
from scramble.cluster.codec import Vocabulary
from scramble.cluster.mirror import Mirror
from scramble.errors import GameStopped, InvalidCommand, ScrambleError
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Command, Ping, Query, Settable
from scramble.kernel.stats import CommandCounts, Stats

R = TypeVar("R")


class _Waits:
    """Notes that a request is parked, for the statistics, and passes it on."""

    __slots__ = ("_parked", "was_parked")

    def __init__(self, parked: Settable | None) -> None:
        self._parked: Final = parked
        self.was_parked = False

    def set(self) -> None:
        self.was_parked = True
        if self._parked is not None:
            self._parked.set()


class RemoteActor:
    """Handle to the owner of one part of a room in another process; any number of tasks may share it.

    Made by `scramble.cluster.joining.joining`, in whose block it works.
    """

    # AF: the part `part` of a room, to which _calls carries what is asked, and whose changes _mirror has.

    def __init__(
        self, part: str, vocabulary: Vocabulary, calls: Calls, mirror: Mirror, leave: Callable[[], Awaitable[None]]
    ) -> None:
        self._part: Final = part
        self._vocabulary: Final = vocabulary
        self._calls: Final = calls
        self._mirror: Final = mirror
        self._leave: Final = leave
        self._counts: Final = CommandCounts()
        self.stopped: GameStopped | None = None

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Carry out `command` and return its answer, as `Actor.ask` does.

        Waits while `MOST_UNTAKEN` requests of this process are underway, and then for the owner. If cancelled before
        the owner took the command, nothing has happened; if cancelled while parked, the request is withdrawn; and in
        both cases it waits until the owner says so, a round trip. An answer that crosses the cancellation is returned.

        Raises:
            CallerError: the command was refused, as at the owner; or it cannot be encoded.
            GameClosed, GameStopped: the game was closed, or died, at the owner.
            GameMoved: the owner is another one by now, or cannot be reached. The command may or may not have happened.
        """
        return (await self._request(command, parked))[0]

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Carry out `command` like `ask`; return its answer and the changes after it, without gap or overlap."""
        answer, position = await self._request(command, parked)
        return answer, self._mirror.changes(position)

    async def _request(self, command: Command[R], parked: Settable | None) -> tuple[R, int]:
        kind = command.__class__
        counts = self._counts.stopped
        waits, began = _Waits(parked), trio.current_time()
        try:
            encoded = self._vocabulary.encode_command(command)
            payload, position = await self._calls.ask(self._part, command, encoded, self._mirror, waits)
            counts = self._counts.answered
            return self._vocabulary.decode_answer(command, payload), position
        except trio.Cancelled:
            counts = self._counts.withdrawn
            raise
        except GameStopped:
            raise
        except InvalidCommand:
            counts = self._counts.invalid
            raise
        except ScrambleError:
            counts = self._counts.refused
            raise
        finally:
            counts[kind] += 1
            ended = counts is self._counts.stopped or counts is self._counts.withdrawn
            if not ended and not waits.was_parked and not isinstance(command, Query):
                self._counts.moves.observe(trio.current_time() - began)

    def tell(self, command: Command[object]) -> None:
        """Carry out `command` ahead of all that is queued at the owner, without an answer. Does not wait.

        It happens exactly once, and before what is asked here later, unless the owner moves before it comes there.
        """
        self._calls.tell(self._part, command, self._vocabulary.encode_command(command), self._mirror)

    def subscribe(self) -> Changes:
        """Follow the changes from this moment on, as this process hears of them. Does not wait."""
        return self._mirror.changes()

    async def ping(self) -> None:
        """Wait until the owner has carried out, and logged, all commands that are queued now. Raises like `ask`."""
        await self.ask(Ping())

    def stats(self) -> Stats:
        """Return the statistics of the requests of this process, and of the followers in it. Does not wait.

        Batches and the log are the owner's, and so not in it; those that are queued are those of all parts.
        """
        return self._counts.stats(
            parked=self._calls.parked(self._mirror),
            queued=self._calls.queued,
            followers=self._mirror.history.followers,
            missed=self._mirror.history.missed,
            version=self._mirror.version,
            stopped=None if self.stopped is None else str(self.stopped),
        )

    async def aclose(self) -> None:
        """Leave the owner, which goes on. All that is asked or followed in this join ends with `GameMoved`."""
        await self._leave()
