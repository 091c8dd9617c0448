"""A table for a game on another server: it shows the server's frames to a mind, and sends the moves of the mind.

Pages use the same frames; docs/reference describes the frames. A table opens no connection. `take` gets each frame when
it arrives. `play`, in another task, sends moves until the game is over. After a lost connection, the table continues
with a new connection, and its mind keeps its knowledge.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Never, TypeAlias, cast, get_args

import msgspec
import trio

from scramble.errors import OperatorError
from scramble.games.bot import PATIENCE_S, Mind, Table
from scramble.kernel.protocol import Command, Event

Send: TypeAlias = Callable[[str], Awaitable[None]]
"""Function that sends a frame."""


class RemoteError(OperatorError):
    """A server that does not answer, has no game at the address, or rejects the bot."""

    code = "remote-game"


class Rejected(RemoteError):
    """A server that rejects this bot permanently: a retry is useless."""


class NameRefused(Rejected):
    """A server on which another player has the bot's name."""


class FrameHead(msgspec.Struct, frozen=True):
    """The fields that distinguish frames. Each kind of game uses some of these fields."""

    type: str = ""
    state: str = ""
    kind: str = ""


class RemoteTable(Table):
    """A table that shows the server's frames to the mind, and sends the mind's moves."""

    # AF: if `begun`, the frames since `connected` have shown the whole game. _news frames had news for the mind; the
    #     mind had seen _seen of them at the last `catch_up`. `ask` has sent moves with the numbers 1 to _asked, and
    #     _answered is the largest number with an outcome.

    def __init__(self, mind: Mind) -> None:
        super().__init__(mind)
        self.begun = False
        self._frames: Final = trio.lowlevel.ParkingLot()
        self._news = self._seen = 0
        self._asked = self._answered = 0
        self._send: Send | None = None

    def connected(self, send: Send) -> None:
        """Begin with a new connection. The next frame must be its first frame. Does not wait."""
        self.begun, self._send = False, send

    def take(self, text: str) -> None:
        """Process a frame of the server. Does not wait. Raises MsgspecError, RemoteError."""
        self._news += self.show(msgspec.json.decode(text, type=FrameHead), text)
        self._frames.unpark_all()

    @abstractmethod
    def show(self, head: FrameHead, text: str) -> bool:
        """Show a frame to the mind; return False if it has no news for the mind. Set `begun` after the whole game."""

    @property
    def result(self) -> str:
        """The result of the player, as text."""
        return self.mind.result

    async def look(self) -> None:
        """Wait until the frames have shown the whole game."""
        await self.until(lambda: self.begun)
        await self.catch_up()

    async def catch_up(self) -> None:
        """Note that the mind has seen all frames. Not a checkpoint."""
        self._seen = self._news

    async def wait(self) -> None:
        """Wait for a frame with news for the mind."""
        await self.until(lambda: self._news > self._seen)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition is true. Check it again after each frame."""
        while not condition():
            await self._frames.park()

    async def send(self, frame: str) -> None:
        """Send a frame."""
        assert self._send is not None
        await self._send(frame)

    async def ask(self, *, patience_s: float = math.inf, **frame: object) -> None:
        """Send a move with an `id`, and wait for its outcome. Without an outcome, withdraw it after `patience_s`."""
        self._asked += 1
        await self.send(as_json(id=self._asked, **frame))
        with trio.move_on_after(patience_s) as patience:
            await self.until(lambda: self._answered >= self._asked)
        if patience.cancelled_caught:
            await self.send(as_json(type="withdraw", id=self._asked))
            await self.until(lambda: self._answered >= self._asked)

    def answered(self, id: int | None) -> None:
        """Note that the move with this id has an outcome; None: the latest move."""
        self._answered = self._asked if id is None else max(self._answered, id)


@dataclass(frozen=True)
class RemoteSeats:
    """Parts of a kind of game for its bots on other servers."""

    sends: Callable[[FrameHead], bool]  # True for a frame that only servers of this game send, among the first frames
    table: Callable[[str, Mind], RemoteTable]  # makes the table of the player with this name and mind


def as_json(**values: object) -> str:
    """Encode a frame."""
    return msgspec.json.encode(values).decode()


# --- games whose frames are their state, their events and their commands ---


class _State(msgspec.Struct, frozen=True):
    game: msgspec.Raw


class _Change(msgspec.Struct, frozen=True):
    events: tuple[dict[str, object], ...]


class _Outcome(msgspec.Struct, frozen=True):
    id: int | None = None


class PlainTable(RemoteTable):
    """A table of a game whose frames are its state, its events and the outcomes of commands, encoded as JSON."""

    # AF: _state is the class of the public state, and _events has the classes of events by their names.

    def __init__(self, mind: Mind, state: type[object], events: Mapping[str, type[Event]]) -> None:
        super().__init__(mind)
        self._state: Final = state
        self._events: Final = events

    def show(self, head: FrameHead, text: str) -> bool:
        """Show a frame to the mind."""
        match head.type:
            case "state":
                game = msgspec.json.decode(msgspec.json.decode(text, type=_State).game, type=self._state)
                self.mind.begin(cast(Never, game))
                self.begun = True
                return True
            case "change":
                events = msgspec.json.decode(text, type=_Change).events
                if not self.mind.follow([self._event(event) for event in events]):
                    raise RemoteError("the mind does not follow all events: this bot can play only in rooms")
                return True
            case "done" | "refused" | "withdrawn" | "error":
                self.answered(msgspec.json.decode(text, type=_Outcome).id)
        return False

    def _event(self, fields: Mapping[str, object]) -> Event:
        name = fields.get("is")
        if not (isinstance(name, str) and name in self._events):
            raise msgspec.ValidationError(f"there is no event {name!r}")
        return msgspec.convert(fields, self._events[name])

    async def move(self, move: object, /) -> None:
        """Send a command without its player. The server knows the player."""
        assert isinstance(move, Command)
        command: dict[str, object] = msgspec.to_builtins(move)
        del command["player"]
        await self.ask(patience_s=PATIENCE_S, **command)


def plain_seats(kind: str, state: type[object], events: object) -> RemoteSeats:
    """Return the seats of a game with plain frames. `events` is the class of its events, or the union of the classes.

    The mind must follow all events, because the server sends the whole state only once.
    """
    classes: dict[str, type[Event]] = {event.__name__: event for event in get_args(events) or (events,)}
    return RemoteSeats(
        lambda head: (head.type, head.kind) == ("state", kind),
        lambda _name, mind: PlainTable(mind, state, classes),
    )
