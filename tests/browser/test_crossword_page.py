"""Crossword Extravaganza's page in a real Chromium, served by a real `scramble crossword`, with the real telnet.

Testing strategy. The rules, the frames and the dialogue have tests of their own; here is what a player does and sees.

- logging in: name suggested, kept, malformed, in use; logging out: test_a_name_*, test_whoever_*
- a match from the lobby to the score, two pages and a third that watches the lobby: test_two_pages_play_*; with
  telnet: test_telnet_and_the_page_*; with the text box alone: test_the_text_box_*; with the keyboard alone:
  test_the_keyboard_*; with fingers on a phone, and on the smallest: test_a_phone_*, test_every_screen_*
- the lobby: matches come, go, are withdrawn; waiting called off: test_waiting_*
- typing: kept until sent, taken back, overtaken by the other player; clicks, arrows, Tab; letters missing:
  test_what_is_typed_*, test_a_click_*, test_a_word_with_*
- challenges: the word was right, both were wrong, the challenger was right: test_a_challenge_*
- refusals: shown, kept in the log, the line given back: test_a_refused_*
- how things look: whose, confirmed, held up by both, ids; hues of names that are alike: test_words_*, test_two_words_*,
  test_names_*
- what is told to screen readers: test_labels_*, test_others_moves_*
- only what differs is touched: test_a_frame_*
- the end: won, lost, draw, given up: test_two_pages_play_*, test_the_keyboard_*, test_giving_up_*
- connection: cut, reload, too late, server restarted, taken over, duplicated tab: test_a_reload_*, test_a_connection_*,
  test_a_match_that_is_*, test_a_duplicated_*
- secrecy: test_no_solution_*
- every test: nothing is asked of anybody but the server, and nothing goes wrong in the page's console (fixture `join`)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Serve, Server
from tests.browser.crossword import Player, Telnet

pytestmark = pytest.mark.browser

FINGER_PX = 40

SIMPLE = """>> "Simple Puzzle" "A trivial puzzle designed to show how puzzles work"
(cat, "feline companion", DOWN, 0, 1)
(mat, "lounging place for feline companion", ACROSS, 1, 0)
"""

# The handout's larger example: words 1 and 3 begin in one cell.
CATS = """>> "Cats and Cars" "All letters of one word belong to others, too"
(cat, "feline companion", DOWN, 0, 1)
(mat, "lounging place for feline companion", ACROSS, 1, 0)
(car, "it has four wheels", ACROSS, 0, 1)
(tax, "nobody likes to pay it", ACROSS, 2, 1)
"""

NONSENSE = ("zqxjkv", "qzwvk", "vjq-xz")
SECRET = f""">> "Secret" "Nobody can guess these"
({NONSENSE[0]}, "first", ACROSS, 0, 0)
({NONSENSE[1]}, "second", DOWN, 0, 1)
({NONSENSE[2]}, "third", DOWN, 0, 5)
"""


class Join(Protocol):
    def __call__(self, server: Server | None = None, *, phone: bool = False) -> Player: ...


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("puzzles")
    for name, text in (("simple", SIMPLE), ("cats", CATS), ("secret", SECRET)):
        (folder / f"{name}.puzzle").write_text(text)
    return folder


@pytest.fixture(scope="module")
def shared(serve_module: Serve, puzzles: Path) -> Server:
    """One server for all tests whose players have names of their own."""
    return serve_module("crossword", "--port", "0", "--telnet-port", "0", str(puzzles))


@pytest.fixture
def join(browser: Browser, shared: Server) -> Iterator[Join]:
    """Opens the page, each time in a browser of its own; in the end no page may have complained."""
    contexts: list[BrowserContext] = []
    players: list[Player] = []

    def join(server: Server | None = None, *, phone: bool = False) -> Player:
        if phone:
            context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        else:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        contexts.append(context)
        players.append(Player(context.new_page(), server or shared))
        return players[-1]

    yield join
    for context in contexts:
        context.close()
    assert [player.complaints for player in players] == [[]] * len(players)


class Meet(Protocol):
    def __call__(self, puzzle: str, first: str, second: str, server: Server | None = None) -> tuple[Player, Player]: ...


@pytest.fixture
def meet(join: Join) -> Meet:
    """Two players who have just begun a match, which bears the first one's name."""

    def meet(puzzle: str, first: str, second: str, server: Server | None = None) -> tuple[Player, Player]:
        one, two = join(server).log_in(first), join(server).log_in(second)
        one.start(puzzle, first)
        two.say(f"PLAY {first}")
        for player in (one, two):
            player.is_in("PLAY")
        return one, two

    return meet


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
    ann.page.get_by_label("What others read").fill('say "hello"')
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
        player.sees(1, "not entered")  # the board was full without it
        expect(player.page.locator('#result-sides [data-player="whole_ann"]')).to_contain_text("2 correct words")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_visible()
    expect(bob.page.get_by_role("heading", name="whole_ann wins!")).to_be_visible()
    expect(bob.page.locator("#result-words")).to_contain_text("2 to 1 for whole_ann")

    ann.page.get_by_role("button", name="New match").click()
    ann.is_in("CHOOSE")
    bob.page.get_by_role("button", name="Log out").click()
    bob.is_in("START")


