"""Large and small fields of Minesweeper on a phone and on a large screen, in a real Chromium.

Testing strategy.

- 10x10 on a phone: whole, and zoomed in by a first tap or long press; keyboard and mouse: test_a_phone_shows_10_by_10_*
- 30x16 on a phone: zoom by buttons, before and after a tap, and by a pinch: test_a_phone_plays_30_by_16_*
- 100x100: a window, keys, a map, dragging; very many players, some by name: test_a_large_field_*
"""

from __future__ import annotations

import re
import socket
from contextlib import ExitStack

import pytest
from playwright.sync_api import Locator, expect

from tests.system.browser.conftest import Serve
from tests.system.browser.minesweeper.player import Join, Player

pytestmark = pytest.mark.browser

FINGER_PX = 40
SHOWS_ALL = "frame => frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight"


def whole_field(player: Player) -> Locator:
    return player.page.get_by_role("button", name="Whole field")


def shows_all(player: Player) -> bool:
    return bool(player.page.locator("#frame").evaluate(SHOWS_ALL))


def test_a_phone_shows_10_by_10_whole_and_a_first_tap_or_long_press_brings_it_closer(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "10,10", "--seed", "3")
    alice = join("alice", server, phone=True)
    page, whole = alice.page, whole_field(alice)
    assert 24 <= alice.cell < FINGER_PX
    assert shows_all(alice)
    for press in ("tap", "long press"):
        if press == "tap":
            page.touchscreen.tap(*alice.place(9, 9))
        else:
            alice.touch("touchStart", alice.place(9, 9))
        expect(whole).to_be_enabled()
        if press == "long press":
            alice.touch("touchEnd")
        assert alice.cell >= FINGER_PX
        expect(alice.square(9, 9, "untouched$")).to_be_attached()  # the tap had no other effect
        whole.tap()
        assert shows_all(alice)

    # a second tap digs
    page.touchscreen.tap(*alice.place(9, 9))
    expect(whole).to_be_enabled()
    page.touchscreen.tap(*alice.place(9, 9))
    expect(alice.square(9, 9, "dug, 2 bombs near")).to_be_attached()

    # keyboard and mouse work on squares of any size
    whole.tap()
    page.locator(".square[tabindex='0']").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("f")
    expect(alice.square(0, 0, "flagged")).to_be_focused()
    alice.click(5, 4)
    expect(alice.square(5, 4, "dug, 3 bombs near")).to_be_focused()
    expect(whole).to_be_disabled()


def test_a_phone_plays_30_by_16_with_squares_as_large_as_a_finger(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "30,16", "--seed", "1", "--debug")
    alice = join("alice", server, phone=True)
    page, whole, larger = alice.page, whole_field(alice), alice.page.get_by_role("button", name="Larger squares")
    assert alice.cell >= FINGER_PX
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not shows_all(alice)

    # before the first tap, zooming in keeps the middle in view
    whole.tap()
    assert shows_all(alice)
    small, before = alice.cell, alice.place(15, 8)[0]
    for _ in range(3):
        larger.tap()
    assert alice.cell > 2 * small
    assert alice.place(15, 8)[0] == pytest.approx(before, abs=alice.cell)

    # after a tap, it keeps the tapped square in view
    whole.tap()
    whole.tap()
    page.locator("#frame").evaluate("frame => { frame.scrollLeft = 0; }")
    page.touchscreen.tap(*alice.place(1, 8))
    last = alice.square(1, 8, "dug")
    expect(last).to_be_attached()
    for button, times in ((larger, 3), (whole, 1)):
        whole.tap()
        assert shows_all(alice)
        for _ in range(times):
            button.tap()
        assert alice.cell > 2 * small
        expect(last).to_be_in_viewport(ratio=0.99)

    # a pinch: two fingers move apart, and the square between them stays between them
    whole.tap()
    expect(whole).to_have_attribute("aria-pressed", "true")
    x, y = alice.place(15, 8)
    alice.touch("touchStart", (x - 30, y), (x + 30, y))
    # one finger moves after the other: their middle moves left and right
    for left, right in ((60, 30), (60, 60), (90, 60), (90, 90)):
        alice.touch("touchMove", (x - left, y), (x + right, y))
        page.evaluate("new Promise(requestAnimationFrame)")  # a browser reports the moves of one frame together
    alice.touch("touchEnd")
    expect(whole).to_have_attribute("aria-pressed", "false")
    assert alice.cell == pytest.approx(3 * small, rel=0.1)
    assert alice.place(15, 8)[0] == pytest.approx(x, abs=small)


def test_a_large_field_is_shown_through_a_window_and_very_many_players_by_some_names(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--port", "0", "--http-port", "0", "--size", "100,100", "--seed", "1", "--debug")
    telnet = server.telnet_port
    with ExitStack() as crowd:
        for _ in range(210):
            last = crowd.enter_context(socket.create_connection(("127.0.0.1", telnet)))
            last.recv(1000)
        zoe = join("zoe", server)
        expect(zoe.players.first).to_contain_text("zoe")
        expect(zoe.players.last).to_have_text("and 171 others")
        expect(zoe.page.locator("#players-count")).to_have_text("211")
        last.sendall(b"flag 0 0\r\n")  # number 210: the page does not know this player
        expect(zoe.log).to_contain_text("Player 210 set a flag.")

    page = zoe.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator("#size")).to_have_text("100 × 100")
    assert page.locator(".minefield *").count() < 100
    assert page.locator(".minefield-view").evaluate(
        "canvas => canvas.width <= innerWidth && canvas.height <= innerHeight"
    )

    # dragging with the mouse moves the field, and digs nothing
    x, y = zoe.place(12, 12)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 50, y - 100, steps=3)
    page.mouse.move(x - 100, y - 200)
    page.mouse.up()
    assert page.locator("#frame").evaluate("frame => [frame.scrollLeft, frame.scrollTop]") == [100, 200]
    page.locator(".square[tabindex='0']").focus()
    page.keyboard.press("Control+End")
    expect(zoe.focused).to_be_in_viewport()
    page.keyboard.press("f")  # if the drag made moves, they come before this one
    expect(page.locator("#counts")).to_have_text("7,506 squares to dig, 2 flags")

    # keys act and zoom
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(zoe.focused).to_have_attribute("aria-label", re.compile("^column 100, row 99, dug"))
    page.keyboard.press("+")
    large = zoe.cell
    page.keyboard.press("-")
    assert zoe.cell < large

    # the map
    expect(page.locator(".map")).to_be_visible()
    page.locator(".map").click(position={"x": 3, "y": 3})
    expect(page.locator(".map-window")).to_have_css("left", "0px")
    assert page.locator("#frame").evaluate("frame => frame.scrollLeft + frame.scrollTop") == 0
    whole_field(zoe).click()
    expect(page.locator(".map")).to_be_hidden()
    assert shows_all(zoe)
