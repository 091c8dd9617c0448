"""Rooms of Minesweeper.

Strategy:
- settings: every field missing, valid, and invalid in each way; presets; a field file that is valid, invalid in a line,
  too large, without a free square; incompatible fields
- set_up: the same settings make the same field; another seed makes another field; the number of bombs is exact
- no guessing: the field can be solved from its start, and stays the same; a search that takes too long; a search in
  several pieces
- finished: at the last safe square, also after booms; before the call; the scores by name; after a restart
- another game: the same number of bombs in other places
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.games.room import GameResult, RoomClocks
from scramble.games.settings import BadSettings
from scramble.games.table import game_kinds
from scramble.journal import Journal, read_recording
from scramble.minesweeper import Field, Game
from scramble.minesweeper.kind import minesweeper_kind
from scramble.minesweeper.room import PAUSE_MS, SeedSearch
from scramble.minesweeper.solvable import is_solvable

MINESWEEPER = game_kinds()["minesweeper"]
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
def test_settings_are_completed_and_then_do_not_change(
    given: Mapping[str, object], size: str, bombs: int, safe_start: bool, seed: int
) -> None:
    settled = MINESWEEPER.settle(given, 7)
    assert settled == {"size": size, "bombs": bombs, "safe_start": safe_start, "seed": seed}
    assert MINESWEEPER.settle(settled, 8) == settled


@pytest.mark.parametrize("size", ["1x1", "0x9", "9", "9,9", "501x500", "-9x9", 9, None])
def test_an_invalid_size_is_refused_with_a_reason(size: object) -> None:
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
        ({"field": "1 1\n0\n", "no_guessing": True}, "no_guessing", "does not go with field"),
        ({"no_guessing": "yes"}, "no_guessing", "true or false"),
        ({"no_guessing": True, "safe_start": False}, "safe_start", "does not go with no_guessing"),
        (
            {"no_guessing": True, "size": "7x143", "bombs": 10},
            "no_guessing",
            "a field that needs no guess has at most 1,000 squares",
        ),
        (
            {"no_guessing": True, "size": "4x5", "bombs": 6},
            "no_guessing",
            "a field that needs no guess has at most 1,000 squares, and at most a quarter have bombs",
        ),
    ],
)
def test_other_invalid_fields_are_refused_with_a_reason(given: Mapping[str, object], field: str, words: str) -> None:
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
def test_a_limit_also_applies_to_default_sizes(most_squares: int, given: Mapping[str, object], field: str) -> None:
    small = minesweeper_kind(most_squares)
    with pytest.raises(BadSettings) as info:
        small.settle(given, 7)
    assert list(info.value.errors) == [f"settings.{field}"]
    assert f"at most {most_squares} squares" in info.value.errors[f"settings.{field}"]


@pytest.mark.parametrize(
    ("most_squares", "offered"), [(80, []), (81, ["beginner"]), (480, ["beginner", "intermediate", "expert"])]
)
def test_only_what_the_limit_allows_is_offered(most_squares: int, offered: list[str]) -> None:
    small = minesweeper_kind(most_squares)
    presets = small.choices()["presets"]
    assert isinstance(presets, dict)
    assert list(presets) == offered
    for name in offered:
        small.settle({"preset": name}, 1)


def test_another_game_has_the_same_number_of_bombs_in_other_places() -> None:
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


async def first_field(settings: Mapping[str, object], folder: Path) -> Field:
    """Return the first field in the room's journal."""
    journal = Journal(folder / "room.db")
    async with MINESWEEPER.set_up(settings).open(journal, RoomClocks()):
        pass
    return Field.restore(read_recording(journal.path).first)


async def test_the_settings_alone_decide_the_field_and_it_has_all_its_bombs(tmp_path: Path) -> None:
    settings = MINESWEEPER.settle({"size": "5x7", "bombs": 9}, 3)
    fields = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        (tmp_path / name).mkdir()
        fields.append(await first_field({**settings, "seed": seed}, tmp_path / name))
    assert [len(field.bombs()) for field in fields] == [9, 9, 9]
    assert fields[0].bombs() == fields[1].bombs() != fields[2].bombs()