def test_telnet_and_the_page_play_one_match(join: Join, shared: Server) -> None:
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
    expect(bob.box).to_be_focused()  # it never moves
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
    keys.type("key_ann")  # over the name that is suggested
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


# --- fingers ---


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
    expect(ann.page.locator("#clue-pattern")).to_have_text("cr")  # from where the finger was, and not past the end
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
        for button in ann.page.locator("button:visible:not(.key)").all():
            size = button.bounding_box()
            assert size is not None
            assert size["height"] >= 36, button.inner_text()

    check()
    ann.log_in("quiet_fantastic_otte")
    check()
    ann.start("grand", "quiet_fantastic_otte")
    check()
    bob.log_in("brave_extraordinary_")
    bob.say("PLAY quiet_fantastic_otte")
    ann.is_in("PLAY")
    check()
    square = ann.page.get_by_role("gridcell").first.bounding_box()
    assert square is not None
    assert square["width"] >= FINGER_PX - 1  # with the line around it
    ann.page.get_by_role("button", name="Whole board").tap()
    last = ann.page.get_by_role("gridcell").last
    expect(last).to_be_in_viewport()
    ann.page.reload()
    expect(ann.page.get_by_role("button", name="Whole board")).to_have_attribute("aria-pressed", "true")
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


# --- typing ---


def test_what_is_typed_is_nobody_elses_business_until_it_is_sent(meet: Meet) -> None:
    ann, bob = meet("cats", "typed_ann", "typed_bob")
    ann.type(3, "co")
    expect(ann.square(0, 1)).to_have_attribute("data-typed", "true")
    bob.try_word(4, "tax")
    ann.sees(4, "entered by typed_bob: tax, not confirmed")
    expect(ann.square(0, 1)).to_contain_text("c")  # still there, and only here
    expect(bob.square(0, 1)).to_have_attribute("aria-label", re.compile("^empty"))
    ann.page.keyboard.press("Escape")
    expect(ann.page.locator("[data-typed]")).to_have_count(0)


def test_what_is_typed_gives_way_to_letters_that_the_other_player_enters(meet: Meet) -> None:
    ann, bob = meet("cats", "way_ann", "way_bob")
    ann.type(1, "bob")
    bob.try_word(3, "car")
    expect(ann.square(0, 1)).to_contain_text("c")
    expect(ann.page.locator("[data-typed]")).to_have_count(2)
    ann.spells(1, "cob")


def test_a_word_with_missing_letters_is_not_sent(meet: Meet) -> None:
    ann, bob = meet("cats", "miss_ann", "miss_bob")
    ann.type(4, "ta")
    ann.page.keyboard.press("Enter")
    expect(ann.toast("Word 4 has 3 letters, and one is missing.")).to_be_visible()
    ann.page.keyboard.type("x")
    ann.page.keyboard.press("Enter")
    bob.sees(4, "entered by miss_ann: tax, not confirmed")


def test_a_click_chooses_a_word_and_a_second_one_the_word_that_crosses_it(meet: Meet) -> None:
    ann, _ = meet("cats", "click_ann", "click_bob")
    name = ann.page.locator("#clue-name")
    ann.square(2, 3).click()
    expect(name).to_contain_text("4 across")
    ann.square(1, 1).click()
    expect(name).to_contain_text("2 across")
    ann.square(1, 1).click()
    expect(name).to_contain_text("1 down")
    ann.page.keyboard.press("Space")
    expect(name).to_contain_text("2 across")
    ann.page.keyboard.press("ArrowUp")  # turns first
    expect(name).to_contain_text("1 down")
    ann.page.keyboard.press("ArrowUp")
    expect(ann.square(0, 1)).to_be_focused()
    ann.page.get_by_role("button", name="Word before").click()
    expect(name).to_contain_text("4 across")
    expect(ann.clue(4)).to_have_attribute("aria-current", "true")


