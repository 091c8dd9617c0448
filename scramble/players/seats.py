"""Seats: a player's name belongs to the first holder who took it. Pure: independent of cookies and networks.

    rules = Seated(board)
    rules.apply(Ticket(1), ClaimSeat("alice", holder=hash_of(secret)))

`Seated` wraps the rules of any game, and implements rules itself. It stores the holder of each name, and passes all
other commands to the game. Names cost nothing, so a seat becomes permanent only with the first move under its name.
Before this move, the seat is given up if all seats are taken and another name needs a seat. Seats are part of the
game's state: they have one owner, and a journal stores them as hashes, so they survive a restart. The front ends
decide whether a game uses seats.

A seat may have a display name, in any script, and the name's skeleton. Names that look alike have the same skeleton
(see `scramble.players.names`), and no two seats have the same skeleton. A seat can be handed over to another holder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

import msgspec

from scramble.errors import InvalidCommand, Refusal
from scramble.kernel.protocol import Answered, Command, Durable, Outcome, Query, Refused, Ticket

D = TypeVar("D", bound=Durable)

MAX_SEATS: Final = 100_000
"""Maximum number of seats in one game: more than the players of any game, and few enough to store."""


MAX_NAME: Final = 64
"""Maximum number of characters in a name with a seat: the name is stored as long as the game exists."""


class ClaimSeat(Command[bool], frozen=True, omit_defaults=True):
    """Give the seat of `player` to `holder`, the SHA-256 of a secret in hexadecimal.

    The answer is True if the seat was free, False if the holder had it already. If all seats are taken, the oldest
    claim of a name without a move is given up. With a `skeleton`, the seat gets the display name `name`, or the
    player's ID if `name` is empty. Refused with `SeatTaken` if another holder has the seat or no seat is left; with
    `NameTaken` if another seat has the skeleton; with `InvalidCommand` if a name or the skeleton has more than
    `MAX_NAME` characters.
    """

    player: str
    holder: str
    name: str = ""
    skeleton: str = ""


class TakeSeat(Command[bool], frozen=True):
    """Like `ClaimSeat`, but permanent at once: no seat is given up for it, and the new seat is never given up.

    Only for journals of earlier versions: a replay of these journals needs the old effect of the command.
    """

    player: str
    holder: str


class Seat(msgspec.Struct, frozen=True):
    """The holder of a name; `permanent` is False before the first move under the name."""

    holder: str
    permanent: bool


class FindSeat(Query[Seat | None], frozen=True):
    """Query for the seat of a name; None if the name is free."""

    player: str


class FindMoved(Query[tuple[str, ...]], frozen=True):
    """Query for the players in `players` with permanent seats. These players have made a move."""

    players: tuple[str, ...]


class FoundName(msgspec.Struct, frozen=True):
    """The seat of a display name with a given skeleton."""

    player: str
    holder: str
    name: str


class FindName(Query[FoundName | None], frozen=True):
    """Query for the seat of the display name with this skeleton; None if no seat has it."""

    skeleton: str


class HandOverSeat(Command[None], frozen=True):
    """Give the seat of `player` from `holder` to the holder `to`, permanently.

    Refused with `SeatFree` if nobody has the seat, or with `SeatTaken` if it is not `holder`'s seat.
    """

    player: str
    holder: str
    to: str


class ListNames(Query[dict[str, str]], frozen=True):
    """Query for the display names that differ from their player's ID, by ID."""


SEAT_REQUESTS: Final = ClaimSeat | FindSeat | FindMoved | FindName | HandOverSeat | ListNames
"""The commands and queries above that other processes send to a game."""

_OF_SEATS: Final = frozenset((ClaimSeat, TakeSeat, FindSeat, FindMoved, FindName, HandOverSeat, ListNames))
"""All commands above. `apply` looks up each command in this set; this is faster than a check for each type."""


class SeatTaken(Refusal):
    """The name belongs to another holder, or no more names can be taken. Nothing has changed.

    `params` has the `player` if the name belongs to another holder.
    """

    code = "seat-taken"
    status = 403

    def __init__(self, words: str, player: str = "") -> None:
        self.params = {"player": player} if player else {}
        super().__init__(words)


class NameTaken(SeatTaken):
    """Another seat has a similar name. Nothing has changed.

    `params` has this `name`, and a free name as `offer`, if known.
    """

    code = "name-taken"
    status = 409

    def __init__(self, name: str, offer: str = "") -> None:
        super().__init__(f"the name {name} is taken here, or looks like one that is")
        self.params = {"name": name, "offer": offer} if offer else {"name": name}


