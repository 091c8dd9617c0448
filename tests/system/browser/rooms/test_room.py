"""A room's page in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the pages of the games. These tests cover the additions of a room.

- invited by link and QR code, in another browser; a spectator without a name, who joins later; a projector's screen:
  test_a_friend_*, test_a_spectator_*, test_a_screen_*
- the end: the same table for all, and all move to the next game; counted as a series; seen by a later visitor:
  test_at_the_end_*, test_a_room_that_ended_*
- a server that is killed and restarted: test_a_server_*
- a room that is closed during play: test_a_room_that_is_removed_*
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import Serve
from tests.system.browser.rooms.visitor import Visit

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("game", ["memory", "minesweeper"])
def test_a_friend_joins_by_the_link_that_the_page_shows_to_who_opened_the_game(visit: Visit, game: str) -> None:
    ann, bob = visit("phone"), visit()
    ann.to_lobby()
    address = ann.start_with(game, "With friends")
    invitation = ann.page.get_by_role("dialog", name="Invite friends")
    expect(invitation.get_by_label("Link to this game")).to_have_value(address)
    code = invitation.get_by_role("img", name="QR code")
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    bob.join(invitation.get_by_label("Link to this game").input_value())
    expect(invitation).to_be_hidden()  # another player is here
    expect(ann.page.locator("#players")).to_contain_text(bob.name)
    expect(bob.page.locator("#players")).to_contain_text(ann.name)


def test_a_spectator_needs_no_name_makes_no_moves_and_may_join_later(visit: Visit) -> None:
    ann, eve = visit(), visit("phone")
    ann.to_lobby()
    address = ann.start_board(bots=0)
    ann.page.keyboard.press("Escape")
    eve.page.goto(address)
    eve.page.get_by_role("button", name="Just watch").click()
    eve.arrive()
    expect(ann.page.locator("#watchers")).to_have_text("1 watching")
    ann.flip(0, 0)
    expect(eve.cell(0, 0)).to_have_attribute("data-is", "up")
    eve.cell(1, 1).click()
    expect(eve.page.locator("#log")).to_contain_text("press Join")
    expect(ann.page.locator("#players > .player")).to_have_count(1)
    eve.page.locator("#next").get_by_role("button", name="Join").click()
    eve.page.get_by_role("button", name="Play", exact=True).click()
    expect(ann.page.locator("#players > .player")).to_have_count(2)
    expect(ann.page.locator("#watchers")).to_be_hidden()
    eve.flip(1, 1)
    expect(ann.cell(1, 1)).to_have_attribute("data-is", "up")


def test_a_screen_shows_the_board_and_the_way_in_and_moves_along(visit: Visit) -> None:
    ann, screen = visit(), visit()
    ann.to_lobby()
    address = ann.start_board()
    ann.page.keyboard.press("Escape")
    screen.page.goto(f"{address}/screen")
    screen.arrive()
    poster = screen.page.get_by_role("region", name="Invite friends")
    expect(poster).to_contain_text(address.removeprefix("http://"))
    assert poster.get_by_role("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    expect(screen.page.get_by_role("button")).to_have_count(1)  # the button of the connection
    ann.take_all()
    expect(screen.ending).to_contain_text(ann.name)
    ann.ending.get_by_role("button", name="Again").click()
    screen.move_along(address)
    expect(screen.page).to_have_url(re.compile("/screen$"))


def test_at_the_end_all_see_the_same_table_and_move_along_to_the_next_game_of_their_series(visit: Visit) -> None:
    ann, bob, eve = visit(), visit("phone"), visit()
    ann.to_lobby()
    address = ann.start_board()
    bob.join(address, "bob")
    eve.page.goto(f"{address}?watch")
    eve.arrive()
    ann.take_all()
    for one in (ann, bob, eve):
        expect(one.ending.locator(f'[data-player="{ann.name}"] > td').first).to_have_text("2")
    expect(ann.ending).to_contain_text("You have won!")
    expect(bob.ending).to_contain_text(f"{ann.name} has won")
    expect(eve.ending.get_by_role("button", name="Again")).to_be_hidden()
    bob.ending.get_by_role("button", name="Again").click()
    for one in (ann, bob, eve):
        one.move_along(address)
        one.arrive()
        expect(one.ending).to_be_hidden()
    assert ann.page.url == bob.page.url
    expect(eve.next).to_contain_text("watching")
    bob.take_all()
    expect(bob.ending).to_contain_text("After 2 games")
    expect(ann.ending.locator(".ending-series")).to_contain_text(f"{ann.name} 1")
    expect(ann.ending.locator(".ending-series")).to_contain_text("bob 1")


def test_a_room_that_ended_shows_its_end_to_who_comes_later(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    ann.to_lobby()
    address = ann.start_board()
    ann.page.keyboard.press("Escape")
    ann.take_all()
    expect(ann.ending).to_be_visible()
    taps = ann.ending.locator(".buttons").first.evaluate(
        """buttons => {
            buttons.style.animation = "none";
            void buttons.offsetWidth;
            buttons.style.animation = "";  // as if it had opened just now
            const [opening] = buttons.getAnimations();
            opening.pause();
            const first = getComputedStyle(buttons).pointerEvents;
            opening.finish();
            return [first, getComputedStyle(buttons).pointerEvents];
        }"""
    )
    assert taps == ["none", "auto"]  # a tap on the board chooses nothing
    bob.page.goto(address)  # the page does not ask for a name
    expect(bob.ending).to_contain_text(f"{ann.name} has won")
    bob.ending.get_by_role("link", name="Replay").click()
    expect(bob.page.locator("#count")).to_contain_text("move")


def test_a_server_that_is_killed_and_started_again_goes_on_with_the_same_game(
    visit: Visit, serve: Serve, tmp_path: Path
) -> None:
    server = serve("serve", "--port", "0", "--data", str(tmp_path))
    ann, bob, carl = visit(url=server.url), visit("phone", server.url), visit(url=server.url)
    carl.to_lobby()
    ann.to_lobby()
    address = ann.start_board(public=True)
    bob.join(address, "bob")
    ann.flip(0, 0)
    ann.flip(0, 1)
    expect(carl.page.locator("#open-rooms > .room")).to_have_count(1)
    server.kill()
    for one in (ann, bob, carl):
        expect(one.page.locator("#link")).to_have_attribute("data-state", "lost")
    serve("serve", "--port", str(server.port), "--data", str(tmp_path)).wait_for("http")
    for one in (ann, bob, carl):
        expect(one.page.locator("#link")).to_have_attribute("data-state", "online")
    expect(carl.page.locator("#open-rooms > .room")).to_contain_text("2 players")
    bob.flip(1, 0)
    bob.flip(1, 1)
    expect(ann.ending.locator("tbody > tr")).to_have_count(2)


def test_a_room_that_is_removed_says_so_to_its_players_and_leads_to_the_lobby(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    address = ann.start_board()
    ann.page.keyboard.press("Escape")
    name = address.rpartition("/")[2]
    status = ann.page.evaluate(
        "async name => (await fetch(`../../rooms/${name}`, {method: 'DELETE'})).status", name
    )  # ann's cookie belongs to the host
    assert status == 204
    expect(ann.next).to_contain_text("closed")
    ann.page.locator("#next").get_by_role("button", name="All games").click()
    expect(ann.card("memory")).to_be_visible()
