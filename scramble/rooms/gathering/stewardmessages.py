"""Messages between the gathering and the room's steward. Both are in one process.

The commands from all processes, and the acts for the steward among them, are in `scramble.rooms.gathering.messages`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from scramble.errors import CallerError
from scramble.kernel.protocol import Command, Query
from scramble.rooms.gathering.messages import (
    Begin,
    Close,
    Lane,
    OfferSeat,
    Remove,
    Rename,
    SeatTicket,
    UseTicket,
    Vote,
)


class Task(msgspec.Struct, frozen=True):
    """An act for the steward. The steward executes it, and then ends it by its number."""

    number: int
    act: StewardAct


class TakeTask(Command[Task | None], frozen=True):
    """Answered with the next act of a lane; None if no act waits, or if the lane's last taken act has not ended."""

    lane: Lane


class EndTask(Command[None], frozen=True):
    """End the taken act with that number: its request is refused with `refusal`, or answered with `value`."""

    number: int
    value: object = None
    refusal: CallerError | None = None


class NoteAct(Command[None], frozen=True):
    """Notify everybody that the holder has renamed the room, or is about to close it."""

    act: Literal["rename", "close"]
    holder: str
    values: dict[str, str]


class BeginAgreed(Command[None], frozen=True):
    """Begin the next game, because most players want it. The gathering itself adds this act, without a request.

    The room of the next game counts for the address `client`.
    """

    client: str


class NoteMoved(Command[bool], frozen=True):
    """Note present players who have made a move in this game. Only their votes count.

    Answered with True if enough of these players want a new game.
    """

    players: tuple[str, ...]


class CountVote(Command[None], frozen=True):
    """Note the vote of a holder, after `NoteMoved`. Refused with the same errors as `Vote`."""

    vote: Vote


class NoteBegun(Command[None], frozen=True):
    """Note that the holder has begun the next game in that room; `holder` None: the players' votes have begun it.

    All people are notified, unless the gathering knew that room already. The votes are cleared.
    """

    holder: str | None
    room: str


class NoteNotBegun(Command[None], frozen=True):
    """Notify everybody that the next game was not begun, though most players want it. The fields equal `NotBegun`'s."""

    error: str
    code: str
    params: dict[str, str | int]


class NoteExpelled(Command[None], frozen=True):
    """Note that the register expels these holders. The result of the act that expelled them does not matter.

    Adds an act without a request: the steward removes the holders that the gathering has not removed yet.
    """

    holders: tuple[str, ...]


class FindHolder(Query[str | None], frozen=True):
    """Answered with the holder of that player: a connected holder, or else the latest. Removed holders do not count.

    None if there is no holder.
    """

    player: str


class RemovePlayer(Command[tuple[str, ...]], frozen=True):
    """Remove the holder `target` from the game: it cannot be the host, has no vote, and must disconnect.

    The request came from `holder`, at `place`. All people are notified that `player` was removed. Without these three
    (None) there is no notice, and a second removal of the same target changes nothing. Answered with the players whose
    cards the steward must release.
    """

    target: str
    holder: str | None = None
    player: str | None = None
    place: str | None = None


class GiveTicket(Command[None], frozen=True):
    """Note a ticket for a seat of the holder."""

    text: str
    player: str
    holder: str


class FindTicket(Query[SeatTicket], frozen=True):
    """Answered with the seat of a ticket. Refused with NoSuchTicket."""

    text: str
    holder: str


class NoteHandover(Command[str], frozen=True):
    """Note that the seat of a ticket belongs to that holder now. The old holder must disconnect.

    The old holder can take the seat back by the same ticket. Nothing changes if the holder has the seat already by the
    ticket. Answered with the display name of the player.
    """

    text: str
    ticket: SeatTicket
    holder: str


class AwaitDelivery(Query[None], frozen=True):
    """Answered once all places have confirmed the latest closing of the room or removal of a player.

    Only places that had connections at that time, and the place of the removal's request, must confirm.
    """


StewardAct: TypeAlias = Rename | Close | Remove | OfferSeat | UseTicket | NoteExpelled | Vote | Begin | BeginAgreed
"""The acts that the steward executes."""

StewardCommand: TypeAlias = (
    TakeTask
    | EndTask
    | NoteAct
    | NoteExpelled
    | NoteMoved
    | CountVote
    | NoteBegun
    | NoteNotBegun
    | FindHolder
    | RemovePlayer
    | AwaitDelivery
    | GiveTicket
    | FindTicket
    | NoteHandover
)
"""The commands to a gathering that only its own process may send."""
