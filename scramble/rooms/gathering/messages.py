"""Messages of the gathering in a room: commands, queries, events, and views as answers.

People are told apart by the holders of their seats: the SHA-256 of a browser's, or client's, secret. A *place* is a
process of the server: each has connections of its own, and asks what happens at the others.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from scramble.errors import CallerError
from scramble.kernel.protocol import Command, Event, Ping, Query
from scramble.players.presence import PresenceState
from scramble.rooms.gathering.refusals import HostAct

REACTIONS: Final = ("👍", "👏", "😂", "😮", "😢", "🎉", "🤔", "👋")

Act: TypeAlias = Literal["again", "settings", "vote", "rename", "remove", "close"]
"""What somebody does to the game of all."""

# --- views: the answers to commands -----------------------------------------------------------------


class Meeting(msgspec.Struct, frozen=True):
    """The state of a gathering, but for who is here (`PresenceState`). Of very many names it has some.

    `host` is the holder of the host, and `host_player` a player of that holder, if there is one; if nobody comes or
    goes there is another host, or one who may do more, in `host_changes_in` seconds, None: never. If the host `acts`,
    it stands in for who opened the room, and may do all in `may_all_in` seconds, None: never. `voters` want a new game;
    they have `votes`, of `needed`.
    `names` has the display names that differ from their player's ID. What the next game is to be was set `nexts` times,
    and its room is `begun`, if it was begun here.
    """

    host: str | None
    host_player: str | None
    host_changes_in: float | None
    voters: tuple[str, ...]
    needed: int
    names: dict[str, str]
    nexts: int
    begun: str | None
    votes: int
    acts: bool
    may_all_in: float | None

    @property
    def is_agreed(self) -> bool:
        """True if enough players want a new game."""
        return self.votes >= self.needed


class NextGame(msgspec.Struct, frozen=True):
    """What the next game is to be: `settings` as JSON, None for those of this game, and its turn clock."""

    settings: bytes | None
    turn_s: float | None


class Undone(msgspec.Struct, frozen=True):
    """An act was given up, because what it needs did not answer: it may have happened or not. `words` say why."""

    words: str


class TakenSeat(msgspec.Struct, frozen=True):
    """A seat that has come to another device: its player, and the display name."""

    player: str
    name: str


class SeatTicket(msgspec.Struct, frozen=True):
    """A seat to hand over, of the holder that asked for it."""

    player: str
    holder: str


# --- being here -------------------------------------------------------------------------------------


class Attend(Command[None], frozen=True):
    """Be in the room, by one connection of `place`: never answered, and over when the request is withdrawn.

    The connection is of `player`, or None of somebody who watches. `holder` is None for a client without a secret.
    Clients with the same `account`, which stands for an address, may be one person; empty: nothing is known of it.
    """

    place: str
    holder: str | None
    player: str | None
    account: str = ""


class SitDown(Command[None], frozen=True):
    """Be in the room as a bot under that display name: never answered, and over when the request is withdrawn."""

    player: str
    name: str


class NotePlayer(Command[None], frozen=True):
    """Note that the holder plays as that player without a connection."""

    holder: str
    player: str


class NoteNames(Command[None], frozen=True):
    """Note display names by the IDs of their players; with `early` only of players without one: they are older."""

    names: dict[str, str]
    early: bool = False


class TakeMeeting(Query[Meeting], frozen=True):
    """Answered with the state of the gathering."""


class TakePresence(Query[PresenceState], frozen=True):
    """Answered with who is here; `Came` and `Went` say what changes after that."""


class FindHolder(Query[str | None], frozen=True):
    """Answered with the holder who is that player, and was not removed: connected as it, or else who played as it last.

    None if nobody did.
    """

    player: str


# --- acts -------------------------------------------------------------------------------------------


class RequireHost(Query[None], frozen=True):
    """Refused with NotTheHost, or StandsIn, unless the holder is the host, or has opened the room, and may do that."""

    holder: str | None
    act: HostAct


class HostsAct(Command[Undone | None], frozen=True):
    """The base of acts of the host that the steward does: answered once they are done, events first.

    Refused with NotTheHost or StandsIn when it comes, and when the steward takes it, if other acts came in between.
    A request that is withdrawn before that leaves no trace; later, its act goes on.
    """

    act: ClassVar[HostAct]

    holder: str


class Rename(HostsAct, frozen=True):
    """Give the room another title. Refused with InvalidCommand or DiskFull, too."""

    act = "rename"

    title: str


class Close(HostsAct, frozen=True):
    """Close the room for good, after all who are connected were told who does it."""

    act = "close"


class Remove(HostsAct, frozen=True):
    """Remove who has the name `player` now from the game, under any name.

    Answered when what that client has asked for has ended, at `place` at least, where this is asked, or has not for a
    while; and what its players held is free. Refused with NobodyThere, HostStays or OpenerStays, too.
    """

    act = "remove"

    player: str
    place: str


class NoteDelivery(Command[None], frozen=True):
    """Note that all connections of that place were told that the room is closed.

    Or that all that the holder `removed` has asked for there has ended.
    """

    place: str
    removed: str | None = None


class SetNext(Command[None], frozen=True):
    """Set what the next game is to be. Refused with NotTheHost."""

    holder: str
    next: NextGame


class TakeNext(Query[NextGame], frozen=True):
    """Answered with what the next game is to be."""


class NoteBegun(Command[bool], frozen=True):
    """Note that the holder has begun the next game in that room; None: the players by their votes.

    Answered with True if that is news: then all are told, and the votes for it are used up.
    """

    holder: str | None
    room: str


class NoteMoved(Command[None], frozen=True):
    """Note players who are here and have made a move in this game: only the votes of all that were noted count."""

    players: tuple[str, ...]


class Vote(Command[None], frozen=True):
    """Note whether the holder, who plays, wants a new game. Refused with NotPlaying, NotMoved or TooFast."""

    holder: str
    wanted: bool


class React(Command[None], frozen=True):
    """Show everybody an emoji of that player; None: the one that the holder plays lately.

    Refused with NoSuchReaction, NotPlaying or TooFast.
    """

    holder: str
    player: str | None
    emoji: str


class OfferSeat(Command[Undone | None], frozen=True):
    """Note a ticket for the seat of `player`, which is the holder's. Tickets for the same seat are void from now on.

    Done by the steward. Refused with PlayerRemoved, NobodyThere or SeatTaken.
    """

    holder: str
    player: str
    text: str


class UseTicket(Command[Undone | TakenSeat], frozen=True):
    """Give the seat of a ticket to the holder, who may have it by now; answered with its player.

    Done by the steward. Refused with NoSuchTicket, PlayerRemoved if either holder was, SeatTaken or SeatFree.
    """

    holder: str
    text: str


# --- the steward's, where the gathering runs --------------------------------------------------------


class Task(msgspec.Struct, frozen=True):
    """An act for the steward to do, and to end under that number."""

    number: int
    act: StewardAct


class TakeTask(Command[Task | None], frozen=True):
    """Answered with the next act; None if no act waits, or if the act that was taken last has not ended."""


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


class NoteExpelled(Command[None], frozen=True):
    """Note that the register has it that these holders may not play here, whatever became of the act that said so.

    An act without a request: the steward removes those who were not removed.
    """

    holders: tuple[str, ...]


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


# --- events -----------------------------------------------------------------------------------------


class Moved(Event, frozen=True, tag_field="is", tag="moved"):
    """The state of the gathering is another one than any place has taken."""


class Came(Event, frozen=True, tag_field="is", tag="came"):
    """A player has come, with the first connection, or as a bot; None: another connection watches."""

    player: str | None
    bot: bool = False


class Went(Event, frozen=True, tag_field="is", tag="went"):
    """A player has left, with the last connection, or as a bot; None: a connection fewer watches."""

    player: str | None
    bot: bool = False


class Due(Event, frozen=True, tag_field="is", tag="due"):
    """There is an act for the steward, who has none."""


class Acted(Event, frozen=True, tag_field="is", tag="acted"):
    """Somebody has done something to the game of all; `by` is the player and `name` what people read, if known."""

    act: Act
    by: str | None
    name: str | None
    values: dict[str, str]


class Reacted(Event, frozen=True, tag_field="is", tag="reacted"):
    """A player shows everybody an emoji."""

    player: str
    emoji: str


class Removed(Event, frozen=True, tag_field="is", tag="removed"):
    """The host has removed the holder from the game: its requests and connections are to end.

    `players` are those that it was connected as, and the name under which it was removed; what they hold is to be free.
    """

    holder: str
    players: tuple[str, ...]


class HandedOver(Event, frozen=True, tag_field="is", tag="handed-over"):
    """The seat of `player` is another holder's now: the connections of `holder` as that player are to end."""

    holder: str
    player: str
    to: str


GatheringCommand: TypeAlias = (
    Attend
    | SitDown
    | NotePlayer
    | NoteNames
    | TakeMeeting
    | TakePresence
    | RequireHost
    | Rename
    | Close
    | Remove
    | NoteDelivery
    | SetNext
    | TakeNext
    | NoteBegun
    | NoteMoved
    | Vote
    | React
    | OfferSeat
    | UseTicket
    | Ping
)
"""Everything that can be asked of a gathering, from any place."""

StewardAct: TypeAlias = Rename | Close | Remove | OfferSeat | UseTicket | NoteExpelled
"""The acts that the steward does."""

StewardCommand: TypeAlias = (
    TakeTask
    | EndTask
    | NoteAct
    | NoteExpelled
    | FindHolder
    | RemovePlayer
    | AwaitDelivery
    | GiveTicket
    | FindTicket
    | NoteHandover
)
"""Everything that the steward alone asks of a gathering, in the process where it runs."""

GatheringEvent: TypeAlias = Moved | Due | Came | Went | Acted | Reacted | Removed | HandedOver
