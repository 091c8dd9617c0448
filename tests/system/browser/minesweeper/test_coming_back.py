"""Minesweeper's page and its connection: lost state, restored state, and the page's messages.

Testing strategy. field.test.js covers the summary of the changes.

- a killed server goes on with its journal, and the page does not explain the first dig again: test_a_page_goes_on_*
- a server restarts on another field: the page was out, and another player gets its old number; then a field of another
  size begins, with the focus on the old field: test_a_page_comes_back_to_another_field_*
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.system.browser.conftest import Serve
from tests.system.browser.minesweeper.conftest import LONG, ServeField
from tests.system.browser.minesweeper.player import Join, Player

pytestmark = pytest.mark.browser


class Line:
    """A page's connection. While it is cut, no attempt reaches the server: a browser slows down after failures."""

    def __init__(self) -> None:
        self.is_cut = False
        self._ways: Final[list[WebSocketRoute]] = []

    def __call__(self, way: WebSocketRoute) -> None:
        self._ways.append(way)
        if self.is_cut:
            way.close()
        else:
            way.connect_to_server()

    def send(self, frame: Mapping[str, object]) -> None:
        """Send the page a frame, as if it came from the server."""
        self._ways[-1].send(json.dumps(frame))


def expect_link(player: Player, state: str) -> None:
    expect(player.page.locator("#link")).to_have_attribute("data-state", state)


def reconnect(player: Player) -> None:
    """Reconnect at once, without the page's pause."""
    player.page.locator("#link").click()
    expect_link(player, "online")


def test_a_page_goes_on_with_its_field_when_a_server_with_a_journal_was_killed(
    serve: Serve, serve_field: ServeField, join: Join, tmp_path: Path
) -> None:
    journal = ("--journal", str(tmp_path / "field.db"))
    line = Line()
    server = serve_field(LONG, *journal)
    alice = join("alice", server, through=line)
    alice.click(0, 0)
    alice.click(4, 0, right=True)
    expect(alice.log).to_contain_text("You set a flag.")  # the server has the flag: a page shows its own flags before
    line.is_cut = True
    server.kill()
    expect_link(alice, "lost")
    serve("minesweeper", "--no-telnet", "--http-port", str(server.port), *journal).wait_for("http")
    line.is_cut = False
    reconnect(alice)
    expect(alice.players).to_have_count(1)
    expect(alice.next).to_have_text("Dig where no bomb can be, flag where one must be.")  # not the hint for beginners
    alice.sees(0, 0, "dug, no bombs near")
    alice.sees(4, 0, "flagged")
    alice.click(4, 0, right=True)
    alice.sees(4, 0, "untouched")
    alice.click(4, 0)
    expect(alice.boom).to_be_visible()  # the bomb is in the same place


def test_a_page_comes_back_to_another_field_and_says_so(serve_field: ServeField, join: Join) -> None:
    line = Line()
    server = serve_field(LONG)
    alice = join("alice", server, through=line)
    alice.click(4, 0)
    expect(alice.boom).to_be_visible()
    alice.page.keyboard.press("Escape")
    line.is_cut = True
    server.stop()
    expect_link(alice, "lost")
    expect(alice.next).to_have_text("The connection is lost. Trying to reconnect…")
    alice.click(4, 2)
    expect(alice.toast("Not connected: nothing was dug.")).to_be_visible()

    # on the other field, bob gets the number that alice had
    bob = join("bob", serve_field("3 2\n1 0 1\n0 0 0\n", http_port=server.port))
    line.is_cut = False
    reconnect(alice)
    expect(alice.toast("It is another field now: 3 columns by 2 rows.")).to_be_visible()
    expect(alice.players).to_have_count(2)
    bob.click(0, 0, right=True)
    expect(alice.log).to_contain_text("bob set a flag.")
    expect(alice.log).not_to_contain_text("You set a flag.")
    alice.click(2, 1)
    alice.sees(2, 1, "dug, 1 bomb near")
    expect(alice.page.locator("#counts")).to_have_text("3 squares to dig, 1 flag")

    # a smaller field begins: the focus stays as near as possible, and does not go to the square to begin with
    field = {"type": "field", "version": 9, "columns": 2, "rows": 2, "lines": ["--", "--"], "players": [], "you": 1}
    line.send({**field, "left": 3, "bombs": 1, "start": [0, 0]})
    expect(alice.next).to_have_text("Begin at the marked square. No guessing needed.")
    expect(alice.square(1, 1, "untouched")).to_be_focused()
