"""Kinds of games in a real Chromium: the server's list, as described by each kind's `client/GAME/kind.js`.

Testing strategy. Other tests cover the three games. Here the server's list has games that the pages do not know: one
has all its words in one module, in two languages; one has no module; one has a fault in its module. The test changes
the server's list and these modules on the way to the browser. The cards, the requested rooms, and a list that arrives
at the second try: test_games_that_*. The table at the end of a game without a module: test_a_game_without_*;
test_room.py has a table with several columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import BOARD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("plain_files")]

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


FAULT: Final = 'export const KIND = { title: "Faulty", fields: ({ shapes }) => [shapes[0]] };'


def offer(page: Page, kinds: Mapping[str, str | None]) -> list[str]:
    """Add games to the server's list and files, with these modules as their kind.js.

    The lobby's page comes without the list, and the first request for the list fails. Return the requests so far.
    """
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
            return
        response = route.fetch()
        more = [
            {"game": game, "title": game.title(), "bots": 1, "turn_clock": False, "sizes": ["6x7", "8x9"]}
            for game in kinds
        ]
        route.fulfill(response=response, json={**response.json(), "kinds": [*response.json()["kinds"], *more]})

    def without_answers(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace('id="answers"', ""))

    page.route(re.compile(r"^http://[^/]+/$"), without_answers)
    page.route("**/rooms/kinds", answer)
    for game, module in kinds.items():
        if module is not None:
            page.route(f"**/client/{game}/kind.js", serve(module))
    return asked


def serve(module: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=module, content_type="text/javascript")


def start(card: Locator) -> dict[str, object]:
    """Press the start button of a card. Return the requested room, which the server refuses."""
    button = card.locator(".choices > .button-primary")
    with card.page.expect_request(lambda request: request.method == "POST") as asked:
        button.click()
    expect(card.locator(".card-error")).not_to_be_empty()
    expect(button).to_be_enabled()
    body: dict[str, object] = json.loads(asked.value.post_data or "")
    return body


def test_games_that_the_pages_do_not_know_have_cards_and_are_asked_for(visit: Visit) -> None:
    ann = visit("phone", alone=True)
    said: list[str] = []
    faults: list[str] = []
    ann.page.on("console", lambda message: said.append(message.text))
    ann.page.on("pageerror", lambda error: faults.append(error.message))
    ann.page.add_init_script("localStorage.setItem('scramble.language', 'de')")
    ann.page.clock.install()
    asked = offer(ann.page, {"discs": KIND, "faulty": FAULT, "halma": None})
    ann.page.goto(ann.url)
    ann.page.clock.fast_forward(10_000)  # the pause before the second request
    expect(ann.page.locator(".games > .card")).to_have_count(5)
    assert len(asked) == 2
    assert len(faults) == 1
    assert len([text for text in said if text.startswith("client/halma/kind.js cannot be loaded")]) == 1

    # A game with a module has its words, in English if the language of the page is missing.
    card = ann.card("discs")
    expect(card.get_by_role("heading")).to_have_text("Vier gewinnt")
    expect(card.locator(".card-words > p").first).to_have_text("Vier Steine in einer Linie gewinnen")
    expect(card.locator(".art > .round.one")).to_have_count(3)
    card.locator(".card-unfold").click()
    card.get_by_role("group", name="Spielfeld", exact=True).get_by_label("8 × 9").check()
    card.get_by_label("Discs fall").uncheck()
    expect(card.locator(".card-summary")).to_have_text("8 × 9")
    expect(card.locator('[data-field="bots"] input')).to_have_count(2)
    expect(card.locator('[data-field="turn_clock"]')).to_have_count(0)
    settings = {"size": "8x9", "gravity": False}
    assert start(card) == {"game": "discs", "settings": settings, "public": False, "bots": []}

    # A game without a module has a plain card.
    card = ann.card("halma")
    expect(card.get_by_role("heading")).to_have_text("Halma")
    expect(card.locator(".art > .art-square")).to_have_count(9)
    card.locator(".card-unfold").click()
    expect(card.get_by_role("group", name="Bots")).to_be_visible()
    assert start(card) == {"game": "halma", "settings": {}, "public": False, "bots": []}
    card.locator(".card-unfold").click()
    audit(ann.page, "five games")


def test_a_game_without_a_kind_ends_with_the_points_of_its_players(visit: Visit) -> None:
    ann = visit()
    ann.page.route("**/client/memory/kind.js", lambda route: route.fulfill(status=404))
    ann.join(ann.open(settings={"board": BOARD}), "ann")
    ann.take_all()
    expect(ann.ending.get_by_role("columnheader")).to_have_text(["Points"])
    expect(ann.ending.locator('[data-player="ann"]').get_by_role("cell")).to_have_text(["2"])
    expect(ann.ending.get_by_role("link", name="Save the match as text")).to_be_hidden()
