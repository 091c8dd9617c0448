"""Memory Scramble's page without its server for a while, in a real Chromium.

Testing strategy. shared/test_moving.py covers the state of the connection, tests/unit/client the messages about changes
in the meantime.

- a connection that is cut three times: the name is in use in another browser by then; the player waited for a card; the
  player held cards, which are free for the other player: test_a_lost_connection_*
- a server that is killed and started again, with the same game and with another board, without new games; names that
  belong to other people: test_a_seat_*
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join, Player

pytestmark = pytest.mark.browser


class Cable:
    """The connection of a page. While it is cut, the page cannot reconnect."""

    def __init__(self, page: Page) -> None:
        self._page: Final = page
        self._is_cut = False
        self._ends: list[WebSocketRoute] = []
        page.route_web_socket("**/play/*", self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close()
            return
        is_first = not self._ends
        self._ends = [socket, socket.connect_to_server()]
        if is_first:  # as if the cable was cut before the page got the other names, and could ask the user
            self._ends[1].on_message(lambda frame: None if '"type":"players"' in str(frame) else socket.send(frame))

    def cut(self) -> None:
        """Lose the connection, and wait until the page says so."""
        self._is_cut = True
        for end in self._ends:
            end.close()
        expect(self._page.locator("#link")).to_contain_text("Reconnecting")

    def mend(self) -> None:
        """Let the page reconnect at once."""
        self._is_cut = False
        self._page.locator("#link").click()
        expect(self._page.locator("#link")).to_contain_text("Connected")


def test_a_lost_connection_asks_for_no_name_ends_a_wait_and_makes_cards_free_and_the_page_says_so(
    join: Join, new_context: NewContext, serve: Serve, board: Path
) -> None:
    url = serve("memory", "--port", "0", "--release-idle", "0.05", str(board)).url
    page = new_context().new_page()
    cable = Cable(page)
    bob = Player(page, url, "bob")

    cable.cut()
    bob.cell(0, 1).click()
    expect(bob.toast("Not connected")).to_be_visible()
    alice = join("bob", url)
    cable.mend()
    expect(bob.toast("Connected again")).to_contain_text("Nothing has changed.")
    alice.rename("alice")
    expect(alice.page.locator("#me")).to_contain_text("alice")
    expect(alice.link).to_contain_text("Connected")  # under the new name

    alice.flip(0, 0)
    bob.flip(0, 0)
    expect(bob.next).to_have_text("Waiting for alice to let go of A.")
    expect(bob.dialog).to_have_count(0)
    cable.cut()
    cable.mend()
    expect(bob.toast("You no longer wait for a card.")).to_be_visible()
    expect(bob.next).to_have_text("Turn over a card.")

    alice.flip(0, 1)  # not alike: both cards are free
    bob.flip(0, 0)
    bob.flip(0, 2)
    alice.sees(0, 2, "A, face up, held by bob")
    cable.cut()
    for column in (0, 2):
        alice.sees(0, column, "A, face up, free")
    expect(alice.page.locator("[aria-live=polite]")).to_contain_text("bob let go of the pair of A.")
    expect(alice.page.locator("#log")).to_contain_text("bob let go of the pair of A.")
    expect(alice.score("bob")).to_have_text("0")
    cable.mend()
    expect(bob.toast("You no longer hold A.")).not_to_contain_text("wait")
    bob.sees(0, 2, "A, face up, free")
    expect(bob.next).to_have_text("Turn over a card.")
    alice.flip(0, 2)
    alice.sees(0, 2, "A, face up, yours")


def test_a_seat_has_one_player_also_after_a_restart_and_another_board_replaces_the_old_one(
    join: Join, new_context: NewContext, serve: Serve, board: Path, tmp_path: Path
) -> None:
    durable = ("memory", "--seats", "--journal", str(tmp_path / "game.db"), str(board), "--port")
    server = serve(*durable, "0")
    port = str(server.port)
    alice = join("alice", server.url)
    alice.flip(0, 0)

    page = new_context().new_page()
    page.goto(server.url)
    page.get_by_label("Your name", exact=True).fill("alice")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("alice belongs to somebody else here")
    page.get_by_label("Your name", exact=True).fill("bob")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator('[role=gridcell][data-row="0"][data-column="1"]').click()
    alice.sees(0, 1, "B, face up, held by bob")
    alice.sees(0, 0, "A, face up, yours")

    server.kill()
    expect(alice.link).not_to_contain_text("Connected")
    server = serve(*durable, port)
    expect(alice.link).to_contain_text("Connected")
    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")

    server.kill()
    expect(alice.link).not_to_contain_text("Connected")
    board.write_text("3x1\nX\nY\nX\n")
    serve("memory", "--seats", "--no-new", str(board), "--port", port)
    expect(alice.toast("It is another board now: 3 rows of 1.")).to_be_visible()
    expect(alice.page.get_by_role("gridcell")).to_have_count(3)
    expect(alice.page.locator("#switched-off")).to_have_text("New games are switched off on this server.")
    alice.flip(2, 0)
    alice.sees(2, 0, "X, face up, yours")
    alice.page.get_by_text("Change the game").click()
    expect(alice.page.get_by_role("button", name="Replace a card")).to_be_visible()
    alice.flip(0, 0)
    alice.page.get_by_role("button", name="Take it").click()
    expect(alice.dialog).to_contain_text("You took")
    alice.dialog.get_by_role("button", name="Look at the board").click()
    expect(alice.page.get_by_role("button", name="New game")).to_have_count(0)
