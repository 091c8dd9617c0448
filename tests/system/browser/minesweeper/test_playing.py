"""Minesweeper's page in a real Chromium, served by a real `scramble minesweeper`, with the real telnet beside it.

Testing strategy. Other tests cover the rules and the frames. These tests cover a player's actions and view. Each square
is checked twice: its label, for a screen reader, and its picture on the canvas. Different squares must look different.

- playing: two tabs and telnet on one field: test_two_tabs_and_telnet_*
- digging: click, Enter, Space, tap; a dug square, a flagged one: test_the_keyboard_*, test_a_flagged_square_*
- flagging: right click, F, long press, the switch: test_a_right_click_*, test_a_long_press_*, test_with_the_switch_*
- chords, a win by a chord, and the table at the end: test_an_open_number_*, test_a_chord_*
- expected effects, before the server's answer: test_a_flag_is_seen_at_once_*
- losing: BOOM, watching, rejoining; the other players' view; with --debug: test_whoever_digs_a_bomb_*,
  test_with_debug_*
- other players: presence, marks, the live region, two of one name: test_two_tabs_*, test_others_moves_*,
  test_players_of_one_name_*
- sizes: 10x10 on a phone (whole, and zoomed in by a tap), 30x16, 100x100, zoom by button, key and pinch, map, dragging:
  test_a_phone_*, test_a_large_field_*
- words: test_a_field_that_*, test_the_rules_*
- looks: pictures differ, in both themes; high contrast; no requests to other sites: test_every_state_*,
  test_what_a_tap_*, test_the_page_asks_*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.support.process import ServerProcess
from tests.system.browser.conftest import Serve
from tests.system.browser.minesweeper.conftest import LONG
from tests.system.browser.minesweeper.player import Join, Player
from tests.system.browser.telnet import Telnet

pytestmark = pytest.mark.browser

FINGER_PX = 40


# --- playing together ---


def test_two_tabs_and_telnet_play_on_one_field_at_the_same_time(serve: Serve, join: Join, field_file: Path) -> None:
    server = serve("minesweeper", "--port", "0", "--http-port", "0", "--file", str(field_file))
    port = int(server.wait_for(r"telnet \S+ (\d+)").group(1))
    alice, bob = join("alice", server), join("bob", server)
    with Telnet(port, "including you") as telnet:
        expect(alice.players).to_have_text([re.compile("alice.*you"), re.compile("bob"), re.compile("telnet 3")])
        expect(alice.page.locator("#telnet")).to_contain_text(f"telnet 127.0.0.1 {port}")

        alice.click(0, 0)
        bob.sees(3, 1, "dug, 2 bombs near")
        bob.sees(0, 0, "dug, no bombs near, alice was here")
        telnet.say("look")
        assert telnet.read_until("1 -") == "      1 -"

        telnet.say("flag 4 0")
        telnet.read_until("1 F")
        alice.sees(4, 0, "flagged, telnet 3 was here")
        bob.page.get_by_role("button", name="telnet 3 Show on the field").click()
        expect(bob.page.locator('.mark[data-player="3"]')).to_have_text("T3")

        bob.click(4, 2)
        expect(alice.toast("bob blew up")).to_be_visible()
        telnet.say("look")
        telnet.read_until("  1 1")
        telnet.say("bye")
        expect(alice.players).to_have_count(1)
        expect(alice.page.get_by_role("dialog", name="The field is clear")).to_be_visible()  # by bob's bomb


def test_others_moves_are_told_to_those_who_do_not_see_them(join: Join, server: ServerProcess) -> None:
    alice, bob = join("alice", server), join("bob", server)
    live = bob.page.locator("#live")
    expect(live).to_have_attribute("aria-live", "polite")
    alice.click(0, 0)
    expect(live).to_have_text("alice opened 12 squares.")
    alice.click(4, 0, right=True)
    expect(live).to_have_text("alice set a flag.")
    expect(alice.page.locator("#live")).to_have_text("column 5, row 1, flagged.")
    bob.page.get_by_text("What happened").click()
    expect(bob.page.locator("#log > li")).to_have_count(2)
    expect(bob.focused).not_to_have_attribute("role", "gridcell")


def test_players_of_one_name_are_told_apart_by_their_numbers(join: Join, server: ServerProcess) -> None:
    alice, _ = join("alice", server), join("alice", server)
    expect(alice.players).to_have_text([re.compile(r"alice \(1\)"), re.compile(r"alice \(2\)")])


# --- flagging and digging ---


def test_a_right_click_flags_a_square_and_takes_the_flag_away(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server)
    alice.click(4, 0, right=True)
    expect(alice.page.locator("#counts")).to_have_text("13 squares to dig, 1 flag")
    expect(alice.page.locator(".aim")).to_be_hidden()  # under the mouse it would look pending
    alice.sees(4, 0, "flagged")
    alice.click(4, 0, right=True)
    alice.sees(4, 0, "untouched")


def test_a_flagged_square_is_not_dug_and_the_page_says_why(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server)
    alice.click(4, 0, right=True)
    alice.sees(4, 0, "flagged")
    alice.click(4, 0)
    expect(alice.toast("take the flag away first")).to_be_visible()
    alice.sees(4, 0, "flagged")


def test_the_keyboard_is_enough_to_play(serve: Serve, join: Join, field_file: Path) -> None:
    field_file.write_text(LONG)
    alice = join("alice", serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file)))
    keyboard = alice.page.keyboard
    keyboard.press("Control+End")
    expect(alice.focused).to_have_attribute("aria-label", "column 5, row 3, untouched")
    keyboard.press("f")
    expect(alice.focused).to_have_attribute("aria-label", "column 5, row 3, flagged")
    keyboard.press("Home")
    keyboard.press("Enter")
    expect(alice.focused).to_have_attribute("aria-label", "column 1, row 3, dug, no bombs near")
    keyboard.press("End")
    keyboard.press("PageUp")
    expect(alice.focused).to_have_attribute("aria-label", "column 5, row 1, untouched")
    keyboard.press("Space")
    expect(alice.boom).to_be_visible()
    expect(alice.focused).to_have_text("Rejoin")
    keyboard.press("Enter")
    expect(alice.toast("You are back in the game")).to_be_visible()
    expect(alice.focused).to_have_attribute("aria-label", re.compile("^column 5, row 1, dug"))
    grid = alice.page.get_by_role("grid", name="Field")
    expect(grid).to_have_attribute("aria-rowcount", "3")
    expect(grid).to_have_attribute("aria-colcount", "5")


@pytest.mark.parametrize("how", ["click", "Space", "tap"])
def test_an_open_number_with_as_many_flags_opens_the_rest(join: Join, server: ServerProcess, how: str) -> None:
    alice = join("alice", server, phone=how == "tap")
    for place in ((4, 0), (4, 2)):
        alice.click(*place, right=True)
    alice.click(3, 1)
    number = alice.page.get_by_role("gridcell", name="column 4, row 2, dug, 2 bombs near, all flagged")
    expect(number).to_be_focused()
    if how == "tap":
        alice.page.touchscreen.tap(*alice.place(3, 1))
        expect(alice.toast("Tap the number again")).to_be_visible()
        alice.page.touchscreen.tap(*alice.place(3, 1))
    elif how == "click":
        alice.click(3, 1)
    else:
        alice.page.keyboard.press("Space")
    result = alice.page.get_by_role("dialog", name="The field is clear")
    expect(result).to_be_visible()
    assert alice.toast("Tap the number again").count() == 0
    # 13 points: 1 for the first dig, 10 for the other 12 squares, 2 for flags; then squares, flags and booms
    expect(result.locator("tbody > tr")).to_have_text(re.compile(r"alice\D*131320$"))
    result.get_by_role("button", name="Look at the field").click()
    expect(alice.next).to_have_text(re.compile(r"^Clear, in \d+:\d\d! "))
    alice.sees(4, 0, "a bomb, flagged by alice")


def test_a_chord_with_a_wrong_flag_blows_up(join: Join, server: ServerProcess) -> None:
    alice, bob = join("alice", server), join("bob", server)
    for place in ((4, 0), (4, 1)):
        alice.click(*place, right=True)
    alice.click(3, 1)
    alice.sees(3, 1, "dug, 2 bombs near, all flagged: dig here to open the rest")
    alice.click(3, 1)
    expect(alice.boom).to_be_visible()
    expect(bob.toast("alice blew up.")).to_be_visible()
    bob.sees(4, 2, "dug, no bombs near, a bomb went off here")


def test_a_flag_is_seen_at_once_and_taken_back_if_it_cannot_be(join: Join, server: ServerProcess) -> None:
    bob = join("bob", server)
    pages: list[WebSocketRoute] = []
    held: list[str | bytes] = []
    is_slow = False

    def slowly(page: WebSocketRoute) -> None:
        pages.append(page)
        page.connect_to_server().on_message(lambda message: held.append(message) if is_slow else page.send(message))

    alice = join("alice", server, through=slowly)
    is_slow = True
    bob.click(0, 0)
    bob.sees(0, 0, "dug, no bombs near")
    for place in ((0, 0), (4, 0)):  # the first square is dug, but alice has not seen it yet
        alice.click(*place, right=True)
        label = f"column {place[0] + 1}, row {place[1] + 1}, flagged"
        expect(alice.page.get_by_role("gridcell", name=label)).to_be_focused()
    expect(alice.page.locator("#meter-bombs")).to_have_text("0")
    bob.sees(4, 0, "flagged, alice was here")
    is_slow = False
    for message in held:
        pages[0].send(message)
    expect(alice.page.locator("#meter-bombs")).to_have_text("1")
    alice.sees(4, 0, "flagged")
    alice.sees(0, 0, "dug, no bombs near, bob was here")


def test_a_long_press_flags_and_the_tap_that_ends_it_does_not_dig(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server, phone=True)
    alice.touch("touchStart", alice.place(1, 1))
    expect(alice.page.locator('[data-row="1"][data-column="1"]')).to_have_attribute("aria-label", re.compile("flagged"))
    alice.touch("touchEnd")
    alice.page.touchscreen.tap(*alice.place(0, 0))
    expect(alice.page.locator('[data-row="0"][data-column="0"]')).to_have_attribute("aria-label", re.compile("dug"))
    expect(alice.page.locator('[data-row="1"][data-column="1"]')).to_have_attribute("aria-label", re.compile("flagged"))


def test_with_the_switch_on_flag_a_tap_flags(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server, phone=True)
    alice.page.get_by_text("Flag", exact=True).tap()
    expect(alice.next).to_have_text("Flag the squares where bombs must be.")
    alice.page.touchscreen.tap(*alice.place(2, 2))
    expect(alice.page.locator('[data-row="2"][data-column="2"]')).to_have_attribute("aria-label", re.compile("flagged"))


def test_a_field_that_is_dug_or_flagged_is_not_said_to_be_done(serve: Serve, join: Join, field_file: Path) -> None:
    field_file.write_text("2 1\n0 1\n")
    alice = join("alice", serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file)))
    for x in (0, 1):
        alice.click(x, 0, right=True)
    expect(alice.next).to_have_text("All dug or flagged. Only digging shows if a flag is right.")


@pytest.mark.parametrize("phone", [True, False])
def test_the_rules_are_whole_sentences_for_fingers_and_for_keys(join: Join, server: ServerProcess, phone: bool) -> None:
    rules = join("alice", server, phone=phone).page.locator("#rules li")
    dig, flag = rules.nth(0).inner_text(), rules.nth(1).inner_text()
    assert dig.startswith("Tap a square to dig it." if phone else "Dig a square with a click, a tap or Enter.")
    assert ("Press long" in flag) is phone
    assert ("right click, a long press or F;" in flag) is not phone


# --- losing ---


def test_whoever_digs_a_bomb_is_out_until_they_rejoin(serve: Serve, join: Join, field_file: Path) -> None:
    field_file.write_text(LONG)
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file))
    alice, bob = join("alice", server), join("bob", server)
    alice.click(4, 0)
    expect(alice.boom).to_contain_text("That was a bomb.")
    expect(bob.toast("alice blew up.")).to_be_visible()
    expect(bob.players).to_have_count(1)
    bob.sees(4, 0, "dug, 1 bomb near, a bomb went off here")

    alice.page.get_by_role("button", name="Just watch").click()
    expect(alice.next).to_have_text("BOOM! That was a bomb.")
    alice.click(4, 2)
    expect(alice.boom).to_be_visible()  # the boom is shown in place of a move
    bob.click(4, 2, right=True)
    bob.sees(4, 2, "flagged")
    alice.boom.get_by_role("button", name="Rejoin").click()
    expect(alice.boom).to_be_hidden()
    expect(alice.players).to_have_count(2)
    alice.click(4, 2, right=True)
    bob.sees(4, 2, "untouched, alice was here")


def test_with_debug_whoever_digs_a_bomb_plays_on(serve: Serve, join: Join, field_file: Path) -> None:
    field_file.write_text("5 3\n" + 3 * "0 0 0 0 1\n")
    server = serve("minesweeper", "--no-telnet", "--debug", "--http-port", "0", "--file", str(field_file))
    alice = join("alice", server)
    alice.click(4, 0)
    expect(alice.toast("BOOM! That was a bomb.")).to_be_visible()
    expect(alice.boom).to_be_hidden()
    alice.click(4, 2)
    alice.sees(4, 2, "dug, 1 bomb near, a bomb went off here")
    expect(alice.next).to_have_text("Dig where no bomb can be, flag where one must be.")


# --- sizes ---


def test_a_phone_plays_30_by_16_with_squares_as_large_as_a_finger(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "30,16", "--seed", "1", "--debug")
    alice = join("alice", server, phone=True)
    page = alice.page
    assert alice.cell >= FINGER_PX
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#frame").evaluate("frame => frame.scrollWidth > frame.clientWidth")

    page.touchscreen.tap(*alice.place(3, 8))
    expect(page.locator('[data-row="8"][data-column="3"]')).to_have_attribute("aria-label", re.compile("dug"))

    page.get_by_role("button", name="Whole field").tap()
    expect(page.get_by_role("button", name="Whole field")).to_have_attribute("aria-pressed", "true")
    assert page.locator("#frame").evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    small = alice.cell

    x, y = alice.place(15, 8)  # a pinch: two fingers move apart, and the square between them stays between them
    alice.touch("touchStart", (x - 30, y), (x + 30, y))
    # one finger moves after the other: their middle moves left and right
    for left, right in ((60, 30), (60, 60), (90, 60), (90, 90)):
        alice.touch("touchMove", (x - left, y), (x + right, y))
        page.evaluate("new Promise(requestAnimationFrame)")  # a browser reports the moves of one frame together
    alice.touch("touchEnd")
    expect(page.get_by_role("button", name="Whole field")).to_have_attribute("aria-pressed", "false")
    assert alice.cell == pytest.approx(3 * small, rel=0.1)
    assert alice.place(15, 8)[0] == pytest.approx(x, abs=small)


@pytest.mark.parametrize("how", ["Larger squares", "Whole field"])
def test_zooming_in_from_the_whole_field_keeps_the_last_square_in_view(serve: Serve, join: Join, how: str) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "30,16", "--seed", "1", "--debug")
    alice = join("alice", server, phone=True)
    alice.page.touchscreen.tap(*alice.place(1, 8))
    last = alice.page.get_by_role("gridcell", name=re.compile("^column 2, row 9, dug"))
    expect(last).to_be_attached()
    alice.page.get_by_role("button", name="Whole field").tap()
    whole = alice.cell
    for _ in range(3 if how == "Larger squares" else 1):
        alice.page.get_by_role("button", name=how).tap()
    assert alice.cell > 2 * whole
    expect(last).to_be_in_viewport(ratio=0.99)


def test_zooming_in_keeps_the_middle_in_view_before_a_square_was_touched(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "31,31", "--seed", "1")
    alice = join("alice", server, phone=True)
    alice.page.get_by_role("button", name="Whole field").tap()
    before, whole = alice.place(15, 15)[0], alice.cell
    for _ in range(3):
        alice.page.get_by_role("button", name="Larger squares").tap()
    assert alice.cell > 2 * whole
    assert alice.place(15, 15)[0] == pytest.approx(before, abs=alice.cell)


def test_a_phone_shows_10_by_10_whole_and_a_first_tap_or_long_press_brings_it_closer(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "10,10", "--seed", "3")
    alice = join("alice", server, phone=True)
    page = alice.page
    whole = page.get_by_role("button", name="Whole field")
    square = page.locator('[data-row="9"][data-column="9"]')
    everything = "frame => frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight"
    assert 24 <= alice.cell < FINGER_PX
    assert page.locator("#frame").evaluate(everything)
    for press in ("tap", "long press"):
        if press == "tap":
            page.touchscreen.tap(*alice.place(9, 9))
        else:
            alice.touch("touchStart", alice.place(9, 9))
        expect(whole).to_be_enabled()
        if press == "long press":
            alice.touch("touchEnd")
        assert alice.cell >= FINGER_PX
        expect(square).to_have_attribute("aria-label", "column 10, row 10, untouched")  # the tap had no effect
        whole.tap()
        assert page.locator("#frame").evaluate(everything)
    page.touchscreen.tap(*alice.place(9, 9))
    page.touchscreen.tap(*alice.place(9, 9))
    expect(square).to_have_attribute("aria-label", "column 10, row 10, dug, 2 bombs near")
    whole.tap()
    page.locator(".square[tabindex='0']").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("f")  # the keyboard works on squares of any size
    expect(alice.focused).to_have_attribute("aria-label", "column 1, row 1, flagged")
    alice.click(5, 4)  # the mouse does, too
    expect(alice.focused).to_have_attribute("aria-label", "column 6, row 5, dug, 3 bombs near")
    expect(whole).to_be_disabled()


def test_a_phone_on_its_side_has_room_for_names(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server)
    alice.page.set_viewport_size({"width": 844, "height": 390})
    alice.click(0, 0, right=True)
    assert alice.players.locator(".chip-name").evaluate("name => name.scrollWidth <= name.clientWidth")


def test_a_large_field_is_shown_through_a_window_and_by_a_map(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "100,100", "--seed", "1", "--debug")
    alice = join("alice", server)
    page = alice.page
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator("#size")).to_have_text("100 × 100")
    assert page.locator(".minefield *").count() < 100
    assert page.locator(".minefield-view").evaluate(
        "canvas => canvas.width <= innerWidth && canvas.height <= innerHeight"
    )

    page.keyboard.press("Control+End")
    expect(alice.focused).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(alice.focused).to_have_attribute("aria-label", re.compile("^column 100, row 100, dug"))
    page.keyboard.press("+")
    large = alice.cell
    page.keyboard.press("-")
    assert alice.cell < large

    expect(page.locator(".map")).to_be_visible()
    page.locator(".map").click(position={"x": 3, "y": 3})
    expect(page.locator(".map-window")).to_have_css("left", "0px")
    assert page.locator("#frame").evaluate("frame => frame.scrollLeft + frame.scrollTop") == 0

    page.get_by_role("button", name="Whole field").click()
    expect(page.locator(".map")).to_be_hidden()
    assert page.locator("#frame").evaluate("frame => frame.scrollHeight <= frame.clientHeight")


def test_dragging_with_the_mouse_moves_the_field_and_digs_nothing(serve: Serve, join: Join) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--size", "100,100", "--seed", "1")
    alice = join("alice", server)
    mouse = alice.page.mouse
    x, y = alice.place(12, 12)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 50, y - 100, steps=3)
    mouse.move(x - 100, y - 200)
    mouse.up()
    assert alice.page.locator("#frame").evaluate("frame => [frame.scrollLeft, frame.scrollTop]") == [100, 200]
    alice.page.locator(".square[tabindex='0']").focus()
    alice.page.keyboard.press("f")  # if the drag made moves, they come before this one
    expect(alice.page.locator("#counts")).to_have_text("7,506 squares to dig, 1 flag")


# --- looks ---


def test_every_state_of_a_square_looks_different_in_both_themes(serve: Serve, join: Join, field_file: Path) -> None:
    field_file.write_text("6 3\n" + "0 0 0 0 1 0\n" * 3)
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file))
    alice, bob = join("alice", server), join("bob", server)
    alice.click(0, 0)
    alice.sees(3, 2, "dug, 2 bombs near")
    alice.click(4, 2, right=True)
    alice.sees(4, 2, "flagged")
    bob.click(4, 0)
    expect(bob.boom).to_be_visible()
    alice.sees(3, 0, "dug, 1 bomb near")
    alice.sees(4, 0, "dug, 1 bomb near, a bomb went off here")
    squares = {"clear": (1, 1), "one": (3, 0), "two": (3, 1), "untouched": (4, 1), "flagged": (4, 2), "crater": (4, 0)}
    light, dark = ({name: alice.picture(*at) for name, at in squares.items()} for _ in both_themes(alice))
    assert len({*light.values(), *dark.values()}) == 2 * len(squares)


def both_themes(player: Player) -> Iterator[None]:
    """Show the page in one theme, and then in the other."""
    player.page.emulate_media(color_scheme="light")
    before = player.picture(0, 0)
    yield
    player.page.emulate_media(color_scheme="dark")
    for _ in range(600):
        if player.picture(0, 0) != before:
            break
        player.page.evaluate("new Promise(requestAnimationFrame)")
    yield


def test_what_a_tap_does_is_seen_with_the_systems_high_contrast(join: Join, server: ServerProcess) -> None:
    alice = join("alice", server)
    page = alice.page
    page.emulate_media(forced_colors="active")
    dig, flag = (page.locator(".mode-face", has_text=text) for text in ("Dig", "Flag"))
    dig_chosen, flag_not = dig.screenshot(), flag.screenshot()
    flag.click()
    page.mouse.move(5, 5)
    expect(alice.next).to_contain_text("Flag")
    assert dig.screenshot() != dig_chosen
    assert flag.screenshot() != flag_not


def test_the_page_asks_nobody_but_its_server(browser: Browser, server: ServerProcess) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:")))
        player = Player(page, server.url, "alice")
        player.click(0, 0)
        player.sees(0, 0, "dug, no bombs near")
        assert asked
        assert all(url.startswith(server.url) for url in asked)
