"""Rooms of Memory Scramble.

Strategy:
- settings: every field missing, valid, and invalid in each way; several invalid at once; an unknown field; a board file
  that is valid, invalid in a line, too large, without a pair; limits of the caller
- set_up: the same settings, another seed; settled settings are settled again
- finished: at the last match, not at its removal; before the call; after a relinquished pair; after more changes at
  once than the history keeps; closed before the end
- a game with a journal continues after it is opened again
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import trio
import trio.testing

from scramble.errors import GameClosed
from scramble.games.room import GameResult, RoomClocks
from scramble.games.settings import BadSettings
from scramble.games.table import game_kinds
from scramble.journal import Journal
from scramble.kernel.changes import HISTORY_SIZE
from scramble.memory import Game
from scramble.memory.boardfile import parse_board_file
from scramble.memory.kind import memory_kind
from scramble.memory.messages import Flip, Relinquish
from scramble.memory.random_board import THEMES

MEMORY = game_kinds()["memory"]
SIZE = "rows x columns, at least 1x2 and at most 10,000 cards, an even number; for example 6x6"
CALM = RoomClocks(turn_s=None)


def errors(given: Mapping[str, object]) -> dict[str, str]:
    with pytest.raises(BadSettings) as info:
        MEMORY.settle(given, 7)
    return info.value.errors


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({}, {"size": "6x6", "theme": "animals", "seed": 7}),
        ({"size": "1x2", "theme": "words"}, {"size": "1x2", "theme": "words", "seed": 7}),
        ({"size": "100x100", "seed": 0}, {"size": "100x100", "theme": "animals", "seed": 0}),
        ({"board": "1x2\nA\nA\n"}, {"board": "1x2\nA\nA\n"}),
    ],
)
def test_settings_are_completed_and_then_do_not_change(
    given: Mapping[str, object], settled: Mapping[str, object]
) -> None:
    assert MEMORY.settle(given, 7) == settled
    assert MEMORY.settle(settled, 8) == settled


@pytest.mark.parametrize("size", ["3x3", "0x2", "x", "6 x 6", "6", "100x101", "9999999x2", 36, None, "٦x6"])
def test_an_invalid_size_is_refused_with_a_reason(size: object) -> None:
    assert errors({"size": size}) == {"settings.size": SIZE}


def test_each_invalid_field_has_its_own_message() -> None:
    assert errors({"size": 1, "theme": "cars", "seed": -1, "colour": "red", "seeds": 1}) == {
        "settings.size": SIZE,
        "settings.theme": "one of " + ", ".join(THEMES),
        "settings.seed": "a whole number from 0 to 9,007,199,254,740,991",
        "settings.colour": "unknown; known are size, theme, seed, board",
        "settings.seeds": "unknown; known are size, theme, seed, board",
    }


def test_a_few_of_very_many_unknown_fields_are_named() -> None:
    assert len(errors({f"field{number}": number for number in range(10_000)})) == 20


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"seed": True}, "seed", "a whole number"),
        ({"seed": 1.5}, "seed", "a whole number"),
        ({"theme": ["animals"]}, "theme", "one of animals"),
        ({"board": 7}, "board", "the text of a file"),
        ({"board": "2x2\nA\n\nB\nB\n"}, "board", "line 3, column 1: expected a card, found an empty line"),
        ({"board": "1x2\nA\nB\n"}, "board", "at least two equal cards"),
        ({"board": "1x10002\n" + "A\n" * 10_002}, "board", "line 1: at most 10,000 cards, and not 10,002"),
        ({"board": "1x2\nA\nA\n", "theme": "food"}, "theme", "cannot be combined with board"),
    ],
)
def test_other_invalid_fields_are_refused_with_a_reason(given: Mapping[str, object], field: str, words: str) -> None:
    found = errors(given)
    assert list(found) == [f"settings.{field}"]
    assert found[f"settings.{field}"].startswith(words)


def test_a_program_may_set_another_limit_and_older_larger_rooms_still_open() -> None:
    small = memory_kind(8)
    assert small.settle({"size": "2x4"}, 1)["size"] == "2x4"
    with pytest.raises(BadSettings, match="at most 8 cards"):
        small.settle({"size": "2x5"}, 1)
    small.set_up({"size": "2x5", "theme": "animals", "seed": 1})


@pytest.mark.parametrize(
    ("most_cards", "usual", "offered"),
    [
        (16, "4x4", ["4x4"]),
        (35, "6x5", ["4x4", "4x5", "6x5"]),
        (36, "6x6", ["4x4", "4x5", "6x5", "6x6"]),
        (48, "6x6", ["4x4", "4x5", "6x5", "6x6", "8x6"]),
        (15, "2x7", ["2x7"]),
        (2, "2x1", ["2x1"]),
    ],
)
def test_a_limit_also_applies_to_default_sizes(most_cards: int, usual: str, offered: list[str]) -> None:
    small = memory_kind(most_cards)
    assert small.settle({}, 1)["size"] == usual
    assert small.choices()["sizes"] == offered


def test_another_game_shuffles_the_cards_again() -> None:
    assert MEMORY.again({"size": "2x5", "theme": "food", "seed": 1}, 2) == {"size": "2x5", "theme": "food", "seed": 2}
    shuffled = [MEMORY.again({"board": "2x3\nA\nA\nB\nB\nC\nC\n"}, seed) for seed in range(5)]
    boards = [parse_board_file(str(settings["board"])) for settings in shuffled]
    assert {(board.rows, board.columns, tuple(sorted(board.cards))) for board in boards} == {(2, 3, tuple("AABBCC"))}
    assert len({board.cards for board in boards}) > 1


def test_a_page_can_offer_every_choice() -> None:
    choices = MEMORY.choices()
    assert choices["themes"] == list(THEMES)
    assert choices["cards"] == {theme: len(symbols) for theme, symbols in THEMES.items()}
    assert isinstance(choices["sizes"], list)
    for size in choices["sizes"]:
        MEMORY.settle({"size": size}, 1)


async def cards_of(settings: Mapping[str, object]) -> tuple[str, ...]:
    async with MEMORY.set_up(settings).open(None, CALM) as room:
        assert isinstance(room.game, Game)
        places = [divmod(place, 4) for place in range(16)]
        shown = [(await room.game.flip(f"p{row}{column}", row, column)).split("\n") for row, column in places]
        return tuple(lines[1 + place] for place, lines in enumerate(shown))


async def test_the_settings_alone_decide_the_board() -> None:
    settings = MEMORY.settle({"size": "4x4"}, 3)
    assert await cards_of(settings) == await cards_of(settings)
    assert await cards_of(settings) != await cards_of({**settings, "seed": 4})


ROW = {"board": "1x4\nA\nA\nB\nB\n"}


async def test_the_game_is_over_at_the_match_of_the_last_pair() -> None:
    async with MEMORY.set_up(ROW).open(None, CALM) as room, trio.open_nursery() as nursery:
        results: list[GameResult] = []

        async def wait() -> None:
            results.append(await room.finished())

        nursery.start_soon(wait)
        game = room.game
        assert isinstance(game, Game)
        for place in (0, 1):
            await game.flip("ann", 0, place)
        await game.ask(Relinquish("ann"))  # ann has left, and her pair is free again
        await game.flip("bob", 0, 2)
        await game.flip("bob", 0, 3)
        await trio.testing.wait_all_tasks_blocked()
        assert results == []
        await game.flip("cleo", 0, 1)
        await game.flip("cleo", 0, 0)
        await trio.testing.wait_all_tasks_blocked()
        once = {"turns": 1, "found": 1, "streak": 1, "memory": 0}
        figures = {"ann": once, "bob": once, "cleo": once}
        assert results == [GameResult({"bob": 1, "cleo": 1, "ann": 0}, ("bob", "cleo"), figures)]
        assert await room.finished() == results[0]


async def test_a_burst_of_moves_does_not_hide_the_end_of_the_game() -> None:
    async with MEMORY.set_up(ROW).open(None, CALM) as room, trio.open_nursery() as nursery:
        results: list[GameResult] = []

        async def wait() -> None:
            results.append(await room.finished())

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        game = room.game
        assert isinstance(game, Game)
        for place in (0, 1):
            game.owner.tell(Flip("ann", 0, place))
        for _ in range(HISTORY_SIZE // 2):
            game.owner.tell(Flip("bob", 0, 2))
            game.owner.tell(Relinquish("bob"))
        for place in (2, 3):
            await game.flip("bob", 0, place)
        await trio.testing.wait_all_tasks_blocked()
        assert [result.scores for result in results] == [{"ann": 1, "bob": 1}]
        nursery.cancel_scope.cancel()


async def test_a_game_that_is_closed_before_its_end_has_no_result() -> None:
    async with MEMORY.set_up(ROW).open(None, CALM) as room:
        assert isinstance(room.game, Game)

        async def wait() -> None:
            with pytest.raises(GameClosed):
                await room.finished()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await room.game.aclose()


async def test_a_reopened_game_continues_and_its_end_can_be_awaited_again(tmp_path: Path) -> None:
    journal, setup = Journal(tmp_path / "room.db"), MEMORY.set_up(ROW)
    async with setup.open(journal, CALM) as room:
        assert isinstance(room.game, Game)
        for place in (0, 1, 2):
            await room.game.flip("ann", 0, place)
    async with setup.open(journal, CALM) as room:
        assert isinstance(room.game, Game)
        await room.game.flip("ann", 0, 3)
        figures = {"ann": {"turns": 2, "found": 2, "streak": 2, "memory": 0}}
        assert await room.finished() == GameResult({"ann": 2}, ("ann",), figures)


@pytest.mark.parametrize(
    ("scores", "winners"),
    [
        ({}, ()),
        ({"ann": 0}, ()),
        ({"ann": 1}, ("ann",)),
        ({"ann": 1, "bob": 2}, ("bob",)),
        ({"ann": 2, "bob": 2}, ()),
        ({"ann": 2, "bob": 2, "cleo": 1}, ("ann", "bob")),
        ({"ann": 0, "bob": 0}, ()),
    ],
)
def test_the_most_points_win_and_equal_points_of_all_are_a_draw(
    scores: dict[str, int], winners: tuple[str, ...]
) -> None:
    result = GameResult.of(scores)
    assert result.winners == winners
    assert list(result.scores.values()) == sorted(scores.values(), reverse=True)


def test_a_result_has_the_best_of_very_many_players() -> None:
    scores = {f"p{number}": number for number in range(1000)}
    result = GameResult.of(scores, {player: {"booms": 1} for player in scores})
    assert list(result.scores.values()) == list(range(999, 799, -1))
    assert result.figures.keys() == result.scores.keys()
    assert result.winners == ("p999",)
