"""Very many players on Memory Scramble's page, which none of them can change.

Testing strategy. The page lists some of the players, and the number of the others. The board's frame does not have the
player's own score, which is always shown. Replacing cards and new games are switched off, so there is no menu.
tests/unit/client covers the order of the players.
"""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import Serve
from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser


def test_of_250_players_the_page_names_some_and_oneself_and_counts_the_others(
    join: Join, serve: Serve, board: Path
) -> None:
    url = serve("memory", "--port", "0", "--no-new", "--no-replace", str(board)).url
    with httpx.Client(base_url=url) as client:
        for spot in ("0,0", "0,2", "0,1"):
            client.get(f"/flip/ann/{spot}")
        for name in (*(f"p{number}" for number in range(250)), "zoe"):
            client.get(f"/flip/{name}/0,0")  # there is no card any more
    zoe = join("zoe", url)
    rows = zoe.page.locator("#players > li")
    expect(rows.last).to_have_text("and 211 others")
    expect(rows).to_have_count(42)
    expect(rows.first).to_have_attribute("data-player", "ann")
    expect(zoe.score("ann")).to_have_text("1")
    expect(zoe.score("zoe")).to_have_text("0")
    expect(zoe.page.locator("#pairs")).to_have_text("2 pairs left of 3")
    words = "Replacing cards and new games are switched off on this server."
    expect(zoe.page.locator("#switched-off")).to_have_text(words)
    expect(zoe.page.get_by_text("Change the game")).to_be_hidden()
