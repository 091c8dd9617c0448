"""Messages between the gathering and the steward of the room, in the process where both run.

What any process may ask for is in `scramble.rooms.gathering.messages`, with the acts that the steward does for that.
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
    """An act for the steward to do, and to end under that number."""

    number: int
    act: StewardAct


class TakeTask(Command[Task | None], frozen=True):
    """Answered with the next act of a lane; None if no act waits, or if its act that was taken last has not ended."""

    lane: Lane


class EndTask(Command[None], frozen=True):
    """Answer the request of the act that was taken under that number: with `refusal`, if there is one, or `value`."""

    number: int
    value: object = None
    refusal: CallerError | None = None


class NoteAct(Command[None], frozen=True):
    """Tell all that the holder has done that, or is about to close the room."""

    act: Literal["rename", "close"]
    holder: str
    values: dict[str, str]


class BeginAgreed(Command[None], frozen=True):
    """Begin the next game, because most players want it: an act without a request, which the gathering adds itself.

    Its room counts for the address `client`.
    """

    client: str


class NoteMoved(Command[bool], frozen=True):
    """Note players who are here and have made a move in this game: only the votes of all that were noted count.

    Answered with True if enough of them want a new game.
    """

    players: tuple[str, ...]


class CountVote(Command[None], frozen=True):
    """Note the vote of a holder; who has made a move was noted before. Refused as `Vote` is."""

    vote: Vote


class NoteBegun(Command[None], frozen=True):
    """Note that the holder has begun the next game in that room; None: the players by their votes.

    All are told, if that is news; and the votes for it are used up.
    """

    holder: str | None
    room: str


class NoteNotBegun(Command[None], frozen=True):
    """Tell all why the next game that most players want has not begun: with the fields of `NotBegun`."""

    error: str
    code: str
    params: dict[str, str | int]


class NoteExpelled(Command[None], frozen=True):
    """Note that the register has it that these holders may not play here, whatever became of the act that said so.

    An act without a request: the steward removes those who were not removed.
    """

    holders: tuple[str, ...]


class FindHolder(Query[str | None], frozen=True):
    """Answered with the holder who is that player, and was not removed: connected as it, or else who played as it last.

    None if nobody did.
    """

    player: str


class RemovePlayer(Command[tuple[str, ...]], frozen=True):
    """Remove the holder `target` from the game: it is no host, has no vote, and is to leave.

    It is the act of `holder`, over a connection of `place`, and everybody reads that `player` was removed. If these are
    None, nobody reads it, and a second removal of the same target changes nothing. Answered with the players whose
    cards the steward has to release.
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
    """Note that the seat of a ticket is that holder's now: the ticket is the way back, and its holder is to leave.

    Nothing changes if it is that holder's already by the ticket. Answered with the display name of the player.
    """

    text: str
    ticket: SeatTicket
    holder: str


class AwaitDelivery(Query[None], frozen=True):
    """Answered once all places concerned have noted the delivery of the latest act; at once if they have.

    Those are the places with connections when the room was about to be closed, or a player was removed.
    """


StewardAct: TypeAlias = Rename | Close | Remove | OfferSeat | UseTicket | NoteExpelled | Vote | Begin | BeginAgreed
"""The acts that the steward does."""

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
"""Everything that is asked of a gathering only where it runs."""
