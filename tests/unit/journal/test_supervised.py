"""A game whose owner is started again after a bug: `open_supervised`.

Partitions:
- the game: is recorded in a journal; is not recorded
- at a death, requests: are being executed; parked; queued; come during the restart; come after it
- deaths: one; as many as allowed, within the time and over a longer time; none is allowed
- the restart: succeeds; fails, because the journal or `make_rules` fails
- the end: of the block; by `aclose`; by an exception of the block; by a cancellation; while the owner starts again;
  a bug in the last command; a bug and a cancellation in one step
- invalid arguments
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.journal import Journal, JournalError, Supervised, open_supervised
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Ticket, Withdraw


class Add(Command[int], frozen=True):
    """Add a number to the sum, and return the sum. 13 shows a bug."""

    n: int


class AtLeast(Command[int], frozen=True):
    """Wait until the sum is at least n."""

    n: int


class Added(Event, frozen=True):
    n: int


class Sum:
    """Implements `Durable`."""

    kind: ClassVar[str] = "sum"
    commands: Final[object] = Add | AtLeast | Withdraw

    def __init__(self, total: int = 0) -> None:
        self.version = total
        self.revision = 0
        self.waiting: dict[Ticket, int] = {}

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        match command:
            case Add(13):
                self.version = 1300
                raise ZeroDivisionError("13")
            case Add(n):
                self.version += n
                self.revision += 1
                ready = [t for t, wanted in self.waiting.items() if wanted <= self.version]
                for t in ready:
                    del self.waiting[t]
                return [Added(n), *(Answered(t, self.version) for t in (*ready, ticket))]
            case AtLeast(n):
                self.waiting[ticket] = n
                self.revision += 1
                return []
            case _:
                self.revision += self.waiting.pop(ticket, None) is not None
                return []

    def state(self) -> bytes:
        return msgspec.json.encode(self.version)

    def restore(self, state: bytes, /) -> Self:
        return type(self)(msgspec.json.decode(state, type=int))


async def die(game: Supervised) -> None:
    with pytest.raises(GameStopped, match="13"):
        await game.ask(Add(13))


def is_owner(_: Owner) -> None:
    """Type checkers compare the interfaces."""


async def test_a_recorded_game_goes_on_after_a_bug_without_the_command_of_the_bug(tmp_path: Path) -> None:
    async with open_supervised(Sum, journal=Journal(tmp_path / "sum.db")) as game:
        is_owner(game)
        assert await game.ask(Add(2)) == 2
        await die(game)
        assert await game.ask(Add(3)) == 5
        assert await game.inspect(lambda rules: rules.version) == 5
        assert (game.deaths, game.stats().stopped) == (1, None)
    async with open_supervised(Sum, journal=Journal(tmp_path / "sum.db")) as game:
        assert await game.ask(Add(1)) == 6


async def test_a_game_without_a_journal_begins_anew() -> None:
    async with open_supervised(partial(Sum, 100)) as game:
        assert await game.ask(Add(2)) == 102
        await die(game)
        assert await game.ask(Add(3)) == 103


@pytest.mark.parametrize("name", ["sum.db", None])
async def test_at_a_death_nobody_waits_for_the_dead_owner_and_later_requests_reach_the_next_one(
    tmp_path: Path, name: str | None
) -> None:
    errors: list[Exception] = []

    async def fail(request: Callable[[], object]) -> None:
        with pytest.raises(GameStopped) as caught:
            await request()  # type: ignore[misc]
        errors.append(caught.value)

    async with (
        open_supervised(Sum, journal=Journal(tmp_path / name) if name else None) as game,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(fail, partial(game.ask, AtLeast(9)))
        await wait_all_tasks_blocked()
        changes = game.subscribe()
        for _ in range(3):
            nursery.start_soon(fail, partial(game.ask, Add(13)))
        with pytest.raises(GameStopped):
            await anext(changes)
        game.tell(Add(1))  # ignored
        assert await game.ask(Add(4)) == 4  # waits for the next owner
        answer, changes = await game.follow(Add(1))
        await game.send(Add(2))
        await game.ping()
        assert (answer, (await anext(changes)).events) == (5, (Added(2),))
    assert len(errors) == 4
    assert game.deaths == 1


async def test_too_many_deaths_in_a_short_time_end_the_block_with_the_bug() -> None:
    with pytest.RaisesGroup(pytest.RaisesGroup(ZeroDivisionError)):
        async with open_supervised(Sum, max_deaths=2) as game:
            await die(game)
            await game.ping()
            await die(game)
            with pytest.raises(GameStopped):
                await game.ask(Add(1))
            assert game.deaths == 2
            await trio.sleep_forever()


async def test_deaths_in_a_longer_time_end_nothing(mock_clock: MockClock) -> None:
    async with open_supervised(Sum, max_deaths=2, within_s=10) as game:
        for _ in range(5):
            await die(game)
            await game.ping()
            mock_clock.jump(11)
        assert game.deaths == 5


async def test_with_one_allowed_death_the_owner_is_never_started_again() -> None:
    with pytest.RaisesGroup(pytest.RaisesGroup(ZeroDivisionError)):
        async with open_supervised(Sum, max_deaths=1) as game:
            await die(game)
            await trio.sleep_forever()


async def test_a_journal_that_cannot_be_used_is_an_error_of_the_opening(tmp_path: Path) -> None:
    (tmp_path / "sum.db").write_text("no journal, but text" * 100)
    with pytest.raises(JournalError):
        async with open_supervised(Sum, journal=Journal(tmp_path / "sum.db")):
            pass


async def test_a_restart_that_fails_ends_the_block_and_nobody_waits() -> None:
    made = [Sum()]
    with pytest.RaisesGroup(IndexError):
        async with open_supervised(made.pop) as game:
            await die(game)
            with pytest.raises(GameStopped):
                await game.ask(Add(1))
            await trio.sleep_forever()


async def test_a_closed_game_takes_no_more_requests() -> None:
    async with open_supervised(Sum) as game, trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(GameClosed):
                await game.ask(AtLeast(9))

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        await game.aclose()
        await game.aclose()
        with pytest.raises(GameClosed):
            await game.ask(Add(1))
    assert game.deaths == 0


async def test_an_exception_or_a_cancellation_of_the_block_ends_the_game_as_it_is() -> None:
    with pytest.raises(KeyError):
        async with open_supervised(Sum):
            raise KeyError
    with trio.move_on_after(0) as scope:
        async with open_supervised(Sum):
            await trio.sleep_forever()
    assert scope.cancelled_caught


@pytest.mark.parametrize("closes_itself", [False, True])
async def test_a_bug_in_the_last_command_is_raised_and_no_further_owner_starts(closes_itself: bool) -> None:
    made = []

    def make() -> Sum:
        made.append(Sum())
        return made[-1]

    with pytest.raises(ExceptionGroup) as raised:
        async with open_supervised(make) as game:
            await game.send(Add(13))
            if closes_itself:
                await game.aclose()
    assert raised.group_contains(ZeroDivisionError, depth=2)
    assert (len(made), game.deaths) == (1, 1)


async def test_a_cancellation_in_the_step_of_a_bug_ends_the_block_as_a_cancellation() -> None:
    class Cancels(Sum):
        def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
            if command == Add(13):
                scope.cancel()
            return super().apply(ticket, command)

    with trio.CancelScope() as scope:
        async with open_supervised(Cancels, max_deaths=5) as game:
            with pytest.raises((GameStopped, trio.Cancelled)):
                await game.ask(Add(13))
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert game.deaths == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_deaths": 0}, "max_deaths is a whole number from 1, not 0"),
        ({"max_deaths": 1.5}, "max_deaths is a whole number from 1, not 1.5"),
        ({"within_s": 0}, "within_s is above 0, not 0"),
        ({"within_s": float("nan")}, "within_s is above 0, not nan"),
        ({"mailbox_size": -1}, "mailbox_size is a whole number from 0, not -1"),
    ],
)
async def test_invalid_arguments_are_named_before_anything_starts(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        async with open_supervised(Sum, **options):
            pass
