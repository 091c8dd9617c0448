"""Kinds of games in a real Chromium: the server's list, as described by each kind's `client/GAME/kind.js`.

Testing strategy. Other tests cover the three games. Here are games that the pages do not know: the first has all its
words in one module, and the second has no module. The tests change the server's list and these modules on the way to
the browser. The first game: its card in two languages (the module has one of them), and the requested room:
test_a_game_that_*. The second game: its card, and its table at the end: test_a_game_without_*; a table with several
columns, and their meaning: test_the_columns_*. A third game with a fault in its module: test_a_fault_*. A server that
does not answer at first: test_a_server_*.
"""

from __future__ import annotations

import json
from typing import Final

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext
from tests.system.browser.rooms.visitor import BOARD, Look, Visit

pytestmark = pytest.mark.browser

KIND: Final = """
import { chips, sizeOf, toggle } from "../shared/forms.js";
import { pick } from "../shared/language.js";

const WORDS = pick({
  en: { title: "Four in a row", pitch: "Four discs in a line win", size: "Board", gravity: "Discs fall" },
  de: { title: "Vier gewinnt", pitch: "Vier Steine in einer Linie gewinnen", size: "Spielfeld" },
});

export const KIND = {
  title: WORDS.title,
  pitch: WORDS.pitch,
  art: ["one", "two", "one", "gone", "one", "two", "gone", "gone", "two"].map((whose) => ["", `${whose} round`]),
  fields: ({ sizes }) => [
    chips("size", WORDS.size, sizes.map((size) => ({ value: size, label: sizeOf(size) })), sizes[0]),
    toggle("gravity", WORDS.gravity, true),
  ],
  body: ({ size, gravity }) => ({ settings: { size, gravity: gravity === "on" } }),
  summary: ({ size }) => sizeOf(size),
};
"""


def offer(page: Page, kind: str | None) -> None:
    """Add a fourth game to the server's list and files, with this module as its kind.js."""

    def answer(route: Route) -> None:
        response = route.fetch()
        offers = response.json()
        game = {"game": "fourinarow", "title": "Four in a Row", "bots": 1, "turn_clock": False, "sizes": ["6x7", "8x9"]}
        route.fulfill(response=response, json={**offers, "kinds": [*offers["kinds"], game]})

    page.route("**/rooms/kinds", answer)
    if kind is not None:
        page.route(
            "**/client/fourinarow/kind.js", lambda route: route.fulfill(body=kind, content_type="text/javascript")
        )


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("de-DE", ["Vier gewinnt", "Vier Steine in einer Linie gewinnen", "Spielfeld", "Starten"]),
        ("fr-FR", ["Four in a row", "Four discs in a line win", "Board", "Commencer"]),
    ],
)
def test_a_game_that_brings_its_kind_in_one_module_has_a_card_and_opens_rooms(
    new_context: NewContext, rooms_url: str, locale: str, words: list[str]
) -> None:
    title, pitch, size, start = words
    page = new_context(alone=True, locale=locale, viewport={"width": 1280, "height": 800}).new_page()
    offer(page, KIND)
    page.goto(rooms_url)
    expect(page.locator(".games > .card")).to_have_count(4)
    card = page.locator('.card[data-game="fourinarow"]')
    expect(card.get_by_role("heading")).to_have_text(title)
    expect(card.locator(".card-words > p").first).to_have_text(pitch)
    expect(card.locator(".art > .round.one")).to_have_count(3)
    card.locator(".card-unfold").click()
    card.get_by_role("group", name=size, exact=True).get_by_label("8 × 9").check()
    card.get_by_label("Discs fall").uncheck()
    expect(card.locator(".card-summary")).to_have_text("8 × 9")
    expect(card.locator('[data-field="bots"] input')).to_have_count(2)
    expect(card.locator('[data-field="turn_clock"]')).to_have_count(0)
    with page.expect_request(lambda request: request.method == "POST") as asked:
        card.get_by_role("button", name=start, exact=True).click()
    assert asked.value.post_data is not None
    body = json.loads(asked.value.post_data)
    assert body == {
        "game": "fourinarow",
        "settings": {"size": "8x9", "gravity": False},
        "public": False,
        "bots": [],
    }


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_a_game_without_a_kind_has_a_plain_card_that_says_once_what_is_missing(visit: Visit, look: Look) -> None:
    ann = visit(look)
    said: list[str] = []
    ann.page.on("console", lambda message: said.append(message.text))
    offer(ann.page, None)
    ann.to_lobby()
    card = ann.card("fourinarow")
    expect(card.get_by_role("heading")).to_have_text("Four in a Row")
    expect(card.locator(".art > .art-square")).to_have_count(9)
    audit(ann.page, "four games")
    ann.unfold("fourinarow")
    expect(card.get_by_role("group", name="Bots")).to_be_visible()
    with ann.page.expect_request(lambda request: request.method == "POST") as asked:
        card.get_by_role("button", name="Start").click()
    assert asked.value.post_data is not None
    assert json.loads(asked.value.post_data)["settings"] == {}
    assert len([text for text in said if text.startswith("client/fourinarow/kind.js cannot be loaded")]) == 1


def test_a_game_without_a_kind_ends_with_the_points_of_its_players(visit: Visit, rooms_url: str) -> None:
    room = httpx.post(f"{rooms_url}rooms", json={"game": "memory", "settings": {"board": BOARD}}).json()["room"]
    ann = visit()
    ann.page.route("**/client/memory/kind.js", lambda route: route.fulfill(status=404))
    ann.join(f"{rooms_url}g/{room}", "ann")
    ann.take_all()
    expect(ann.ending.get_by_role("columnheader")).to_have_text(["Points"])
    expect(ann.ending.locator('[data-player="ann"]').get_by_role("cell")).to_have_text(["2"])
    expect(ann.ending.get_by_role("link", name="Save the match as text")).to_be_hidden()


def test_the_columns_of_a_game_are_explained_below_its_table(visit: Visit, rooms_url: str) -> None:
    room = httpx.post(f"{rooms_url}rooms", json={"game": "memory", "settings": {"board": BOARD}}).json()["room"]
    ann = visit()
    ann.join(f"{rooms_url}g/{room}", "ann")
    ann.take_all()
    expect(ann.ending.get_by_role("columnheader")).to_contain_text(["Pairs", "Hits", "Streak"])
    expect(ann.ending.locator(".hint").first).to_contain_text("Streak: most pairs in a row")


def test_a_fault_of_one_game_leaves_the_others_in_the_lobby(visit: Visit) -> None:
    ann = visit()
    faults: list[str] = []
    ann.page.on("pageerror", lambda error: faults.append(error.message))
    offer(ann.page, 'export const KIND = { title: "Faulty", fields: ({ shapes }) => [shapes[0]] };')
    ann.to_lobby()
    expect(ann.page.locator(".games > .card")).to_have_count(3)
    assert len(faults) == 1


def test_a_server_that_does_not_answer_at_first_is_asked_again(visit: Visit) -> None:
    ann = visit()
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    ann.page.route("**/rooms/kinds", answer)
    ann.to_lobby()
    expect(ann.page.locator(".games > .card")).to_have_count(3)
    assert len(asked) == 2
