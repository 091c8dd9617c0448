"""Replay of Memory Scramble: the flips with their rules, the waiting players, and the pairs of each player.

The replay names a card only if it was face up at that time and place. So it describes a replacement by the visible
changes of cards, and a new game without its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from scramble.games.narration import GridLayout, Spot, Step, Summary
from scramble.games.narrator import ASIDE, GameNarrator, by_whom
from scramble.games.told import Told, tell
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.memory import Board
from scramble.memory.difference import difference_of
from scramble.memory.english import ENGLISH, caption
from scramble.memory.figures import FigureCounts
from scramble.memory.messages import (
    BoundScores,
    Cell,
    CommitMap,
    FaceDown,
    FaceUp,
    Flip,
    Joined,
    NewGame,
    NoCard,
    PlayerFigures,
    Replace,
    Scored,
    Snapshot,
    TakeSnapshot,
    Withdrawn,
)
from scramble.memory.narration import (
    FAILURES,
    consequences,
    flip_rule,
    flip_told,
    relinquished_told,
    replacement_told,
)

PlacedCell: TypeAlias = tuple[int, str | None, str | None]
"""A cell for the page. (index, card, player) is a face-up card and its controlling player, or None for no player.
(index, None, player) is a cell without a card; the player took the card. Indexes count row by row from the top."""

FaceDownAt: TypeAlias = tuple[int]
"""Index of a cell with a card that is face down again."""


class FlipCounts(msgspec.Struct):
    """Counts of one player's moves, and of their outcomes."""

    flips: int = 0
    matches: int = 0
    failures: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(FAILURES, 0))
    waits: int = 0
    waited: float = 0.0  # seconds, the sum of all waits
    longest: float = 0.0  # seconds, the longest wait
    pairs: int = 0


class _Notes(msgspec.Struct):
    """Facts about earlier commands that the board does not store."""

    tallies: dict[str, FlipCounts] = {}
    since: dict[str, float] = {}  # waiting player -> time of the beginning of the wait
    flips_at: dict[int, int] = {}  # index of a spot -> number of flips
    games: int = 1
    figures: FigureCounts = msgspec.field(default_factory=FigureCounts)  # of the latest game


class MemorySnapshot(msgspec.Struct, frozen=True):
    """The public board, and the number of flips of each spot: `heat` has (index, flips). Face-down cells are absent."""

    cells: list[PlacedCell]
    waiting: dict[str, int]
    scores: dict[str, int]
    heat: list[tuple[int, int]]


class MemoryChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """Difference after a command: the changed cells, waiting players and scores, in the form of `MemorySnapshot`.

    `flip` is the index of the flipped spot. A null in `waiting` is the end of a wait. A null in `scores` means that the
    player no longer has a score, because too many players have a score. With `restart`, a new game began before these
    changes: all cards are face down, no player waits, and all scores are 0.
    """

    cells: tuple[PlacedCell | FaceDownAt, ...] = ()
    flip: int | None = None
    waiting: dict[str, int | None] = {}
    scores: dict[str, int | None] = {}
    restart: bool = False


