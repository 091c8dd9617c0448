"""Replay of a small game: pictures of its public state, and a sentence for each of its events.

    narrator = plain_narrator(Climbing(Stairs()), result_of, picture_of, sentence_of)       # of a `GameKind`

A page gets the picture as spots, and each event by its name, so that it has sentences of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Generic, TypeAlias, TypeVar, cast

import msgspec

from scramble.games.narration import NarratorFactory, Spot, Step, Summary, by_whom, other_words
from scramble.games.room import GameResult
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Durable, Event, Query, Ticket

V = TypeVar("V")

ASIDE: Final = Ticket(-1)  # no request has this ticket

Picture: TypeAlias = list[list[Spot]]
"""The board as everybody sees it, row by row."""


class PlainLayout(msgspec.Struct, frozen=True):
    """The size of the board."""

    rows: int
    columns: int


class PlainSnapshot(msgspec.Struct, frozen=True):
    """The board: its spots row by row. `heat` has how often moves have changed a spot, as (index, times)."""

    spots: list[Spot]
    scores: dict[str, int]
    heat: list[tuple[int, int]]


class PlainChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference after a command: the events by their names, the spots that look different, and new scores."""

    events: list[dict[str, object]] = []
    spots: list[tuple[int, Spot]] = []
    scores: dict[str, int] = {}


class _Notes(msgspec.Struct):
    """The past, as far as the rules themselves do not remember it."""

    moves: dict[str, int] = {}  # of all players up to now, in the order in which they came
    waits: dict[str, int] = {}
    changes_at: dict[int, int] = {}  # changes of each spot, by index


class PlainNarrator(Generic[V]):
    """Narration of a small game; a `Narrator`."""

    # AF: the game of _rules, of which _spots is the picture and _scores are the scores; _notes are of all commands up
    #     to now.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    def __init__(
        self,
        rules: Durable,
        look: Query[V],
        result_of: Callable[[V], GameResult | None],
        picture_of: Callable[[V], Picture],
        sentence_of: Callable[[Event], str],
        first: bytes,
    ) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game.

        `rules` are in any state, `look` is the query for the public state. `picture_of` shows a public state: always
        the same number of rows and columns. `sentence_of` describes an event, in English and without a full stop.
        """
        self._look: Final = look
        self._result_of: Final = result_of
        self._picture_of: Final = picture_of
        self._sentence_of: Final = sentence_of
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(cast(type, rules.commands))
        self._begin(rules.restore(first), _Notes())

    def _begin(self, rules: Durable, notes: _Notes) -> None:
        self._rules = rules
        self._notes = notes
        self._show()

    def _show(self) -> None:
        """Look at the game."""
        (answer,) = self._rules.apply(ASIDE, self._look)
        assert isinstance(answer, Answered)
        state = cast(V, answer.value)
        self._picture = self._picture_of(state)
        self._spots = [spot for row in self._picture for spot in row]
        result = self._result_of(state)
        self._over = result is not None
        self._scores = dict.fromkeys(self._notes.moves, 0) | ({} if result is None else result.scores)

    @property
    def kind(self) -> str:
        """Kind of the game."""
        return self._rules.kind

    def save(self) -> bytes:
        """Encode everything that it takes to go on from here."""
        return msgspec.msgpack.encode((self._rules.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called."""
        state, notes = msgspec.msgpack.decode(saved, type=tuple[bytes, _Notes])
        self._begin(self._rules.restore(state), notes)

    # --- one command ------------------------------------------------------------------------------

    def narrate(self, record: Record) -> Step:
        """Apply the next command and describe it. Raises ValueError if it is not a command of this game."""
        command = self._decoder.decode(record.command)
        outcomes = self._rules.apply(record.ticket, command)
        player = by_whom(command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        self._count(
            player, waits=not any(isinstance(one, Answered) and one.ticket == record.ticket for one in outcomes)
        )
        before, scores = self._spots, self._scores
        self._show()
        changed = [(at, new) for at, (old, new) in enumerate(zip(before, self._spots, strict=True)) if old != new]
        for at, _ in changed:
            self._notes.changes_at[at] = self._notes.changes_at.get(at, 0) + 1
        change = PlainChange(
            [{"is": type(event).__name__, **msgspec.to_builtins(event)} for event in events],
            changed,
            {one: score for one, score in self._scores.items() if scores.get(one) != score},
        )
        words = [self._sentence_of(event) for event in events] or [other_words(command, player)]
        return Step(
            record.seq, record.time, player, None, words[0], tuple(words[1:]), change.scores, change, self._over
        )

    def _count(self, player: str | None, *, waits: bool) -> None:
        if player is not None:
            notes = self._notes
            notes.moves[player] = notes.moves.get(player, 0) + 1
            notes.waits[player] = notes.waits.get(player, 0) + waits

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> PlainLayout:
        """Return the size of the board."""
        return PlainLayout(len(self._picture), max(map(len, self._picture), default=0))

    def snapshot(self) -> PlainSnapshot:
        """Return the board as everybody knows it now."""
        return PlainSnapshot(self._spots, self.scores(), sorted(self._notes.changes_at.items()))

    def scores(self) -> dict[str, int]:
        """Return the points of the result; before that, 0 for everybody who has moved."""
        return dict(self._scores)

    def picture(self) -> Picture:
        """Return the board as everybody sees it now, row by row."""
        return [list(row) for row in self._picture]

    def caption(self) -> str:
        """Return the scores, in one line."""
        scores = ", ".join(f"{player} {score}" for player, score in self._scores.items())
        return f"points: {scores or 'nobody has moved yet'}"

    def summary(self) -> Summary:
        """Return how often each player has moved, and had to wait."""
        waits = self._notes.waits
        rows: dict[str, tuple[str, ...]] = {
            player: (str(moves), str(waits[player])) for player, moves in self._notes.moves.items()
        }
        return Summary(("moves", "waits"), rows)


def plain_narrator(
    rules: Durable,
    look: Query[V],
    result_of: Callable[[V], GameResult | None],
    picture_of: Callable[[V], Picture],
    sentence_of: Callable[[Event], str],
) -> NarratorFactory:
    """Return the factory of narrators of a game. The arguments are those of `PlainNarrator`."""
    return partial(PlainNarrator, rules, look, result_of, picture_of, sentence_of)
