"""Matches in a real Chromium, from the name to the score, against a real `scramble crossword`.

Testing strategy. Other tests cover the rules, the frames and the dialogue, also with telnet (tests/system/telnet). Node
tests the sentences, also about the end (crossword-words.test.js). These tests cover a player's actions and view.

- the lobby: a name is suggested, refused, kept; matches come and go; waiting is cancelled; commands in plain words;
  logging out: test_the_lobby_*
- a whole match, with the mouse, and with the text box alone: test_a_match_with_the_mouse_*
- a whole match with the keyboard alone; the tab's title during another player's moves; the text box is hidden until
  the user switches it on: test_a_match_with_the_keyboard_*
- a match with fingers on a large board, and on the smallest phone; giving up; no solution before the score:
  test_a_phone_*
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.system.browser.away import come_back, leave
from tests.system.browser.crossword.player import Join
from tests.system.browser.crossword.puzzles import NONSENSE

pytestmark = pytest.mark.browser

FINGER_PX = 40

# In one query: a message may disappear in the meantime, together with its button.
BUTTONS = """() => [...document.querySelectorAll("button:not(.key)")]
    .filter((button) => button.checkVisibility({ visibilityProperty: true }))
    .map((button) => [button.innerText || button.ariaLabel, button.getBoundingClientRect().height])"""


def fits(page: Page) -> None:
    """Check that the page does not scroll sideways, and that its buttons are as high as a finger."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    buttons = page.evaluate(BUTTONS)
    assert buttons
    assert [button for button in buttons if button[1] < 36] == []


def tab_to(target: Locator, key: str = "Tab") -> None:
    """Move the focus with the keyboard until `target` has it."""
    expect(target).to_be_visible()
    while not target.evaluate("target => target === document.activeElement"):
        target.page.keyboard.press(key)


def tab_back_to(target: Locator) -> None:
    """Move the focus backwards with the keyboard until `target` has it."""
    tab_to(target, "Shift+Tab")


def tap_keys(page: Page, letters: str) -> None:
    for letter in letters:
        page.locator(f'.key[data-key="{letter}"]').tap()


def test_the_lobby_asks_for_a_name_shows_waiting_players_and_lets_players_go(join: Join) -> None:
    ann, eve = join(), join()

    # a name is suggested, and a refusal of another name is shown beside the box
    expect(ann.box).to_have_value(re.compile(r"^[a-z]+_[a-z]+$"))
    ann.page.get_by_role("button", name="Suggest another name").click()
    expect(ann.box).to_be_focused()
    ann.log_in("lobby_ann")
    for name, reason in (("lobby_ann", "in use"), ("zoë", "cannot be an ID")):
        eve.say(name)
        expect(eve.page.get_by_role("alert")).to_contain_text(reason)
        expect(eve.box).to_have_value(name)
    eve.log_in("lobby_eve")
    expect(eve.page.locator("#me")).to_contain_text("lobby_eve")

    # a match waits in the lobby until its player cancels it: by a button, with Escape, or with a command
    listed = eve.page.locator("#matches > li", has_text="lobby_ann")
    cancel: tuple[Callable[[], None], ...] = (
        lambda: ann.page.get_by_role("button", name="Stop waiting").click(),
        lambda: ann.page.keyboard.press("Escape"),
        lambda: ann.say("EXIT"),
    )
    for nth, act in enumerate(cancel, 1):
        ann.start("simple", f"wait_{nth}")
        expect(listed).to_contain_text(f"Match wait_{nth}")
        act()
        ann.is_in("CHOOSE")
        expect(listed).to_have_count(0)
    expect(eve.page.locator("[aria-live=polite]")).to_contain_text("lobby_ann waits for a second player in wait_3")

    # commands have plain words
    eve.say("hello")
    commands = 'The commands here are PLAY match, NEW match puzzle "Description" and EXIT.'
    expect(eve.toast("That is no command.")).to_contain_text(commands)
    eve.say('NEW m-1 simple "so"')
    expect(eve.toast("That cannot be the name of a match")).to_be_visible()
    assert not re.search("(Puzzle|Match|Player)_ID", eve.page.locator("body").inner_text())

    # after logging out, the name is kept, and free
    ann.page.get_by_role("button", name="Log out").click()
    ann.is_in("START")
    expect(ann.toast("lobby_ann is logged out")).to_be_visible()
    expect(ann.box).to_have_value("lobby_ann")
    ann.box.press("Enter")
    ann.is_in("CHOOSE")


