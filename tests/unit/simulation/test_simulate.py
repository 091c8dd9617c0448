"""Simulated games, on an autojump clock, and their narration in the terminal.

Strategy:
- players: 1; several; moves: 0; 1; many
- end: all players finish; a player waits forever for a first card, or for a card of a pair, that its holder keeps
- waits: no wait; a wait of a known length; an endless wait
- followers: no follower; a follower that is notified of every change and of every flip
- seeds: the same seed; other seeds
- in the terminal: both endings; the table (events: tests/unit/memory/test_english.py)
Every test also checks that the simulation ends: if all tasks are blocked, the clock jumps to the deadline.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import pairwise

import msgspec
import pytest
import trio
from rich.console import Console
from trio.testing import MockClock

from scramble.kernel.protocol import Change
from scramble.memory import Board
from scramble.memory.boardfile import format_board_file
from scramble.memory.messages import (
    Scored,
    Waiting,
)
from scramble.simulation.report import ending, report_table
from scramble.simulation.simulate import MoveCounts, Plan, SimulationReport, Stuck, simulate

PERFECT = Board.parse(format_board_file(3, 3, list("AABBCCDDE")))
PAIR = Board.parse(format_board_file(1, 2, ["A", "A"]))
SINGLE = Board.parse(format_board_file(1, 1, ["A"]))


def play(
    board: Board,
    plan: Plan,
    *,
    on_flip: Callable[[], None] = lambda: None,
    on_change: Callable[[Change], None] = lambda _: None,
) -> SimulationReport:
    """Run a simulation on a clock that jumps; return its report."""

    async def main() -> SimulationReport:
        with trio.fail_after(1_000_000):
            return await simulate(board, plan, on_flip=on_flip, on_change=on_change)

    return trio.run(main, clock=MockClock(autojump_threshold=0))


def test_one_player_makes_all_flips_and_never_waits() -> None:
    report = play(PERFECT, Plan(players=1, moves=200, seed=1))
    (each,) = report.counts
    assert (each.player, each.flips, each.waits, each.longest_wait) == ("player1", 200, 0, 0.0)
    assert not report.stuck


def test_with_no_moves_nobody_does_anything() -> None:
    report = play(PERFECT, Plan(players=3, moves=0))
    assert [each.flips for each in report.counts] == [0, 0, 0]
    assert not report.stuck


@pytest.mark.parametrize("seed", range(10))
def test_in_every_game_each_player_finishes_or_is_stuck_behind_a_finished_player(seed: int) -> None:
    report = play(PERFECT, Plan(players=5, moves=12, seed=seed))
    counts = {each.player: each for each in report.counts}
    stuck = {stuck.player for stuck in report.stuck}
    for name, each in counts.items():
        assert each.flips <= 12 if name in stuck else each.flips == 12
        assert each.failures.total() <= each.flips
        assert set(each.failures) <= {"1-A", "2-A", "2-B"}
    for someone in report.stuck:
        assert someone.holder not in stuck
        assert counts[someone.player].waits > 0
    assert sum(each.pairs for each in report.counts) + report.pairs_left == 4


def test_games_may_get_stuck_on_a_finished_players_pair() -> None:
    reports = [play(PAIR, Plan(players=2, moves=2, seed=seed)) for seed in range(20)]
    assert any(report.stuck for report in reports)
    assert not all(report.stuck for report in reports)


def test_all_players_who_wait_for_a_finished_players_first_card_are_reported_as_stuck() -> None:
    report = play(SINGLE, Plan(players=3, moves=1))
    assert len(report.stuck) == 2
    (holder,) = {stuck.holder for stuck in report.stuck}
    assert {stuck.player for stuck in report.stuck} == {"player1", "player2", "player3"} - {holder}
    assert all((stuck.row, stuck.column, stuck.card) == (0, 0, "A") for stuck in report.stuck)
    assert {each.player for each in report.counts if each.waits == 1} == {stuck.player for stuck in report.stuck}


def test_a_wait_is_as_long_as_its_player_waited() -> None:
    # At second 1 one player takes the card and the other player waits. At second 2 the first player flips the card
    # again, fails by 2-B and relinquishes it. At second 3 the second player does the same.
    report = play(SINGLE, Plan(players=2, moves=2, min_delay=1, max_delay=1))
    one, other = sorted(report.counts, key=lambda each: each.waits)
    assert (one.waits, one.longest_wait, dict(one.failures)) == (0, 0.0, {"2-B": 1})
    assert (other.waits, other.longest_wait, dict(other.failures)) == (1, 1.0, {"2-B": 1})
    assert not report.stuck


def test_random_delays_are_within_the_bounds() -> None:
    moments = [0.0]
    plan = Plan(players=1, moves=20, min_delay=2, max_delay=3)
    play(PERFECT, plan, on_flip=lambda: moments.append(trio.current_time()))
    delays = [after - before for before, after in pairwise(moments)]
    assert all(2 <= delay <= 3 for delay in delays)
    assert len(set(delays)) == 20


def test_the_same_seed_makes_the_same_choices_and_another_one_does_not() -> None:
    changes: list[list[Change]] = []
    for seed in (1, 1, 2):
        changes.append([])
        play(PERFECT, Plan(players=1, moves=20, seed=seed), on_change=changes[-1].append)
    assert changes[0] == changes[1] != changes[2]


def test_followers_get_every_flip_and_every_change_to_the_end() -> None:
    flips: list[None] = []
    changes: list[Change] = []
    plan = Plan(players=3, moves=30, seed=3)
    report = play(PERFECT, plan, on_flip=lambda: flips.append(None), on_change=changes.append)
    assert len(flips) == sum(each.flips for each in report.counts) - len(report.stuck)
    events = [event for change in changes for event in change.events]
    assert sum(isinstance(event, Scored) for event in events) == sum(each.pairs for each in report.counts)
    assert sum(isinstance(event, Waiting) for event in events) == sum(each.waits for each in report.counts)
    assert not any(change.missed for change in changes)


def test_the_given_board_is_not_changed() -> None:
    before = str(PERFECT)
    play(PERFECT, Plan(players=2, moves=10))
    assert str(PERFECT) == before


async def test_a_simulation_can_be_cancelled(autojump_clock: MockClock) -> None:
    with trio.move_on_after(10) as scope:
        await simulate(PERFECT, Plan(players=2, moves=1_000_000, min_delay=1, max_delay=1))
    assert scope.cancelled_caught


# --- in the terminal --------------------------------------------------------------------------------


def test_the_ending_lists_stuck_players_their_cards_and_the_holders() -> None:
    stuck = (Stuck("bob", 0, 1, "A", "alice"), Stuck("carol", 0, 2, "A", "alice"))
    assert ending(SimulationReport((), stuck, 1)) == [
        "nobody can move any more; 1 pair left on the board",
        "bob waits for A at 0,1, held by alice, who has finished",
        "carol waits for A at 0,2, held by alice, who has finished",
    ]
    assert ending(SimulationReport((), (), 2)) == ["everybody has finished; 2 pairs left on the board"]


def test_the_table_has_a_row_for_each_player() -> None:
    busy = msgspec.structs.replace(MoveCounts("bob"), flips=7, waits=2, longest_wait=0.0125, pairs=3)
    busy.failures.update({"1-A": 4, "2-B": 1})
    console = Console(file=io.StringIO(), width=100)
    console.print(report_table(SimulationReport((busy, MoveCounts("carol")), (), 0), Plan(players=2, moves=9, seed=42)))
    assert isinstance(console.file, io.StringIO)
    title, _, head, _, bob, carol, _ = console.file.getvalue().splitlines()
    assert title.strip() == "2 players, up to 9 flips each, seed 42"
    assert [cell.strip() for cell in head.split("┃")[1:-1]] == [
        *("player", "flips", "no card there", "no second card", "second card held", "waits", "longest, ms", "pairs")
    ]
    assert [cell.strip() for cell in bob.split("│")[1:-1]] == ["bob", "7", "4", "0", "1", "2", "12.5", "3"]
    assert [cell.strip() for cell in carol.split("│")[1:-1]] == ["carol", "0", "0", "0", "0", "0", "-", "0"]