# --- challenges ---


def test_a_challenge_of_a_right_word_confirms_it_and_costs_a_point(meet: Meet) -> None:
    ann, bob = meet("cats", "right_ann", "right_bob")
    bob.try_word(3, "car")
    ann.type(3, "cab")
    expect(ann.page.locator("#clue-hint")).to_contain_text("Challenge with cab")
    ann.page.get_by_role("button", name="Challenge").click()
    ann.sees(3, "entered by right_bob: car, confirmed")
    expect(ann.points("right_ann")).to_contain_text("−1")
    expect(bob.points("right_ann")).to_contain_text("−1")
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("right_ann challenged car, 3 across. It is right")
    expect(ann.page.locator("[data-typed]")).to_have_count(0)


def test_a_challenge_with_another_wrong_word_clears_it(meet: Meet) -> None:
    ann, bob = meet("cats", "wrong_ann", "wrong_bob")
    bob.try_word(3, "cab")
    ann.type(3, "cap")
    ann.page.keyboard.press("Shift+Enter")
    for player in (ann, bob):
        player.sees(3, "not entered")
        expect(player.points("wrong_ann")).to_contain_text("−1")
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("Both words were wrong")


def test_a_challenge_with_the_right_word_wins_it_and_clears_what_is_at_odds(meet: Meet) -> None:
    ann, bob = meet("simple", "won_ann", "won_bob")
    ann.try_word(1, "pet")
    bob.try_word(2, "set")
    ann.type(2, "mat")
    ann.page.get_by_role("button", name="Challenge").click()
    ann.sees(2, "entered by you: mat, confirmed")
    ann.sees(1, "not entered")
    bob.sees(2, "entered by won_ann: mat, confirmed")
    expect(bob.points("won_ann")).to_contain_text("+2")
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("challenged 2 across and won two points")


# --- refusals ---


def test_a_refused_command_is_one_quiet_line_that_stays_in_the_log_and_changes_nothing(meet: Meet) -> None:
    ann, bob = meet("simple", "no_ann", "no_bob")
    bob.try_word(2, "set")
    ann.type(2, "mat")
    ann.page.keyboard.press("Enter")
    expect(ann.toast("can only be changed through a challenge")).to_be_visible()
    expect(ann.page.locator("[data-typed]")).to_have_count(2)  # to be mended, or to challenge with: m and a of m-a-t
    ann.say("TRY 1 mouse")
    refused = ann.toast("Word 1 has 3 letters, and yours has 5.")
    expect(refused).to_be_visible()
    expect(ann.box).to_have_value("TRY 1 mouse")
    refused.get_by_role("button", name="Dismiss").click()
    expect(refused).to_have_count(0)
    ann.say("try 1 cat")
    expect(ann.toast("Command words are upper case.")).to_be_visible()
    ann.page.get_by_text("What happened").click()
    expect(ann.page.locator("#log")).to_contain_text("Word 1 has 3 letters")
    expect(ann.page.locator("#log")).to_contain_text("upper case")
    bob.sees(1, "not entered")


# --- how things look, and what is told ---


def test_words_show_whose_they_are_by_more_than_colour(meet: Meet) -> None:
    ann, bob = meet("cats", "look_ann", "look_bob")
    ann.try_word(3, "car")
    bob.try_word(1, "cat")
    ann.sees(1, "entered by look_bob: cat, not confirmed")
    expect(ann.square(0, 2)).to_have_attribute("data-side", "mine")
    expect(ann.square(1, 1)).to_have_attribute("data-side", "theirs")
    expect(bob.square(0, 2)).to_have_attribute("data-side", "theirs")
    expect(ann.square(0, 1).locator(".half[data-side=theirs]")).to_have_count(1)  # both hold up the c
    pattern = "square => getComputedStyle(square).backgroundImage"
    assert ann.square(0, 2).evaluate(pattern) == "none"
    assert "gradient" in ann.square(1, 1).evaluate(pattern)
    colour = "square => getComputedStyle(square).backgroundColor"
    assert ann.square(0, 2).evaluate(colour) == bob.square(0, 2).evaluate(colour)
    bob.say("CHALLENGE 3 cab")
    expect(ann.square(0, 2)).to_have_attribute("data-confirmed", "true")
    expect(ann.square(1, 1)).not_to_have_attribute("data-confirmed", "true")


