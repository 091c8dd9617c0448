"""Names on Memory Scramble's page, in a real Chromium: in one tab, in two tabs of a browser, in two browsers.

Testing strategy. One journey. A name is suggested, rejected, kept over a reload, and changed. A second tab of the
browser is offered another name, and may have the same name without a question. In another browser, the page asks about
a name that is in use: the user takes another name, also with Escape, or plays along. A reload does not ask again.
Names that belong to other people: test_connection.py.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import NewContext
from tests.system.browser.memory.player import Join, Player

pytestmark = pytest.mark.browser


def test_a_name_takes_one_key_is_kept_changed_and_shared_by_tabs_and_asked_about_in_another_browser(
    new_context: NewContext, join: Join, url: str
) -> None:
    first = Player(new_context().new_page(), url)
    suggested = first.name
    expect(first.row(suggested)).to_be_visible()
    first.flip(0, 0)
    first.page.reload()
    first.sees(0, 0, "A, face up, yours")

    first.page.get_by_role("button", name="Change your name").click()
    first.page.get_by_label("Your name", exact=True).fill("nobody")
    first.page.get_by_role("button", name="Cancel").click()
    expect(first.dialog).to_have_count(0)
    expect(first.page.locator("#me")).to_contain_text(suggested)
    first.rename("alina")
    gone = f"A, face up, held by {suggested}, who has left"
    first.sees(0, 0, gone)
    expect(first.row(suggested).locator(".player-note")).to_have_text("has left: A")
    expect(first.page.locator("#log")).to_contain_text(f"{suggested} has left with A.")
    first.flip(0, 1)

    tab = first.page.context.new_page()
    tab.goto(url)
    field = tab.get_by_label("Your name", exact=True)
    expect(field).not_to_have_value("alina")
    field.fill("zoë!")
    tab.keyboard.press("Enter")
    expect(tab.locator("#join-error")).to_contain_text("letters")
    field.fill("alina")
    tab.keyboard.press("Enter")
    tab.locator('[data-row="1"][data-column="1"]').click()
    first.sees(1, 1, "B, face up, yours")
    expect(tab.get_by_role("dialog")).to_have_count(0)

    other = join("alina")
    question = other.page.get_by_role("dialog", name="alina is here already")
    question.get_by_role("button", name="Play as alina_2").click()
    expect(other.page.locator("#me")).to_contain_text("alina_2")
    other.sees(0, 0, gone)
    expect(other.link).to_contain_text("Connected")  # under the new name
    other.flip(1, 0)
    first.sees(1, 0, "C, face up, held by alina_2")
    expect(first.dialog).to_have_count(0)
    other.rename("alina")
    expect(question).to_be_visible()
    other.page.keyboard.press("Escape")
    other.sees(1, 0, "C, face up, yours")
    other.rename("alina")
    question.get_by_role("button", name="Play along as alina").click()
    other.sees(0, 1, "B, face up, yours")
    other.flip(0, 2)
    first.sees(0, 2, "A, face up, yours")
    other.page.reload()
    other.sees(0, 2, "A, face up, yours")
    other.flip(1, 2)  # the page gets the answer after the frames that could bring a question
    expect(other.dialog).to_have_count(0)
