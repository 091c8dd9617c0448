"""Vocabulary of Crossword Extravaganza: commands of a front end, and the views that answer them.

Everything here may be shown to players. No letter that is not on the board is in any class of this file, but in the
`solution` of a match that is over, where nobody else plays on that board.
Rows and columns count from 0 at the top left, rows downwards and columns to the right. Words are known by
their ids, which count from 1 in the order of the entries in the puzzle file.

One connection is one session. A session's views are numbered, and the number tells a front end what to send:

- the answer to a `Say` is always sent;
- the answer to a `Follow` is sent if its number is higher than that of every view sent before it, and otherwise
  dropped, because a later answer to a `Say` has overtaken it;
- the next `Follow` says `since=` the highest number sent.

So no change is missed, no change is shown twice, an old view never follows a newer one, and a slow client has no
backlog: the answer to a `Follow` is always the current view.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NewType, TypeAlias

import msgspec

from scramble.crossword.solve_time import SolveTime
from scramble.errors import Refusal, ScrambleError
from scramble.kernel.protocol import Command, Query

SessionId = NewType("SessionId", int)
"""Number of one connection's session. Never used again, so it is safe to send that of a session that has ended."""

State: TypeAlias = Literal["START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE"]
Direction: TypeAlias = Literal["DOWN", "ACROSS"]

EndReason: TypeAlias = Literal["left", "timed out"]
"""Reason for the end of a match that was neither played to its end nor given up: a player's connection was lost, and
the player did not come back in time; or nobody moved for too long."""

# --- views: the answers to commands -----------------------------------------------------------------


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
    """The part of a match that its first player sees while waiting for a second one."""

    id: str
    puzzle: str
    description: str


class CellView(msgspec.Struct, frozen=True):
    """A cell of the grid: its letter, None if it is empty, and the ids of the one or two words through it."""

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
    """A match as all its players see it.

    `cells[row][column]` is None where no word passes; `players` are the one who made the match and the one who
    joined, or the one who plays alone; `challenge_points` has all, and whoever plays alone loses one by each mistake.
    """

    id: str
    puzzle: str
    description: str
    rows: int
    columns: int
    players: tuple[str, ...]
    cells: tuple[tuple[CellView | None, ...], ...]
    words: tuple[WordView, ...]
    challenge_points: dict[str, int]


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of a match. `winner` None is a draw; `forfeited_by` is the player who gave it up, or left.

    `ended` None: it was played to its end, or given up. Then the field is not encoded, as in older versions. `seconds`
    is the time for which a match was played alone; nobody wins one that was not played to its end.
    """

    winner: str | None
    points: dict[str, int]
    forfeited_by: str | None
    match: MatchView
    ended: EndReason | None = None
    seconds: float | None = None


class Missing(msgspec.Struct, frozen=True):
    """The other player of a match, who has lost the connection and may come back.

    `seconds_left` is the rest of the time of grace. The rules have no clock, so `scramble.crossword.game` adds it. If
    all players of the only match are missing, spectators see one, without a session: no time runs for any.
    """

    player: str
    session: SessionId
    seconds_left: int | None = None


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """View of a session: nothing else leaves the lobby.

    `number` orders the views of one session (see above). `message` has instructions, or the latest event and the
    possible commands; `error` is the reason why the command that this answers was refused, and then nothing has
    changed; `code` and `params` say the same to programs, as those of a `ScrambleError` do. `token` is set in the
    first CHOOSE view of a session only. `closed`: the session has ended by its player's own EXIT, this is its last
    view, and the connection is to be closed.

    `puzzles` and `matches` are set in CHOOSE; `match` is a `MatchHeader` in WAIT and a `MatchView` in PLAY; `missing`
    is set in PLAY while the other player is missing; `result` is set in SHOW SCORE. `clock` is set in PLAY of a match
    that is played alone. `solution` has the right words, by their ids from 1 on, in SHOW SCORE of a lobby of one match:
    in a lobby of many another match may go on with the same puzzle.
    """

    session: SessionId
    number: int
    state: State
    player: str | None
    message: str
    error: str | None = None
    code: str = ""
    params: Mapping[str, str | int] = MappingProxyType({})
    closed: bool = False
    token: str | None = None
    puzzles: tuple[PuzzleListing, ...] | None = None
    matches: tuple[MatchListing, ...] | None = None
    match: MatchView | MatchHeader | None = None
    missing: Missing | None = None
    result: Result | None = None
    clock: SolveTime | None = None
    solution: tuple[str, ...] | None = None

    def refusing(self, refusal: ScrambleError) -> SessionView:
        """Return this view as the answer to a command that is refused."""
        return msgspec.structs.replace(self, error=str(refusal), code=refusal.code, params=dict(refusal.params))


# --- commands ---------------------------------------------------------------------------------------


class Quota(msgspec.Struct, frozen=True, omit_defaults=True):
    """Address that a session comes from, and the limits of that address; None: no limit of its own."""

    account: str = ""  # any name of the address; equal for two sessions from one address
    sessions: int | None = None  # connected, or missing with the time of grace still running
    waiting: int | None = None  # matches that wait for a second player


class OpenSession(Command[SessionView], frozen=True, omit_defaults=True):
    """Begin a session, in START, for a new connection. Refused with `LobbyFull` beyond the limits.

    `token` must be unguessable, `secrets.token_urlsafe()` for example; it comes with the command because rules have
    no randomness. A client that shows it later may take the session over.

    Without a `quota` the command is from a journal older than quotas: then missing players keep no place.
    """

    token: str
    quota: Quota | None = None


class ReturnSession(Command[SessionView], frozen=True):
    """Begin a session in a full lobby, for a new connection with the ID and the token of a player who is in it.

    The session takes the place of that player's, which ends, so their number stays the same. Refused with `LobbyFull`
    if the ID and the token do not belong to a session. `token` and `quota` are as for `OpenSession`.
    """

    token: str
    player: str
    claim: str
    quota: Quota


class Say(Command[SessionView], frozen=True, omit_defaults=True):
    """Carry out one command line of the player, without its line end. Answered at once.

    A line that the rules or the grammar refuse is answered with a view too, whose `error` is the reason. `at` is the
    time, where somebody plays alone.
    """

    session: SessionId
    line: str
    at: float | None = None


class Enter(Command[SessionView], frozen=True, omit_defaults=True):
    """Begin to play as `player` in a lobby of one match, from START: wait for the other player, or join that one.

    On behalf of a front end that knows the player otherwise than by a token: if `player` has a session, this one takes
    its place. Refused with `MatchFull` or `MatchOver`, and then nothing has changed. `at` is as for `Say`.
    """

    session: SessionId
    player: str
    at: float | None = None


class Object(Query[SessionView], frozen=True):
    """Refuse input that is not a command line (binary, too long, too many), on behalf of the front end.

    Answered at once with the view, and `reason` as its error.
    """

    session: SessionId
    reason: str


class Look(Query[SessionView], frozen=True):
    """Return the session's view. Answered at once; changes nothing."""

    session: SessionId


