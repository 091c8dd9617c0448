"""Very many players on Memory Scramble's page: some names and a count of the rest.

The player's own score is always shown.
"""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser


def test_of_250_players_the_page_names_some_and_oneself_and_counts_the_others(join: Join, url: str) -> None:
    with httpx.Client(base_url=url) as client:
        for name in (*(f"p{number}" for number in range(250)), "zoe"):
            for _ in range(2):  # a second flip of the same card fails and gives up the card
                client.get(f"/flip/{name}/0,0")
        client.get("/flip/ann/0,0")
        client.get("/flip/ann/0,2")
        client.get("/flip/ann/0,1")
    zoe = join("zoe", url)
    rows = zoe.page.locator("#players > li")
    expect(rows.last).to_have_text("and 211 others")
    expect(rows).to_have_count(42)
    expect(rows.first).to_have_attribute("data-player", "ann")
    expect(zoe.score("ann")).to_have_text("1")
    expect(zoe.score("zoe")).to_have_text("0")
    expect(zoe.page.locator("#pairs")).to_have_text("2 pairs left of 3")
