"""Messages of the gathering in a room: commands, queries, events, and views as answers.

A person is identified by the holder of the person's seats: the SHA-256 of a browser's or client's secret. A *place* is
a process of the server. Each place has its own connections, and receives the events of the whole room.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from scramble.kernel.protocol import Command, Event, Ping, Query
from scramble.players.presence import PresenceState
from scramble.rooms.gathering.refusals import HostAct

REACTIONS: Final = ("👍", "👏", "😂", "😮", "😢", "🎉", "🤔", "👋")

Act: TypeAlias = Literal["again", "settings", "vote", "rename", "remove", "close"]
"""The kinds of acts that affect everybody's game."""

Lane: TypeAlias = Literal["house", "votes", "next"]
"""The steward executes one act of each lane at a time. So a search for the next game blocks no other acts."""

# --- views: the answers to commands -----------------------------------------------------------------


class GatheringState(msgspec.Struct, frozen=True):
    """The state of a gathering, without presence and names.

    `host` is the host's holder, and `host_player` a player of that holder, if there is one. If nobody comes or goes,
    the host or the host's rights change in `host_changes_in` seconds; None: never. `acts`: the host stands in for the
    room's opener, and gets all rights of a host in `may_all_in` seconds; None: never. `voters` want a new game; they
    have `votes`, and `needed` votes begin it. The next game was set `nexts` times.
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
    """A process's initial data about a gathering. `names` that equal the player's ID are omitted, and excess ones."""

    presence: PresenceState
    state: GatheringState
    names: dict[str, str]


class NextGame(msgspec.Struct, frozen=True):
    """The choices for the next game: `settings` as JSON, None for this game's settings, and its turn clock."""

    settings: bytes | None
    turn_s: float | None


class Undone(msgspec.Struct, frozen=True):
    """An act was given up because an answer was missing. It may have happened or not. `words` give the reason."""

    words: str


class TakenSeat(msgspec.Struct, frozen=True):
    """A seat that has moved to another device: its player, and the display name."""

    player: str
    name: str


class SeatTicket(msgspec.Struct, frozen=True):
    """A seat to hand over: its player, and the holder who requested the ticket."""

    player: str
    holder: str


# --- being here -------------------------------------------------------------------------------------


class Attend(Command[None], frozen=True):
    """Stay in the room with one connection of `place`. Never answered; a withdrawal of the request ends the stay.

    The connection belongs to `player`, or to a spectator (None). `holder` is None for a client without a secret.
    Clients with the same `account`, which stands for an address, may be one person; empty: unknown.
    """

    place: str
    holder: str | None
    player: str | None
    account: str = ""


class SitDown(Command[None], frozen=True):
    """Stay in the room as a bot with that display name. Never answered; a withdrawal of the request ends the stay."""

    player: str
    name: str


class NotePlayer(Command[None], frozen=True):
    """Note that the holder plays as that player without a connection."""

    holder: str
    player: str


class NoteNames(Command[None], frozen=True):
    """Note display names by player ID.

    The `early` ones are from before the room woke. Only the first such command counts.
    """

    names: dict[str, str]
    early: bool = False


class TakeGathering(Query[GatheringSnapshot], frozen=True):
    """Answered with the whole gathering. Later changes are in `Came`, `Went`, `Named` and `Updated`."""


class NoteTime(Command[None], frozen=True):
    """Note that time has passed and the host may have changed. Publishes the present state."""


# --- acts -------------------------------------------------------------------------------------------


class RequireHost(Query[None], frozen=True):
    """Refused with NotTheHost or StandsIn unless the holder is the host with that right, or the room's opener."""

    holder: str | None
    act: HostAct


class HostsAct(Command[Undone | None], frozen=True):
    """The base of the host's acts for the steward. Answered once they are done, events first.

    Refused with NotTheHost or StandsIn, both on arrival and when the steward takes the act after others. A request that
    is withdrawn before that has no effect. After that, its act continues.
    """

    act: ClassVar[HostAct]

    holder: str


class Rename(HostsAct, frozen=True):
    """Give the room another title. Refused with InvalidCommand or DiskFull, too."""

    act = "rename"

    title: str


class Close(HostsAct, frozen=True):
    """Close the room permanently, after all connections were told who closes it."""

    act = "close"


