"""A page in the background. A headless browser shows all of its pages at once, so the test simulates this."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

AWAY: Final = "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })"


def leave(page: Page) -> None:
    """Simulate that the user looks at another tab, also after this tab loads another address."""
    page.evaluate(AWAY)
    page.add_init_script(AWAY)


def come_back(page: Page) -> None:
    """Simulate that the user looks at this tab again."""
    page.evaluate("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
