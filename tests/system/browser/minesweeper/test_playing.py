"""Minesweeper's page in a real Chromium, served by a real `scramble minesweeper`, with the real telnet beside it.

Testing strategy. Other tests cover the rules and the frames, and field.test.js covers the page's model and its
sentences. These tests cover a player's actions and view: each is a journey on one field. No page may ask another site
(player.py).

- together: two tabs and telnet; presence, marks, the live region, the log; a chord with a wrong flag; the table at the
  end: test_two_tabs_and_telnet_*
- losing: by the keyboard alone; BOOM, watching, rejoining, without notices about the own player; the other player's
  view: test_a_player_who_digs_*
- expected effects, before the server's answer; two players of one name: test_a_flag_is_seen_at_once_*
- a phone: rules, long press, switch, chords with two taps, a win, a screen on its side: test_fingers_*
- alone, with --debug: flags protect; each state of a square has its own picture, in both themes; high contrast; chords
  and a win by the keyboard: test_one_player_*
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.system.browser.minesweeper.conftest import FIELD, LONG, ServeField
from tests.system.browser.minesweeper.player import Join, Player
from tests.system.browser.telnet import Telnet

pytestmark = pytest.mark.browser

CHORD = "all flagged: dig here to open the rest"


# --- several players ---


def test_two_tabs_and_telnet_clear_a_field_together(serve_field: ServeField, join: Join) -> None:
    server = serve_field(FIELD, "--port", "0")
    port = server.telnet_port
    alice, bob = join("alice", server), join("bob", server)
    with Telnet(port, "including you") as telnet:
        expect(alice.players).to_have_text([re.compile("alice.*you"), re.compile("bob"), re.compile("telnet 3")])
        expect(alice.page.locator("#telnet")).to_contain_text(f"telnet 127.0.0.1 {port}")

        # a dig is seen by all, and told to the players who did not make it
        alice.click(0, 0)
        expect(bob.live).to_contain_text("alice opened 12 squares.")
        bob.sees(3, 1, "dug, 2 bombs near")
        bob.sees(0, 0, "dug, no bombs near, alice was here")
        telnet.say("look")
        assert telnet.read_until("1 -") == "      1 -"

        # a flag of telnet, with the mark of its player
        telnet.say("flag 4 0")
        telnet.read_until("1 F")
        alice.sees(4, 0, "flagged, telnet 3 was here")
        bob.page.get_by_role("button", name="telnet 3 Show on the field").click()
        expect(bob.page.locator('.mark[data-player="3"]')).to_have_text("T3")

        # the log has all moves, and an event does not take the focus from it
        bob.page.get_by_text("What happened").click()
        alice.click(4, 1, right=True)
        expect(alice.live).to_contain_text("column 5, row 2, flagged.")
        expect(bob.log).to_contain_text("alice set a flag.")
        expect(bob.log).to_contain_text("telnet 3 set a flag.")
        expect(bob.focused).not_to_have_attribute("role", "gridcell")

        # this flag is wrong, and bob relies on it
        bob.sees(3, 1, f"dug, 2 bombs near, {CHORD}")
        bob.click(3, 1)
        expect(bob.boom).to_be_visible()
        expect(bob.log).to_contain_text("You blew up.")
        expect(alice.toast("bob blew up.")).to_be_visible()
        expect(alice.players).to_have_count(2)
        alice.sees(4, 2, "dug, no bombs near, a bomb went off here")
        telnet.say("look")
        telnet.read_until("1 F")

        # the last square, and the result on both pages
        alice.click(4, 1, right=True)
        alice.click(4, 1)
        for player in (alice, bob):
            expect(player.result.locator("tbody > tr")).to_have_count(3)
        expect(bob.log).not_to_contain_text("bob")
        alice.result.get_by_role("button", name="Look at the field").click()
        telnet.say("bye")
        expect(alice.players).to_have_count(1)
        expect(alice.log).to_contain_text("telnet 3 has left.")
        alice.sees(4, 0, "a bomb, flagged by telnet 3")


def test_a_player_who_digs_a_bomb_is_out_until_they_rejoin(serve_field: ServeField, join: Join) -> None:
    held: list[str | bytes] = []
    came: list[bool] = []

    def boom_first(page: WebSocketRoute) -> None:
        """Deliver the answer to the dig before the events of the explosion, which are on another way."""

        def deliver(message: str | bytes) -> None:
            if '"type":"boom"' in str(message):
                came.append(True)
            elif not came and (held or '"exploded"' in str(message)):
                held.append(message)
                return
            page.send(message)
            while held:
                page.send(held.pop(0))

        page.connect_to_server().on_message(deliver)

    server = serve_field(LONG)
    alice, bob = join("alice", server, through=boom_first), join("bob", server)

    # alice plays with the keyboard
    grid = alice.page.get_by_role("grid", name="Field")
    expect(grid).to_have_attribute("aria-rowcount", "3")
    expect(grid).to_have_attribute("aria-colcount", "5")
    for keys, label in (
        (("Control+End",), "column 5, row 3, untouched"),
        (("f",), "column 5, row 3, flagged"),
        (("Home", "Enter"), "column 1, row 3, dug, no bombs near"),
        (("End", "PageUp"), "column 5, row 1, untouched"),
    ):
        for key in keys:
            alice.page.keyboard.press(key)
        expect(alice.focused).to_have_attribute("aria-label", label)

    # the bomb
    alice.page.keyboard.press("Space")
    expect(alice.boom).to_contain_text("That was a bomb.")
    expect(alice.focused).to_have_text("Rejoin")
    expect(bob.toast("alice blew up.")).to_be_visible()
    expect(bob.players).to_have_count(1)
    bob.sees(4, 0, "dug, 1 bomb near, a bomb went off here")
    expect(alice.log).to_contain_text("You blew up.")

    # alice watches: her click makes no move, and shows the boom again
    alice.page.get_by_role("button", name="Just watch").click()
    expect(alice.next).to_have_text("BOOM! That was a bomb.")
    expect(alice.focused).to_have_attribute("aria-label", re.compile("^column 5, row 1, dug"))
    alice.click(4, 2)
    expect(alice.boom).to_be_visible()
    bob.click(4, 2, right=True)
    bob.sees(4, 2, "untouched")

    # alice plays again
    alice.page.keyboard.press("Enter")
    expect(alice.toast("You are back in the game")).to_be_visible()
    expect(alice.boom).to_be_hidden()
    expect(alice.focused).to_have_attribute("aria-label", re.compile("^column 5, row 3, untouched"))
    expect(alice.players).to_have_count(2)
    alice.page.keyboard.press("f")
    bob.sees(4, 2, "flagged, alice was here")
    expect(alice.log).to_contain_text("You set a flag.")
    expect(alice.log).not_to_contain_text("alice")  # her departure and her return are not another player's


def test_a_flag_is_seen_at_once_and_taken_back_if_it_cannot_be(serve_field: ServeField, join: Join) -> None:
    pages: list[WebSocketRoute] = []
    held: list[str | bytes] = []
    is_slow = False

    def slowly(page: WebSocketRoute) -> None:
        pages.append(page)
        page.connect_to_server().on_message(lambda message: held.append(message) if is_slow else page.send(message))

    server = serve_field(FIELD)
    first, second = join("alice", server), join("alice", server, through=slowly)
    expect(second.players).to_have_text([re.compile(r"alice \(2\)"), re.compile(r"alice \(1\)")])
    is_slow = True
    first.click(0, 0)
    first.sees(0, 0, "dug, no bombs near")
    for x in (0, 4):  # the first square is dug, but the slow page does not know it yet
        second.click(x, 0, right=True)
        expect(second.square(x, 0, "flagged")).to_be_focused()
    expect(second.page.locator("#meter-bombs")).to_have_text("0")
    first.sees(4, 0, "flagged, alice (2) was here")

    is_slow = False
    for message in held:
        pages[0].send(message)
    expect(second.page.locator("#meter-bombs")).to_have_text("1")
    second.sees(4, 0, "flagged")
    second.sees(0, 0, "dug, no bombs near, alice (1) was here")


# --- one player ---


def test_fingers_clear_a_field_on_a_phone(serve_field: ServeField, join: Join) -> None:
    alice = join("alice", serve_field(FIELD), phone=True)
    page = alice.page
    expect_rules(alice, dig="Tap a square to dig it.", flag="Press long on a bomb to flag it, or choose Flag and tap;")

    # a long press flags, and the end of the press does not dig
    alice.touch("touchStart", alice.place(4, 0))
    expect(alice.square(4, 0, "flagged")).to_be_focused()
    alice.touch("touchEnd")
    page.touchscreen.tap(*alice.place(0, 0))
    expect(alice.square(0, 0, "dug, no bombs near")).to_be_focused()
    alice.sees(4, 0, "flagged")
    page.set_viewport_size({"width": 844, "height": 390})  # on its side it has room for names
    assert alice.players.locator(".chip-name").evaluate("name => name.scrollWidth <= name.clientWidth")
    page.set_viewport_size({"width": 390, "height": 844})

    # with the switch, a tap flags
    page.get_by_text("Flag", exact=True).tap()
    expect(alice.next).to_have_text("Flag the squares where bombs must be.")
    for y in (1, 2):
        page.touchscreen.tap(*alice.place(4, y))
        expect(alice.square(4, y, "flagged")).to_be_focused()
    expect(alice.next).to_have_text("All dug or flagged. Only digging shows if a flag is right.")
    page.touchscreen.tap(*alice.place(4, 1))
    expect(alice.square(4, 1, "untouched")).to_be_focused()

    # two taps on a number open the rest
    page.touchscreen.tap(*alice.place(3, 1))
    expect(alice.square(3, 1, f"dug, 2 bombs near, {CHORD}")).to_be_focused()
    expect(alice.toast("Tap the number again")).to_be_visible()
    page.touchscreen.tap(*alice.place(3, 1))
    expect(alice.result).to_be_visible()
    assert alice.toast("Tap the number again").count() == 0
    # 13 points: 10 for the flood of 12 squares, 1 for the last, 2 for flags; then squares, flags and booms
    expect(alice.result.locator("tbody > tr")).to_have_text(re.compile(r"alice\D*131320$"))
    alice.result.get_by_role("button", name="Look at the field").click()
    expect(alice.next).to_have_text(re.compile(r"^Clear, in \d+:\d\d! "))
    alice.sees(4, 0, "a bomb, flagged by alice")


def test_one_player_sees_every_state_of_a_square_and_plays_on_with_debug(serve_field: ServeField, join: Join) -> None:
    alice = join("alice", serve_field("6 3\n" + "0 0 0 0 1 0\n" * 3, "--debug"))
    expect_rules(alice, dig="Dig a square with a click, a tap or Enter.", flag="right click, a long press or F;")
    counts = alice.page.locator("#counts")

    # a flag protects its square, and a second right click takes it away
    alice.click(4, 0, right=True)
    expect(counts).to_have_text("15 squares to dig, 1 flag")
    expect(alice.page.locator(".aim")).to_be_hidden()  # a mark under the mouse would make the flag look pending
    alice.click(4, 0)
    expect(alice.toast("take the flag away first")).to_be_visible()
    alice.sees(4, 0, "flagged")
    alice.click(4, 0, right=True)
    expect(counts).to_have_text("15 squares to dig, 0 flags")

    # with --debug a player goes on after a bomb
    alice.click(0, 0)
    alice.click(4, 2, right=True)
    alice.click(4, 0)
    expect(alice.toast("BOOM! That was a bomb.")).to_be_visible()
    expect(alice.boom).to_be_hidden()
    alice.sees(4, 0, "dug, 1 bomb near, a bomb went off here")
    expect(alice.next).to_have_text("Dig where no bomb can be, flag where one must be.")

    # pictures
    squares = {"clear": (1, 1), "one": (3, 0), "two": (3, 1), "untouched": (4, 1), "flagged": (4, 2), "crater": (4, 0)}
    light, dark, chosen = ({name: alice.picture(*at) for name, at in squares.items()} for _ in themes(alice))
    assert len({*light.values(), *dark.values()}) == 2 * len(squares)
    assert chosen == dark
    expect_high_contrast(alice)

    # chords by the keyboard
    alice.click(4, 1, right=True)
    alice.sees(4, 0, f"dug, 1 bomb near, {CHORD}, a bomb went off here")
    alice.page.keyboard.press("Space")
    alice.sees(5, 1, f"dug, 2 bombs near, {CHORD}")
    alice.page.keyboard.press("Space")
    # 5 points: 10 for the flood of 12 squares, 10 less for the bomb, 3 for the chords, 2 for flags
    expect(alice.result.locator("tbody > tr")).to_have_text(re.compile(r"alice\D*51521$"))


def expect_rules(player: Player, *, dig: str, flag: str) -> None:
    """The rules are whole sentences for fingers, or for keys."""
    rules = player.page.locator("#rules li")
    expect(rules.nth(0)).to_have_text(re.compile(f"^{re.escape(dig)}"), use_inner_text=True)
    expect(rules.nth(1)).to_contain_text(flag, use_inner_text=True)


def themes(player: Player) -> Iterator[None]:
    """Show the page in the light theme of the system, in the dark theme, and in the dark theme of the switch."""
    page = player.page
    page.emulate_media(color_scheme="light")
    before = player.picture(0, 0)
    yield
    page.emulate_media(color_scheme="dark")
    await_picture(player, before, same=False)
    yield
    page.emulate_media(color_scheme="light")
    await_picture(player, before, same=True)
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    await_picture(player, before, same=False)
    yield


def await_picture(player: Player, before: str, *, same: bool) -> None:
    """Wait until the first square has this picture, or another one. Gives up after some frames."""
    for _ in range(600):
        if (player.picture(0, 0) == before) is same:
            break
        player.page.evaluate("new Promise(requestAnimationFrame)")


def expect_high_contrast(player: Player) -> None:
    """With the system's high contrast, the switch shows what a tap does."""
    player.page.emulate_media(forced_colors="active")
    dig, flag = (player.page.locator(".mode-face", has_text=text) for text in ("Dig", "Flag"))
    dig_chosen, flag_not = dig.screenshot(), flag.screenshot()
    flag.click()
    player.page.mouse.move(5, 5)
    expect(player.next).to_contain_text("Flag")
    assert dig.screenshot() != dig_chosen
    assert flag.screenshot() != flag_not
    dig.click()
