"""The pieces of a recording that a page loads.

Testing strategy.

- pieces: the first, a full one, the unfinished last one, an empty one; steps at, before and after a border between
  pieces; a piece shows the same as the replay at the same step: test_a_piece_*
- the overview: times, thinned lines, figures: test_the_overview_*, test_lines_*
- recordings that grow, are replaced, or cannot be read: test_a_reel_*
"""

from __future__ import annotations

import gzip

import msgspec
import pytest

from scramble.games.table import narrators
from scramble.journal.recorder import Recording
from scramble.replay import Replay, ReplayError
from scramble.replay.reel import MOST_LINE_POINTS, MOST_SCORE_LINES, Overview, Reel
from tests.support.replay.tape import memory, random_memory, random_minesweeper

EVERY = 40


def reel_of(recording: Recording, every: int = EVERY) -> Reel:
    reel = Reel(recording.kind, recording.name, recording.began, recording.first, every=every, narrators=narrators())
    for record in recording.records:
        reel.add(record)
    return reel


class Piece(msgspec.Struct):
    """A piece as a page decodes it."""

    start: int
    time: int
    whole: msgspec.Raw
    steps: list[tuple[int, str | None, str | None, msgspec.Raw, msgspec.Raw, msgspec.Raw]]


def piece_of(reel: Reel, seq: int) -> Piece:
    return msgspec.json.decode(gzip.decompress(reel.piece(seq)), type=Piece)


def overview_of(reel: Reel, *, reading: bool = False) -> Overview:
    return msgspec.json.decode(gzip.decompress(reel.overview(reading=reading)), type=Overview)


def test_a_piece_begins_with_the_game_as_it_was_and_has_each_command() -> None:
    recording = random_memory(3 * EVERY + 7, seed=2).recording
    reel = reel_of(recording)
    replay = Replay(recording, narrators=narrators())
    for seq in range(reel.length):
        piece = piece_of(reel, seq)
        assert piece.start == seq // EVERY * EVERY
        if seq == piece.start:
            replay.seek(seq)
            assert bytes(piece.whole) == msgspec.json.encode(replay.narrator.snapshot())
            for time, player, rule, told, also, change in piece.steps:
                step = replay.step()
                assert (player, rule) == (step.player, step.rule)
                assert bytes(told) == msgspec.json.encode((step.told.code, step.told.params))
                assert bytes(also) == msgspec.json.encode([(more.code, more.params) for more in step.also])
                assert bytes(change) == msgspec.json.encode(step.change)
                assert time == round(1000 * (step.time - recording.began))
    assert len(piece_of(reel, 3 * EVERY).steps) == 7


def test_a_piece_behind_a_full_one_is_empty_and_whole() -> None:
    recording = random_memory(EVERY, seed=2).recording
    reel = reel_of(recording)
    piece = piece_of(reel, EVERY)
    assert (piece.start, piece.steps) == (EVERY, [])


def test_the_overview_says_how_long_the_game_is_and_who_had_how_much() -> None:
    recording = random_memory(100, seed=2).recording
    overview = overview_of(reel_of(recording), reading=True)
    assert (overview.kind, overview.name, overview.every) == ("memory", "game", EVERY)
    assert (overview.told, overview.reading) == (100, True)
    assert bytes(overview.frame) == b'{"rows":8,"columns":8}'
    assert len(overview.times) == 3
    assert overview.span >= overview.times[-1]
    replay = Replay(recording, narrators=narrators())
    replay.seek(100)
    assert {line.player: line.points[-1][2] for line in overview.lines} == replay.narrator.scores()
    assert overview.summary.rows.keys() == replay.narrator.scores().keys()


def test_lines_have_no_more_points_than_a_chart_can_show() -> None:
    recording = random_minesweeper(4000, seed=3, size=(100, 100)).recording
    overview = overview_of(reel_of(recording, every=1000))
    replay = Replay(recording, narrators=narrators())
    replay.seek(replay.last)
    for line in overview.lines:
        assert len(line.points) <= MOST_LINE_POINTS + 1
        assert line.points[-1][2] == replay.narrator.scores()[line.player]
        assert [point[0] for point in line.points] == sorted({point[0] for point in line.points})


def test_only_so_many_players_have_a_line() -> None:
    recording = random_memory(400, seed=3, players=60).recording
    assert len(overview_of(reel_of(recording)).lines) == MOST_SCORE_LINES


def test_a_reel_grows_with_its_recording_and_takes_no_other() -> None:
    recording = random_memory(90, seed=2).recording
    reel = Reel(recording.kind, recording.name, recording.began, recording.first, every=EVERY, narrators=narrators())
    for record in recording.records[:50]:
        reel.add(record)
    early = piece_of(reel, 45)
    for record in recording.records[50:]:
        reel.add(record)
    late = piece_of(reel, 45)
    assert late.steps[: len(early.steps)] == early.steps
    with pytest.raises(ReplayError, match="comes after"):
        reel.add(recording.records[3])


def test_a_reel_of_no_game_or_with_no_command_is_an_error() -> None:
    recording = memory("1x2\nA\nA\n").recording
    with pytest.raises(ReplayError):
        Reel("chess", "game", 0.0, recording.first, narrators=narrators())
    reel = reel_of(recording)
    bad = random_memory(1).recording.records[0]
    with pytest.raises(ReplayError):
        reel.add(msgspec.structs.replace(bad, command=b"{}"))
