"""The page of a replay in a real Chromium, on recordings of all three games.

Testing strategy. Other tests cover the narration, and replay.test.js covers the sentences and the boards of scenes.
These tests cover the viewer's actions and the display, in journeys on one recording each.

- navigation: an address, keys, buttons, the list of moves, words for a screen reader; each move has its own picture,
  always the same: test_keys_buttons_and_the_list_*
- squares by name, figures, chart, heat map, playing, both themes: test_the_totals_*
- a long recording on a phone: layout, slider, chart; each piece is requested once, and nothing from another site:
  test_a_long_recording_* (10,000 and 100,000 moves: `make torture NAMES=replay`)
- other games: minesweeper, crossword with several matches; a game that the pages do not know, after requests that
  failed: test_minesweeper_*, test_a_crossword_*, test_a_game_without_a_module_*
- requests for files that fail once, or always: before the page has its words, and after: test_a_page_that_loses_files_*
- a running game, from its own page and back: test_a_game_that_goes_on_*
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from scramble.games.narration import Spot
from scramble.games.plain import plain_narrator
from scramble.games.told import English, Told, tell
from scramble.kernel.protocol import Event
from scramble.memory.messages import Flip
from scramble.replay.reel import Reel
from tests.support.replay.tape import BEGAN, Talk, Tape, memory, random_memory, random_minesweeper
from tests.support.stairs import Climbing, GaveUp, Look, Paused, Stairs, Step, Stepped, result_of
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.replay.conftest import Watch

pytestmark = pytest.mark.browser

BOARD = "2x3\nA\nB\nA\nC\nB\nC\n"
FLIPS = (("ann", 0, 0), ("bob", 0, 1), ("ann", 0, 2), ("bob", 1, 0), ("ann", 1, 2), ("bob", 0, 1))

COLUMNS = """player, flips, matches, no card there, no second card, second card held, waits, waited, longest, pairs,
    turns, streak, memory"""


def short() -> Tape:
    tape = memory(BOARD)
    for flip in FLIPS:
        tape.do(Flip(*flip))
    return tape


# --- a short recording ---


def test_keys_buttons_and_the_list_go_from_move_to_move(watch: Watch) -> None:
    viewer = watch(short(), at=1)
    viewer.is_at(1, 6)

    # each move has its own picture, also on the way back
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

    # keys
    for key, seq in (("Home", 0), ("ArrowLeft", 0), ("PageDown", 1), ("End", 6), ("ArrowRight", 6), ("PageUp", 5)):
        viewer.press(key)
        viewer.is_at(seq)
    expect(viewer.now).to_contain_text("ann turns up C at row 2, column 3")
    expect(viewer.now).not_to_contain_text("1-B")  # only the reference uses rule numbers
    expect(viewer.now).to_contain_text("ann’s pair leaves the board")
    expect(viewer.page.locator("#live")).to_contain_text("ann turns up C at row 2, column 3")

    # buttons
    for name, seq in (
        ("To the beginning", 0),
        ("One move on", 1),
        ("One move on", 2),
        ("One move back", 1),
        ("To the end", 6),
    ):
        viewer.button(name).click()
        viewer.is_at(seq)

    # the list of moves, and the slider for a screen reader
    viewer.page.get_by_role("button", name="a pair").click()
    viewer.is_at(3)
    expect(viewer.page.locator("#moves [aria-current]")).to_contain_text("ann takes A at row 1, column 3: a pair")
    expect(viewer.page.locator("#moves [data-later]")).to_have_count(3)
    words = "move 3 of 6, 0:03: ann takes A at row 1, column 3: a pair"
    expect(viewer.slider).to_have_attribute("aria-valuetext", words)
    viewer.slider.focus()
    viewer.press("ArrowRight")
    viewer.is_at(4)
    expect(viewer.page.get_by_role("img", name="The board after move 4")).to_be_visible()
    assert viewer.wrong == []


def test_the_totals_the_heat_map_and_the_board_follow_a_recording_that_plays(watch: Watch) -> None:
    viewer = watch(short(), at=99)
    viewer.is_at(6, 6)

    # totals and chart
    table = viewer.page.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text([title.strip() for title in COLUMNS.split(",")])
    expect(table.get_by_role("rowheader")).to_have_count(2)
    expect(viewer.page.locator("#chart path.chart-line")).to_have_count(2)
    badges = viewer.page.locator("#chart .badge")
    assert badges.evaluate_all("badges => badges.map(({ dataset }) => dataset.initials)") == ["An", "Bo"]

    # the heat map counts up to the move
    viewer.press("h")
    expect(viewer.button("Heat map")).to_have_attribute("aria-pressed", "true")
    expect(viewer.readout).to_have_text("6 flips up to this move")
    viewer.press("ArrowLeft")
    expect(viewer.readout).to_have_text("5 flips up to this move")
    heat = viewer.picture()
    viewer.press("h")
    expect(viewer.readout).to_have_text("")
    viewer.changes_from(heat)

    # squares and scores
    for row, column, words in (
        (0, 0, "row 1, column 1: taken by ann, 1 flip"),
        (1, 2, "row 2, column 3: C, held by ann, 1 flip"),
        (0, 1, "row 1, column 2: B, free, 1 flip"),
        (1, 1, "row 2, column 2: face down, 0 flips"),
    ):
        viewer.point(row, column, 2, 3)
        expect(viewer.readout).to_have_text(words)
    expect(viewer.score("ann")).to_have_text("1")
    viewer.press("ArrowLeft")
    expect(viewer.score("ann")).to_have_text("0")

    # playing, to the end and again from the beginning; a key pauses it
    viewer.page.get_by_label("Speed").select_option("100")
    viewer.page.locator("body").press("Space")
    viewer.is_at(6)
    expect(viewer.button("Play")).to_be_visible()
    viewer.page.get_by_label("Speed").select_option("0.5")
    viewer.button("Play").click()
    viewer.is_at(0)
    viewer.button("Pause").click()
    viewer.button("Play").click()
    expect(viewer.button("Pause")).to_be_visible()
    viewer.press("End")
    expect(viewer.button("Play")).to_be_visible()
    viewer.is_at(6)

    # the theme of the system, and the theme of the switch
    light = viewer.picture()
    viewer.page.emulate_media(color_scheme="dark")
    viewer.changes_from(light)
    dark = viewer.picture()
    viewer.button("Theme: system").click()
    expect(viewer.button("Theme: light")).to_be_visible()
    viewer.changes_from(dark)
    assert viewer.picture() == light


# --- a long recording ---


def test_a_long_recording_is_at_hand_on_a_phone(watch: Watch) -> None:
    viewer = watch(random_memory(1300), phone=True)
    viewer.is_at(1300, 1300)
    known = len(viewer.asked)  # earlier pieces may have been short, because the server was still reading

    # the page fits
    assert viewer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(viewer.page.locator("canvas.scene-canvas")).to_be_in_viewport(ratio=1)
    expect(viewer.slider).to_be_in_viewport(ratio=1)
    for button in viewer.page.locator(".transport button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 40

    # dragging
    for place in ("#chart", "#scrub"):
        viewer.page.locator(place).scroll_into_view_if_needed()
        box = viewer.page.locator(place).bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        viewer.page.mouse.move(box["x"] + box["width"] - 10, middle)
        viewer.page.mouse.down()
        viewer.page.mouse.move(box["x"] + box["width"] / 2, middle)
        viewer.is_at(650)
        viewer.page.mouse.move(box["x"] - 40, middle)
        viewer.is_at(0)
        viewer.page.mouse.up()
        viewer.press("End")
        viewer.is_at(1300)

    # requests
    pieces = [address for address in viewer.asked[known:] if "from=" in address]
    assert len(pieces) == len(set(pieces)), "a piece was requested twice"
    assert [address for address in viewer.asked if not address.startswith(viewer.url)] == []
    assert viewer.wrong == []


# --- other games ---


def test_minesweeper_is_drawn_with_flags_and_craters(watch: Watch) -> None:
    tape = random_minesweeper(120, size=(9, 7))
    viewer = watch(tape, at=40)
    viewer.is_at(40)
    before = viewer.picture()
    viewer.press("End")
    viewer.is_at(len(tape.records))
    viewer.changes_from(before)
    plain = viewer.picture()
    viewer.press("h")
    expect(viewer.readout).to_contain_text("digs up to this move")
    viewer.changes_from(plain)
    assert viewer.wrong == []


def test_a_crossword_lobby_shows_the_match_that_moves_or_the_one_that_is_chosen(watch: Watch) -> None:
    talk = Talk()
    talk.two_matches()
    talk.say("dan", "TRY 2 mat")
    viewer = watch(talk.tape)
    viewer.is_at(len(talk.tape.records))
    expect(viewer.readout).to_contain_text("Match m2 on mini: The match is over, without a winner")
    viewer.page.get_by_label("Match", exact=True).select_option(label="m1 on mini: ann and bob")
    expect(viewer.readout).to_have_text("Match m1 on mini")
    viewer.point(1, 1, 3, 3)
    expect(viewer.readout).to_contain_text("cot, by ann")
    expect(viewer.score("ann")).to_have_text("0")
    assert viewer.wrong == []


def picture_of(stairs: Stairs) -> list[list[Spot]]:
    return [[Spot("up", by=player) for player in stairs.steps] + [Spot("down")] * (stairs.top - len(stairs.steps))]


def told_of(event: Event) -> Told:
    assert isinstance(event, Stepped | Paused | GaveUp)
    return tell("took-a-step" if isinstance(event, Stepped) else type(event).__name__, player=event.player, of=4)


def reel_of_stairs() -> Reel:
    """A recording of a game that has a narrator here, and no module for the page."""
    tape = Tape(Climbing(Stairs(top=4)))
    for player in ("ann", "bob", "bob"):
        tape.do(Step(player))
    narrator = plain_narrator(Climbing(Stairs()), Look(), result_of, picture_of, told_of, English())
    reel = Reel("stairs", "game", BEGAN, tape.recording.first, narrators={"stairs": narrator})
    for record in tape.recording.records:
        reel.add(record)
    return reel


def test_a_game_without_a_module_is_shown_by_its_spots_and_its_codes_after_requests_that_failed(watch: Watch) -> None:
    reel = reel_of_stairs()
    fails = {"overview", "piece"}

    def answer(route: Route) -> None:
        what = "piece" if "from=" in route.request.url else "overview"
        if what in fails:
            fails.remove(what)
            return route.fulfill(status=503, body="game.db is damaged\n")
        data = reel.piece(0) if what == "piece" else reel.overview()
        return route.fulfill(body=gzip.decompress(data), content_type="application/json")

    viewer = watch(short())
    page = viewer.page
    viewer.is_at(6, 6)
    page.route("**/replay/data*", answer)
    page.reload()
    expect(viewer.now).to_have_text("There is nothing to replay: game.db is damaged")
    expect(page.locator("#link")).to_have_attribute("data-state", "lost")
    page.reload()
    viewer.is_at(3, 3)
    assert fails == set()
    expect(page).to_have_title("Replay: stairs")
    expect(page.locator("#moves > li")).to_have_text(
        ["ann: took a step (of 4)", "bob: took a step (of 4)", "bob: Paused (of 4)"]
    )
    expect(page.locator("#summary thead th")).to_have_text(["player", "moves", "waits"])
    expect(page.locator("#unit")).to_have_text("points")
    viewer.press("h")
    expect(viewer.readout).to_have_text("2 moves up to this move")


# --- lost files ---

LOST_ONCE: Final = (
    *("shared/parts.css", "replay/lists.js", "shared/words/en.js", "replay/words/en.js"),
    *("memory/kind.js", "memory/kind-words/en.js", "memory/game.js", "memory/replay-words/en.js"),
)

HURRY: Final = "{ const set = setTimeout; window.setTimeout = (work, delay) => set(work, delay / 20); }"


def lose(page: Page, *files: str, times: int | None = None) -> None:
    """Let the next requests for these files of client/ fail, or all requests."""
    for file in files:
        page.route(f"**/client/{file}", lambda route: route.abort(), times=times)


def test_a_page_that_loses_files_requests_them_again_and_then_says_so(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRAMBLE_BUNDLES", "off")
    viewer = watch(short())
    page, message = viewer.page, viewer.page.locator(".incomplete")
    viewer.is_at(6, 6)
    expect(message).to_be_hidden()

    page.add_init_script(HURRY)  # a file that fails is requested again at once

    # each file is lost once
    lose(page, *LOST_ONCE, times=1)
    page.goto(viewer.url)
    viewer.is_at(6, 6)
    expect(page).to_have_title("Replay: Memory Scramble")
    expect(page.locator(".bar")).to_have_css("position", "sticky")  # a rule of a style sheet
    expect(message).to_be_hidden()

    # a module is lost always: the page says so in the user's language, and its link loads the page again
    page.evaluate("localStorage.setItem('scramble.language', 'de')")
    lose(page, "replay/lists.js")
    page.goto(viewer.url)
    expect(message).to_contain_text("Ein Teil dieser Seite wurde nicht geladen.")
    expect(message).to_have_attribute("lang", "de")
    audit(page, "without a module")
    page.evaluate("localStorage.removeItem('scramble.language')")
    page.unroute("**/client/replay/lists.js")
    message.get_by_role("link", name="Noch einmal versuchen").click()
    viewer.is_at(6, 6)

    # the script for these cases is lost, too
    lose(page, "shared/loading.js", "replay/lists.js")
    page.goto(viewer.url)
    page.evaluate("for (const animation of document.getAnimations()) animation.finish()")
    expect(message).to_have_text("A part of this page has not loaded. Try again", use_inner_text=True)
    page.unroute_all()
    message.get_by_role("link").click()
    viewer.is_at(6, 6)

    # a module of the game is lost: the page says so, and goes on when the module is there
    lose(page, "memory/kind.js")
    page.goto(viewer.url)
    expect(message).to_be_visible()
    expect(page.locator("#link")).to_have_attribute("data-state", "lost")
    page.unroute_all()
    viewer.is_at(6, 6)
    expect(message).to_be_hidden()


# --- a running game ---


def test_a_game_that_goes_on_is_followed_from_its_page_and_back(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    board = tmp_path / "board.txt"
    board.write_text(BOARD)
    url = serve("memory", "--port", "0", "--journal", str(tmp_path / "game.db"), str(board)).url
    urlopen(f"{url}flip/ann/0,0").close()
    page = new_context().new_page()
    page.goto(url)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("link", name="Replay").click()
    count = page.locator("#count")
    expect(count).to_contain_text("move 1 / 1")

    # a viewer at the end stays at the end, also after a look back
    page.keyboard.press("Home")
    expect(count).to_contain_text("move 0 / 1")
    page.keyboard.press("End")
    expect(count).to_contain_text("move 1 / 1")
    urlopen(f"{url}flip/ann/0,1").close()
    expect(count).to_contain_text("move 2 / 2")

    # a viewer at another move stays there
    page.keyboard.press("Home")
    urlopen(f"{url}flip/ann/0,2").close()
    expect(count).to_contain_text("move 0 / 3")
    page.get_by_role("link", name="To the game").click()
    expect(page).to_have_title("Memory Scramble")
