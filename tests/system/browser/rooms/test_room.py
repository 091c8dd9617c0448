"""A room's page in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the pages of the games. These tests cover the additions of a room.

- two games of a series, with the host, a friend, a spectator and a projector's screen: the invitation by link and QR
  code; a spectator without a name, who cannot move, and joins later, although the host's page has invented the same
  name; the end with the same table for all, also for a later visitor; all move to the next game in their modes; the
  victory after a reload, when the others have left: test_a_series_*
- a server that is killed and restarted, during a game of one player: test_a_server_*
- a host who is alone, and comes again under a similar name, with a seat that another name cannot have: test_a_host_*
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Request, expect

from tests.system.browser.conftest import Serve
from tests.system.browser.rooms.visitor import BOARD, Visit, Visitor

pytestmark = pytest.mark.browser

HAS_PICTURE: Final = "image => image.decode().then(() => image.naturalWidth > 0)"

# The effect of taps on the buttons of the result, as if the dialog had opened just now, and after a moment.
TAPS: Final = """buttons => {
    buttons.style.animation = "none";
    void buttons.offsetWidth;
    buttons.style.animation = "";
    const [opening] = buttons.getAnimations();
    opening.pause();
    const first = getComputedStyle(buttons).pointerEvents;
    opening.finish();
    return [first, getComputedStyle(buttons).pointerEvents];
}"""


def invited(host: Visitor, friend: Visitor) -> str:
    """Invite a friend by the link that the page shows to its host. Return the link."""
    invitation = host.page.get_by_role("dialog", name="Invite friends")
    link = invitation.get_by_label("Link to this game").input_value()
    assert invitation.get_by_role("img", name="QR code").evaluate(HAS_PICTURE)
    friend.join(link, "bob")
    expect(invitation).to_be_hidden()  # another player is here
    expect(host.page.locator("#players")).to_contain_text("bob")
    expect(friend.page.locator("#players")).to_contain_text(host.name)
    return link


def watch_without_a_name(spectator: Visitor, address: str) -> None:
    spectator.page.goto(address)
    spectator.page.get_by_role("button", name="Just watch").click()
    spectator.arrive()


def show_on_a_screen(screen: Visitor, address: str) -> None:
    """Open the page for a projector: the board, and the way into the room."""
    screen.page.goto(f"{address}/screen")
    screen.arrive()
    poster = screen.page.get_by_role("region", name="Invite friends")
    expect(poster).to_contain_text(address.removeprefix("http://"))
    assert poster.get_by_role("img").evaluate(HAS_PICTURE)
    expect(screen.page.get_by_role("button")).to_have_count(1)  # the button of the connection


def test_a_series_with_a_friend_a_spectator_and_a_screen(visit: Visit) -> None:
    ann, bob, eve, screen, late = visit("phone"), visit(), visit("phone"), visit(), visit()
    for one in (ann, eve):
        one.page.add_init_script("Math.random = () => 0.5")  # both pages invent the same name
    ann.to_lobby()
    address = ann.start_board()
    assert invited(ann, bob) == address
    watch_without_a_name(eve, address)
    expect(ann.page.locator("#watchers")).to_have_text("1 watching")
    show_on_a_screen(screen, address)

    # A spectator sees the moves, and makes none.
    ann.flip(0, 0)
    for one in (eve, screen):
        expect(one.cell(0, 0)).to_have_attribute("data-is", "up")
    eve.cell(1, 1).click()
    expect(eve.log).to_contain_text("press Join")
    expect(ann.page.locator("#players > .player")).to_have_count(2)

    # All see the same result. A later visitor sees it without a name.
    for place in ((0, 1), (1, 0), (1, 1)):
        ann.flip(*place)
    late.page.goto(address)
    for one in (ann, bob, eve, screen, late):
        expect(one.ending.locator(f'[data-player="{ann.name}"] > td').first).to_have_text("2")
    expect(ann.ending).to_contain_text("You have won!")
    expect(ann.ending.get_by_role("columnheader")).to_contain_text(["Pairs", "Hits", "Streak"])
    expect(ann.ending.locator(".hint").first).to_contain_text("Streak: most pairs in a row")
    assert ann.ending.locator(".buttons").first.evaluate(TAPS) == ["none", "auto"]  # a tap on the board chooses nothing
    for one in (bob, late):
        expect(one.ending).to_contain_text(f"{ann.name} has won")
    expect(eve.ending.get_by_role("button", name="Again")).to_be_hidden()

    late.page.close()

    # All move to the next game. There the spectator joins, and the friend wins.
    bob.ending.get_by_role("button", name="Again").click()
    for one in (ann, bob, eve, screen):
        one.move_along(address)
        one.arrive()
        expect(one.ending).to_be_hidden()
    assert ann.page.url == bob.page.url
    expect(screen.page).to_have_url(re.compile("/screen$"))
    expect(eve.next).to_contain_text("watching")
    eve.page.locator("#next").get_by_role("button", name="Join").click()
    eve.page.get_by_role("button", name="Play", exact=True).click()
    expect(ann.page.locator("#players > .player")).to_have_count(3)
    expect(ann.page.locator("#watchers")).to_have_text("1 watching")
    assert eve.name == f"{ann.name} 2"
    bob.take_all()
    expect(bob.ending).to_contain_text("After 2 games")
    for words in (f"{ann.name} 1", "bob 1"):
        expect(ann.ending.locator(".ending-series")).to_contain_text(words)

    # The result stays a victory after the others have left, although they have turned over no card.
    for one in (ann, eve, screen):
        one.page.close()
    expect(bob.page.locator("#players > .player")).to_have_count(1)
    bob.page.reload()
    expect(bob.ending.get_by_role("heading")).to_have_text("You have won!")


def test_a_server_that_is_killed_and_started_again_goes_on_with_the_same_game(
    visit: Visit, serve: Serve, tmp_path: Path
) -> None:
    server = serve("serve", "--port", "0", "--data", str(tmp_path))
    ann, bob = visit(url=server.url), visit("phone", server.url)
    address = ann.open(settings={"board": BOARD}, public=True)
    bob.to_lobby()
    ann.join(address, "ann")
    ann.flip(0, 0)
    ann.flip(0, 1)
    expect(bob.open_room(address)).to_contain_text("1 player")
    server.kill()
    for one in (ann, bob):
        expect(one.page.locator("#link")).to_have_attribute("data-state", "lost")
    serve("serve", "--port", str(server.port), "--data", str(tmp_path)).wait_for("http")
    for one in (ann, bob):
        expect(one.page.locator("#link")).to_have_attribute("data-state", "online")
    ann.flip(1, 0)
    ann.flip(1, 1)
    expect(ann.ending.locator('[data-player="ann"] > td').first).to_have_text("2")
    expect(ann.ending.get_by_role("heading")).to_have_text("Well done!")  # nobody else was here
    expect(bob.open_room(address)).to_have_count(0)


def test_a_host_who_comes_again_under_a_similar_name_has_the_same_seat(visit: Visit) -> None:
    ann = visit(alone=True)
    claims: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/names"):
            claims.append(request.url)

    ann.page.on("request", note)
    room = ann.open(settings={"board": BOARD})

    def come_as(name: str) -> None:
        ann.to_lobby()
        while ann.page.request.get(f"{ann.url}rooms/{room.rpartition('/')[2]}").json()["players"] > 0:
            pass
        ann.page.evaluate("name => sessionStorage.setItem('scramble.name', name)", name)
        ann.page.goto(room)
        expect(ann.me.locator(".chip-name")).to_have_text("Ann")

    come_as("Ann")
    ann.flip(0, 0)
    expect(ann.cell(0, 0)).to_have_attribute("data-held", "mine")
    assert claims == []  # nobody else is here
    come_as("aNN")
    assert len(claims) == 1
    ann.flip(0, 1)
    expect(ann.cell(0, 1)).to_have_attribute("data-held", "mine")
