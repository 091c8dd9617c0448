"""Random players in one trio program: Memory Scramble played through its embedding API, and counted.

Each player is a task that waits a random while and flips a random space, as often as the plan says; the rules decide
whether that is a first or a second card. One more task, the referee, follows the game's events. It notices that the
simulation is over, which by the rules may be long before everybody is done: a player who has finished never makes
the next move, so whoever waits for a card that a finished player controls waits for ever.

The end is noticed exactly, not guessed from silence: it has come when every player who is not finished waits in a
flip. Only a flip ends a wait, and nobody is left to make one.

With the same seed every player makes the same choices after the same delays. What comes of them may differ from run to
run, because trio does not promise in which order it runs tasks that are ready at the same time.

Safe under concurrency: the tallies and the referee's book are changed by several tasks, but never across an await.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec
import trio

from scramble.core import Change
from scramble.errors import GameClosed
from scramble.history import Changes
from scramble.memory import Board, FlipFailed, Game, open_game
from scramble.memory.messages import FaceUp, Flip, Snapshot, Took, Waiting, Withdrawn

MAX_PLAYERS = 1000  # below the number of changes that a game keeps for its followers: so the referee misses none


class Plan(msgspec.Struct, frozen=True):
    """What to simulate: delays are in seconds, each drawn evenly from min_delay to max_delay before each flip."""

    players: int = 4
    moves: int = 100
    min_delay: float = 0.0001
    max_delay: float = 0.002
    seed: int = 0


class Tally(msgspec.Struct):
    """What became of one player's flips. `longest_wait` is in seconds, `failures` counts by rule."""

    player: str
    flips: int = 0
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    waits: int = 0
    longest_wait: float = 0.0
    pairs: int = 0


class Stuck(msgspec.Struct, frozen=True):
    """`player` waits for the card at (row, column) for ever, because `holder` has finished and keeps it."""

    player: str
    row: int
    column: int
    card: str
    holder: str


class Report(msgspec.Struct, frozen=True):
    """How a simulation ended: a tally for each player, those who are stuck, and the pairs still on the board."""

    tallies: tuple[Tally, ...]
    stuck: tuple[Stuck, ...]
    pairs_left: int


def _ignore(_: object = None) -> None:
    pass


async def simulate(
    board: Board,
    plan: Plan,
    *,
    on_flip: Callable[[], None] = _ignore,
    on_change: Callable[[Change], None] | None = None,
) -> Report:
    """Play a game on a copy of `board` until everybody has finished, or nobody can move any more.

    `on_flip()` is called after every flip that succeeded or failed, in the task of its player; `on_change(change)` for
    every change of the game, in a task that does nothing else. Waits as long as the delays add up to. If cancelled,
    all that it started has ended.
    """
    names = [f"player{number}" for number in range(1, plan.players + 1)]
    tallies = {name: Tally(name) for name in names}
    async with trio.open_nursery() as followers, open_game(board) as game, trio.open_nursery() as players:
        if on_change is not None:
            followers.start_soon(_follow, game.changes(), on_change)
        referee = _Referee(game.changes(), names)
        followers.start_soon(referee.follow)
        before = await game.snapshot()
        for name in names:
            players.start_soon(_play, game, before, plan, tallies[name], referee, on_flip)
        await referee.over.wait()
        after = await game.snapshot()  # not only recent but final: nobody can move
        await game.aclose()
    for name, pairs in after.scores.items():
        tallies[name].pairs = pairs
    return Report(tuple(tallies.values()), _stuck(after), after.pairs_left)


async def _play(
    game: Game, board: Snapshot, plan: Plan, tally: Tally, referee: _Referee, on_flip: Callable[[], None]
) -> None:
    """One player, until finished or, being stuck, until the game is closed."""
    choices = random.Random(f"{plan.seed} {tally.player}")
    for _ in range(plan.moves):
        delay = choices.uniform(plan.min_delay, plan.max_delay)
        row, column = choices.randrange(board.rows), choices.randrange(board.columns)
        await trio.sleep(delay)
        asked, parked = trio.current_time(), trio.Event()
        tally.flips += 1
        try:
            await game.ask(Flip(tally.player, row, column), parked=parked)
        except FlipFailed as failure:
            tally.failures[failure.rule] += 1
        except GameClosed:
            return  # stuck
        finally:
            referee.catch_up()
            if parked.is_set():
                tally.waits += 1
                tally.longest_wait = max(tally.longest_wait, trio.current_time() - asked)
        on_flip()
    referee.finish(tally.player)


class _Referee:
    """Knows who is finished and who waits, and so when nobody can move any more."""

    # AF: the players in _unfinished still have flips to make; by the changes handed out so far those in _waiting are
    #     in one that waits.
    # RI: over is set once catch_up has found all of _unfinished in _waiting, and not before.
    # Nothing is missed: every player catches up after each flip, so no more changes than players are ever pending.

    def __init__(self, changes: Changes, players: list[str]) -> None:
        self._changes: Final = changes
        self._unfinished = set(players)
        self._waiting: set[str] = set()
        self.over: Final = trio.Event()

    async def follow(self) -> None:
        """Note what happens as it happens, until the game is closed. The last to wait cannot catch up by itself."""
        async for change in self._changes:
            self._note(change)
            self.catch_up()

    def catch_up(self) -> None:
        """Note all that has happened up to now, and see whether anybody can still move.

        A book that lags behind could take a flip that has just been granted for one that still waits. This one does
        not: changes are public in the very step that makes them.
        """
        for change in self._changes.pending():
            self._note(change)
        if self._unfinished <= self._waiting:
            self.over.set()

    def finish(self, player: str) -> None:
        """The player will not move again."""
        self._unfinished.discard(player)
        self.catch_up()

    def _note(self, change: Change) -> None:
        for event in change.events:
            match event:
                case Waiting(player=player):
                    self._waiting.add(player)
                case Took(player=player) | Withdrawn(player=player):
                    self._waiting.discard(player)


async def _follow(changes: Changes, on_change: Callable[[Change], None]) -> None:
    async for change in changes:
        on_change(change)


def _stuck(board: Snapshot) -> tuple[Stuck, ...]:
    """Those who wait, the longest wait first, and who holds the cards that they wait for."""
    stuck = []
    for player, (row, column) in board.waiting.items():
        cell = board.cells[row * board.columns + column]
        assert isinstance(cell, FaceUp)
        assert cell.by is not None
        stuck.append(Stuck(player, row, column, cell.card, cell.by))
    return tuple(stuck)