class MemoryNarrator(GameNarrator[Board, _Notes]):
    """Narration of a game of Memory Scramble; a `Narrator`."""

    # AF: the game of `rules`. _cells has the public state of all spots without a face-down card. _waiting maps each
    #     waiting player to the index of the awaited card, and _scores maps each player to the number of removed pairs.
    #     _pairs_left is the number of pairs on the board. If all these pairs are matched, the game is finished. Then
    #     the players in _last control these pairs, and each of them has one pair more than in _scores. `notes` are
    #     about all commands up to now.

    english = ENGLISH

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game."""
        super().__init__(Board.restore(first), _Notes())

    def begin(self) -> None:
        """Compute the public state from the rules."""
        snapshot = self._snapshot()
        self._cells: dict[int, FaceUp | NoCard] = {
            index: cell for index, cell in enumerate(snapshot.cells) if not isinstance(cell, FaceDown)
        }
        self._waiting = {player: self._index(*spot) for player, spot in snapshot.waiting.items()}
        self._scores = dict(snapshot.scores)
        self._pairs_left = snapshot.pairs_left
        self._last = self._holders_of_last_pairs()

    def _snapshot(self) -> Snapshot:
        (answer,) = self.rules.apply(ASIDE, TakeSnapshot())
        assert isinstance(answer, Answered)
        assert isinstance(answer.value, Snapshot)
        return answer.value

    # --- one command ------------------------------------------------------------------------------

    def describe(self, record: Record, command: Command[object]) -> Step:
        """Apply the command, and describe it."""
        outcomes = self.rules.apply(record.ticket, command)
        player = by_whom(command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        self.notes.figures.note(events)
        rule: str | None = None
        flip: int | None = None
        also: tuple[Told, ...] = ()
        match command:
            case Flip(player, row, column):
                flip = self._index(row, column)
                rule = flip_rule(_own(outcomes, record.ticket))
                told, *lost = flip_told(command, rule, events, self._card_at(row, column), self._holder_of(flip))
                also = tuple(lost)
                self._count(player, flip, rule, record.time)
            case Replace(player) | CommitMap(player):
                told = replacement_told(player, events, self._card_at)
            case NewGame():
                told = tell("new-game", player=player)
                self.notes.games += 1
            case _:
                player = player or _withdrawn(events)
                told = _other_told(command, player, events) or self.other(record, command).told
        waited = {name: max(0.0, record.time - self.notes.since.get(name, record.time)) for name in self._waiting}
        also += consequences(events, player, waited)
        if flip is not None:
            for event in events:
                if isinstance(event, Withdrawn):
                    self._tally(event.player).failures["1-A"] += 1
        change = self._change(events, flip, record.time)
        changed = {player: pairs for player, pairs in change.scores.items() if pairs is not None}
        scores = self.scores() if change.restart else changed
        over = self._pairs_left == len(self._last)
        return Step(record.seq, record.time, player, told, also, rule, scores, change, over)

    def _count(self, player: str, flip: int, rule: str | None, time: float) -> None:
        """Count a flip of the spot with the index `flip` and this `rule`. A `rule` of None is a refused flip."""
        if rule is None:
            return
        self.notes.flips_at[flip] = self.notes.flips_at.get(flip, 0) + 1
        tally = self._tally(player)
        tally.flips += 1
        if rule == "1-D":
            tally.waits += 1
            self.notes.since[player] = time
        elif rule in FAILURES:
            tally.failures[rule] += 1
        elif rule == "2-D":
            tally.matches += 1

    def _change(self, events: Sequence[Event], flip: int | None, time: float) -> MemoryChange:
        """Update the public state, and return the difference."""
        new = difference_of(events)
        if new.restarted:
            for player in tuple(self._waiting):
                self._stop_waiting(player, time)
            self._cells.clear()
            self._scores = dict.fromkeys(self._scores, 0)
            self._pairs_left = self._snapshot().pairs_left
        cells = tuple(self._put(self._index(row, column), cell) for (row, column), cell in new.cells.items())
        waiting: dict[str, int | None] = {}
        for player, spot in new.waiting.items():
            waiting[player] = None if spot is None else self._index(*spot)
            if spot is None:
                self._stop_waiting(player, time)
            else:
                self._waiting[player] = self._index(*spot)
        for player, pairs in new.scores.items():
            if pairs is None:
                self._scores.pop(player, None)
            else:
                self._scores[player] = pairs
        if new.pairs_left is not None:
            self._pairs_left = new.pairs_left
        last, before = self._holders_of_last_pairs(), self._last
        self._last = last
        scores = {player: self._score(player) for player in (*new.scores, *(last ^ before))}
        for event in events:
            if isinstance(event, Scored):
                self._tally(event.player).pairs += 1
            elif isinstance(event, Joined):
                self._tally(event.player)
        return MemoryChange(cells, flip, waiting, scores, new.restarted)

    def _holders_of_last_pairs(self) -> frozenset[str]:
        """Return the players with a matched pair if all pairs left are matched, because only then a pair is final."""
        held = self.notes.figures.held
        if self._pairs_left > len(held):
            return frozenset()
        pairs = frozenset(player for player, places in held.items() if len(places) == 2)
        return pairs if self._pairs_left <= len(pairs) else frozenset()

    def _score(self, player: str) -> int | None:
        """Return the number of a player's pairs; None for a player without a score."""
        pairs = self._scores.get(player)
        return None if pairs is None else pairs + (player in self._last)

    def _put(self, index: int, cell: Cell) -> PlacedCell | FaceDownAt:
        """Update a cell of the public board, and return it in the form for the page."""
        if isinstance(cell, FaceDown):
            self._cells.pop(index, None)
            return (index,)
        self._cells[index] = cell
        return _placed(index, cell)

    def _stop_waiting(self, player: str, time: float) -> None:
        self._waiting.pop(player, None)
        waited = max(0.0, time - self.notes.since.pop(player, time))
        tally = self._tally(player)
        tally.waited += waited
        tally.longest = max(tally.longest, waited)

    def _card_at(self, row: int, column: int) -> str | None:
        """Return the face-up card at this place; None if no card is face up there."""
        cell = self._cells.get(self._index(row, column))
        return cell.card if isinstance(cell, FaceUp) else None

    def _holder_of(self, index: int) -> str | None:
        cell = self._cells.get(index)
        return cell.by if isinstance(cell, FaceUp) else None

    def _tally(self, player: str) -> FlipCounts:
        return self.notes.tallies.setdefault(player, FlipCounts())

    def _index(self, row: int, column: int) -> int:
        return row * self.rules.columns + column

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> GridLayout:
        """Return the size of the board."""
        return GridLayout(self.rules.rows, self.rules.columns)

    def snapshot(self) -> MemorySnapshot:
        """Return the current public board."""
        return MemorySnapshot(
            cells=[_placed(index, cell) for index, cell in sorted(self._cells.items())],
            waiting=dict(self._waiting),
            scores=self.scores(),
            heat=sorted(self.notes.flips_at.items()),
        )

    def scores(self) -> dict[str, int]:
        """Return the number of each player's pairs, with the last pairs of a finished game."""
        return {player: pairs + (player in self._last) for player, pairs in self._scores.items()}

    def picture(self) -> list[list[Spot]]:
        """Return the rows of the current public board."""
        spots = [Spot("down")] * (self.rules.rows * self.rules.columns)
        for index, cell in self._cells.items():
            spots[index] = Spot("gone", "", cell.by) if isinstance(cell, NoCard) else Spot("up", cell.card, cell.by)
        columns = self.rules.columns
        return [spots[start : start + columns] for start in range(0, len(spots), columns)]

    def caption(self) -> str:
        """Return one line with the pairs of each player, and the waiting players."""
        places = {player: divmod(index, self.rules.columns) for player, index in self._waiting.items()}
        return caption(self.scores(), {player: (row + 1, column + 1) for player, (row, column) in places.items()})

    def summary(self) -> Summary:
        """Return the counts of all players; `turns`, `streak` and `memory` are only about the latest game."""
        figures, none = self.notes.figures.figures(), PlayerFigures()
        last = ("turns", "streak", "memory")
        return Summary(
            ("flips", "matches", *FAILURES.values(), "waits", "waited", "longest", "pairs", *last),
            {
                player: (
                    *(tally.flips, tally.matches, *(tally.failures.get(rule, 0) for rule in FAILURES)),
                    tally.waits,
                    *(round(seconds, 3) if tally.waits else None for seconds in (tally.waited, tally.longest)),
                    tally.pairs + (player in self._last),
                    *(getattr(figures.get(player, none), name) for name in last),
                )
                for player, tally in self.notes.tallies.items()
            },
        )


def _placed(index: int, cell: FaceUp | NoCard) -> PlacedCell:
    return (index, cell.card if isinstance(cell, FaceUp) else None, cell.by)


def _other_told(command: Command[object], player: str | None, events: Sequence[Event]) -> Told | None:
    """Describe a withdrawal, or a command of the server: a limit of scores, or the release of a player's cards.

    Returns None for a command that every game has.
    """
    if isinstance(command, Withdraw):
        return None if _withdrawn(events) is None else tell("withdrew", player=player)
    if isinstance(command, BoundScores):
        return tell("bounded", most=command.most)
    return relinquished_told(events)


def _own(outcomes: Sequence[Outcome], ticket: Ticket) -> Answered | Refused | None:
    """Return the answer or refusal for the command's own ticket; None if the command waits."""
    for outcome in outcomes:
        if isinstance(outcome, Answered | Refused) and outcome.ticket == ticket:
            return outcome
    return None


def _withdrawn(events: Sequence[Event]) -> str | None:
    return next((event.player for event in events if isinstance(event, Withdrawn)), None)