async def test_the_first_dig_is_safe_only_if_the_settings_say_so() -> None:
    for safe in (True, False):
        settings = MINESWEEPER.settle({"size": "5x5", "bombs": 24, "safe_start": safe}, 3)
        async with MINESWEEPER.set_up(settings).open(None, RoomClocks()) as room:
            assert isinstance(room.game, Game)
            booms = [(await room.game.dig(x, 0)).boom for x in range(2)]
            assert any(booms) is not safe


# --- no guessing ------------------------------------------------------------------------------------


def prepared(given: Mapping[str, object], *, search_s: float = 600) -> dict[str, object]:
    found = SeedSearch(MINESWEEPER.settle(given, 7), search_s=search_s)(search_s)
    assert found is not None
    return found


@pytest.mark.parametrize("given", [{"preset": "beginner"}, {"preset": "intermediate"}, {"size": "3x40", "bombs": 12}])
async def test_a_field_without_guessing_can_be_solved_from_its_start_and_begins_nowhere_else(
    given: Mapping[str, object], tmp_path: Path
) -> None:
    settings = prepared({**given, "no_guessing": True})
    assert prepared(settings) == settings == MINESWEEPER.settle(settings, 8)
    field = await first_field(settings, tmp_path)
    contest = field.snapshot().contest
    assert contest is not None
    assert contest.start == (field.columns // 2, field.rows // 2)
    assert (field.dig(0, 0).start, field.version) == (contest.start, 0)
    assert is_solvable(field, contest.start)


def test_other_settings_need_no_search() -> None:
    assert MINESWEEPER.search(MINESWEEPER.settle({"preset": "beginner"}, 7)) is None


def test_a_search_that_takes_too_long_is_given_up_with_a_reason() -> None:
    hopeless = {"size": "31x32", "bombs": 248, "no_guessing": True}  # one bomb in four squares is too many
    with pytest.raises(BadSettings) as info:
        prepared(hopeless, search_s=0)
    assert info.value.errors == {
        "settings.no_guessing": "no field that needs no guess was found in 0 s: take fewer bombs, or try again"
    }


def test_a_search_in_pieces_finds_the_same_field_as_one_without_pauses() -> None:
    given = {"size": "12x12", "bombs": 28, "no_guessing": True}
    search = MINESWEEPER.search(MINESWEEPER.settle(given, 7))
    assert search is not None
    pieces = 0
    while (found := search(0)) is None:
        pieces += 1
    assert pieces > 1
    assert found == prepared(given)


def test_only_the_time_of_its_pieces_counts_for_a_search() -> None:
    hopeless = MINESWEEPER.settle({"size": "31x32", "bombs": 248, "no_guessing": True}, 7)
    search = SeedSearch(hopeless, search_s=1e-6)
    with pytest.raises(BadSettings):
        search(1e9)
    assert SeedSearch(hopeless, search_s=1e9)(0) is None


async def test_the_game_is_over_with_the_last_safe_square_even_after_a_restart(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
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
            assert (
                await room.game.dig(4, 0, bob.player)
            ).pause_ms == PAUSE_MS  # the game's clock stood while the room was closed
            await trio.sleep(PAUSE_MS / 1000)
            assert (await room.game.dig(4, 0, bob.player)).pause_ms == 0
        figures = {"ann": {"squares": 2, "flags": 1, "booms": 0}, "bob": {"squares": 1, "flags": 0, "booms": 1}}
        assert await room.finished() == GameResult({"ann": 3, "bob": -9}, ("ann",), figures)


def test_a_field_without_scores_is_written_as_in_earlier_versions() -> None:
    assert Field(2, 1, [(0, 0)]).state() == b'{"version":0,"next_player":1,"players":[],"lines":["*."]}'
