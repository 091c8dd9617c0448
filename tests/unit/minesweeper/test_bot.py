"""Bots for Minesweeper dig whole fields, on an autojump clock.

Strategy:
- players: a bot alone; several of different levels; together with people who dig, flag wrongly, deflag, and leave
- moves, on random fields: every move is inside the field; every dig that is no guess is safe; every flagged square has
  a bomb; the bot guesses only if no single number proves that a square is safe or has a bomb
- rules: single point; subset. The lowest level does not know subset
- the end: all squares without a bomb are dug, also with wrong flags; the game closes
- a contest: no move in a pause, and moves after it. Without that rule, a bot with a pace of 0 would never end. The
  first dig is at the start; a bot waits while a player's flag is there
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from scramble.errors import GameClosed
from scramble.games.bot import LEVELS, Level
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.bot import play_minesweeper
from scramble.minesweeper.bot_mind import SweeperMind
from scramble.minesweeper.messages import Dug, Exploded, Snapshot
from tests.support.botclock import play_out

fields = st.builds(
    lambda columns, rows, share, seed: _field(columns, rows, share, seed),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.1, 0.15, 0.25, 1.0]),
    st.integers(0, 10_000),
)


def _field(columns: int, rows: int, share: float, seed: int) -> Field:
    choices = random.Random(seed)
    return Field(columns, rows, [(x, y) for y in range(rows) for x in range(columns) if choices.random() < share])


async def _play(game: Game, name: str, level: Level, seed: int, pace: float = 1.0) -> None:
    await play_minesweeper(game, name, level, seed=seed, pace=pace)


@given(field=fields, level=st.sampled_from(LEVELS), seed=st.integers(0, 1000))
def test_every_dig_that_is_not_a_guess_is_safe_and_every_flag_has_a_bomb(field: Field, level: Level, seed: int) -> None:
    mind = SweeperMind(level, random.Random(seed))
    mind.begin(field.snapshot())
    while (move := mind.next_move()) is not None:
        bombs = field.bombs()
        assert 0 <= move.x < field.columns
        assert 0 <= move.y < field.rows
        if move.does == "flag":
            assert (move.x, move.y) in bombs
            field.flag(move.x, move.y)
        else:
            assert move.guess or (move.x, move.y) not in bombs
            assert not (move.guess and _single_point(field)), "a single number proves more"
            field.dig(move.x, move.y)
        mind.see((0, y, line) for y, line in enumerate(field.snapshot().lines))
    assert mind.over
    assert sum(line.count("F") for line in field.snapshot().lines) == len(field.bombs())


def _single_point(field: Field) -> bool:
    """True if a single number proves that an untouched square is safe or has a bomb. Bots flag only proven bombs."""
    lines = field.snapshot().lines
    for y, line in enumerate(lines):
        for x, shown in enumerate(line):
            around = [
                lines[b][a]
                for b in range(max(0, y - 1), min(field.rows, y + 2))
                for a in range(max(0, x - 1), min(field.columns, x + 2))
            ]
            if (
                shown.isdigit()
                and "-" in around
                and int(shown) in (around.count("F"), around.count("F") + around.count("-"))
            ):
                return True
    return False


def test_the_subset_rule_proves_what_single_numbers_do_not() -> None:
    field = Field(3, 3, [(1, 0)])
    for x in range(3):
        field.dig(x, 2)
    for x in range(3):
        field.dig(x, 1)
    moves = {level: _first(field, level) for level in LEVELS}
    assert moves["medium"] == moves["hard"] == ("dig", False)
    assert moves["easy"] == ("dig", True)


def _first(field: Field, level: Level) -> tuple[str, bool]:
    mind = SweeperMind(level, random.Random(0))
    mind.begin(field.snapshot())
    move = mind.next_move()
    assert move is not None
    return move.does, move.guess


def explosions(levels: list[Level], seed: int, pace: float = 1.0) -> int:
    """The number of bombs that bots of these levels dig on a beginner's field."""

    async def main() -> int:
        field = _field(9, 9, 0.13, seed)
        async with open_game(field) as game:
            changes = game.changes()
            async with trio.open_nursery() as bots:
                for number, level in enumerate(levels):
                    bots.start_soon(_play, game, f"bot{number}", level, seed, pace)
            snapshot = await game.snapshot()
            assert snapshot.players == ()
            booms = sum(isinstance(event, Exploded) for change in changes.pending() for event in change.events)
            covered = sum(line.count("-") + line.count("F") for line in snapshot.lines)
            assert covered == len(field.bombs()) - booms, "a square without a bomb was left"
            return booms

    return play_out(main)


