"""The crossword's page and its connection: lost state, restored state, and the page's messages.

Testing strategy: the connection is cut; the page is reloaded, in a match and in the lobby; a player returns too late,
to a restarted server, on another device, or in a duplicated tab. The server is killed during a match with a journal:
between two pages, between a page and a telnet.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.process import ServerProcess
from tests.system.browser.conftest import Serve
from tests.system.browser.crossword.player import Join, Meet
from tests.system.browser.telnet import Telnet

pytestmark = pytest.mark.browser


def test_a_connection_that_is_cut_comes_back_to_the_match_with_what_was_typed(meet: Meet) -> None:
    ann, bob = meet("cats", "cut_ann", "cut_bob")
    ann.type(2, "ma")
    ann.cut()
    expect(bob.message).to_contain_text("cut_ann has lost the connection")
    expect(bob.message).to_contain_text("cut_ann is back")
    expect(ann.log).to_contain_text("If you are not back within 30 seconds, the match is given up.")
    expect(ann.log).to_contain_text(re.compile("Connected again.* Nothing has changed."))
    ann.page.keyboard.type("t")
    ann.page.keyboard.press("Enter")
    bob.sees(2, "entered by cut_ann: mat, not confirmed")


@pytest.mark.parametrize("arrives", [False, True])
def test_a_word_that_was_not_answered_is_said_to_be_perhaps_not_entered(meet: Meet, arrives: bool) -> None:
    ann, bob = meet("cats", f"lost_ann_{int(arrives)}", f"lost_bob_{int(arrives)}")
    ann.page.evaluate("() => { sockets.at(-1).onmessage = null; }")
    if not arrives:
        ann.page.evaluate("() => { sockets.at(-1).send = () => {}; }")
    ann.say("TRY 3 car")
    if arrives:
        bob.sees(3, "entered by lost_ann_1: car, not confirmed")
    ann.cut()
    expect(ann.log).to_contain_text("Connected again")
    if arrives:
        ann.sees(3, "entered by you: car, not confirmed")
        expect(ann.log).not_to_contain_text("may not have been entered")
    else:
        expect(ann.log).to_contain_text("The word “car” may not have been entered.")
        ann.say("TRY 3 car")
    bob.sees(3, f"entered by lost_ann_{int(arrives)}: car, not confirmed")


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
    expect(ann.log).to_contain_text("Your match ann is gone")
    ann.is_in("CHOOSE")
    bob.is_in("SHOW SCORE")
    expect(bob.page.get_by_role("heading", name="You win!")).to_be_visible()

    ann.start("simple", "second")
    port = str(server.port)
    server.stop()
    expect(ann.page.locator("#link")).to_contain_text("Reconnecting")
    ann.page.get_by_role("button", name="Stop waiting").click()
    expect(ann.log).to_contain_text("Not connected: nothing was sent.")
    serve(*arguments, port)
    expect(ann.log).to_contain_text("Your match second was withdrawn while you were away.")
    for player in (ann, bob):
        player.is_in("CHOOSE")


def test_both_pages_go_on_with_their_match_when_a_server_with_a_journal_was_killed(
    meet: Meet, serve: Serve, puzzles: Path, tmp_path: Path
) -> None:
    arguments = ("crossword", "--telnet-port", "0", "--journal", str(tmp_path / "match.db"), "--port")
    server = serve(*arguments, "0", str(puzzles))
    ann, bob = meet("cats", "ann", "bob", server)
    ann.try_word(3, "car")
    bob.try_word(4, "tab")
    ann.sees(4, "entered by bob: tab, not confirmed")
    ann.type(2, "ma")
    port = str(server.port)
    server.kill()
    for player in (ann, bob):
        expect(player.page.locator("#link")).to_contain_text("Reconnecting")
    serve(*arguments, port)
    for player in (ann, bob):
        player.is_in("PLAY")
        expect(player.log).to_contain_text(re.compile("Connected again.* Nothing has changed."))
    bob.sees(3, "entered by ann: car, not confirmed")
    ann.page.keyboard.type("t")  # the letters typed before are still there
    ann.page.keyboard.press("Enter")
    bob.sees(2, "entered by ann: mat, not confirmed")
    bob.try_word(4, "tax")
    for player in (ann, bob):
        player.is_in("SHOW SCORE")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_visible()


def test_a_page_and_a_telnet_go_on_with_their_match_when_a_server_with_a_journal_was_killed(
    join: Join, serve: Serve, puzzles: Path, tmp_path: Path
) -> None:
    arguments = ("crossword", "--telnet-port", "0", "--journal", str(tmp_path / "match.db"), "--port")
    server = serve(*arguments, "0", str(puzzles))
    ann = join(server).log_in("ann")
    ann.start("cats", "m1")
    with Telnet(int(server.wait_for(r"telnet \S+ (\d+)").group(1))) as bob:
        bob.say("bob")
        back = bob.read_until(r"^bob \S+$")
        bob.say("PLAY m1")
        bob.say("TRY 3 car")
        ann.sees(3, "entered by bob: car, not confirmed")
        port = str(server.port)
        server.kill()
    expect(ann.page.locator("#link")).to_contain_text("Reconnecting")
    server = serve(*arguments, port)
    ann.is_in("PLAY")
    expect(ann.log).to_contain_text("Connected again")
    with Telnet(int(server.wait_for(r"telnet \S+ (\d+)").group(1))) as bob:
        bob.say(back)
        bob.read_until("^Welcome back, bob")
        expect(ann.message).to_contain_text("bob is back")
        ann.try_word(2, "mat")
        bob.read_until("^ann has entered mat")
        bob.say("TRY 4 tax")
        ann.is_in("SHOW SCORE")


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


def test_a_duplicated_tab_is_another_player(meet: Meet, shared: ServerProcess) -> None:
    ann, _ = meet("simple", "twin_ann", "twin_bob")
    with ann.page.expect_popup() as popup:
        ann.page.evaluate("open(location.href)")  # with a copy of the tab's storage
    twin = popup.value
    expect(twin.locator("#app")).to_have_attribute("data-state", "START")
    expect(twin.locator("#command")).not_to_have_value("twin_ann")
    expect(ann.page.locator("#link")).to_contain_text("Connected")
