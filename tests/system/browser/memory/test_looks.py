"""The looks and controls of Memory Scramble's page, in a real Chromium: sizes, touch, keys, colours, motion.

Testing strategy. Each test is a journey on one board.

- 2x3, on a desktop: the keyboard alone, motion, no motion: test_the_keyboard_*
- 2x3, on phones and in a wide window: the longest name in the header, connected and lost, with `audit`; the theme:
  light, dark, system: test_the_header_*
- 8x8, on a desktop: words longer than their cell: test_a_long_word_*
- 10x10: whole on a phone; on a small phone a tap zooms in: test_a_10x10_*
- 20x20, on a phone and on a desktop: zoom, map, ways to the other players, a change of one cell, short words on small
  cards, small cards under a mouse, `audit`: test_a_20x20_*

tests/unit/front/web/test_palette.py tests the contrast of the colours.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join, Player

pytestmark = pytest.mark.browser

FINGER_PX: Final = 40
CARD_PX: Final = 32  # large enough for a finger: cards have gaps


def phone(new_context: NewContext, *, alone: bool = False) -> BrowserContext:
    return new_context(alone=alone, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


def width_of(cell: Locator) -> float:
    box = cell.bounding_box()
    assert box is not None
    return box["width"]


MOTIONS = """() => {
    window.motions = [];
    for (const type of ["animationstart", "animationend"]) {
        addEventListener(type, (event) => window.motions.push(`${event.animationName} ${type.slice(9)}s`), true);
    }
}"""


def test_the_keyboard_alone_is_enough_and_cards_move_unless_the_system_asks_for_no_motion(
    new_context: NewContext, url: str
) -> None:
    page = new_context().new_page()
    page.goto(url)
    page.evaluate(MOTIONS)
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
    # The cards have turned over and left with their whole motion, which has blocked nothing.
    expect(page.locator(".ghost")).to_have_count(0)
    motions = page.evaluate("window.motions.splice(0)")
    assert {"turn-away ends", "turn-here ends", "leave ends"} <= set(motions)

    # Without motion: the twin of the card, and a card of another player, which removes the pair.
    page.emulate_media(reduced_motion="reduce")
    httpx.get(f"{url}flip/bob/1,0")
    page.keyboard.press("Shift+Tab")
    for key in ("ArrowDown", "Enter", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#next")).to_contain_text("Waiting for bob")
    expect(page.locator('[data-player="keyla"] .player-score').first).to_have_text("2")
    assert [motion for motion in page.evaluate("window.motions") if not motion.startswith("toast-in")] == []


OUT_OF_PLACE = """() => {
    const shown = [...document.querySelectorAll(".bar > :not(.toasts)")];
    const parts = shown.map((part) => [part, part.getBoundingClientRect()]);
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


def faults_of_header(page: Page) -> list[str]:
    """The faults of the header on a small phone, in a wide window, and at last on a phone."""
    found: list[str] = []
    for width in (320, 1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        found += [f"at {width} px {fault}" for fault in page.evaluate(OUT_OF_PLACE)]
    return found


def page_colour(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_header_has_space_for_the_longest_name_and_keeps_the_chosen_theme(
    new_context: NewContext, serve: Serve, board: Path
) -> None:
    server = serve("memory", "--port", "0", str(board))
    player = Player(phone(new_context, alone=True).new_page(), server.url, 20 * "M")
    page = player.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert width_of(player.cell(0, 0)) > 100
    heights = page.get_by_role("button").evaluate_all("buttons => buttons.map((one) => one.offsetHeight)")
    assert [height for height in heights if 0 < height < 36] == []
    assert faults_of_header(page) == []

    # The theme follows the system until the player chooses one.
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

    page.clock.install()
    server.kill()
    expect(page.locator("#link")).not_to_have_attribute("data-state", "online")
    page.clock.fast_forward(5_000)  # the page reports a loss after 4 s
    expect(page.locator("#link")).to_contain_text("Reconnecting")
    assert faults_of_header(page) == []
    audit(page, "lost")


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
    cards = (endless, word, "🦄", "🦄", *(4 * "A"), word, *(55 * "A"))
    board.write_text("8x8\n" + "".join(f"{card}\n" for card in cards))
    address = serve("memory", "--port", "0", str(board)).url
    httpx.get(f"{address}flip/bob/0,0")
    alice = join("alice", address)
    peek = alice.page.locator(".peek")
    expect(alice.cell(0, 0)).to_be_focused()
    expect(peek).to_be_hidden()  # the page set this focus, not the player
    alice.flip(0, 1)
    httpx.get(f"{address}flip/carl/1,0")
    alice.sees(1, 0, f"{word}, face up, held by carl")
    assert alice.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for cell in (alice.cell(0, 1), alice.cell(1, 0)):
        text = cell.locator(".face-text")
        assert 1 < text.evaluate(LINES) <= 4
        assert text.evaluate("text => text.scrollHeight <= text.clientHeight && text.scrollWidth <= text.clientWidth")
    cut = alice.cell(0, 0).locator(".face-text")
    assert cut.evaluate("text => text.scrollHeight > text.clientHeight")
    expect(alice.cell(0, 0)).to_have_attribute("title", re.compile(endless))
    alice.page.keyboard.press("ArrowLeft")
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


EVERYTHING = "frame => frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight"


def test_a_10x10_board_fits_a_phone_whole_and_on_a_small_phone_the_first_tap_brings_it_closer(
    new_context: NewContext, serve: Serve, board: Path
) -> None:
    board.write_text("10x10\n" + "".join(f"{card}\n" for card in (*range(50), *range(50))))
    alice = Player(phone(new_context).new_page(), serve("memory", "--port", "0", str(board)).url, "alice")
    frame = alice.page.locator("#frame")
    assert frame.evaluate(EVERYTHING)
    assert width_of(alice.cell(9, 9)) >= CARD_PX
    expect(alice.cell(9, 9)).to_be_in_viewport()
    alice.cell(9, 9).tap()
    alice.sees(9, 9, "49, face up, yours")

    # The first tap on a small phone only zooms.
    alice.page.set_viewport_size({"width": 320, "height": 844})
    alice.page.wait_for_function("most => document.querySelector('.cell').offsetWidth < most", arg=CARD_PX)
    assert frame.evaluate(EVERYTHING)
    alice.cell(7, 7).tap()
    assert width_of(alice.cell(7, 7)) >= FINGER_PX
    expect(alice.cell(7, 7)).to_be_in_viewport()
    alice.cell(8, 8).tap()
    alice.sees(8, 8, "38, face up, free")
    alice.sees(7, 7, "face down")
    alice.page.get_by_role("button", name="Whole board").tap()
    assert frame.evaluate(EVERYTHING)
    alice.cell(8, 8).evaluate("cell => cell.click()")  # a screen reader clicks cells of any size
    alice.sees(8, 8, "38, face up, yours")
    alice.cell(0, 0).focus()
    alice.page.keyboard.press("Enter")  # a keyboard does, too
    alice.sees(0, 0, "0, face up, free")


NOTE_TOUCHED_CELLS = """() => {
    window.touched = new Set();
    new MutationObserver((records) => {
        for (const { target } of records) {
            const cell = target.closest(".cell");
            if (cell) window.touched.add(`${cell.dataset.row},${cell.dataset.column}`);
        }
    }).observe(document.querySelector(".board"), { subtree: true, childList: true, attributes: true });
}"""


def test_a_20x20_board_stays_usable_on_a_phone_with_a_map_and_ways_to_the_others(
    new_context: NewContext, serve: Serve, join: Join, board: Path
) -> None:
    words = ("lemon", "mosaic", "monkey")
    board.write_text("20x20\n" + "".join(f"{card}\n" for card in (*words, *words, *(394 * "A"))))
    address = serve("memory", "--port", "0", str(board)).url
    alice, bob = Player(phone(new_context).new_page(), address, "alice"), join("bob", address)
    expect(alice.page.get_by_role("gridcell")).to_have_count(400)
    assert width_of(alice.cell(0, 0)) >= FINGER_PX

    # A short word is not broken. A change touches only its cell.
    bob.page.evaluate(NOTE_TOUCHED_CELLS)
    for column, word in enumerate(words):
        alice.cell(0, column).tap()
        if column == 0:
            expect(bob.cell(0, 0)).to_have_attribute("data-held", "other")
            assert bob.page.evaluate("[...window.touched]") == ["0,0"]
        text = alice.cell(0, column).locator(".face-text")
        expect(text).to_have_text(word)
        assert text.evaluate(LINES) == 1
        assert text.evaluate("text => text.scrollWidth <= text.clientWidth")

    # A mouse turns over small cards at once. The phone shows the way to the card.
    assert 24 <= width_of(bob.cell(19, 19)) < FINGER_PX
    bob.flip(19, 19)
    expect(bob.cell(19, 19)).to_have_attribute("data-held", "mine")
    there = alice.page.get_by_role("button", name="Go to bob")
    expect(there).to_be_in_viewport()
    expect(alice.page.locator("#map")).to_be_visible()
    expect(alice.page.locator(".map-dot")).to_have_count(2)
    audit(alice.page, "large cards, with a map")
    there.tap()
    expect(alice.cell(19, 19)).to_be_in_viewport()
    expect(there).to_have_count(0)
    alice.cell(18, 18).tap()
    expect(alice.cell(18, 18)).to_have_attribute("data-is", "up")

    # The whole board, larger cards again, and the last card by the keyboard.
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
