"""Embedding API: play Memory Scramble from any trio program.

    async with open_game(Board.parse_from_file("boards/memory/perfect.txt")) as game:
        text = await game.look("alice")

Any number of tasks may share one `Game`. This is safe because a `Game` has no state of its own. Each call is one
command to the owner task (see `scramble.kernel.actor`), and only that task has the board. Each change of the counts in
`scramble.players.idle` is complete before the next await.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Final, TypeVar, cast

import trio

from scramble.errors import InvalidCommand
from scramble.journal import Recorder, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import SideTasks
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command
from scramble.kernel.stats import Stats
from scramble.memory.board import Board
from scramble.memory.holdings import keep_holdings
from scramble.memory.messages import (
    BoundScores,
    CardsMissing,
    CommitMap,
    Flip,
    ListCards,
    Look,
    NewGame,
    PlayerFigures,
    Release,
    ReleaseAwaited,
    Replace,
    Snapshot,
    TakeFigures,
    TakeSnapshot,
    Watch,
)
from scramble.memory.relay import TakeAges, player_asking, relayed
from scramble.memory.scores import MOST_SCORES
from scramble.memory.validation import is_card, is_player
from scramble.players.idle import DueRelease, ReleaseTimers
from scramble.players.seats import Seated

R = TypeVar("R")

HOLDING_S: Final = 300.0
"""Seconds for which a present player may keep a card that another player waits for. Players need less time to think
about a move. The limit ends the wait for a player who sleeps in front of an open page."""


class Game:
    """A running game of Memory Scramble. Made by `open_game`.

    A player is an ID matching `[A-Za-z0-9_]+`. Board texts are BOARD_STATEs of the handout, from the side of the
    requesting player. Every method raises `InvalidCommand` for malformed or out-of-range arguments. A refused call
    changes nothing. Every method raises `GameClosed` or `GameStopped` if the game ends before the answer. Every
    asynchronous method is a checkpoint.
    """

    def __init__(self, actor: Owner, beside: SideTasks, timers: ReleaseTimers | None = None) -> None:
        self._beside: Final = beside
        self._actor = actor
        self._timers = timers

    async def ask(self, command: Command[R], *, parked: trio.Event | None = None) -> R:
        """Send any command of `scramble.memory.messages` and return its answer. The methods below call this method.

        `parked` is set as soon as the command must wait for other players.
        """
        player = None if self._timers is None else player_asking(command)
        if self._timers is None or player is None:
            return await self._actor.ask(command, parked=parked)
        with self._timers.present(player):
            return await self._actor.ask(command, parked=parked)

    def free_in(self, player: str) -> float | None:
        """Return the seconds until the absent `player` relinquishes all cards; None if no release is due."""
        return None if self._timers is None else self._timers.free_in(player)

    async def due(self, after: int = -1) -> DueRelease:
        """Return the seconds until players must relinquish awaited cards, unless they take a card before.

        Waits until the `number` of the result is above `after`. Waits forever without `release_idle` of `open_game`.
        """
        if self._timers is None:
            await trio.sleep_forever()
        return await self._timers.due(after)

    def present(self, player: str) -> AbstractContextManager[None]:
        """Count `player` as present during the block, for example during a connection.

        Has an effect only with `release_idle` of `open_game`. Each request counts as presence, too, until its answer.
        """
        if self._timers is None or not is_player(player):
            return nullcontext()
        return self._timers.present(player)

    async def look(self, player: str) -> str:
        """Return the current board. This is not a move: it changes nothing, and does not wait for other players."""
        return (await self.ask(Look(player))).text

    async def flip(self, player: str, row: int, column: int) -> str:
        """Turn over a first or second card by the rules 1-A to 3-B; return the board right after the flip.

        Waits while another player controls the first card (1-D). A cancellation during this wait ends the wait: the
        player does not get the card. A later cancellation does not undo the flip.

        Raises:
            FlipFailed: the flip failed by rule 1-A, 2-A or 2-B. The error has `.rule`, `.reason` and the board in
                `.view`.
            AlreadyWaiting: the previous flip of this player still waits. Nothing has changed.
            GameRestarted: a player started a new game while this flip waited.
        """
        return (await self.ask(Flip(player, row, column))).text

    async def watch(self, player: str, since: int | None = None) -> str:
        """Wait until a card is turned up or down, removed, or replaced. Return the board after this change.

        With `since`, returns at once if the board has changed since that version. Cancellation has no effect on the
        game.
        """
        return (await self.ask(Watch(player, since))).text

    async def replace(self, player: str, old: str, new: str) -> str:
        """Replace every card equal to `old` by `new`, in one step; return the board right after the replacement."""
        return (await self.ask(Replace(player, old, new))).text

    async def map(self, player: str, f: Callable[[str], Awaitable[str]]) -> str:
        """Replace every card by `await f(card)`, all in one atomic step; return the board right after the step.

        `f` is called in the caller's task, once per distinct card. It may wait: the game continues meanwhile.
        `f` is also called for cards that appear during that time (by another map). Face and control stay unchanged.
        An exception of `f`, or a cancellation before the step, leaves the board unchanged.

        Raises:
            InvalidCommand: `f` returned an invalid card; nothing has changed.
            Exception: any exception that `f` raises.
        """
        mapping: dict[str, str] = {}
        with self.present(player):
            missing = await self.ask(ListCards())
            while True:
                for card in missing:
                    mapping[card] = _checked(card, await f(card))
                answer = await self.ask(CommitMap(player, mapping.copy()))
                if not isinstance(answer, CardsMissing):
                    return answer.text
                missing = answer.cards

    async def new_game(self, player: str, seed: int) -> str:
        """Start a new game with the first cards, shuffled by `seed`. Waiting flips get `GameRestarted`."""
        return (await self.ask(NewGame(player, seed))).text

    async def snapshot(self) -> Snapshot:
        """Return the public state: cells, scores, waiting players. `follow` returns the later changes, too."""
        return await self.ask(TakeSnapshot())

    async def figures(self) -> dict[str, PlayerFigures] | None:
        """Return the figures of each player with a score; None if the game continues from a journal.

        For such a game, a replay of the journal has the figures.
        """
        return await self.ask(TakeFigures())

    def changes(self) -> Changes:
        """Follow the changes from now on: `async for change in game.changes()`.

        A change has the board's version and the public events of one command. The buffer is bounded. After a slow
        follower has lost changes, `change.missed` is the number of lost changes. The iteration ends when the game is
        closed.
        """
        return self._actor.subscribe()

    async def follow(self) -> tuple[Snapshot, Changes]:
        """Return a snapshot and the changes after the snapshot, without a gap and without an overlap."""
        return await self._actor.follow(TakeSnapshot())

    async def ping(self) -> None:
        """Wait until all queued commands are carried out and, with a journal, stored."""
        await self._actor.ping()

    @property
    def owner(self) -> Owner:
        """The owner of the game's state."""
        return self._actor

    def elsewhere(self) -> AbstractContextManager[Posting]:
        """Return a context manager for another process that joins this game. It yields the receiver of requests."""
        return relayed(cast(Posting, self._actor), self._timers)

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task until the end of the `open_game` block, which cancels it. Does not wait.

        Does nothing after the block. An exception in the task ends the game.
        """
        self._beside.start_soon(work)

    def stats(self) -> Stats:
        """Return the statistics of the game's owner. Does not wait. Works after the end of the game, too."""
        return self._actor.stats()

    async def aclose(self) -> None:
        """Close the game: waiting requests get `GameClosed`. The end of the `open_game` block does the same."""
        await self._actor.aclose()


