"""Messages between the gathering and the room's steward, in their common process.

Commands from any process, and the acts that the steward executes for them, are in `scramble.rooms.gathering.messages`.
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
    """An act for the steward to execute, and to end under that number."""

    number: int
    act: StewardAct


class TakeTask(Command[Task | None], frozen=True):
    """Answered with the next act of a lane; None if no act waits, or if its last taken act has not ended."""

    lane: Lane


class EndTask(Command[None], frozen=True):
    """Answer the request of the act that was taken under that number: with `refusal` if there is one, or `value`."""

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

    Its room counts for the address `client`.
    """

    client: str


class NoteMoved(Command[bool], frozen=True):
    """Note present players who have made a move in this game. Only the votes of noted players count.

    Answered with True if enough of them want a new game.
    """

    players: tuple[str, ...]


class CountVote(Command[None], frozen=True):
    """Note the vote of a holder, after `NoteMoved`. Refused as `Vote` is."""

    vote: Vote


class NoteBegun(Command[None], frozen=True):
    """Note that the holder has begun the next game in that room; None: the players by their votes.

    If that is news, all people are notified. The votes for it are cleared.
    """

    holder: str | None
    room: str


class NoteNotBegun(Command[None], frozen=True):
    """Notify everybody why the next game, which most players want, was not begun: with the fields of `NotBegun`."""

    error: str
    code: str
    params: dict[str, str | int]


class NoteExpelled(Command[None], frozen=True):
    """Note that the register expels these holders, whatever the result of the act that caused it.

    An act without a request: the steward removes the holders that are not removed yet.
    """

    holders: tuple[str, ...]


class FindHolder(Query[str | None], frozen=True):
    """Answered with the holder of that player who was not removed: a connected one, or else the latest one.

    None if there is no such holder.
    """

    player: str


class RemovePlayer(Command[tuple[str, ...]], frozen=True):
    """Remove the holder `target` from the game: it is no host, has no vote, and must leave.

    It is the act of `holder`, through a connection of `place`. All people are notified that `player` was removed. If
    these are None, there is no notice, and a second removal of the same target changes nothing. Answered with the
    players whose cards the steward must release.
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
    """Note that the seat of a ticket belongs to that holder now. The ticket is the way back; the old holder must leave.

    Nothing changes if the holder has the seat already by the ticket. Answered with the display name of the player.
    """

    text: str
    ticket: SeatTicket
    holder: str


class AwaitDelivery(Query[None], frozen=True):
    """Answered once all places concerned have confirmed the latest act; at once if they have.

    These are the places with connections when the room was about to be closed, or a player was removed.
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
"""All commands to a gathering that come only from its own process."""
