"""Checks of every page in every state: axe-core finds nothing, nothing scrolls by a pixel, messages cover nothing."""

from __future__ import annotations

import importlib.resources
from typing import Final

from playwright.sync_api import Page

AXE: Final = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

# All rules of WCAG 2.2 A and AA and the good practices, and two that axe-core leaves out unless they are asked for.
RUN: Final = """async (rules) => {
    const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, {
        resultTypes: ["violations"],
        runOnly: rules ?? { type: "tag", values },
        rules: rules ? {} : { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`);
}"""

# Wide pages fit the window; narrow ones scroll down and never sideways. Messages stay within the bar.
MISPLACED: Final = """() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const wrong = [];
    if (scrollWidth > innerWidth) wrong.push(`${scrollWidth - innerWidth} px too wide`);
    if (innerWidth >= 1000 && scrollHeight > innerHeight) wrong.push(`${scrollHeight - innerHeight} px too high`);
    for (const toast of document.querySelectorAll(".toast")) {
        const bar = document.querySelector(".bar").getBoundingClientRect();
        const below = toast.getBoundingClientRect().bottom - bar.bottom;
        if (below > 0) wrong.push(`"${toast.dataset.text}" is ${below} px below the bar`);
    }
    return wrong;
}"""


def audit(page: Page, state: str) -> None:
    """Check the page as it is now, in the theme that it has, and its colours in the other one."""
    page.emulate_media(reduced_motion="reduce")
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"() => {{ {AXE} }}")
    found: list[str] = [*page.evaluate(MISPLACED), *page.evaluate(RUN, None)]
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    found += page.evaluate(RUN, ["color-contrast"])
    page.emulate_media(color_scheme="dark" if dark else "light")
    assert found == [], f"{state}: {found}"
