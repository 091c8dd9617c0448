"""The messages of Minesweeper: commands of players, public events, and views as answers.

x counts columns to the right and y counts rows downwards, from (0, 0) at the top left. Coordinates are any integers, of
any size and sign; outside the field there is no square. No message contains more about the squares than BOARD shows.
BOARD has one character per square: "-" is untouched, "F" is flagged, and a dug square shows the number of its
neighbours with a bomb, " " for 0.

A player is a connection. It gets a number when it connects, 1 for the first; numbers are never reused.

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
    """The public view of the field: `text` is a BOARD of the handout, each row ended by one newline character.

    `version` is the number of changes. `boom` is True if this command dug a bomb. Then `text` is the field right after
    the explosion, and after a chord `booms` has the squares of all bombs that exploded.

    `pause_ms` is the time from now in which the player's moves do nothing: the whole pause after a boom, or the rest of
    the pause if this move did nothing because of it. `start` is set if this dig did nothing because another square must
    be dug first: `start` is that square.
    """

    version: int
    text: str
    boom: bool = False
    booms: tuple[Place, ...] = ()
    pause_ms: int = 0
    start: Place | None = None


class Player(msgspec.Struct, frozen=True):
    """A connected player. `at` is the (x, y) of the player's last move with an effect; None before it."""

    id: int
    name: str
    at: tuple[int, int] | None = None


class Welcome(msgspec.Struct, frozen=True):
    """The content of HELLO: the field's size, and the number of players, with the new one.

    `player` is the number of this player until it disconnects.
    """

    player: int
    columns: int
    rows: int
    players: int


class Score(msgspec.Struct, frozen=True):
    """The score of the players of one name.

    Their digs opened `squares` squares without a bomb and dug up `booms` bombs. At the end, `flags` of their flags were
    on bombs; before the end `flags` is 0. `points` is `squares` plus `flags`, minus `BOOM_POINTS` for each boom. One
    dig or chord earns at most `MOST_POINTS` for its squares.
    """

    squares: int
    flags: int
    booms: int
    points: int


BOOM_POINTS: Final = 10
"""Points that a boom costs: as many as the best dig earns."""

MOST_POINTS: Final = 10
"""The most points that one dig or chord earns: without a limit the first large empty area decides the game."""


class Standing(msgspec.Struct, frozen=True):
    """The state of the game as a contest: `left` squares without a bomb are not dug yet. At 0 the contest is over.

    `scores` are by name, in the order of the first moves; empty in a game without scores.
    """

    left: int
    scores: dict[str, Score]


class End(msgspec.Struct, frozen=True):
    """The results of a contest. It ends when every square without a bomb is dug.

    `names` are the names of all players who have made a move, counted from 1. `owners` has a string for each row and a
    character for each square: `chr(32 + n)` if the `n`-th name dug the square or has a flag there, a space without an
    owner. `booms` has (x, y, n) for each exploded bomb: the `n`-th name dug it, 0 is no name. `wrong` has (x, y, n) for
    each square without a bomb that had a flag: the `n`-th name set the last one.
    """

    names: tuple[str, ...]
    owners: tuple[str, ...]
    scores: dict[str, Score] = msgspec.field(name="tallies")
    booms: tuple[tuple[int, int, int], ...]
    wrong: tuple[tuple[int, int, int], ...]


class ContestView(msgspec.Struct, frozen=True):
    """The public state of a contest without the squares and the scores.

    `bombs` is the number of bombs minus the number of flags. `began` and `ended` are the times of the first dig and of
    the win; None before them. `pauses` maps names to the end of their last pause, which may be over. A boom costs
    `pause_ms`. `start` is the square that must be dug first; None after the first dig.
    """

    bombs: int
    pause_ms: int
    began: int | None
    ended: int | None
    pauses: dict[str, int]
    start: Place | None
    end: End | None


class Snapshot(msgspec.Struct, frozen=True):
    """The public state of the game, for followers of its events.

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
"""(x, y, shown): the characters that BOARD now shows from (x, y) to the right, one per square."""


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[BoardView], frozen=True):
    """Query for the current field. Changes nothing."""


class Move(Command[BoardView], frozen=True, omit_defaults=True):
    """The base of the moves on square (x, y). `player` makes the move; None is the embedding program itself.

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

    The squares are dug in reading order, each like `Dig`, and all in one step. Does nothing otherwise.
    """


class Connect(Command[Welcome], frozen=True):
    """Connect a player. `name` matches `[A-Za-z0-9_]+`, else `InvalidCommand`. Two players may have the same name.

    None is for a player without a name: number 3 is then called "telnet 3".
    """

    name: str | None = None


class Disconnect(Command[None], frozen=True):
    """Disconnect a player. A number without a connected player changes nothing, so repeating it is harmless."""

    player: int


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Query for the public state."""


class TakeStanding(Query[Standing], frozen=True):
    """Query for the scores, answered at once."""


class AwaitEnd(Query[Standing], frozen=True):
    """Query for the scores, answered as soon as all squares without a bomb are dug."""


# --- events, all public: one for each command with an effect, and `Ended` for the move that ends the game ---


class MoveEvent(Event, frozen=True, tag_field="is", omit_defaults=True):
    """A move of `player` (None: the embedding program) on the square (x, y). It is now the player's `at`.

    `runs` are all changes of BOARD: in reading order, no square twice, and no two runs touch.

    In a game with scores, `at` is the time of the move, and until the end `left` and `bombs` are as in `Standing` and
    `ContestView`. A dig has the score of the player's name in `tally`. After a boom `until` is the end of the pause;
    None without a pause.
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
    """A square with a bomb was dug. The bomb is removed, so the event reveals nothing about the remaining ones."""


class Flagged(MoveEvent, frozen=True, tag="flagged"):
    """An untouched square was flagged."""


class Deflagged(MoveEvent, frozen=True, tag="deflagged"):
    """A flagged square is untouched again."""


class Chorded(MoveEvent, frozen=True, tag="chorded"):
    """The untouched squares around a number were dug. `booms` are the squares with bombs; the bombs are removed."""

    booms: tuple[Place, ...] = ()


class Ended(Event, frozen=True, tag_field="is", tag="ended"):
    """All squares without a bomb are dug, since the time `at`. It follows directly after the event of the last dig."""

    at: int
    end: End


class Connected(Event, frozen=True, tag_field="is", tag="connected"):
    """`player` is connected from now on."""

    player: Player


class Disconnected(Event, frozen=True, tag_field="is", tag="disconnected"):
    """The player of this number has disconnected; pages no longer show its last square."""

    player: int
