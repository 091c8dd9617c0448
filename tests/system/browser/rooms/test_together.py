"""Actions of several people in a room, in a real Chromium: names, host's menu, votes, reactions, turn clock.

Testing strategy. tests/system/rooms/test_company.py tests the server's part, case by case. Here people in several
browsers use each part of the page once.

- a name may use any script; a lookalike is rejected, and another name is suggested: test_a_name_*
- the host: actions forbidden for other players; a title, a vote, the next game's settings, a new game, a removal:
  test_the_host_*; the next host after the host has left, until the host is back: test_when_the_host_*
- reactions, shown to all, at the sender's name; sounds, off and on: test_a_reaction_*
- a seat on another device: test_a_seat_*
- the waiting player and the holder see the time: test_who_*
"""

from __future__ import annotations

import re
import sys

import pytest
from playwright.sync_api import Locator, expect

from tests.support.process import ServerProcess
from tests.system.browser.audit import audit
from tests.system.browser.away import come_back, leave
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser

PEOPLE = "from scramble.cli.main import main; from scramble.rooms.gathering import people; people.HOST_GONE_S = 0.0; "

# Servers that replace an absent host soon, and late.
QUICK = (sys.executable, "-c", PEOPLE + "main()")
IMPATIENT = (sys.executable, "-c", PEOPLE + "people.OPENER_GONE_S = 0.0; main()")

COUNT_TONES = """
globalThis.tones = 0;
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (...when) {
  globalThis.tones += 1;
  return start.apply(this, when);
};
"""

FOLLOW_REACTIONS = """
() => {
  globalThis.floated = new Promise((done) => {
    new MutationObserver(([{ addedNodes: [node] }]) => done(`${node.dataset.player} ${node.innerText}`))
      .observe(document.querySelector(".reactions-sky"), { childList: true });
  });
}
"""


def menu(visitor: Visitor) -> Locator:
    """Open the menu of the room."""
    panel = visitor.page.locator("#room-menu")
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    return panel


def hosting(visitor: Visitor) -> Locator:
    """A button in the opened menu. Only the host has it."""
    return menu(visitor).get_by_role("button", name="Rename")


def mine(visitor: Visitor) -> Locator:
    """The player's name in this tab."""
    return visitor.page.locator("#me")


def moved(visitor: Visitor) -> Locator:
    """The question on this device when the seat has moved to the other device."""
    return visitor.page.get_by_role("dialog", name="You play on your other device now")


def hand_over(visitor: Visitor, other: Visitor) -> None:
    """Move the visitor's seat to another device."""
    menu(visitor).get_by_role("button", name="Other device…").click()
    link = visitor.page.get_by_label("Link for another device")
    expect(link).to_have_value(re.compile("#seat="))
    other.page.goto(link.input_value())
    expect(mine(other)).to_be_visible()


def opened(ann: Visitor) -> str:
    """The address of a room opened by ann."""
    ann.to_lobby()
    address = ann.start_board()
    ann.page.keyboard.press("Escape")
    return address


