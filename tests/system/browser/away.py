"""A page that its user does not look at: a headless browser shows all of its pages at once."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

AWAY: Final = "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })"


def leave(page: Page) -> None:
    """Look at another tab, also while this one moves to another address."""
    page.evaluate(AWAY)
    page.add_init_script(AWAY)


def come_back(page: Page) -> None:
    """Look at this tab again."""
    page.evaluate("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
