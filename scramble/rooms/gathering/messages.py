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
"""The kinds of acts that affect all people in the room."""

Lane: TypeAlias = Literal["house", "votes", "next"]
"""The lanes of the steward. It executes one act of each lane at a time, so a search delays only the lane "next"."""

# --- views: the answers to commands -----------------------------------------------------------------


class GatheringState(msgspec.Struct, frozen=True):
    """The state of a gathering, without presence and names.

    `host` is the host's holder, and `host_player` a player of that holder, if the holder plays. If no person arrives or
    leaves, the host, the host's rights or the voters change in `changes_in` seconds; None: never. `acts`: the host
    stands in for the room's opener, and gets all rights of a host in `may_all_in` seconds; None: never. `voters` are
    the players who want a new game. They have `votes` votes; the new game begins with `needed` votes. `nexts` counts
    the changes of the choices for the next game. `avatars` has the numbers of the avatars that players have chosen, all
    different.
    """

    host: str | None
    host_player: str | None
    changes_in: float | None
    acts: bool
    may_all_in: float | None
    voters: tuple[str, ...]
    votes: int
    needed: int
    nexts: int
    avatars: dict[str, int] = {}


class GatheringSnapshot(msgspec.Struct, frozen=True):
    """A process's initial data about a gathering. `names` has the latest names that differ from the player's ID."""

    presence: PresenceState
    state: GatheringState
    names: dict[str, str]


class NextGame(msgspec.Struct, frozen=True):
    """The choices for the next game: its turn clock, and `settings` as JSON; None: the settings of this game."""

    settings: bytes | None
    turn_s: float | None


class Undone(msgspec.Struct, frozen=True):
    """The answer to an act that timed out. The act may have happened or not. `words` give the reason."""

    words: str


class TakenSeat(msgspec.Struct, frozen=True):
    """A seat that has moved to another device: its player, and the display name."""

    player: str
    name: str


class SeatTicket(msgspec.Struct, frozen=True):
    """A seat that a ticket hands over: its player, and its present holder."""

    player: str
    holder: str


# --- being here -------------------------------------------------------------------------------------


class Attend(Command[None], frozen=True):
    """Stay in the room with one connection of `place`. Never answered; a withdrawal of the request ends the stay.

    The connection belongs to `player`, or to a spectator (None). `holder` is None for a client without a secret. The
    clients of one address have the same `account`, because they may be one person; empty: unknown.
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

    The `early` names are from before the room woke. They have an effect only in the first command with `early` names.
    """

    names: dict[str, str]
    early: bool = False


class NoteAvatar(Command[None], frozen=True):
    """Note that a player has chosen an avatar, a number below AVATARS. If it is taken, the player gets another one."""

    player: str
    avatar: int


class TakeGathering(Query[GatheringSnapshot], frozen=True):
    """Answered with the whole gathering. Later changes are in the events `Came`, `Went`, `Named` and `Updated`."""


class NoteTime(Command[None], frozen=True):
    """Check if the host has changed by now. Publishes the present state."""


# --- acts -------------------------------------------------------------------------------------------


class RequireHost(Query[None], frozen=True):
    """Refused with NotTheHost or StandsIn unless the holder is the host with that right, or the room's opener."""

    holder: str | None
    act: HostAct


class HostsAct(Command[Undone | None], frozen=True):
    """The base of the host's acts for the steward. Answered once the act is done; its events come first.

    The right of the holder is checked twice: on arrival, and when the steward takes the act. Refused with NotTheHost or
    StandsIn. A withdrawal before the steward takes the act cancels the act. A later withdrawal does not.
    """

    act: ClassVar[HostAct]

    holder: str


class Rename(HostsAct, frozen=True):
    """Give the room another title. Also refused with InvalidCommand or DiskFull."""

    act = "rename"

    title: str


class Close(HostsAct, frozen=True):
    """Close the room permanently, after all connections were told that the host closes it."""

    act = "close"


class Remove(HostsAct, frozen=True):
    """Remove the present holder of the name `player` from the game, with all its names.

    Answered after the client's requests have ended, or after a time limit, and after its players' holdings are
    released. `place` is the place of this request: the removed client's requests there must end, too. Also refused with
    NobodyThere, HostStays or OpenerStays.
    """

    act = "remove"

    player: str
    place: str


