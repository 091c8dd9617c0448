"""The page of a replay in a real Chromium, on recordings of all three games.

Testing strategy. Other tests cover the narration. These tests cover a viewer's actions and view.

- navigation: keys, buttons, slider, chart, list of moves, an address: test_keys_*, test_buttons_*, test_dragging_*,
  test_an_address_*
- the board: each move has its own picture, always the same; squares by name: test_the_board_*
- playing: to the end, from the end, paused: test_playing_*
- heat map, figures, chart: test_the_heat_map_*, test_the_summary_*
- games: memory above; minesweeper, crossword with several matches; a game that the pages do not know:
  test_minesweeper_*, test_a_crossword_*, test_a_game_without_a_module_*
- a running game, from its own page and back: test_a_game_that_goes_on_*
- looks: light and dark differ, a phone; no requests to other sites; a damaged journal: test_the_theme_*,
  test_a_phone_*, test_the_page_asks_*, test_a_recording_that_cannot_*
- 10,000 moves: whole, and by dragging: test_ten_thousand_* (100,000: `make torture NAMES=replay`)
"""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from scramble.games.narration import Spot
from scramble.games.plain import plain_narrator
from scramble.games.told import English, Told, tell
from scramble.kernel.protocol import Event
from scramble.memory.messages import Flip
from scramble.replay.reel import Reel
from tests.support.replay.files import write
from tests.support.replay.tape import BEGAN, Talk, Tape, memory, random_memory, random_minesweeper
from tests.support.stairs import Climbing, GaveUp, Look, Paused, Stairs, Step, Stepped, result_of
from tests.system.browser.conftest import Serve
from tests.system.browser.replay.conftest import Watch
from tests.system.browser.replay.long import SHORT, UNCHECKED, look_through, make, most_pieces
from tests.system.browser.replay.viewer import Viewer

pytestmark = pytest.mark.browser

BOARD = "2x3\nA\nB\nA\nC\nB\nC\n"
FLIPS = (("ann", 0, 0), ("bob", 0, 1), ("ann", 0, 2), ("bob", 1, 0), ("ann", 1, 2), ("bob", 0, 1))


def short() -> Tape:
    tape = memory(BOARD)
    for flip in FLIPS:
        tape.do(Flip(*flip))
    return tape


# --- navigation ---


def test_keys_move_about(watch: Watch) -> None:
    viewer = watch(short())
    viewer.is_at(6, 6)
    for key, seq in (
        ("ArrowLeft", 5),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("PageDown", 2),
        ("End", 6),
        ("ArrowRight", 6),
        ("PageUp", 5),
    ):
        viewer.press(key)
        viewer.is_at(seq)
    expect(viewer.now).to_contain_text("ann turns up C at row 2, column 3")
    expect(viewer.now).not_to_contain_text("1-B")  # only the reference uses rule numbers
    expect(viewer.now).to_contain_text("ann’s pair leaves the board")
    expect(viewer.page.locator("#live")).to_contain_text("ann turns up C at row 2, column 3")


def test_buttons_and_the_list_of_moves_move_about(watch: Watch) -> None:
    viewer = watch(short())
    viewer.is_at(6, 6)
    for name, seq in (
        ("To the beginning", 0),
        ("One move on", 1),
        ("One move on", 2),
        ("One move back", 1),
        ("To the end", 6),
    ):
        viewer.page.get_by_role("button", name=name, exact=True).click()
        viewer.is_at(seq)
    viewer.page.get_by_role("button", name="a pair").click()
    viewer.is_at(3)
    expect(viewer.page.locator("#moves [aria-current]")).to_contain_text("ann takes A at row 1, column 3: a pair")
    expect(viewer.page.locator("#moves [data-later]")).to_have_count(3)


def test_dragging_the_slider_or_the_chart_moves_about(watch: Watch) -> None:
    viewer = watch(random_memory(1200))
    viewer.is_at(1200, 1200)
    for place in ("#chart", "#scrub"):
        box = viewer.page.locator(place).bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        viewer.page.mouse.move(box["x"] + box["width"] - 10, middle)
        viewer.page.mouse.down()
        viewer.page.mouse.move(box["x"] + box["width"] / 2, middle)
        viewer.is_at(600)
        viewer.page.mouse.move(box["x"] - 40, middle)
        viewer.is_at(0)
        viewer.page.mouse.up()
        viewer.press("End")
        viewer.is_at(1200)


def test_the_slider_tells_a_screen_reader_where_it_is(watch: Watch) -> None:
    viewer = watch(short(), at=3)
    viewer.is_at(3)
    expect(viewer.slider).to_have_attribute(
        "aria-valuetext", "move 3 of 6, 0:03: ann takes A at row 1, column 3: a pair"
    )
    viewer.slider.focus()
    viewer.press("ArrowRight")
    viewer.is_at(4)
    expect(viewer.page.get_by_role("img", name="The board after move 4")).to_be_visible()


def test_an_address_may_name_a_move(watch: Watch) -> None:
    watch(short(), at=2).is_at(2, 6)
    watch(short(), at=99).is_at(6, 6)


# --- the board ---


