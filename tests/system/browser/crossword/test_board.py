"""The board and the clues in a real Chromium: the actions of a player, and their display.

Testing strategy. Node tests the logic of typing (crossword-solver.test.js), the owners and the outcomes of words
(crossword-match.test.js), and the sentences of labels, hints and news (crossword-words.test.js). Here each of these
modules has one place on the page.

- typing: clicks choose words; typed letters are private, and stay until the player sends them or takes them back;
  a refusal is shown and changes nothing; a change touches only its squares and clues: test_typed_letters_*
- two players: owners and confirmed words look different, also without colour; the three outcomes of a challenge:
  test_challenges_*
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.system.browser.crossword.player import Meet, Player

pytestmark = pytest.mark.browser

# Collects the squares and the clues that change, in the variable `touched`.
RECORD_CHANGES = """() => {
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

PATTERN = "square => getComputedStyle(square).backgroundImage"
COLOUR = "square => getComputedStyle(square).backgroundColor"


def shows_ids_side_by_side(player: Player) -> None:
    """Check that the cell of two first letters has both ids, one beside the other."""
    ids = player.square(0, 1).locator(".id")
    assert ids.evaluate_all("ids => ids.map(({ dataset }) => dataset.id)") == ["3", "1"]
    across, down = (ids.nth(nth).bounding_box() for nth in (0, 1))
    assert across is not None
    assert down is not None
    assert across["x"] + across["width"] < down["x"]


def test_typed_letters_are_private_until_they_are_sent_and_a_refusal_keeps_them(meet: Meet) -> None:
    ann, bob = meet("cats", "typed_ann", "typed_bob")
    name, typed = ann.page.locator("#clue-name"), ann.page.locator("[data-typed]")
    shows_ids_side_by_side(ann)

    # a click chooses a word, and a second click the word that crosses it
    for row, column, place in ((2, 3, "4 across"), (1, 1, "2 across"), (1, 1, "1 down")):
        ann.square(row, column).click()
        expect(name).to_contain_text(place)
    ann.page.get_by_role("button", name="Word before").click()
    expect(name).to_contain_text("4 across")
    expect(ann.clue(4)).to_have_attribute("aria-current", "true")
    expect(ann.page.locator("[data-cursor]")).to_have_count(1)

    # the other player does not see typed letters, and the other player's word changes nothing else
    ann.type(3, "co")
    expect(ann.square(0, 1)).to_have_attribute("aria-label", re.compile("^empty, you have typed c, row 1, column 2; "))
    ann.page.evaluate(RECORD_CHANGES)
    bob.try_word(4, "tax")
    ann.sees(4, "entered by typed_bob: tax, not confirmed")
    assert set(ann.page.evaluate("[...touched]")) == {"2,1", "2,2", "2,3", "4"}
    expect(ann.page.locator("[aria-live=polite]")).to_contain_text("typed_bob entered tax, 4 across.")
    expect(ann.square(0, 3)).to_be_focused()
    expect(ann.square(0, 1)).to_contain_text("c")
    expect(bob.square(0, 1)).to_have_attribute("aria-label", re.compile("^empty, row"))
    ann.page.keyboard.press("Escape")
    expect(typed).to_have_count(0)

    # a word with missing letters is not sent
    ann.type(1, "c")
    ann.page.keyboard.press("Enter")
    expect(ann.toast("1 down has 3 letters, and one is missing.")).to_be_visible()
    ann.page.keyboard.type("a")
    ann.page.keyboard.press("Enter")
    bob.sees(1, "entered by typed_ann: cat, not confirmed")
    expect(typed).to_have_count(0)

    # a refusal changes nothing, gives the line back, and stays in the log
    ann.type(4, "tab")
    ann.page.keyboard.press("Enter")
    expect(ann.toast("can only be changed through a challenge")).to_be_visible()
    expect(typed).to_have_count(1)  # the b, for a correction or a challenge
    ann.say("TRY 1 mouse")
    refused = ann.toast("Word 1 has 3 letters, and yours has 5.")
    expect(refused).to_be_visible()
    expect(ann.box).to_have_value("TRY 1 mouse")
    refused.get_by_role("button", name="Dismiss").click()
    expect(refused).to_have_count(0)
    ann.say("try 1 cut")  # without words of the page: the server's words
    expect(ann.toast("Command words are upper case. The commands here are TRY id word")).to_be_visible()
    ann.page.get_by_text("What happened").click()
    expect(ann.log).to_contain_text("Word 1 has 3 letters")
    bob.sees(1, "entered by typed_ann: cat, not confirmed")


def test_challenges_confirm_clear_and_win_words_and_marks_show_their_owners_by_more_than_colour(meet: Meet) -> None:
    ann, max_ = meet("cats", "ann", "max")  # both names would have hue 6
    hue = "side => side.style.getPropertyValue('--player')"
    hues = [
        [one.page.locator(f'#duel [data-player="{name}"]').evaluate(hue) for name in ("ann", "max")]
        for one in (ann, max_)
    ]
    assert hues[0] == hues[1]
    assert hues[0][0] != hues[0][1]

    # each page marks the own words and the other player's words
    max_.try_word(3, "car")
    ann.try_word(1, "cet")
    max_.sees(1, "entered by ann: cet, not confirmed")
    for one, side, other in ((ann, "mine", "theirs"), (max_, "theirs", "mine")):
        expect(one.square(1, 1)).to_have_attribute("data-side", side)
        expect(one.square(0, 2)).to_have_attribute("data-side", other)
        expect(one.square(0, 1).locator(f".half[data-side={side}]")).to_have_count(1)  # both words use the c
    assert ann.square(1, 1).evaluate(PATTERN) == "none"
    assert "gradient" in ann.square(0, 2).evaluate(PATTERN)
    assert ann.square(1, 1).evaluate(COLOUR) == max_.square(1, 1).evaluate(COLOUR)

    # the challenged word is right
    ann.type(3, "cab")
    expect(ann.page.locator("#clue-hint")).to_contain_text("Challenge with cab")
    ann.page.get_by_role("button", name="Challenge").click()
    ann.sees(3, "entered by max: car, confirmed")
    expect(max_.page.locator("[aria-live=polite]")).to_contain_text("ann challenged car, 3 across. The word is right")
    expect(ann.page.locator("[data-typed]")).to_have_count(0)
    for one in (ann, max_):  # one word, and −1 from challenges
        expect(one.points("ann")).to_have_text(re.compile("^0 if"))
        expect(one.challenges("ann")).to_have_text("−1 from challenges")
        expect(one.square(0, 2)).to_have_attribute("data-confirmed", "true")
        expect(one.square(2, 1)).not_to_have_attribute("data-confirmed", "true")

    # both words are wrong
    max_.try_word(4, "tab")
    ann.type(4, "tap")
    ann.page.keyboard.press("Shift+Enter")
    for one in (ann, max_):
        one.sees(4, "not entered")
        expect(one.points("ann")).to_have_text(re.compile("^−1 if"))
        expect(one.challenges("ann")).to_have_text("−2 from challenges")

    # the challenger is right, and the challenger's word that does not agree is cleared
    max_.try_word(2, "set")
    ann.type(2, "mat")
    ann.page.get_by_role("button", name="Challenge").click()
    ann.sees(2, "entered by you: mat, confirmed")
    max_.sees(2, "entered by ann: mat, confirmed")
    for one in (ann, max_):
        one.sees(1, "not entered")
        expect(one.points("ann")).to_have_text(re.compile("^1 if"))  # mat
        expect(one.points("max")).to_have_text(re.compile("^1 if"))  # car
        expect(one.challenges("ann")).to_have_text("0 from challenges")
