"""Replay of a small game: pictures of its public state, and a code with params for each of its events.

    narrator = plain_narrator(Climbing(Stairs()), Look(), result_of, picture_of, told_of, ENGLISH)   # for a `GameKind`

A page gets the picture as spots. The page has its own sentences for the codes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeAlias, TypeVar, cast

import msgspec

from scramble.games.narration import GridLayout, NarratorFactory, Spot, Step, Summary
from scramble.games.narrator import ASIDE, GameNarrator, by_whom
from scramble.games.room import GameResult
from scramble.games.told import English, Told
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Durable, Event, Query

V = TypeVar("V")

Picture: TypeAlias = list[list[Spot]]
"""The public board, row by row."""


class PlainSnapshot(msgspec.Struct, frozen=True):
    """The board: its spots row by row. `heat` has the number of changes of each spot, as (index, number)."""

    spots: list[Spot]
    scores: dict[str, int]
    heat: list[tuple[int, int]]


class PlainChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effect of a command: the changed spots by index, and the new scores."""

    spots: list[tuple[int, Spot]] = []
    scores: dict[str, int] = {}


class PlainNotes(msgspec.Struct):
    """Facts about the past that the rules do not store."""

    moves: dict[str, int] = {}  # number of moves of each player, in order of arrival
    waits: dict[str, int] = {}
    changes_at: dict[int, int] = {}  # number of changes of each spot, by index


class PlainNarrator(GameNarrator[Durable, PlainNotes], Generic[V]):
    """Narration of a small game; a `Narrator`. `plain_narrator` returns its factory."""

    # AF: _picture is the public board of `rules`, and _spots has the same spots in one list. _scores has the scores.
    #     _over is True if the game is over.

    def __init__(
        self,
        rules: Durable,
        look: Query[V],
        result_of: Callable[[V], GameResult | None],
        picture_of: Callable[[V], Picture],
        told_of: Callable[[Event], Told],
        english: English,
        first: bytes,
    ) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game."""
        self.english = english
        self._look = look
        self._result_of = result_of
        self._picture_of = picture_of
        self._told_of = told_of
        super().__init__(rules.restore(first), PlainNotes())

    def begin(self) -> None:
        """Update the board, the scores and the end of the game from the rules."""
        (answer,) = self.rules.apply(ASIDE, self._look)
        assert isinstance(answer, Answered)
        state = cast(V, answer.value)
        self._picture = self._picture_of(state)
        self._spots = [spot for row in self._picture for spot in row]
        result = self._result_of(state)
        self._over = result is not None
        self._scores = dict.fromkeys(self.notes.moves, 0) | ({} if result is None else result.scores)

    def describe(self, record: Record, command: Command[object]) -> Step:
        """Apply the command, and describe it."""
        outcomes = self.rules.apply(record.ticket, command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        player = by_whom(command)
        if player is not None:
            done = any(isinstance(one, Answered) and one.ticket == record.ticket for one in outcomes)
            self.notes.moves[player] = self.notes.moves.get(player, 0) + 1
            self.notes.waits[player] = self.notes.waits.get(player, 0) + (not done)
        spots, scores = self._spots, self._scores
        self.begin()
        changed = [(at, new) for at, (old, new) in enumerate(zip(spots, self._spots, strict=True)) if old != new]
        for at, _ in changed:
            self.notes.changes_at[at] = self.notes.changes_at.get(at, 0) + 1
        new_scores = {one: score for one, score in self._scores.items() if scores.get(one) != score}
        told = [self._told_of(event) for event in events] or [self.other(record, command).told]
        return Step(
            seq=record.seq,
            time=record.time,
            player=player,
            told=told[0],
            also=tuple(told[1:]),
            scores=new_scores,
            change=PlainChange(changed, new_scores),
            over=self._over,
        )

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> GridLayout:
        """Return the size of the board."""
        return GridLayout(len(self._picture), max(map(len, self._picture), default=0))

    def snapshot(self) -> PlainSnapshot:
        """Return the current public board."""
        return PlainSnapshot(self._spots, self.scores(), sorted(self.notes.changes_at.items()))

    def scores(self) -> dict[str, int]:
        """Return the points of the result. Before the end of the game, each player with a move has 0 points."""
        return dict(self._scores)

    def picture(self) -> Picture:
        """Return the current public board, row by row."""
        return [list(row) for row in self._picture]

    def summary(self) -> Summary:
        """Return the numbers of moves and waits of each player."""
        return Summary(
            ("moves", "waits"), {one: (moves, self.notes.waits[one]) for one, moves in self.notes.moves.items()}
        )


def plain_narrator(
    rules: Durable,
    look: Query[V],
    result_of: Callable[[V], GameResult | None],
    picture_of: Callable[[V], Picture],
    told_of: Callable[[Event], Told],
    english: English,
) -> NarratorFactory:
    """Return the factory for the narrators of a game.

    `rules` may have any state. `look` and `result_of` are the arguments of `open_game`. `picture_of` returns the board
    of a public state, always with the same numbers of rows and columns. `told_of` describes an event. `english` has the
    sentences for the codes of `told_of`.
    """
    return partial(PlainNarrator, rules, look, result_of, picture_of, told_of, english)
