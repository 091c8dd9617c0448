"""Replay of Memory Scramble: which card was turned over by which rule, who waited for whom, and whose the pairs are.

A card is named only if it lay face up at that time and place. So a replacement is described by the visible changes of
cards, and a new game without its seed.
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
"""A cell as the page gets it: (index, card, player) of a face-up card and who controls it, if anybody, and
(index, None, player) of one whose card that player took. Indexes count across each row from the top one."""

FaceDownAt: TypeAlias = tuple[int]
"""The index of a cell that is face down again."""


class FlipCounts(msgspec.Struct):
    """Counts of one player's moves, and of their outcomes."""

    flips: int = 0
    matches: int = 0
    failures: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(FAILURES, 0))
    waits: int = 0
    waited: float = 0.0  # seconds, all waits together
    longest: float = 0.0  # seconds
    pairs: int = 0


class _Notes(msgspec.Struct):
    """Facts about the past that the board does not keep."""

    tallies: dict[str, FlipCounts] = {}
    since: dict[str, float] = {}  # who waits, and since when
    flips_at: dict[int, int] = {}  # flips of each spot, by index
    games: int = 1
    figures: FigureCounts = msgspec.field(default_factory=FigureCounts)  # of the latest game


class MemorySnapshot(msgspec.Struct, frozen=True):
    """The board, and how often each spot was flipped: `heat` has (index, flips). Face-down cells are absent."""

    cells: list[PlacedCell]
    waiting: dict[str, int]
    scores: dict[str, int]
    heat: list[tuple[int, int]]


class MemoryChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference after a command: cells, players and scores as in `MemorySnapshot`, as far as they are new.

    `flip` is the spot that was flipped. A null in `waiting` is the end of waiting, one in `scores` that the player no
    longer has one, because too many others do. `restart`: first everything is face down, nobody waits, and all scores
    are 0.
    """

    cells: tuple[PlacedCell | FaceDownAt, ...] = ()
    flip: int | None = None
    waiting: dict[str, int | None] = {}
    scores: dict[str, int | None] = {}
    restart: bool = False


class MemoryNarrator(GameNarrator[Board, _Notes]):
    """Narration of a game of Memory Scramble; a `Narrator`."""

    # AF: the game of `rules`, of which _cells has all spots that are not face down, _waiting and _scores what their
    #     names say, as everybody knows them. _pairs_left are on the board; if all of them are matched, the game is
    #     finished, and their holders, in _last, have one pair more than their score. `notes` are of all commands up to
    #     now.

    english = ENGLISH

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of this game."""
        super().__init__(Board.restore(first), _Notes())

    def begin(self) -> None:
        """Derive the public state from the rules."""
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
        """Count a flip of the spot with the index `flip`, which `rule` decided; None: it was refused."""
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
        """Return the players who hold the last pairs, if every pair that is left is matched: nobody else may."""
        held = self.notes.figures.held
        if self._pairs_left > len(held):
            return frozenset()
        pairs = frozenset(player for player, places in held.items() if len(places) == 2)
        return pairs if self._pairs_left <= len(pairs) else frozenset()

    def _score(self, player: str) -> int | None:
        """Return the pairs of a player, None for one without a score."""
        pairs = self._scores.get(player)
        return None if pairs is None else pairs + (player in self._last)

    def _put(self, index: int, cell: Cell) -> PlacedCell | FaceDownAt:
        """Put the cell on the board as everybody knows it, and return it as the page gets it."""
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
        """Return the card that lies face up there, None if none does."""
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
        """Return the board as everybody knows it now."""
        return MemorySnapshot(
            cells=[_placed(index, cell) for index, cell in sorted(self._cells.items())],
            waiting=dict(self._waiting),
            scores=self.scores(),
            heat=sorted(self.notes.flips_at.items()),
        )

    def scores(self) -> dict[str, int]:
        """Return the pairs of each player, the last ones of a finished game included."""
        return {player: pairs + (player in self._last) for player, pairs in self._scores.items()}

    def picture(self) -> list[list[Spot]]:
        """Return the board as everybody sees it now, row by row."""
        spots = [Spot("down")] * (self.rules.rows * self.rules.columns)
        for index, cell in self._cells.items():
            spots[index] = Spot("gone", "", cell.by) if isinstance(cell, NoCard) else Spot("up", cell.card, cell.by)
        columns = self.rules.columns
        return [spots[start : start + columns] for start in range(0, len(spots), columns)]

    def caption(self) -> str:
        """Return who has how many pairs, and who waits, in one line."""
        places = {player: divmod(index, self.rules.columns) for player, index in self._waiting.items()}
        return caption(self.scores(), {player: (row + 1, column + 1) for player, (row, column) in places.items()})

    def summary(self) -> Summary:
        """Return the counts of all players; turns, streak and memory are those of the latest game."""
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
    """Tell of a command that is not a player's move: leaving, and what a server does on behalf of players.

    Returns None for a command that can be told of in any game.
    """
    if isinstance(command, Withdraw):
        return None if _withdrawn(events) is None else tell("withdrew", player=player)
    if isinstance(command, BoundScores):
        return tell("bounded", most=command.most)
    return relinquished_told(events)


def _own(outcomes: Sequence[Outcome], ticket: Ticket) -> Answered | Refused | None:
    """Return the answer to the command itself, or its refusal; None: it waits."""
    for outcome in outcomes:
        if isinstance(outcome, Answered | Refused) and outcome.ticket == ticket:
            return outcome
    return None


def _withdrawn(events: Sequence[Event]) -> str | None:
    return next((event.player for event in events if isinstance(event, Withdrawn)), None)
