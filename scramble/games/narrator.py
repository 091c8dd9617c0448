"""Base class for the narrators of games: it applies commands, saves and restores the state, and has default views.

class FourNarrator(GameNarrator[Grid, NoNotes]):
    english = English({"dropped": "{player} drops into column {column}"})

    def __init__(self, first: bytes) -> None:
        super().__init__(Grid.restore(first), NoNotes())

    def describe(self, record: Record, command: Command[object]) -> Step:
        self.rules.apply(record.ticket, command)
        match command:
            case Drop(player, column):
                told = tell("dropped", player=player, column=column + 1)
                return Step(record.seq, record.time, player, told, change=...)
        return self.other(record, command)

A game must add `layout`, `snapshot` and `scores`. It may add `picture` and `summary` for the terminal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, Generic, TypeVar

import msgspec

from scramble.games.narration import Spot, Step, Summary
from scramble.games.told import English, tell
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Command, Durable, Ticket, Withdraw

ASIDE: Final = Ticket(-1)
"""Ticket of a narrator's own queries. No request has this ticket."""

R = TypeVar("R", bound=Durable)
N = TypeVar("N", bound=msgspec.Struct)


class NoNotes(msgspec.Struct):
    """Empty notes, for a narrator that shows only the state of the rules."""


class GameNarrator(ABC, Generic[R, N]):
    """Narration of one game; a `Narrator`. `rules` is the game. `notes` has facts about the past that `rules` lacks."""

    # Safe from rep exposure: all returned values are immutable copies.

    english: English = English()

    def __init__(self, rules: R, notes: N) -> None:
        """Begin with these rules. A subclass restores the rules from a journal, which may raise ValueError."""
        self.rules = rules
        self.notes = notes
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(rules.commands)
        self.begin()

    def begin(self) -> None:
        """Update the values derived from the rules and the notes. Called after each assignment of rules and notes."""

    @property
    def kind(self) -> str:
        """Kind of the game."""
        return self.rules.kind

    def save(self) -> bytes:
        """Encode the current state."""
        return msgspec.msgpack.encode((self.rules.state(), self.notes))

    def resume(self, saved: bytes) -> None:
        """Restore the state that `save` has encoded."""
        state, notes = msgspec.msgpack.decode(saved, type=tuple[bytes, msgspec.Raw])
        self.rules = self.rules.restore(state)
        self.notes = msgspec.msgpack.decode(notes, type=type(self.notes))
        self.begin()

    # --- one command ------------------------------------------------------------------------------

    def narrate(self, record: Record) -> Step:
        """Apply the next command and describe it. Raises ValueError if it is not a command of this game."""
        return self.describe(record, self._decoder.decode(record.command))

    @abstractmethod
    def describe(self, record: Record, command: Command[object]) -> Step:
        """Apply the command to the rules, and describe it."""

    def other(self, record: Record, command: Command[object]) -> Step:
        """Describe a command without a special description, by its player and its name."""
        player = by_whom(command)
        if isinstance(command, Withdraw):
            return Step(record.seq, record.time, None, tell("called-off"))
        return Step(record.seq, record.time, player, tell("other", player=player, command=type(command).__name__))

    # --- views ------------------------------------------------------------------------------------

    @abstractmethod
    def snapshot(self) -> msgspec.Struct:
        """Return the current public state, for the page. The page applies the changes of later steps to this state."""

    @abstractmethod
    def layout(self) -> msgspec.Struct:
        """Return the constants of the game, for the page, mainly sizes."""

    @abstractmethod
    def scores(self) -> dict[str, int]:
        """Return the scores of all players."""

    def picture(self) -> list[list[Spot]]:
        """Return the board for the terminal, row by row. The default is an empty board."""
        return []

    def caption(self) -> str:
        """Return one line about the picture. The default is the scores."""
        return ", ".join(f"{player} {score}" for player, score in self.scores().items())

    def summary(self) -> Summary:
        """Return the figures of all players. The default is only the scores."""
        return Summary(("score",), {player: (score,) for player, score in self.scores().items()})


def by_whom(command: Command[object]) -> str | None:
    """Return the player of a command; None if the command names no player."""
    player = getattr(command, "player", None)
    return player if isinstance(player, str) else None
