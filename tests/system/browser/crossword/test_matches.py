"""Matches in a real Chromium, from the name to the score, against a real `scramble crossword`.

Testing strategy. Other tests cover the rules, the frames and the dialogue. These tests cover a player's actions and
view.

- logging in: name suggested, kept, malformed, in use; logging out: test_a_name_*, test_whoever_*
- a match from the lobby to the score, with two pages and a third page in the lobby: test_two_pages_play_*; with
  telnet: test_telnet_and_the_page_*; with the text box alone: test_the_text_box_*; with the keyboard alone:
  test_the_keyboard_*; with fingers on a phone, and on the smallest: test_a_phone_*, test_every_screen_*
- the lobby: matches come, go, are withdrawn; a cancelled wait: test_waiting_*
- the end: won, lost, draw, given up: test_two_pages_play_*, test_the_keyboard_*, test_giving_up_*
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.process import ServerProcess
from tests.system.browser.away import come_back, leave
from tests.system.browser.conftest import Serve
from tests.system.browser.crossword.player import Join, Meet
from tests.system.browser.telnet import Telnet

pytestmark = pytest.mark.browser

FINGER_PX = 40

# In one query: a message may disappear in the meantime, together with its button.
BUTTONS = """() => [...document.querySelectorAll("button:not(.key)")]
    .filter((button) => button.checkVisibility({ visibilityProperty: true }))
    .map((button) => [button.innerText || button.ariaLabel, button.getBoundingClientRect().height])"""


# --- logging in and out ---


def test_a_name_is_suggested_and_the_one_in_use_is_refused_beside_the_box(join: Join) -> None:
    first, second = join(), join()
    expect(first.box).to_have_value(re.compile(r"^[a-z]+_[a-z]+$"))
    first.page.get_by_role("button", name="Suggest another name").click()
    expect(first.box).to_be_focused()
    first.log_in("name_a")
    second.say("name_a")
    expect(second.page.get_by_role("alert")).to_contain_text("in use")
    expect(second.box).to_have_value("name_a")
    second.say("zoë")
    expect(second.page.get_by_role("alert")).to_contain_text("cannot be an ID")
    second.log_in("name_b")
    expect(second.page.locator("#me")).to_contain_text("name_b")


def test_whoever_logs_out_is_back_at_the_start_with_the_name_kept_and_free(join: Join) -> None:
    player = join().log_in("logout_a")
    player.page.get_by_role("button", name="Log out").click()
    player.is_in("START")
    expect(player.toast("logout_a is logged out")).to_be_visible()
    expect(player.box).to_have_value("logout_a")
    player.box.press("Enter")
    player.is_in("CHOOSE")


# --- whole matches ---


def test_two_pages_play_a_whole_match_while_a_third_watches_the_lobby(join: Join) -> None:
    ann, bob, eve = join().log_in("whole_ann"), join().log_in("whole_bob"), join().log_in("whole_eve")
    in_lobby = eve.page.locator("#matches > li", has_text="whole_ann")

    ann.page.get_by_label("Match name").fill("whole_1")
    ann.page.get_by_label("Description").fill('say "hello"')
    ann.page.get_by_role("button", name="Start a match on Cats and Cars").click()
    ann.is_in("WAIT")
    expect(ann.page.get_by_role("heading", name="Waiting for a second player")).to_be_visible()
    expect(in_lobby).to_contain_text("on Cats and Cars")
    expect(in_lobby).to_contain_text("say 'hello'")

    bob.page.get_by_role("button", name="Join whole_ann's match whole_1").click()
    for player in (ann, bob):
        player.is_in("PLAY")
    expect(in_lobby).to_have_count(0)

    ann.try_word(3, "car")
    bob.sees(3, "entered by whole_ann: car, not confirmed")
    bob.try_word(2, "met")
    ann.sees(2, "entered by whole_bob: met, not confirmed")
    ann.try_word(4, "tax")
    expect(ann.page.locator('#duel [data-player="whole_ann"]')).to_contain_text("2 words")
    bob.try_word(2, "mat")

    for player in (ann, bob):
        player.is_in("SHOW SCORE")
        player.sees(3, f"entered by {'you' if player is ann else 'whole_ann'}: car, confirmed")
        player.sees(1, "not entered, solution: cat")  # the board was full without this word
        expect(player.page.locator('#result-sides [data-player="whole_ann"]')).to_contain_text("2 correct words")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_visible()
    expect(bob.page.get_by_role("heading", name="whole_ann wins!")).to_be_visible()
    expect(bob.page.locator("#result-words")).to_contain_text("2 to 1 for whole_ann")

    ann.page.get_by_role("button", name="New match").click()
    ann.is_in("CHOOSE")
    bob.page.get_by_role("button", name="Log out").click()
    bob.is_in("START")


def test_telnet_and_the_page_play_one_match(join: Join, shared: ServerProcess) -> None:
    port = int(shared.wait_for(r"telnet \S+ (\d+)").group(1))
    ann = join().log_in("tel_ann")
    with Telnet(port) as bob:
        bob.read_until("Type an ID")
        bob.say("tel_bob")
        bob.read_until("type EXIT|EXIT")
        ann.start("simple", "tel_1")
        bob.read_until("tel_1 .*tel_ann")
        bob.say("PLAY tel_1")
        ann.is_in("PLAY")
        ann.try_word(1, "cat")
        bob.read_until(r"1\. feline companion.*cat, by tel_ann")
        bob.say("TRY 2 mat")
        ann.is_in("SHOW SCORE")
        expect(ann.page.get_by_role("heading", name="A draw!")).to_be_visible()
        bob.read_until("draw")


def test_the_text_box_is_enough_in_every_state(join: Join) -> None:
    ann, bob = join(), join()
    ann.log_in("text_ann")
    bob.log_in("text_bob")
    ann.say('NEW text_1 simple "come and play"')
    ann.is_in("WAIT")
    ann.say("EXIT")
    ann.is_in("CHOOSE")
    ann.say('NEW text_2 simple "again"')
    ann.is_in("WAIT")
    bob.say("PLAY text_2")
    ann.is_in("PLAY")
    bob.is_in("PLAY")
    bob.say("TRY 2 met")
    expect(bob.message).to_contain_text("entered met")
    expect(ann.message).to_contain_text("text_bob has entered met")
    expect(bob.box).to_be_focused()  # the focus never moves
    expect(bob.box).to_have_value("")
    ann.say("CHALLENGE 2 mat")
    expect(ann.points("text_ann")).to_contain_text("+2")
    bob.box.press("ArrowUp")
    expect(bob.box).to_have_value("TRY 2 met")
    bob.say("TRY 1 cat")
    for player in (ann, bob):
        player.is_in("SHOW SCORE")
    expect(ann.message).to_contain_text("3 to 1")
    ann.say("NEW MATCH")
    ann.is_in("CHOOSE")
    bob.say("EXIT")
    bob.is_in("START")
    ann.say("EXIT")
    ann.is_in("START")


def test_the_keyboard_alone_is_enough(join: Join) -> None:
    ann, bob = join(), join().log_in("key_bob")
    keys = ann.page.keyboard
    expect(ann.box).to_be_focused()
    keys.type("key_ann")  # over the suggested name
    keys.press("Enter")
    ann.is_in("CHOOSE")
    expect(ann.box).to_be_focused()  # for the next command
    bob.start("simple", "key_1")
    join_button = ann.page.get_by_role("button", name="Join key_bob's match key_1")
    expect(join_button).to_be_visible()
    while not join_button.evaluate("button => button === document.activeElement"):
        keys.press("Shift+Tab")
    keys.press("Enter")
    ann.is_in("PLAY")
    expect(ann.square(1, 0)).to_be_focused()
    keys.type("mat")
    keys.press("Enter")
    ann.sees(2, "entered by you: mat, not confirmed")
    keys.press("Tab")
    expect(ann.square(0, 1)).to_be_focused()
    keys.type("ca")
    keys.press("End")
    keys.type("r")
    keys.press("Backspace")
    keys.type("t")
    keys.press("Enter")
    ann.is_in("SHOW SCORE")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_focused()


def test_the_keyboard_is_never_trapped_on_the_board(meet: Meet) -> None:
    ann, _ = meet("simple", "trap_ann", "trap_bob")
    ann.clue(2).click()
    expect(ann.square(1, 0)).to_be_focused()
    ann.page.keyboard.press("Tab")
    expect(ann.square(0, 1)).to_be_focused()
    ann.page.keyboard.press("Tab")
    assert ann.page.evaluate("document.activeElement.closest('[role=grid]')") is None
    ann.clue(1).click()
    ann.page.keyboard.press("Escape")
    expect(ann.box).to_be_focused()


def test_giving_up_asks_first_and_the_other_player_wins(meet: Meet) -> None:
    ann, bob = meet("simple", "give_ann", "give_bob")
    ann.try_word(1, "cat")
    ann.page.get_by_role("button", name="Give up…").click()
    ann.page.get_by_role("button", name="Keep playing").click()
    ann.is_in("PLAY")
    ann.page.get_by_role("button", name="Give up…").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    for player in (ann, bob):
        player.is_in("SHOW SCORE")
        player.sees(1, f"entered by {'you' if player is ann else 'give_ann'}: cat, not confirmed")
    expect(ann.page.get_by_role("heading", name="give_bob wins!")).to_be_visible()
    expect(bob.page.get_by_role("heading", name="You win!")).to_be_visible()
    expect(ann.page.locator("#result-words")).to_have_text("You gave up the match. The points are 1 to 0.")
    expect(bob.page.locator("#result-words")).to_have_text("give_ann gave up the match. The points are 0 to 1.")


# --- touch ---


def test_a_phone_plays_with_fingers_on_large_squares_and_keys_of_its_own(join: Join) -> None:
    ann, bob = join(phone=True), join()
    ann.log_in("phone_ann")
    bob.log_in("phone_bob")
    ann.page.get_by_role("button", name="Start a match on Cats and Cars").tap()
    ann.is_in("WAIT")
    bob.page.get_by_role("button", name="Join phone_ann's match").click()
    ann.is_in("PLAY")
    ann.square(0, 2).tap()
    for letter in "car":
        ann.page.locator(f'.key[data-key="{letter}"]').tap()
    expect(ann.page.locator("#clue-pattern")).to_have_text("cr")  # from the touched cell, and not past the end
    ann.square(0, 1).tap()
    for letter in "caz":
        ann.page.locator(f'.key[data-key="{letter}"]').tap()
    ann.page.get_by_role("button", name="Rub out").tap()
    ann.page.locator('.key[data-key="r"]').tap()
    ann.page.get_by_role("button", name="Try").tap()
    bob.sees(3, "entered by phone_ann: car, not confirmed")
    ann.square(0, 1).tap()
    expect(ann.page.locator("#clue-name")).to_contain_text("3 across")
    ann.square(0, 1).tap()  # once more: the other word that begins there
    expect(ann.page.locator("#clue-name")).to_contain_text("1 down")


def test_every_screen_fits_the_smallest_phone_and_whatever_is_pressed_is_as_large_as_a_finger(
    join: Join, serve: Serve
) -> None:
    server = serve("crossword", "--port", "0", "--telnet-port", "0")  # the packaged puzzles, one of them 15x15
    ann, bob = join(server, phone=True), join(server)
    ann.page.set_viewport_size({"width": 320, "height": 640})

    def check() -> None:
        assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        buttons = ann.page.evaluate(BUTTONS)
        assert buttons
        assert [button for button in buttons if button[1] < 36] == []

    check()
    ann.log_in("quiet_fantastic_otte")
    check()
    ann.start("grand", "quiet_fantastic_otte")
    check()
    bob.log_in("brave_extraordinary_")
    bob.say("PLAY quiet_fantastic_otte")
    ann.is_in("PLAY")
    check()
    whole = ann.page.get_by_role("button", name="Whole board")
    expect(whole).to_have_attribute("aria-pressed", "true")
    last = ann.page.get_by_role("gridcell").last
    expect(last).to_be_in_viewport()

    ann.page.set_viewport_size({"width": 390, "height": 844})
    expect(whole).to_have_attribute("aria-pressed", "true")
    expect(last).to_be_in_viewport()
    last.tap()
    expect(whole).to_have_attribute("aria-pressed", "false")
    expect(last).to_have_attribute("data-cursor", "true")
    square = last.bounding_box()
    assert square is not None
    assert square["width"] >= FINGER_PX - 1

    ann.page.set_viewport_size({"width": 320, "height": 640})
    whole.tap()
    expect(last).to_be_in_viewport()
    ann.page.reload()
    expect(whole).to_have_attribute("aria-pressed", "true")
    bob.say("EXIT")
    ann.is_in("SHOW SCORE")
    check()


# --- the lobby ---


def test_waiting_is_called_off_with_escape_or_a_button_and_the_match_leaves_the_lobby(join: Join) -> None:
    ann, eve = join().log_in("wait_ann"), join().log_in("wait_eve")
    listed = eve.page.locator("#matches > li", has_text="wait_ann")
    ann.start("simple", "wait_1")
    expect(listed).to_be_visible()
    ann.page.get_by_role("button", name="Stop waiting").click()
    ann.is_in("CHOOSE")
    expect(listed).to_have_count(0)
    ann.start("simple", "wait_2")
    expect(listed).to_be_visible()
    expect(eve.page.locator("[aria-live=polite]")).to_contain_text("wait_ann waits for a second player in wait_2")
    ann.page.keyboard.press("Escape")
    ann.is_in("CHOOSE")
    expect(listed).to_have_count(0)


def test_who_looks_elsewhere_is_told_in_the_tab_what_the_other_player_does(join: Join) -> None:
    ann, bob = join().log_in("tab_ann"), join().log_in("tab_bob")
    ann.start("cats", "tab_ann")
    leave(ann.page)
    bob.say("PLAY tab_ann")
    expect(ann.page).to_have_title("● Your match has begun – Playing – Crossword Extravaganza")
    come_back(ann.page)
    expect(ann.page).to_have_title("Playing – Crossword Extravaganza")
    ann.try_word(3, "car")
    leave(ann.page)
    bob.say("CHALLENGE 3 cab")
    expect(ann.page).to_have_title(re.compile("^● Your word was challenged – "))
    bob.cut()
    expect(ann.page).to_have_title(re.compile("^● tab_bob is back – "))
    bob.is_in("PLAY")
    bob.say("EXIT")
    expect(ann.page).to_have_title("● The game is over – The score – Crossword Extravaganza")
