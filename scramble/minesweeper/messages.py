"""The messages of Minesweeper: commands of players, public events, and views as answers.

x counts columns to the right and y rows downwards, both from (0, 0) at the top left; any integer, of any
size and sign, is allowed for a square, and those outside the field name no square.
No message contains more about the squares than BOARD shows: one character a square, "-" untouched, "F"
flagged, and for a dug square the number of its neighbours with a bomb, " " for none.

A player is a connection. It gets a number when it connects, 1 for the first; numbers are never reused.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scramble.kernel.protocol import Command, Event, Query

# --- views: the answers to commands -----------------------------------------------------------------


class BoardView(msgspec.Struct, frozen=True):
    """The public view of the field: `text` is a BOARD of the handout, each row ended by one newline character.

    `version` is its number of changes. `boom` is True if this command dug a bomb; then `text` is the field
    right after the explosion.
    """

    version: int
    text: str
    boom: bool = False


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


class Standing(msgspec.Struct, frozen=True):
    """The state of the game as a contest: `left` squares without a bomb are not dug yet; at 0 it is over.

    For each name, in the order of their first digs, `squares` has the number of squares that its players have opened,
    and `booms` that of the bombs they have dug up; both are empty in a game that keeps no scores.
    """

    left: int
    squares: dict[str, int]
    booms: dict[str, int]


class Snapshot(msgspec.Struct, frozen=True):
    """The public state of the game, for followers of its events.

    `lines` has one string of `columns` characters for each row, from the top; `players` are in the order in
    which they connected. `standing` is None in a game that keeps no scores.
    """

    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    players: tuple[Player, ...]
    standing: Standing | None = None


Run: TypeAlias = tuple[int, int, str]
"""(x, y, shown): the characters that BOARD now shows for the squares from (x, y) to the right, one a square."""


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[BoardView], frozen=True):
    """Answered with the current field. Changes nothing."""


class Move(Command[BoardView], frozen=True):
    """The base of the moves on square (x, y). `player` makes the move; None is the embedding program itself.

    A move by a number without a connected player is refused with `InvalidCommand`, and nothing changes.
    """

    x: int
    y: int
    player: int | None = None


class Dig(Move, frozen=True):
    """Dig an untouched square, with the flood that follows: the handout's DIG, steps 1 to 5."""


class Flag(Move, frozen=True):
    """Flag an untouched square."""


class Deflag(Move, frozen=True):
    """Make a flagged square untouched."""


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


# --- events: public, and exactly one for each command that changed anything -------------------------


class MoveEvent(Event, frozen=True, tag_field="is"):
    """A move of `player` (None: the embedding program) on the square (x, y), which is now its `at`.

    `runs` are all changes of BOARD: in reading order, no square twice, and no two runs touch.
    """

    x: int
    y: int
    player: int | None
    runs: tuple[Run, ...]


class Dug(MoveEvent, frozen=True, tag="dug"):
    """A square without a bomb was dug, and with it the squares that step 4 opened."""


class Exploded(MoveEvent, frozen=True, tag="exploded"):
    """A square with a bomb was dug. The bomb is removed, so the event reveals nothing about the remaining ones."""


class Flagged(MoveEvent, frozen=True, tag="flagged"):
    """An untouched square was flagged."""


class Deflagged(MoveEvent, frozen=True, tag="deflagged"):
    """A flagged square is untouched again."""


class Connected(Event, frozen=True, tag_field="is", tag="connected"):
    """`player` is connected from now on."""

    player: Player


class Disconnected(Event, frozen=True, tag_field="is", tag="disconnected"):
    """The player of this number has disconnected; pages no longer show its last square."""

    player: int
