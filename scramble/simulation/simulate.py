"""Random players in one trio program: they play Memory Scramble through its embedding API, and their moves are counted.

Each player is a task that waits for a random time and flips a random space, `Plan.moves` times. The rules decide
whether the flip is for a first or a second card. One more task, the referee, follows the game's events and detects the
end of the simulation. The end may come before all players have finished: a finished player never moves again, so a
player who waits for a card under the control of a finished player waits forever.

The detection is exact and uses no time limit: the simulation is over when every unfinished player waits in a
flip. Only another flip ends a wait, and no player is left to make one.

With the same seed every player makes the same choices after the same delays. The results may differ from run to
run, because trio does not define the order of tasks that become ready at the same time.

Safe under concurrency: several tasks change the counts and the referee's state, but no task awaits during a change.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec
import trio

from scramble.errors import GameClosed
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change
from scramble.memory import Board, FlipFailed, Game, open_game
from scramble.memory.messages import FaceUp, Flip, Scored, Snapshot, Took, Waiting, Withdrawn

MAX_PLAYERS = 1000  # below `HISTORY_SIZE`, so the referee misses no change


class Plan(msgspec.Struct, frozen=True):
    """The parameters: delays are in seconds, drawn uniformly from min_delay to max_delay before each flip."""

    players: int = 4
    moves: int = 100
    min_delay: float = 0.0001
    max_delay: float = 0.002
    seed: int = 0


class MoveCounts(msgspec.Struct):
    """The outcomes of one player's flips. `longest_wait` is in seconds; `failures` counts by rule."""

    player: str
    flips: int = 0
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    waits: int = 0
    longest_wait: float = 0.0
    pairs: int = 0


class Stuck(msgspec.Struct, frozen=True):
    """A wait of `player` for the card at (row, column) that never ends: `holder` has finished and controls it."""

    player: str
    row: int
    column: int
    card: str
    holder: str


class SimulationReport(msgspec.Struct, frozen=True):
    """The result of a simulation: counts for each player, the stuck players, and the pairs still on the board."""

    counts: tuple[MoveCounts, ...]
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
) -> SimulationReport:
    """Play a game on a copy of `board` until all players have finished, or no player can move any more.

    Calls `on_flip()` after every flip that succeeded or failed, in the task of its player. Calls `on_change(change)`
    for every change of the game, in a separate task. Waits for the sum of the delays. If cancelled, all tasks have
    ended when it raises.
    """
    names = [f"player{number}" for number in range(1, plan.players + 1)]
    counts = {name: MoveCounts(name) for name in names}
    async with trio.open_nursery() as followers, open_game(board) as game, trio.open_nursery() as players:
        if on_change is not None:
            followers.start_soon(_follow, game.changes(), on_change)
        referee = _Referee(game.changes(), names)
        followers.start_soon(referee.follow)
        before = await game.snapshot()
        for name in names:
            players.start_soon(_play, game, before, plan, counts[name], referee, on_flip)
        await referee.over.wait()
        after = await game.snapshot()  # final: no player can move
        await game.aclose()
    for name, pairs in referee.pairs.items():  # the game may have forgotten some scores
        counts[name].pairs = pairs
    return SimulationReport(tuple(counts.values()), _stuck(after), after.pairs_left)


async def _play(
    game: Game, board: Snapshot, plan: Plan, counts: MoveCounts, referee: _Referee, on_flip: Callable[[], None]
) -> None:
    """Play as one player until finished or, if stuck, until the game is closed."""
    choices = random.Random(f"{plan.seed} {counts.player}")
    for _ in range(plan.moves):
        delay = choices.uniform(plan.min_delay, plan.max_delay)
        row, column = choices.randrange(board.rows), choices.randrange(board.columns)
        await trio.sleep(delay)
        asked, parked = trio.current_time(), trio.Event()
        counts.flips += 1
        try:
            await game.ask(Flip(counts.player, row, column), parked=parked)
        except FlipFailed as failure:
            counts.failures[failure.rule] += 1
        except GameClosed:
            return  # stuck
        finally:
            referee.catch_up()
            if parked.is_set():
                counts.waits += 1
                counts.longest_wait = max(counts.longest_wait, trio.current_time() - asked)
        on_flip()
    referee.finish(counts.player)


class _Referee:
    """Tracks the finished and the waiting players, and detects that no player can move any more."""

    # AF: the players in _unfinished still have flips to make; according to the changes read so far, the players in
    #     _waiting wait in a flip.
    # RI: over is set when catch_up has found all of _unfinished in _waiting, and not before.
    # No change is missed: every player catches up after each flip, so there are never more pending changes than
    # players.

    def __init__(self, changes: Changes, players: list[str]) -> None:
        self._changes: Final = changes
        self._unfinished = set(players)
        self._waiting: set[str] = set()
        self.pairs: Final[dict[str, int]] = {}  # only players with at least one pair
        self.over: Final = trio.Event()

    async def follow(self) -> None:
        """Note changes when they happen, until the game is closed: the last waiting player cannot call catch_up."""
        async for change in self._changes:
            self._note(change)
            self.catch_up()

    def catch_up(self) -> None:
        """Note all changes up to now, and check whether any player can still move.

        Late changes would show an already granted flip as waiting. This cannot happen here: the owner publishes a
        change in the step that makes it.
        """
        for change in self._changes.pending():
            self._note(change)
        if self._unfinished <= self._waiting:
            self.over.set()

    def finish(self, player: str) -> None:
        """Note that the player has finished: the player will not move again."""
        self._unfinished.discard(player)
        self.catch_up()

    def _note(self, change: Change) -> None:
        for event in change.events:
            match event:
                case Waiting(player=player):
                    self._waiting.add(player)
                case Took(player=player) | Withdrawn(player=player):
                    self._waiting.discard(player)
                case Scored(player, pairs):
                    self.pairs[player] = pairs


async def _follow(changes: Changes, on_change: Callable[[Change], None]) -> None:
    async for change in changes:
        on_change(change)


def _stuck(board: Snapshot) -> tuple[Stuck, ...]:
    """Return the waiting players, longest wait first, with the holders of the awaited cards."""
    stuck = []
    for player, (row, column) in board.waiting.items():
        cell = board.cells[row * board.columns + column]
        assert isinstance(cell, FaceUp)
        assert cell.by is not None
        stuck.append(Stuck(player, row, column, cell.card, cell.by))
    return tuple(stuck)