def test_the_board_is_drawn_as_it_was_after_each_move(watch: Watch) -> None:
    viewer = watch(short(), at=1)
    viewer.is_at(1)
    pictures = {1: viewer.picture()}
    for seq in range(2, 7):
        viewer.press("ArrowRight")
        viewer.is_at(seq)
        pictures[seq] = viewer.picture()
    assert len(set(pictures.values())) == 6
    for seq in range(5, 0, -1):
        viewer.press("ArrowLeft")
        viewer.is_at(seq)
        assert viewer.picture() == pictures[seq]


def test_the_squares_and_the_players_are_those_of_the_move(watch: Watch) -> None:
    viewer = watch(short(), at=5)
    viewer.is_at(5)
    for row, column, words in (
        (0, 0, "row 1, column 1: taken by ann, 1 flip"),
        (1, 2, "row 2, column 3: C, held by ann, 1 flip"),
        (0, 1, "row 1, column 2: B, free, 1 flip"),
        (1, 1, "row 2, column 2: face down, 0 flips"),
    ):
        viewer.point(row, column, 2, 3)
        expect(viewer.page.locator("#readout")).to_have_text(words)
    expect(viewer.score("ann")).to_have_text("1")
    viewer.press("ArrowLeft")
    expect(viewer.score("ann")).to_have_text("0")


# --- playing ---