class Follow(Query[SessionView], frozen=True):
    """Wait for a view later than `since` that another player or a timer has caused.

    Refused with `SessionEnded` when the session ends.
    """

    session: SessionId
    since: int


class Spectate(Query[SessionView], frozen=True):
    """Wait for a view of a lobby's one match, as everybody may see it, with a number above `since`.

    It is a view of no session, and of no player. Its numbers are those of this owner only.
    """

    since: int


class AwaitResult(Query[Result], frozen=True):
    """Wait until a lobby's one match is over."""


class Disconnect(Command[bool], frozen=True, omit_defaults=True):
    """Disconnect the session, whose connection is lost. In any state, no line can be said in it any more.

    Answered with True if the player is in a match and may come back: then send `ExpireGrace` when the time of grace
    is over. With `may_return=False` there is no grace, and the match is forfeited at once. A session that has ended
    already is not an error. `left`: the result of a forfeited match says that the player has left; in older journals,
    that the player gave it up. `at` is as for `Say`; None, too, if the time is not known.
    """

    session: SessionId
    may_return: bool = True
    left: bool = False
    at: float | None = None


class ExpireGrace(Command[None], frozen=True):
    """End the session of a missing player after the time of grace; a match that still goes on is forfeited.

    Does nothing if the player has come back, because that makes a session with another id. `left` is as for
    `Disconnect`.
    """

    session: SessionId
    left: bool = False


class EndIdle(Command[None], frozen=True):
    """End a session whose player has done nothing for `seconds`. Does nothing in PLAY."""

    session: SessionId
    seconds: float


class EndMatch(Command[None], frozen=True):
    """End the session's match, in which nobody has moved for `seconds`, with the points as they stand.

    Does nothing if the session is not in PLAY, or has a later view than `seen`: then something has happened.
    """

    session: SessionId
    seen: int
    seconds: float


# --- refusals ---------------------------------------------------------------------------------------


class LobbyFull(Refusal):
    """Refusal beyond the limit of sessions, in all or from that address.

    `may_return`: some players are missing and may still come back, by `ReturnSession`.
    """

    code = "lobby-full"
    status = 503

    def __init__(self, reason: str, *, may_return: bool = False) -> None:
        self.may_return = may_return
        super().__init__(reason)


class MatchFull(Refusal):
    """Refusal in a lobby of one match that has its players: two, or the one who plays `alone`."""

    code = "match-full"

    def __init__(self, *, alone: bool = False) -> None:
        words = "Somebody plays this puzzle alone." if alone else "The match has its two players already."
        super().__init__(f"{words} You may watch it.")


class MatchOver(Refusal):
    """Refusal in a lobby whose one match is over."""

    code = "match-over"

    def __init__(self) -> None:
        super().__init__("The match is over. You may look at its score.")


class SessionEnded(Refusal):
    """Refusal after the end of a session.

    `why` says what a front end does with the connection, if there still is one:

    logged-out  its player's EXIT was answered with a view that is `closed`: send that, then close
    taken-over  the player has come back on another connection: close this one
    idle        the player has done nothing for too long: close the connection
    lost        the connection was lost, or never existed
    """

    code = "session-ended"
    status = 410

    def __init__(self, why: Literal["logged-out", "taken-over", "idle", "lost"], reason: str) -> None:
        self.why = why
        super().__init__(reason)
