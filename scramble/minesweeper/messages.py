"""Minesweeper's vocabulary: commands that players give, events that everybody may know, views that answer.

x counts columns to the right and y rows downwards, both from (0, 0) at the top left; any integer, of any
size and sign, is allowed where a player names a square, and one outside the field just names no square.
Nothing here ever carries more about the squares than BOARD shows: one character a square, "-" untouched, "F"
flagged, and for a dug square the number of its neighbours with a bomb, " " for none.

A player is a connection. It gets a number when it connects, 1 for the first, and no number is given twice.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scramble.core import Command, Event, Query

# --- views: what a command is answered with ---------------------------------------------------------


class BoardView(msgspec.Struct, frozen=True):
    """The field as everybody sees it: `text` is a BOARD of the handout, each row ended by one newline character.

    `version` is the change it shows. `boom` is whether this very command dug a bomb; then `text` is the field
    right after the explosion.
    """

    version: int
    text: str
    boom: bool = False


class Player(msgspec.Struct, frozen=True):
    """Somebody who is connected. `at` is the (x, y) of the last square that they dug, flagged or deflagged, if any."""

    id: int
    name: str
    at: tuple[int, int] | None = None


class Welcome(msgspec.Struct, frozen=True):
    """All that HELLO tells: the field's size, and the number of players, the one who connected included.

    `player` is the number that this player has until it disconnects.
    """

    player: int
    columns: int
    rows: int
    players: int


class Snapshot(msgspec.Struct, frozen=True):
    """All that everybody may know of the game, for those who then follow its events.

    `lines` has one string of `columns` characters for each row, from the top; `players` are in the order in
    which they connected.
    """

    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    players: tuple[Player, ...]


Run: TypeAlias = tuple[int, int, str]
"""(x, y, shown): what BOARD now shows of the squares from (x, y) to the right, one character a square."""


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[BoardView], frozen=True):
    """Answered with the field as it is. Changes nothing."""


class Move(Command[BoardView], frozen=True):
    """The base of what a player does to square (x, y). `player` is who; None is the embedding program itself.

    A number that no connected player has is refused with `InvalidCommand`, and nothing changes.
    """

    x: int
    y: int
    player: int | None = None


class Dig(Move, frozen=True):
    """Dig an untouched square, and all that follows: the handout's DIG, steps 1 to 5."""


class Flag(Move, frozen=True):
    """Flag an untouched square."""


class Deflag(Move, frozen=True):
    """Make a flagged square untouched."""


class Connect(Command[Welcome], frozen=True):
    """One more player. `name` matches `[A-Za-z0-9_]+`, else `InvalidCommand`; two players may have the same.

    None is a player who has no way to give a name: number 3 is then called "telnet 3".
    """

    name: str | None = None


class Disconnect(Command[None], frozen=True):
    """One player fewer. A number that no connected player has changes nothing, so it does no harm to say it twice."""

    player: int


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Answered with everything public."""


# --- events: all of them public, and exactly one for each command that changed anything -------------


class MoveEvent(Event, frozen=True, tag_field="is"):
    """`player` (None: the embedding program) has done something to the square (x, y), and is `at` it now.

    `runs` is all that BOARD shows differently since: in reading order, no square twice, and no two runs touch.
    """

    x: int
    y: int
    player: int | None
    runs: tuple[Run, ...]


class Dug(MoveEvent, frozen=True, tag="dug"):
    """A square without a bomb was dug, and with it whatever step 4 opened."""


class Exploded(MoveEvent, frozen=True, tag="exploded"):
    """A square with a bomb was dug. The bomb is gone, so this gives away nothing about those that remain."""


class Flagged(MoveEvent, frozen=True, tag="flagged"):
    """An untouched square was flagged."""


class Deflagged(MoveEvent, frozen=True, tag="deflagged"):
    """A flagged square is untouched again."""


class Connected(Event, frozen=True, tag_field="is", tag="connected"):
    """`player` is here from now on."""

    player: Player


class Disconnected(Event, frozen=True, tag_field="is", tag="disconnected"):
    """The player of this number has left, and takes its last square with it."""

    player: int
