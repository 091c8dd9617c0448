"""Memory Scramble's page about other players: players who left with a card, and players with the same name.

Testing strategy, in a real Chromium. A player leaves with a card: the views of a player who waits for the card, of
another player, and of a player who comes later; with and without a time after which the card is free; the player's
return. A name is used twice: in another browser, in another tab, after a reload and a reconnection; the second player
changes the name, or keeps it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser


def test_who_has_left_with_a_card_is_told_to_all_and_when_it_comes_free(join: Join, serve: Serve, board: Path) -> None:
    url = serve("memory", "--port", "0", "--release-idle", "900", str(board)).url
    ann, bob = join("ann", url), join("bob", url)
    ann.flip(0, 0)
    bob.flip(0, 0)
    expect(bob.next).to_have_text("Waiting for ann to let go of A.")
    ann.page.goto("about:blank")
    expect(bob.next).to_have_text(
        re.compile(r"^ann has left: in (9\d\d|8\d\d) seconds A comes free\. You wait for it\.$")
    )
    carol = join("carol", url)
    for player in (bob, carol):
        waiting = "you wait for it" if player is bob else "bob waiting"
        player.sees(0, 0, f"A, face up, held by ann, who has left, {waiting}")
        note = player.page.locator('#players > [data-player="ann"] .player-note')
        expect(note).to_have_text(re.compile(r"^free in \d+ s: A$"))
    ann.page.goto(url)
    expect(bob.next).to_have_text("Waiting for ann to let go of A.")
    carol.sees(0, 0, "A, face up, held by ann, bob waiting")


def test_without_a_time_the_page_says_who_has_left_and_counts_nothing(join: Join) -> None:
    ann, bob = join("ann"), join("bob")
    ann.flip(0, 0)
    ann.page.goto("about:blank")
    bob.sees(0, 0, "A, face up, held by ann, who has left")
    expect(bob.page.locator("#log")).to_contain_text("ann has left with A.")
    bob.flip(0, 0)
    expect(bob.next).to_have_text("ann has left with A. You wait for it.")
    expect(bob.page.locator('#players > [data-player="ann"] .player-note')).to_have_text("has left: A")


def test_a_name_in_another_browser_is_offered_with_a_number(join: Join) -> None:
    bob, second = join("bob"), join("bob")
    dialog = second.page.get_by_role("dialog", name="bob is here already")
    dialog.get_by_role("button", name="Play as bob_2").click()
    expect(second.page.locator("#me")).to_contain_text("bob_2")
    expect(second.page.locator("#link")).to_contain_text("Connected")  # under the new name
    second.flip(0, 0)
    bob.sees(0, 0, "A, face up, held by bob_2")
    expect(bob.page.get_by_role("dialog")).to_have_count(0)
    third = join("bob")
    expect(third.page.get_by_role("dialog", name="bob is here already")).to_be_visible()
    third.page.keyboard.press("Escape")
    expect(third.page.locator("#me")).to_contain_text("bob_3")
    third.page.reload()
    expect(third.page.locator("#me")).to_contain_text("bob_3")


def test_who_plays_along_is_the_same_player_and_is_not_asked_again(join: Join) -> None:
    bob, second = join("bob"), join("bob")
    second.page.get_by_role("button", name="Play along as bob").click()
    second.flip(0, 0)
    bob.sees(0, 0, "A, face up, yours")
    second.page.reload()
    second.sees(0, 0, "A, face up, yours")
    expect(second.page.locator("#players > [data-player=bob]")).to_be_visible()
    expect(second.page.get_by_role("dialog")).to_have_count(0)


def test_two_tabs_of_one_browser_are_never_asked(join: Join, url: str) -> None:
    bob = join("bob")
    tab = join("bob", url, bob.page.context)
    expect(tab.page.locator("#players > [data-player=bob]")).to_be_visible()
    expect(tab.page.get_by_role("dialog")).to_have_count(0)


def test_a_reconnection_is_never_asked_though_another_browser_took_the_name_meanwhile(
    join: Join, new_context: NewContext
) -> None:
    context = new_context(alone=True)
    ways: list[tuple[WebSocketRoute, WebSocketRoute]] = []
    cut = False

    def route(way: WebSocketRoute) -> None:
        if cut:
            way.close()
            return
        ways.append((way, way.connect_to_server()))
        if len(ways) == 1:  # cut before the page got the other names, so the page has not asked the user yet
            ways[0][1].on_message(lambda frame: None if '"type":"players"' in str(frame) else way.send(frame))

    context.route_web_socket("**/play/*", route)
    bob = join("bob", context=context)
    cut = True
    for end in ways[0]:
        end.close()
    expect(bob.page.locator("#link")).to_contain_text("Reconnecting")
    other = join("bob")
    expect(other.page.locator("#players > [data-player=bob]")).to_be_visible()
    cut = False
    expect(bob.toast("Connected again")).to_be_visible()
    expect(bob.page.locator("#link")).to_contain_text("Connected")
    expect(bob.page.get_by_role("dialog")).to_have_count(0)
