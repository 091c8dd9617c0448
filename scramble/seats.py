"""Seats: a player's name belongs to whoever took it first. Pure: knows neither cookies nor networks.

    rules = Seated(board)
    rules.apply(Ticket(1), TakeSeat("alice", holder=hash_of(secret)))

`Seated` stands around the rules of any game, and is rules itself. It keeps which name belongs to which holder; all
other commands go on to the game. So seats are state like any other: they have one owner, and if the game is kept in a
journal they are in it, as hashes, and outlast a restart. Whether anybody asks for seats is the front ends' business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

import msgspec

from scramble.core import Answered, Command, Durable, Outcome, Query, Refused, Ticket
from scramble.errors import InvalidCommand, Refusal

D = TypeVar("D", bound=Durable)

MAX_SEATS: Final = 100_000
"""Names that may be taken in one game: more than will ever play, and few enough to keep."""


MAX_NAME: Final = 64
"""Characters of a name with a seat: it is kept for as long as the game."""


class TakeSeat(Command[bool], frozen=True):
    """`player` is to belong to `holder`, the SHA-256 of a secret in hexadecimal.

    Answered with whether the seat was free until now; it is theirs in either case. Refused with `SeatTaken`, or
    `InvalidCommand` if the name has more than `MAX_NAME` characters.
    """

    player: str
    holder: str


class FindSeat(Query[str | None], frozen=True):
    """Answered with the holder of the name, or None if it is free."""

    player: str


class SeatTaken(Refusal):
    """The name belongs to somebody else, or no more names can be taken. Nothing has changed."""

    code = "seat-taken"
    status = 403


def hash_of(secret: str) -> str:
    """The holder that a secret makes. Secrets are random and long, so this need not be slow."""
    return hashlib.sha256(secret.encode()).hexdigest()


def somebody_elses(player: str) -> str:
    """What to say to whoever comes with a name that is not theirs."""
    return f"the name {player} belongs to somebody else here: take another one"


class _State(msgspec.Struct, frozen=True, tag="Seated"):
    seats: dict[str, str]
    game: msgspec.Raw


def taken_apart(state: bytes) -> tuple[dict[str, str], bytes]:
    """The seats that are taken in a state, by name, and the state of the game itself.

    Raises ValueError if it is none, as far as the seats are concerned.
    """
    if not state.startswith(b'{"type":"Seated"'):
        return {}, state
    found = msgspec.json.decode(state, type=_State)
    return found.seats, bytes(found.game)


class Seated(Generic[D]):
    """A game with seats. Mutable; implements `core.Durable`."""

    # AF: the game `rules`, in which each name in _seats belongs to its holder.
    # RI: len(_seats) <= MAX_SEATS, and no name is longer than MAX_NAME.
    # Safety from exposure: _seats never leaves; `rules` does, to whoever opens the game, before its owner has it.

    def __init__(self, rules: D) -> None:
        """A game in which no seat is taken yet."""
        self.rules: Final[D] = rules
        self._seats: dict[str, str] = {}

    @property
    def version(self) -> int:
        """The game's; that somebody takes a seat is no change."""
        return self.rules.version

    @property
    def kind(self) -> str:
        """The game's."""
        return self.rules.kind

    @property
    def commands(self) -> object:
        """The game's, and `TakeSeat`."""
        return self.rules.commands | TakeSeat

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command in one atomic step."""
        if isinstance(command, TakeSeat):
            return (self._take(ticket, command.player, command.holder),)
        if isinstance(command, FindSeat):
            return (Answered(ticket, self._seats.get(command.player)),)
        return self.rules.apply(ticket, command)

    def _take(self, ticket: Ticket, player: str, holder: str) -> Outcome:
        found = self._seats.get(player)
        if len(player) > MAX_NAME:
            return Refused(ticket, InvalidCommand(f"a name that is to be kept has at most {MAX_NAME} characters"))
        if found is not None and found != holder:
            return Refused(ticket, SeatTaken(somebody_elses(player)))
        if found is None and len(self._seats) >= MAX_SEATS:
            return Refused(ticket, SeatTaken("no more names can be taken in this game"))
        self._seats[player] = holder
        return Answered(ticket, found is None)

    def state(self) -> bytes:
        """The game's state; and the seats, if any are taken."""
        game = self.rules.state()
        seats = dict(sorted(self._seats.items()))  # who came first makes no difference any more
        return msgspec.json.encode(_State(seats, msgspec.Raw(game))) if seats else game

    def restore(self, state: bytes, /) -> Seated[D]:
        """Another game in that state, with or without seats."""
        seats, game = taken_apart(state)
        other = Seated(self.rules.restore(game))
        other._seats = seats
        return other

    def __str__(self) -> str:
        return f"{self.rules}\n{len(self._seats)} seats taken"
