"""Messages of the gathering in a room: commands, queries, events, and views as answers.

People are told apart by the holders of their seats: the SHA-256 of a browser's, or client's, secret. A *place* is a
process of the server: each has connections of its own, and asks what happens at the others.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from scramble.kernel.protocol import Command, Event, Ping, Query
from scramble.players.presence import PresenceState
from scramble.rooms.gathering.refusals import HostAct

REACTIONS: Final = ("👍", "👏", "😂", "😮", "😢", "🎉", "🤔", "👋")

Act: TypeAlias = Literal["again", "settings", "vote", "rename", "remove", "close"]
"""What somebody does to the game of all."""

Lane: TypeAlias = Literal["house", "votes", "next"]
"""The steward does one act of each lane at a time: a search for the next game holds up neither votes nor other acts."""

# --- views: the answers to commands -----------------------------------------------------------------


class GatheringState(msgspec.Struct, frozen=True):
    """The state of a gathering, but for who is here and for names.

    `host` is the holder of the host, and `host_player` a player of that holder, if there is one; if nobody comes or
    goes there is another host, or one who may do more, in `host_changes_in` seconds, None: never. If the host `acts`,
    it stands in for who opened the room, and may do all in `may_all_in` seconds, None: never. `voters` want a new game;
    they have `votes`, of `needed`. What the next game is to be was set `nexts` times.
    """

    host: str | None
    host_player: str | None
    host_changes_in: float | None
    acts: bool
    may_all_in: float | None
    voters: tuple[str, ...]
    votes: int
    needed: int
    nexts: int


class GatheringSnapshot(msgspec.Struct, frozen=True):
    """All that a process has to know of a gathering: of very many `names` that differ from their player's ID, some."""

    presence: PresenceState
    state: GatheringState
    names: dict[str, str]


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
    """Note display names by the IDs of their players.

    The `early` ones are from before the room woke: only the first such command counts.
    """

    names: dict[str, str]
    early: bool = False


class TakeGathering(Query[GatheringSnapshot], frozen=True):
    """Answered with all that there is to know; `Came`, `Went`, `Named` and `Updated` say what changes after that."""


class NoteTime(Command[None], frozen=True):
    """Note that time has passed, after which there may be another host: tells the state as it is now."""


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


class Begin(Command[Undone | str], frozen=True):
    """Begin the next game, unless there is one to enter; answered with the name of its room.

    Done by the steward. The room counts for the address `client`. With `as_host`, because the game has not ended, only
    the host may do that; otherwise, if the room is to be opened, the host or a holder who `may_open` rooms here.

    Refused with NotTheHost, PlayerRemoved, and why the room cannot be opened: BadSettings, Busy, RoomsFull, or because
    that address has opened too many rooms.
    """

    holder: str
    client: str
    as_host: bool
    may_open: bool


class Vote(Command[Undone | None], frozen=True):
    """Note whether the holder, who plays, wants a new game. It begins once most who have made a move do.

    Its room counts for the address `client` of the latest vote. Done by the steward. Refused with NotPlaying, NotMoved
    or TooFast.
    """

    holder: str
    wanted: bool
    client: str


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


# --- events -----------------------------------------------------------------------------------------


class Came(Event, frozen=True, tag_field="is", tag="came"):
    """A player has come, with the first connection, or as a bot; None: another connection watches."""

    player: str | None
    bot: bool = False


class Went(Event, frozen=True, tag_field="is", tag="went"):
    """A player has left, with the last connection, or as a bot; None: a connection fewer watches."""

    player: str | None
    bot: bool = False


class Named(Event, frozen=True, tag_field="is", tag="named"):
    """These players have display names; `early` ones are older than any that was told before."""

    names: dict[str, str]
    early: bool = False


class Updated(Event, frozen=True, tag_field="is", tag="updated"):
    """The state is another one."""

    state: GatheringState


class Due(Event, frozen=True, tag_field="is", tag="due"):
    """There is an act for the steward, who has none of that lane."""

    lane: Lane = "house"


class Acted(Event, frozen=True, tag_field="is", tag="acted"):
    """Somebody has done something to the game of all; `by` is the player and `name` what people read, if known."""

    act: Act
    by: str | None
    name: str | None
    values: dict[str, str]


class NotBegun(Event, frozen=True, tag_field="is", tag="not-begun"):
    """The next game that most players want has not begun: why, in words, with a code and the values of the words."""

    error: str
    code: str
    params: dict[str, str | int]


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
    | TakeGathering
    | NoteTime
    | RequireHost
    | Rename
    | Close
    | Remove
    | NoteDelivery
    | SetNext
    | TakeNext
    | Begin
    | Vote
    | React
    | OfferSeat
    | UseTicket
    | Ping
)
"""Everything that can be asked of a gathering, from any place."""

GatheringEvent: TypeAlias = Came | Went | Named | Updated | Due | Acted | NotBegun | Reacted | Removed | HandedOver
