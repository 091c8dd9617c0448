"""A replay over HTTP: the archive, its two routes, and a game that continues at the same time.

Testing strategy.

- data: the overview, pieces, with and without gzip; invalid numbers, and too large ones: test_the_overview_*,
  test_a_piece_*, test_what_is_not_*
- reading: in slices; a running game; an ended game, with later commands; by several pages at once:
  test_a_long_recording_*, test_a_game_that_goes_on_*, test_what_comes_after_*, test_pages_that_come_at_once_*
- a journal that cannot be read, is replaced, has a limit of reads: test_a_journal_*
- the page: beside a game, alone; the links between them; none without a journal: test_the_page_*
- a game with a waiting player shows only public state: test_nothing_that_lies_face_down_*
"""

from __future__ import annotations

import gzip
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest
import trio

from scramble.crossword import open_lobby
from scramble.crossword.puzzle import Puzzle
from scramble.errors import JournalError
from scramble.front.crossword.http import make_crossword_app
from scramble.front.memory.http import make_app, serve_http
from scramble.front.minesweeper.http import make_minesweeper_app
from scramble.front.replay.archive import GENTLE, Archive
from scramble.front.replay.http import make_replay_app, serve_replay
from scramble.front.site import SiteConfig
from scramble.games.table import narrators
from scramble.journal import Journal, Recording, read_recording
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.replay.reel import Overview
from tests.support.replay.files import write_async
from tests.support.replay.tape import PUZZLE, memory, random_memory

BOARD = "2x2\nfox\nowl\nowl\nfox\n"


def overview_of(data: bytes) -> Overview:
    return msgspec.json.decode(gzip.decompress(data), type=Overview)


@asynccontextmanager
async def served(archive: Archive) -> AsyncIterator[httpx.AsyncClient]:
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_replay, archive, port=0))
        async with httpx.AsyncClient(base_url=address.url) as client:
            yield client
        nursery.cancel_scope.cancel()


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    return await write_async(random_memory(130), tmp_path / "game.db")


async def test_the_overview_is_json_compressed_if_the_client_can_read_that(file: Path) -> None:
    async with served(
        Archive(partial(read_recording, file), every=50, narrators=narrators(), slice_s=math.inf)
    ) as client:
        zipped = await client.get("replay/data", headers={"Accept-Encoding": "gzip"})
        plain = await client.get("replay/data", headers={"Accept-Encoding": "identity"})
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert zipped.json() == plain.json()
    assert plain.json()["told"] == 130
    assert plain.headers["Content-Type"] == "application/json"
    assert plain.headers["Cache-Control"] == "no-store"
    assert "default-src 'self'" in plain.headers["Content-Security-Policy"]


async def test_a_piece_is_the_one_with_the_command_behind_the_number(file: Path) -> None:
    async with served(
        Archive(partial(read_recording, file), every=50, narrators=narrators(), slice_s=math.inf)
    ) as client:
        await client.get("replay/data")
        starts = {seq: (await client.get(f"replay/data?from={seq}")).json()["start"] for seq in (0, 49, 50, 129, 130)}
    assert starts == {0: 0, 49: 0, 50: 50, 129: 100, 130: 100}


async def test_what_is_not_there_or_no_number_is_refused_in_a_line(file: Path) -> None:
    async with served(Archive(partial(read_recording, file), narrators=narrators(), slice_s=math.inf)) as client:
        assert (await client.get("replay/data?from=0")).status_code == 404
        await client.get("replay/data")
        for number, status in (("131", 404), ("-1", 400), ("x", 400), ("9" * 40, 400), ("²", 400)):
            answer = await client.get("replay/data", params={"from": number})
            assert answer.status_code == status, number
            assert answer.text.count("\n") == 1


async def test_a_long_recording_is_read_in_slices(file: Path) -> None:
    archive = Archive(partial(read_recording, file), slice_s=0, narrators=narrators())
    told: list[Overview] = []
    while not told or told[-1].reading:
        told.append(overview_of(await archive.overview()))
    assert [overview.told for overview in told] == [*range(GENTLE, 130, GENTLE), 130]
    assert await archive.piece(130) is not None


async def test_pages_that_come_at_once_share_one_reading(file: Path) -> None:
    archive = Archive(partial(read_recording, file), slice_s=0, narrators=narrators())
    answers: list[Overview] = []

    async def come() -> None:
        answers.append(overview_of(await archive.overview()))

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(come)
    assert sorted(answer.told for answer in answers) == [GENTLE * n for n in range(1, 21)]


async def test_a_game_that_goes_on_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    archive = Archive(Journal(path).read, reread_s=0, narrators=narrators(), slice_s=math.inf)
    async with open_game(Board.parse(BOARD), journal=Journal(path)) as game:
        assert overview_of(await archive.overview()).told == 0
        await game.flip("ann", 0, 0)
        await game.flip("ann", 1, 1)
        assert overview_of(await archive.overview()).told == 2
        await game.flip("ann", 0, 1)
        latest = overview_of(await archive.overview())
    assert latest.told == 3
    assert [(line.player, line.points[-1][2]) for line in latest.lines] == [("ann", 1)]