def test_two_words_that_begin_in_one_cell_both_show_their_ids(meet: Meet) -> None:
    ann, _ = meet("cats", "ids_ann", "ids_bob")
    expect(ann.square(0, 1).locator(".id")).to_have_text(["3", "1"])
    across, down = (ann.square(0, 1).locator(".id").nth(nth).bounding_box() for nth in (0, 1))
    assert across is not None
    assert down is not None
    assert across["x"] + across["width"] < down["x"]
    expect(ann.square(1, 0).locator(".id")).to_have_text(["2"])


def test_names_of_hues_that_are_alike_still_give_colours_that_are_not(meet: Meet) -> None:
    ann, bob = meet("simple", "ann", "carol")  # 61 and 41 degrees of the colour wheel
    hue = "target => Number(target.style.getPropertyValue('--hue'))"
    for player in (ann, bob):
        hues = [player.page.locator(f'#duel [data-player="{name}"]').evaluate(hue) for name in ("ann", "carol")]
        assert min(abs(hues[0] - hues[1]), 360 - abs(hues[0] - hues[1])) >= 70


def test_labels_tell_screen_readers_everything_about_a_clue_and_a_square(meet: Meet) -> None:
    ann, bob = meet("cats", "label_ann", "label_bob")
    expect(ann.clue(4)).to_have_attribute(
        "aria-label", "4 across, 3 letters, clue: nobody likes to pay it, not entered"
    )
    bob.try_word(3, "car")
    expect(ann.clue(3)).to_have_attribute(
        "aria-label", "3 across, 3 letters, clue: it has four wheels, entered by label_bob: car, not confirmed"
    )
    ann.type(1, "b")
    expect(ann.square(0, 1)).to_have_attribute(
        "aria-label",
        "c, you have typed b, row 1, column 2; 3 across, letter 1 of 3, entered by label_bob; "
        "1 down, letter 1 of 3, not entered",
    )


def test_others_moves_are_told_in_the_live_region_and_focus_stays(meet: Meet) -> None:
    ann, bob = meet("cats", "live_ann", "live_bob")
    ann.clue(2).click()
    bob.try_word(4, "tax")
    expect(ann.page.locator("[aria-live=polite]")).to_contain_text("live_bob entered tax, 4 across.")
    expect(ann.square(1, 0)).to_be_focused()


def test_a_frame_touches_only_the_squares_and_clues_that_differ(meet: Meet) -> None:
    ann, bob = meet("cats", "touch_ann", "touch_bob")
    ann.page.evaluate(
        """() => {
            window.touched = new Set();
            new MutationObserver((records) => {
                for (const { target } of records) {
                    const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
                    const square = element.closest(".square");
                    const clue = element.closest(".clue");
                    if (square) window.touched.add(`${square.dataset.row},${square.dataset.column}`);
                    if (clue) window.touched.add(clue.dataset.word);
                }
            }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
        }"""
    )
    bob.try_word(4, "tax")
    ann.sees(4, "entered by touch_bob: tax, not confirmed")
    assert set(ann.page.evaluate("[...touched]")) == {"2,1", "2,2", "2,3", "4"}


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
    expect(bob.page.locator("#result-words")).to_contain_text("give_ann gave up the match. 0 to 1")


# --- the connection ---


def test_a_connection_that_is_cut_comes_back_to_the_match_with_what_was_typed(meet: Meet) -> None:
    ann, bob = meet("cats", "cut_ann", "cut_bob")
    ann.type(2, "ma")
    ann.cut()
    expect(bob.message).to_contain_text("cut_ann has lost the connection")
    expect(ann.toast("If you are not back within 30 seconds, the match is given up.")).to_be_visible()
    expect(ann.toast("Connected again")).to_contain_text("Nothing has changed.")
    expect(bob.message).to_contain_text("cut_ann is back")
    ann.page.keyboard.type("t")
    ann.page.keyboard.press("Enter")
    bob.sees(2, "entered by cut_ann: mat, not confirmed")


