"""The rules of Memory Scramble: a whole game as one mutable value, and what each command does to it.

Quotations in comments are the handout's. What it leaves open is decided like this:

- A *move* is a flip with valid coordinates by a player who is not waiting. Nothing else finishes a previous play.
- A match is decided at the second flip, by the cards of that moment; later replacements neither make nor break it.
- All that one command does is one atomic step, and one change. Whoever is answered by a step sees the board after it.
- Whoever has waited longest gets a relinquished card, in the same step: a waited-for card is never free.
- A *change* turns a card up or down, removes it or replaces it by a different one. Control alone is none.

Like all rules this is pure: it never waits, never does I/O, and is safe only in the hands of one task at a time.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from scramble.checks import CHECK_REP
from scramble.core import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.errors import CallerError, InvalidCommand
from scramble.memory.boardfile import decode_board_file, parse_board_file
from scramble.memory.boardstate import read_state, write_state
from scramble.memory.messages import (
    AlreadyWaiting,
    CardsMissing,
    CommitMap,
    Flip,
    FlipFailed,
    Flipped,
    GameRestarted,
    Joined,
    ListCards,
    Look,
    NewGame,
    PairsLeft,
    Relinquish,
    Removed,
    Replace,
    Replaced,
    Restarted,
    Scored,
    Snapshot,
    TakeSnapshot,
    TurnedDown,
    TurnedUp,
    View,
    Waiting,
    Watch,
    Withdrawn,
)
from scramble.memory.plays import FirstCard, Leftover, Pair, Play, controlled, moved
from scramble.memory.table import Space, Table
from scramble.memory.validity import problem_of
from scramble.memory.waiting import Waiter, WaitingRoom

CHANGES: Final = frozenset((TurnedUp, TurnedDown, Removed, Replaced, Restarted))
"""The events that are changes: a step with at least one of them makes the version one higher and answers watchers."""

_EMPTY: Final = "there is no card there"
_GONE: Final = "the card was removed while you were waiting for it"
_EMPTY_SECOND: Final = "there is no card there, and you give up your first card"
_TAKEN_SECOND: Final = "another player controls that card, and you give up your first card"
_SAME_SECOND: Final = "it is your first card itself, and you give it up"


class _Step:
    """What one command has done so far. Its answers are made at the end, when the board is as they shall show it."""

    __slots__ = ("events", "flips", "looks", "refusals")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.flips: list[tuple[Ticket, str, str, str | None]] = []  # ticket, player, rule, why it failed if it did
        self.refusals: list[tuple[Ticket, CallerError]] = []
        self.looks: list[tuple[Ticket, str]] = []  # ticket, player: answered with the board and no more


class Board:
    """A game of Memory Scramble: the board, its players, what they have turned over, who waits and who watches.

    Mutable. Implements `scramble.core.Durable`: `apply` is the only method that changes it.
    """

    kind: Final = "memory"
    commands: Final[object] = Flip | Relinquish | Replace | CommitMap | NewGame | Withdraw

    # AF: the game on _table, after version changes, in which _scores has the players who ever flipped, in the order of
    #     their first flips, with the pairs they removed; _plays[p] is what player p has turned over and not finished
    #     with; those in _waiting wait for a card, those in _watchers (ticket -> player) for a change.
    # RI: the cards controlled on the table are exactly those that _plays says are, by the same players;
    #     a Leftover has 1 or 2 spaces; whoever waits has no play and waits for a card that another player controls;
    #     all who have a play or wait have a score; no ticket both waits and watches.
    # Safe from rep exposure: outcomes are immutable, but for the dictionaries in a Snapshot, which are copies; the
    #     mappings and cards of commands are read, not kept; table, spaces, plays and waiters never leave.

    def __init__(self, rows: int, columns: int, cards: tuple[str, ...]) -> None:
        """A game about to begin: `rows * columns` cards, across each row from the top one, all face down.

        Takes valid cards for granted: `parse` checks them.
        """
        self._table = Table(rows, columns, cards)
        self._scores: dict[str, int] = {}
        self._plays: dict[str, Play] = {}
        self._waiting = WaitingRoom()
        self._watchers: dict[Ticket, str] = {}
        self._version = 0
        if CHECK_REP:
            self._check_rep()

    @classmethod
    def parse(cls, text: str, file: str = "<text>") -> Board:
        """A game about to begin on the board that `text`, a BOARD_FILE of the handout, describes.

        `file` is only the name to be used in errors.

        Raises:
            BoardFileError: the grammar rejects it; says which line and what was expected there.
        """
        parsed = parse_board_file(text, file)
        return cls(parsed.rows, parsed.columns, parsed.cards)

    @classmethod
    def parse_from_file(cls, path: str | Path) -> Board:
        """A game about to begin on the board in a file: a BOARD_FILE of the handout, in UTF-8. Reads it synchronously.

        Raises:
            BoardFileError: the grammar rejects it, or it is not UTF-8; says which line and what was expected there.
            OSError: the file cannot be read.
        """
        return cls.parse(decode_board_file(Path(path).read_bytes(), str(path)), str(path))

    def copy(self) -> Board:
        """The same game, to be played on independently: cards, control, unfinished plays, scores, version.

        Nobody waits or watches in the copy: those requests are answered by this board alone.
        """
        other = Board(self.rows, self.columns, self._table.deck)
        other._table = self._table.copy()
        twins = dict(zip(self._table, other._table, strict=True))
        other._plays = {player: moved(play, twins) for player, play in self._plays.items()}
        other._scores = self._scores.copy()
        other._version = self._version
        if CHECK_REP:
            other._check_rep()
        return other

    def state(self) -> bytes:
        """The whole game as canonical JSON, but for those who watch."""
        return write_state(self._version, self._table, self._scores, self._plays, self._waiting)

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """The game that `state` was taken of; who waited there waits here, under the same ticket, and nobody watches.

        Raises:
            ValueError: it is not the state of any game; says what is wrong.
        """
        version, table, scores, plays, waiting = read_state(state)
        board = cls(table.rows, table.columns, table.deck)
        board._version, board._table, board._scores = version, table, scores
        board._plays, board._waiting = plays, waiting
        if CHECK_REP:
            board._check_rep()
        return board

    @property
    def rows(self) -> int:
        """How many rows the board has; at least 1."""
        return self._table.rows

    @property
    def columns(self) -> int:
        """How many columns the board has; at least 1."""
        return self._table.columns

    @property
    def version(self) -> int:
        """How many changes there have been, 0 at first: how many commands turned, removed or replaced any card."""
        return self._version

    def apply(self, ticket: Ticket, command: Command[object], /) -> list[Outcome]:
        """Carry out one command in one atomic step.

        The outcomes are the public events in the order in which they happened, then the answers and refusals of those
        concerned, then the answers of all who watched, if it was a change. A command that is malformed, out of range
        or none of Memory Scramble's is refused with `InvalidCommand`, and nothing at all has changed.
        """
        table = self._table
        problem = problem_of(command, table.rows, table.columns)
        if problem is not None:
            return [Refused(ticket, InvalidCommand(problem))]
        step = _Step()
        match command:
            case Flip(player, row, column):
                self._flip(step, ticket, player, table.at(row, column))
            case Look(player):
                step.looks.append((ticket, player))
            case Watch(player, since):
                if since is not None and self._version > since:
                    step.looks.append((ticket, player))
                else:
                    self._watchers[ticket] = player
            case Relinquish(player):
                mine = controlled(self._plays.get(player))
                if not mine:
                    return [Refused(ticket, InvalidCommand("this player controls no card to let go of"))]
                self._give_up(step, player, mine, mine)
                step.looks.append((ticket, player))
            case Replace(player, old, new):
                self._replace(step, {old: new})
                step.looks.append((ticket, player))
            case ListCards():
                return [Answered(ticket, self._table.cards)]
            case CommitMap(player, mapping):
                missing = tuple(card for card in self._table.cards if card not in mapping)
                if missing:
                    return [Answered(ticket, CardsMissing(missing))]
                self._replace(step, mapping)
                step.looks.append((ticket, player))
            case TakeSnapshot():
                return [Answered(ticket, self._snapshot())]
            case NewGame(player, seed):
                self._new_game(step, player, seed)
                step.looks.append((ticket, player))
            case Withdraw():
                self._withdraw(step, ticket)
        outcomes = self._settle(step)
        if CHECK_REP:
            self._check_rep()
        return outcomes

    # --- flips -----------------------------------------------------------------------------------

    def _flip(self, step: _Step, ticket: Ticket, player: str, space: Space) -> None:
        if player in self._waiting:
            step.refusals.append((ticket, AlreadyWaiting("you are still waiting for a card: one flip at a time")))
            return
        if player not in self._scores:
            self._scores[player] = 0
            step.events.append(Joined(player))
        play = self._plays.pop(player, None)
        if isinstance(play, FirstCard):
            self._flip_second(step, ticket, player, play.space, space)
        else:
            # "before following the rules above, they finish their previous play": so even if this flip then fails or
            # waits, and so that nobody ever waits for a card of their own
            self._finish(step, player, play)
            self._flip_first(step, ticket, player, space)

    def _finish(self, step: _Step, player: str, play: Play | None) -> None:
        """Rules 3-A and 3-B."""
        match play:
            case Pair(first, second):  # 3-A
                for space in (first, second):
                    step.events.append(self._table.remove(space))
                    for waiter in self._waiting.dismiss(space):  # 1-A
                        step.events.append(Withdrawn(space.row, space.column, waiter.player))
                        step.flips.append((waiter.ticket, waiter.player, "1-A", _GONE))
                self._scores[player] += 1
                step.events.append(Scored(player, self._scores[player], self._table.pairs_left))
            case Leftover(spaces):  # 3-B
                for space in spaces:
                    if space.card is not None and space.up and space.controller is None:
                        step.events.append(self._table.turn_down(space))

    def _flip_first(self, step: _Step, ticket: Ticket, player: str, space: Space) -> None:
        if space.card is None:  # 1-A
            step.flips.append((ticket, player, "1-A", _EMPTY))
        elif space.controller is not None:  # 1-D
            self._waiting.enter(Waiter(ticket, player, space))
            step.events.append(Waiting(space.row, space.column, player))
        elif space.up:  # 1-C
            self._take_first(step, ticket, player, space, "1-C")
        else:  # 1-B
            step.events.append(self._table.turn_up(space))
            self._take_first(step, ticket, player, space, "1-B")

    def _take_first(self, step: _Step, ticket: Ticket, player: str, space: Space, rule: str) -> None:
        step.events.append(self._table.take(space, player))
        self._plays[player] = FirstCard(space)
        step.flips.append((ticket, player, rule, None))

    def _flip_second(self, step: _Step, ticket: Ticket, player: str, first: Space, second: Space) -> None:
        if second.card is None:  # 2-A
            step.flips.append((ticket, player, "2-A", _EMPTY_SECOND))
            self._give_up(step, player, (first,), (first,))
            return
        if second.controller is not None:  # 2-B
            step.flips.append((ticket, player, "2-B", _SAME_SECOND if second is first else _TAKEN_SECOND))
            self._give_up(step, player, (first,), (first,))
            return
        if not second.up:  # 2-C
            step.events.append(self._table.turn_up(second))
        if first.card == second.card:  # 2-D
            step.events.append(self._table.take(second, player))
            self._plays[player] = Pair(first, second)
            step.flips.append((ticket, player, "2-D", None))
        else:  # 2-E
            step.flips.append((ticket, player, "2-E", None))
            self._give_up(step, player, (first,), (first, second))

    def _give_up(self, step: _Step, player: str, mine: tuple[Space, ...], leftover: tuple[Space, ...]) -> None:
        """`player` relinquishes the cards at `mine`, and so the players waiting longest for them take control (1-C)."""
        self._plays[player] = Leftover(leftover)
        for space in mine:
            step.events.append(self._table.relinquish(space))
            waiter = self._waiting.next(space)
            if waiter is not None:
                self._take_first(step, waiter.ticket, waiter.player, space, "1-C")

    # --- everything else -------------------------------------------------------------------------

    def _replace(self, step: _Step, mapping: Mapping[str, str]) -> None:
        """Put `mapping[card]` in the place of every card that is in `mapping`; face and control stay."""
        before = self._table.pairs_left
        for space in self._table:
            card = space.card
            if card is not None and mapping.get(card, card) != card:
                step.events.append(self._table.replace(space, mapping[card]))
        if self._table.pairs_left != before:
            step.events.append(PairsLeft(self._table.pairs_left))

    def _new_game(self, step: _Step, player: str, seed: int) -> None:
        for waiter in self._waiting.dismiss_all():
            step.refusals.append((waiter.ticket, GameRestarted("somebody started a new game while you were waiting")))
        # not random.shuffle: of all methods, Python promises only for random() that it repeats itself in other versions
        chance = random.Random(seed)
        self._table.deal(sorted(self._table.deck, key=lambda _: chance.random()))
        self._plays.clear()
        self._scores = dict.fromkeys(self._scores, 0)
        step.events.append(Restarted(player))

    def _withdraw(self, step: _Step, ticket: Ticket) -> None:
        self._watchers.pop(ticket, None)
        waiter = self._waiting.leave(ticket)
        if waiter is not None:
            step.events.append(Withdrawn(waiter.space.row, waiter.space.column, waiter.player))

    def _settle(self, step: _Step) -> list[Outcome]:
        """Count the change, if the step was one, and make the outcomes: all of them from the board as it is now."""
        changed = not CHANGES.isdisjoint(map(type, step.events))
        if changed:
            self._version += 1
        outcomes: list[Outcome] = [*step.events]
        for ticket, player, rule, failure in step.flips:
            view = self._view(player)
            if failure is None:
                outcomes.append(Answered(ticket, Flipped(view.version, view.text, rule)))
            else:
                outcomes.append(Refused(ticket, FlipFailed(rule, failure, view)))
        for ticket, error in step.refusals:
            outcomes.append(Refused(ticket, error))
        for ticket, player in step.looks:
            outcomes.append(Answered(ticket, self._view(player)))
        if changed and self._watchers:
            outcomes += [Answered(ticket, self._view(player)) for ticket, player in self._watchers.items()]
            self._watchers.clear()
        return outcomes

    def _view(self, player: str) -> View:
        return self._table.view(self._version, player, controlled(self._plays.get(player)))

    def _snapshot(self) -> Snapshot:
        return Snapshot(
            version=self._version,
            rows=self.rows,
            columns=self.columns,
            cells=tuple(space.cell for space in self._table),
            scores=self._scores.copy(),
            waiting={waiter.player: (waiter.space.row, waiter.space.column) for waiter in self._waiting},
            pairs_left=self._table.pairs_left,
        )

    def __str__(self) -> str:
        """The board as everybody may see it, one line a row: "none", "down", CARD or CARD(player who controls it)."""
        return f"Board {self.rows}x{self.columns}, version {self._version}\n{self._table}"

    def _check_rep(self) -> None:
        self._table.check_rep()
        self._waiting.check_rep()
        by_table = {space: space.controller for space in self._table if space.controller is not None}
        by_plays = {space: player for player, play in self._plays.items() for space in controlled(play)}
        assert by_table == by_plays
        for player, play in self._plays.items():
            assert player in self._scores
            assert not isinstance(play, Leftover) or 1 <= len(play.spaces) <= 2
        for waiter in self._waiting:
            assert waiter.player in self._scores
            assert waiter.player not in self._plays
            assert waiter.space.controller not in (None, waiter.player)
            assert waiter.ticket not in self._watchers
