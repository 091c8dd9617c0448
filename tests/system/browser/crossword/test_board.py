"""The board and the clues in a real Chromium: the actions of a player, and their display.

Testing strategy:
- typing: kept until sent, taken back, filled by the other player first; clicks, arrows, Tab; letters missing:
  test_what_is_typed_*, test_a_click_*, test_a_word_with_*
- challenges: the word was right, both were wrong, the challenger was right: test_a_challenge_*
- refusals: shown, kept in the log, the line given back: test_a_refused_*
- looks: owner, confirmed, shared cells, ids; hues of similar names: test_words_*, test_two_words_*,
  test_names_*
- labels and announcements for screen readers: test_labels_*, test_others_moves_*
- only changed elements are updated: test_a_frame_*
- secrecy: test_no_solution_*
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.system.browser.crossword.player import Meet
from tests.system.browser.crossword.puzzles import NONSENSE

pytestmark = pytest.mark.browser


# --- typing ---


def test_what_is_typed_is_nobody_elses_business_until_it_is_sent(meet: Meet) -> None:
    ann, bob = meet("cats", "typed_ann", "typed_bob")
    ann.type(3, "co")
    expect(ann.square(0, 1)).to_have_attribute("data-typed", "true")
    bob.try_word(4, "tax")
    ann.sees(4, "entered by typed_bob: tax, not confirmed")
    expect(ann.square(0, 1)).to_contain_text("c")  # still there, and only on this page
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
    expect(ann.toast("4 across has 3 letters, and one is missing.")).to_be_visible()
    ann.page.keyboard.type("x")
    ann.page.keyboard.press("Enter")
    bob.sees(4, "entered by miss_ann: tax, not confirmed")


def test_a_word_may_be_typed_whole_or_without_the_letters_that_are_there(meet: Meet) -> None:
    ann, _ = meet("cats", "whole_ann", "whole_bob")
    ann.try_word(1, "cat")
    for letters in ("car", "ar"):
        ann.clue(3).click()
        ann.page.keyboard.type(letters)
        ann.spells(3, "car")
        ann.page.keyboard.press("Escape")
    ann.clue(3).click()
    ann.page.keyboard.type("cc")  # the first c is already there
    expect(ann.page.locator("#clue-pattern > .slot")).to_have_text(["c", "c", ""])


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
    ann.page.keyboard.press("ArrowUp")  # the first press changes the direction
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
    said = "right_ann challenged car, 3 across. The word is right"
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text(said)
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
    expect(ann.page.locator("[data-typed]")).to_have_count(2)  # to correct, or to challenge with: m and a of m-a-t
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


# --- looks and labels ---


def test_words_show_whose_they_are_by_more_than_colour(meet: Meet) -> None:
    ann, bob = meet("cats", "look_ann", "look_bob")
    ann.try_word(3, "car")
    bob.try_word(1, "cat")
    ann.sees(1, "entered by look_bob: cat, not confirmed")
    expect(ann.square(0, 2)).to_have_attribute("data-side", "mine")
    expect(ann.square(1, 1)).to_have_attribute("data-side", "theirs")
    expect(bob.square(0, 2)).to_have_attribute("data-side", "theirs")
    expect(ann.square(0, 1).locator(".half[data-side=theirs]")).to_have_count(1)  # both words use the c
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
    ids = "ids => ids.map(({ dataset }) => dataset.id)"
    assert ann.square(0, 1).locator(".id").evaluate_all(ids) == ["3", "1"]
    across, down = (ann.square(0, 1).locator(".id").nth(nth).bounding_box() for nth in (0, 1))
    assert across is not None
    assert down is not None
    assert across["x"] + across["width"] < down["x"]
    assert ann.square(1, 0).locator(".id").evaluate_all(ids) == ["2"]


def test_names_with_one_hue_still_give_two_colours(meet: Meet) -> None:
    names = ("ann", "max")  # both names would have hue 6
    hue = "target => target.style.getPropertyValue('--player')"
    hues = [
        [player.page.locator(f'#duel [data-player="{name}"]').evaluate(hue) for name in names]
        for player in meet("simple", *names)
    ]
    assert hues[0] == hues[1]
    assert hues[0][0] != hues[0][1]


def test_labels_tell_screen_readers_everything_about_a_clue_and_a_square(meet: Meet) -> None:
    ann, bob = meet("cats", "label_ann", "label_bob")
    expect(ann.clue(4)).to_have_accessible_name("4 across, 3 letters, clue: nobody likes to pay it – not entered")
    bob.try_word(3, "car")
    expect(ann.clue(3)).to_have_accessible_name(
        "3 across, 3 letters, clue: it has four wheels – entered by label_bob: car, not confirmed"
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
