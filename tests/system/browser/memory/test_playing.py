"""Memory Scramble played on its page, in a real Chromium, served by a real `scramble memory`.

Testing strategy. Other tests cover the rules and the frames. These tests cover a player's actions and view.

- joining: name suggested, rejected, kept over a reload; another name for a second tab: test_joining_*,
  test_a_new_name_*
- playing in two tabs: flip, wait, match, remove, no match: test_two_tabs_*, test_cards_that_*, test_a_double_click_*
- failing: first card (1-A), second card (2-A, 2-B); shown, dismissed, kept in the log: test_a_failed_*
- a cancelled wait: Escape, the card again, the button: test_calling_off_*
- other players: screen reader messages, in this tab and away; 1, 2, 8 tabs of one browser (HTTP has six connections):
  test_others_moves_*, test_whoever_*, test_eight_tabs_*
- connection: lost and back; same board, another board; moves meanwhile: test_the_page_comes_back_*
- away for too long: the free cards, for the other players and after the return: test_the_cards_of_*,
  test_a_player_who_*
- the end: pairs in hands only, over, new game: test_pairs_in_hands_*, test_the_end_*
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join, somebody, take_all

pytestmark = pytest.mark.browser


# --- joining ---


def test_joining_takes_one_key_because_a_name_is_suggested(new_context: NewContext, any_url: str) -> None:
    context = new_context()
    page = context.new_page()
    page.goto(any_url)
    suggested = page.get_by_label("Your name", exact=True).input_value()
    assert re.fullmatch(r"[a-z]+_[a-z]+", suggested)
    page.keyboard.press("Enter")
    expect(page.locator("#players")).to_contain_text(suggested)


def test_joining_under_a_name_with_other_characters_is_refused_in_words(new_context: NewContext, any_url: str) -> None:
    context = new_context()
    page = context.new_page()
    page.goto(any_url)
    page.get_by_label("Your name", exact=True).fill("zoë!")
    page.keyboard.press("Enter")
    expect(page.locator("#join-error")).to_contain_text("letters")
    name = somebody()
    page.get_by_label("Your name", exact=True).fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#players")).to_contain_text(name)


def test_joining_again_is_not_needed_after_a_reload_but_a_second_tab_is_offered_another_name(
    join: Join, url: str
) -> None:
    alice = join("alice")
    alice.flip(0, 0)
    alice.page.reload()
    alice.sees(0, 0, "A, face up, yours")
    second = alice.page.context.new_page()
    second.goto(url)
    expect(second.get_by_label("Your name", exact=True)).not_to_have_value("alice")


def test_a_new_name_plays_on_as_another_player(join: Join) -> None:
    alice = join("alice")
    alice.flip(0, 0)
    change = alice.page.get_by_role("button", name="Change your name")
    change.click()
    alice.page.get_by_label("Your name", exact=True).fill("nobody")
    alice.page.get_by_role("button", name="Cancel").click()
    expect(alice.page.get_by_role("dialog")).to_have_count(0)
    expect(alice.page.locator("#me")).to_contain_text("alice")
    change.click()
    alice.page.get_by_label("Your name", exact=True).fill("alina")
    alice.page.keyboard.press("Enter")
    alice.sees(0, 0, "A, face up, held by alice, who has left")


# --- playing ---


def test_two_tabs_flip_wait_match_and_remove(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    alice.sees(0, 0, "A, face up, yours")
    expect(alice.next).to_have_text("You hold A. Now find its twin.")
    bob.sees(0, 0, "A, face up, held by alice")

    bob.flip(0, 0)
    expect(bob.next).to_contain_text("Waiting for alice")
    expect(bob.cell(0, 0).locator(".wait-words [data-text=alice]")).to_be_visible()
    alice.sees(0, 0, "A, face up, yours, bob waiting")

    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")
    alice.flip(0, 1)
    for player, taker in ((alice, "you"), (bob, "alice")):
        player.sees(0, 0, f"empty, taken by {taker}")
        player.sees(0, 2, f"empty, taken by {taker}")
        expect(player.score("alice")).to_have_text("1")
    expect(bob.toast("The card was removed")).to_be_visible()  # all players who wait for a removed card are notified
    expect(bob.next).to_have_text("Turn over a card.")


def test_cards_that_do_not_match_stay_up_until_the_next_move_and_go_to_who_waits(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    bob.flip(0, 0)
    alice.flip(0, 1)
    expect(alice.next).to_contain_text("Not alike")
    bob.sees(0, 0, "A, face up, yours")
    expect(bob.toast("is yours")).to_be_visible()
    bob.sees(0, 1, "B, face up, free")
    alice.flip(1, 0)
    bob.sees(0, 1, "face down")
    bob.sees(0, 0, "A, face up, yours")


def test_a_failed_flip_is_one_quiet_line_in_words_and_its_rule_is_in_the_log(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.toast("first card")).to_be_visible()
    expect(alice.next).to_contain_text("free again")
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(0, 1)  # this takes the pair of A
    bob.flip(0, 0)
    expect(bob.toast("There is no card there.")).to_be_visible()
    bob.flip(1, 0)
    bob.flip(0, 0)
    given_up = bob.toast("you give up your first card")
    expect(given_up).to_be_visible()
    expect(bob.page.locator("#toasts")).not_to_contain_text("rule")
    given_up.get_by_role("button", name="Dismiss").click()
    expect(given_up).to_have_count(0)
    bob.page.get_by_text("What happened").click()
    expect(bob.page.locator("#log")).to_contain_text("rule 2-A")
    expect(bob.page.locator("#log")).to_contain_text("rule 1-A")


def test_a_double_click_turns_a_card_over_once(join: Join) -> None:
    alice = join("alice")
    alice.cell(0, 0).dblclick()
    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")


@pytest.mark.parametrize("how", ["escape", "card", "button"])
def test_calling_off_a_wait_gives_the_card_to_nobody(join: Join, how: str) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    bob.flip(0, 0)
    expect(bob.next).to_contain_text("Waiting for alice")
    if how == "escape":
        bob.page.keyboard.press("Escape")
    elif how == "card":
        bob.cell(0, 0).click()
    else:
        bob.page.get_by_role("button", name="Stop waiting").click()
    expect(bob.toast("You no longer wait for that card")).to_be_visible()
    alice.sees(0, 0, "A, face up, yours")
    alice.flip(0, 1)
    bob.sees(0, 0, "A, face up, free")
    bob.flip(1, 0)
    bob.sees(1, 0, "C, face up, yours")


def test_others_moves_are_told_in_the_live_region(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("alice turned up A at row 1, column 1.")


def test_whoever_leaves_is_away_and_comes_back(join: Join, url: str) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    alice.sees(0, 0, "A, face up, held by bob")  # a player who leaves without a move is removed from the list
    in_list = alice.page.locator('#players > [data-player="bob"]')
    expect(in_list).not_to_have_attribute("data-away", "")
    bob.page.goto("about:blank")
    expect(in_list).to_have_attribute("data-away", "")
    bob.page.goto(url)
    expect(in_list).not_to_have_attribute("data-away", "")


def test_the_cards_of_a_player_who_has_gone_are_free_and_everybody_is_told(
    serve: Serve, join: Join, board: Path
) -> None:
    url = serve("memory", "--port", "0", "--release-idle", "0.05", str(board)).url
    alice, bob = join("alice", url), join("bob", url)
    bob.flip(0, 0)
    bob.flip(0, 2)
    alice.sees(0, 2, "A, face up, held by bob")
    bob.page.goto("about:blank")
    alice.sees(0, 0, "A, face up, free")
    alice.sees(0, 2, "A, face up, free")
    expect(alice.page.locator("[aria-live=polite]")).to_contain_text("bob let go of the pair of A.")
    expect(alice.page.locator("#log")).to_contain_text("bob let go of the pair of A.")
    expect(alice.score("bob")).to_have_text("0")
    alice.flip(0, 0)
    alice.sees(0, 0, "A, face up, yours")


def test_a_player_who_comes_back_too_late_is_told_what_is_free_again(
    serve: Serve, join: Join, board: Path, new_context: NewContext
) -> None:
    url = serve("memory", "--port", "0", "--release-idle", "0.05", str(board)).url
    context = new_context(alone=True)
    ways: list[tuple[WebSocketRoute, WebSocketRoute]] = []
    cut = False

    def route(way: WebSocketRoute) -> None:
        if cut:
            way.close()
        else:
            ways.append((way, way.connect_to_server()))

    context.route_web_socket("**/play/*", route)
    alice, bob = join("alice", url), join("bob", url, context)
    bob.flip(0, 0)
    bob.sees(0, 0, "A, face up, yours")
    cut = True
    for end in ways[0]:
        end.close()
    alice.sees(0, 0, "A, face up, free")
    cut = False
    expect(bob.toast("You no longer hold A")).to_be_visible()
    bob.sees(0, 0, "A, face up, free")
    expect(bob.next).to_have_text("Turn over a card.")


def test_eight_tabs_of_one_browser_do_not_hang(join: Join) -> None:
    first = join("p0")
    tabs = [first, *(join(f"p{n}", context=first.page.context) for n in range(1, 8))]
    first.flip(0, 0)
    for tab in tabs[1:]:
        tab.page.bring_to_front()  # in slow motion, playwright clicks only in the front tab
        tab.flip(0, 0)
        expect(tab.next).to_contain_text("Waiting for p0")
    first.page.bring_to_front()
    first.flip(0, 1)
    tabs[1].sees(0, 0, "A, face up, yours, p2, p3, p4, p5, p6 and p7 waiting")
    for tab in tabs[2:]:
        expect(tab.next).to_contain_text("Waiting for p1")


# --- the connection ---


def test_the_page_comes_back_after_a_restart_and_refuses_moves_meanwhile(serve: Serve, join: Join, board: Path) -> None:
    server = serve("memory", "--port", "0", str(board))
    address, port = server.url, str(server.port)
    alice = join("alice", address)
    alice.flip(0, 0)
    server.stop()
    expect(alice.page.locator("#link")).to_contain_text("Reconnecting")
    alice.cell(0, 1).click()
    expect(alice.toast("Not connected")).to_be_visible()
    serve("memory", "--port", port, str(board))
    expect(alice.page.locator("#link")).to_contain_text("Connected")
    expect(alice.toast("Connected again")).to_contain_text("1 card changed")
    alice.sees(0, 0, "face down")
    alice.sees(0, 1, "face down")
    alice.flip(0, 1)
    alice.sees(0, 1, "B, face up, yours")


def test_the_page_comes_back_to_another_board_of_another_size(serve: Serve, join: Join, board: Path) -> None:
    server = serve("memory", "--port", "0", str(board))
    address, port = server.url, str(server.port)
    alice = join("alice", address)
    server.stop()
    board.write_text("3x1\nX\nY\nX\n")
    serve("memory", "--port", port, str(board))
    expect(alice.toast("another board")).to_be_visible()
    expect(alice.page.get_by_role("gridcell")).to_have_count(3)
    alice.flip(2, 0)
    alice.sees(2, 0, "X, face up, yours")


# --- the end ---


def test_the_end_tells_who_took_how_many_and_a_new_game_is_one_button_away(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    take_all(alice)
    alice.page.get_by_role("button", name="Take it").click()
    expect(alice.page.get_by_role("dialog")).to_contain_text("You win!")
    expect(bob.page.get_by_role("dialog")).to_contain_text("alice took 3 pairs")
    expect(alice.page.locator(".toast[data-kind=fail]")).to_have_count(0)  # taking the last pair is no failure
    bob.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    for player in (alice, bob):
        expect(player.page.get_by_role("dialog")).to_have_count(0)
        expect(player.page.locator("[data-is=down]")).to_have_count(6)
        expect(player.toast("A new game")).to_be_visible()
        expect(player.page.locator("#pairs")).to_have_text("3 pairs left of 3")


def test_pairs_in_hands_only_are_pointed_out_to_everybody(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    take_all(alice)
    expect(alice.next).to_contain_text("Make any move to take your pair off the board.")
    expect(bob.next).to_contain_text("alice holds the last pair")
    bob.page.locator("#next").get_by_role("button", name="New game").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="Keep playing").click()
    bob.sees(1, 0, "C, face up, held by alice")
    bob.page.locator("#next").get_by_role("button", name="New game").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="New game").click()
    expect(alice.page.locator("[data-is=down]")).to_have_count(6)
