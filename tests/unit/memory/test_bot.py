"""Bots for Memory Scramble play whole games on an autojump clock.

Strategy:
- players: a bot alone; against itself; against another level; together with people who hold cards, leave, and start
  new games
- level: hard has perfect memory; lower levels forget more; hard beats easy
- the end: no pair is left; the game is closed while the bot thinks, waits for a card, or waits for other players
- the table: pairs only; a card without a match; a single card

Every test also shows that a game ends: the clock jumps to the deadline if no task has another event to wait for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from scramble.errors import GameClosed, Refusal
from scramble.games.bot import LEVELS, PATIENCE_S, Level
from scramble.kernel.protocol import Change
from scramble.memory import Board, FlipFailed, Game, Snapshot, open_game
from scramble.memory.boardfile import format_board_file
from scramble.memory.bot import play_memory
from scramble.memory.bot_mind import MemoryMind
from scramble.memory.messages import FaceDown, FaceUp, Flip, Relinquished, TurnedUp, Waiting
from scramble.memory.random_board import new_board
from tests.support.botclock import play_out


def shuffled(rows: int, columns: int, seed: int = 0) -> Board:
    """A board of pairs, shuffled with the seed."""
    return Board.parse(new_board(rows, columns, "letters", seed))


def whole_game(
    board: Board,
    levels: Sequence[Level],
    *,
    seed: int = 0,
    pace: float = 1.0,
    on_change: Callable[[Change], None] = lambda _: None,
) -> Snapshot:
    """Let bots of these levels (bot0 and so on) play a game to its end. Pass on its changes; return the last table."""

    async def main() -> Snapshot:
        async with open_game(board) as game:
            changes = game.changes()
            async with trio.open_nursery() as bots:
                for number, level in enumerate(levels):
                    bots.start_soon(_play, game, f"bot{number}", level, seed, pace)
            for change in changes.pending():
                assert not change.missed
                on_change(change)
            return await game.snapshot()

    return play_out(main)


async def _play(game: Game, name: str, level: Level, seed: int, pace: float) -> None:
    await play_memory(game, name, level, seed=seed, pace=pace)


def test_a_bot_that_looks_again_at_the_whole_table_remembers_as_many_cards_as_before() -> None:
    mind = MemoryMind("bot", "easy", random.Random(0))
    down = Snapshot(0, 1, 10, (FaceDown(),) * 10, {}, {}, 5)
    up = Snapshot(1, 1, 10, (FaceUp("A", "bot"), *(FaceDown(),) * 9), {}, {}, 5)
    mind.begin(down)
    for column, card in enumerate("BCDEA", start=5):  # the bot remembers the last four of them
        mind.see(0, column, FaceUp(card, "bot"))
        mind.see(0, column, FaceDown())
    mind.begin(up)
    assert mind.next_move() == Flip("bot", 0, 9)
    mind.begin(down)
    assert mind.next_move() in {Flip("bot", 0, 0), Flip("bot", 0, 9)}, "it knows both cards of that pair"


@pytest.mark.parametrize("pace", [0.0, 1.0])
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_alone_removes_every_pair(level: Level, pace: float) -> None:
    table = whole_game(shuffled(4, 4), [level], pace=pace)
    assert table.pairs_left == 0
    assert table.scores == {"bot0": 8}


@given(
    levels=st.lists(st.sampled_from(LEVELS), min_size=2, max_size=4),
    seed=st.integers(0, 1000),
    pace=st.sampled_from([0.0, 0.001, 1.0]),
    cards=st.lists(st.sampled_from("AABBCD"), min_size=1, max_size=12),
)
@settings(max_examples=30)
def test_any_company_of_bots_plays_any_table_to_its_end(
    levels: list[Level], seed: int, pace: float, cards: list[str]
) -> None:
    table = whole_game(Board.parse(format_board_file(1, len(cards), cards)), levels, seed=seed, pace=pace)
    assert table.pairs_left == 0
    assert sum(table.scores.values()) == sum(cards.count(card) // 2 for card in set(cards))
    assert not table.waiting


def test_hard_beats_easy_in_every_one_of_ten_games() -> None:
    for seed in range(10):
        scores = whole_game(shuffled(6, 6, seed), ["easy", "hard"], seed=seed).scores
        assert scores["bot1"] > scores["bot0"]


def test_each_level_needs_fewer_flips_than_the_one_below() -> None:
    flips: dict[Level, int] = dict.fromkeys(LEVELS, 0)
    for level in LEVELS:
        for seed in range(10):

            def count(change: Change, level: Level = level) -> None:
                flips[level] += sum(isinstance(event, TurnedUp) for event in change.events)

            whole_game(shuffled(4, 6, seed), [level], seed=seed, on_change=count)
    assert flips["easy"] > flips["medium"] > flips["hard"]


@pytest.mark.parametrize("seed", range(10))
def test_a_hard_bot_alone_never_mismatches_a_card_that_it_has_seen(seed: int) -> None:
    seen: dict[tuple[int, int], list[str]] = {}

    def judge(change: Change) -> None:
        for event in change.events:
            if isinstance(event, TurnedUp):
                seen.setdefault((event.row, event.column), []).append(event.card)
        given_up = {(event.row, event.column): event.card for event in change.events if isinstance(event, Relinquished)}
        for place, card in given_up.items():
            assert len(seen[place]) == 1, "it turned up a card that it had seen before, and found no match"
            assert [other for other, cards in seen.items() if card in cards] == [place], "it had seen the match"

    whole_game(shuffled(4, 5, seed), ["hard"], seed=seed, on_change=judge)


def test_a_bot_waits_for_a_card_of_a_person_no_longer_than_its_patience_and_never_for_a_found_pair() -> None:
    async def main() -> None:
        async with open_game(Board.parse("2x2\nA\nA\nB\nB\n")) as game, trio.open_nursery() as nursery:
            await game.flip("ann", 0, 0)
            await game.flip("ann", 0, 1)  # a pair: ann keeps control of it
            await game.flip("bob", 1, 0)  # a first card: bob keeps control of it
            changes = game.changes()
            nursery.start_soon(_play, game, "bot", "hard", 0, 1.0)
            waits = 0
            async for change in changes:
                waits += any(isinstance(event, Waiting) for event in change.events)
                if waits == 3:  # the third wait shows that the bot gave up twice
                    break
            assert trio.current_time() <= 3 * (PATIENCE_S + 5.0)
            snapshot = await game.snapshot()
            assert snapshot.waiting == {"bot": (1, 0)}
            held = [cell.by for cell in snapshot.cells if isinstance(cell, FaceUp)]
            assert held == ["ann", "ann", "bob"]
            with pytest.raises(FlipFailed):
                await game.flip("bob", 1, 0)  # bob relinquishes the card, and the bot gets it
            with pytest.raises(FlipFailed):
                await game.flip("ann", 0, 0)  # removes ann's pair

    play_out(main)


def test_a_bot_goes_on_after_a_new_game_and_ends_quietly_when_the_game_is_closed() -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery, open_game(shuffled(4, 4)) as game:
            changes = game.changes()
            nursery.start_soon(_play, game, "bot", "medium", 1, 1.0)
            for seed in range(3):
                for _ in range(9):
                    await anext(changes)
                await game.new_game("ann", seed)
            assert (await game.snapshot()).scores.keys() == {"bot"}

    play_out(main)


@given(
    seed=st.integers(0, 10_000),
    level=st.sampled_from(LEVELS),
    deeds=st.lists(
        st.tuples(
            st.floats(0.0, 8.0),
            st.sampled_from(["ann", "bob", "bot"]),
            st.sampled_from(["flip", "give up", "replace", "new game", "close"]),
            st.integers(0, 3),
            st.integers(0, 2),
        ),
        max_size=30,
    ),
)
def test_nothing_that_others_do_makes_a_bot_fail(
    seed: int, level: Level, deeds: list[tuple[float, str, str, int, int]]
) -> None:
    async def flip(game: Game, player: str, row: int, column: int, patience: float) -> None:
        with trio.move_on_after(patience):
            with suppress(Refusal, GameClosed):
                await game.flip(player, row, column)

    async def main() -> None:
        async with trio.open_nursery() as nursery, open_game(shuffled(4, 3, seed), release_idle=5.0) as game:
            nursery.start_soon(_play, game, "bot", level, seed, 1.0)
            for pause, player, deed, row, column in deeds:
                await trio.sleep(pause)
                match deed:
                    case "flip" | "give up":
                        nursery.start_soon(flip, game, player, row, column, 300.0 if deed == "flip" else 1.0)
                    case "replace":
                        await game.replace(player, "ABCDEF"[row], "ABCDEF"[column])
                    case "new game":
                        await game.new_game(player, row)
                    case _:
                        await game.aclose()
                        return

    play_out(main)
