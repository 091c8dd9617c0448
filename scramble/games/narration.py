"""Interface between a replay and its game: a `Narrator`, and the values that it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from scramble.journal.recorder import Record
from scramble.kernel.protocol import Command

SOMEBODY: Final = "somebody"
"""Subject of a sentence about an action without a known player."""

CALLED_OFF: Final = "a request is called off that has its answer already"

SpotLook: TypeAlias = Literal["down", "up", "gone", "dug", "flag", "boom", "cell", "hole", "disc", "ring"]
"""Look of a spot: a card face down or up or taken; a square dug, flagged or blown up; a crossword's cell or none.

A disc is a piece of a player; a ring is one of a second player, or of another kind.
"""


Happened: TypeAlias = Literal[
    "seated",
    "seat-refused",
    "handed-over",
    "joined",
    "left",
    "called-off",
    "replaced",
    "withdrew",
    "gave-up",
    "bounded",
    "connected",
    "no-room",
    "waits",
    "begun",
    "begun-alone",
    "back",
    "lost",
    "not-back",
    "grace-over",
    "idle",
    "nobody-did",
    "timed-out",
    "in-vain",
    "took-back",
    "next-match",
]
"""Word for what happened that was no move, the `event` of a change: pages have a sentence for each."""


class Step(msgspec.Struct, frozen=True):
    """One command and its consequences, in words and as the change that it made.

    `player` is the player whose command it was, None for a command of no player; `rule` is the handout's name for the
    rule that decided it, None if there is no such rule. `words` is one sentence without a full stop, `also` has the
    consequences, in order. `scores` has the new scores (pairs, squares opened, points) of the players whose scores
    have changed. `change` is for the page, which updates the board and the figures with it. `over`: this command
    has ended the game, or left it finished; what comes later does not count for its result.
    """

    seq: int
    time: float  # seconds since 1970
    player: str | None
    rule: str | None
    words: str
    also: tuple[str, ...]
    scores: dict[str, int]
    change: msgspec.Struct
    over: bool = False


class Spot(msgspec.Struct, frozen=True):
    """A place on the board as a terminal shows it: its text, and the player to whom it belongs."""

    look: SpotLook
    text: str = ""
    by: str | None = None


class Summary(msgspec.Struct, frozen=True):
    """Figures of all players: the titles of the columns, and a row for each player, in the order in which they came."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]


class Narrator(Protocol):
    """Narration of one game, from its first state forwards, one command after the other.

    Mutable; used by one task at a time.
    """

    @property
    def kind(self) -> str:
        """Kind of game, as a journal names it."""

    def narrate(self, record: Record) -> Step:
        """Apply the next command of the recording, and describe it.

        Raises ValueError if it is not a command of this game.
        """

    def snapshot(self) -> msgspec.Struct:
        """Return all that everybody may know now, for the page: the changes of later steps apply to it."""

    def layout(self) -> msgspec.Struct:
        """Return what never changes, for the page: sizes above all. More of it may become known later."""

    def scores(self) -> dict[str, int]:
        """Return the scores of all players: pairs, squares opened, or points."""

    def picture(self) -> list[list[Spot]]:
        """Return the board as everybody sees it now, row by row."""

    def caption(self) -> str:
        """Return one line about the picture: its subject, and the scores."""

    def summary(self) -> Summary:
        """Return the figures of all players up to now."""

    def save(self) -> bytes:
        """Encode everything that it takes to go on from here, for `resume`."""

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called, on the same recording."""


NarratorFactory: TypeAlias = Callable[[bytes], Narrator]
"""Factory that makes the narrator of one kind of game from the state that the game began with.

It raises ValueError if it is not a state of that game.
"""


def by_whom(command: Command[object]) -> str | None:
    """Return the player whose command it is, None if the command does not name one."""
    player = getattr(command, "player", None)
    return player if isinstance(player, str) else None


def other_words(command: Command[object], player: str | None) -> str:
    """Describe a command that a narrator does not know. Of its contents, only the player is named."""
    return f"{player or SOMEBODY}: {type(command).__name__}"