class SeatFree(Refusal):
    """Nobody has the seat. Nothing has changed."""

    code = "seat-free"
    status = 404

    def __init__(self, player: str) -> None:
        self.params = {"player": player}
        super().__init__(f"nobody here is called {player}")


def hash_of(secret: str) -> str:
    """Return the holder for a secret. Secrets are random and long, so a fast hash suffices."""
    return hashlib.sha256(secret.encode()).hexdigest()


def seat_taken_words(player: str) -> str:
    """Return the error text for a caller who uses another holder's name."""
    return f"the name {player} belongs to somebody else here: take another one"


@runtime_checkable
class NamesMovers(Protocol):
    """Interface of rules whose commands do not have the mover's name in a field `player`."""

    def mover(self, command: Command[object], /) -> str | None:
        """Return the name of the player who makes this move, before it is applied; None if it has no player."""


def _by_name(command: Command[object]) -> str | None:
    player = getattr(command, "player", None)
    return player if isinstance(player, str) else None


class _State(msgspec.Struct, frozen=True, tag="Seated", omit_defaults=True):
    seats: dict[str, str]
    game: msgspec.Raw
    unmoved: tuple[str, ...] = ()  # names of `seats` without a move, in the order of their claims
    names: dict[str, tuple[str, str]] = {}  # display name and skeleton, for seats with a display name


def split_state(state: bytes) -> tuple[dict[str, str], dict[str, str], bytes]:
    """Return the taken seats in a state (player to holder), their display names, and the state of the game itself.

    Raises ValueError if the seats in the state are not valid.
    """
    found = _decode(state)
    if found is None:
        return {}, {}, state
    return found.seats, {player: name for player, (name, _) in found.names.items()}, bytes(found.game)


def _decode(state: bytes) -> _State | None:
    """Return the state with its seats; None if it has no seats."""
    if not state.startswith(b'{"type":"Seated"'):
        return None
    found = msgspec.json.decode(state, type=_State)
    if len(set(found.unmoved)) < len(found.unmoved) or not found.seats.keys() >= set(found.unmoved):
        raise ValueError("the list of names without a move has repeated names or names without a seat")
    skeletons = {skeleton for _, skeleton in found.names.values()}
    if not found.seats.keys() >= found.names.keys() or len(skeletons) < len(found.names):
        raise ValueError("a display name has no seat, or two display names look alike")
    return found