def test_a_reload_goes_on_with_the_match(meet: Meet) -> None:
    ann, bob = meet("cats", "load_ann", "load_bob")
    ann.try_word(3, "car")
    ann.page.reload()
    ann.is_in("PLAY")
    expect(ann.toast("Back in your match")).to_be_visible()
    ann.sees(3, "entered by you: car, not confirmed")
    bob.try_word(2, "mat")
    ann.try_word(4, "tax")
    for player in (ann, bob):
        player.is_in("SHOW SCORE")


def test_a_reload_of_the_lobby_logs_in_again(join: Join) -> None:
    ann = join().log_in("again_ann")
    ann.page.reload()
    ann.is_in("CHOOSE")
    expect(ann.page.locator("#me")).to_contain_text("again_ann")


def test_a_match_that_is_gone_when_one_comes_back_is_said_to_be_gone(meet: Meet, serve: Serve, puzzles: Path) -> None:
    arguments = ("crossword", "--telnet-port", "0", "--grace", "0", str(puzzles), "--port")
    server = serve(*arguments, "0")
    ann, bob = meet("simple", "ann", "bob", server)
    ann.page.reload()
    expect(ann.toast("Your match ann is gone")).to_be_visible()
    ann.is_in("CHOOSE")
    bob.is_in("SHOW SCORE")
    expect(bob.page.get_by_role("heading", name="You win!")).to_be_visible()

    ann.start("simple", "second")
    port = str(server.port)
    server.stop()
    expect(ann.page.locator("#link")).to_contain_text("Reconnecting")
    ann.page.get_by_role("button", name="Stop waiting").click()
    expect(ann.toast("Not connected: nothing was sent.")).to_be_visible()
    serve(*arguments, port)
    expect(ann.toast("Your match second was withdrawn while you were away.")).to_be_visible()
    for player in (ann, bob):
        player.is_in("CHOOSE")


def test_a_player_who_comes_back_elsewhere_leaves_this_page_which_does_not_fight_for_it(join: Join, meet: Meet) -> None:
    ann, _ = meet("simple", "else_ann", "else_bob")
    kept = ann.page.evaluate("sessionStorage.getItem('scramble.crossword.session')")
    token = re.search(r'"token":"([^"]+)"', kept)
    assert token is not None
    elsewhere = join()
    elsewhere.say(f"else_ann {token.group(1)}")
    elsewhere.is_in("PLAY")
    expect(ann.toast("else_ann plays on another connection now")).to_be_visible()
    expect(ann.page.locator("#link")).to_contain_text("Disconnected")
    elsewhere.try_word(1, "cat")
    ann.page.locator("#link").click()
    expect(ann.page.locator("#link")).to_contain_text("Connected")
    ann.sees(1, "entered by you: cat, not confirmed")
    expect(elsewhere.page.locator("#link")).to_contain_text("Disconnected")


def test_a_duplicated_tab_is_another_player(meet: Meet, shared: Server) -> None:
    ann, _ = meet("simple", "twin_ann", "twin_bob")
    with ann.page.expect_popup() as popup:
        ann.page.evaluate("open(location.href)")  # with a copy of what the tab keeps
    twin = popup.value
    expect(twin.locator("#app")).to_have_attribute("data-state", "START")
    expect(twin.locator("#command")).not_to_have_value("twin_ann")
    expect(ann.page.locator("#link")).to_contain_text("Connected")


# --- secrecy ---


def test_no_solution_is_anywhere_in_the_page_or_its_frames_before_it_is_entered(meet: Meet) -> None:
    ann, bob = meet("secret", "hush_ann", "hush_bob")
    heard: list[str] = []
    bob.page.on("websocket", lambda socket: socket.on("framereceived", lambda data: heard.append(str(data))))
    bob.page.reload()
    bob.is_in("PLAY")
    ann.try_word(1, NONSENSE[0])
    bob.sees(1, f"entered by hush_ann: {NONSENSE[0]}, not confirmed")
    bob.say(f"CHALLENGE 1 {'a' * len(NONSENSE[0])}")
    bob.sees(1, f"entered by hush_ann: {NONSENSE[0]}, confirmed")
    bob.say(f"TRY 2 {NONSENSE[0][1]}aaaa")
    bob.sees(2, f"entered by you: {NONSENSE[0][1]}aaaa, not confirmed")
    bob.say("EXIT")
    bob.is_in("SHOW SCORE")
    everything = "".join([bob.page.content(), ann.page.content(), *heard])
    assert len(heard) >= 5
    assert NONSENSE[0] in everything
    for word in NONSENSE[1:]:
        assert word not in everything
