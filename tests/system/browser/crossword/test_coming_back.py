"""The crossword's page and its connection: lost state, restored state, and the page's messages.

Testing strategy. Node tests the lines that a page sends by itself (crossword-identity.test.js) and the sentences about
a loss (crossword-words.test.js). tests/system/http tests the time limits of the server.

- the connection is cut, the page is left, a full server refuses the page, an idle player is disconnected; the view of
  the other player in the meantime: test_a_lost_connection_*
- another tab takes over the player: test_a_duplicated_tab_*
- a full server: a new player waits for a place, and a player in a match returns: test_a_full_server_*
- a server with a journal is killed, and starts again: in a match, and in the lobby: test_a_restarted_server_*
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.support.process import ServerProcess
from tests.system.browser.conftest import Serve
from tests.system.browser.crossword.player import Join, Meet, Player

pytestmark = pytest.mark.browser

IDLE = 4002  # the server's close code for an idle player
FULL = 1013

# Twenty times as fast, and without randomness: 380, 760, 1520 ms and so on between the attempts.
FAST_TIMERS = """
    const delays = [];
    Math.random = () => 0.9;
    const realTimeout = window.setTimeout;
    window.setTimeout = (call, ms, ...more) => {
        const isAttempt = [380, 760, 1520, 3040, 6080, 9500].includes(Math.round(ms));
        if (isAttempt) document.documentElement.dataset.delays = (delays.push(Math.round(ms)), delays.join(" "));
        return realTimeout(call, isAttempt ? ms / 20 : ms, ...more);
    };
"""


def route_connections(player: Player, *, refused: int) -> list[WebSocketRoute]:
    """Refuse the first connections of the player's next page, as a full server does. Return all its connections."""
    connections: list[WebSocketRoute] = []
    refusal = {"state": "START", "player": None, "message": "Later.", "error": "There are as many players as allowed."}

    def route(connection: WebSocketRoute) -> None:
        connections.append(connection)
        if len(connections) > refused:
            connection.connect_to_server()
            return
        connection.send(json.dumps(refusal))
        connection.close(code=FULL, reason="the server is full")

    player.page.route_web_socket(re.compile("/play$"), route)
    return connections


def test_a_lost_connection_comes_back_to_the_match_with_the_typed_letters(meet: Meet, shared: ServerProcess) -> None:
    ann, bob = meet("cats", "cut_ann", "cut_bob")

    # the connection is cut before the server has a word
    ann.type(2, "ma")
    ann.page.evaluate("() => { sockets.at(-1).send = () => {}; }")
    ann.say("TRY 3 car")
    ann.cut()
    expect(bob.log).to_contain_text("cut_ann has lost the connection, and has 30 seconds to come back.")
    expect(bob.log).to_contain_text("cut_ann is back.")
    expect(ann.log).to_contain_text("If you are not back within 30 seconds, the match is given up.")
    expect(ann.log).to_contain_text(re.compile("Connected again.* Nothing has changed."))
    expect(ann.log).to_contain_text("The word “car” may not have been entered.")
    ann.clue(2).click()
    ann.page.keyboard.type("t")
    ann.page.keyboard.press("Enter")
    bob.sees(2, "entered by cut_ann: mat, not confirmed")

    # the page is left, and opened again while the server is full
    connections = route_connections(ann, refused=2)
    ann.page.goto("about:blank")
    time_left = bob.page.locator("#duel [data-player=cut_ann] .away-left")
    expect(time_left).to_have_text(re.compile("^0:[12][0-9] to come back"))
    ann.page.goto(shared.url)
    ann.is_in("PLAY")
    expect(ann.log).to_contain_text("There are as many players as allowed. This page tries again by itself.")
    expect(ann.log).to_contain_text("Connected again")
    ann.sees(2, "entered by you: mat, not confirmed")
    expect(time_left).to_have_count(0)

    # the server disconnects an idle player
    connections[-1].close(code=IDLE, reason="nothing was done here for 2 seconds")
    expect(ann.toast("You are disconnected: nothing was done here for 2 seconds.")).to_be_visible()
    expect(ann.link).to_contain_text("Disconnected")
    ann.link.click()
    expect(ann.link).to_contain_text("Connected")
    ann.try_word(3, "car")


