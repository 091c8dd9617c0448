"""Base class of the narrators of games: it applies the commands, saves and resumes, and has plain views.

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

A game adds `layout`, `snapshot` and `scores`; without `picture` and `summary` a terminal has less to show.
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
"""Ticket of a narrator's own queries: no request has it."""

R = TypeVar("R", bound=Durable)
N = TypeVar("N", bound=msgspec.Struct)


class NoNotes(msgspec.Struct):
    """Empty notes, for a narrator that shows only the state of the rules."""


class GameNarrator(ABC, Generic[R, N]):
    """Narration of one game; a `Narrator`. `rules` is the game, `notes` is the past that the rules do not remember."""

    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    english: English = English()

    def __init__(self, rules: R, notes: N) -> None:
        """Begin with these rules. Their first state comes from a journal, so what restores it may raise ValueError."""
        self.rules = rules
        self.notes = notes
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(rules.commands)
        self.begin()

    def begin(self) -> None:
        """Update the values derived from the rules and the notes, after these have been set."""

    @property
    def kind(self) -> str:
        """Kind of the game."""
        return self.rules.kind

    def save(self) -> bytes:
        """Encode the current state."""
        return msgspec.msgpack.encode((self.rules.state(), self.notes))

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called."""
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
        """Describe a command without a description of its own: name the player only."""
        player = by_whom(command)
        if isinstance(command, Withdraw):
            return Step(record.seq, record.time, None, tell("called-off"))
        return Step(record.seq, record.time, player, tell("other", player=player, command=type(command).__name__))

    # --- views ------------------------------------------------------------------------------------

    @abstractmethod
    def snapshot(self) -> msgspec.Struct:
        """Return the current public state, for the page: the changes of later steps apply to it."""

    @abstractmethod
    def layout(self) -> msgspec.Struct:
        """Return the constants of the game, for the page, mainly sizes."""

    @abstractmethod
    def scores(self) -> dict[str, int]:
        """Return the scores of all players."""

    def picture(self) -> list[list[Spot]]:
        """Return the board for the terminal, row by row; here nothing."""
        return []

    def caption(self) -> str:
        """Return one line about the picture; here the scores."""
        return ", ".join(f"{player} {score}" for player, score in self.scores().items())

    def summary(self) -> Summary:
        """Return the figures of all players; here the scores alone."""
        return Summary(("score",), {player: (score,) for player, score in self.scores().items()})


def by_whom(command: Command[object]) -> str | None:
    """Return the player whose command it is, None if the command does not name one."""
    player = getattr(command, "player", None)
    return player if isinstance(player, str) else None