@pytest.mark.parametrize("pace", [0.0, 1.0])
@pytest.mark.parametrize("levels", [["easy"], ["medium"], ["hard"], ["easy", "hard"], ["medium"] * 4])
def test_any_company_of_bots_digs_a_field_to_its_end(levels: list[Level], pace: float) -> None:
    explosions(levels, seed=3, pace=pace)


def test_a_hard_bot_digs_fewer_bombs_than_an_easy_one() -> None:
    easy, hard = (sum(explosions([level], seed) for seed in range(15)) for level in ("easy", "hard"))
    assert hard < easy


@given(
    seed=st.integers(0, 10_000),
    level=st.sampled_from(LEVELS),
    deeds=st.lists(
        st.tuples(
            st.floats(0.0, 8.0),
            st.sampled_from(["dig", "flag", "deflag", "close"]),
            st.integers(-1, 5),
            st.integers(-1, 5),
        ),
        max_size=40,
    ),
)
def test_nothing_that_others_do_makes_a_bot_fail(
    seed: int, level: Level, deeds: list[tuple[float, str, int, int]]
) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery, open_game(_field(5, 5, 0.2, seed)) as game:
            nursery.start_soon(_play, game, "bot", level, seed)
            async with game.connect("ann") as ann:
                for pause, deed, x, y in deeds:
                    await trio.sleep(pause)
                    match deed:
                        case "dig":
                            await game.dig(x, y, ann.player)
                        case "flag":
                            await game.flag(x, y, ann.player)
                        case "deflag":
                            await game.deflag(x, y, ann.player)
                        case _:
                            await game.aclose()
                            return

    play_out(main)


def test_a_bot_waits_beside_wrong_flags_of_others_and_goes_on_when_they_are_gone() -> None:
    async def main() -> None:
        async with open_game(Field(2, 1, [])) as game, trio.open_nursery() as nursery:
            await game.flag(0, 0)
            await game.flag(1, 0)
            nursery.start_soon(_play, game, "bot", "hard", 0)
            await trio.sleep(1000)
            assert (await game.look()).text == "F F\n"
            await game.deflag(0, 0)
            await trio.sleep(1000)
            assert "-" not in (await game.look()).text
            await game.deflag(1, 0)

    play_out(main)


@pytest.mark.parametrize("seed", range(5))
def test_bots_sit_out_their_pauses_and_stop_when_the_game_is_won(seed: int) -> None:
    async def main() -> None:
        field = _field(12, 12, 0.25, seed)
        field.keep_scores(pause_ms=5000, closes=True)
        async with open_game(field) as game:
            async with trio.open_nursery() as bots:
                for number in range(2):
                    bots.start_soon(_play, game, f"bot{number}", "easy", seed, 0.0)
            standing = await game.finished()
            booms = sum(score.booms for score in standing.scores.values())
            assert booms > 1
            assert 5 * (booms - 1) / 2 <= trio.current_time() <= 5 * booms

    play_out(main)


def test_a_bot_begins_at_the_start_and_waits_while_that_is_flagged() -> None:
    async def main() -> None:
        field = Field(6, 6, [(0, 0), (5, 5)])
        field.keep_scores(closes=True, start=(2, 3))
        async with open_game(field) as game, trio.open_nursery() as nursery:
            await game.flag(2, 3)
            nursery.start_soon(_play, game, "bot", "hard", 0)
            await trio.sleep(1000)
            assert (await game.standing()).left == 34
            changes = game.changes()
            await game.deflag(2, 3)
            await game.finished()
            first = next(event for change in changes.pending() for event in change.events if isinstance(event, Dug))
            assert (first.x, first.y) == (2, 3)

    play_out(main)


def test_a_bot_looks_at_the_field_only_once_it_may_think(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, begin = list[bool](), SweeperMind.begin
    may_think = False

    def noted(mind: SweeperMind, snapshot: Snapshot) -> None:
        looked.append(may_think)
        begin(mind, snapshot)

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        nonlocal may_think
        await trio.sleep(1000)
        may_think = True
        yield

    monkeypatch.setattr(SweeperMind, "begin", noted)

    async def main() -> None:
        async with open_game(Field(2, 1, [])) as game:
            await play_minesweeper(game, "bot", turn=turn)

    play_out(main)
    assert looked == [True]


def test_a_bot_ends_quietly_in_a_game_that_is_closed_already() -> None:
    async def main() -> None:
        async with open_game(Field(2, 1, [])) as game:
            await game.aclose()
            await play_minesweeper(game, "bot")
            with pytest.raises(GameClosed):
                await game.look()

    play_out(main)