class Seated(Generic[D]):
    """A game with seats. Mutable; implements `scramble.kernel.protocol.Durable`."""

    # AF: the game `game` with the holders _seats of names. The names in _unmoved have made no move. If other names need
    #     seats, the seats of _unmoved are given up in this order. _names has display names and skeletons. _by_skeleton
    #     has the player of each skeleton. The seats have changed _changes times since this object was made.
    # RI: len(_seats) <= MAX_SEATS, and no name is longer than MAX_NAME; _unmoved and _names have only names of _seats.
    # Safety from exposure: no method returns _seats; the code that opens the game uses `game` before the owner does.

    def __init__(self, game: D) -> None:
        """Wrap a game; no seat is taken yet."""
        self.game: Final[D] = game
        self._seats: dict[str, str] = {}
        self._unmoved: dict[str, None] = {}
        self._names: dict[str, tuple[str, str]] = {}
        self._by_skeleton: dict[str, str] = {}
        self._changes = 0
        self._mover: Final = game.mover if isinstance(game, NamesMovers) else _by_name

    @property
    def version(self) -> int:
        """The version of the game; taking a seat is not a change."""
        return self.game.version

    @property
    def revision(self) -> int:
        """A number that grows with each change of the game's revision or of the seats."""
        return self.game.revision + self._changes

    @property
    def kind(self) -> str:
        """The kind of the game."""
        return self.game.kind

    @property
    def commands(self) -> object:
        """The commands of the game and of seats."""
        return self.game.commands | ClaimSeat | TakeSeat | HandOverSeat

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Execute one command in one atomic step."""
        if type(command) not in _OF_SEATS:
            return self._play(ticket, command)
        if isinstance(command, ClaimSeat | TakeSeat):
            return (self._take(ticket, command),)
        if isinstance(command, HandOverSeat):
            return (self._hand_over(ticket, command),)
        if isinstance(command, FindSeat):
            holder = self._seats.get(command.player)
            permanent = command.player not in self._unmoved
            return (Answered(ticket, None if holder is None else Seat(holder, permanent)),)
        if isinstance(command, FindMoved):
            moved = (one for one in command.players if one in self._seats and one not in self._unmoved)
            return (Answered(ticket, tuple(moved)),)
        if isinstance(command, FindName):
            return (Answered(ticket, self._find_name(command.skeleton)),)
        names = {player: name for player, (name, _) in self._names.items() if name != player}
        return (Answered(ticket, names),)

    def _play(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        """Let the game execute a command; a move makes the seat of its player permanent."""
        if not self._unmoved:
            return self.game.apply(ticket, command)
        player, before = self._mover(command), self.game.revision
        outcomes = self.game.apply(ticket, command)
        if player in self._unmoved and self.game.revision != before and _is_answered(ticket, outcomes):
            del self._unmoved[player]
        return outcomes

    def _take(self, ticket: Ticket, command: ClaimSeat | TakeSeat) -> Outcome:
        player, holder = command.player, command.holder
        found = self._seats.get(player)
        name, skeleton = (command.name or player, command.skeleton) if isinstance(command, ClaimSeat) else ("", "")
        if max(len(player), len(name), len(skeleton)) > MAX_NAME:
            return Refused(ticket, InvalidCommand(f"a name with a seat has at most {MAX_NAME} characters"))
        if found is not None and found != holder:
            return Refused(ticket, SeatTaken(seat_taken_words(player), player))
        if found is not None:
            return Answered(ticket, False)
        if skeleton in self._by_skeleton:
            return Refused(ticket, NameTaken(name))
        claimed = isinstance(command, ClaimSeat)
        if len(self._seats) >= MAX_SEATS:
            oldest = next(iter(self._unmoved), None)
            if oldest is None or not claimed:
                return Refused(ticket, SeatTaken("no more names can be taken in this game"))
            self._give_up(oldest)
        self._seats[player] = holder
        if claimed:
            self._unmoved[player] = None
        if skeleton:
            self._names[player] = name, skeleton
            self._by_skeleton[skeleton] = player
        self._changes += 1
        return Answered(ticket, True)

    def _give_up(self, player: str) -> None:
        """Free the seat of a player without a move."""
        del self._seats[player], self._unmoved[player]
        if player in self._names:
            del self._by_skeleton[self._names.pop(player)[1]]

    def _find_name(self, skeleton: str) -> FoundName | None:
        player = self._by_skeleton.get(skeleton)
        return None if player is None else FoundName(player, self._seats[player], self._names[player][0])

    def _hand_over(self, ticket: Ticket, command: HandOverSeat) -> Outcome:
        holder = self._seats.get(command.player)
        if holder is None:
            return Refused(ticket, SeatFree(command.player))
        if holder != command.holder:
            return Refused(ticket, SeatTaken(seat_taken_words(command.player), command.player))
        if holder != command.to:
            self._seats[command.player] = command.to
            self._changes += 1
        return Answered(ticket, None)

    def state(self) -> bytes:
        """Return the state of the game, with the taken seats if there are any."""
        game = self.game.state()
        seats = dict(sorted(self._seats.items()))  # the order of claims matters only for _unmoved
        if not seats:
            return game
        names = dict(sorted(self._names.items()))
        return msgspec.json.encode(_State(seats, msgspec.Raw(game), tuple(self._unmoved), names))

    def restore(self, state: bytes, /) -> Seated[D]:
        """Return another game in the given state, with or without seats."""
        return Seated.restored(state, self.game.restore)

    @classmethod
    def restored(cls, state: bytes, restore: Callable[[bytes], D]) -> Seated[D]:
        """Restore a game from the state, with or without seats; `restore` restores the game itself.

        Raises ValueError if the state is not valid.
        """
        found = _decode(state)
        seated = Seated(restore(state if found is None else bytes(found.game)))
        if found is not None:
            seated._seats, seated._unmoved = found.seats, dict.fromkeys(found.unmoved)
            seated._names = found.names
            seated._by_skeleton = {skeleton: player for player, (_, skeleton) in found.names.items()}
        return seated

    def __str__(self) -> str:
        return f"{self.game}\n{len(self._seats)} seats taken"


def _is_answered(ticket: Ticket, outcomes: Sequence[Outcome]) -> bool:
    """Return True if the command of the ticket was answered: not refused, and not waiting."""
    return any(isinstance(outcome, Answered) and outcome.ticket == ticket for outcome in outcomes)