def test_a_name_is_of_any_script_and_a_lookalike_is_offered_another_one(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    address = opened(ann)
    ann.page.locator("#me").click()
    ann.page.get_by_label("Your name", exact=True).fill("Зоя ö")
    ann.page.get_by_role("button", name="Play", exact=True).click()
    expect(ann.page.locator("#me")).to_contain_text("Зоя ö")
    bob.page.goto(address)
    bob.page.get_by_label("Your name", exact=True).fill("зоя  O")
    bob.page.get_by_role("button", name="Play", exact=True).click()
    expect(bob.page.locator("#join")).to_contain_text("looks like one that is")
    audit(bob.page, "a name that is taken, on a phone")
    bob.page.get_by_role("button", name="Play as зоя O 2").click()
    bob.arrive()
    for one in (ann, bob):
        expect(one.page.locator("#players")).to_contain_text("Зоя ö")
        expect(one.page.locator("#players")).to_contain_text("зоя O 2")
    bob.page.reload()
    bob.arrive()
    expect(bob.page.locator("#me")).to_contain_text("зоя O 2")
    bob.flip(0, 0)
    expect(ann.cell(0, 0)).to_have_attribute("aria-label", re.compile("held by зоя O 2"))


def test_the_host_begins_the_next_game_as_chosen_and_removes_a_player_and_all_see_who_did_it(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    address = opened(ann)
    bob.join(address, "bob")
    for act in ("Next game…", "Rename", "Remove", "Close this game"):
        expect(menu(bob).get_by_role("button", name=act)).to_be_hidden()
    menu(ann).get_by_label("Title of this game").fill("Friday")
    menu(ann).get_by_role("button", name="Rename").click()
    expect(bob.page.locator(".bar-title")).to_contain_text("Friday")
    expect(bob.page.locator("#log")).to_contain_text(f"{ann.name} called this game “Friday”")
    for one, place in ((ann, 0), (bob, 1)):
        one.flip(0, place)
    menu(bob).get_by_role("button", name="Ask for a new game").click()
    expect(menu(ann)).to_contain_text("1 of 2 wants a new game.")
    menu(ann).get_by_role("button", name="Next game…").click()
    chosen = ann.page.get_by_role("dialog", name="Settings of the next game")
    audit(ann.page, "settings of the next game")
    chosen.get_by_label("4 × 4", exact=True).check()
    chosen.get_by_role("button", name="Choose").click()
    expect(chosen).to_be_hidden()
    audit(ann.page, "the host's menu")
    audit(bob.page, "a player's menu, on a phone")
    menu(ann).get_by_role("button", name="New game", exact=True).click()
    ann.page.locator("#room-sure .go").click()
    for one in (ann, bob):
        one.move_along(address)
        expect(one.cell(3, 3)).to_be_visible()
    menu(ann).get_by_label("Player to remove").select_option("bob")
    menu(ann).get_by_role("button", name="Remove").click()
    ann.page.locator("#room-sure .go").click()
    expect(bob.next).to_contain_text("You are watching")
    expect(bob.page.locator("#log")).to_contain_text("removed bob")
    bob.page.locator("#next").get_by_role("button", name="Join").click()
    bob.page.get_by_label("Your name", exact=True).fill("robert")
    bob.page.get_by_role("button", name="Play", exact=True).click()
    expect(bob.page.locator("#join .error")).to_contain_text("removed you")


def test_when_the_host_leaves_who_came_next_is_host_until_the_host_is_back(visit: Visit) -> None:
    with ServerProcess("serve", "--port", "0", "--in-memory", program=IMPATIENT) as server:
        ann, bob, carl = visit(url=server.url), visit("phone", server.url), visit(url=server.url)
        address = opened(ann)
        bob.join(address, "bob")
        carl.join(address, "carl")
        expect(hosting(ann)).to_be_visible()
        expect(hosting(bob)).to_be_hidden()
        ann.page.goto(server.url)
        expect(bob.page.locator("#log")).to_contain_text("You are the host now")
        expect(hosting(bob)).to_be_visible()
        hosting(bob).click()
        expect(carl.page.locator("#log")).to_contain_text("bob called this game")
        expect(hosting(carl)).to_be_hidden()
        ann.page.goto(address)
        expect(hosting(ann)).to_be_visible()
        expect(hosting(bob)).to_be_hidden()


def test_who_stands_in_for_the_host_goes_on_with_the_next_game_and_sees_when_there_is_more(visit: Visit) -> None:
    with ServerProcess("serve", "--port", "0", "--in-memory", program=QUICK) as server:
        ann, bob = visit(url=server.url), visit("phone", server.url)
        address = opened(ann)
        bob.join(address, "bob")
        ann.page.goto(server.url)
        expect(bob.page.locator("#log")).to_contain_text("The host is away")
        expect(menu(bob)).to_contain_text(re.compile(r"not back at \d\d:\d\d( [AP]M)?, in 15 minutes, you may also"))
        expect(menu(bob).get_by_role("button", name="Next game…")).to_be_visible()
        for act in ("Rename", "Remove", "Close this game"):
            expect(menu(bob).get_by_role("button", name=act)).to_be_hidden()
        audit(bob.page, "the menu of who stands in, on a phone")
        menu(bob).get_by_role("button", name="New game", exact=True).click()
        bob.page.locator("#room-sure .go").click()
        bob.move_along(address)


def test_a_reaction_floats_up_for_all_and_sounds_are_off_until_chosen(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    for one in (ann, bob):
        one.page.add_init_script(COUNT_TONES)
    bob.join(opened(ann), "bob")
    for one in (ann, bob):
        one.page.evaluate(FOLLOW_REACTIONS)
    bob.page.get_by_role("button", name="React with 🎉").click()
    for one in (ann, bob):
        assert one.page.evaluate("globalThis.floated").startswith("bob 🎉")
    bob.flip(0, 0)
    assert bob.page.evaluate("globalThis.tones") == 0
    menu(bob).get_by_label("Sounds").check()
    heard = bob.page.evaluate("globalThis.tones")
    assert heard > 0
    bob.flip(1, 0)
    assert bob.page.evaluate("globalThis.tones") > heard
    assert ann.page.evaluate("globalThis.tones") == 0


def test_a_seat_goes_to_another_device_by_a_link_that_works_once(visit: Visit) -> None:
    ann, phone, other = visit(), visit("phone"), visit()
    opened(ann)
    ann.flip(0, 0)
    name = ann.name
    menu(ann).get_by_role("button", name="Other device…").click()
    dialog = ann.page.get_by_role("dialog", name="Go on with another device")
    link = dialog.get_by_label("Link for another device").input_value()
    code = dialog.get_by_role("img", name="QR code")
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    audit(ann.page, "a link for another device")
    phone.page.goto(link)
    phone.arrive()
    assert "#" not in phone.page.url
    assert phone.name == name
    expect(phone.cell(0, 0)).to_have_attribute("data-held", "mine")
    expect(moved(ann)).to_contain_text(name)
    audit(ann.page, "a seat that is on another device")
    other.page.goto(link)
    expect(other.page.locator("#log")).to_contain_text("used already")


@pytest.mark.parametrize("game", ["memory", "minesweeper", "crossword"])
def test_a_seat_that_is_on_another_device_comes_back_or_is_watched(visit: Visit, game: str) -> None:
    ann, phone = visit(), visit("phone")
    ann.to_lobby()
    ann.card(game).get_by_role("button", name="Play a bot").click()
    expect(ann.page.locator("[role=gridcell]").first).to_be_visible()
    name = ann.name
    menu(ann).get_by_role("button", name="Other device…").click()
    dialog = ann.page.get_by_role("dialog", name="Go on with another device")
    expect(dialog.get_by_label("Link for another device")).to_have_value(re.compile("#seat="))
    phone.page.goto(dialog.get_by_label("Link for another device").input_value())
    expect(mine(phone)).to_contain_text(name)
    moved(ann).get_by_role("button", name="Watch").click()
    expect(ann.next).to_contain_text("watching")
    expect(mine(ann)).to_be_hidden()
    ann.page.reload()
    moved(ann).get_by_role("button", name="Take it back").click()
    expect(mine(ann)).to_be_visible()
    assert ann.name == name
    audit(phone.page, "a seat that is on another device, on a phone")
    moved(phone).get_by_role("button", name="Take it back").click()
    expect(mine(phone)).to_be_visible()
    moved(ann).press("Escape")
    expect(mine(ann)).to_be_hidden()
    expect(mine(phone)).to_be_visible()


def test_the_way_back_of_a_seat_outlives_a_refusal_and_its_end_is_told(visit: Visit) -> None:
    ann, phone = visit(), visit("phone")
    opened(ann)
    name = ann.name
    hand_over(ann, phone)
    back = moved(ann).get_by_role("button", name="Take it back")
    moves = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"code": "moved", "error": "the game moves"}}
    ann.page.route("**/seat", lambda route: route.fulfill(**moves), times=1)
    back.click()
    expect(moved(ann).get_by_role("alert")).to_have_text("One moment: that did not get through. Try again.")
    back.click()
    expect(mine(ann)).to_be_visible()
    moved(phone).get_by_role("button", name="Take it back").click()
    hand_over(phone, visit())  # the new ticket ends the old one
    back.click()
    expect(moved(ann)).to_contain_text("The way back has expired")
    expect(back).to_have_count(0)
    audit(ann.page, "a seat that does not come back")
    moved(ann).get_by_role("button", name="Play under another name").click()
    ann.page.get_by_role("button", name="Play", exact=True).click()
    expect(mine(ann)).to_be_visible()
    assert ann.name != name


def test_a_seat_that_has_left_concerns_its_own_tab_and_may_be_left_for_another_name(visit: Visit) -> None:
    ann, phone = visit(), visit("phone")
    address = opened(ann)
    bea, cid = (Visitor(ann.page.context.new_page(), ann.url) for _ in range(2))  # the same browser
    bea.join(address, "bea")
    hand_over(ann, phone)
    expect(moved(ann)).to_be_visible()
    bea.page.reload()
    expect(mine(bea)).to_contain_text("bea")
    cid.page.goto(address)
    moved(cid).get_by_role("button", name="Play under another name").click()
    cid.page.get_by_label("Your name", exact=True).fill("cid")
    cid.page.get_by_role("button", name="Play", exact=True).click()
    expect(mine(cid)).to_contain_text("cid")


def test_who_waits_for_a_card_sees_how_long_at_most_and_is_told_in_the_tab_that_it_has_come(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.page.clock.install()
    bob.join(opened(ann), "bob")
    ann.flip(0, 0)
    bob.cell(0, 0).click()
    expect(bob.next).to_contain_text(re.compile(r"Waiting for .*: \d+ seconds at most"))
    expect(ann.next).to_contain_text("find its twin")
    ann.page.clock.fast_forward(32_000)
    expect(ann.next).to_contain_text(re.compile(r"bob waits for your card. Turn one over within \d+ seconds"))
    leave(bob.page)
    ann.flip(1, 0)  # a different card
    expect(bob.cell(0, 0)).to_have_attribute("data-held", "mine")
    expect(bob.page).to_have_title(re.compile("^● Your card has come"))
    come_back(bob.page)
    expect(bob.page).not_to_have_title(re.compile("^●"))


def test_who_looks_elsewhere_is_told_in_the_tab_of_a_friend_the_end_and_the_next_game(visit: Visit) -> None:
    ann, bob = visit(), visit()
    address = opened(ann)
    leave(ann.page)
    bob.join(address, "bob")
    expect(ann.page).to_have_title(re.compile("^● bob has come – "))
    come_back(ann.page)
    expect(ann.page).not_to_have_title(re.compile("^●"))
    leave(ann.page)
    bob.take_all()
    expect(ann.page).to_have_title(re.compile("^● The game is over – "))
    bob.ending.get_by_role("button", name="Again").click()
    ann.move_along(address)
    expect(ann.page).to_have_title(re.compile("^● (The next game has begun|bob has come) – "))
