"""A class in a real Chromium, served by a real `scramble serve`: a teacher's page, and pupils' phones.

Testing strategy.

- a class from the lobby to its final table: the invitation, who waits, a round, whose tables the pupils reach without
  another question; the end of a game leads back to the class; the next round moves all pupils; a late pupil; the end
- a name that is taken; a pupil whom the teacher removes, and who comes back; the way back to a table
- a page without its class; the pages in German
- `audit` finds no problem on the pages of the teacher and the pupils, in each state

tests/system/rooms/test_classes.py tests the requests, and tests/unit/rooms/test_classrooms.py the rules.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.test_daily import PLAY
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser

ROOM = re.compile(r"/g/[a-z-]+$")


def open_class(teacher: Visitor, options: str = "Options", choice: str = "A class", start: str = "Start") -> str:
    """Open a class of Memory from the lobby; return its address."""
    teacher.to_lobby()
    card = teacher.page.locator('.card[data-game="memory"]')
    card.get_by_role("button", name=options).click()
    card.get_by_role("radio", name="4 × 4").check()
    card.get_by_role("radio", name=choice).check()
    card.get_by_role("button", name=start, exact=True).click()
    expect(teacher.page.locator("#invite-class")).to_be_visible()
    return teacher.page.url


def join(pupil: Visitor, address: str, name: str) -> None:
    pupil.page.goto(address)
    pupil.page.get_by_label("Your name").fill(name)
    pupil.page.get_by_role("button", name="Join").click()


def at_table(pupil: Visitor) -> str:
    """Wait until the page is at a table, without a question; return the address."""
    expect(pupil.page).to_have_url(ROOM)
    expect(pupil.page.locator("#link")).to_have_attribute("data-state", "online")
    expect(pupil.page.locator("dialog[open]")).to_have_count(0)
    return pupil.page.url


def win(pupil: Visitor) -> None:
    """Take all cards of this table."""
    pupil.page.evaluate(PLAY, pupil.page.locator("#me .chip-name").get_attribute("data-name-of"))
    expect(pupil.page.locator("#ending")).to_be_visible()


def standings(page: Page) -> list[list[str]]:
    rows = page.locator("#figures tbody tr")
    return [re.split(r"\s+", row.inner_text().strip()) for row in rows.all()]


def test_a_class_from_its_link_to_its_final_table(visit: Visit) -> None:
    teacher = visit("desk", alone=True)
    address = open_class(teacher)
    audit(teacher.page, "a class without pupils")
    names = ("Zoë", "Ben", "Clara", "Dmitri", "Esther")
    pupils = [visit("phone", alone=True) for _ in names]
    for pupil, name in zip(pupils, names, strict=True):
        join(pupil, address, name)
        expect(pupil.page.locator("#step-title")).to_have_text("You are in. The first round begins soon.")
    audit(pupils[0].page, "waiting for the first round")
    expect(teacher.page.locator("#waiting-title")).to_have_text("Waiting: 5")
    audit(teacher.page, "a class that waits")

    teacher.page.get_by_role("button", name="Start round 1").click()
    tables = [at_table(pupil) for pupil in pupils]
    assert tables[:2] == [tables[0]] * 2
    assert tables[2:] == [tables[2]] * 3
    assert tables[0] != tables[2]
    expect(pupils[0].page.locator("#me")).to_contain_text("Zoë")
    expect(teacher.page.locator("#step-title")).to_have_text("2 tables play.")
    audit(pupils[0].page, "at a table of a class")

    win(pupils[0])
    expect(pupils[0].page.get_by_role("button", name="Again")).to_have_count(0)
    audit(pupils[0].page, "the end of a game of a class")
    pupils[0].page.get_by_role("link", name="Back to the class").click()
    expect(pupils[0].page.locator("#step-title")).to_have_text("The next round begins soon.")
    expect(teacher.page.locator("#waiting-title")).to_have_text("Waiting: 2")
    expect(teacher.page.locator("#figures tbody tr").first).to_contain_text("Zoë")
    assert standings(teacher.page)[0][-3:] == ["8", "1", "1"]
    audit(pupils[0].page, "waiting, with standings")
    audit(teacher.page, "a round, with standings")

    teacher.page.get_by_role("button", name="Start round 2").click()
    for pupil, before in zip(pupils, tables, strict=True):
        expect(pupil.page).not_to_have_url(re.compile(f"{re.escape(before)}|/c/"))
        at_table(pupil)
    late = visit("phone", alone=True)
    join(late, address, "Fatima")
    at_table(late)

    teacher.page.get_by_role("button", name="End the class").click()
    audit(teacher.page, "asked whether to end the class")
    teacher.page.get_by_role("dialog").get_by_role("button", name="End the class").click()
    expect(teacher.page.locator("#standings-title")).to_have_text("Final table")
    expect(teacher.page.locator("#step-title")).to_have_text("2 tables play.")
    for pupil in (pupils[0], pupils[-1]):
        win(pupil)
    expect(teacher.page.locator("#step-title")).to_have_text(re.compile("^First: "))
    audit(teacher.page, "the final table")
    pupils[0].page.get_by_role("link", name="Back to the class").click()
    expect(pupils[0].page.locator("#standings-title")).to_have_text("Final table")
    audit(pupils[0].page, "the final table")


def test_a_taken_name_a_removed_pupil_and_the_way_back_to_the_table(visit: Visit) -> None:
    teacher = visit("desk", alone=True)
    address = open_class(teacher)
    ann, bob = visit("phone", alone=True), visit("phone", alone=True)
    join(ann, address, "Ann")
    expect(ann.page.locator("#me")).to_contain_text("Ann")
    join(bob, address, "ann")
    expect(bob.page.locator("#join-error")).to_contain_text("taken")
    audit(bob.page, "a name that is taken")
    bob.page.get_by_label("Your name").fill("bob")
    bob.page.get_by_role("button", name="Join").click()
    teacher.page.get_by_role("button", name="Remove bob from the class").click()
    expect(bob.page.locator("#step-title")).to_have_text("You have left this class.")
    bob.page.get_by_role("button", name="Come back").click()
    expect(teacher.page.locator("#waiting-title")).to_have_text("Waiting: 2")
    teacher.page.get_by_role("button", name="Start round 1").click()
    table = at_table(ann)
    ann.page.goto(address)
    ann.page.get_by_role("link", name="Go to your table").click()
    assert at_table(ann) == table
    teacher.page.get_by_role("link", name="Watch Ann and bob").click()
    expect(teacher.page.locator("#next")).to_contain_text("watch")


def test_a_link_to_no_class_says_so(visit: Visit) -> None:
    ann = visit("phone", alone=True)
    ann.to_lobby()
    ann.page.goto(f"{ann.page.url.rstrip('/')}/c/no-such-class-here")
    expect(ann.page.locator("#trouble")).to_have_text("This class does not exist, or was forgotten.")
    audit(ann.page, "a link to no class")
    ann.page.get_by_role("link", name="All games").click()
    expect(ann.page.locator(".card").first).to_be_visible()


@pytest.mark.parametrize(
    ("language", "options", "choice", "start", "heading"),
    [
        ("de", "Einstellungen", "Eine Klasse", "Starten", "Warte, bis alle da sind, und starte dann."),
        ("es", "Opciones", "Una clase", "Empezar", "Espera a que llegue la clase y empieza."),
        ("fr", "Options", "Une classe", "Commencer", "Attends que tout le monde soit là, puis lance la manche."),
    ],
)
def test_the_pages_of_a_class_in_another_language(
    visit: Visit, language: str, options: str, choice: str, start: str, heading: str
) -> None:
    teacher = visit("desk", alone=True)
    teacher.page.add_init_script(f"localStorage['scramble.language'] ??= '{language}'")
    open_class(teacher, options, choice, start)
    expect(teacher.page.locator("#step-title")).to_have_text(heading)
    audit(teacher.page, f"a class in {language}")
