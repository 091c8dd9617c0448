"""Vocabulary of Crossword Extravaganza: commands of a front end, and the views that answer them.

Players may see everything here. Views have only letters on the board. The one exception is the `solution` of a finished
match, if no other match can use its puzzle.

Rows and columns count from 0 at the top left, rows downwards and columns to the right. The ids of words count from 1
in the order of the entries in the puzzle file.

One connection is one session. A session's views have numbers. The number tells a front end whether to send a view:

- It always sends the answer to a `Say`.
- It sends the answer to a `Follow` if its number is higher than the numbers of all views sent before. Otherwise it
  drops the answer, because a later answer to a `Say` has overtaken it.
- The next `Follow` has the highest number sent in `since`.

So the client sees every change once, and never an old view after a newer view. A slow client has no backlog, because
the answer to a `Follow` is always the current view.
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
"""Number of one connection's session. No later session gets the same number, so a command for an ended session is
harmless."""

State: TypeAlias = Literal["START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE"]
Direction: TypeAlias = Literal["DOWN", "ACROSS"]

EndReason: TypeAlias = Literal["left", "timed out"]
"""Reason for the end of a match without completion and without giving up: a player lost the connection and did not come
back in time; or no player moved for too long."""

# --- views: the answers to commands -----------------------------------------------------------------


class PuzzleListing(msgspec.Struct, frozen=True):
    """A puzzle for matches."""

    id: str
    name: str
    description: str


class MatchListing(msgspec.Struct, frozen=True):
    """A match that waits for a second player; `player` is the first player."""

    id: str
    puzzle: str
    description: str
    player: str


class MatchHeader(msgspec.Struct, frozen=True):
    """The part of a match that its first player sees while waiting for a second player."""

    id: str
    puzzle: str
    description: str


class CellView(msgspec.Struct, frozen=True):
    """A cell of the grid: its letter, None if it is empty, and the ids of the one or two words through it."""

    letter: str | None
    words: tuple[int, ...]


class WordView(msgspec.Struct, frozen=True):
    """A word of the puzzle, for both players. `entered` and `by` are both None if no player has entered it."""

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
    """A match, for all its players.

    `cells[row][column]` is None for a cell without a word. `players` are the maker of the match and the player who
    joined, or the only player. `challenge_points` has the points of all players, without points for words. A player who
    plays alone loses one point for each mistake.
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

    `ended` is None if the match was completed or given up. Then the field is not encoded, as in older versions.
    `seconds` is the playing time of a match of one player. A match of one player has a winner only if it was completed.
    """

    winner: str | None
    points: dict[str, int]
    forfeited_by: str | None
    match: MatchView
    ended: EndReason | None = None
    seconds: float | None = None


class Missing(msgspec.Struct, frozen=True):
    """The other player of a match, who has lost the connection and may come back.

    `seconds_left` is the rest of the time of grace. The rules have no clock, so `Clocks` adds it. If all players of the
    only match are missing, spectators see one of these players. Then `session` is `NO_SESSION`, because no time of
    grace passes.
    """

    player: str
    session: SessionId
    seconds_left: int | None = None


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """View of a session. The lobby sends players only these views.

    `number` orders the views of one session (see above). `message` has instructions, or the latest event and the
    possible commands. If the command was refused, `error` is the reason, and nothing has changed. `code` and `params`
    are the reason for programs, as in a `ScrambleError`. `token` is set only in the first CHOOSE view of a session.
    `closed` is True after the player's EXIT has ended the session: this is its last view, and the front end closes the
    connection.

    `puzzles` and `matches` are set in CHOOSE; `match` is a `MatchHeader` in WAIT and a `MatchView` in PLAY; `missing`
    is set in PLAY while the other player is missing; `result` is set in SHOW SCORE. `clock` is set in PLAY of a match
    of one player. `solution` has the right words, in the order of their ids from 1, in SHOW SCORE of a lobby of one
    match. A lobby of many matches does not set it, because another match may use the same puzzle.
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
        """Return this view as the answer to a refused command."""
        return msgspec.structs.replace(self, error=str(refusal), code=refusal.code, params=dict(refusal.params))


# --- commands ---------------------------------------------------------------------------------------


class Quota(msgspec.Struct, frozen=True, omit_defaults=True):
    """Address of a session's client, and the limits of this address; None: no limit."""

    account: str = ""  # any name of the address; equal for two sessions from one address
    sessions: int | None = None  # connected sessions, and missing sessions in the time of grace
    waiting: int | None = None  # matches that wait for a second player


class OpenSession(Command[SessionView], frozen=True, omit_defaults=True):
    """Begin a session, in START, for a new connection. Refused with `LobbyFull` beyond the limits.

    `token` must be unguessable, for example from `secrets.token_urlsafe()`. It is in the command, because the rules
    have no randomness. A client that later sends this token may take over the session.

    A command without a `quota` is from a journal older than quotas. Then missing players do not count in the limits.
    """

    token: str
    quota: Quota | None = None