def test_a_duplicated_tab_is_another_player_and_does_not_fight_for_its_own_player(join: Join) -> None:
    ann = join().log_in("twin_ann")
    ann.start("simple", "twin_1")
    kept = json.loads(ann.page.evaluate("sessionStorage.getItem('scramble.crossword.session')"))
    with ann.page.expect_popup() as popup:
        ann.page.evaluate("open(location.href)")  # with a copy of the tab's storage
    twin = popup.value
    expect(twin.locator("#app")).to_have_attribute("data-state", "START")
    expect(twin.locator("#command")).not_to_have_value("twin_ann")
    expect(ann.link).to_contain_text("Connected")

    twin.locator("#command").fill(f"twin_ann {kept['token']}")
    twin.locator("#command").press("Enter")
    expect(twin.locator("#app")).to_have_attribute("data-state", "WAIT")
    expect(ann.toast("twin_ann plays on another connection now")).to_be_visible()
    expect(ann.link).to_contain_text("Disconnected")
    ann.link.click()
    expect(ann.link).to_contain_text("Connected")
    ann.is_in("WAIT")
    expect(twin.locator("#link")).to_contain_text("Disconnected")


def test_a_full_server_lets_a_new_player_in_later_and_a_player_come_back_to_a_match_at_once(
    join: Join, serve: Serve, puzzles: Path
) -> None:
    options = ("--port", "0", "--telnet-port", "0", "--max-sessions-by-address", "2")
    server = serve("crossword", *options, str(puzzles))
    ann, bob, carol = join(server).log_in("ann"), join(server).log_in("bob"), join(server)

    # a new player's page tries again, later and later, and shows one line
    carol.page.add_init_script(FAST_TIMERS)
    carol.page.reload()
    expect(carol.page.locator("html")).to_have_attribute("data-delays", re.compile("^380 760 1520 3040 6080"))
    words = "There are as many players from your address as this server allows. This page tries again by itself."
    expect(carol.page.locator("#command-error")).to_have_text(words)
    assert carol.page.locator("#log li > span").all_text_contents() == [words]
    expect(carol.link).to_contain_text("Server full")

    # a player who leaves makes room
    carol.is_in("START")
    bob.page.goto("about:blank")
    expect(carol.link).to_contain_text("Connected")
    expect(carol.page.locator("#command-error")).to_have_text("")
    carol.log_in("carol")

    # the place of a player in a match is not free while the connection is lost
    ann.start("cats", "full_1")
    carol.say("PLAY full_1")
    ann.is_in("PLAY")
    bob.page.goto(server.url)
    expect(bob.link).to_contain_text("Server full")
    ann.cut()
    expect(carol.log).to_contain_text("ann is back.")
    expect(ann.log).to_contain_text("Connected again")
    ann.try_word(3, "car")
    bob.is_in("START")


def test_a_restarted_server_with_a_journal_continues_the_match_and_a_match_without_a_second_player_is_gone(
    join: Join, meet: Meet, serve: Serve, puzzles: Path, tmp_path: Path
) -> None:
    arguments = ("crossword", "--telnet-port", "0", "--journal", str(tmp_path / "match.db"), "--port")
    server = serve(*arguments, "0", str(puzzles))
    ann, bob = meet("cats", "ann", "bob", server)
    eve = join(server).log_in("eve")
    eve.start("simple", "eves")
    ann.try_word(3, "car")
    bob.try_word(4, "tab")
    ann.sees(4, "entered by bob: tab, not confirmed")
    ann.type(2, "ma")
    port = str(server.port)
    server.kill()
    for player in (ann, bob, eve):
        expect(player.link).to_contain_text("Reconnecting")
    eve.page.get_by_role("button", name="Stop waiting").click()
    expect(eve.log).to_contain_text("Not connected: nothing was sent.")

    serve(*arguments, port)
    expect(eve.log).to_contain_text("Your match eves was withdrawn while you were away.")
    eve.is_in("CHOOSE")
    for player in (ann, bob):
        player.is_in("PLAY")
        expect(player.log).to_contain_text(re.compile("Connected again.* Nothing has changed."))
    bob.sees(3, "entered by ann: car, not confirmed")
    ann.page.keyboard.type("t")  # after the letters from before
    ann.page.keyboard.press("Enter")
    bob.sees(2, "entered by ann: mat, not confirmed")
    bob.try_word(4, "tax")
    for player in (ann, bob):
        player.is_in("SHOW SCORE")
    expect(ann.page.get_by_role("heading", name="You win!")).to_be_visible()
