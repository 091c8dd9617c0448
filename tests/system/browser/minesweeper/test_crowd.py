"""Very many players on Minesweeper's page: some names and a count of the rest, while players come and leave."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import Serve
from tests.system.browser.minesweeper.player import Join

pytestmark = pytest.mark.browser


def test_of_very_many_players_the_page_counts_those_whom_it_does_not_name(join: Join, serve: Serve) -> None:
    server = serve("minesweeper", "--port", "0", "--http-port", "0", "--size", "5,3", "--seed", "1")
    telnet = int(server.wait_for(r"telnet \S+ (\d+)").group(1))
    with ExitStack() as crowd:
        for _ in range(210):
            player = crowd.enter_context(socket.create_connection(("127.0.0.1", telnet)))
            player.recv(1000)
        zoe = join("zoe", server)
        rows = zoe.page.locator("#players > li")
        expect(rows.first).to_contain_text("zoe")
        expect(rows.last).to_have_text("and 171 others")
        expect(zoe.page.locator("#players-count")).to_have_text("211")
        player.sendall(b"flag 0 0\r\n")  # number 210: the page does not know this player
        expect(zoe.page.locator(".toast, .log, #log").get_by_text("Player 210 set a flag.").first).to_be_attached()
    expect(zoe.page.locator("#players-count")).to_have_text("")
    expect(rows).to_have_count(1)