def test_a_match_with_the_mouse_against_a_player_with_only_the_text_box(join: Join) -> None:
    ann, bob = join().log_in("whole_ann"), join().log_in("whole_bob")
    in_lobby = bob.page.locator("#matches > li", has_text="whole_ann")

    ann.page.get_by_label("Match name").fill("whole_1")
    ann.page.get_by_label("Description").fill('say "hello"')
    ann.page.get_by_role("button", name="Start a match on Cats and Cars").click()
    ann.is_in("WAIT")
    expect(ann.page.get_by_role("heading", name="Waiting for a second player")).to_be_visible()
    expect(in_lobby).to_contain_text("on Cats and Cars")
    expect(in_lobby).to_contain_text("say 'hello'")
    bob.say("PLAY whole_1")
    for player in (ann, bob):
        player.is_in("PLAY")

    ann.try_word(3, "car")
    bob.sees(3, "entered by whole_ann: car, not confirmed")
    bob.say("TRY 2 met")
    expect(bob.message).to_contain_text("entered met")
    expect(bob.box).to_be_focused()  # the focus never moves
    expect(bob.box).to_have_value("")
    expect(ann.message).to_contain_text("whole_bob has entered met")
    ann.try_word(4, "tax")
    expect(ann.page.locator('#duel [data-player="whole_ann"]')).to_contain_text("2 words")
    bob.box.press("ArrowUp")
    expect(bob.box).to_have_value("TRY 2 met")
    bob.say("TRY 2 mat")

    for player, title in ((ann, "You win!"), (bob, "whole_ann wins!")):
        player.is_in("SHOW SCORE")
        player.sees(3, f"entered by {'you' if player is ann else 'whole_ann'}: car, confirmed")
        player.sees(1, "not entered, solution: cat")  # the board was full without this word
        expect(player.page.get_by_role("heading", name=title)).to_be_visible()
        expect(player.page.locator('#result-sides [data-player="whole_ann"]')).to_contain_text("2 correct words")
    expect(bob.page.locator("#result-words")).to_contain_text("2 to 1 for whole_ann")
    expect(bob.message).to_contain_text("whole_ann has won. The points are 1 to 2.")

    ann.page.get_by_role("button", name="New match").click()
    ann.is_in("CHOOSE")
    bob.say("NEW MATCH")
    bob.is_in("CHOOSE")
    bob.say("EXIT")
    bob.is_in("START")


def test_a_match_with_the_keyboard_alone_tells_the_other_player_in_the_title_of_the_tab(join: Join) -> None:
    ann, bob = join(), join().log_in("tab_bob")
    bob.start("simple", "keys_1")
    leave(bob.page)
    keys, focused = ann.page.keyboard, ann.page.locator("[data-cursor]")

    # from the name to the board
    expect(ann.box).to_be_focused()
    keys.type("key_ann")  # over the suggested name
    keys.press("Enter")
    ann.is_in("CHOOSE")
    expect(ann.page.get_by_role("heading", name="Join a match, or start one")).to_be_focused()
    tab_to(ann.page.get_by_role("button", name="Join tab_bob's match keys_1"))
    keys.press("Enter")
    expect(ann.square(1, 0)).to_be_focused()
    expect(bob.page).to_have_title("● Your match has begun – Playing – Crossword Extravaganza")
    come_back(bob.page)
    expect(bob.page).to_have_title("Playing – Crossword Extravaganza")
    bob.try_word(1, "cot")
    leave(bob.page)

    # a challenge, on the next word
    keys.press("Tab")
    expect(ann.square(0, 1)).to_be_focused()
    keys.type("cat")
    keys.press("Shift+Enter")
    ann.sees(1, "entered by you: cat, confirmed")
    expect(bob.page).to_have_title(re.compile("^● Your word was challenged – "))
    ann.cut()
    expect(bob.page).to_have_title(re.compile("^● key_ann is back – "))
    expect(ann.log).to_contain_text("Connected again")

    # the board does not keep the focus
    keys.press("Tab")  # this was the last word
    assert ann.page.evaluate("document.activeElement.closest('[role=grid]')") is None
    tab_back_to(focused)
    keys.press("Escape")
    expect(ann.clue(1)).to_be_focused()
    expect(ann.box).to_be_hidden()

    # the user switches the text box on, and it stays on after a reload
    tab_to(ann.page.get_by_label("Show a text box for commands"))
    keys.press("Space")
    tab_back_to(focused)
    keys.press("Escape")
    expect(ann.box).to_be_focused()
    ann.page.reload()
    expect(ann.box).to_be_visible()
    expect(ann.square(1, 0)).to_be_focused()

    # a word with a correction, up to the score
    keys.press("Tab")
    expect(ann.square(0, 1)).to_be_focused()
    keys.press("Shift+Tab")
    expect(ann.square(1, 0)).to_be_focused()
    keys.type("ma")
    keys.press("End")
    keys.type("r")
    keys.press("Backspace")
    keys.type("t")
    keys.press("Enter")
    ann.is_in("SHOW SCORE")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_focused()
    expect(bob.page).to_have_title("● The game is over – The score – Crossword Extravaganza")