@pytest.mark.parametrize("first", [2, 3], ids=["after it was read", "before it is read"])
async def test_what_comes_after_the_end_of_a_game_is_no_part_of_its_recording(first: int) -> None:
    tape, read_upto = memory("1x3\nA\nA\nB\n"), first
    for column in (0, 1, 2):
        tape.do(Flip("ann", 0, column))

    def read(*, after: int = 0) -> Recording:
        return msgspec.structs.replace(tape.recording, records=tape.recording.records[after:read_upto])

    archive = Archive(read, one_game=True, reread_s=0, narrators=narrators(), slice_s=math.inf)
    for _ in range(2):
        overview = overview_of(await archive.overview())
        assert (overview.told, overview.span, overview.reading) == (2, 2000, False)
        read_upto = 3


async def test_a_journal_is_not_looked_at_all_the_time(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    archive = Archive(partial(read_recording, path), reread_s=1e9, narrators=narrators(), slice_s=math.inf)
    async with open_game(Board.parse(BOARD), journal=Journal(path)) as game:
        assert overview_of(await archive.overview()).told == 0
        await game.flip("ann", 0, 0)
        assert overview_of(await archive.overview()).told == 0


async def test_a_journal_that_cannot_be_read_is_reported_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        await Archive(partial(read_recording, tmp_path / "none.db"), narrators=narrators(), slice_s=math.inf).overview()
    async with served(
        Archive(partial(read_recording, tmp_path / "none.db"), narrators=narrators(), slice_s=math.inf)
    ) as client:
        answer = await client.get("replay/data")
    assert answer.status_code >= 400
    assert "there is no such file" in answer.text
    assert answer.text.count("\n") == 1


async def test_a_journal_that_has_been_replaced_by_a_shorter_one_adds_nothing(file: Path, tmp_path: Path) -> None:
    archive = Archive(partial(read_recording, file), reread_s=0, narrators=narrators(), slice_s=math.inf)
    await archive.overview()
    other = await write_async(memory(BOARD), tmp_path / "other.db")
    other.replace(file)
    assert overview_of(await archive.overview()).told == 130


async def test_the_page_of_a_kept_game_has_a_link_to_its_replay_and_back(tmp_path: Path) -> None:
    archive = Archive(partial(read_recording, tmp_path / "game.db"), narrators=narrators(), slice_s=math.inf)
    puzzle = Puzzle.parse(PUZZLE, id="mini")
    async with (
        open_game(Board.parse(BOARD)) as game,
        open_field(Field(2, 2)) as field,
        open_lobby([puzzle]) as lobby,
    ):
        apps = [
            (make_app(game, site=SiteConfig(archive=archive)), make_app(game)),
            (make_minesweeper_app(field, site=SiteConfig(archive=archive)), make_minesweeper_app(field)),
            (make_crossword_app(lobby, site=SiteConfig(archive=archive)), make_crossword_app(lobby)),
        ]
        for kept, unkept in apps:
            page = await (await kept.test_client().get("/")).get_data(as_text=True)
            assert 'id="replay-link" href="replay"' in page
            replay = await (await kept.test_client().get("/replay")).get_data(as_text=True)
            assert 'id="replay-link" href="./"' in replay
            page = await (await unkept.test_client().get("/")).get_data(as_text=True)
            assert 'id="replay-link" hidden href="replay"' in page
            assert (await unkept.test_client().get("/replay")).status_code == 404
            assert (await unkept.test_client().get("/replay/data")).status_code == 404


async def test_the_page_of_a_recording_alone_is_at_both_addresses(tmp_path: Path) -> None:
    client = make_replay_app(
        Archive(partial(read_recording, tmp_path / "game.db"), narrators=narrators(), slice_s=math.inf)
    ).test_client()
    for path in ("/", "/replay"):
        page = await (await client.get(path)).get_data(as_text=True)
        assert "<title>Replay</title>" in page
        assert 'id="replay-link" hidden' in page
    assert (await client.get("/flip/ann/0,0")).status_code == 404


async def test_nothing_that_lies_face_down_is_shown_while_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    async with (
        open_game(Board.parse(BOARD), journal=Journal(path)) as game,
        trio.open_nursery() as nursery,
    ):
        archive = Archive(Journal(path).read, reread_s=0, narrators=narrators(), slice_s=math.inf)
        address = await nursery.start(partial(serve_http, game, port=0, site=SiteConfig(archive=archive)))
        await game.flip("ann", 0, 0)
        async with httpx.AsyncClient(base_url=address.url) as client:
            said = (await client.get("replay/data")).text + (await client.get("replay/data?from=0")).text
        nursery.cancel_scope.cancel()
    assert "fox" in said
    assert "owl" not in said
