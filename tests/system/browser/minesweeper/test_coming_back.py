"""Minesweeper's page and its connection: lost state, restored state, and the page's messages.

Testing strategy: the server restarts on another field. It is killed, and continues with its journal. A player who had
lost returns, and another player has the old number.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.system.browser.conftest import Serve
from tests.system.browser.minesweeper.conftest import LONG
from tests.system.browser.minesweeper.player import Join

pytestmark = pytest.mark.browser


def test_the_page_comes_back_by_itself_and_says_what_has_changed(serve: Serve, join: Join, field_file: Path) -> None:
    server = serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file))
    alice = join("alice", server)
    alice.click(0, 0)
    alice.sees(0, 0, "dug, no bombs near")
    server.stop()
    expect(alice.page.locator("#link")).to_have_attribute("data-state", "lost")
    expect(alice.next).to_have_text("The connection is lost. Trying to reconnect…")
    alice.click(4, 0)
    expect(alice.toast("Not connected: nothing was dug.")).to_be_visible()

    field_file.write_text("3 2\n1 0 1\n0 0 0\n")
    serve("minesweeper", "--no-telnet", "--http-port", str(server.port), "--file", str(field_file)).wait_for("http")
    alice.page.locator("#link").click()
    expect(alice.page.locator("#link")).to_have_attribute("data-state", "online")
    expect(alice.toast("It is another field now: 3 columns by 2 rows.")).to_be_visible()
    alice.click(2, 1)
    alice.sees(2, 1, "dug, 1 bomb near")
    expect(alice.page.locator("#counts")).to_have_text("3 squares to dig, 0 flags")


def test_a_page_that_had_lost_never_takes_the_moves_of_who_has_its_number_now_for_its_own(
    serve: Serve, join: Join, field_file: Path
) -> None:
    field_file.write_text(LONG)
    arguments = ("minesweeper", "--no-telnet", "--file", str(field_file), "--http-port")
    server = serve(*arguments, "0")
    alice = join("alice", server)
    cut = True

    def route(way: WebSocketRoute) -> None:
        if cut:
            way.close()
        else:
            way.connect_to_server()

    alice.page.route_web_socket("**/play/*", route)  # for later connections
    alice.click(4, 0)
    expect(alice.boom).to_be_visible()
    alice.page.keyboard.press("Escape")
    server.stop()
    expect(alice.page.locator("#link")).to_have_attribute("data-state", "lost")
    bob = join("bob", serve(*arguments, str(server.port)))  # number 1, which alice had
    cut = False
    alice.page.locator("#link").click()
    expect(alice.players).to_have_count(2)
    bob.click(0, 0, right=True)
    expect(alice.page.locator("#log")).to_contain_text("bob set a flag.")
    expect(alice.page.locator("#log")).not_to_contain_text("You set a flag.")


def test_pages_go_on_with_their_field_when_a_server_with_a_journal_was_killed(
    serve: Serve, join: Join, field_file: Path, tmp_path: Path
) -> None:
    field_file.write_text(LONG)
    arguments = ("minesweeper", "--no-telnet", "--journal", str(tmp_path / "field.db"), "--http-port")
    server = serve(*arguments, "0", "--file", str(field_file))
    alice, bob = join("alice", server), join("bob", server)
    alice.click(0, 0)
    bob.click(4, 0, right=True)
    alice.sees(4, 0, "flagged, bob was here")
    port = str(server.port)
    server.kill()
    for player in (alice, bob):
        expect(player.page.locator("#link")).to_have_attribute("data-state", "lost")
    serve(*arguments, port).wait_for("http")
    for player in (alice, bob):
        player.page.locator("#link").click()
        expect(player.page.locator("#link")).to_have_attribute("data-state", "online")
        expect(player.players).to_have_count(2)
        player.sees(0, 0, "dug, no bombs near")
        player.sees(4, 0, "flagged")
    bob.click(4, 0, right=True)
    alice.sees(4, 0, "untouched, bob was here")
    alice.click(4, 0)
    expect(alice.boom).to_be_visible()  # the bomb is in the same place