def test_a_phone_plays_on_a_large_board_with_keys_of_its_own_and_gives_up(join: Join) -> None:
    ann, bob = join(phone=True), join()
    page, whole = ann.page, ann.page.get_by_role("button", name="Whole board")
    last, typed = page.get_by_role("gridcell").last, page.locator("[data-typed]")

    # every screen fits the smallest phone
    page.set_viewport_size({"width": 320, "height": 640})
    fits(page)
    ann.log_in("quiet_fantastic_otte")
    fits(page)
    page.get_by_role("button", name="Start a match on Secret").tap()
    ann.is_in("WAIT")
    fits(page)
    bob.log_in("brave_extraordinary_")
    bob.page.get_by_role("button", name="Join quiet_fantastic_otte's match").click()
    ann.is_in("PLAY")
    fits(page)
    expect(whole).to_have_attribute("aria-pressed", "true")
    expect(last).to_be_in_viewport()

    # a tap on the whole board makes the squares as large as a finger
    page.set_viewport_size({"width": 390, "height": 844})
    expect(whole).to_have_attribute("aria-pressed", "true")
    last.tap()
    expect(whole).to_have_attribute("aria-pressed", "false")
    expect(last).to_have_attribute("data-cursor", "true")
    square = last.bounding_box()
    assert square is not None
    assert square["width"] >= FINGER_PX - 1

    # the keys on the page enter a word with a hyphen
    ann.clue(3).tap()
    tap_keys(page, NONSENSE[2][:-1] + "q")
    page.get_by_role("button", name="Rub out").tap()
    tap_keys(page, NONSENSE[2][-1])
    page.get_by_role("button", name="Try").tap()
    bob.sees(3, f"entered by quiet_fantastic_otte: {NONSENSE[2]}, not confirmed")
    ann.square(0, 5).tap()
    tap_keys(page, "vw")  # over v and j
    expect(typed).to_have_count(1)

    # the next step has as many lines as it needs
    bob.try_word(1, "aaaaavaaaaaaaaa")
    ann.clue(1).tap()
    hint = page.locator("#clue-hint")
    expect(hint).to_have_text("brave_extraordinary_ says aaaaavaaaaaaaaa. Wrong? Type the right word and challenge.")
    assert hint.evaluate("({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth")
    assert hint.evaluate("({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight")

    page.set_viewport_size({"width": 320, "height": 640})
    whole.tap()
    expect(last).to_be_in_viewport()

    # giving up needs a second tap
    page.get_by_role("button", name="Give up…").tap()
    page.get_by_role("button", name="Keep playing").tap()
    ann.is_in("PLAY")
    page.get_by_role("button", name="Give up…").tap()
    page.get_by_role("dialog").get_by_role("button", name="Give up").tap()
    for player, title in ((ann, "brave_extraordinary_ wins!"), (bob, "You win!")):
        player.is_in("SHOW SCORE")
        expect(player.page.get_by_role("heading", name=title)).to_be_visible()
        assert all(word not in player.page.content() for word in NONSENSE[:2])
    expect(typed).to_have_count(0)  # typed, but not entered
    fits(page)