class ReturnSession(Command[SessionView], frozen=True):
    """Begin a session in a full lobby, for a new connection with the ID and the token of a player in the lobby.

    The new session replaces the player's session, so the number of sessions stays the same. Refused with `LobbyFull` if
    no session has this ID and token. `token` and `quota` are as in `OpenSession`.
    """

    token: str
    player: str
    claim: str
    quota: Quota


class Say(Command[SessionView], frozen=True, omit_defaults=True):
    """Carry out one command line of the player, without its line end. Answered at once.

    The answer to a refused line is a view, too; its `error` is the reason. In a lobby of one player, `at` is the time.
    """

    session: SessionId
    line: str
    at: float | None = None


class Enter(Command[SessionView], frozen=True, omit_defaults=True):
    """Begin to play as `player` in a lobby of one match, from START: wait for another player, or join the match.

    For a front end that identifies the player without a token: if `player` already has a session, this session replaces
    it. Refused with `MatchFull` or `MatchOver`; a refused command changes nothing. `at` is as in `Say`.
    """

    session: SessionId
    player: str
    at: float | None = None


class Object(Query[SessionView], frozen=True):
    """Refuse input of a client that is not a valid command line (binary data, too long, too many lines).

    For front ends. Answered at once with the view; its `error` is `reason`.
    """

    session: SessionId
    reason: str


class Look(Query[SessionView], frozen=True):
    """Return the session's view. Answered at once; changes nothing."""

    session: SessionId


class Follow(Query[SessionView], frozen=True):
    """Wait for a view with a number above `since`, changed by another player or a timer.

    Refused with `SessionEnded` when the session ends.
    """

    session: SessionId
    since: int


class Spectate(Query[SessionView], frozen=True):
    """Wait for a public view of a lobby's one match, with a number above `since`.

    The view has no session and no player. Its numbers are valid only for this owner.
    """

    since: int


class AwaitResult(Query[Result], frozen=True):
    """Wait until a lobby's one match is over."""


class Disconnect(Command[bool], frozen=True, omit_defaults=True):
    """Disconnect a session with a lost connection. The session accepts no more lines, in any state.

    Answered with True if the player is in a match and may come back: then send `ExpireGrace` after the time of grace.
    With `may_return=False` there is no time of grace, and the match is forfeited at once. If the session has already
    ended, the command does nothing. With `left`, the result of a forfeited match says that the player has left. Without
    `left` (older journals), the result says that the player gave up. `at` is as in `Say`; None is also an unknown time.
    """

    session: SessionId
    may_return: bool = True
    left: bool = False
    at: float | None = None


class ExpireGrace(Command[None], frozen=True):
    """End the session of a missing player after the time of grace; the player forfeits a running match.

    Does nothing after the player has come back, because this player has a session with a different id now. `left` is as
    in `Disconnect`.
    """

    session: SessionId
    left: bool = False


class EndIdle(Command[None], frozen=True):
    """End a session whose player has done nothing for `seconds`. Does nothing in PLAY."""

    session: SessionId
    seconds: float


class EndMatch(Command[None], frozen=True):
    """End the session's match with its current points, because no player has moved for `seconds`.

    Does nothing if the session is not in PLAY, or has a later view than `seen`: then the match has changed.
    """

    session: SessionId
    seen: int
    seconds: float


# --- refusals ---------------------------------------------------------------------------------------


class LobbyFull(Refusal):
    """Refusal beyond the limit of sessions, in total or from one address.

    `may_return` is True if matches are running: their players may come back by `ReturnSession`.
    """

    code = "lobby-full"
    status = 503

    def __init__(self, reason: str, *, may_return: bool = False) -> None:
        self.may_return = may_return
        super().__init__(reason)


class MatchFull(Refusal):
    """Refusal in a lobby of one match with all its players: two players, or one player who plays `alone`."""

    code = "match-full"

    def __init__(self, *, alone: bool = False) -> None:
        words = "Somebody plays this puzzle alone." if alone else "The match has its two players already."
        super().__init__(f"{words} You may watch it.")


class MatchOver(Refusal):
    """Refusal in a lobby of one match after the end of the match."""

    code = "match-over"

    def __init__(self) -> None:
        super().__init__("The match is over. You may look at its score.")


class SessionEnded(Refusal):
    """Refusal after the end of a session.

    `why` tells the front end how to handle a connection that is still open:

    logged-out  the player's EXIT was answered with a `closed` view: send the view, then close the connection
    taken-over  the player has come back on another connection: close this connection
    idle        the player has done nothing for too long: close the connection
    lost        the connection was lost, or never existed
    """

    code = "session-ended"
    status = 410

    def __init__(self, why: Literal["logged-out", "taken-over", "idle", "lost"], reason: str) -> None:
        self.why = why
        super().__init__(reason)
