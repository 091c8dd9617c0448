"""Rules of a small game: the state is one immutable value, and `play` applies a command to the state. Pure.

    class Race(PlainRules[Track, Run | Rest]):
        kind, moves = "race", Run | Rest

        def play(self, command: Run | Rest) -> Done | Wait:
            if ...:
                raise Exhausted                                     # refused: nothing changes
            if ...:
                return Wait(Queued(command.player))                 # parked: tried again after each change
            self.now = msgspec.structs.replace(self.now, ...)
            return Done(answer, Ran(command.player))

        def look(self) -> Track:                                    # the answer to each query
            return self.now

The base class has the version, the state as JSON, and the waiting commands, for journals, clusters and the owner. After
each change it plays the waiting commands again, the oldest first. So `play` must decide only from the state: it
executes or refuses a waiting command like a new command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Generic, Self, TypeVar, cast, final

import msgspec

from scramble.errors import CallerError, InvalidCommand, Refusal
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Query, Refused, Ticket, Withdraw
from scramble.players.names import is_player

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Command[object])

MOST_MOVES_WAITING: Final = 50
"""Maximum number of waiting commands of one player in one game. The waiting commands are part of the state, and the
state must not grow without a limit."""


class TooManyMoves(Refusal):
    """Too many commands of this player wait. Nothing has changed."""

    code = "too-many-waiting"
    status = 429


@final
class Done:
    """The outcome of an executed command: its answer, and the events for all followers."""

    def __init__(self, answer: object = None, *events: Event) -> None:
        self.answer: Final = answer
        self.events: Final = events


@final
class Wait:
    """The outcome of a command that must wait, with events about the wait. `play` must not have changed `now`."""

    def __init__(self, *events: Event) -> None:
        self.events: Final = events


class _Saved(msgspec.Struct, frozen=True, omit_defaults=True):
    version: int
    now: msgspec.Raw
    waiting: tuple[tuple[Ticket, msgspec.Raw], ...] = ()


class PlainRules(Generic[S, M]):
    """Rules with a frozen struct S as the state, and commands M as moves. Mutable; implements `Durable` of the kernel.

    A subclass sets `kind` and `moves`, and overrides `play` and `look`. Commands with fields of wrong types, or without
    a valid player ID, are refused with InvalidCommand before `play`. A `__post_init__` of the struct may raise
    ValueError, so that no journal restores an invalid state.
    """

    # AF: the game in the state `now`, after `version` changes. The commands in _waiting wait, the oldest first.
    # RI: `play` returns Wait for each command in _waiting; _waiting has at most MOST_MOVES_WAITING for each player.
    # Safety from exposure: the state is immutable.

    kind: ClassVar[str]
    """Kind of game, in one lower-case word."""

    moves: ClassVar[object]
    """Class of the commands of players, or the union of these classes. Each has a field `player`."""

    def __init__(self, now: S) -> None:
        """Begin in the state `now`."""
        self.now = now
        self._version = 0
        self._waiting: dict[Ticket, M] = {}
        self._decoder: Final[msgspec.json.Decoder[M]] = msgspec.json.Decoder(cast(type[M], self.moves))

    # --- for subclasses ---

    def play(self, command: M) -> Done | Wait:
        """Execute a command: change `now`, and return the answer and the events.

        Raises a CallerError to refuse the command. Returns Wait if the command must wait for another change. In both
        cases nothing changes. After each change, `play` is called again for each waiting command.
        """
        raise NotImplementedError

    def look(self) -> object:
        """Return the answer to a query: the public state."""
        raise NotImplementedError

    def stop_waiting(self, command: M) -> Sequence[Event]:
        """Return the events for the end of this command's wait, after the command was withdrawn or refused."""
        del command
        return ()

    # --- for all ---

    @property
    def waiting(self) -> tuple[M, ...]:
        """The waiting commands, the oldest first."""
        return tuple(self._waiting.values())

    @property
    def version(self) -> int:
        """The number of changes so far, of the state and of the waiting commands."""
        return self._version

    @property
    def revision(self) -> int:
        """The same number as `version`."""
        return self._version

    @property
    def commands(self) -> object:
        """The union of all commands."""
        return cast(type, self.moves) | Withdraw

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Execute one command in one atomic step, and then the waiting commands that can now be executed."""
        if isinstance(command, Query):
            return (Answered(ticket, self.look()),)
        if isinstance(command, Withdraw):
            left = self._waiting.pop(ticket, None)
            if left is None:
                return ()
            self._version += 1
            return self.stop_waiting(left)
        before = self.now
        try:
            move = self._checked(command)
        except CallerError as error:
            return (Refused(ticket, error),)
        outcomes = self._try(ticket, move)
        return outcomes if self.now is before else [*outcomes, *self._try_again()]

    def _checked(self, command: Command[object]) -> M:
        """Return the command as a journal stores it. Raises InvalidCommand if a journal cannot store the command."""
        try:
            checked = self._decoder.decode(msgspec.json.encode(command))
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidCommand(f"not a move of {self.kind}: {error}") from None
        if not is_player(_player_of(checked)):
            raise InvalidCommand("a player is one or more of the letters A-Z and a-z, the digits 0-9 and _")
        return checked

    def _try(self, ticket: Ticket, command: M) -> Sequence[Outcome]:
        """Play a new command or a waiting command."""
        before, waits = self.now, ticket in self._waiting
        try:
            played = self.play(command)
            if isinstance(played, Wait) and not waits:
                self._require_room(command)
        except CallerError as error:
            self.now = before
            if not waits:
                return (Refused(ticket, error),)
            del self._waiting[ticket]
            self._version += 1
            return (*self.stop_waiting(command), Refused(ticket, error))
        if isinstance(played, Wait):
            assert self.now is before, f"{command} waits, and has changed the state"
            if waits:
                return ()
            self._waiting[ticket] = command
            self._version += 1
            return played.events
        self._waiting.pop(ticket, None)
        self._version += waits or bool(played.events) or self.now is not before
        return (*played.events, Answered(ticket, played.answer))

    def _try_again(self) -> Sequence[Outcome]:
        """Play the waiting commands, the oldest first, until all remaining commands must wait."""
        outcomes: list[Outcome] = []
        tried: set[Ticket] = set()
        while (ticket := next((one for one in self._waiting if one not in tried), None)) is not None:
            tried.add(ticket)
            before = self.now
            outcomes += self._try(ticket, self._waiting[ticket])
            if self.now is not before:
                tried.clear()
        return outcomes

    def _require_room(self, command: M) -> None:
        player = _player_of(command)
        waiting = sum(_player_of(one) == player for one in self._waiting.values())
        if waiting >= MOST_MOVES_WAITING:
            raise TooManyMoves(f"{waiting} of your moves already wait, the maximum")

    # --- the state as JSON ---

    def state(self) -> bytes:
        """Return the whole state."""
        encode = msgspec.json.encode
        waiting = tuple((ticket, msgspec.Raw(encode(command))) for ticket, command in self._waiting.items())
        return encode(_Saved(self._version, msgspec.Raw(encode(self.now)), waiting))

    def restore(self, state: bytes, /) -> Self:
        """Return new rules of the same kind in the given state. Raises ValueError for an invalid state."""
        saved = msgspec.json.decode(state, type=_Saved)
        restored = type(self)(msgspec.json.decode(saved.now, type=type(self.now)))
        restored._version = saved.version
        restored._waiting = {ticket: self._decoder.decode(command) for ticket, command in saved.waiting}
        return restored

    def __str__(self) -> str:
        return f"{self.now}, {len(self._waiting)} waiting"


def _player_of(command: Command[object]) -> str:
    """Return the player of a command; "" if the command names no player."""
    player = getattr(command, "player", "")
    return player if isinstance(player, str) else ""
