"""Memory Scramble's page in a real Chromium, served by a real `scramble memory`.

Testing strategy. The rules and the frames have tests of their own; here is what a player does and sees.

- joining: name suggested, refused, kept over a reload; another name for a second tab: test_joining_*, test_a_new_name_*
- playing in two tabs: flip, wait, match, remove, no match: test_two_tabs_*, test_cards_that_*, test_a_double_click_*
- failing: first card (1-A), second card (2-A, 2-B); shown, dismissed, kept in the log: test_a_failed_*
- waiting called off: Escape, the card again, the button: test_calling_off_*
- others: told to screen readers, here and away; 1, 2, 8 tabs of one browser (HTTP gets six connections):
  test_others_moves_*, test_whoever_*, test_eight_tabs_*
- connection: lost and back; same board, another board; moves meanwhile: test_the_page_comes_back_*
- input: mouse (most tests), keyboard alone, touch: test_the_keyboard_*, test_a_phone_*
- boards: 2x3, 20x20, words longer than their cell: test_a_20x20_*, test_a_change_*, test_a_long_word_*
- the end: pairs in hands only, over, new game: test_pairs_in_hands_*, test_the_end_*
- looks: light, dark, system; contrast; motion, none: test_the_theme_*, test_ink_*, test_cards_turn_*, test_nothing_*
- beside the game: replacing a card, link, rules, nothing from elsewhere: test_replacing_*, test_the_link_*,
  test_the_rules_*, test_the_page_asks_*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import Serve

pytestmark = pytest.mark.browser

BOARD = "2x3\nA\nB\nA\nC\nB\nC\n"
LARGE = Path(__file__).parents[2] / "boards" / "memory" / "large.txt"
FINGER_PX = 40


class Player:
    """One tab, joined under a name."""

    def __init__(self, page: Page, url: str, name: str) -> None:
        self.page: Final = page
        self.name: Final = name
        page.goto(url)
        page.get_by_label("Your name", exact=True).fill(name)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(self.cell(0, 0)).to_be_visible()

    def cell(self, row: int, column: int) -> Locator:
        return self.page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')

    def flip(self, row: int, column: int) -> None:
        """Click a card, and wait until the server has said what becomes of it."""
        self.cell(row, column).click()
        expect(self.cell(row, column)).not_to_have_attribute("data-pending", "")

    def sees(self, row: int, column: int, label: str) -> None:
        """Check what a screen reader says of a cell, after its place."""
        expect(self.cell(row, column)).to_have_attribute("aria-label", f"row {row + 1}, column {column + 1}, {label}")

    @property
    def next(self) -> Locator:
        """The line that says what to do next."""
        return self.page.locator("#next > p")

    def toast(self, text: str) -> Locator:
        return self.page.locator(".toast", has_text=text)

    def score(self, name: str) -> Locator:
        return self.page.locator(f'#players > [data-player="{name}"] .player-score')


class Join(Protocol):
    def __call__(self, name: str, url: str | None = None, context: BrowserContext | None = None) -> Player: ...


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Contexts that are closed at the end of the test."""
    made: list[BrowserContext] = []
    yield made
    for context in made:
        context.close()


@pytest.fixture
def board(tmp_path: Path) -> Path:
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    return file


@pytest.fixture
def url(serve: Serve, board: Path) -> str:
    return serve("memory", "--port", "0", str(board)).url


