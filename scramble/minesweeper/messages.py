"""The messages of Minesweeper: commands of players, public events, and views as answers.

x counts columns to the right and y rows downwards, both from (0, 0) at the top left; any integer, of any
size and sign, is allowed for a square, and those outside the field name no square.
No message contains more about the squares than BOARD shows: one character a square, "-" untouched, "F"
flagged, and for a dug square the number of its neighbours with a bomb, " " for none.

A player is a connection. It gets a number when it connects, 1 for the first; numbers are never reused.

A game that keeps scores has a clock: whole milliseconds, which commands bring along, because the rules have none. It
runs while the game is open, and a game that is opened again goes on from its latest move.
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

    `version` is its number of changes. `boom` is True if this command dug a bomb; then `text` is the field
    right after the explosion, and after a chord `booms` has the squares of all bombs that exploded.

    `pause_ms` is how long the player makes no moves: from now on after a boom; if this move came in a pause, and so did
    nothing, what is left of that. `start` is the square that has to be dug first, if this dig of another one did
    nothing for that reason.
    """

    version: int
    text: str
    boom: bool = False
    booms: tuple[Place, ...] = ()
    pause_ms: int = 0
    start: Place | None = None


class Player(msgspec.Struct, frozen=True):
    """A connected player. `at` is the (x, y) of the last square that it dug, flagged or deflagged, if any."""

    id: int
    name: str
    at: tuple[int, int] | None = None


class Welcome(msgspec.Struct, frozen=True):
    """The content of HELLO: the field's size, and the number of players, the connected one included.

    `player` is the number of this player until it disconnects.
    """

    player: int
    columns: int
    rows: int
    players: int


class Score(msgspec.Struct, frozen=True):
    """The score of the players of one name.

    `squares` without a bomb were opened by their digs, `booms` bombs were dug up, and `flags` of theirs stood on bombs
    at the end, before which the number is 0. `points` are squares and flags, less `BOOM_POINTS` for each boom; one dig,
    or chord, counts at most `MOST_POINTS` of its squares.
    """

    squares: int
    flags: int
    booms: int
    points: int


BOOM_POINTS: Final = 10
"""Points that a boom costs: as many as the best dig brings."""

MOST_POINTS: Final = 10
"""Points that one dig or chord brings at most: without a limit the first large empty area decides the game."""


class Standing(msgspec.Struct, frozen=True):
    """The state of the game as a contest: `left` squares without a bomb are not dug yet; at 0 it is over.

    `scores` are by name, in the order of their first moves; empty in a game that keeps no scores.
    """

    left: int
    scores: dict[str, Score]


class End(msgspec.Struct, frozen=True):
    """What was found out about the field by its end, at which every square without a bomb is dug.

    `names` are those of all who have made a move. In `owners` each square has a character, a string for each row: a
    space for nobody, `chr(32 + n)` for the `n`-th of the names, counted from 1, who dug it, or whose flag stands there.
    `booms` has (x, y, n) for each bomb that exploded, and `wrong` for each square without a bomb where a flag stood: n
    is who set the last one.
    """

    names: tuple[str, ...]
    owners: tuple[str, ...]
    scores: dict[str, Score] = msgspec.field(name="tallies")
    booms: tuple[tuple[int, int, int], ...]
    wrong: tuple[tuple[int, int, int], ...]


class ContestView(msgspec.Struct, frozen=True):
    """What a game that keeps scores shows beside the squares and the scores.

    `bombs` is the number of bombs less that of flags. `began` and `ended` are the times of the first dig and of the
    win, if they have come, and `pauses` those until which the players of a name make no moves, over or not; a boom
    costs `pause_ms`. `start` is the square that has to be dug first, as long as it is to come.
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

    `lines` has one string of `columns` characters for each row, from the top; `players` are in the order in
    which they connected. `standing` is None in a game that keeps no scores; `contest` also in one that an earlier
    version has begun.
    """

    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    players: tuple[Player, ...]
    standing: Standing | None = None
    contest: ContestView | None = None


Run: TypeAlias = tuple[int, int, str]
"""(x, y, shown): the characters that BOARD now shows for the squares from (x, y) to the right, one a square."""


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[BoardView], frozen=True):
    """Answered with the current field. Changes nothing."""


class Move(Command[BoardView], frozen=True, omit_defaults=True):
    """The base of the moves on square (x, y). `player` makes the move; None is the embedding program itself.

    `at` is the time on the game's clock, if it has one: `Game` adds it. A move by a number without a connected player
    is refused with `InvalidCommand`, and nothing changes.
    """

    x: int
    y: int
    player: int | None = None
    at: int | None = None


class Dig(Move, frozen=True):
    """Dig an untouched square, with the flood that follows: the handout's DIG, steps 1 to 5."""


class Flag(Move, frozen=True):
    """Flag an untouched square."""


class Deflag(Move, frozen=True):
    """Make a flagged square untouched."""


class Chord(Move, frozen=True):
    """Dig all untouched squares around a dug one, if as many flags are around it as its number says.

    The squares are dug in reading order, each as `Dig` does, and all in one step. Does nothing otherwise.
    """


class Connect(Command[Welcome], frozen=True):
    """Connect a player. `name` matches `[A-Za-z0-9_]+`, else `InvalidCommand`; two players may have the same name.

    None is a player who cannot give a name: number 3 is then called "telnet 3".
    """

    name: str | None = None


class Disconnect(Command[None], frozen=True):
    """Disconnect a player. A number without a connected player changes nothing, so repeating it is harmless."""

    player: int


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Answered with the public state."""


class TakeStanding(Query[Standing], frozen=True):
    """Answered with the scores at once."""


class AwaitEnd(Query[Standing], frozen=True):
    """Answered with the scores as soon as all squares without a bomb are dug; at once if they are."""


# --- events: public, and one for each command that changed anything; one more for the move that ends the game ---


class MoveEvent(Event, frozen=True, tag_field="is", omit_defaults=True):
    """A move of `player` (None: the embedding program) on the square (x, y), which is now its `at`.

    `runs` are all changes of BOARD: in reading order, no square twice, and no two runs touch.

    In a game that keeps scores, `at` is the time of the move, and until the end `left` and `bombs` are as in `Standing`
    and `ContestView`. A dig has the `tally` of the player's name. After a boom `until` is the end of the pause, if
    there is one.
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
    """A square without a bomb was dug, and with it the squares that step 4 opened."""


class Exploded(MoveEvent, frozen=True, tag="exploded"):
    """A square with a bomb was dug. The bomb is removed, so the event reveals nothing about the remaining ones."""


class Flagged(MoveEvent, frozen=True, tag="flagged"):
    """An untouched square was flagged."""


class Deflagged(MoveEvent, frozen=True, tag="deflagged"):
    """A flagged square is untouched again."""


class Chorded(MoveEvent, frozen=True, tag="chorded"):
    """The untouched squares around a number were dug. `booms` are those of them that had bombs, which are removed."""

    booms: tuple[Place, ...] = ()


class Ended(Event, frozen=True, tag_field="is", tag="ended"):
    """All squares without a bomb are dug, since the time `at`. It comes right after the event of the last dig."""

    at: int
    end: End


class Connected(Event, frozen=True, tag_field="is", tag="connected"):
    """`player` is connected from now on."""

    player: Player


class Disconnected(Event, frozen=True, tag_field="is", tag="disconnected"):
    """The player of this number has disconnected; pages no longer show its last square."""

    player: int
