"""Messages of Minesweeper: commands of players, public events, and views as answers.

x counts columns to the right and y counts rows downwards, from (0, 0) at the top left. Coordinates are integers of any
size and sign; moves outside the field have no effect. Messages show only as much about the squares as BOARD. BOARD has
one character per square: "-" is untouched, "F" is flagged, and a dug square shows the number of its neighbours with a
bomb, " " for 0.

A player is a connection. Each connection gets a number; the first number is 1, and no number is used again.

A game with scores has a clock in whole milliseconds. Moves have their times, because the rules have no clock. The
clock runs while the game is open. If the game is opened again, the clock continues from the latest move.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from scramble.kernel.protocol import Command, Event, Query

Place: TypeAlias = tuple[int, int]
"""(x, y) of a square."""

# --- views: the answers to commands -----------------------------------------------------------------


class BoardView(msgspec.Struct, frozen=True):
    """Public view of the field: `text` is a BOARD of the handout. Each row ends with one newline character.

    `version` is the number of changes. `boom` is True if this command dug a bomb. Then `text` is the field right after
    the explosion, and after a chord `booms` has the squares of all exploded bombs.

    `pause_ms` is the time from now in which the player's moves have no effect. After a boom it is the whole pause. If a
    pause stopped this move, it is the rest of the pause. If this dig had no effect because another square must be dug
    first, `start` is that square.
    """

    version: int
    text: str
    boom: bool = False
    booms: tuple[Place, ...] = ()
    pause_ms: int = 0
    start: Place | None = None


class Player(msgspec.Struct, frozen=True):
    """A connected player. `at` is the (x, y) of the player's last move with an effect; None before the first move."""

    id: int
    name: str
    at: tuple[int, int] | None = None


class Welcome(msgspec.Struct, frozen=True):
    """Content of HELLO: the field's size, and the number of players, with the new player.

    `player` is the number of this player until it disconnects.
    """

    player: int
    columns: int
    rows: int
    players: int


class Score(msgspec.Struct, frozen=True):
    """Score of the players of one name.

    Their digs opened `squares` squares without a bomb and dug up `booms` bombs. At the end, `flags` is the number of
    their flags on bombs; before the end `flags` is 0. `points` is `squares` plus `flags`, minus `BOOM_POINTS` for each
    boom. One dig or chord earns at most `MOST_POINTS` for its squares.
    """

    squares: int
    flags: int
    booms: int
    points: int


BOOM_POINTS: Final = 10
"""Points that a boom costs: the same as the best dig earns."""

MOST_POINTS: Final = 10
"""Limit of the points for one dig or chord. Without a limit, the first large empty area would decide the game."""


class Standing(msgspec.Struct, frozen=True):
    """Standing of a contest: `left` squares without a bomb are not dug yet. At 0 the contest is over.

    `scores` are by name, in the order of the first moves; empty in a game without scores.
    """

    left: int
    scores: dict[str, Score]


class End(msgspec.Struct, frozen=True):
    """Results of a contest. The contest ends when every square without a bomb is dug.

    `names` are the names of all players who have made a move, counted from 1. `owners` has a string for each row and a
    character for each square: `chr(32 + n)` if the `n`-th name dug the square or has a flag there; a space if the
    square has no owner. `booms` has (x, y, n) for each exploded bomb: the `n`-th name dug the bomb; 0 is no name.
    `wrong` has (x, y, n) for each square without a bomb that had a flag: the `n`-th name set the last flag there.
    """

    names: tuple[str, ...]
    owners: tuple[str, ...]
    scores: dict[str, Score] = msgspec.field(name="tallies")
    booms: tuple[tuple[int, int, int], ...]
    wrong: tuple[tuple[int, int, int], ...]


class ContestView(msgspec.Struct, frozen=True):
    """Public state of a contest without the squares and the scores.

    `bombs` is the number of bombs minus the number of flags. `began` is the time of the first dig, `ended` the time of
    the end; before this dig or the end, the field is None. `pauses` maps names to the end of their last pause. This
    time may be in the past. A boom costs `pause_ms`. `start` is the square that must be dug first; None after the first
    dig.
    """

    bombs: int
    pause_ms: int
    began: int | None
    ended: int | None
    pauses: dict[str, int]
    start: Place | None
    end: End | None


