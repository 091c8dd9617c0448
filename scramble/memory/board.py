"""Rules of Memory Scramble: a whole game as one mutable value, and the effect of each command on the game.

Quotations in comments are from the handout. These decisions add to the handout:

- A *move* is a flip with valid coordinates by a player who is not waiting. Only a move finishes a previous play.
- The cards at the time of the second flip decide whether they match. Later replacements do not change this decision.
- All effects of one command are one atomic step, and one change. An answer shows the board after the step.
- If players wait for a relinquished card, the longest waiting player gets it in the same step. So an awaited card is
  never free.
- A game stores the scores and leftover cards of a limited number of players.
- A *change* turns a card up or down, removes a card, or replaces a card by a different card. A move that changes only
  the control of cards is not a *change*.

Like all rules, this module is pure: it never waits and does no I/O. Only one task at a time may use a board.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from scramble.errors import CallerError, InvalidCommand
from scramble.kernel.checks import CHECK_REP
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.memory.boardfile import decode_board_file, parse_board_file
from scramble.memory.boardstate import read_state, write_state
from scramble.memory.figures import FigureCounts
from scramble.memory.messages import (
    AlreadyWaiting,
    BoundScores,
    CardsMissing,
    CardsReplaced,
    CommitMap,
    Flip,
    FlipFailed,
    Flipped,
    Forgotten,
    GameRestarted,
    ListCards,
    Look,
    NewGame,
    PairsLeft,
    Release,
    ReleaseAwaited,
    Relinquish,
    RelinquishAwaited,
    Removed,
    Replace,
    Replaced,
    Restarted,
    Scored,
    Snapshot,
    TakeFigures,
    TakeSnapshot,
    TurnedDown,
    TurnedUp,
    View,
    Waiting,
    Watch,
    Withdrawn,
)
from scramble.memory.plays import FirstCard, Leftover, Pair, Play, controlled, moved
from scramble.memory.scores import MOST_SCORES, Scores
from scramble.memory.table import Space, Table
from scramble.memory.validation import problem_of
from scramble.memory.waiting import Waiter, WaitingRoom

CHANGES: Final = frozenset((TurnedUp, TurnedDown, Removed, Replaced, Restarted))
"""Events that are changes. A step with at least one of these events raises the version by one and answers watchers."""

_EMPTY: Final = "there is no card there"
_GONE: Final = "the card was removed while you were waiting for it"
_EMPTY_SECOND: Final = "there is no card there, and you give up your first card"
_TAKEN_SECOND: Final = "another player controls that card, and you give up your first card"
_SAME_SECOND: Final = "it is your first card itself, and you give it up"


class _Step:
    """Effects of one command so far. Answers are made at the end, because they show the board after the step."""

    __slots__ = ("events", "finished", "flips", "looks", "refusals")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.finished = False  # True after the end of a play with cards on the board, even if no card was turned down
        self.flips: list[tuple[Ticket, str, str, str | None]] = []  # ticket, player, rule, reason of a failure
        self.refusals: list[tuple[Ticket, CallerError]] = []
        self.looks: list[tuple[Ticket, str]] = []  # ticket, player; the answer is the board


class Board:
    """A game of Memory Scramble: the board, the players, their plays, and the waiting flips and watches.

    Mutable. Implements `scramble.kernel.protocol.Durable`: `apply` is the only method that changes it.
    """

    kind: Final = "memory"
    commands: Final[object] = (
        Flip
        | Relinquish
        | RelinquishAwaited
        | Release
        | ReleaseAwaited
        | Replace
        | CommitMap
        | NewGame
        | BoundScores
        | Withdraw
    )

    # AF: the game on _table, after _version changes. _scores has the players who have flipped, without the players
    #     forgotten because of the limit. _plays[p] is the unfinished play of player p. The flips in _waiting wait for
    #     a card. The tickets in _watchers (ticket -> player) wait for a change. _revision is the number of commands
    #     since the object was made that changed more than _watchers. _tally has the figures of the game; None if a
    #     started game was restored. _tally is not part of the state, because no rule depends on it.
    # RI: _plays and the table agree on the controlled cards and their players;
    #     a Leftover has 1 or 2 spaces; a waiting player has no play and waits for a card that another player controls;
    #     each player with a Leftover has a score; if _scores has no limit, each player who controls a card or waits has
    #     a score; no ticket is in both _waiting and _watchers.
    # Safe from rep exposure: outcomes are immutable, except the dictionaries in a Snapshot, which are copies; the
    #     mappings and cards of commands are read, not stored; no method returns the table, spaces, plays or waiters.

    def __init__(
        self, rows: int, columns: int, cards: tuple[str, ...], *, most_scores: int | None = MOST_SCORES
    ) -> None:
        """Make a new game with `rows * columns` cards, row by row from the top, all face down.

        Requires valid cards: `parse` checks them. The game stores the scores of at most `most_scores` players
        (1 or more; None: no limit).
        """
        self._table = Table(rows, columns, cards)
        self._scores = Scores(most=most_scores)
        self._plays: dict[str, Play] = {}
        self._waiting = WaitingRoom()
        self._watchers: dict[Ticket, str] = {}
        self._version = 0
        self._revision = 0
        self._tally: FigureCounts | None = FigureCounts()
        if CHECK_REP:
            self._check_rep()

    @classmethod
    def parse(cls, text: str, file: str = "<text>") -> Board:
        """Make a new game from `text`, a BOARD_FILE of the handout. `file` is only a name for error messages.

        Raises:
            BoardFileError: the text does not match the grammar. The error has the line and the expected text.
        """
        parsed = parse_board_file(text, file)
        return cls(parsed.rows, parsed.columns, parsed.cards)

    @classmethod
    def parse_from_file(cls, path: str | Path) -> Board:
        """Make a new game from a file, a BOARD_FILE of the handout in UTF-8. Blocks while it reads the file.

        Raises:
            BoardFileError: the file is not UTF-8 or does not match the grammar. The error has the line and the expected
                text.
            OSError: the file cannot be read.
        """
        return cls.parse(decode_board_file(Path(path).read_bytes(), str(path)), str(path))

    def copy(self) -> Board:
        """Return an independent copy of the game: cards, control, unfinished plays, scores, version.

        The copy has no waiting flips and no watches: only this board answers those requests.
        """
        other = Board(self.rows, self.columns, self._table.deck)
        other._table = self._table.copy()
        twins = dict(zip(self._table, other._table, strict=True))
        other._plays = {player: moved(play, twins) for player, play in self._plays.items()}
        other._scores = self._scores.copy()
        other._version = self._version
        other._tally = None if self._tally is None else self._tally.copy()
        if CHECK_REP:
            other._check_rep()
        return other

    def state(self) -> bytes:
        """Return the whole game as canonical JSON, without the watches."""
        return write_state(self._version, self._table, self._scores, self._plays, self._waiting)

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """Restore a game from its `state`, with its waiting flips and their tickets, without watches.

        Raises:
            ValueError: `state` is not the state of a game. The message gives the reason.
        """
        version, table, scores, plays, waiting = read_state(state)
        board = cls(table.rows, table.columns, table.deck)
        board._version, board._table, board._scores = version, table, scores
        board._plays, board._waiting = plays, waiting
        if version > 0 or len(scores) > 0:
            board._tally = None
        if CHECK_REP:
            board._check_rep()
        return board

    @property
    def rows(self) -> int:
        """The number of rows; at least 1."""
        return self._table.rows

    @property
    def columns(self) -> int:
        """The number of columns; at least 1."""
        return self._table.columns

    @property
    def most_scores(self) -> int | None:
        """The largest number of players with a score; None: no limit, as in games of older versions."""
        return self._scores.most

    @property
    def version(self) -> int:
        """Number of changes: commands that turned, removed or replaced a card. Begins at 0."""
        return self._version

    @property
    def revision(self) -> int:
        """Number of commands since this object was made that changed the state, also without a change of cards."""
        return self._revision

    def apply(self, ticket: Ticket, command: Command[object], /) -> list[Outcome]:
        """Carry out one command in one atomic step.

        The outcomes are the public events in order, then the answers and refusals, then, after a change, the answers of
        all watches. A malformed or out-of-range command, or a command of another game, changes nothing and gets the
        refusal `InvalidCommand`.
        """
        table = self._table
        problem = problem_of(command, table.rows, table.columns)
        if problem is not None:
            return [Refused(ticket, InvalidCommand(problem))]
        step = _Step()
        match command:
            case Flip():  # not Flip(player, row, column): that takes three times as long
                self._flip(step, ticket, command.player, table.at(command.row, command.column))
            case Look(player):
                step.looks.append((ticket, player))
            case Watch(player, since):
                if since is not None and self._version > since:
                    step.looks.append((ticket, player))
                else:
                    self._watchers[ticket] = player
            case Release(player) | ReleaseAwaited(player) if self._has_last_pair(player):
                return [Refused(ticket, InvalidCommand("this player keeps a pair of a finished game"))]
            case Relinquish(player):
                mine = controlled(self._plays.get(player))
                if not mine:
                    return [Refused(ticket, InvalidCommand("this player controls no card to relinquish"))]
                self._give_up(step, player, mine, mine)
                step.looks.append((ticket, player))
            case RelinquishAwaited(player):
                mine = controlled(self._plays.get(player))
                awaited = tuple(space for space in mine if self._waiting.awaits(space))
                if not awaited:
                    return [Refused(ticket, InvalidCommand("nobody waits for a card that this player controls"))]
                self._give_up(step, player, awaited, awaited)
                for remaining in set(mine).difference(awaited):
                    self._plays[player] = FirstCard(remaining)
                step.looks.append((ticket, player))
            case Replace(player, old, new):
                self._replace(step, player, {old: new})
                step.looks.append((ticket, player))
            case ListCards():
                return [Answered(ticket, self._table.cards)]
            case CommitMap(player, mapping):
                missing = tuple(card for card in self._table.cards if card not in mapping)
                if missing:
                    return [Answered(ticket, CardsMissing(missing))]
                self._replace(step, player, mapping)
                step.looks.append((ticket, player))
            case TakeSnapshot():
                return [Answered(ticket, self._snapshot())]
            case TakeFigures():
                return [Answered(ticket, None if self._tally is None else self._tally.figures())]
            case NewGame(player, seed):
                self._new_game(step, player, seed)
                step.looks.append((ticket, player))
            case BoundScores(most):
                self._revision += most != self.most_scores
                self._forget(step, self._scores.bound(most))
                if self._tally is not None:
                    self._tally.note(step.events)
                return [*step.events, Answered(ticket, None)]
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
            self._forget(step, self._scores.join(player))
        play = self._plays.pop(player, None)
        if type(play) is FirstCard:
            self._flip_second(step, ticket, player, play.space, space)
        else:
            # "before following the rules above, they finish their previous play": also before a flip that fails or
            # waits. So players never wait for their own card.
            self._finish(step, player, play)
            self._flip_first(step, ticket, player, space)

    def _finish(self, step: _Step, player: str, play: Play | None) -> None:
        """Finish a previous play by rules 3-A and 3-B."""
        if type(play) is Pair:  # 3-A
            for space in (play.first, play.second):
                step.events.append(self._table.remove(space))
                for waiter in self._waiting.dismiss(space):  # 1-A
                    step.events.append(Withdrawn(space.row, space.column, waiter.player))
                    step.flips.append((waiter.ticket, waiter.player, "1-A", _GONE))
            step.events.append(Scored(player, self._scores.add_pair(player), self._table.pairs_left))
        elif type(play) is Leftover:  # 3-B
            for space in play.spaces:
                if space.card is None:
                    continue
                step.finished = True
                if space.up and space.controller is None:
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
        """Relinquish the cards of `player` at `mine`. The longest waiting player of each card takes control (1-C)."""
        self._plays.pop(player, None)
        if player in self._scores:  # a forgotten player returns as a new player
            self._plays[player] = Leftover(leftover)
        for space in mine:
            step.events.append(self._table.relinquish(space))
            waiter = self._waiting.next(space)
            if waiter is not None:
                self._take_first(step, waiter.ticket, waiter.player, space, "1-C")

    def _has_last_pair(self, player: str) -> bool:
        """Return True if `player` has a matched pair, and all pairs left on the board are matched."""
        if type(self._plays.get(player)) is not Pair:
            return False
        return self._table.pairs_left <= sum(type(play) is Pair for play in self._plays.values())

    def _forget(self, step: _Step, events: list[Event]) -> None:
        """Add the events of the scores. Remove the leftover cards of forgotten players, too."""
        step.events += events
        for event in events:
            if isinstance(event, Forgotten) and isinstance(self._plays.get(event.player), Leftover):
                del self._plays[event.player]

    # --- everything else -------------------------------------------------------------------------

    def _replace(self, step: _Step, player: str, mapping: Mapping[str, str]) -> None:
        """Replace every card in `mapping` by `mapping[card]`; keep face and control."""
        before = self._table.pairs_left
        for space in self._table:
            card = space.card
            if card is not None and mapping.get(card, card) != card:
                step.events.append(self._table.replace(space, mapping[card]))
        if step.events:
            step.events.append(CardsReplaced(player))
        if self._table.pairs_left != before:
            step.events.append(PairsLeft(self._table.pairs_left))

    def _new_game(self, step: _Step, player: str, seed: int) -> None:
        for waiter in self._waiting.dismiss_all():
            step.refusals.append((waiter.ticket, GameRestarted("somebody started a new game while you were waiting")))
        # not random.shuffle: only random() gives the same sequence in all versions of Python
        chance = random.Random(seed)
        self._table.deal(sorted(self._table.deck, key=lambda _: chance.random()))
        self._plays.clear()
        self._scores.reset()
        step.events.append(Restarted(player))

    def _withdraw(self, step: _Step, ticket: Ticket) -> None:
        self._watchers.pop(ticket, None)
        waiter = self._waiting.leave(ticket)
        if waiter is not None:
            step.events.append(Withdrawn(waiter.space.row, waiter.space.column, waiter.player))

    def _settle(self, step: _Step) -> list[Outcome]:
        """Count the change, if any, and make all outcomes from the board after the step."""
        if step.events or step.finished:  # all other effects have an event, also effects on scores and waiting
            self._revision += 1
        if self._tally is not None:
            self._tally.note(step.events)
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
            scores=dict(self._scores.items()),
            waiting={waiter.player: (waiter.space.row, waiter.space.column) for waiter in self._waiting},
            pairs_left=self._table.pairs_left,
        )

    def __str__(self) -> str:
        """Return the public board, one line per row: "none", "down", CARD or CARD(controlling player)."""
        return f"Board {self.rows}x{self.columns}, version {self._version}\n{self._table}"

    def _check_rep(self) -> None:
        self._table.check_rep()
        self._waiting.check_rep()
        self._scores.check_rep()
        bounded = self.most_scores is not None
        by_table = {space: space.controller for space in self._table if space.controller is not None}
        by_plays = {space: player for player, play in self._plays.items() for space in controlled(play)}
        assert by_table == by_plays
        for player, play in self._plays.items():
            assert player in self._scores or (bounded and not isinstance(play, Leftover))
            assert not isinstance(play, Leftover) or 1 <= len(play.spaces) <= 2
        for waiter in self._waiting:
            assert waiter.player in self._scores or bounded
            assert waiter.player not in self._plays
            assert waiter.space.controller not in (None, waiter.player)
            assert waiter.ticket not in self._watchers
