"""A page with longer time limits, so that the test does not depend on the machine's speed."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

PATIENT: Final = """
    const set = window.setTimeout;
    window.setTimeout = (work, delay, ...rest) => set(work, delay >= 3000 ? 20 * delay : delay, ...rest);
"""


def be_patient(page: Page) -> None:
    """Make time limits of 3 seconds and more 20 times as long, on every page that is opened from now on."""
    page.add_init_script(PATIENT)
