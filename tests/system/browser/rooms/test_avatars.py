"""Avatars of people in a room, in a real Chromium.

Testing strategy. tests/unit/rooms/gathering/test_avatars.py and tests/unit/client/avatars.test.js test the rules.

- two people with one choice, by keyboard and on a phone: each page shows the same two avatars, in the bar, in the list
  of players and at the end; a reload and a new choice: test_a_chosen_*
- a name that needed no request: the page sends the avatar once another player is here; the server forgets the avatars,
  and the pages send them again: test_avatars_come_back_*
- the drawings: any two differ in many points of a grid of 24 x 24: test_any_two_*
- "My records" in the dialog for the name: test_my_records_*
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.audit import audit
from tests.system.browser.conftest import Serve
from tests.system.browser.rooms.visitor import BOARD, Visit, Visitor

pytestmark = pytest.mark.browser

LEAST_APART: Final = 0.12  # of the points of a drawing

# The colour of each point of a grid on each drawing: the last part that covers the point.
RASTER: Final = """pictures => pictures.map((picture) => {
    const point = picture.createSVGPoint();
    const { x, y, width, height } = picture.viewBox.baseVal;
    const parts = [...picture.querySelectorAll("path")].reverse();
    return Array.from({ length: 24 * 24 }, (_, nth) => {
        point.x = x + ((nth % 24) + 0.5) * width / 24;
        point.y = y + (Math.floor(nth / 24) + 0.5) * height / 24;
        const covers = (part) =>
            part.classList.contains("line") ? part.isPointInStroke(point) : part.isPointInFill(point);
        return parts.find(covers)?.classList[0][0] ?? "g";
    }).join("");
})"""


def choose(page: Page, picture: str) -> None:
    page.locator(".avatar-choice summary").click()
    page.get_by_role("radio", name=picture, exact=True).check()


def join_as(visitor: Visitor, address: str, name: str, picture: str) -> None:
    visitor.page.goto(address)
    choose(visitor.page, picture)
    visitor.join_here(name)


def test_a_chosen_avatar_is_kept_and_seen_by_others_and_nobody_else_at_the_table_has_it(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    address = ann.open(settings={"board": BOARD})
    ann.page.goto(address)
    summary = ann.page.locator(".avatar-choice summary")
    summary.focus()
    ann.page.keyboard.press("Enter")
    options = ann.page.get_by_role("radio")
    expect(options).to_have_count(40)
    options.first.check()
    ann.page.keyboard.press("ArrowRight")
    expect(ann.page.get_by_role("radio", name="fox")).to_be_checked()
    expect(summary).to_contain_text("fox")
    audit(ann.page, "the choice of an avatar")
    ann.join_here("Änn")  # this name needs a request, so the server knows the avatar before the second player comes
    expect(ann.me.locator(".badge")).to_have_attribute("data-avatar", "1")
    join_as(bob, address, "Bob", "fox")

    for page in (ann.page, bob.page):
        for name, number in (("Ann", "1"), ("Bob", "2")):
            expect(page.locator(f'#players [data-avatar-of="{name}"]')).to_have_attribute("data-avatar", number)
    expect(ann.me.locator(".badge")).to_have_attribute("data-avatar", "1")
    expect(bob.me.locator(".badge")).to_have_attribute("data-avatar", "2")

    bob.me.click()
    choose(bob.page, "snowman")
    expect(bob.page.get_by_role("radio", name="fox (taken)")).to_be_disabled()
    audit(bob.page, "the choice of an avatar, in a game")
    bob.page.get_by_role("button", name="Play", exact=True).click()
    for page in (ann.page, bob.page):
        expect(page.locator('#players [data-avatar-of="Bob"]')).to_have_attribute("data-avatar", "39")
    bob.page.reload()
    bob.arrive()
    expect(bob.me.locator(".badge")).to_have_attribute("data-avatar", "39")

    bob.take_all()
    for page in (ann.page, bob.page):
        ending = page.locator("#ending[open]")
        expect(ending.locator(".winner [data-avatar]")).to_have_attribute("data-avatar", "39")
        expect(ending.locator('.figures [data-avatar-of="Bob"]')).to_have_attribute("data-avatar", "39")
    bob.ending.get_by_role("link", name="Another game").click()
    assert bob.page.evaluate("localStorage.getItem('scramble.avatar')") == "39"
    bob.me.click()
    expect(bob.page.locator(".avatar-choice summary")).to_contain_text("snowman")


def test_avatars_come_back_after_a_restart_of_the_server(visit: Visit, serve: Serve, tmp_path: Path) -> None:
    server = serve("serve", "--port", "0", "--data", str(tmp_path))
    ann, bob, carl = (visit(url=server.url) for _ in range(3))
    address = ann.open()
    join_as(ann, address, "Ann", "fox")
    join_as(bob, address, "Bob", "snowman")
    server.kill()
    for one in (ann, bob):
        expect(one.page.locator("#link")).to_have_attribute("data-state", "lost")
    serve("serve", "--port", str(server.port), "--data", str(tmp_path)).wait_for("http")
    join_as(carl, address, "Carl", "cat")
    for name, number in (("Ann", "1"), ("Bob", "39"), ("Carl", "0")):
        expect(carl.page.locator(f'#players [data-avatar-of="{name}"]')).to_have_attribute("data-avatar", number)


def test_any_two_drawings_differ_in_many_points(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    ann.me.click()
    ann.page.locator(".avatar-choice summary").click()
    drawings = ann.page.locator(".avatar-option svg").evaluate_all(RASTER)
    names = ann.page.get_by_role("radio").evaluate_all("radios => radios.map((radio) => radio.labels[0].innerText)")
    assert len(drawings) == len(set(names)) == 40
    apart = {
        (one, other): sum(a != b for a, b in zip(drawings[one], drawings[other], strict=True)) / len(drawings[one])
        for one, other in combinations(range(40), 2)
    }
    (one, other), least = min(apart.items(), key=lambda item: item[1])
    assert least >= LEAST_APART, (names[one], names[other], least)


def test_my_records_open_from_the_dialog_for_the_name(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    ann.me.click()
    dialog = ann.page.get_by_role("dialog", name="Change your name")
    audit(ann.page, "the dialog for the name in the lobby")
    dialog.get_by_role("button", name="My records").click()
    records = ann.page.get_by_role("dialog", name="My records")
    expect(records).to_be_visible()
    records.get_by_role("button", name="Close").click()
    expect(records).to_be_hidden()
    expect(dialog).to_be_visible()
