"""Seats on the page, in a real Chromium: another player's name, the own name after a crash, two tabs of one browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser


def test_a_name_that_is_somebody_elses_is_asked_for_again(
    serve: Serve, board: Path, join: Join, new_context: NewContext
) -> None:
    url = serve("memory", "--port", "0", "--seats", str(board)).url
    alice = join("alice", url)
    alice.flip(0, 0)
    context = new_context()
    page = context.new_page()
    page.goto(url)
    page.get_by_label("Your name", exact=True).fill("alice")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("alice belongs to somebody else here")
    page.get_by_label("Your name", exact=True).fill("bob")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator('[role=gridcell][data-row="0"][data-column="1"]').click()
    alice.sees(0, 1, "B, face up, held by bob")
    alice.sees(0, 0, "A, face up, yours")


def test_a_seat_is_still_ones_own_after_the_server_was_killed_and_in_another_tab(
    serve: Serve, board: Path, tmp_path: Path, join: Join
) -> None:
    arguments = ("memory", "--seats", "--journal", str(tmp_path / "game.db"), str(board), "--port")
    server = serve(*arguments, "0")
    alice = join("alice", server.url)
    alice.flip(0, 0)
    port = server.port
    server.kill()
    expect(alice.page.locator("#link .word")).to_have_text("Reconnecting…")
    serve(*arguments, str(port)).wait_for("http")
    expect(alice.page.locator("#link .word")).to_have_text("Connected")
    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")
    second = join("alice", f"http://127.0.0.1:{port}/", context=alice.page.context)
    second.sees(0, 2, "A, face up, yours")
