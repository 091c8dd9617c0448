"""Bots for Crossword Extravaganza play whole matches, on an autojump clock.

Strategy:
- matches: a bot against itself, against other levels, against people who type nonsense, challenge, leave, say nothing
- answers: all; some; none: the timer ends the match; clues with equal text; puzzle files
- words that the rules allow: a bot that plays against a bot makes no move that is refused
- a bot on another server: its connection is lost during a match
- the end: every cell is right; the opponent has left; the lobby is closed; the name is in use
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Game, Puzzle, Result, SessionEnded, SessionView, load_puzzles, open_lobby
from scramble.crossword.bot import BOTS, play_crossword
from scramble.crossword.bot_mind import CrosswordMind, answers_of
from scramble.crossword.frames import view_frame
from scramble.errors import CannotRead, GameClosed, InvalidCommand
from scramble.front.crossword.dialogue import converse
from scramble.games.bot import LEVELS, Level, MakeMind, Thinking
from scramble.resources import PACKAGED_PUZZLES
from tests.support.botclock import play_out

PUZZLES = {puzzle.id: puzzle for puzzle in load_puzzles(PACKAGED_PUZZLES)[0]}
KITCHEN = PUZZLES["kitchen"]


def match_of(
    levels: tuple[Level, Level],
    *,
    puzzle: Puzzle = KITCHEN,
    seed: int = 0,
    pace: float = 1.0,
    known: Sequence[Puzzle] | None = None,
) -> Result:
    """Return the result of a match between bot0 and bot1."""

    async def main() -> Result:
        answers = answers_of([puzzle] if known is None else known)
        results: list[Result | None] = []

        async def play(number: int, level: Level) -> None:
            results.append(await play_crossword(lobby, f"bot{number}", level, answers=answers, seed=seed, pace=pace))

        async with open_lobby([puzzle]) as lobby, trio.open_nursery() as bots:
            for number, level in enumerate(levels):
                bots.start_soon(play, number, level)
                await trio.testing.wait_all_tasks_blocked() if not pace else await trio.sleep(60)  # bot0 opens a match
        first, second = results
        assert first is not None
        assert first == second
        return first

    return play_out(main)


def is_solved(result: Result, puzzle: Puzzle) -> bool:
    """True if every cell shows its letter."""
    letters = {cell: letter for entry in puzzle.entries for cell, letter in zip(entry.cells(), entry.word, strict=True)}
    shown = result.match.cells
    return all((view := shown[row][column]) and view.letter == letter for (row, column), letter in letters.items())


@pytest.mark.parametrize("pace", [0.0, 1.0])
@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_two_bots_complete_every_packaged_puzzle(puzzle: Puzzle, pace: float) -> None:
    result = match_of(("easy", "medium"), puzzle=puzzle, pace=pace)
    assert is_solved(result, puzzle)
    assert result.forfeited_by is None
    assert result.ended is None


@given(first=st.sampled_from(LEVELS), second=st.sampled_from(LEVELS), seed=st.integers(0, 1000))
def test_bots_of_any_levels_complete_a_puzzle(first: Level, second: Level, seed: int) -> None:
    assert is_solved(match_of((first, second), seed=seed), KITCHEN)


def test_hard_beats_easy_in_every_one_of_ten_matches() -> None:
    for seed in range(10):
        assert match_of(("easy", "hard"), seed=seed).winner == "bot1"


def test_bots_that_know_nothing_sit_there_until_the_match_times_out() -> None:
    result = match_of(("hard", "hard"), known=[])
    assert result.ended == "timed out"
    assert all(word.entered is None for word in result.match.words)


def test_a_bot_tells_words_with_the_same_clue_apart() -> None:
    clueless = [msgspec.structs.replace(entry, clue="-") for entry in KITCHEN.entries]
    puzzle = Puzzle("clueless", "Without clues", "all words have the clue -", clueless)
    result = match_of(("easy", "hard"), puzzle=puzzle)
    assert is_solved(result, puzzle)
    assert result.match.challenge_points["bot1"] >= 0


def test_bots_know_the_words_of_packaged_puzzles_and_of_the_files_that_they_learn(tmp_path: Path) -> None:
    file = tmp_path / "own.puzzle"
    file.write_text((PACKAGED_PUZZLES / "simple.puzzle").read_text().replace(', "', ', "Once more: '))
    own = Puzzle.parse_from_file(file)

    def entered(minds: MakeMind, puzzle: Puzzle) -> int:
        async def main() -> int:
            async with open_lobby([puzzle]) as lobby, trio.open_nursery() as nursery:
                nursery.start_soon(partial(BOTS.play, lobby, "bot0", "hard", minds=minds))
                await trio.sleep(60)
                mind = await BOTS.play(lobby, "bot1", "hard", minds=minds)
            assert isinstance(mind, CrosswordMind)
            assert mind.view.result is not None
            return sum(word.entered is not None for word in mind.view.result.match.words)

        return play_out(main)

    assert entered(BOTS.taught(), PUZZLES["simple"]) == len(PUZZLES["simple"].entries)
    assert entered(BOTS.taught(), own) == 0
    assert entered(BOTS.taught([file]), own) == len(own.entries)
    with pytest.raises(CannotRead, match="cannot be read"):
        BOTS.taught([tmp_path])


def test_a_hard_bot_challenges_what_is_wrong_and_leaves_alone_what_is_right() -> None:
    async def main() -> None:
        async with open_lobby([KITCHEN]) as lobby, trio.open_nursery() as nursery, lobby.session() as ann:
            await ann.say("ann")
            await ann.say('NEW m1 kitchen "a match"')
            hard = partial(play_crossword, lobby, "bot", "hard", answers=answers_of([KITCHEN]))
            nursery.start_soon(hard)
            view = await ann.next_view()
            right, wrong = [word for word in KITCHEN.shape.words if word.direction == "ACROSS"][:2]
            assert (await ann.say(f"TRY {right.id} {KITCHEN.entries[right.id - 1].word}")).error is None
            assert (await ann.say(f"TRY {wrong.id} {'x' * wrong.length}")).error is None
            while view.state != "SHOW SCORE":
                view = await ann.next_view()
            assert view.result is not None
            by = {word.id: word.by for word in view.result.match.words}
            assert (by[right.id], by[wrong.id]) == ("ann", "bot")
            assert view.result.match.challenge_points == {"ann": 0, "bot": 2}

    play_out(main)


def test_a_bot_on_another_server_comes_back_to_its_match_after_a_lost_connection() -> None:
    async def main() -> None:
        assert BOTS.remote is not None
        mind = CrosswordMind("bot", "hard", random.Random(0))  # it knows no words, so the match goes on
        table = BOTS.remote.table("bot", mind)

        async def connect(lobby: Game, *, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
            lines, received = trio.open_memory_channel[str](10)
            table.connected(lines.send)

            async def show(view: SessionView) -> None:
                await trio.lowlevel.checkpoint()
                table.take(view_frame(view).decode())

            async with trio.open_nursery() as connection:
                connection.start_soon(converse, lobby, received.receive, show)
                connection.start_soon(table.play, Thinking("hard", random.Random(0), 1.0))
                task_status.started(connection.cancel_scope)

        async with open_lobby([KITCHEN]) as lobby, trio.open_nursery() as nursery, lobby.session() as ann:
            await ann.say("ann")
            await ann.say('NEW m1 kitchen "a match"')
            connection = await nursery.start(connect, lobby)
            await trio.sleep(60)
            assert mind.view.state == "PLAY"
            connection.cancel()
            await trio.sleep(1)
            assert "bot" in (await ann.look()).message
            await nursery.start(connect, lobby)
            await trio.sleep(1)
            assert (mind.view.state, mind.view.player) == ("PLAY", "bot")
            nursery.cancel_scope.cancel()

    play_out(main)


def test_a_name_in_use_is_refused_in_words() -> None:
    async def main() -> None:
        async with open_lobby([KITCHEN]) as lobby, lobby.session() as ann:
            await ann.say("ann")
            with pytest.raises(InvalidCommand, match="in use"):
                await play_crossword(lobby, "ann", answers={})

    play_out(main)


WORDS = st.sampled_from([entry.word for entry in KITCHEN.entries] + ["x" * n for n in range(1, 9)])
LINES = st.one_of(
    st.builds(lambda verb, word, text: f"{verb} {word} {text}", st.sampled_from(["TRY", "CHALLENGE"]),
              st.integers(0, len(KITCHEN.entries)), WORDS),
    st.sampled_from(["EXIT", "NEW MATCH", "", "leave", "come back", "close"]),
)  # fmt: skip


@given(
    seed=st.integers(0, 10_000),
    level=st.sampled_from(LEVELS),
    deeds=st.lists(st.tuples(st.floats(0.0, 60.0), LINES), max_size=30),
)
def test_nothing_that_the_other_does_makes_a_bot_fail(seed: int, level: Level, deeds: list[tuple[float, str]]) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery, open_lobby([KITCHEN], idle=600.0, match_idle=600.0) as lobby:
            nursery.start_soon(partial(play_crossword, lobby, "bot", level, answers=answers_of([KITCHEN]), seed=seed))
            await trio.sleep(100)
            await _meddle(lobby, deeds)
            await trio.sleep(1000)

    play_out(main)


async def _meddle(lobby: Game, deeds: list[tuple[float, str]]) -> None:
    """Act against the bot: type each line after its delay. "leave" loses the connection; the token brings ann back."""
    remaining, joining = iter(deeds), "ann"
    for _ in range(5):
        with suppress(SessionEnded, GameClosed):
            async with lobby.session() as ann:
                view = await ann.say(joining)
                joining = f"ann {view.token}" if view.token else joining
                if view.matches:
                    await ann.say(f"PLAY {view.matches[0].id}")
                for pause, line in remaining:
                    await trio.sleep(pause)
                    if line == "close":
                        await lobby.aclose()
                    if line == "leave":
                        break
                    await ann.say(line)