def _checked(card: str, new: object) -> str:
    if not isinstance(new, str) or not is_card(new):
        raise InvalidCommand(f"a map must make cards, but it made {new!r} of {card!r}")
    return new


@asynccontextmanager
async def open_game(
    board: Board,
    *,
    journal: Recorder | None = None,
    release_idle: float | None = None,
    release_holding: float = HOLDING_S,
    release_notice: float = 0.0,
) -> AsyncIterator[Game]:
    """Start a game on a copy of `board`, so that no other code has the live state.

    With a `journal`, each command is stored before its effects are visible. If the journal already has a game, that
    game continues, and `board` is not used. The end of the block closes the game; waiting requests get `GameClosed`. An
    exception raised in the block is raised unchanged. A bug in the rules or a disk error (`JournalFailed`) cancels the
    block and is raised from it in an exception group.

    Games of older versions have no limit on the players with a score. They get the limit of a new game.

    With `release_idle`, an absent player relinquishes all controlled cards, also a matched pair, after `release_idle`
    seconds. A player is absent without a request and without `Game.present`. A request counts until its answer. Players
    who control cards when the game opens are absent at first.

    A present player, too, relinquishes a card that another player waits for, when two conditions are true: the player
    has taken no card for `release_holding` seconds (`math.inf`: never), and the other player has waited for
    `release_notice` seconds. The player keeps the other card of a pair. A game is finished if all pairs left are
    matched; then players keep their pairs. Without `release_idle` players keep all their cards.

    Raises:
        ValueError: `release_idle` or `release_holding` is not above 0.
        JournalError: the journal is unusable; it has not been changed.
    """
    _require_seconds(release_idle, release_holding)
    async with (
        recorded(Seated(board.copy()), journal) as kept,
        open_actor(kept.rules, log=kept.log) as actor,
        SideTasks() as beside,
    ):
        del board  # frees a board that was made only for this game
        if kept.rules.game.most_scores is None:  # a game of an older version without a bound
            await actor.ask(BoundScores(MOST_SCORES))
        if release_idle is None:
            yield Game(actor, beside)
            return
        timers = ReleaseTimers(
            beside.start_soon,
            release_idle,
            release_holding,
            lambda player: actor.tell(Release(player)),
            lambda player: actor.tell(ReleaseAwaited(player)),
            release_notice,
        )
        game = Game(actor, beside, timers)
        async with keep_holdings(game.follow, timers):
            yield game


@asynccontextmanager
async def join_game(
    owner: Owner, *, release_idle: float, release_holding: float, release_notice: float
) -> AsyncIterator[Game]:
    """Join, during a block, a game that runs in another process. `owner` is the remote owner of the game's state.

    The times must equal the times of `open_game` in that process. This process measures them, too, for `free_in` and
    `due`. Only the other process releases cards. The end of the block does not close the game.
    """
    _require_seconds(release_idle, release_holding)
    async with SideTasks() as beside:
        start_soon = beside.start_soon
        timers = ReleaseTimers(start_soon, release_idle, release_holding, _nothing, _nothing, release_notice)
        game = Game(owner, beside, timers)
        async with keep_holdings(game.follow, timers):
            timers.adopt(await owner.ask(TakeAges()))
            yield game


def _nothing(_player: str) -> None:
    pass


def _require_seconds(release_idle: float | None, release_holding: float) -> None:
    if release_idle is not None and not release_idle > 0:
        raise ValueError(f"release_idle is a number of seconds above 0, not {release_idle!r}")
    if not release_holding > 0:
        raise ValueError(f"release_holding is a number of seconds above 0, not {release_holding!r}")
