"""Rooms of Minesweeper.

Strategy:
- settings: every field missing, right, and wrong in each way; presets; a field file that is right, wrong in a line, too
  large, without a free square; fields that do not go together
- set_up: the same settings make the same field; another seed another one; exactly as many bombs as asked for
- finished: over with the last safe square, whatever has exploded; over already; the scores by name; after a restart
- another game: other bombs, as many
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from scramble.journal import Journal
from scramble.minesweeper import Field, Game
from scramble.rooms.kind import BadSettings, GameResult, RoomClocks
from scramble.rooms.kinds import ROOM_KINDS, room_kinds

MINESWEEPER = ROOM_KINDS["minesweeper"]
SIZE = "rows x columns, at least 1x2 and at most 250,000 squares: such as 16x30"


def errors(given: Mapping[str, object]) -> dict[str, str]:
    with pytest.raises(BadSettings) as info:
        MINESWEEPER.settle(given, 7)
    return info.value.errors


@pytest.mark.parametrize(
    ("given", "size", "bombs", "safe_start", "seed"),
    [
        ({}, "9x9", 10, True, 7),
        ({"preset": "beginner"}, "9x9", 10, True, 7),
        ({"preset": "intermediate", "seed": 0}, "16x16", 40, True, 0),
        ({"preset": "expert", "safe_start": False}, "16x30", 99, False, 7),
        ({"size": "16x16"}, "16x16", 40, True, 7),
        ({"size": "1x2"}, "1x2", 1, True, 7),
        ({"size": "500x500", "bombs": 249_999}, "500x500", 249_999, True, 7),
        ({"bombs": 80}, "9x9", 80, True, 7),
    ],
)
def test_settings_are_completed_and_then_stay_as_they_are(
    given: Mapping[str, object], size: str, bombs: int, safe_start: bool, seed: int
) -> None:
    settled = MINESWEEPER.settle(given, 7)
    assert settled == {"size": size, "bombs": bombs, "safe_start": safe_start, "seed": seed}
    assert MINESWEEPER.settle(settled, 8) == settled


@pytest.mark.parametrize("size", ["1x1", "0x9", "9", "9,9", "501x500", "-9x9", 9, None])
def test_a_size_that_is_wrong_is_refused_in_words(size: object) -> None:
    assert errors({"size": size, "bombs": 3}) == {"settings.size": SIZE}


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"size": "3x4", "bombs": 12}, "bombs", "a whole number from 1 to 11"),
        ({"size": "3x4", "bombs": 0}, "bombs", "a whole number from 1 to 11"),
        ({"bombs": "10"}, "bombs", "a whole number from 1 to 80"),
        ({"safe_start": 1}, "safe_start", "true or false"),
        ({"seed": 2**53}, "seed", "a whole number from 0 to"),
        ({"preset": "easy"}, "preset", "one of beginner, intermediate, expert"),
        ({"preset": "expert", "bombs": 10}, "bombs", "does not go with preset"),
        ({"mines": 10}, "mines", "unknown; known are size, bombs"),
        ({"field": ["0"]}, "field", "the text of a file"),
        ({"field": "2 1\n0 2\n"}, "field", "line 2, column 3: expected exactly 2 values"),
        ({"field": "2 1\n0 \ud800\n"}, "field", "line 2, column 3: expected exactly 2 values"),
        ({"field": "1 1\n1\n"}, "field", "at least one square without a bomb"),
        ({"field": "250001 1\n" + " ".join("0" * 250_001) + "\n"}, "field", "line 1: at most 250,000 squares"),
        ({"field": "1 1\n0\n", "safe_start": True}, "safe_start", "does not go with field"),
    ],
)
def test_other_fields_that_are_wrong_say_why(given: Mapping[str, object], field: str, words: str) -> None:
    found = errors(given)
    assert list(found) == [f"settings.{field}"]
    assert found[f"settings.{field}"].startswith(words)


@pytest.mark.parametrize(
    ("most_squares", "given", "field"),
    [
        (80, {}, "size"),
        (80, {"bombs": 10}, "size"),
        (80, {"preset": "beginner"}, "preset"),
        (479, {"preset": "expert"}, "preset"),
    ],
)
def test_a_limit_is_one_of_sizes_that_nobody_has_given_too(
    most_squares: int, given: Mapping[str, object], field: str
) -> None:
    small = room_kinds(most_squares=most_squares)["minesweeper"]
    with pytest.raises(BadSettings) as info:
        small.settle(given, 7)
    assert list(info.value.errors) == [f"settings.{field}"]
    assert f"at most {most_squares} squares" in info.value.errors[f"settings.{field}"]


@pytest.mark.parametrize(
    ("most_squares", "offered"), [(80, []), (81, ["beginner"]), (480, ["beginner", "intermediate", "expert"])]
)
def test_only_what_the_limit_allows_is_offered(most_squares: int, offered: list[str]) -> None:
    small = room_kinds(most_squares=most_squares)["minesweeper"]
    presets = small.choices()["presets"]
    assert isinstance(presets, dict)
    assert list(presets) == offered
    for name in offered:
        small.settle({"preset": name}, 1)


def test_for_another_game_the_bombs_are_elsewhere_and_as_many() -> None:
    settled = MINESWEEPER.settle({"preset": "expert"}, 1)
    assert MINESWEEPER.again(settled, 2) == {**settled, "seed": 2}
    of_file = MINESWEEPER.again({"field": "2 1\n0 1\n"}, 2)
    assert of_file == {"size": "1x2", "bombs": 1, "safe_start": False, "seed": 2}
    assert MINESWEEPER.again({"field": "1 1\n0\n"}, 2) == {"field": "1 1\n0\n"}


def test_a_page_can_offer_every_preset() -> None:
    presets = MINESWEEPER.choices()["presets"]
    assert isinstance(presets, dict)
    for name, offered in presets.items():
        assert MINESWEEPER.settle({"preset": name}, 1).items() >= offered.items()


async def dug_up(settings: Mapping[str, object]) -> list[tuple[int, int]]:
    """The places of the bombs, found by digging every square."""
    async with MINESWEEPER.set_up(settings).open(None, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        size = await room.game.snapshot()
        squares = [(x, y) for y in range(size.rows) for x in range(size.columns)]
        return [(x, y) for x, y in squares if (await room.game.dig(x, y)).boom]


async def test_the_settings_alone_decide_the_field_and_it_has_all_its_bombs() -> None:
    settings = MINESWEEPER.settle({"size": "5x7", "bombs": 9}, 3)
    bombs = await dug_up(settings)
    assert len(bombs) == 9
    assert await dug_up(settings) == bombs
    assert await dug_up({**settings, "seed": 4}) != bombs


async def test_the_first_dig_is_safe_only_where_it_was_asked_for() -> None:
    for safe in (True, False):
        settings = MINESWEEPER.settle({"size": "5x5", "bombs": 24, "safe_start": safe}, 3)
        async with MINESWEEPER.set_up(settings).open(None, RoomClocks()) as room:
            assert isinstance(room.game, Game)
            booms = [(await room.game.dig(x, 0)).boom for x in range(2)]
            assert booms[1] or not safe
            assert booms[0] is not safe


async def test_the_game_is_over_with_the_last_safe_square_even_after_a_restart(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "room.db")
    setup = MINESWEEPER.set_up({"field": "5 1\n0 0 1 1 0\n"})
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.connect("ann") as ann, room.game.connect("bob") as bob:
            await room.game.dig(0, 0, ann.player)
            assert (await room.game.dig(2, 0, bob.player)).boom
            await room.game.flag(3, 0, ann.player)
            assert (await room.game.standing()).left == 1
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.connect("bob") as bob:
            await room.game.dig(4, 0, bob.player)
        result = GameResult({"ann": 2, "bob": 2}, (), {"ann": {"booms": 0}, "bob": {"booms": 1}})
        assert await room.finished() == result


def test_a_field_that_keeps_no_scores_is_written_as_it_always_was() -> None:
    assert Field(2, 1, [(0, 0)]).state() == b'{"version":0,"next_player":1,"players":[],"lines":["*."]}'