@pytest.fixture(scope="module")
def any_url(serve_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page whose board may look like anything: for tests of what stands beside it. Saves starting a server."""
    file = tmp_path_factory.mktemp("any") / "board.txt"
    file.write_text(BOARD)
    return serve_module("memory", "--port", "0", str(file)).url


@pytest.fixture
def join(browser: Browser, contexts: list[BrowserContext], request: pytest.FixtureRequest) -> Join:
    """Joins under a name: each player in a browser of their own, unless a context is given."""

    def join(name: str, url: str | None = None, context: BrowserContext | None = None) -> Player:
        if context is None:
            context = browser.new_context()
            contexts.append(context)
        return Player(context.new_page(), url or request.getfixturevalue("url"), name)

    return join


# --- joining ---


def test_joining_takes_one_key_because_a_name_is_suggested(
    browser: Browser, contexts: list[BrowserContext], any_url: str
) -> None:
    contexts.append(browser.new_context())
    page = contexts[0].new_page()
    page.goto(any_url)
    suggested = page.get_by_label("Your name", exact=True).input_value()
    assert re.fullmatch(r"[a-z]+_[a-z]+", suggested)
    page.keyboard.press("Enter")
    expect(page.locator("#players")).to_contain_text(suggested)


def test_joining_under_a_name_with_other_characters_is_refused_in_words(
    browser: Browser, contexts: list[BrowserContext], any_url: str
) -> None:
    contexts.append(browser.new_context())
    page = contexts[0].new_page()
    page.goto(any_url)
    page.get_by_label("Your name", exact=True).fill("zoë!")
    page.keyboard.press("Enter")
    expect(page.locator("#join-error")).to_contain_text("letters")
    page.get_by_label("Your name", exact=True).fill("zoe")
    page.keyboard.press("Enter")
    expect(page.locator("#players")).to_contain_text("zoe")


def test_joining_again_is_not_needed_after_a_reload_but_a_second_tab_is_offered_another_name(
    join: Join, url: str
) -> None:
    alice = join("alice")
    alice.flip(0, 0)
    alice.page.reload()
    alice.sees(0, 0, "A, face up, yours")
    second = alice.page.context.new_page()
    second.goto(url)
    expect(second.get_by_label("Your name", exact=True)).not_to_have_value("alice")


def test_a_new_name_plays_on_as_another_player(join: Join) -> None:
    alice = join("alice")
    alice.flip(0, 0)
    alice.page.get_by_role("button", name="Change your name").click()
    alice.page.get_by_label("Your name", exact=True).fill("alina")
    alice.page.keyboard.press("Enter")
    alice.sees(0, 0, "A, face up, held by alice")


# --- playing ---


def test_two_tabs_flip_wait_match_and_remove(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    alice.sees(0, 0, "A, face up, yours")
    expect(alice.next).to_have_text("You hold A. Now find its twin.")
    bob.sees(0, 0, "A, face up, held by alice")

    bob.flip(0, 0)
    expect(bob.next).to_contain_text("Waiting for alice")
    expect(bob.cell(0, 0)).to_contain_text("waiting for alice")
    alice.sees(0, 0, "A, face up, yours, bob waiting")

    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")
    alice.flip(0, 1)
    for player, taker in ((alice, "you"), (bob, "alice")):
        player.sees(0, 0, f"empty, taken by {taker}")
        player.sees(0, 2, f"empty, taken by {taker}")
        expect(player.score("alice")).to_have_text("1")
    expect(bob.toast("rule 1-A")).to_be_visible()  # whoever waits for a card that goes is told
    expect(bob.next).to_have_text("Turn over a card.")


def test_cards_that_do_not_match_stay_up_until_the_next_move_and_go_to_who_waits(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    bob.flip(0, 0)
    alice.flip(0, 1)
    expect(alice.next).to_contain_text("Not alike")
    bob.sees(0, 0, "A, face up, yours")
    expect(bob.toast("is yours")).to_be_visible()
    bob.sees(0, 1, "B, face up, free")
    alice.flip(1, 0)
    bob.sees(0, 1, "face down")
    bob.sees(0, 0, "A, face up, yours")


def test_a_failed_flip_is_one_quiet_line_with_its_rule_and_stays_in_the_log(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.toast("rule 2-B")).to_be_visible()
    expect(alice.next).to_contain_text("free again")
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(0, 1)  # takes the pair of A
    bob.flip(0, 0)
    expect(bob.toast("rule 1-A")).to_be_visible()
    bob.flip(1, 0)
    bob.flip(0, 0)
    expect(bob.toast("rule 2-A")).to_be_visible()
    bob.toast("rule 2-A").get_by_role("button", name="Dismiss").click()
    expect(bob.toast("rule 2-A")).to_have_count(0)
    bob.page.get_by_text("What happened").click()
    expect(bob.page.locator("#log")).to_contain_text("rule 2-A")
    expect(bob.page.locator("#log")).to_contain_text("rule 1-A")


def test_a_double_click_turns_a_card_over_once(join: Join) -> None:
    alice = join("alice")
    alice.cell(0, 0).dblclick()
    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")


@pytest.mark.parametrize("how", ["escape", "card", "button"])
def test_calling_off_a_wait_gives_the_card_to_nobody(join: Join, how: str) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    bob.flip(0, 0)
    expect(bob.next).to_contain_text("Waiting for alice")
    if how == "escape":
        bob.page.keyboard.press("Escape")
    elif how == "card":
        bob.cell(0, 0).click()
    else:
        bob.page.get_by_role("button", name="Call it off").click()
    expect(bob.toast("Called off")).to_be_visible()
    alice.sees(0, 0, "A, face up, yours")
    alice.flip(0, 1)
    bob.sees(0, 0, "A, face up, free")
    bob.flip(1, 0)
    bob.sees(1, 0, "C, face up, yours")


def test_others_moves_are_told_in_the_live_region(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("alice turned up A at row 1, column 1.")


def test_whoever_leaves_is_away_and_comes_back(join: Join, url: str) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    in_list = alice.page.locator('#players > [data-player="bob"]')
    expect(in_list).not_to_have_attribute("data-away", "")
    bob.page.goto("about:blank")
    expect(in_list).to_have_attribute("data-away", "")
    bob.page.goto(url)
    expect(in_list).not_to_have_attribute("data-away", "")


def test_eight_tabs_of_one_browser_do_not_hang(join: Join) -> None:
    first = join("p0")
    tabs = [first, *(join(f"p{n}", context=first.page.context) for n in range(1, 8))]
    first.flip(0, 0)
    for tab in tabs[1:]:
        tab.page.bring_to_front()  # playwright clicks in slow motion in a tab that is not
        tab.flip(0, 0)
        expect(tab.next).to_contain_text("Waiting for p0")
    first.page.bring_to_front()
    first.flip(0, 1)
    tabs[1].sees(0, 0, "A, face up, yours, p2, p3, p4, p5, p6 and p7 waiting")
    for tab in tabs[2:]:
        expect(tab.next).to_contain_text("Waiting for p1")


# --- the connection ---


def test_the_page_comes_back_after_a_restart_and_refuses_moves_meanwhile(serve: Serve, join: Join, board: Path) -> None:
    server = serve("memory", "--port", "0", str(board))
    address, port = server.url, str(server.port)
    alice = join("alice", address)
    alice.flip(0, 0)
    server.stop()
    expect(alice.page.locator("#link")).to_contain_text("Reconnecting")
    alice.cell(0, 1).click()
    expect(alice.toast("Not connected")).to_be_visible()
    serve("memory", "--port", port, str(board))
    expect(alice.page.locator("#link")).to_contain_text("Connected")
    expect(alice.toast("Connected again")).to_contain_text("1 card changed")
    alice.sees(0, 0, "face down")
    alice.sees(0, 1, "face down")
    alice.flip(0, 1)
    alice.sees(0, 1, "B, face up, yours")


def test_the_page_comes_back_to_another_board_of_another_size(serve: Serve, join: Join, board: Path) -> None:
    server = serve("memory", "--port", "0", str(board))
    address, port = server.url, str(server.port)
    alice = join("alice", address)
    server.stop()
    board.write_text("3x1\nX\nY\nX\n")
    serve("memory", "--port", port, str(board))
    expect(alice.toast("another board")).to_be_visible()
    expect(alice.page.get_by_role("gridcell")).to_have_count(3)
    alice.flip(2, 0)
    alice.sees(2, 0, "X, face up, yours")


# --- input, sizes ---


def test_the_keyboard_alone_is_enough(browser: Browser, contexts: list[BrowserContext], url: str) -> None:
    contexts.append(browser.new_context())
    page = contexts[0].new_page()
    page.goto(url)
    page.keyboard.type("keyla")
    page.keyboard.press("Enter")
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("aria-label", "row 1, column 1, face down")
    for key, place in (
        ("ArrowRight", "row 1, column 2"),
        ("ArrowDown", "row 2, column 2"),
        ("End", "row 2, column 3"),
        ("ArrowRight", "row 2, column 3"),
        ("Home", "row 2, column 1"),
        ("PageUp", "row 1, column 1"),
        ("Control+End", "row 2, column 3"),
        ("Control+Home", "row 1, column 1"),
    ):
        page.keyboard.press(key)
        expect(focused).to_have_attribute("aria-label", f"{place}, face down")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-label", "row 1, column 1, A, face up, yours")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    expect(focused).to_have_attribute("aria-label", "row 1, column 3, A, face up, yours")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator('[data-player="keyla"] .player-score').first).to_have_text("1")
    page.keyboard.press("Tab")
    expect(focused).to_have_attribute("id", "share-link")
    assert page.locator("[role=gridcell][tabindex='0']").count() == 1


def test_a_phone_fits_the_page_and_plays_with_a_finger(
    browser: Browser, contexts: list[BrowserContext], url: str
) -> None:
    contexts.append(browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    alice = Player(contexts[0].new_page(), url, "alice")
    alice.cell(0, 0).tap()
    alice.sees(0, 0, "A, face up, yours")
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = alice.cell(0, 0).bounding_box()
    assert box is not None
    assert box["width"] > 100
    for button in alice.page.get_by_role("button").all():
        size = button.bounding_box()
        assert size is None or size["height"] >= 36


def test_a_20x20_board_stays_usable_on_a_phone(browser: Browser, contexts: list[BrowserContext], serve: Serve) -> None:
    address = serve("memory", "--port", "0", str(LARGE)).url
    contexts.append(browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    alice = Player(contexts[0].new_page(), address, "alice")
    expect(alice.page.get_by_role("gridcell")).to_have_count(400)
    box = alice.cell(0, 0).bounding_box()
    assert box is not None
    assert box["width"] >= FINGER_PX
    assert box["height"] >= FINGER_PX
    alice.cell(0, 0).focus()
    alice.page.keyboard.press("Control+End")
    expect(alice.cell(19, 19)).to_be_in_viewport()
    expect(alice.page.get_by_role("heading", name="Memory Scramble")).to_be_in_viewport()
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    alice.cell(19, 19).tap()
    expect(alice.cell(19, 19)).to_have_attribute("data-held", "mine")


def test_a_change_touches_only_the_cells_that_changed(join: Join, serve: Serve) -> None:
    address = serve("memory", "--port", "0", str(LARGE)).url
    alice, bob = join("alice", address), join("bob", address)
    bob.page.evaluate(
        """() => {
            window.touched = new Set();
            new MutationObserver((records) => {
                for (const { target } of records) {
                    const cell = target.closest(".cell");
                    if (cell) window.touched.add(`${cell.dataset.row},${cell.dataset.column}`);
                }
            }).observe(document.querySelector(".board"), { subtree: true, childList: true, attributes: true });
        }"""
    )
    alice.flip(3, 4)
    expect(bob.cell(3, 4)).to_have_attribute("data-held", "other")
    assert bob.page.evaluate("[...window.touched]") == ["3,4"]


def test_a_long_word_ends_in_an_ellipsis_and_is_told_whole_on_focus(join: Join, serve: Serve, board: Path) -> None:
    word = "Donaudampfschifffahrtsgesellschaftskapitaen" * 2
    board.write_text(f"1x2\n{word}\n{word}\n")
    alice = join("alice", serve("memory", "--port", "0", str(board)).url)
    alice.flip(0, 0)
    expect(alice.cell(0, 0)).to_have_attribute("title", re.compile(word))
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    alice.page.keyboard.press("ArrowRight")
    alice.page.keyboard.press("ArrowLeft")
    expect(alice.page.locator(".peek")).to_have_text(word)


# --- the end ---


def take_all(player: Player) -> None:
    for first, second in (((0, 0), (0, 2)), ((0, 1), (1, 1)), ((1, 0), (1, 2))):
        player.flip(*first)
        player.flip(*second)


def test_the_end_tells_who_took_how_many_and_a_new_game_is_one_button_away(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    take_all(alice)
    alice.page.get_by_role("button", name="Take it").click()
    expect(alice.page.get_by_role("dialog")).to_contain_text("You win!")
    expect(bob.page.get_by_role("dialog")).to_contain_text("alice took 3 pairs")
    expect(alice.page.locator(".toast[data-kind=fail]")).to_have_count(0)  # taking the last pair is no failure
    bob.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    for player in (alice, bob):
        expect(player.page.get_by_role("dialog")).to_have_count(0)
        expect(player.page.locator("[data-is=down]")).to_have_count(6)
        expect(player.toast("A new game")).to_be_visible()
        expect(player.page.locator("#pairs")).to_have_text("3 pairs left of 3")


def test_pairs_in_hands_only_are_pointed_out_to_everybody(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    take_all(alice)
    expect(alice.next).to_contain_text("Make any move to take your pair off the board.")
    expect(bob.next).to_contain_text("alice holds the last pair")
    bob.page.locator("#next").get_by_role("button", name="New game").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="Keep playing").click()
    bob.sees(1, 0, "C, face up, held by alice")
    bob.page.locator("#next").get_by_role("button", name="New game").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    expect(alice.page.locator("[data-is=down]")).to_have_count(6)


# --- looks ---


def page_colour(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_follows_the_system_until_one_is_chosen_and_the_choice_is_kept(join: Join, any_url: str) -> None:
    page = join("alice", any_url).page
    page.emulate_media(color_scheme="light")
    light = page_colour(page)
    page.emulate_media(color_scheme="dark")
    dark = page_colour(page)
    assert light != dark
    switch = page.locator("#theme")
    expect(switch).to_have_attribute("aria-label", "Theme: system")
    switch.click()
    expect(switch).to_have_attribute("aria-label", "Theme: light")
    assert page_colour(page) == light
    page.reload()
    assert page_colour(page) == light
    switch.click()
    page.emulate_media(color_scheme="light")
    assert page_colour(page) == dark
    switch.click()
    assert page_colour(page) == light


LOWEST_CONTRAST = """() => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const probe = document.body.appendChild(document.createElement("div"));
    probe.className = "hue";
    const luminance = (colour) => {
        probe.style.color = colour;
        context.fillStyle = getComputedStyle(probe).color;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => {
            const part = c / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [a, b] = [luminance(`var(${one})`), luminance(`var(${other})`)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const found = {};
    for (const ground of ["--page", "--surface", "--sunk"]) {
        for (const ink of ["--ink", "--muted", "--accent", "--good", "--warn", "--bad"]) {
            found[`${ink} on ${ground}`] = contrast(ink, ground);
        }
    }
    found["button"] = contrast("--accent-ink", "--accent");
    found["card"] = contrast("--paper-ink", "--paper");
    for (let hue = 0; hue < 360; hue += 5) {
        probe.style.setProperty("--hue", hue);
        for (const pair of ["page player", "surface player", "player player-ink", "player-soft player"]) {
            const [ground, ink] = pair.split(" ").map((name) => `--${name}`);
            found[`${ink} on ${ground} at ${hue}`] = contrast(ink, ground);
        }
    }
    probe.remove();
    const poor = Object.entries(found).filter(([, ratio]) => ratio < 4.5);
    return poor.map(([what, ratio]) => `${what}: ${ratio.toFixed(2)}`);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ink_is_readable_on_every_ground_and_every_player_is_too(
    browser: Browser, contexts: list[BrowserContext], any_url: str, scheme: str
) -> None:
    contexts.append(browser.new_context(color_scheme="dark" if scheme == "dark" else "light"))
    page = contexts[0].new_page()
    page.goto(any_url)
    assert page.evaluate(LOWEST_CONTRAST) == []


MOTIONS = """() => {
    window.motions = [];
    addEventListener("animationstart", (event) => window.motions.push(event.animationName), true);
}"""


def test_cards_turn_over_and_pairs_leave_with_motion_that_blocks_nothing(join: Join) -> None:
    alice = join("alice")
    alice.page.evaluate(MOTIONS)
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(0, 1)
    expect(alice.page.locator(".ghost")).to_have_count(0)
    assert {"turn-away", "turn-here", "leave"} <= set(alice.page.evaluate("window.motions"))


def test_nothing_moves_if_the_system_asks_for_no_motion(
    browser: Browser, contexts: list[BrowserContext], url: str, join: Join
) -> None:
    contexts.append(browser.new_context(reduced_motion="reduce"))
    alice, bob = Player(contexts[0].new_page(), url, "alice"), join("bob")
    alice.page.evaluate(MOTIONS)
    bob.flip(1, 0)
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(1, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    alice.sees(0, 0, "empty, taken by you")
    assert [name for name in alice.page.evaluate("window.motions") if name != "toast-in"] == []


# --- beside the game ---


def test_replacing_a_card_changes_every_one_of_it_for_everybody(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    alice.page.get_by_role("button", name="Replace a card").click()
    dialog = alice.page.get_by_role("dialog")
    dialog.get_by_label("Old card").fill("A")
    dialog.get_by_label("New card").fill("two words")
    alice.page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("without spaces")
    dialog.get_by_label("New card").fill("🦄")
    alice.page.keyboard.press("Enter")
    expect(alice.toast("Every A is now 🦄.")).to_be_visible()
    bob.sees(0, 0, "🦄, face up, yours")
    bob.flip(0, 2)
    expect(bob.next).to_contain_text("A pair of 🦄!")


def test_the_link_to_share_is_copied(join: Join, any_url: str) -> None:
    alice = join("alice", any_url)
    alice.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    alice.page.get_by_role("button", name="Copy").click()
    expect(alice.toast("Link copied")).to_be_visible()
    assert alice.page.evaluate("navigator.clipboard.readText()") == any_url


def test_the_rules_fold_away_and_stay_folded(join: Join, any_url: str) -> None:
    page = join("alice", any_url).page
    expect(page.locator("#rules li")).to_have_count(4)
    page.get_by_text("How to play").click()
    expect(page.locator("#rules li").first).to_be_hidden()
    page.reload()
    expect(page.locator("#rules li").first).to_be_hidden()


def test_the_page_asks_nobody_but_its_server_and_nothing_goes_wrong(
    browser: Browser, contexts: list[BrowserContext], url: str
) -> None:
    contexts.append(browser.new_context())
    page = contexts[0].new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    alice = Player(page, url, "alice")
    take_all(alice)
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_role("dialog")).to_contain_text("All found!")
    assert [address for address in asked if not address.startswith(url)] == []
    assert wrong == []
