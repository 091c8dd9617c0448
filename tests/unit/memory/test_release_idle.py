"""`release_idle`: absent players lose their cards. On a clock that jumps from one event to the next.

Partitions:
- the player has: a first card, a pair, no card (after a failed flip, after a new game), cards from before the game was
  opened: from a given board, from a journal
- signs of presence: each kind of request; a waiting one (a flip, a watch, a map), until it is answered or withdrawn; a
  connection, two connections; an invalid request
- the next holder of the card: no player, a waiting player, one player after another of a queue of absent players
- at random: every player who is away too long loses the cards, and no player loses them earlier, until the game is
  finished
- a finished game: an absent player keeps a pair, and others wait for it without success; the pair was found first or
  last, before or after the player left; the game continues after a replacement, or as a new game
- the cost: nothing is recorded for players without cards
- switched off; an invalid number of seconds; a block that raises; a game that is closed
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import CallerError, InvalidCommand
from scramble.journal import Journal, read_recording
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Ticket
from scramble.memory import Board, Game, open_game
from scramble.memory.messages import Flip, FlipFailed, Release, Relinquished, Took
from tests.unit.memory.idling import AABC, AABCC, HOLDING_S, IDLE_S, held, is_finished, opened


def released(changes: Changes) -> list[tuple[str, int]]:
    """Return the players who have relinquished cards of the only row in the pending changes, each with the column."""
    events = [event for change in changes.pending() for event in change.events]
    return [(event.player, event.column) for event in events if isinstance(event, Relinquished)]


# --- the player's cards ------------------------------------------------------------------------


async def test_a_first_card_is_released_after_the_time_and_not_before(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        await trio.sleep(IDLE_S - 0.1)
        assert await held(game) == {"alice": 1}
        await trio.sleep(0.2)
        assert await game.look("alice") == "1x4\nup A\ndown\ndown\ndown\n"


async def test_a_pair_is_released_without_a_score_and_turned_down_when_the_player_returns(
    autojump_clock: MockClock,
) -> None:
    async with opened(AABCC) as (game, _):
        changes = game.changes()
        await game.flip("alice", 0, 0)
        await game.flip("alice", 0, 1)
        await trio.sleep(IDLE_S + 1)
        assert released(changes) == [("alice", 0), ("alice", 1)]
        assert (await game.snapshot()).scores == {"alice": 0}
        assert await game.flip("alice", 0, 2) == "1x5\ndown\ndown\nmy B\ndown\ndown\n"
        await trio.sleep(IDLE_S + 1)
        assert await held(game) == {}, "the cards are released again"


async def test_absent_players_keep_the_pairs_of_a_finished_game(autojump_clock: MockClock) -> None:
    async with opened("1x5\nA\nA\nB\nB\nC\n") as (game, _):
        for player, column in (("alice", 0), ("alice", 1), ("bob", 2), ("bob", 3)):
            await game.flip(player, 0, column)
        changes = game.changes()
        assert game.free_in("alice") is None
        with trio.move_on_after(10 * HOLDING_S):
            await game.flip("carol", 0, 0)
        assert released(changes) == []
        assert await held(game) == {"alice": 2, "bob": 2}
        await game.flip("alice", 0, 4)  # this removes her pair
        await trio.sleep(IDLE_S + 1)
        assert await held(game) == {"bob": 2}, "a card without a twin is no result"


async def test_kept_pairs_are_released_when_there_is_a_pair_to_find_again(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        await game.flip("alice", 0, 1)
        await trio.sleep(10 * IDLE_S)
        assert await held(game) == {"alice": 2}
        await game.replace("bob", "C", "B")
        await trio.sleep(IDLE_S + 1)
        assert await held(game) == {}
        for player, column in (("bob", 2), ("bob", 3), ("alice", 0), ("alice", 1)):
            await game.flip(player, 0, column)
        await trio.sleep(IDLE_S + 1)
        assert await held(game) == {"alice": 2, "bob": 2}
        await game.new_game("carol", 1)
        await game.flip("alice", 0, 0)
        await trio.sleep(IDLE_S + 1)
        assert await held(game) == {}


async def test_cards_from_before_the_opening_are_released_after_the_time(autojump_clock: MockClock) -> None:
    board = Board.parse(AABCC)
    for ticket, (player, column) in enumerate([("alice", 0), ("bob", 2), ("alice", 1)]):
        board.apply(Ticket(ticket), Flip(player, 0, column))
    await trio.sleep(100)
    async with open_game(board, release_idle=IDLE_S) as game:
        await trio.sleep(IDLE_S - 0.1)
        assert await game.look("bob") == "1x5\nup A\nup A\nmy B\ndown\ndown\n"
        assert await held(game) == {"alice": 2, "bob": 1}
        await trio.sleep(0.2)
        assert await held(game) == {"bob": 1}, "bob's look was a sign of presence"


async def test_releases_are_recorded_like_any_command_and_continue_after_a_restart(
    mock_clock: MockClock, tmp_path: Path
) -> None:
    file = tmp_path / "game.db"
    async with open_game(Board.parse(AABC), journal=Journal(file), release_idle=IDLE_S) as game:
        await game.flip("alice", 0, 0)
        await game.flip("bob", 0, 2)
        await game.flip("bob", 0, 3)
        changes = game.changes()
        mock_clock.jump(IDLE_S)
        assert [type(event) for event in (await anext(changes)).events] == [Relinquished]
        await game.flip("alice", 0, 1)
    async with open_game(Board.parse(AABC), journal=Journal(file), release_idle=IDLE_S) as game:
        assert await held(game) == {"alice": 1}
        changes = game.changes()
        mock_clock.jump(IDLE_S)
        assert (await anext(changes)).events == (Relinquished(0, 1, "alice", "A"),)
    async with open_game(Board.parse(AABC), journal=Journal(file)) as game:
        assert await held(game) == {}
    given_up = [record.command for record in read_recording(file).records if b'"Release"' in record.command]
    assert [msgspec.json.decode(command, type=Release) for command in given_up] == [Release("alice")] * 2, (
        "bob had no cards, so nothing is recorded for him"
    )


async def test_a_player_without_cards_gets_no_command(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        with pytest.raises(FlipFailed):
            await game.flip("alice", 0, 0)
        await game.flip("bob", 0, 2)
        await game.new_game("carol", 1)
        changes = game.changes()
        await trio.sleep(100)
        assert changes.pending() == []


# --- signs of presence ----------------------------------------------------------

ACTS: dict[str, Callable[[Game], Awaitable[object]]] = {
    "look": lambda game: game.look("alice"),
    "watch since": lambda game: game.watch("alice", -1),
    "replace": lambda game: game.replace("alice", "X", "Y"),
    "map": lambda game: game.map("alice", same),
    "flip": lambda game: game.flip("alice", 0, 1),
    "nonsense": lambda game: refused(game.flip("alice", 0, 9)),
    "bad map": lambda game: refused(game.map("alice", nothing)),
}


async def same(card: str) -> str:
    return card


async def nothing(card: str) -> str:
    return ""


async def refused(call: Awaitable[str]) -> None:
    with pytest.raises(InvalidCommand):
        await call


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
async def test_any_request_of_the_player_restarts_the_time(
    act: Callable[[Game], Awaitable[object]], autojump_clock: MockClock
) -> None:
    async with opened(AABCC) as (game, _):
        await game.flip("alice", 0, 0)
        await trio.sleep(IDLE_S - 1)
        await act(game)
        await trio.sleep(IDLE_S - 1)
        assert "alice" in await held(game)
        await trio.sleep(2)
        assert await held(game) == {}


async def test_other_players_requests_and_snapshots_do_not_keep_the_cards(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        for _ in range(11):
            await trio.sleep(1)
            await game.look("bob")
            await game.snapshot()
        assert await held(game) == {}


async def test_a_watching_player_is_present_until_the_watch_ends(autojump_clock: MockClock) -> None:
    async with opened() as (game, nursery):
        await game.flip("alice", 0, 0)
        nursery.start_soon(game.watch, "alice")
        await trio.sleep(100)
        assert await held(game) == {"alice": 1}
        await game.flip("bob", 0, 2)  # the flip answers the watch
        await trio.sleep(IDLE_S - 1)
        assert await held(game) == {"alice": 1, "bob": 1}
        await trio.sleep(2)
        assert await held(game) == {}


async def test_a_player_is_away_from_the_withdrawal_of_a_watch_on(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        with trio.move_on_after(30):
            await game.watch("alice")
        await trio.sleep(IDLE_S - 1)
        assert await held(game) == {"alice": 1}
        await trio.sleep(2)
        assert await held(game) == {}


async def test_a_player_is_present_during_a_long_map(autojump_clock: MockClock) -> None:
    async def slow(card: str) -> str:
        await trio.sleep(100)
        return card

    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        await game.map("alice", slow)
        assert await held(game) == {"alice": 1}


async def test_a_player_is_present_during_any_connection(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        with game.present("alice"):
            with game.present("alice"), game.present("bob"):
                await game.flip("alice", 0, 0)
                await trio.sleep(100)
            await trio.sleep(100)
            assert await held(game) == {"alice": 1}
        await trio.sleep(IDLE_S - 1)
        assert await held(game) == {"alice": 1}
        await trio.sleep(2)
        assert await held(game) == {}


async def test_an_invalid_player_may_be_present_and_is_still_refused(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        with game.present("no player"):
            for call in (game.look("no player"), game.flip("", 0, 0), game.map("a/b", same)):
                await refused(call)


# --- the next holder of the card ----------------------------------------------------------------------------


async def test_a_waiting_player_gets_the_card_and_a_queue_of_absent_players_empties(
    autojump_clock: MockClock,
) -> None:
    async with opened() as (game, nursery):
        changes = game.changes()
        for player in ("alice", "bob", "carol"):
            nursery.start_soon(game.flip, player, 0, 0)
            await wait_all_tasks_blocked()
        seen = []
        async for change in changes:
            seen += [(trio.current_time(), event) for event in change.events if isinstance(event, Relinquished | Took)]
            if isinstance(change.events[-1], Relinquished):
                break
        begin = seen[0][0]
        assert [(round(time - begin, 3), type(event), event.player) for time, event in seen] == [
            (0, Took, "alice"),
            (IDLE_S, Relinquished, "alice"),
            (IDLE_S, Took, "bob"),
            (2 * IDLE_S, Relinquished, "bob"),
            (2 * IDLE_S, Took, "carol"),
            (3 * IDLE_S, Relinquished, "carol"),
        ]


async def test_a_move_in_the_last_moment_finds_the_card_or_not_but_never_loses_it_halfway(
    autojump_clock: MockClock,
) -> None:
    async with opened("1x2\nA\nA\n") as (game, _):
        for _ in range(20):
            await game.new_game("bob", 1)
            await game.flip("alice", 0, 0)
            await trio.sleep(IDLE_S)  # both timers end in the same tick, in either order
            try:
                await game.flip("alice", 0, 1)
            except FlipFailed:
                raise AssertionError("neither a first nor a second flip can fail here") from None
            assert (await held(game))["alice"] in (1, 2)


# --- at random --------------------------------------------------------------------------------------


class Shift(msgspec.Struct, frozen=True):
    """A flip after `pause` ticks, withdrawn if it waits more than `patience` ticks, then `stay` ticks connected."""

    pause: int
    row: int
    column: int
    patience: int
    stay: int


SHIFTS = st.lists(st.builds(Shift, *(st.integers(0, most) for most in (8, 1, 2, 12, 8))), min_size=1, max_size=8)


class Witness:
    """The times at which each player was present, as the players themselves record it."""

    def __init__(self) -> None:
        self.busy = Counter[str]()
        self.last: dict[str, float] = {}

    @contextmanager
    def there(self, player: str) -> Iterator[None]:
        self.busy[player] += 1
        try:
            yield
        finally:
            self.busy[player] -= 1
            self.last[player] = trio.current_time()

    def away(self, player: str) -> float:
        return 0 if self.busy[player] else trio.current_time() - self.last[player]


@given(st.lists(SHIFTS, min_size=1, max_size=4), st.random_module())
def test_players_lose_their_cards_after_the_time_away_and_not_earlier(
    players: list[list[Shift]], scheduler: object
) -> None:
    patience = 3.5  # in ticks

    async def play(game: Game, witness: Witness, player: str, shifts: list[Shift]) -> None:
        for shift in shifts:
            await trio.sleep(shift.pause)
            with witness.there(player), trio.move_on_after(shift.patience + 0.25), suppress(CallerError):
                await game.flip(player, shift.row, shift.column)
            if shift.stay:
                with witness.there(player), game.present(player):
                    await trio.sleep(shift.stay)

    async def check(game: Game, witness: Witness) -> None:
        before: dict[str, int] = {}
        await trio.sleep(0.1)  # all other events happen at quarters of a tick
        while True:
            await trio.sleep(1)
            now = await held(game)
            if await is_finished(game):
                return
            for player in now:
                assert witness.away(player) <= patience
            for player in before.keys() - now.keys():
                assert witness.away(player) < 1 or witness.away(player) >= patience
            before = now

    async def main() -> None:
        async with open_game(Board.parse("2x3\nA\nB\nA\nB\nC\nC\n"), release_idle=patience) as game:
            witness = Witness()
            async with trio.open_nursery() as checking:
                checking.start_soon(check, game, witness)
                async with trio.open_nursery() as nursery:
                    for number, shifts in enumerate(players):
                        nursery.start_soon(play, game, witness, f"p{number}", shifts)
                await trio.sleep(2 * patience)
                assert await held(game) == {} or await is_finished(game)
                checking.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))


# --- switched off, and the end -----------------------------------------------------------------------------------


async def test_by_default_an_absent_player_keeps_the_cards(autojump_clock: MockClock) -> None:
    async with open_game(Board.parse(AABC)) as game:
        with game.present("alice"):
            await game.flip("alice", 0, 0)
        await trio.sleep(10**6)
        assert await held(game) == {"alice": 1}


@pytest.mark.parametrize("seconds", [0, -1, math.nan])
async def test_an_invalid_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="release_idle"):
        async with open_game(Board.parse(AABC), release_idle=seconds):
            pass
    with pytest.raises(ValueError, match="release_holding"):
        async with open_game(Board.parse(AABC), release_idle=1, release_holding=seconds):
            pass


async def test_an_exception_in_the_block_leaves_it_unchanged() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with open_game(Board.parse(AABC), release_idle=IDLE_S):
            raise KeyError("mine")


async def test_a_closed_game_releases_no_cards(autojump_clock: MockClock) -> None:
    async with opened() as (game, _):
        await game.flip("alice", 0, 0)
        await game.aclose()
        await trio.sleep(100)
