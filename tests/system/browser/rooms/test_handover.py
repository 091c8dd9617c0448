"""A player's seat on another device, in a real Chromium.

Testing strategy. One seat goes from a computer to a phone by a link, comes back, and goes on, in a room of Memory
Scramble:

- the link and its QR code; a page that took the seat, without the ticket in its address; a link that is used already
- the first device: it watches, and after a reload it asks; it takes the seat back, although the server refuses once;
  its ticket is outdated
- other tabs of the first browser: with another name, without a name

test_minesweeper.py and test_crossword.py move seats in the other games.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import BOARD, Visit, Visitor

pytestmark = pytest.mark.browser

MOVES = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"code": "moved", "error": "the game moves"}}


def show_the_link(visitor: Visitor) -> str:
    """Open the dialog that moves the seat. Return its link."""
    link = visitor.hand_over()
    code = visitor.page.get_by_role("img", name="QR code")
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    audit(visitor.page, "a link for another device")
    return link


def test_a_seat_goes_to_another_device_and_comes_back_until_its_ticket_is_outdated(visit: Visit) -> None:
    ann, phone = visit(), visit("phone")
    bea, cid = (Visitor(ann.page.context.new_page(), ann.url) for _ in range(2))  # the same browser
    address = ann.open(settings={"board": BOARD})
    ann.join(address, "ann")
    bea.join(address, "bea")
    ann.flip(0, 0)
    link = show_the_link(ann)
    phone.page.goto(link)
    phone.arrive()
    assert phone.page.url == address  # without the ticket
    assert phone.name == "ann"
    expect(phone.cell(0, 0)).to_have_attribute("data-held", "mine")
    expect(ann.moved).to_contain_text("ann")

    # A tab with another name has its own seat. The link works once.
    bea.page.reload()
    expect(bea.me).to_contain_text("bea")
    stranger = visit()
    stranger.page.goto(link)
    expect(stranger.log).to_contain_text("used already")

    # The first device watches, and takes the seat back at the second try.
    ann.moved.get_by_role("button", name="Watch").click()
    expect(ann.next).to_contain_text("watching")
    expect(ann.me).to_be_hidden()
    ann.page.reload()
    ann.page.route("**/seat", lambda route: route.fulfill(**MOVES), times=1)
    back = ann.moved.get_by_role("button", name="Take it back")
    back.click()
    expect(ann.moved.get_by_role("alert")).to_have_text("One moment: that did not get through. Try again.")
    back.click()
    expect(ann.me).to_be_visible()
    assert ann.name == "ann"

    # The phone takes the seat again, and moves it on. The new ticket ends the old one.
    audit(phone.page, "a seat that is on another device, on a phone")
    phone.moved.get_by_role("button", name="Take it back").click()
    expect(phone.me).to_be_visible()
    third = visit()
    third.page.goto(phone.hand_over())
    expect(third.me).to_contain_text("ann")
    back.click()
    expect(ann.moved).to_contain_text("The way back has expired")
    expect(back).to_have_count(0)

    # A new tab of the first browser may play under another name, and so may the first tab. Escape means watching.
    cid.page.goto(address)
    cid.moved.get_by_role("button", name="Play under another name").click()
    cid.page.get_by_label("Your name", exact=True).fill("cid")
    cid.page.get_by_role("button", name="Play", exact=True).click()
    expect(cid.me).to_contain_text("cid")
    ann.moved.press("Escape")
    expect(ann.moved).to_be_hidden()
    expect(ann.me).to_be_hidden()
