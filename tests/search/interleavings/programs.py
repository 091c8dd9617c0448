"""Small programs on the kernel and the games, for schedules: each fails if the code has one planted bug.

The names are those of the bugs in tests/search/torture/matrix/bugs. A program makes all its objects anew, and is
deterministic for one order of the steps, as `scramble.testing.explore` requires.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

import msgspec
import trio
from trio.lowlevel import checkpoint

from scramble.crossword import Puzzle, open_lobby
from scramble.errors import CallerError, GameStopped, LogFull
from scramble.games.plain.rules import Done, PlainRules, Wait
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Query, Ticket, Withdraw
from scramble.memory import Board, FlipFailed, Game, open_game
from scramble.memory.messages import Flip
from scramble.testing import cancellable
from tests.support.crossword.driver import SIMPLE

Main: TypeAlias = Callable[[], Awaitable[None]]


async def steps(count: int) -> None:
    for _ in range(count):
        await checkpoint()


# --- kernel -----------------------------------------------------------------------------------------


class Add(Command[int], frozen=True):
    """Add a number to the sum, and return the sum. 13 shows a bug."""

    n: int


class Read(Query[int], frozen=True):
    """Return the sum."""


class AtLeast(Query[int], frozen=True):
    """Wait until the sum is at least n."""

    n: int


class Added(Event, frozen=True):
    n: int


class Sum:
    """Rules with waiting requests. They implement `Recordable`."""

    def __init__(self) -> None:
        self.version = 0
        self.waiting: dict[Ticket, int] = {}

    @property
    def revision(self) -> int:
        return self.version

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        match command:
            case Add(13):
                raise ZeroDivisionError
            case Add(n):
                self.version += n
                ready = [other for other, wanted in self.waiting.items() if wanted <= self.version]
                for other in ready:
                    del self.waiting[other]
                return [Added(n), *(Answered(other, self.version) for other in (*ready, ticket))]
            case AtLeast(n) if n > self.version:
                self.waiting[ticket] = n
                return []
            case Withdraw():
                self.waiting.pop(ticket, None)
                return []
            case _:
                return [Answered(ticket, self.version)]


class Log:
    """A log in memory. It has room from a moment on. Implements `CommandLog`."""

    def __init__(self, *, room_at: float = 0) -> None:
        self.first_ticket = Ticket(0)
        self.added = self.committed = 0
        self._room_at: Final = room_at

    def prepare(self, command: Command[object], /, *, urgent: bool = False) -> tuple[Command[object], bytes]:
        return command, b""

    def add(self, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome], /) -> None:
        self.added += 1

    async def commit(self) -> None:
        added = self.added
        await checkpoint()
        if trio.current_time() < self._room_at:
            raise LogFull("the disk is full")
        self.committed = added

    def finish(self) -> None:
        pass


async def answer_before_commit() -> None:
    log = Log()
    async with open_actor(Sum(), log=log) as actor, trio.open_nursery() as nursery:

        async def add() -> None:
            assert await actor.ask(Add(1)) <= log.committed

        for _ in range(3):
            nursery.start_soon(add)


async def withdrawal_too_late() -> None:
    async with open_actor(Sum()) as actor, trio.open_nursery() as nursery:

        async def wait() -> None:
            with cancellable():
                await actor.ask(AtLeast(2))

        async def add() -> None:
            await actor.ask(Add(1))
            await actor.ask(Add(1))

        nursery.start_soon(wait)
        nursery.start_soon(wait)
        nursery.start_soon(add)


async def queued_at_the_end() -> None:
    opened, waiting = trio.Event(), list[Actor]()

    async def own() -> None:
        with suppress(ExceptionGroup):
            async with open_actor(Sum(), mailbox_size=2) as actor:
                waiting.append(actor)
                opened.set()
                await trio.sleep_forever()

    async def ask(n: int, late: int) -> None:
        await opened.wait()
        await steps(late)
        with suppress(GameStopped):
            await waiting[0].ask(Add(n))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(own)
        nursery.start_soon(ask, 13, 2)
        nursery.start_soon(ask, 1, 0)
        nursery.start_soon(ask, 2, 4)


async def snapshot_overlaps() -> None:
    async with open_actor(Sum()) as actor, trio.open_nursery() as nursery:

        async def add() -> None:
            await actor.ask(Add(1))

        async def follow() -> None:
            seen, changes = await actor.follow(Read())
            while seen < 2:
                change = await anext(changes)
                assert change.version == seen + 1
                seen = change.version

        nursery.start_soon(add)
        nursery.start_soon(add)
        nursery.start_soon(follow)


async def end_unannounced() -> None:
    async with trio.open_nursery() as nursery, open_actor(Sum()) as actor:

        async def follow() -> None:
            changes = actor.subscribe()
            with suppress(GameStopped, StopAsyncIteration):
                while True:
                    await anext(changes)

        nursery.start_soon(follow)
        await actor.ask(Add(1))


async def leaver_held() -> None:
    async with open_actor(Sum(), log=Log(room_at=10)) as actor:

        async def add() -> None:
            with suppress(CallerError, GameStopped), trio.move_on_after(1):
                await actor.ask(Add(1))
            assert trio.current_time() < 5

        async with trio.open_nursery() as nursery:
            nursery.start_soon(add)
            nursery.start_soon(add)
        await trio.sleep_until(20)  # at the end of the block, the log must have room


# --- games ------------------------------------------------------------------------------------------


async def last_come_first_served() -> None:
    came, served = list[str](), list[str]()

    class Came:
        """Implements `Settable`."""

        def __init__(self, player: str) -> None:
            self.player = player

        def set(self) -> None:
            came.append(self.player)

    async with open_game(Board.parse("1x2\nA\nB\n")) as game, trio.open_nursery() as nursery:

        async def take(player: str) -> None:
            await game.owner.ask(Flip(player, 0, 0), parked=Came(player))
            served.append(player)
            await give_up(game, player)

        await game.flip("alice", 0, 0)
        for player in ("bob", "carol"):
            nursery.start_soon(take, player)
        await steps(3)
        await give_up(game, "alice")
    assert [player for player in served if player in came] == came


async def give_up(game: Game, player: str) -> None:
    """Give up the card at 0,0, by rule 2-B."""
    with suppress(FlipFailed):
        await game.flip(player, 0, 0)


async def removed_card_awaited() -> None:
    async with open_game(Board.parse("1x3\nA\nA\nB\n")) as game, trio.open_nursery() as nursery:

        async def wait() -> None:
            with suppress(FlipFailed):
                await game.flip("bob", 0, 0)
                await give_up(game, "bob")

        nursery.start_soon(wait)
        for column in (0, 1, 2):  # the third flip removes a pair
            await game.flip("alice", 0, column)


class Turns(msgspec.Struct, frozen=True):
    """The number of the next move."""

    next: int = 0


class Move(Command[None], frozen=True):
    player: str
    number: int


class InTurn(PlainRules[Turns, Move]):
    """Moves are made in the order of their numbers; earlier ones wait."""

    kind, moves = "in-turn", Move

    def play(self, command: Move) -> Done | Wait:
        if command.number != self.now.next:
            return Wait()
        self.now = Turns(command.number + 1)
        return Done()


async def waiting_move_not_tried_again() -> None:
    async with open_actor(InTurn(Turns())) as actor, trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(actor.ask, Move("ann", number))


async def view_held_by_cancelled_line() -> None:
    async with open_lobby([Puzzle.parse(SIMPLE, id="simple")]) as game, game.session() as ann, game.session() as bob:
        await ann.say("ann")
        await ann.say('NEW m1 simple "a"')

        async def follow() -> None:
            while ann.view.state != "PLAY":
                await ann.next_view()

        async def play() -> None:
            await bob.say("bob")
            await bob.say("PLAY m1")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow)
            nursery.start_soon(play)
            with cancellable():
                await ann.say("?")


async def result_for_nobody() -> None:
    puzzles = [Puzzle.parse(SIMPLE, id="simple")]
    async with open_lobby(puzzles, one_match=True) as game, game.session() as ann, trio.open_nursery() as nursery:

        async def await_result() -> None:
            with cancellable():
                await game.finished()

        nursery.start_soon(await_result)
        async with game.session() as bob:
            await ann.say("ann")
            await bob.say("bob")
            await ann.say("EXIT")
        assert (await game.finished()).winner == "bob"


PROGRAMS: Final[dict[str, Main]] = {
    "kernel-answer-before-commit": answer_before_commit,
    "kernel-withdrawal-too-late": withdrawal_too_late,
    "kernel-queued-at-the-end": queued_at_the_end,
    "kernel-snapshot-overlaps": snapshot_overlaps,
    "kernel-end-unannounced": end_unannounced,
    "kernel-leaver-held": leaver_held,
    "memory-last-come-first-served": last_come_first_served,
    "memory-removed-card-awaited": removed_card_awaited,
    "players-waiting-move-not-tried-again": waiting_move_not_tried_again,
    "crossword-result-for-nobody": result_for_nobody,
    "crossword-view-held-by-cancelled-line": view_held_by_cancelled_line,
}
