"""The looks and controls of Memory Scramble's page, in a real Chromium: sizes, touch, keys, colours, motion.

Testing strategy.

- input: mouse (in test_playing.py), keyboard alone, touch: test_the_keyboard_*, test_a_phone_*
- boards: 2x3, 10x10 (whole on a phone; on a small phone a tap zooms in), 20x20 (zoom, map, ways to the other players),
  words longer than their cell: test_a_10x10_*, test_a_finger_*, test_a_mouse_*, test_a_20x20_*, test_a_change_*,
  test_a_long_word_*
- header: the longest name; connected, lost; the smallest phone, a phone, a wide window: test_the_longest_name_*
- looks: light, dark, system; contrast; motion, none: test_the_theme_*, test_ink_*, test_cards_turn_*, test_nothing_*
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import LARGE, Join, Player, somebody

pytestmark = pytest.mark.browser

FINGER_PX: Final = 40
CARD_PX: Final = 32  # large enough for a finger: cards have gaps


# --- input, sizes ---


def test_the_keyboard_alone_is_enough(new_context: NewContext, url: str) -> None:
    context = new_context()
    page = context.new_page()
    page.goto(url)
    expect(page.get_by_label("Your name", exact=True)).to_be_focused()
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


def test_a_phone_fits_the_page_and_plays_with_a_finger(new_context: NewContext, url: str) -> None:
    context = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    alice = Player(context.new_page(), url, "alice")
    alice.cell(0, 0).tap()
    alice.sees(0, 0, "A, face up, yours")
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = alice.cell(0, 0).bounding_box()
    assert box is not None
    assert box["width"] > 100
    for button in alice.page.get_by_role("button").all():
        size = button.bounding_box()
        assert size is None or size["height"] >= 36


def phone(new_context: NewContext, width: int = 390) -> BrowserContext:
    return new_context(viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True)


def width_of(cell: Locator) -> float:
    box = cell.bounding_box()
    assert box is not None
    return box["width"]


EVERYTHING = "frame => frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight"


def test_a_20x20_board_stays_usable_on_a_phone_with_a_map_and_ways_to_the_others(
    new_context: NewContext, serve: Serve, join: Join
) -> None:
    address = serve("memory", "--port", "0", str(LARGE)).url
    alice = Player(phone(new_context).new_page(), address, "alice")
    bob = join("bob", address)
    expect(alice.page.get_by_role("gridcell")).to_have_count(400)
    assert width_of(alice.cell(0, 0)) >= FINGER_PX
    bob.flip(19, 19)
    there = alice.page.get_by_role("button", name="Go to bob")
    expect(there).to_be_in_viewport()
    expect(alice.page.locator("#map")).to_be_visible()
    expect(alice.page.locator(".map-dot")).to_have_count(1)
    there.tap()
    expect(alice.cell(19, 19)).to_be_in_viewport()
    expect(there).to_have_count(0)
    alice.cell(18, 18).tap()
    expect(alice.cell(18, 18)).to_have_attribute("data-held", "mine")
    whole = alice.page.get_by_role("button", name="Whole board")
    whole.tap()
    expect(whole).to_have_attribute("aria-pressed", "true")
    assert alice.page.locator("#frame").evaluate(EVERYTHING)
    expect(alice.page.locator("#map")).to_be_hidden()
    alice.page.get_by_role("button", name="Larger cards").tap()
    expect(whole).to_have_attribute("aria-pressed", "false")
    alice.cell(0, 0).focus()
    alice.page.keyboard.press("Control+End")
    expect(alice.cell(19, 19)).to_be_in_viewport()
    expect(alice.page.get_by_role("heading", name="Memory Scramble")).to_be_in_viewport()
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_10x10_board_fits_a_phone_whole_and_a_finger_turns_its_cards_over(
    new_context: NewContext, serve: Serve, board: Path
) -> None:
    board.write_text("10x10\n" + "".join(f"{card}\n" for card in (*range(50), *range(50))))
    alice = Player(phone(new_context).new_page(), serve("memory", "--port", "0", str(board)).url, "alice")
    assert alice.page.locator("#frame").evaluate(EVERYTHING)
    assert width_of(alice.cell(9, 9)) >= CARD_PX
    expect(alice.cell(9, 9)).to_be_in_viewport()
    alice.cell(9, 9).tap()
    alice.sees(9, 9, "49, face up, yours")


def test_a_finger_that_taps_a_small_card_brings_it_closer_first(
    new_context: NewContext, serve: Serve, board: Path
) -> None:
    board.write_text("10x10\n" + "".join(f"{card}\n" for card in (*range(50), *range(50))))
    page = phone(new_context, width=320).new_page()
    alice = Player(page, serve("memory", "--port", "0", str(board)).url, "alice")
    assert width_of(alice.cell(9, 9)) < CARD_PX
    alice.cell(9, 9).tap()
    assert width_of(alice.cell(9, 9)) >= FINGER_PX
    expect(alice.cell(9, 9)).to_be_in_viewport()
    alice.cell(8, 8).tap()
    alice.sees(8, 8, "38, face up, yours")  # the first card: the first tap only zoomed
    alice.sees(9, 9, "face down")
    page.get_by_role("button", name="Whole board").tap()
    assert page.locator("#frame").evaluate(EVERYTHING)
    alice.cell(8, 8).evaluate("cell => cell.click()")  # a screen reader hits cells of any size
    expect(alice.toast("first card")).to_be_visible()
    alice.cell(0, 0).focus()
    page.keyboard.press("Enter")  # a keyboard does, too
    alice.sees(0, 0, "0, face up, yours")


def test_a_mouse_turns_over_small_cards_at_once(join: Join, serve: Serve) -> None:
    alice = join("alice", serve("memory", "--port", "0", str(LARGE)).url)
    box = alice.cell(0, 0).bounding_box()
    assert box is not None
    assert 24 <= box["width"] < FINGER_PX
    alice.flip(0, 0)
    expect(alice.cell(0, 0)).to_have_attribute("data-held", "mine")


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


LINES = """text => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
}"""


def test_a_long_word_wraps_and_one_too_long_for_four_lines_is_told_whole_on_focus(
    join: Join, serve: Serve, board: Path
) -> None:
    word = "Donaudampfschifffahrtsgesellschaft"
    endless = 9 * word
    board.write_text(f"8x8\n{endless}\n{word}\n🦄\n🦄\n" + 60 * "A\n")
    address = serve("memory", "--port", "0", str(board)).url
    alice = join("alice", address)
    alice.flip(0, 0)
    bob = join("bob", address)
    expect(bob.cell(0, 0)).to_be_focused()
    expect(bob.page.locator(".peek")).to_be_hidden()  # the player has not asked for it, and the prompt is there
    bob.flip(0, 1)
    expect(alice.cell(0, 0)).to_have_attribute("title", re.compile(endless))
    for player in (alice, bob):
        assert player.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        text = player.cell(0, 1).locator(".face-text")
        assert 1 < text.evaluate(LINES) <= 4
        assert text.evaluate("text => text.scrollHeight <= text.clientHeight && text.scrollWidth <= text.clientWidth")
        cut = player.cell(0, 0).locator(".face-text")
        assert cut.evaluate("text => text.scrollHeight > text.clientHeight")
    alice.page.keyboard.press("ArrowRight")
    alice.page.keyboard.press("ArrowLeft")
    peek = alice.page.locator(".peek")
    expect(peek).to_have_text(endless)
    prompt, bubble = alice.page.locator("#next").bounding_box(), peek.bounding_box()
    assert prompt is not None
    assert bubble is not None
    assert bubble["y"] >= prompt["y"] + prompt["height"]
    alice.page.set_viewport_size({"width": 1920, "height": 1600})
    for column in (2, 3):
        alice.flip(0, column)
        alice.page.keyboard.press("ArrowDown")
        alice.page.keyboard.press("ArrowUp")
        expect(peek).to_be_hidden()  # a picture is higher than its line, but all of it is visible


def test_a_short_word_is_not_broken_on_a_small_card(new_context: NewContext, serve: Serve, board: Path) -> None:
    words = ("lemon", "mosaic", "monkey")
    board.write_text("20x20\n" + "".join(f"{word}\n" * 2 for word in words) + 394 * "A\n")
    alice = Player(phone(new_context).new_page(), serve("memory", "--port", "0", str(board)).url, "alice")
    for column, word in ((0, "lemon"), (2, "mosaic"), (4, "monkey")):
        alice.cell(0, column).tap()
        text = alice.cell(0, column).locator(".face-text")
        expect(text).to_have_text(word)
        assert text.evaluate(LINES) == 1
        assert text.evaluate("text => text.scrollWidth <= text.clientWidth")


OUT_OF_PLACE = """() => {
    const parts = [...document.querySelectorAll(".bar > *")].map((part) => [part, part.getBoundingClientRect()]);
    const wrong = [];
    for (const [index, [part, box]] of parts.entries()) {
        if (index > 0 && box.left < parts[index - 1][1].right) wrong.push(`${part.className} overlaps`);
        if (box.right > innerWidth) wrong.push(`${part.className} is cut off`);
        for (const child of part.querySelectorAll("img, svg, .badge, .chip-name, .dot")) {
            const inner = child.getBoundingClientRect();
            if (inner.width > 0 && inner.right > box.right + 1) wrong.push(`${part.className} is too narrow`);
        }
    }
    return wrong;
}"""


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_longest_name_leaves_everything_in_the_header_its_place(
    new_context: NewContext, serve: Serve, board: Path, width: int
) -> None:
    server = serve("memory", "--port", "0", str(board))
    context = new_context(viewport={"width": width, "height": 700})
    player = Player(context.new_page(), server.url, 20 * "M")
    assert player.page.evaluate(OUT_OF_PLACE) == []
    server.stop()
    expect(player.page.locator("#link")).to_contain_text("Reconnecting")
    assert player.page.evaluate(OUT_OF_PLACE) == []


# --- looks ---


def page_colour(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_follows_the_system_until_one_is_chosen_and_the_choice_is_kept(join: Join, any_url: str) -> None:
    page = join(somebody(), any_url).page
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
    for (let hue = 0; hue < 12; hue += 1) {
        probe.style.setProperty("--player", `var(--player-${hue})`);
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
    new_context: NewContext, any_url: str, scheme: str
) -> None:
    context = new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
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


def test_nothing_moves_if_the_system_asks_for_no_motion(new_context: NewContext, url: str, join: Join) -> None:
    context = new_context(reduced_motion="reduce")
    alice, bob = Player(context.new_page(), url, "alice"), join("bob")
    alice.page.evaluate(MOTIONS)
    bob.flip(1, 0)
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(1, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    alice.sees(0, 0, "empty, taken by you")
    assert [name for name in alice.page.evaluate("window.motions") if name != "toast-in"] == []
