"""The crossword's page at a full server, and two players during each other's lost connections.

Testing strategy:
- a full server: a new player, until there is a free place; a player in a match, who gets in, or not at once
- a lost connection of the other player: back in time, too late
- an idle player who times out
- the page shows command words only as text to type
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.support.process import ServerProcess
from tests.system.browser.conftest import Serve
from tests.system.browser.crossword.player import Join, Meet

pytestmark = pytest.mark.browser

COMMAND = ("crossword", "--port", "0", "--telnet-port", "0")

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


@pytest.fixture
def small(serve: Serve, puzzles: Path) -> ServerProcess:
    """A server for two players."""
    return serve(*COMMAND, "--max-sessions-by-address", "2", str(puzzles))


def test_a_page_at_a_full_server_asks_later_and_later_with_one_quiet_line_until_there_is_room(
    join: Join, small: ServerProcess
) -> None:
    ann, _bob = join(small).log_in("ann"), join(small).log_in("bob")
    carol = join(small)
    carol.page.add_init_script(FAST_TIMERS)
    carol.page.reload()
    expect(carol.page.locator("html")).to_have_attribute("data-delays", re.compile("^380 760 1520 3040 6080"))
    words = "There are as many players from your address as this server allows. This page tries again by itself."
    expect(carol.page.locator("#command-error")).to_have_text(words)
    assert carol.page.locator("#log li > span").all_text_contents() == [words]
    expect(carol.page.locator("#link")).to_contain_text("Server full")
    carol.is_in("START")
    ann.page.get_by_role("button", name="Log out").click()
    ann.page.close()
    expect(carol.page.locator("#link")).to_contain_text("Connected")
    expect(carol.page.locator("#command-error")).to_have_text("")
    carol.log_in("carol")


def test_a_player_comes_back_to_the_match_at_a_full_server_while_a_stranger_waits_for_the_place(
    join: Join, meet: Meet, small: ServerProcess
) -> None:
    ann, bob = meet("cats", "ann", "bob", small)
    carol = join(small)
    expect(carol.page.locator("#link")).to_contain_text("Server full")
    ann.cut()
    expect(bob.toast("ann has lost the connection")).to_be_visible()
    expect(ann.toast("Connected again")).to_be_visible()
    ann.page.reload()
    expect(ann.toast("Back in your match")).to_be_visible()
    ann.try_word(3, "car")
    carol.is_in("START")
    small.kill()
    expect(carol.page.locator("#link")).to_contain_text("Reconnecting")


def test_a_page_keeps_its_token_while_a_full_server_lets_nobody_in(meet: Meet, shared: ServerProcess) -> None:
    ann, bob = meet("cats", "keep_ann", "keep_bob")
    refusal = {"state": "START", "player": None, "message": "Later.", "error": "There are as many players as allowed."}
    refused = 0

    def route(socket: WebSocketRoute) -> None:
        nonlocal refused
        refused += 1
        if refused > 3:
            socket.connect_to_server()
            return
        socket.send(json.dumps(refusal))
        socket.close(code=1013, reason="the server is full")

    ann.page.route_web_socket(re.compile("/play$"), route)
    ann.page.reload()
    expect(ann.toast("Connected again")).to_be_visible()
    ann.is_in("PLAY")
    bob.is_in("PLAY")


def test_who_loses_the_connection_has_so_many_seconds_and_then_has_left(
    meet: Meet, serve: Serve, puzzles: Path
) -> None:
    ann, bob = meet("cats", "ann", "bob", serve(*COMMAND, "--grace", "4", str(puzzles)))
    ann.cut()
    expect(bob.toast("ann has lost the connection, and has 4 seconds to come back. You may play on.")).to_be_visible()
    expect(bob.toast("ann is back.")).to_be_visible()
    expect(bob.page.locator(".side-away")).to_have_count(0)
    ann.page.close()
    expect(bob.page.locator("#duel [data-player=ann] .away-left")).to_have_text(re.compile("^0:0[34] to come back"))
    expect(bob.page.locator("#duel [data-player=ann] .away-left")).to_have_text(re.compile("^0:0[12] to come back"))
    bob.is_in("SHOW SCORE")
    expect(bob.page.locator("#result-words")).to_have_text(
        "ann left: the connection was lost for too long. The points are 0 to 0."
    )


def test_who_does_nothing_is_disconnected_with_words_and_goes_on_with_a_click(
    join: Join, serve: Serve, puzzles: Path
) -> None:
    ann = join(serve(*COMMAND, "--idle", "2", str(puzzles))).log_in("ann")
    expect(ann.toast("You are disconnected: nothing was done here for 2 seconds.")).to_be_visible()
    expect(ann.page.locator("#link")).to_contain_text("Disconnected")
    ann.page.locator("#link").click()
    expect(ann.page.locator("#link")).to_contain_text("Connected")
    ann.is_in("CHOOSE")


def test_the_page_has_words_where_the_commands_have_names_of_their_own(join: Join) -> None:
    ann = join().log_in("words_ann")
    ann.say("hello")
    toast = ann.toast("That is no command.")
    expect(toast).to_contain_text('The commands here are PLAY match, NEW match puzzle "Description" and EXIT.')
    ann.say('NEW m-1 simple "so"')
    expect(ann.toast("That cannot be the name of a match")).to_be_visible()
    ann.start("simple", "words")
    bob = join().log_in("words_bob")
    expect(bob.page.locator('[data-match="words"]').first).to_contain_text("Match words")
    for player in (ann, bob):
        assert not re.search("(Puzzle|Match|Player)_ID", player.page.locator("body").inner_text())
