"""Simulated games, on an autojump clock, and how they are told in the terminal.

Strategy:
- players: 1; several; moves: 0; 1; many
- end: everybody finished; somebody stuck on a first card that its holder keeps; on a pair that its holder keeps
- waits: none; one of a known length; one that never ends
- followers: none; told of every change, and of every flip
- seeds: the same; others
- told: each kind of event; both endings; the table
That a simulation ends is part of every test: the clock jumps to the deadline if nothing else is left to happen.
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

from scramble.core import Change, Event
from scramble.memory import Board
from scramble.memory.boardfile import format_board_file
from scramble.memory.messages import (
    Joined,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    Scored,
    SpaceEvent,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)
from scramble.report import ending, narrate, report_table
from scramble.simulate import Plan, Report, Stuck, Tally, simulate

PERFECT = Board.parse(format_board_file(3, 3, list("AABBCCDDE")))
PAIR = Board.parse(format_board_file(1, 2, ["A", "A"]))
SINGLE = Board.parse(format_board_file(1, 1, ["A"]))


def play(
    board: Board,
    plan: Plan,
    *,
    on_flip: Callable[[], None] = lambda: None,
    on_change: Callable[[Change], None] = lambda _: None,
) -> Report:
    """The report of a simulation on a clock that jumps."""

    async def main() -> Report:
        with trio.fail_after(1_000_000):
            return await simulate(board, plan, on_flip=on_flip, on_change=on_change)

    return trio.run(main, clock=MockClock(autojump_threshold=0))


def test_one_player_makes_all_flips_and_never_waits() -> None:
    report = play(PERFECT, Plan(players=1, moves=200, seed=1))
    (tally,) = report.tallies
    assert (tally.player, tally.flips, tally.waits, tally.longest_wait) == ("player1", 200, 0, 0.0)
    assert not report.stuck


def test_with_no_moves_nobody_does_anything() -> None:
    report = play(PERFECT, Plan(players=3, moves=0))
    assert [tally.flips for tally in report.tallies] == [0, 0, 0]
    assert not report.stuck


@pytest.mark.parametrize("seed", range(20))
def test_every_game_ends_with_everybody_finished_or_stuck_behind_somebody_who_has(seed: int) -> None:
    report = play(PERFECT, Plan(players=5, moves=12, seed=seed))
    tallies = {tally.player: tally for tally in report.tallies}
    stuck = {stuck.player for stuck in report.stuck}
    for name, tally in tallies.items():
        assert tally.flips <= 12 if name in stuck else tally.flips == 12
        assert tally.failures.total() <= tally.flips
        assert set(tally.failures) <= {"1-A", "2-A", "2-B"}
    for someone in report.stuck:
        assert someone.holder not in stuck
        assert tallies[someone.player].waits > 0
    assert sum(tally.pairs for tally in report.tallies) + report.pairs_left == 4


def test_games_do_get_stuck_on_a_pair_that_a_finished_player_keeps() -> None:
    reports = [play(PAIR, Plan(players=2, moves=2, seed=seed)) for seed in range(20)]
    assert any(report.stuck for report in reports)
    assert not all(report.stuck for report in reports)


def test_whoever_waits_for_the_first_card_of_a_finished_player_is_stuck_and_all_of_them_are_told() -> None:
    report = play(SINGLE, Plan(players=3, moves=1))
    assert len(report.stuck) == 2
    (holder,) = {stuck.holder for stuck in report.stuck}
    assert {stuck.player for stuck in report.stuck} == {"player1", "player2", "player3"} - {holder}
    assert all((stuck.row, stuck.column, stuck.card) == (0, 0, "A") for stuck in report.stuck)
    assert {tally.player for tally in report.tallies if tally.waits == 1} == {stuck.player for stuck in report.stuck}


def test_a_wait_is_as_long_as_its_player_waited() -> None:
    # At second 1 one of them takes the card and the other waits; at second 2 the one flips it again, fails by 2-B and
    # gives it up; at second 3 the other does the same.
    report = play(SINGLE, Plan(players=2, moves=2, min_delay=1, max_delay=1))
    one, other = sorted(report.tallies, key=lambda tally: tally.waits)
    assert (one.waits, one.longest_wait, dict(one.failures)) == (0, 0.0, {"2-B": 1})
    assert (other.waits, other.longest_wait, dict(other.failures)) == (1, 1.0, {"2-B": 1})
    assert not report.stuck


def test_delays_are_drawn_from_between_the_bounds() -> None:
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


def test_followers_are_told_every_flip_and_every_change_to_the_end() -> None:
    flips: list[None] = []
    changes: list[Change] = []
    plan = Plan(players=3, moves=30, seed=3)
    report = play(PERFECT, plan, on_flip=lambda: flips.append(None), on_change=changes.append)
    assert len(flips) == sum(tally.flips for tally in report.tallies) - len(report.stuck)
    events = [event for change in changes for event in change.events]
    assert sum(isinstance(event, Scored) for event in events) == sum(tally.pairs for tally in report.tallies)
    assert sum(isinstance(event, Waiting) for event in events) == sum(tally.waits for tally in report.tallies)
    assert not any(change.missed for change in changes)


def test_the_board_that_was_given_stays_as_it_is() -> None:
    before = str(PERFECT)
    play(PERFECT, Plan(players=2, moves=10))
    assert str(PERFECT) == before


async def test_a_simulation_can_be_cancelled(autojump_clock: MockClock) -> None:
    with trio.move_on_after(10) as scope:
        await simulate(PERFECT, Plan(players=2, moves=1_000_000, min_delay=1, max_delay=1))
    assert scope.cancelled_caught


# --- in the terminal --------------------------------------------------------------------------------

EVENTS = {
    TurnedUp(0, 1, "A"): "A at 0,1 turns up",
    TurnedDown(0, 1): "the card at 0,1 turns down (3-B)",
    Removed(0, 1, "bob", "A"): "bob removes A at 0,1 (3-A)",
    Replaced(0, 1, "B", "bob"): "the card at 0,1 becomes B",
    Replaced(0, 1, None, None): "the card at 0,1 becomes another one",
    Took(0, 1, "bob", "A"): "bob takes A at 0,1",
    Relinquished(0, 1, "bob", "A"): "bob gives up A at 0,1",
    Waiting(0, 1, "bob"): "bob waits for the card at 0,1 (1-D)",
    Withdrawn(0, 1, "bob"): "bob waits no longer for the card at 0,1",
    Joined("bob"): "bob joins",
    Scored("bob", 2, 1): "bob has 2; pairs left: 1",
    PairsLeft(3): "pairs left: 3",
    Restarted("bob"): "bob starts a new game",
}


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_is_told_in_a_sentence(event: Event) -> None:
    assert narrate(event) == EVENTS[event]


def test_every_event_of_the_game_has_a_sentence() -> None:
    named = {kind for base in (Event, SpaceEvent) for kind in base.__subclasses__()} - {SpaceEvent}
    assert {kind for kind in named if kind.__module__ == "scramble.memory.messages"} == set(map(type, EVENTS))


def test_an_event_of_another_kind_is_told_as_it_is() -> None:
    class Hailed(Event, frozen=True):
        by: str

    assert "Hailed" in narrate(Hailed("bob"))


def test_the_end_says_who_waits_for_what_held_by_whom() -> None:
    stuck = (Stuck("bob", 0, 1, "A", "alice"), Stuck("carol", 0, 2, "A", "alice"))
    assert ending(Report((), stuck, 1)) == [
        "nobody can move any more; 1 pair left on the board",
        "bob waits for A at 0,1, held by alice, who has finished",
        "carol waits for A at 0,2, held by alice, who has finished",
    ]
    assert ending(Report((), (), 2)) == ["everybody has finished; 2 pairs left on the board"]


def test_the_table_has_a_row_for_each_player() -> None:
    busy = msgspec.structs.replace(Tally("bob"), flips=7, waits=2, longest_wait=0.0125, pairs=3)
    busy.failures.update({"1-A": 4, "2-B": 1})
    console = Console(file=io.StringIO(), width=100)
    console.print(report_table(Report((busy, Tally("carol")), (), 0), Plan(players=2, moves=9, seed=42)))
    assert isinstance(console.file, io.StringIO)
    title, _, head, _, bob, carol, _ = console.file.getvalue().splitlines()
    assert title.strip() == "2 players, up to 9 flips each, seed 42"
    assert [cell.strip() for cell in head.split("┃")[1:-1]] == [
        *("player", "flips", "1-A", "2-A", "2-B", "waits", "longest, ms", "pairs")
    ]
    assert [cell.strip() for cell in bob.split("│")[1:-1]] == ["bob", "7", "4", "0", "1", "2", "12.5", "3"]
    assert [cell.strip() for cell in carol.split("│")[1:-1]] == ["carol", "0", "0", "0", "0", "0", "-", "0"]