class Remove(HostsAct, frozen=True):
    """Remove the present holder of the name `player` from the game, with all its names.

    Answered after the client's requests have ended, or after a time limit, and after everything that its players hold
    is released. `place` is the place of this request: its requests must end, too. Refused with NobodyThere, HostStays
    or OpenerStays, too.
    """

    act = "remove"

    player: str
    place: str


class NoteDelivery(Command[None], frozen=True):
    """Note that all connections of that place were told that the room is closed.

    With `removed`: that all requests of this removed holder have ended there.
    """

    place: str
    removed: str | None = None


class SetNext(Command[None], frozen=True):
    """Set the choices for the next game. Refused with NotTheHost."""

    holder: str
    next: NextGame


class TakeNext(Query[NextGame], frozen=True):
    """Answered with the choices for the next game."""


class Begin(Command[Undone | str], frozen=True):
    """Begin the next game, unless there is one to enter. Answered with the name of its room.

    The steward executes it. The room counts for the address `client`. With `as_host`, because the game has not ended,
    only the host may begin. Otherwise, if a room must be opened, the host may, and a holder who `may_open` rooms here.

    Refused with NotTheHost, PlayerRemoved, or the reason why the room cannot be opened: BadSettings, Busy, RoomsFull,
    or too many rooms of that address.
    """

    holder: str
    client: str
    as_host: bool
    may_open: bool


class Vote(Command[Undone | None], frozen=True):
    """Note the vote of a holder who plays: True for a new game. It begins once most players with moves want it.

    Its room counts for the address `client` of the latest vote. The steward executes it. Refused with NotPlaying,
    NotMoved or TooFast.
    """

    holder: str
    wanted: bool
    client: str


class React(Command[None], frozen=True):
    """Show everybody an emoji of that player; None: the player that the holder used last.

    Refused with NoSuchReaction, NotPlaying or TooFast.
    """

    holder: str
    player: str | None
    emoji: str


class OfferSeat(Command[Undone | None], frozen=True):
    """Note a ticket for the holder's seat as `player`. Earlier tickets for this seat become invalid.

    The steward executes it. Refused with PlayerRemoved, NobodyThere or SeatTaken.
    """

    holder: str
    player: str
    text: str


class UseTicket(Command[Undone | TakenSeat], frozen=True):
    """Give the seat of a ticket to the holder, who may have it already. Answered with the player.

    The steward executes it. Refused with NoSuchTicket, PlayerRemoved if either holder was, SeatTaken or SeatFree.
    """

    holder: str
    text: str


# --- events -----------------------------------------------------------------------------------------


class Came(Event, frozen=True, tag_field="is", tag="came"):
    """A player has come with a first connection, or as a bot; None: one more connection watches."""

    player: str | None
    bot: bool = False


class Went(Event, frozen=True, tag_field="is", tag="went"):
    """A player has left with the last connection, or as a bot; None: one connection fewer watches."""

    player: str | None
    bot: bool = False


class Named(Event, frozen=True, tag_field="is", tag="named"):
    """These players have display names. `early` ones are older than all names that were published before."""

    names: dict[str, str]
    early: bool = False


class Updated(Event, frozen=True, tag_field="is", tag="updated"):
    """The state has changed."""

    state: GatheringState


class Due(Event, frozen=True, tag_field="is", tag="due"):
    """An act waits for the steward in an idle lane."""

    lane: Lane = "house"


class Acted(Event, frozen=True, tag_field="is", tag="acted"):
    """A person has acted on everybody's game. `by` is the player and `name` the display name, if known."""

    act: Act
    by: str | None
    name: str | None
    values: dict[str, str]


class NotBegun(Event, frozen=True, tag_field="is", tag="not-begun"):
    """The next game, which most players want, was not begun. The reason: words, with a code and their values."""

    error: str
    code: str
    params: dict[str, str | int]


class Reacted(Event, frozen=True, tag_field="is", tag="reacted"):
    """A player shows everybody an emoji."""

    player: str
    emoji: str


class Removed(Event, frozen=True, tag_field="is", tag="removed"):
    """The host has removed the holder from the game. Its requests and connections must end.

    `players` are the holder's connected players, and the name under which it was removed. Their holdings are released.
    """

    holder: str
    players: tuple[str, ...]


class HandedOver(Event, frozen=True, tag_field="is", tag="handed-over"):
    """The seat of `player` belongs to another holder now. The connections of `holder` as that player must end."""

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
"""All commands that any place can send to a gathering."""

GatheringEvent: TypeAlias = Came | Went | Named | Updated | Due | Acted | NotBegun | Reacted | Removed | HandedOver
