"""Rooms of Crossword Extravaganza.

Strategy:
- settings: a puzzle by name, or its text; no puzzle; an unknown name; a text that is invalid in a line, too long, not a
  string; name and text
- the room: one match, from the first player to its result; after a restart; given up; closed before the end
- puzzles of the server's folder: present at the start, added later, changed, removed; invalid, with a packaged name
- another game: on another puzzle; a page can offer every puzzle, and its shape shows no letter
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from scramble.crossword import Game, SessionView
from scramble.crossword.kind import crossword_kind
from scramble.crossword.puzzle_folder import PuzzleFolder, packaged
from scramble.crossword.room import GRACE_S
from scramble.crossword.solve_time import SolveTime
from scramble.errors import GameClosed
from scramble.games.kind import GameKind
from scramble.games.room import GameResult, RoomClocks
from scramble.games.settings import BadSettings
from scramble.games.table import game_kinds
from scramble.journal import Journal
from tests.support.crossword.driver import SIMPLE

CROSSWORD = game_kinds()["crossword"]


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({}, {"puzzle": "kitchen"}),
        ({"puzzle": "simple"}, {"puzzle": "simple"}),
        ({"source": SIMPLE}, {"source": SIMPLE}),
        ({"puzzle": "simple", "alone": False}, {"puzzle": "simple"}),
        ({"source": SIMPLE, "alone": True}, {"source": SIMPLE, "alone": True}),
    ],
)
def test_settings_are_completed_and_then_do_not_change(
    given: Mapping[str, object], settled: Mapping[str, object]
) -> None:
    assert CROSSWORD.settle(given, 7) == settled
    assert CROSSWORD.settle(settled, 8) == settled


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"puzzle": "../simple"}, "puzzle", "one of garden, grand, kitchen"),
        ({"puzzle": 3}, "puzzle", "one of garden"),
        ({"seed": 3}, "seed", "unknown; known are puzzle, source, alone"),
        ({"alone": "yes"}, "alone", "true or false"),
        ({"source": None}, "source", "the text of a file"),
        ({"source": SIMPLE.replace("(mat", "mat")}, "source", "line 3, column 2: "),
        ({"source": SIMPLE.replace("ACROSS, 1", "ACROSS, 0")}, "source", "line 3, column 3: `cat` and `mat` cross"),
        ({"source": SIMPLE + "// \ud800"}, "source", "Unicode text, without halves of characters"),
        ({"source": SIMPLE + "// " + "x" * 100_000}, "source", "at most 100,000 characters"),
        ({"source": '>> "a" "b"\n'}, "source", "line 1: a puzzle needs at least one entry"),
        ({"source": SIMPLE, "puzzle": "simple"}, "puzzle", "cannot be combined with source"),
    ],
)
def test_invalid_fields_are_refused_with_a_reason(given: Mapping[str, object], field: str, words: str) -> None:
    with pytest.raises(BadSettings) as info:
        CROSSWORD.settle(given, 7)
    assert list(info.value.errors) == [f"settings.{field}"]
    assert info.value.errors[f"settings.{field}"].startswith(words)


def test_a_series_uses_all_packaged_puzzles_before_it_repeats_one() -> None:
    settings: Mapping[str, object] = {"source": SIMPLE, "alone": True}
    series = []
    for seed in range(len(packaged())):
        settings = CROSSWORD.settle(CROSSWORD.again(settings, seed), seed)
        assert settings["alone"] is True
        series.append(settings["puzzle"])
    assert sorted(map(str, series)) == sorted(packaged())
    assert "alone" not in CROSSWORD.again({"puzzle": "simple"}, 3)


def test_a_page_can_offer_every_puzzle_by_an_empty_shape() -> None:
    puzzles = CROSSWORD.choices()["puzzles"]
    assert isinstance(puzzles, list)
    for puzzle in puzzles:
        CROSSWORD.settle({"puzzle": puzzle["name"]}, 1)
        assert len(puzzle["shape"]) == puzzle["rows"]
        assert {len(line) for line in puzzle["shape"]} == {puzzle["columns"]}
        assert {square for line in puzzle["shape"] for square in line} == {"#", "."}
    simple = next(puzzle for puzzle in puzzles if puzzle["name"] == "simple")
    assert (simple["title"], simple["words"], simple["shape"]) == ("Two Words", 2, [".#.", "###", ".#."])


async def test_a_room_is_one_match_which_survives_a_restart(tmp_path: Path) -> None:
    journal, setup = Journal(tmp_path / "room.db"), CROSSWORD.set_up({"puzzle": "simple"})
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as ann, room.game.session() as bob:
            assert (await ann.enter("ann")).state == "WAIT"
            assert (await bob.say("bob")).state == "PLAY"
            assert (await ann.say("TRY 1 cat")).error is None
            assert (await room.game.spectate()).state == "PLAY"
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as bob:
            assert (await bob.enter("bob")).state == "PLAY"
            missing = (await room.game.spectate()).missing
            assert missing is not None
            assert (missing.player, missing.seconds_left) == ("ann", 300)
            assert (await bob.say("CHALLENGE 1 tab")).error is None
            await bob.say("TRY 2 mat")
            figures = {"ann": {"words": 1, "challenge_points": 0}, "bob": {"words": 1, "challenge_points": -1}}
            assert await room.finished() == GameResult({"ann": 1, "bob": 0}, ("ann",), figures)
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        assert (await room.finished()).winners == ("ann",)
        async with room.game.session() as ann:
            assert (await ann.enter("ann")).state == "SHOW SCORE"


async def test_the_clock_of_a_solo_player_stops_while_nobody_is_present(tmp_path: Path, mock_clock: MockClock) -> None:
    journal, setup = Journal(tmp_path / "room.db"), CROSSWORD.set_up({"puzzle": "simple", "alone": True})
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as ann:
            assert (await ann.enter("ann")).state == "PLAY"
            mock_clock.jump(60)
            await ann.say("TRY 1 cot")
            mock_clock.jump(10_000)  # a match of one player has no timeout while the player is connected
            assert (await ann.look()).clock == SolveTime(10_060, trio.current_time())
        mock_clock.jump(GRACE_S)
        await trio.testing.wait_all_tasks_blocked(0.01)
        clock = (await room.game.spectate()).clock
        assert clock is not None
        assert (clock.seconds, clock.is_running) == (10_060, False)
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as ann:
            await ann.enter("ann")
            mock_clock.jump(5)
            for line in ("TRY 1 cat", "TRY 2 mat"):
                assert (await ann.say(line)).error is None
            figures = {"ann": {"words": 2, "mistakes": 1, "seconds": 10_065}}
            assert await room.finished() == GameResult({"ann": 1}, ("ann",), figures)


async def test_a_player_forfeits_only_while_the_other_one_waits(tmp_path: Path, mock_clock: MockClock) -> None:
    journal, setup = Journal(tmp_path / "room.db"), CROSSWORD.set_up({"puzzle": "simple"})
    async with setup.open(journal, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as ann, room.game.session() as bob:
            await ann.enter("ann")
            await bob.enter("bob")
    async with setup.open(journal, RoomClocks()) as room:  # a watcher wakes the room
        assert isinstance(room.game, Game)
        for _ in range(3):
            mock_clock.jump(GRACE_S)
            await trio.testing.wait_all_tasks_blocked(0.01)
            view = await room.game.spectate()
            assert view.state == "PLAY"
            assert view.missing is not None
            assert view.missing.seconds_left is None
        mock_clock.jump(GRACE_S - 1)
        async with room.game.session() as bob:
            view = await bob.enter("bob")
            assert view.missing is not None
            assert view.missing.seconds_left == GRACE_S
            mock_clock.jump(GRACE_S - 1)
        mock_clock.jump(1)  # ann's grace period is over, and bob has left
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert (await room.game.spectate()).state == "PLAY"
        async with room.game.session() as bob:
            assert (await bob.enter("bob")).state == "PLAY"
            mock_clock.jump(GRACE_S)
            assert (await room.finished()).winners == ("bob",)


async def test_giving_up_loses_with_any_points() -> None:
    async with CROSSWORD.set_up({"source": SIMPLE}).open(None, RoomClocks()) as room:
        assert isinstance(room.game, Game)
        async with room.game.session() as ann, room.game.session() as bob:
            await ann.enter("ann")
            await bob.enter("bob")
            await ann.say("TRY 1 cat")
            await ann.say("EXIT")
            result = await room.finished()
            assert (result.scores, result.winners) == ({"ann": 1, "bob": 0}, ("bob",))


async def test_spectators_wait_for_changes_and_a_closed_room_has_no_result() -> None:
    async with CROSSWORD.set_up({"source": SIMPLE}).open(None, RoomClocks()) as room, trio.open_nursery() as nursery:
        game = room.game
        assert isinstance(game, Game)
        seen: list[SessionView] = []

        async def watch() -> None:
            view = await game.spectate()
            seen.append(await game.spectate(view.number))
            with pytest.raises(GameClosed):
                await game.spectate(seen[-1].number)

        async def wait() -> None:
            with pytest.raises(GameClosed):
                await room.finished()

        nursery.start_soon(watch)
        nursery.start_soon(wait)
        async with game.session() as ann:
            await trio.testing.wait_all_tasks_blocked()
            await ann.enter("ann")
            await trio.testing.wait_all_tasks_blocked()
            assert [view.message for view in seen] == ["ann is waiting for a second player."]
            await game.aclose()


# --- the server's own puzzles -----------------------------------------------------------------------

PETS = '>> "Pets" "two words"\n(cat, "a pet", DOWN, 0, 1)\n(mat, "it lies there", ACROSS, 1, 0)\n'


def test_a_new_puzzle_in_the_folder_can_be_chosen_at_once(tmp_path: Path) -> None:
    kind = crossword_kind(PuzzleFolder(tmp_path / "puzzles"))  # the folder need not exist
    with pytest.raises(BadSettings):
        kind.settle({"puzzle": "pets"}, 1)
    (tmp_path / "puzzles").mkdir()
    (tmp_path / "puzzles" / "pets.puzzle").write_text(PETS)
    assert {"name": "pets", "title": "Pets", "rows": 3, "columns": 3, "words": 2, "shape": [".#.", "###", ".#."]} in (
        listed(kind)
    )
    assert kind.settle({"puzzle": "pets"}, 1) == {"source": PETS}


def test_a_changed_puzzle_file_is_offered_with_its_new_text(tmp_path: Path) -> None:
    file, changed = tmp_path / "pets.puzzle", PETS.replace("Pets", "Animals")
    file.write_text(PETS)
    kind = crossword_kind(PuzzleFolder(tmp_path))
    assert kind.settle({"puzzle": "pets"}, 1) == {"source": PETS}
    file.write_text(changed)
    assert [entry["title"] for entry in listed(kind) if entry["name"] == "pets"] == ["Animals"]
    assert kind.settle({"puzzle": "pets"}, 1) == {"source": changed}


def test_a_room_keeps_its_puzzle_whatever_happens_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pets.puzzle"
    file.write_text(PETS)
    kind = crossword_kind(PuzzleFolder(tmp_path))
    settled = kind.settle({"puzzle": "pets"}, 1)
    file.unlink()
    assert "pets" not in {entry["name"] for entry in listed(kind)}
    assert kind.settle(settled, 2) == settled


def test_another_game_after_one_of_the_folders_puzzles_is_on_another_puzzle(tmp_path: Path) -> None:
    (tmp_path / "pets.puzzle").write_text(PETS)
    kind = crossword_kind(PuzzleFolder(tmp_path))
    names = sorted([*packaged(), "pets"])
    after = names[(names.index("pets") + 1) % len(names)]
    assert {str(kind.again({"source": PETS}, seed)["puzzle"]) for seed in range(20)} == {after}
    assert kind.again({"puzzle": names[names.index("pets") - 1]}, 1) == {"puzzle": "pets"}


def test_an_invalid_file_or_one_with_a_packaged_name_is_skipped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "wrong.puzzle").write_text("no puzzle")
    (tmp_path / "kitchen.puzzle").write_text(PETS)
    kind = crossword_kind(PuzzleFolder(tmp_path))
    assert [entry["name"] for entry in listed(kind)] == list(packaged())
    assert kind.settle({"puzzle": "kitchen"}, 1) == {"puzzle": "kitchen"}
    assert "wrong.puzzle" in caplog.text
    assert "kitchen.puzzle: a packaged puzzle has that name" in caplog.text


def listed(kind: GameKind) -> list[dict[str, object]]:
    return cast(list[dict[str, object]], kind.choices()["puzzles"])
