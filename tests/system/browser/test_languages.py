"""The pages in other languages than English, in a real Chromium.

Testing strategy.

- catalogues: each language has the same keys as English, and functions of as many parameters:
  test_no_catalogue_*; that no page has words beside them: tests/unit/client/test_words.py
- the choice: by the browser's languages, the first that there is, else English; by the switch, and kept: test_a_page_*,
  test_the_switch_*
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from scramble.resources import CLIENT
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve

pytestmark = pytest.mark.browser

TITLES: Final = {"en": "New game", "de": "Neues Spiel", "es": "Partida nueva", "fr": "Nouvelle partie"}

# The shape of a catalogue: keys of strings, and of functions with the number of their parameters.
SHAPES: Final = """async ([folder, languages]) => {
    const shape = (words, path) => Object.entries(words).flatMap(([key, value]) => {
        if (typeof value === "function") return [`${path}${key}(${value.length})`];
        return typeof value === "string" ? [`${path}${key}${value.trim() === "" ? " is empty" : ""}`]
            : shape(value, `${path}${key}.`);
    });
    const load = async (language) => (await import(`${document.baseURI}${folder}/${language}.js`)).default;
    return Promise.all(languages.map(async (language) => shape(await load(language), "").sort()));
}"""


@pytest.fixture(scope="module")
def url(serve_module: Serve) -> str:
    """A lobby whose rooms last as long as the tests of the module."""
    return serve_module("serve", "--port", "0", "--in-memory").url


@pytest.mark.parametrize("folder", sorted(CLIENT.glob("*/words")), ids=lambda folder: folder.parent.name)
def test_no_catalogue_lacks_a_key_or_takes_other_parameters(new_context: NewContext, url: str, folder: Path) -> None:
    page = new_context().new_page()
    page.goto(url)
    english, *others = page.evaluate(SHAPES, [f"client/{folder.relative_to(CLIENT).as_posix()}", list(TITLES)])
    assert others == [english] * len(others)


@pytest.mark.parametrize(
    ("browser_has", "shown"),
    [("de-CH", "de"), ("es", "es"), ("fr-CA", "fr"), ("en-GB", "en"), ("pt-BR", "en")],
)
def test_a_page_is_in_the_language_of_the_browser_or_in_english(
    new_context: NewContext, url: str, browser_has: str, shown: str
) -> None:
    page = new_context(alone=True, locale=browser_has).new_page()
    page.goto(url)
    expect_language(page, shown)


def test_the_switch_chooses_another_language_which_is_kept(new_context: NewContext, url: str) -> None:
    page = new_context(alone=True).new_page()
    page.goto(url)
    page.get_by_label("Language").select_option("Deutsch")
    expect_language(page, "de")
    expect(page.get_by_label("Sprache")).to_have_value("de")
    expect(page.locator("article.card")).to_have_count(3)
    audit(page, "the lobby in German")
    page.goto(url)
    expect_language(page, "de")


def expect_language(page: Page, language: str) -> None:
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    expect(page.get_by_role("heading", name=re.compile(f"^{TITLES[language]}$"))).to_be_attached()
