"""Crossword Extravaganza's vocabulary: commands that a front end gives, and the views that answer them.

Everything here may be shown to players: no class of this file can hold a letter that is not on the board.
Rows and columns count from 0 at the top left, rows downwards and columns to the right. Words are known by
their ids, which count from 1 in the order of the entries in the puzzle file.

One connection is one session. A session's views are numbered, and the number tells a front end what to send:

- the answer to a `Say` is always sent;
- the answer to a `Follow` is sent if its number is higher than that of every view sent before it, and else
  dropped, because a later answer to a `Say` has overtaken it;
- the next `Follow` says `since=` the highest number sent.

So no change is missed, none is shown twice, an old view never follows a newer one, and a slow client has no
backlog: a `Follow` is answered with the view of *now*.
"""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

import msgspec

from scramble.core import Command, Query
from scramble.errors import Refusal

SessionId = NewType("SessionId", int)
"""The name of one connection's session. Never used again, so it is safe to send one that has ended."""

State: TypeAlias = Literal["START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE"]
Direction: TypeAlias = Literal["DOWN", "ACROSS"]

# --- views: what a command is answered with ---------------------------------------------------------


class PuzzleListing(msgspec.Struct, frozen=True):
    """A puzzle that matches can be played on."""

    id: str
    name: str
    description: str


class MatchListing(msgspec.Struct, frozen=True):
    """A match that waits for a second player; `player` is the first one."""

    id: str
    puzzle: str
    description: str
    player: str


class MatchHeader(msgspec.Struct, frozen=True):
    """What the player who waits for a second one is shown of the match."""

    id: str
    puzzle: str
    description: str


class CellView(msgspec.Struct, frozen=True):
    """A cell of the grid: the letter that stands in it, if any, and the ids of the one or two words through it."""

    letter: str | None
    words: tuple[int, ...]


class WordView(msgspec.Struct, frozen=True):
    """A word of the puzzle as both players see it. `entered` and `by` are None together: nobody has entered it."""

    id: int
    clue: str
    direction: Direction
    row: int
    column: int
    length: int
    entered: str | None
    by: str | None
    confirmed: bool


class MatchView(msgspec.Struct, frozen=True):
    """A match as both its players see it.

    `cells[row][column]` is None where no word passes; `players` are the one who made the match and the one who
    joined; `challenge_points` has both.
    """

    id: str
    puzzle: str
    description: str
    rows: int
    columns: int
    players: tuple[str, str]
    cells: tuple[tuple[CellView | None, ...], ...]
    words: tuple[WordView, ...]
    challenge_points: dict[str, int]


class Result(msgspec.Struct, frozen=True):
    """How a match ended. `winner` None is a draw; `forfeited_by` None: it was played to its end."""

    winner: str | None
    points: dict[str, int]
    forfeited_by: str | None
    match: MatchView


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """All that a session shows, and nothing else leaves the lobby.

    `number` orders the views of one session (see above). `message` is instructions, or what has just happened and
    what can be done next; `error` says why the command that this answers was refused, and then nothing has changed.
    `token` is there in the first CHOOSE view of a session only. `closed`: the session has ended by its player's own
    EXIT, this is its last view, and the connection is to be closed.

    `puzzles` and `matches` are there in CHOOSE; `match` is a `MatchHeader` in WAIT and a `MatchView` in PLAY;
    `result` is there in SHOW SCORE.
    """

    session: SessionId
    number: int
    state: State
    player: str | None
    message: str
    error: str | None = None
    closed: bool = False
    token: str | None = None
    puzzles: tuple[PuzzleListing, ...] | None = None
    matches: tuple[MatchListing, ...] | None = None
    match: MatchView | MatchHeader | None = None
    result: Result | None = None


# --- commands ---------------------------------------------------------------------------------------


class OpenSession(Command[SessionView], frozen=True):
    """A connection has come: a session begins, in START. Refused with `LobbyFull` beyond the limit.

    `token` must be unguessable, `secrets.token_urlsafe()` for example; it comes with the command because rules own
    no randomness. Whoever shows it later may take the session over.
    """

    token: str


class Say(Command[SessionView], frozen=True):
    """The player has entered one command line, without its line end. Answered at once.

    A line that the rules or the grammar refuse is answered with a view too, whose `error` says why.
    """

    session: SessionId
    line: str


class Object(Query[SessionView], frozen=True):
    """The front end has received what is no command line (binary, too long, too many).

    Answered at once with the view, and `reason` as its error.
    """

    session: SessionId
    reason: str


class Look(Query[SessionView], frozen=True):
    """Answered at once with what the session shows. Changes nothing."""

    session: SessionId


class Follow(Query[SessionView], frozen=True):
    """Answered as soon as somebody else's doing has changed what the session shows, later than its view `since`.

    Waits as long as that takes; refused with `SessionEnded` when the session ends.
    """

    session: SessionId
    since: int


class Disconnect(Command[bool], frozen=True):
    """The connection is lost. Whatever the state, nothing can be said in this session any more.

    Answered with True if the player is in a match and may come back: then send `ExpireGrace` when the time of grace
    is over. With `may_return=False` there is no grace, and the match is forfeited at once. A session that has ended
    is no error.
    """

    session: SessionId
    may_return: bool = True


class ExpireGrace(Command[None], frozen=True):
    """The time of grace is over: the session ends, and if its match still goes on, it is forfeited.

    Does nothing if the player came back meanwhile, since coming back makes a session of another id.
    """

    session: SessionId


# --- refusals ---------------------------------------------------------------------------------------


class LobbyFull(Refusal):
    """There are as many sessions as the server allows."""

    code = "lobby-full"
    status = 503


class SessionEnded(Refusal):
    """The session is over. `why` tells a front end what to do with the connection, if there still is one:

    logged-out  its player's EXIT was answered with a view that is `closed`: send that, then close
    taken-over  the player has come back on another connection: close this one
    lost        the connection was lost, or never was
    """

    code = "session-ended"
    status = 410

    def __init__(self, why: Literal["logged-out", "taken-over", "lost"], reason: str) -> None:
        self.why = why
        super().__init__(reason)