class NoteDelivery(Command[None], frozen=True):
    """Note that all connections of that place were told that the room is closed.

    With `removed`, note instead that all requests of this removed holder have ended at that place.
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
    """Begin the next game. Answered with the name of its room: the successor if it can be entered, or a new room.

    The steward executes it. The new room counts for the address `client`. With `as_host` only the host may begin: the
    present game has not ended. Otherwise the host may open the new room, and so may a holder with `may_open`.

    Refused with NotTheHost, PlayerRemoved, BadSettings, Busy or RoomsFull, or if that address has too many rooms.
    """

    holder: str
    client: str
    as_host: bool
    may_open: bool


class Vote(Command[Undone | None], frozen=True):
    """Note the vote of a holder who plays: True for a new game. A new game begins once most players with moves want it.

    The room of the new game counts for the address `client` of the latest vote. The steward executes the vote. Refused
    with NotPlaying, NotMoved or TooFast.
    """

    holder: str
    wanted: bool
    client: str


class React(Command[None], frozen=True):
    """Show everybody an emoji from that player; None: the latest player of the holder.

    Refused with NoSuchReaction, NotPlaying or TooFast.
    """

    holder: str
    player: str | None
    emoji: str


class OfferSeat(Command[Undone | None], frozen=True):
    """Note a ticket for the holder's seat as `player`. Earlier tickets for this seat become invalid.

    The steward executes the command. Refused with PlayerRemoved, NobodyThere or SeatTaken.
    """

    holder: str
    player: str
    text: str


class UseTicket(Command[Undone | TakenSeat], frozen=True):
    """Give the seat of a ticket to the holder, who may have the seat already. Answered with the player.

    The steward executes the command. Refused with NoSuchTicket, SeatTaken or SeatFree, or with PlayerRemoved if the
    host has removed one of the two holders.
    """

    holder: str
    text: str


# --- events -----------------------------------------------------------------------------------------


class Came(Event, frozen=True, tag_field="is", tag="came"):
    """A player has arrived, with a first connection or as a bot; None: one more spectator's connection."""

    player: str | None
    bot: bool = False


class Went(Event, frozen=True, tag_field="is", tag="went"):
    """A player has left: the last connection, or the bot, has ended. None: a spectator's connection has ended."""

    player: str | None
    bot: bool = False


class Named(Event, frozen=True, tag_field="is", tag="named"):
    """Display names of players. `early` names are older than all names in earlier events."""

    names: dict[str, str]
    early: bool = False


class Updated(Event, frozen=True, tag_field="is", tag="updated"):
    """The state has changed."""

    state: GatheringState


class Due(Event, frozen=True, tag_field="is", tag="due"):
    """The steward must send a command: an act waits in a lane without a task, or waiting requests can be answered."""

    lane: Lane = "house"


class Acted(Event, frozen=True, tag_field="is", tag="acted"):
    """A person's act that affects all people in the room. `by` is the player and `name` the display name, if known."""

    act: Act
    by: str | None
    name: str | None
    values: dict[str, str]


class NotBegun(Event, frozen=True, tag_field="is", tag="not-begun"):
    """Most players want the next game, but it was not begun. The reason is in words, and as a code with its values."""

    error: str
    code: str
    params: dict[str, str | int]


class Reacted(Event, frozen=True, tag_field="is", tag="reacted"):
    """A player's emoji for everybody."""

    player: str
    emoji: str


class Removed(Event, frozen=True, tag_field="is", tag="removed"):
    """The host has removed the holder from the game. Its requests and connections must end.

    `players` are the holder's connected players, and the player whom the host named. Their holdings are released.
    """

    holder: str
    players: tuple[str, ...]


class HandedOver(Event, frozen=True, tag_field="is", tag="handed-over"):
    """The seat of `player` belongs to another holder now. The old `holder` must disconnect as that player."""

    holder: str
    player: str
    to: str


GatheringCommand: TypeAlias = (
    Attend
    | SitDown
    | NotePlayer
    | NoteNames
    | NoteAvatar
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
"""The commands that every place can send to a gathering."""

GatheringEvent: TypeAlias = Came | Went | Named | Updated | Due | Acted | NotBegun | Reacted | Removed | HandedOver
