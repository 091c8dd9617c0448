"""Interface between a replay and its game: a `Narrator`, and the values that it returns.

`scramble.games.narrator` has a base class for narrators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

from scramble.games.told import English, Told
from scramble.journal.recorder import Record

SpotLook: TypeAlias = Literal["down", "up", "gone", "dug", "flag", "boom", "cell", "hole", "disc", "ring"]
"""Look of a spot: a card face down or up or taken; a square dug, flagged or blown up; a crossword's cell or none.

A disc is a piece of a player; a ring is one of a second player, or of another kind.
"""


class NoChange(msgspec.Struct, frozen=True):
    """No change on the board."""


class Step(msgspec.Struct, frozen=True):
    """One command and its consequences, as codes and as the change that it made.

    `player` is the player whose command it was, None for a command of no player. `told` says what happened, `also` has
    the consequences, in order. `rule` is the handout's name for the rule that decided it, None if there is no such
    rule. `scores` has the new scores (pairs, squares opened, points) of the players whose scores have changed. `change`
    is for the page, which updates the board and the figures with it. `over`: this command has ended the game, or left
    it finished; what comes later does not count for its result.
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
    """A place on the board as a terminal shows it: its text, and the player to whom it belongs."""

    look: SpotLook
    text: str = ""
    by: str | None = None


Figure: TypeAlias = str | int | float | None
"""One figure of a player: a number, or a text that is the same in every language; None if there is none."""


class Summary(msgspec.Struct, frozen=True):
    """Figures of all players: the codes of the columns, and a row for each player, in the order in which they came."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[Figure, ...]]


class GridLayout(msgspec.Struct, frozen=True):
    """The size of a board."""

    rows: int
    columns: int


class Narrator(Protocol):
    """Narration of one game, from its first state forwards, one command after the other.

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
        """Return the current public state, for the page: the changes of later steps apply to it."""

    def layout(self) -> msgspec.Struct:
        """Return the constants of the game, for the page, mainly sizes. Later calls may return more of them."""

    def scores(self) -> dict[str, int]:
        """Return the scores of all players: pairs, squares opened, or points."""

    def picture(self) -> list[list[Spot]]:
        """Return the board as everybody sees it now, row by row."""

    def caption(self) -> str:
        """Return one line about the picture, in English: its subject, and the scores."""

    def summary(self) -> Summary:
        """Return the figures of all players up to now."""

    def save(self) -> bytes:
        """Encode the current state, for `resume`."""

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called, on the same recording."""


NarratorFactory: TypeAlias = Callable[[bytes], Narrator]
"""Factory that makes the narrator of one kind of game from the state that the game began with.

It raises ValueError if it is not a state of that game.
"""