class Snapshot(msgspec.Struct, frozen=True):
    """Public state of the game, for followers of its events.

    `lines` has one string of `columns` characters for each row, from the top. `players` are in the order of their
    connections. `standing` is None in a game without scores. `contest` is also None in a game of an earlier version.
    """

    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    players: tuple[Player, ...]
    standing: Standing | None = None
    contest: ContestView | None = None


Run: TypeAlias = tuple[int, int, str]
"""(x, y, shown): `shown` has the new characters of BOARD from (x, y) to the right, one per square."""


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[BoardView], frozen=True):
    """Query for the current field. Changes nothing."""


class Move(Command[BoardView], frozen=True, omit_defaults=True):
    """Base of the moves on square (x, y). `player` makes the move; None is the embedding program itself.

    `at` is the time on the game's clock; None without a clock. `Game` adds it. If no player with this number is
    connected, the move is refused with `InvalidCommand`, and nothing changes.
    """

    x: int
    y: int
    player: int | None = None
    at: int | None = None


class Dig(Move, frozen=True):
    """Dig an untouched square and the flood from it: the handout's DIG, steps 1 to 5."""


class Flag(Move, frozen=True):
    """Flag an untouched square."""


class Deflag(Move, frozen=True):
    """Make a flagged square untouched."""


class Chord(Move, frozen=True):
    """Dig all untouched neighbours of a dug square, if it has as many flagged neighbours as its number.

    The squares are dug in reading order, each like `Dig`, and all in one step. Does nothing in other cases.
    """


class Connect(Command[Welcome], frozen=True):
    """Connect a player. `name` matches `[A-Za-z0-9_]+`. Two players may have the same name.

    Refused with `InvalidCommand` for an invalid name. A player without a name (None) gets one from the number: player 3
    is "telnet 3".
    """

    name: str | None = None


class Disconnect(Command[None], frozen=True):
    """Disconnect a player. For a player who is not connected, the command has no effect. So it may be repeated."""

    player: int


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Query for the public state."""


class TakeStanding(Query[Standing], frozen=True):
    """Query for the scores, answered at once."""


class AwaitEnd(Query[Standing], frozen=True):
    """Query for the scores, answered as soon as all squares without a bomb are dug."""


# --- public events: one for each command with an effect, and `Ended` after the move that ends the game ---


class MoveEvent(Event, frozen=True, tag_field="is", omit_defaults=True):
    """A move of `player` (None: the embedding program) on the square (x, y). The square is now the player's last place.

    `runs` are all changes of BOARD, in reading order. No square is in two runs, and no two runs touch.

    In a game with scores, `at` is the time of the move. Until the end, `left` and `bombs` are as in `Standing` and
    `ContestView`. After a dig, `tally` is the score of the player's name. After a boom, `until` is the end of the
    pause; None without a pause.
    """

    x: int
    y: int
    player: int | None
    runs: tuple[Run, ...]
    at: int | None = None
    left: int | None = None
    bombs: int | None = None
    tally: Score | None = None
    until: int | None = None


class Dug(MoveEvent, frozen=True, tag="dug"):
    """A square without a bomb was dug, together with the squares of step 4."""


class Exploded(MoveEvent, frozen=True, tag="exploded"):
    """A square with a bomb was dug. The bomb is removed, so the event does not reveal the other bombs."""


class Flagged(MoveEvent, frozen=True, tag="flagged"):
    """An untouched square was flagged."""


class Deflagged(MoveEvent, frozen=True, tag="deflagged"):
    """A flagged square is untouched again."""


class Chorded(MoveEvent, frozen=True, tag="chorded"):
    """The untouched squares around a number were dug. `booms` are the squares with bombs; the bombs are removed."""

    booms: tuple[Place, ...] = ()


class Ended(Event, frozen=True, tag_field="is", tag="ended"):
    """All squares without a bomb are dug, at the time `at`. This event follows directly after the last dig's event."""

    at: int
    end: End


class Connected(Event, frozen=True, tag_field="is", tag="connected"):
    """`player` is connected from now on."""

    player: Player


class Disconnected(Event, frozen=True, tag_field="is", tag="disconnected"):
    """The player with this number has disconnected. Pages no longer show the player's last square."""

    player: int
