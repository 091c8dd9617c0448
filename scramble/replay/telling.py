"""What a game has to offer to be replayed: a `Teller`, and the values that it tells in."""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from scramble.core import Command
from scramble.store import Record

SOMEBODY: Final = "somebody"
"""Who does what nobody has put a name to."""

CALLED_OFF: Final = "a request is called off that has its answer already"

Look: TypeAlias = Literal["down", "up", "gone", "dug", "flag", "boom", "cell", "hole"]
"""How a spot looks: a card face down or up or taken; a square dug, flagged or blown up; a crossword's cell or none."""


class Step(msgspec.Struct, frozen=True):
    """One command and all that followed from it, in words and as the change that it made.

    `player` is whose command it was, if anybody's; `rule` the rule that decided it, by the handout's name for it, if
    there is one. `words` are one sentence without a full stop, `also` what happened with it, in order. `scores` has
    what players now have of what the game is about (pairs, squares opened, points), as far as that is different since.
    `change` is for the page: what it makes a board and its figures of.
    """

    seq: int
    time: float  # seconds since 1970
    player: str | None
    rule: str | None
    words: str
    also: tuple[str, ...]
    scores: dict[str, int]
    change: msgspec.Struct


class Spot(msgspec.Struct, frozen=True):
    """A place on the board as it is shown in a terminal: what stands there, and whose it is."""

    look: Look
    text: str = ""
    by: str | None = None


class Summary(msgspec.Struct, frozen=True):
    """Who did how much: the titles of the figures, and the figures of each player, in the order of their coming."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]


class Teller(Protocol):
    """A game in the course of being told, from its first state on: it goes forwards, one command after the other.

    Mutable; used by one task at a time.
    """

    @property
    def kind(self) -> str:
        """Which game it is."""

    def tell(self, record: Record) -> Step:
        """Carry out the next command of the recording, and tell it.

        Raises ValueError if it is no command of this game.
        """

    def whole(self) -> msgspec.Struct:
        """All that everybody may know now, for the page: what the changes of later steps build on."""

    def frame(self) -> msgspec.Struct:
        """What stays the same all the time, for the page: sizes above all. More of it may become known."""

    def scores(self) -> dict[str, int]:
        """What all players have now of what the game is about."""

    def picture(self) -> list[list[Spot]]:
        """The board as everybody sees it now, row by row."""

    def caption(self) -> str:
        """One line about the picture: what it is of, and how the game stands."""

    def summary(self) -> Summary:
        """Who has done how much up to now."""

    def save(self) -> bytes:
        """All that there is to know in order to go on from here: for `resume`."""

    def resume(self, saved: bytes) -> None:
        """Be where `save` was called, on the same recording."""


def place(first: int, second: int) -> str:
    """A place in words, with the numbers in the order in which the game's protocols have them, from 0."""
    return f"{first},{second}"


def names(players: list[str]) -> str:
    """Several names in a sentence."""
    return " and ".join(filter(None, (", ".join(players[:-1]), *players[-1:])))


def seconds(duration: float) -> str:
    """A duration in words: 0.4 s, 12 s, 3 min."""
    if duration < 10:
        return f"{duration:.1f} s"
    return f"{duration:.0f} s" if duration < 120 else f"{duration / 60:.0f} min"


def by_whom(command: Command[object]) -> str | None:
    """The player whose command it is, if it names one."""
    player = getattr(command, "player", None)
    return player if isinstance(player, str) else None


def other_words(command: Command[object], player: str | None) -> str:
    """Words for a command that a teller knows nothing about. Of what is in it, only the player is told."""
    return f"{player or SOMEBODY}: {type(command).__name__}"
