"""Interface between a replay and its game: the protocol `Narrator`, and the values that a narrator returns.

`scramble.games.narrator` has a base class for narrators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

from scramble.games.told import English, Told
from scramble.journal.recorder import Record

SpotLook: TypeAlias = Literal["down", "up", "gone", "dug", "flag", "boom", "cell", "hole", "disc", "ring"]
"""Look of a spot: a card face down, face up or taken; a square dug, flagged or blown up; a crossword's cell or gap.

A disc is a player's piece. A ring is a piece of a second player, or a piece of another kind.
"""


class NoChange(msgspec.Struct, frozen=True):
    """No change on the board."""


class Step(msgspec.Struct, frozen=True):
    """One command and its consequences, as codes and as a change of the board.

    `player` made the command; it is None for a command without a player. `told` describes the command, and `also` the
    consequences, in order. `rule` is the handout's name of the applied rule, None if the handout has no such rule.
    `scores` has the changed scores (pairs, squares opened, points) by player. The page updates the board and the
    figures with `change`. `over` is True if the game is over after this command. Later commands do not count for the
    result.
    """

    seq: int
    time: float  # seconds since 1970
    player: str | None
    told: Told
    also: tuple[Told, ...] = ()
    rule: str | None = None
    scores: dict[str, int] = {}
    change: msgspec.Struct = NoChange()
    over: bool = False


class Spot(msgspec.Struct, frozen=True):
    """A place on the board for a terminal: its look, its text, and the player who owns it."""

    look: SpotLook
    text: str = ""
    by: str | None = None


Figure: TypeAlias = str | int | float | None
"""One figure of a player: a number, or a text without words; None for a missing figure."""


class Summary(msgspec.Struct, frozen=True):
    """Figures of all players: the codes of the columns, and a row for each player, in order of arrival."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[Figure, ...]]


class GridLayout(msgspec.Struct, frozen=True):
    """The size of a board."""

    rows: int
    columns: int


class Narrator(Protocol):
    """Narration of one game, command by command from its first state.

    Mutable; used by one task at a time.
    """

    @property
    def kind(self) -> str:
        """Kind of game, as a journal names it."""

    @property
    def english(self) -> English:
        """English sentences for the codes, and titles for the columns of the summary."""

    def narrate(self, record: Record) -> Step:
        """Apply the next command of the recording, and describe it.

        Raises ValueError if it is not a command of this game.
        """

    def snapshot(self) -> msgspec.Struct:
        """Return the current public state, for the page. The page applies the changes of later steps to this state."""

    def layout(self) -> msgspec.Struct:
        """Return the constants of the game, for the page, mainly sizes. Later calls may return more of them."""

    def scores(self) -> dict[str, int]:
        """Return the scores of all players: pairs, squares opened, or points."""

    def picture(self) -> list[list[Spot]]:
        """Return the current public board, row by row."""

    def caption(self) -> str:
        """Return one line about the picture, in English: its subject, and the scores."""

    def summary(self) -> Summary:
        """Return the figures of all players up to now."""

    def save(self) -> bytes:
        """Encode the current state, for `resume`."""

    def resume(self, saved: bytes) -> None:
        """Restore the state that `save` has encoded, for the same recording."""


NarratorFactory: TypeAlias = Callable[[bytes], Narrator]
"""Factory that makes the narrator of one kind of game from the first state of a game.

The factory raises ValueError for an invalid state.
"""