def test_playing_goes_on_to_the_end_and_begins_again_there(watch: Watch) -> None:
    viewer = watch(short(), at=4)
    viewer.is_at(4)
    viewer.page.get_by_label("Speed").select_option("100")
    viewer.page.locator("body").press("Space")
    viewer.is_at(6)
    expect(viewer.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    viewer.page.get_by_label("Speed").select_option("0.5")
    viewer.page.get_by_role("button", name="Play", exact=True).click()
    viewer.is_at(0)
    viewer.page.get_by_role("button", name="Pause", exact=True).click()
    expect(viewer.page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_moving_by_hand_pauses(watch: Watch) -> None:
    viewer = watch(short(), at=1)
    viewer.is_at(1)
    viewer.page.get_by_label("Speed").select_option("0.5")
    viewer.page.locator("body").press("Space")
    expect(viewer.page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    viewer.press("End")
    viewer.is_at(6)
    expect(viewer.page.get_by_role("button", name="Play", exact=True)).to_be_visible()


# --- figures ---


def test_the_heat_map_counts_up_to_the_move(watch: Watch) -> None:
    viewer = watch(short(), at=2)
    viewer.is_at(2)
    plain = viewer.picture()
    viewer.press("h")
    expect(viewer.page.get_by_role("button", name="Heat map")).to_have_attribute("aria-pressed", "true")
    expect(viewer.page.locator("#readout")).to_have_text("2 flips up to this move")
    assert viewer.picture() != plain
    viewer.press("End")
    expect(viewer.page.locator("#readout")).to_have_text("6 flips up to this move")
    viewer.press("h")
    expect(viewer.page.locator("#readout")).to_have_text("")


def test_the_summary_and_the_chart_have_every_player(watch: Watch) -> None:
    viewer = watch(short())
    viewer.is_at(6)
    table = viewer.page.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text(
        [
            "player",
            "flips",
            "matches",
            "no card there",
            "no second card",
            "second card held",
            "waits",
            "waited",
            "longest",
            "pairs",
            "turns",
            "streak",
            "memory",
        ]
    )
    expect(table.get_by_role("rowheader")).to_have_count(2)
    expect(viewer.page.locator("#chart path.chart-line")).to_have_count(2)
    badges = viewer.page.locator("#chart .badge")
    assert badges.evaluate_all("badges => badges.map(({ dataset }) => dataset.initials)") == ["An", "Bo"]


# --- the other games ---


def test_minesweeper_is_drawn_with_flags_and_craters(watch: Watch) -> None:
    tape = random_minesweeper(120, size=(9, 7))
    viewer = watch(tape, at=40)
    viewer.is_at(40)
    before = viewer.picture()
    viewer.press("End")
    viewer.is_at(len(tape.records))
    assert viewer.picture() != before
    plain = viewer.picture()
    viewer.press("h")
    expect(viewer.page.locator("#readout")).to_contain_text("digs up to this move")
    assert viewer.picture() != plain
    assert viewer.wrong == []


def test_a_crossword_lobby_shows_the_match_that_moves_or_the_one_that_is_chosen(watch: Watch) -> None:
    talk = Talk()
    talk.two_matches()
    talk.say("dan", "TRY 2 mat")
    viewer = watch(talk.tape)
    viewer.is_at(len(talk.tape.records))
    expect(viewer.page.locator("#readout")).to_contain_text("Match m2 on mini: The match is over, without a winner")
    viewer.page.get_by_label("Match", exact=True).select_option(label="m1 on mini: ann and bob")
    expect(viewer.page.locator("#readout")).to_have_text("Match m1 on mini")
    viewer.point(1, 1, 3, 3)
    expect(viewer.page.locator("#readout")).to_contain_text("cot, by ann")
    expect(viewer.score("ann")).to_have_text("0")
    assert viewer.wrong == []


# --- any other game ---


def picture_of(stairs: Stairs) -> list[list[Spot]]:
    return [[Spot("up", by=player) for player in stairs.steps] + [Spot("down")] * (stairs.top - len(stairs.steps))]


def told_of(event: Event) -> Told:
    assert isinstance(event, Stepped | Paused | GaveUp)
    return tell("took-a-step" if isinstance(event, Stepped) else type(event).__name__, player=event.player, of=4)


def test_a_game_without_a_module_for_the_page_is_shown_by_its_spots_and_its_codes(
    open_page: Callable[..., Page], serve: Serve, tmp_path: Path
) -> None:
    tape = Tape(Climbing(Stairs(top=4)))
    for player in ("ann", "bob", "bob"):
        tape.do(Step(player))
    first, records = tape.recording.first, tape.recording.records
    narrator = plain_narrator(Climbing(Stairs()), Look(), result_of, picture_of, told_of, English())
    reel = Reel("stairs", "game", BEGAN, first, narrators={"stairs": narrator})
    for record in records:
        reel.add(record)
    page = open_page()

    def answer(route: Route) -> None:
        data = reel.piece(0) if "from=" in route.request.url else reel.overview()
        route.fulfill(body=gzip.decompress(data), content_type="application/json")

    page.route("**/replay/data*", answer)
    page.goto(f"{serve('replay', str(write(short(), tmp_path / 'game.db')), '--http-port', '0').url}replay")
    expect(page).to_have_title("Replay: stairs")
    expect(page.locator("#moves > li")).to_have_text(
        ["ann: took a step (of 4)", "bob: took a step (of 4)", "bob: Paused (of 4)"]
    )
    expect(page.locator("#summary thead th")).to_have_text(["player", "moves", "waits"])
    expect(page.locator("#unit")).to_have_text("points")
    page.keyboard.press("h")
    expect(page.locator("#readout")).to_have_text("2 moves up to this move")


# --- a running game ---


def test_a_game_that_goes_on_is_followed_from_its_page_and_back(
    open_page: Callable[..., Page], serve: Serve, tmp_path: Path
) -> None:
    board = tmp_path / "board.txt"
    board.write_text(BOARD)
    url = serve("memory", "--port", "0", "--journal", str(tmp_path / "game.db"), str(board)).url
    urlopen(f"{url}flip/ann/0,0").close()
    page = open_page()
    page.goto(url)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#count")).to_contain_text("move 1 / 1")
    urlopen(f"{url}flip/ann/0,1").close()
    expect(page.locator("#count")).to_contain_text("move 2 / 2")
    page.keyboard.press("Home")
    urlopen(f"{url}flip/ann/0,2").close()
    expect(page.locator("#count")).to_contain_text("move 0 / 3")
    page.get_by_role("link", name="To the game").click()
    expect(page).to_have_title("Memory Scramble")


# --- looks ---


def test_the_theme_is_that_of_the_system_and_can_be_switched(watch: Watch) -> None:
    viewer = watch(short(), at=5, color_scheme="dark")
    viewer.is_at(5)
    dark = viewer.picture()
    viewer.page.get_by_role("button", name="Theme: system").click()
    expect(viewer.page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert viewer.picture() != dark


def test_a_phone_fits_the_page(watch: Watch) -> None:
    viewer = watch(random_memory(300), width=390, height=844, has_touch=True, is_mobile=True)
    viewer.is_at(300)
    assert viewer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(viewer.page.locator("canvas.scene-canvas")).to_be_in_viewport(ratio=1)
    expect(viewer.slider).to_be_in_viewport(ratio=1)
    for button in viewer.page.locator(".transport button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 40


def test_the_page_asks_nobody_but_its_server_and_nothing_goes_wrong(watch: Watch) -> None:
    viewer = watch(random_memory(1300))
    viewer.is_at(1300)
    for key in ("Home", "PageDown", "h", "End", "h"):
        viewer.press(key)
    viewer.is_at(1300)
    assert [address for address in viewer.asked if not address.startswith(viewer.url)] == []
    assert viewer.wrong == []


def test_a_recording_that_cannot_be_replayed_says_so(
    open_page: Callable[..., Page], serve: Serve, tmp_path: Path
) -> None:
    path = write(short(), tmp_path / "game.db")
    url = serve("replay", str(path), "--http-port", "0").url
    with sqlite3.connect(path) as database:
        database.execute("UPDATE commands SET command = '{}' WHERE seq = 3")
    database.close()
    page = open_page()
    page.goto(url)
    expect(page.locator("#now")).to_contain_text("There is nothing to replay: ")
    expect(page.locator("#now")).to_contain_text("damaged")
    expect(page.locator("#link")).to_have_attribute("data-state", "lost")


# --- long games ---


def test_ten_thousand_moves_are_at_hand(
    open_page: Callable[..., Page], serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in UNCHECKED.items():
        monkeypatch.setenv(name, value)
    path = make(tmp_path / "game.db", SHORT)
    viewer = Viewer(open_page(), serve("replay", str(path), "--http-port", "0").url)
    assert look_through(viewer, SHORT) <= most_pieces(SHORT), "a piece was requested twice"
